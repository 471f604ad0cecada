#include "paper/evolution.hpp"

#include <cmath>
#include <utility>

namespace oscbo::paper {
namespace {

// The authors' settings.
constexpr double kTargetRate = 2.0 / 11.0;
constexpr double kRateSmoothing = 1.0 / 12.0;
constexpr double kRateToAdaptShape = 0.44;

double damping(double dimension) { return 1.0 + dimension / 2.0; }

double shape_learning_rate(double dimension) { return 2.0 / (dimension * dimension + 6.0); }

}  // namespace

double reflected(double coordinate) {
  const double folded = std::fmod(std::abs(coordinate), 2.0);
  return folded > 1.0 ? 2.0 - folded : folded;
}

EvolutionSearch::EvolutionSearch(Eigen::VectorXd start, double value, double step,
                                 numeric::RandomStream stream)
    : best_(std::move(start)),
      best_value_(value),
      step_(step),
      stream_(stream),
      success_rate_(kTargetRate),
      shape_(Eigen::MatrixXd::Identity(best_.size(), best_.size())),
      direction_(best_.size()),
      proposal_(best_.size()) {}

const Eigen::VectorXd& EvolutionSearch::propose() {
  for (double& z : direction_) z = stream_.normal();
  proposal_ = (best_ + step_ * (shape_ * direction_)).unaryExpr(&reflected);
  return proposal_;
}

void EvolutionSearch::learn(double value) {
  const bool moved = value >= best_value_;
  adapt_step(moved);
  if (!moved) return;
  best_ = proposal_;
  best_value_ = value;
  if (success_rate_ < kRateToAdaptShape) adapt_shape();
}

void EvolutionSearch::adapt_step(bool moved) {
  success_rate_ += kRateSmoothing * ((moved ? 1.0 : 0.0) - success_rate_);
  const double surplus = success_rate_ - kTargetRate / (1.0 - kTargetRate) * (1.0 - success_rate_);
  step_ *= std::exp(surplus / damping(static_cast<double>(best_.size())));
}

void EvolutionSearch::adapt_shape() {
  const double rate = shape_learning_rate(static_cast<double>(best_.size()));
  const double kept = std::sqrt(1.0 - rate);
  const double length = direction_.squaredNorm();
  const double stretch = (std::sqrt(1.0 + rate / (kept * kept) * length) - 1.0) / length;
  const Eigen::VectorXd taken = shape_ * direction_;
  shape_ = kept * (shape_ + stretch * taken * direction_.transpose());
}

}  // namespace oscbo::paper
