#include "oscbo/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "acquisition/acquisition_options.hpp"
#include "base/counted.hpp"
#include "numeric/parallel.hpp"
#include "optimizer/data_options.hpp"
#include "optimizer/initial_design.hpp"
#include "optimizer/input_checks.hpp"
#include "optimizer/memory_limit.hpp"
#include "optimizer/next_point.hpp"
#include "optimizer/run_models.hpp"
#include "optimizer/theory_rounds.hpp"
#include "optimizer/trial_history.hpp"
#include "space/widening.hpp"

namespace oscbo {

using numeric::Index;
using numeric::Vector;
using space::Coordinates;

namespace {

const Config& validated(const Config& config) {
  validate(config);
  return config;
}

Space checked(Space space, const Config& config) {
  check_space(space, config);
  return space;
}

std::vector<Objective> checked(std::vector<Objective> objectives) {
  check_objectives(objectives);
  return objectives;
}

/// measurement_of returns the measurement of a tell in the log.
Measurement measurement_of(const Event& event) {
  return {.y = event.y, .variance = event.variance, .outcomes = event.outcomes};
}

}  // namespace

Measurement mean_of(std::span<const double> replicates) {
  if (replicates.size() < 2) {
    throw Error(ErrorCode::invalid_value, "replicates",
                fmt::format("{} {} not accepted; use two at least",
                            base::counted(replicates.size(), "value"),
                            base::by_count(replicates.size(), "is", "are")));
  }
  const auto n = static_cast<double>(replicates.size());
  double mean = 0.0;
  for (const double y : replicates) mean += y / n;
  double squares = 0.0;
  for (const double y : replicates) squares += (y - mean) * (y - mean);
  return {.y = mean, .variance = squares / (n - 1.0) / n};
}

class Optimizer::Impl {
 public:
  Impl(Space space, const Config& config, std::uint64_t seed, std::vector<Objective> objectives)
      : history_(checked(std::move(space), validated(config)), objectives.size()),
        config_(config),
        seed_(seed),
        objectives_(checked(std::move(objectives))),
        models_(config, history_.space(), seed),
        search_(config.get<acquisition::AcquisitionOptions>()) {}

  // --- ask -------------------------------------------------------------------------------------

  /// in_initial_design returns whether the initial design goes on. It ends when enough points have
  /// been asked or told and at least one value is known.
  [[nodiscard]] bool in_initial_design() const {
    return history_.lasting() < static_cast<std::size_t>(config_.initial_points) ||
           models_.objective().data().size() == 0;
  }

  [[nodiscard]] bool has_model() const {
    return !in_initial_design() && !is_control(config_.get<acquisition::AcquisitionOptions>().kind);
  }

  void fit() {
    if (!has_model() || models_.in_round()) return;
    const numeric::ThreadLimit limit(config_.threads);
    models_.fit(rounds_ + 1, pending());
  }

  Suggestion suggest(std::span<const Given> given) {
    const bool is_given = !given.empty();
    if (!is_given && !queue_.empty()) {
      begin_query();
      return open_trial(queue_.front(), is_given);
    }
    const space::Region region = region_of(given);
    if (!has_model()) return open_trial(design_point(region), is_given);
    begin_query();
    const numeric::ThreadLimit limit(config_.threads);
    const NextPoint found = next_point(region);
    Suggestion suggestion = open_trial(region.values(found.u), is_given);
    suggestion.failed_restarts = found.failed_restarts;
    return suggestion;
  }

  /// replay_ask repeats an ask of the log. It does what `suggest` does, without the search.
  void replay_ask(const Event& event) {
    begin_query();
    open_trial(domain().tidy(event.x), event.given);
  }

  void queue(std::span<const double> x) {
    queue_.push_back(domain().tidy(x));
    history_.queue(queue_.back());
  }

  // --- tell ------------------------------------------------------------------------------------

  void tell(TrialId id, const Measurement& measurement) {
    check_measurement(measurement, objectives_, space());
    learn(history_.tell(id, measurement), measurement);
  }

  TrialId tell(std::span<const double> x, const Measurement& measurement) {
    check_measurement(measurement, objectives_, space());
    Trial& trial = history_.tell_extra(domain().tidy(x), measurement);
    learn(trial, measurement);
    return trial.id;
  }

  void tell_failed(TrialId id) {
    history_.fail(id);
    models_.record_failure(columns_of(id));
  }

  TrialId tell_failed(std::span<const double> x) {
    const TrialId id = history_.fail_extra(domain().tidy(x)).id;
    models_.record_failure(columns_of(id));
    return id;
  }

  void abandon(TrialId id) {
    history_.abandon(id);
    models_.end_round();
  }

  /// widen starts the models again, with all observations as their initial data.
  void widen(const Space& space) {
    space::check_holds(space.domain(), domain());
    history_.widen(checked(space, config_));
    models_ = RunModels(config_, history_.space(), seed_);
    for (const Event& event : log()) {
      const bool succeeded =
          event.kind == Event::Kind::tell || event.kind == Event::Kind::tell_extra;
      const bool failed = event.kind == Event::Kind::fail || event.kind == Event::Kind::fail_extra;
      if (!succeeded && !failed) continue;
      const space::Columns columns = columns_of(event.trial);
      Trial unpredicted = trials()[event.trial];
      if (succeeded) {
        models_.record(columns, maximised(measurement_of(event)), /*predictions=*/nullptr,
                       /*before_rounds=*/true, unpredicted);
      } else {
        models_.record_failure(columns);
      }
    }
  }

  // --- what can be read --------------------------------------------------------------------------

  [[nodiscard]] bool is_noisy() const { return models_.objective().is_noisy(); }

  [[nodiscard]] Recommendation recommendation(bool by_mean) const {
    if (models_.objective().data().size() == 0) {
      const bool has_failed = std::any_of(trials().begin(), trials().end(), [](const Trial& trial) {
        return trial.state == TrialState::failed;
      });
      throw Error(ErrorCode::conflict, "recommendation",
                  has_failed ? "every evaluation so far has failed" : "nothing has been told yet");
    }
    std::vector<double> merit = models_.objective().data().y();
    RecommendedBy by = RecommendedBy::observed;
    if (has_model() && by_mean) {
      check_memory(config_, models_.objective().data(), /*is_noisy=*/true);
      Impl fitted(*this);
      fitted.fit();
      const numeric::ThreadLimit limit(config_.threads);
      const QuantityView all =
          fitted.models_.objective().view_of_all(rounds_ + 1, fitted.pending());
      std::copy_n(all.model().fitted_means.begin(), merit.size(), merit.begin());
      by = RecommendedBy::mean;
    }
    const RunModels::Best best = models_.best_of(merit);
    return {.trial = trials()[history_.observed()[static_cast<std::size_t>(best.observation)]],
            .by = by,
            .is_acceptable = best.is_acceptable};
  }

  /// predict returns the predictions of the objective's model in the user's units.
  std::vector<Prediction> predict(std::span<const std::vector<double>> points) {
    std::vector<Prediction> predictions = predict(models_.objective(), points);
    for (Prediction& prediction : predictions) turn_to_users(prediction);
    return predictions;
  }

  std::vector<Prediction> predict_outcome(std::size_t outcome,
                                          std::span<const std::vector<double>> points) {
    return predict(models_.outcome(outcome), points);
  }

  std::vector<Prediction> predict(QuantityModel& quantity,
                                  std::span<const std::vector<double>> points) {
    for (const std::vector<double>& x : points) domain().check(x, "x");
    if (!has_model()) {
      throw Error(ErrorCode::conflict, "model",
                  is_control(config_.get<acquisition::AcquisitionOptions>().kind)
                      ? "there is none: the method chooses points without one"
                      : "there is none yet: the initial design comes first");
    }
    fit();
    const numeric::ThreadLimit limit(config_.threads);
    std::vector<Prediction> predictions;
    predictions.reserve(points.size());
    const QuantityView all = quantity.view_of_all(rounds_ + 1, pending());
    for (const std::vector<double>& x : points) {
      const space::Columns columns = domain().to_columns(domain().to_coordinates(x));
      predictions.push_back(all.in_units_of_y(all.predict(columns)));
    }
    return predictions;
  }

  /// theory returns the theory's view of the run, with the current standardisation and scaling of
  /// the data.
  [[nodiscard]] TheoryReport theory(std::optional<double> reference_lengthscale) const {
    if (!domain().is_box()) {
      throw Error(ErrorCode::invalid_value, "space",
                  "the theory is about boxes of real parameters only");
    }
    if (reference_lengthscale) check_reference(*reference_lengthscale, config_);
    const numeric::ThreadLimit limit(config_.threads);
    const QuantityData current = models_.objective().current_data();
    RunRecord record{.config = config_,
                     .seed = seed_,
                     .inputs = current.inputs(),
                     .z = current.z(),
                     .one_at_a_time = history_.asked_one_at_a_time(),
                     .rounds = {}};
    const std::vector<TrialId>& observed = history_.observed();
    for (std::size_t i = 0; i < observed.size(); ++i) {
      const Trial& trial = trials()[observed[i]];
      if (!trial.feedback()) continue;
      record.rounds.push_back(predicted_round(static_cast<Index>(i), trial));
    }
    return theory_report(record, reference_lengthscale);
  }

  [[nodiscard]] const std::vector<Trial>& trials() const { return history_.trials(); }
  [[nodiscard]] const std::vector<Event>& log() const { return history_.log(); }
  [[nodiscard]] const Space& space() const { return history_.space(); }
  [[nodiscard]] const std::vector<Objective>& objectives() const { return objectives_; }
  [[nodiscard]] const Config& config() const { return config_; }
  [[nodiscard]] int rounds() const { return rounds_; }
  [[nodiscard]] std::size_t model_bytes() const {
    return sizeof(double) * static_cast<std::size_t>(models_.doubles_held());
  }

 private:
  [[nodiscard]] const space::Domain& domain() const { return space().domain(); }
  /// columns_of returns the point of a trial as the models see it.
  [[nodiscard]] space::Columns columns_of(TrialId id) const {
    return domain().to_columns(history_.coordinates(id));
  }

  // --- directions --------------------------------------------------------------------------------
  //
  // Models maximise. Here the told values are converted for the models, and predictions are
  // converted back for the user.

  [[nodiscard]] Measurement maximised(Measurement measurement) const {
    for (std::size_t i = 0; i < objectives_.size(); ++i) {
      measurement.y[i] = objectives_[i].to_maximised(measurement.y[i]);
    }
    return measurement;
  }

  void turn_to_users(Prediction& prediction) const {
    prediction.mean = objectives_.front().from_maximised(prediction.mean);
  }

  // --- refusing ----------------------------------------------------------------------------------

  [[noreturn]] void refuse_exhausted(const space::Region& region) const {
    const std::size_t taken = history_.taken().size();
    const std::string all = taken == 1 ? "the only point that can be found has"
                                       : fmt::format("all {} points that can be found have", taken);
    throw Error(
        ErrorCode::exhausted, "ask",
        (region.is_restricted() ? "all points with these values that can be found have" : all) +
            " been asked or told");
  }

  // --- the next point ----------------------------------------------------------------------------

  [[nodiscard]] space::Region region_of(std::span<const Given> given) const {
    space::Region region(domain());
    for (const auto& [parameter, value] : given) {
      const std::size_t k = space().index(parameter);
      const space::Axis& axis = domain().axis(k);
      if (!axis.accepts(value)) {
        throw Error(ErrorCode::invalid_value, "given." + parameter,
                    fmt::format("{} is not accepted; it must be {}", value, axis.accepted()));
      }
      region.give(k, value);
    }
    for (const auto& [parameter, value] : given) {
      if (region.make_active(space().index(parameter))) continue;
      throw Error(ErrorCode::invalid_value, "given." + parameter,
                  "it is not active with what else is given");
    }
    if (!given.empty() && domain().is_constrained()) check_room(region);
    return region;
  }

  /// check_room refuses given values that no point within the constraints has.
  void check_room(const space::Region& region) const {
    numeric::RandomStream stream(seed_, numeric::Purpose::design_repair, trials().size());
    const std::optional<Coordinates> u =
        region.draw(space::Uniforms(domain().free_parameters(), 0.5), stream);
    if (u) return domain().check(region.values(*u), "given");
    throw Error(ErrorCode::invalid_value, "given",
                "no point of the space has these values: constraints or mixtures exclude them");
  }

  /// design_point returns the next point of the initial design, or of a method without a model. If
  /// that point is taken, another point replaces it.
  [[nodiscard]] std::vector<double> design_point(const space::Region& region) const {
    const std::size_t dimension = domain().free_parameters();
    const auto initial_points = static_cast<std::size_t>(config_.initial_points);
    const space::Uniforms uniforms =
        is_control(config_.get<acquisition::AcquisitionOptions>().kind) &&
                design_asks_ >= initial_points
            ? control_point(config_.get<acquisition::AcquisitionOptions>().kind, dimension,
                            design_asks_, seed_)
            : initial_point(config_.get<DataOptions>().design, dimension, initial_points,
                            design_asks_, seed_);
    numeric::RandomStream stream(seed_, numeric::Purpose::design_repair, design_asks_);
    std::optional<Coordinates> u = region.draw(uniforms, stream);
    if (!u || history_.taken().contains(region, *u)) {
      u = untaken_point(region, history_.taken(), stream);
    }
    if (!u) refuse_exhausted(region);
    return region.values(*u);
  }

  /// next_point returns the point that the acquisition prefers. The model of a round may cover only
  /// a part of the space, so the global model is used if some parameters are given.
  [[nodiscard]] NextPoint next_point(const space::Region& region) {
    std::vector<Coordinates> observed;
    observed.reserve(history_.observed().size());
    for (const TrialId id : history_.observed()) observed.push_back(history_.coordinates(id));
    const NextPointSearch::Query query{.region = region,
                                       .taken = history_.taken(),
                                       .observed = observed,
                                       .seed = seed_,
                                       .step = static_cast<std::uint64_t>(rounds_) + 1};
    const ModelsInForce models =
        region.is_restricted() ? models_.of_all(rounds_ + 1, pending()) : models_.of_round();
    if (const std::optional<NextPoint> found = search_.find(models, query)) return *found;
    numeric::RandomStream stream(seed_, numeric::Purpose::design_repair, trials().size());
    std::optional<Coordinates> u = untaken_point(region, history_.taken(), stream);
    if (!u) refuse_exhausted(region);
    return {.u = *u};
  }

  [[nodiscard]] std::vector<QuantityModel::Pending> pending() const {
    std::vector<QuantityModel::Pending> result;
    for (const Trial& trial : trials()) {
      if (trial.state != TrialState::pending) continue;
      result.push_back({.trial = trial.id, .columns = columns_of(trial.id)});
    }
    return result;
  }

  /// begin_query fits the models, if the method has any, and conditions them on the pending points.
  void begin_query() {
    if (!has_model()) return;
    fit();
    const numeric::ThreadLimit limit(config_.threads);
    models_.condition_on_pending(pending());
  }

  /// open_trial opens a trial at x and records the predictions there before the value is known.
  Suggestion open_trial(std::vector<double> x, bool is_given) {
    const bool is_modelled = has_model();
    const std::vector<QuantityModel::Pending> others = pending();
    const bool is_queued = !is_given && !queue_.empty();
    if (is_queued) {
      queue_.pop_front();
    } else if (!is_modelled) {
      ++design_asks_;
    }
    Trial& trial = history_.ask(std::move(x), is_given);
    Suggestion suggestion{.trial = trial.id, .x = trial.x};
    if (is_modelled) predict(trial, suggestion, is_given || is_queued, others);
    suggestion.stream_step = is_modelled ? rounds_ : static_cast<int>(design_asks_);
    return suggestion;
  }

  /// predict records the predictions at the point of a trial. A point chosen by the user may lie
  /// outside the part of the space that the model of the round covers. It also says nothing about
  /// what a search would have found.
  void predict(Trial& trial, Suggestion& suggestion, bool is_chosen,
               std::span<const QuantityModel::Pending> others) {
    const numeric::ThreadLimit limit(config_.threads);
    ++rounds_;
    const space::Columns columns = columns_of(trial.id);
    const bool is_looked_at = !is_chosen && models_.objective().view().looks_at(columns);
    const ModelsInForce models =
        is_looked_at ? models_.of_round() : models_.of_all(rounds_, others);
    predictions_.emplace(trial.id, models_.predict(models, columns, is_chosen, trial, suggestion));
    turn_to_users(*trial.objectives.front().prediction);
    turn_to_users(*suggestion.prediction);
  }

  // --- observations ------------------------------------------------------------------------------

  /// learn adds the measurement of a trial to the models, and their feedback to the trial.
  void learn(Trial& trial, const Measurement& measurement) {
    const auto predicted = predictions_.find(trial.id);
    models_.record(columns_of(trial.id), maximised(measurement),
                   predicted == predictions_.end() ? nullptr : &predicted->second,
                   /*before_rounds=*/rounds_ == 0, trial);
  }

  // --- theory ------------------------------------------------------------------------------------

  [[nodiscard]] PredictedRound predicted_round(Index point, const Trial& trial) const {
    const ModelPrediction& prediction = predictions_.at(trial.id).objective;
    return {.point = point,
            .beta = prediction.beta,
            .variance = prediction.moments.variance,
            .noise_variance = prediction.noise_variance,
            .prior_variance = prediction.prior_variance,
            .unit = prediction.standardizer.length_from_z(1.0),
            .residual = std::abs(*trial.y() - trial.prediction()->mean),
            .feedback = *trial.feedback(),
            .information_bound = prediction.information_bound};
  }

  TrialHistory history_;  // with the space

  // How it is run.
  Config config_;
  std::uint64_t seed_;
  std::vector<Objective> objectives_;

  // How far it is.
  std::deque<std::vector<double>> queue_;  // to be asked next
  int rounds_ = 0;
  std::size_t design_asks_ = 0;

  // What is modelled.
  RunModels models_;
  std::map<TrialId, RunModels::Predictions> predictions_;  // of the trials that had some
  NextPointSearch search_;
};

Optimizer::Optimizer(Space space, const Config& config, std::uint64_t seed,
                     std::vector<Objective> objectives)
    : impl_(std::make_unique<Impl>(std::move(space), config, seed, std::move(objectives))) {}

Optimizer::Optimizer(const std::vector<Bounds>& bounds, const Config& config, std::uint64_t seed,
                     std::vector<Objective> objectives)
    : Optimizer(Space::of_box(bounds), config, seed, std::move(objectives)) {}

Optimizer::Optimizer(const Optimizer& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Optimizer::Optimizer(Optimizer&& other) noexcept = default;
Optimizer& Optimizer::operator=(const Optimizer& other) {
  if (this != &other) impl_ = std::make_unique<Impl>(*other.impl_);
  return *this;
}
Optimizer& Optimizer::operator=(Optimizer&& other) noexcept = default;
Optimizer::~Optimizer() = default;

Optimizer Optimizer::replay(Space space, const Config& config, std::uint64_t seed,
                            std::span<const Event> log, std::vector<Objective> objectives) {
  Optimizer optimizer(std::move(space), config, seed, std::move(objectives));
  for (const Event& event : log) optimizer.apply(event);
  return optimizer;
}

void Optimizer::apply(const Event& event) {
  const TrialId next = trials().size();
  const bool opens_trial = event.kind == Event::Kind::ask ||
                           event.kind == Event::Kind::tell_extra ||
                           event.kind == Event::Kind::fail_extra;
  if (opens_trial && event.trial != next) {
    throw Error(ErrorCode::invalid_value, fmt::format("log[{}].trial", log().size()),
                fmt::format("{} does not continue the log; {} would", event.trial, next));
  }
  if (opens_trial || event.kind == Event::Kind::queue)
    space().domain().check_recorded(event.x, "x");
  const Measurement measurement = measurement_of(event);
  switch (event.kind) {
    case Event::Kind::ask: impl_->replay_ask(event); break;
    case Event::Kind::tell: tell(event.trial, measurement); break;
    case Event::Kind::tell_extra: impl_->tell(event.x, measurement); break;
    case Event::Kind::fail: tell_failed(event.trial); break;
    case Event::Kind::fail_extra: impl_->tell_failed(event.x); break;
    case Event::Kind::abandon: abandon(event.trial); break;
    case Event::Kind::queue: impl_->queue(event.x); break;
    case Event::Kind::widen: widen(Space::from_json(event.space)); break;
  }
}

TheoryReport theory(const Optimizer& optimizer, std::optional<double> reference_lengthscale) {
  return optimizer.impl_->theory(reference_lengthscale);
}

Suggestion Optimizer::ask(std::span<const Given> given) {
  fit();
  return suggest(given);
}
std::vector<Suggestion> Optimizer::ask(int count) {
  constexpr int kMost = 10000;
  if (count < 1 || count > kMost) {
    throw Error(ErrorCode::invalid_value, "count",
                fmt::format("{} is not accepted; use an integer in [1, {}]", count, kMost));
  }
  std::vector<Suggestion> batch;
  batch.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) batch.push_back(ask());
  return batch;
}
void Optimizer::fit() { impl_->fit(); }
Suggestion Optimizer::suggest(std::span<const Given> given) { return impl_->suggest(given); }
void Optimizer::queue(std::span<const double> x) {
  space().check(x);
  impl_->queue(x);
}
void Optimizer::tell(TrialId trial, double y) { impl_->tell(trial, {.y = y}); }
void Optimizer::tell(TrialId trial, const Measurement& measurement) {
  impl_->tell(trial, measurement);
}
TrialId Optimizer::tell(std::span<const double> x, double y) { return tell(x, {.y = y}); }
TrialId Optimizer::tell(std::span<const double> x, const Measurement& measurement) {
  space().check(x);
  return impl_->tell(x, measurement);
}
void Optimizer::tell_failed(TrialId trial) { impl_->tell_failed(trial); }
TrialId Optimizer::tell_failed(std::span<const double> x) {
  space().check(x);
  return impl_->tell_failed(x);
}
void Optimizer::abandon(TrialId trial) { impl_->abandon(trial); }
void Optimizer::widen(const Space& space) { impl_->widen(space); }
Recommendation Optimizer::recommendation() const {
  return impl_->recommendation(impl_->is_noisy());
}
Recommendation Optimizer::recommendation_by_mean() const { return impl_->recommendation(true); }
const std::vector<Trial>& Optimizer::trials() const noexcept { return impl_->trials(); }
const std::vector<Event>& Optimizer::log() const noexcept { return impl_->log(); }
const Space& Optimizer::space() const noexcept { return impl_->space(); }
const std::vector<Objective>& Optimizer::objectives() const noexcept { return impl_->objectives(); }
const Config& Optimizer::config() const noexcept { return impl_->config(); }
std::size_t Optimizer::model_bytes() const noexcept { return impl_->model_bytes(); }
int Optimizer::rounds() const noexcept { return impl_->rounds(); }
std::vector<Prediction> Optimizer::predict(std::span<const std::vector<double>> points) {
  return impl_->predict(points);
}

Quantities Optimizer::quantities() const noexcept {
  return {.objectives = objectives().size(), .outcomes = space().declaration().outcomes.size()};
}

std::vector<Prediction> Optimizer::predict_quantity(std::size_t quantity,
                                                    std::span<const std::vector<double>> points) {
  const Quantities all = quantities();
  all.check(quantity);
  return all.is_objective(quantity) ? predict(points)
                                    : predict_outcome(all.outcome_of(quantity), points);
}

std::vector<Prediction> Optimizer::predict_outcome(std::size_t outcome,
                                                   std::span<const std::vector<double>> points) {
  return impl_->predict_outcome(outcome, points);
}

}  // namespace oscbo
