#include "model/view_models.hpp"

#include <algorithm>

namespace oscbo::model {

ViewModels::ViewModels(const Config& config, const gp::Layout& layout)
    : parameters_(layout.parameters()), mode_(config, layout), schedule_(config) {}

const FittedModel& ViewModels::of_all(const Observations& observations) {
  const Index n = observations.inputs.size();
  if (schedule_.is_due(n)) {
    all_ = of_some(observations, Vector::Ones(parameters_), View::all);
    schedule_.refitted(n);
    base_ = 0;
  } else {
    all_ = keep(observations, View::all);
    base_ = schedule_.last();
  }
  return all_;
}

FittedModel ViewModels::of_some(const Observations& observations, const Vector& sides, View view) {
  return mode_.find(observations, sides, log_theta(view));
}

FittedModel ViewModels::keep(const Observations& observations, View view) {
  return mode_.keep(observations, log_theta(view));
}

Vector ViewModels::lengthscales(View view) {
  const Vector& fitted = log_theta(view);
  if (fitted.size() == 0) return Vector::Ones(parameters_);
  return fitted.head(parameters_).array().exp();
}

void ViewModels::observe(const PredictionFeedback& feedback, bool miss) {
  if (is_of_all(feedback)) schedule_.observe(miss);
}

/// is_of_all compares lengthscales, because they tell which model made a prediction.
bool ViewModels::is_of_all(const PredictionFeedback& feedback) const {
  return std::equal(feedback.theta.begin(), feedback.theta.end(), all_.theta.begin(),
                    all_.theta.begin() + std::min(parameters_, all_.theta.size()));
}

}  // namespace oscbo::model
