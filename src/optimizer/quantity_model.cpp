#include "optimizer/quantity_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "acquisition/acquisition_options.hpp"
#include "learners/fitter.hpp"
#include "online/game_options.hpp"
#include "optimizer/data_options.hpp"
#include "optimizer/memory_limit.hpp"

namespace oscbo {

using model::Scope;
using numeric::Index;

QuantityModel::QuantityModel(const Config& config, const gp::Layout& layout, std::uint64_t seed)
    : config_(config),
      data_(config.get<DataOptions>(), layout, learners::expected_points(config)),
      strategy_(model::make_strategy(config, layout, seed)),
      width_(config, layout.parameters()) {}

// --- observations --------------------------------------------------------------------------------

Index QuantityModel::add(space::Columns columns, double y, std::optional<double> variance) {
  end_round();
  return data_.add(std::move(columns), y, variance);
}

void QuantityModel::observe_unpredicted(Index point, bool before_rounds) {
  const double beta = width_.beta(point);
  if (!before_rounds) {
    strategy_->observe_unasked(point, beta);
    return;
  }
  strategy_->observe_initial(point, beta);
  data_.add_to_initial(point);
}

Feedback QuantityModel::give_feedback(const Prediction& shown, const ModelPrediction& prediction,
                                      double y, std::optional<double> variance, Index point) {
  const Standardizer scale =
      config_.get<DataOptions>().loss_statistics == DataOptions::LossStatistics::before
          ? prediction.standardizer
          : data_.statistics();
  const ModelPrediction judged = variance ? prediction.with_noise(*variance) : prediction;
  Feedback feedback = judge(judged, y, scale, config_.get<online::PrimalOptions>().exponent);
  strategy_->observe_prediction({.point = point,
                                 .theta = shown.lengthscales,
                                 .variance = judged.moments.variance,
                                 .noise_variance = judged.noise_variance,
                                 .beta = judged.beta,
                                 .multiplier = judged.multiplier,
                                 .dual_multiplier = shown.multiplier.value_or(0.0),
                                 .calibration_loss = feedback.calibration_loss});
  violation_ += feedback.calibration_loss;
  feedback.violation = strategy_->game().violation.value_or(violation_);
  return feedback;
}

// --- the model of a round ------------------------------------------------------------------------

void QuantityModel::fit(int round, std::optional<Index> best, int pending) {
  check_memory(config_, data_, is_noisy());
  data_.refresh();
  strategy_->fit(data_.observations(best, pending), round);
  const model::ModelDescription& model = strategy_->model(Scope::round);
  const Index n = data_.inputs().size();
  round_ = {.best = best,
            .pending = pending,
            .beta = width_.beta(n, model.information_gain),
            .information_bound = width_.information_bound(n, model.information_gain),
            .evaluations = model.evaluations,
            .conditioned = {}};
}

void QuantityModel::end_round() {
  strategy_->undo_fit();
  round_.reset();
}

void QuantityModel::keep_fit(std::optional<double> log_improvement) {
  strategy_->keep_fit(log_improvement);
}

int QuantityModel::take_evaluations() { return std::exchange(round_->evaluations, 0); }

void QuantityModel::condition_on_pending(std::span<const Pending> pending) {
  std::vector<TrialId>& conditioned = round_->conditioned;
  QuantityView round = view();
  for (const auto& [trial, columns] : pending) {
    if (std::find(conditioned.begin(), conditioned.end(), trial) != conditioned.end()) continue;
    conditioned.push_back(trial);
    if (round.looks_at(columns)) round.condition_on_pending(columns);
  }
  round_->best_pending = round.best_pending();
}

QuantityView QuantityModel::view() { return view_of(Scope::round, round_->best_pending); }

QuantityView QuantityModel::view_of_all(int round, std::span<const Pending> pending) {
  if (strategy_->model(Scope::round).points.empty()) return view();
  if (round_->conditioned.empty()) pending = {};
  const auto is_known = [&](const Whole& whole) {
    return whole.round == round &&
           std::ranges::equal(whole.conditioned, pending, {}, {}, &Pending::trial);
  };
  if (!round_->whole || !is_known(*round_->whole)) fit_all(round, pending);
  return view_of(Scope::all, round_->whole->best_pending);
}

void QuantityModel::fit_all(int round, std::span<const Pending> pending) {
  strategy_->fit_all(data_.observations(round_->best, round_->pending), round);
  Whole whole{.round = round, .conditioned = {}};
  QuantityView view = view_of(Scope::all, whole.best_pending);
  for (const Pending& point : pending) {
    view.condition_on_pending(point.columns);
    whole.conditioned.push_back(point.trial);
  }
  whole.best_pending = view.best_pending();
  round_->whole = std::move(whole);
}

QuantityView QuantityModel::view_of(Scope scope, double best_pending) {
  return QuantityView({.acquisition = config_.get<acquisition::AcquisitionOptions>(),
                       .data = data_,
                       .model = strategy_->model(scope),
                       .predictor = strategy_->predictor(scope),
                       .game = strategy_->game(),
                       .beta = round_->beta,
                       .information_bound = round_->information_bound,
                       .best = round_->best,
                       .best_pending = best_pending});
}

bool QuantityModel::is_noisy() const { return data_.has_told_noise() || strategy_->finds_noise(); }

QuantityData QuantityModel::current_data() const {
  QuantityData current = data_;
  current.refresh();
  return current;
}

}  // namespace oscbo
