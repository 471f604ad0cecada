#include "acquisition/merit.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/normal.hpp"

namespace oscbo::acquisition {
namespace {

/// Calls use(model, value_of) for the objective and for each limit. value_of(moments) is its part
/// of the merit.
template <class Objective, class Use>
void for_each_part(const std::optional<Objective>& objective, const std::vector<Limit>& limits,
                   const Use& use) {
  if (objective) {
    use(objective->model, [&](const prediction::Moments& moments) {
      return value_at(objective->acquisition, moments);
    });
  }
  for (const Limit& limit : limits) {
    use(limit.model, [&](const prediction::Moments& moments) { return limit.weight(moments); });
  }
}

}  // namespace

void ScaledModel::place(const numeric::PaddedMatrix& columns,
                        prediction::PredictionBatch& batch) const {
  batch.resize(columns.rows(), columns.columns());
  scaling.to_inputs(columns, batch.points);
}

// Each end contributes log Phi(u) with u = (mean - lower) / sd or u = (upper - mean) / sd.
AcquisitionValue Limit::weight(const prediction::Moments& moments) const {
  const double variance = moments.variance + added_variance;
  const double sd = std::sqrt(variance);
  AcquisitionValue sum;
  const auto add = [&](double distance, double sign) {
    if (std::isinf(distance)) return;
    const double u = distance / sd;
    const double slope = numeric::log_normal_cdf_slope(u);
    sum.value += numeric::log_normal_cdf(u);
    sum.mean_slope += sign * slope / sd;
    sum.variance_slope -= 0.5 * slope * u / variance;
  };
  add(moments.mean - lower, 1.0);
  add(upper - moments.mean, -1.0);
  return sum;
}

Vector Merit::values(const numeric::PaddedMatrix& points) {
  Vector values = Vector::Zero(points.rows());
  for_each_part(objective_, limits_, [&](const ScaledModel& part, const auto& value_of) {
    part.place(points, batch_);
    part.model->at_batch(batch_);
    for (Index i = 0; i < points.rows(); ++i) {
      values[i] += value_of({.mean = batch_.means[i], .variance = batch_.variances[i]}).value;
    }
  });
  return values;
}

Vector Merit::spreads(const numeric::PaddedMatrix& points) {
  const ScaledModel& part = objective_ ? objective_->model : limits_.front().model;
  part.place(points, batch_);
  part.model->at_batch(batch_);
  return batch_.variances.head(points.rows());
}

void Merit::evaluate(std::span<Point> points) {
  if (points.empty()) return;
  const Index columns = points.front().columns.vector().size();
  while (predictions_.size() < points.size()) predictions_.emplace_back(columns);
  for (Point& point : points) {
    point.value = 0.0;
    point.gradient.setZero(columns);
  }
  for_each_part(objective_, limits_, [&](const ScaledModel& part, const auto& value_of) {
    for (std::size_t p = 0; p < points.size(); ++p) {
      predictions_[p].x = part.scaling.to_input(points[p].columns).vector();
    }
    part.model->predict(std::span(predictions_).first(points.size()));
    for (std::size_t p = 0; p < points.size(); ++p) {
      const prediction::LocalPrediction& prediction = predictions_[p];
      const AcquisitionValue value = value_of(prediction.moments);
      points[p].value += value.value;
      for (Index k = 0; k < columns; ++k) {
        const auto entry = static_cast<std::size_t>(k);
        points[p].gradient[k] += (value.mean_slope * prediction.mean_gradient[entry] +
                                  value.variance_slope * prediction.variance_gradient[entry]) /
                                 part.scaling.range[k];
      }
    }
  });
}

Index Merit::size() const {
  Index largest = objective_ ? objective_->model.model->size() : 0;
  for (const Limit& limit : limits_) largest = std::max(largest, limit.model.model->size());
  return largest;
}

}  // namespace oscbo::acquisition
