// The map from the columns of a space to the inputs of a model.
#pragma once

#include "acquisition/search.hpp"
#include "numeric/padded_matrix.hpp"
#include "space/point.hpp"

namespace oscbo::acquisition {

/// A point as one model sees it: its columns, scaled. Two models may scale differently.
using ModelInput = space::Point<struct ModelInputForm>;

/// input = (column - offset) / range.
struct InputScaling {
  Vector offset;
  Vector range;

  [[nodiscard]] static InputScaling identity(Index columns);

  [[nodiscard]] ModelInput to_input(const space::Columns& columns) const;
  [[nodiscard]] space::Columns to_columns(const ModelInput& input) const;

  /// to_inputs scales the rows of `columns`. Requires `inputs` of the same size.
  void to_inputs(const numeric::PaddedMatrix& columns, numeric::PaddedMatrix& inputs) const;

  /// search_box returns the box of inputs that corresponds to the unit cube of columns.
  [[nodiscard]] SearchBox search_box() const;
};

}  // namespace oscbo::acquisition
