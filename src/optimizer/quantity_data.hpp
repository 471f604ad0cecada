// The observations of one quantity, as told and as its model sees them.
#pragma once

#include <optional>
#include <vector>

#include "acquisition/input_scaling.hpp"
#include "gp/inputs.hpp"
#include "learners/lengthscale_rule.hpp"
#include "optimizer/data_options.hpp"
#include "optimizer/standardizer.hpp"
#include "space/point.hpp"

namespace oscbo {

/// A value type.
class QuantityData {
 public:
  QuantityData(const DataOptions& config, const gp::Layout& layout, gp::Index expected_points);

  /// add records an observation, with its variance if that is known, and returns its position.
  gp::Index add(space::Columns columns, double y, std::optional<double> variance);

  /// add_to_initial records that observation `point` was told before the first round.
  void add_to_initial(gp::Index point) { initial_points_ = point + 1; }

  /// refresh standardises the observations and scales the inputs with everything known now.
  void refresh();

  /// statistics returns the current statistics of the observations, as the configuration defines
  /// them.
  [[nodiscard]] Standardizer statistics() const;

  /// observations returns the observations as a model sees them. `best` is the observation to
  /// improve on, if that is not the largest one. `pending` is the number of points that have been
  /// asked but not told.
  [[nodiscard]] learners::Observations observations(std::optional<gp::Index> best,
                                                    int pending) const;

  /// mean_known_noise returns the mean of the told noise variances, in standardised units, or none
  /// if no variance was told.
  [[nodiscard]] std::optional<double> mean_known_noise() const;

  /// has_told_noise returns whether a positive variance was told.
  [[nodiscard]] bool has_told_noise() const;

  [[nodiscard]] std::size_t size() const { return y_.size(); }
  [[nodiscard]] const std::vector<double>& y() const { return y_; }
  [[nodiscard]] const std::vector<space::Columns>& columns() const { return columns_; }

  // As of the last refresh.
  [[nodiscard]] const gp::Layout& layout() const { return layout_; }
  [[nodiscard]] const gp::Inputs& inputs() const { return inputs_; }
  [[nodiscard]] const acquisition::InputScaling& scaling() const { return scaling_; }
  [[nodiscard]] const numeric::Vector& z() const { return z_; }
  [[nodiscard]] const Standardizer& standardizer() const { return standardizer_; }

 private:
  void standardise();
  void scale_inputs();

  DataOptions config_;
  gp::Layout layout_;

  // As told, in the order of the tells.
  std::vector<space::Columns> columns_;
  std::vector<double> y_;
  std::vector<double> variances_;  // NaN if unknown; empty while all are unknown
  gp::Index initial_points_ = 0;   // the first ones, told before the first round

  // As the model sees them.
  gp::Inputs inputs_;
  acquisition::InputScaling scaling_;  // from columns to inputs
  Standardizer standardizer_;
  numeric::Vector z_;          // y_ standardised
  std::vector<double> noise_;  // variances of z where known, as in variances_
};

}  // namespace oscbo
