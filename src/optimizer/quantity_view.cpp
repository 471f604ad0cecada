#include "optimizer/quantity_view.hpp"

#include <algorithm>
#include <cmath>

#include "acquisition/acquisition_options.hpp"

namespace oscbo {

using numeric::Index;

QuantityView::QuantityView(const Parts& parts)
    : parts_(parts),
      units_(
          parts.data.standardizer().then(parts.model.affine.location, parts.model.affine.scale)) {}

bool QuantityView::looks_at(const space::Columns& columns) const {
  if (parts_.model.points.empty()) return true;
  return plan().contains(parts_.data.layout(), scaling().to_input(columns).entries());
}

void QuantityView::condition_on_pending(const space::Columns& columns) {
  const acquisition::ModelInput x = scaling().to_input(columns);
  parts_.best_pending = std::max(parts_.best_pending, parts_.predictor.at(x.entries()).mean);
  parts_.predictor.condition_on_pending(x.entries());
}

double QuantityView::confidence_multiplier() const {
  return parts_.model.multiplier.value_or(std::sqrt(parts_.beta));
}

acquisition::Acquisition QuantityView::acquisition() const {
  const acquisition::AcquisitionOptions::Kind kind =
      parts_.acquisition.kind == acquisition::AcquisitionOptions::Kind::thompson
          ? acquisition::AcquisitionOptions::Kind::ucb
          : parts_.acquisition.kind;
  const double noise = parts_.model.bound_includes_noise ? parts_.model.noise_variance : 0.0;
  return acquisition::make_acquisition(
      kind,
      {.multiplier = confidence_multiplier(), .added_variance = noise, .best = value_to_beat()});
}

/// value_to_beat returns, in the model's units, the best observation or (fitted) the best mean at
/// an observation, plus the margin of the plan. Pending points count with their means.
double QuantityView::value_to_beat() const { return std::max(best_known(), parts_.best_pending); }

double QuantityView::best_known() const {
  const gp::Affine& affine = parts_.model.affine;
  const numeric::Vector& z = parts_.data.z();
  if (parts_.best) return (z[*parts_.best] - affine.location) / affine.scale + plan().margin;
  if (parts_.acquisition.best == acquisition::AcquisitionOptions::Best::observed) {
    return (z.maxCoeff() - affine.location) / affine.scale;
  }
  return parts_.model.fitted_means.maxCoeff() + plan().margin;
}

Index QuantityView::incumbent() const {
  if (parts_.best) return *parts_.best;
  Index best = 0;
  if (parts_.acquisition.best == acquisition::AcquisitionOptions::Best::observed) {
    parts_.data.z().maxCoeff(&best);
    return best;
  }
  parts_.model.fitted_means.maxCoeff(&best);
  const std::vector<Index>& points = parts_.model.points;
  return points.empty() ? best : points[static_cast<std::size_t>(best)];
}

ModelPrediction QuantityView::predict(const space::Columns& columns) const {
  const gp::Moments moments = parts_.predictor.at(scaling().to_input(columns).entries());
  const double inflation = parts_.model.inflation;
  return {.moments = {.mean = moments.mean, .variance = inflation * moments.variance},
          .noise_variance = inflation * expected_noise(),
          .prior_variance = inflation,
          .acquisition = acquisition::value_at(acquisition(), moments).value,
          .log_improvement =
              acquisition::LogExpectedImprovement{.best = value_to_beat()}.at(moments).value,
          .beta = parts_.beta,
          .multiplier = confidence_multiplier(),
          .information_bound = parts_.information_bound,
          .standardizer = units_};
}

/// expected_noise returns the noise variance of a future observation, in the model's units: the
/// mean of the told variances, otherwise the noise variance of the model.
double QuantityView::expected_noise() const {
  const std::optional<double> told = parts_.data.mean_known_noise();
  if (!told) return parts_.model.noise_variance;
  const double scale = parts_.model.affine.scale;
  return std::max(*told / (scale * scale), prediction::kMinimumVariance);
}

Prediction QuantityView::in_units_of_y(const ModelPrediction& prediction) const {
  const Standardizer& units = prediction.standardizer;
  const double sd = prediction.observation_sd();
  return {.mean = units.from_z(prediction.moments.mean),
          .sd = units.length_from_z(std::sqrt(prediction.moments.variance)),
          .width = units.length_from_z(2.0 * std::sqrt(prediction.beta) * sd),
          .observation_sd = units.length_from_z(sd),
          .beta = prediction.beta,
          .acquisition = prediction.acquisition,
          .lengthscales = parts_.model.lengthscales,
          .multiplier = parts_.game.multiplier,
          .phase = parts_.game.phase,
          .jitter = parts_.model.jitter};
}

}  // namespace oscbo
