#include "optimizer/quantity_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "optimizer/data_options.hpp"

namespace oscbo {

using acquisition::InputScaling;
using numeric::Index;

namespace {

/// scaling_to_range maps the range of the data to [0, 1]. Only parameters with a single column are
/// scaled.
InputScaling scaling_to_range(const std::vector<space::Columns>& points, const gp::Layout& layout) {
  InputScaling scaling = InputScaling::identity(layout.columns());
  for (Index p = 0; p < layout.parameters(); ++p) {
    if (!layout[p].is_plain()) continue;
    const Index k = layout[p].first;
    const auto by_column = [column = static_cast<std::size_t>(k)](const space::Columns& a,
                                                                  const space::Columns& b) {
      return a[column] < b[column];
    };
    const auto [low, high] = std::minmax_element(points.begin(), points.end(), by_column);
    const double lowest = (*low)[static_cast<std::size_t>(k)];
    const double range = (*high)[static_cast<std::size_t>(k)] - lowest;
    if (range <= 1e-14) continue;  // all values are equal, so there is no scale to learn
    scaling.offset[k] = lowest;
    scaling.range[k] = range;
  }
  return scaling;
}

}  // namespace

QuantityData::QuantityData(const DataOptions& config, const gp::Layout& layout,
                           Index expected_points)
    : config_(config),
      layout_(layout),
      inputs_(layout.columns(), expected_points),
      scaling_(InputScaling::identity(layout.columns())) {}

Index QuantityData::add(space::Columns columns, double y, std::optional<double> variance) {
  columns_.push_back(std::move(columns));
  y_.push_back(y);
  if (variance || !variances_.empty()) {
    variances_.resize(y_.size(), std::numeric_limits<double>::quiet_NaN());
    if (variance) variances_.back() = *variance;
  }
  return static_cast<Index>(y_.size()) - 1;
}

void QuantityData::refresh() {
  if (y_.empty()) return;
  standardise();
  scale_inputs();
}

Standardizer QuantityData::statistics() const {
  switch (config_.standardise) {
    case DataOptions::Standardise::each_round: return Standardizer::of(y_);
    case DataOptions::Standardise::initial_only: {
      const auto initial = static_cast<std::size_t>(std::max<Index>(initial_points_, 1));
      return Standardizer::of(std::span(y_).first(initial));
    }
    case DataOptions::Standardise::none: break;
  }
  return {};
}

void QuantityData::standardise() {
  standardizer_ = statistics();
  z_.resize(static_cast<Index>(y_.size()));
  // If the statistics do not follow the data, a score may have any size. The limit keeps squares
  // finite.
  constexpr double kLargestScore = 1e150;
  for (std::size_t i = 0; i < y_.size(); ++i) {
    z_[static_cast<Index>(i)] =
        std::clamp(standardizer_.to_z(y_[i]), -kLargestScore, kLargestScore);
  }
  noise_.resize(variances_.size());
  // An observation with this much noise carries no information.
  constexpr double kLargestNoise = 1e12;
  std::transform(variances_.begin(), variances_.end(), noise_.begin(), [&](double variance) {
    return std::isnan(variance) ? variance
                                : std::min(standardizer_.variance_to_z(variance), kLargestNoise);
  });
}

/// scale_inputs appends the inputs of new points, or scales all points again if the scaling follows
/// the data.
void QuantityData::scale_inputs() {
  if (config_.inputs == DataOptions::Inputs::data) {
    scaling_ = scaling_to_range(columns_, layout_);
    inputs_ = gp::Inputs(layout_.columns(), static_cast<Index>(columns_.size()));
  }
  for (auto i = static_cast<std::size_t>(inputs_.size()); i < columns_.size(); ++i) {
    inputs_.append(scaling_.to_input(columns_[i]).entries());
  }
}

learners::Observations QuantityData::observations(std::optional<Index> best, int pending) const {
  return {.inputs = inputs_,
          .y = z_,
          .initial_points = initial_points_,
          .known_noise = noise_,
          .best = best,
          .pending = pending};
}

std::optional<double> QuantityData::mean_known_noise() const {
  double sum = 0.0;
  double count = 0.0;
  for (const double variance : noise_) {
    if (std::isnan(variance)) continue;
    sum += variance;
    ++count;
  }
  if (count == 0.0) return std::nullopt;
  return sum / count;
}

bool QuantityData::has_told_noise() const {
  return std::any_of(variances_.begin(), variances_.end(),
                     [](double variance) { return variance > 0.0; });
}

}  // namespace oscbo
