#include "optimizer/trial_history.hpp"

#include <utility>

#include <fmt/format.h>

#include "space/domain.hpp"

namespace oscbo {

Trial& TrialHistory::ask(std::vector<double> x, bool is_given) {
  Trial& trial = add(std::move(x));
  log_.push_back({.kind = Event::Kind::ask, .trial = trial.id, .x = trial.x, .given = is_given});
  return trial;
}

Trial& TrialHistory::tell(TrialId id, const Measurement& measurement) {
  return complete(pending(id), Event::Kind::tell, measurement);
}

Trial& TrialHistory::tell_extra(std::vector<double> x, const Measurement& measurement) {
  return complete(add(std::move(x)), Event::Kind::tell_extra, measurement);
}

Trial& TrialHistory::fail(TrialId id) {
  Trial& trial = pending(id);
  log_.push_back({.kind = Event::Kind::fail, .trial = id, .x = trial.x});
  trial.state = TrialState::failed;
  return trial;
}

Trial& TrialHistory::fail_extra(std::vector<double> x) {
  Trial& trial = add(std::move(x));
  log_.push_back({.kind = Event::Kind::fail_extra, .trial = trial.id, .x = trial.x});
  trial.state = TrialState::failed;
  return trial;
}

void TrialHistory::abandon(TrialId id) {
  Trial& trial = pending(id);
  log_.push_back({.kind = Event::Kind::abandon, .trial = id, .x = trial.x});
  trial.state = TrialState::abandoned;
  ++abandoned_;
  taken_.erase(coordinates_[id]);
}

void TrialHistory::queue(std::vector<double> x) {
  log_.push_back({.kind = Event::Kind::queue, .x = std::move(x)});
}

void TrialHistory::widen(Space space) {
  space_ = std::move(space);
  log_.push_back({.kind = Event::Kind::widen, .x = {}, .space = space_.to_json()});
  taken_ = {};
  for (const Trial& trial : trials_) {
    coordinates_[trial.id] = space_.domain().to_coordinates(trial.x);
    if (trial.state != TrialState::abandoned) taken_.insert(coordinates_[trial.id]);
  }
}

bool TrialHistory::asked_one_at_a_time() const {
  std::ptrdiff_t pending = 0;
  for (const Event& event : log_) {
    if (event.kind == Event::Kind::tell) --pending;
    if (event.kind == Event::Kind::ask && pending++ > 0) return false;
  }
  return true;
}

Trial& TrialHistory::add(std::vector<double> x) {
  coordinates_.push_back(space_.domain().to_coordinates(x));
  taken_.insert(coordinates_.back());
  Trial& trial = trials_.emplace_back(Trial{.id = trials_.size(), .x = std::move(x)});
  trial.objectives.resize(objectives_);
  trial.outcomes.resize(space_.declaration().outcomes.size());
  return trial;
}

Trial& TrialHistory::pending(TrialId id) {
  if (id >= trials_.size()) {
    throw Error(ErrorCode::unknown_name, "trial", fmt::format("{} was never asked", id));
  }
  Trial& trial = trials_[id];
  switch (trial.state) {
    case TrialState::pending: break;
    case TrialState::complete:
      throw Error(ErrorCode::conflict, "trial", fmt::format("{} has been told already", id));
    case TrialState::failed:
      throw Error(ErrorCode::conflict, "trial", fmt::format("{} has been told failed", id));
    case TrialState::abandoned:
      throw Error(ErrorCode::conflict, "trial", fmt::format("{} has been abandoned", id));
  }
  return trial;
}

Trial& TrialHistory::complete(Trial& trial, Event::Kind kind, const Measurement& measurement) {
  log_.push_back({.kind = kind,
                  .trial = trial.id,
                  .x = trial.x,
                  .y = measurement.y,
                  .variance = measurement.variance,
                  .outcomes = measurement.outcomes});
  trial.state = TrialState::complete;
  for (std::size_t i = 0; i < objectives_; ++i) {
    trial.objectives[i].value = measurement.y[i];
    trial.objectives[i].variance = measurement.variance[i];
  }
  observed_.push_back(trial.id);
  return trial;
}

}  // namespace oscbo
