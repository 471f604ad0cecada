#include "acquisition/input_scaling.hpp"

namespace oscbo::acquisition {

InputScaling InputScaling::identity(Index columns) {
  return {.offset = Vector::Zero(columns), .range = Vector::Ones(columns)};
}

ModelInput InputScaling::to_input(const space::Columns& columns) const {
  ModelInput input(columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    input[k] = (columns[k] - offset[static_cast<Index>(k)]) / range[static_cast<Index>(k)];
  }
  return input;
}

space::Columns InputScaling::to_columns(const ModelInput& input) const {
  space::Columns columns(input.size());
  for (std::size_t k = 0; k < input.size(); ++k) {
    columns[k] = offset[static_cast<Index>(k)] + range[static_cast<Index>(k)] * input[k];
  }
  return columns;
}

void InputScaling::to_inputs(const numeric::PaddedMatrix& columns,
                             numeric::PaddedMatrix& inputs) const {
  for (Index k = 0; k < columns.columns(); ++k) {
    for (Index i = 0; i < columns.rows(); ++i) {
      inputs(i, k) = (columns(i, k) - offset[k]) / range[k];
    }
  }
}

SearchBox InputScaling::search_box() const {
  return {.lower = -offset.cwiseQuotient(range),
          .upper = (Vector::Ones(offset.size()) - offset).cwiseQuotient(range)};
}

}  // namespace oscbo::acquisition
