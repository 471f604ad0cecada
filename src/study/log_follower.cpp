#include "study/log_follower.hpp"

#include <array>
#include <map>

#include <fmt/format.h>

#include "study/rows.hpp"
#include "study/study_record.hpp"
#include "text/strict_json.hpp"

namespace oscbo::study {
namespace {

/// These names are stored and must never change.
constexpr std::array kKinds = {
    std::pair{Event::Kind::ask, "ask"},          std::pair{Event::Kind::tell, "tell"},
    std::pair{Event::Kind::tell_extra, "extra"}, std::pair{Event::Kind::fail, "fail"},
    std::pair{Event::Kind::abandon, "withdraw"}, std::pair{Event::Kind::queue, "queue"}};

Event::Kind kind_of(const storage::EventRow& row) {
  for (const auto& [kind, name] : kKinds) {
    if (row.kind == name) return kind;
  }
  throw Error(
      ErrorCode::io, "storage",
      fmt::format("entry {} of the log is '{}', which is not known", row.sequence, row.kind));
}

}  // namespace

std::string given_to_text(const std::vector<Given>& given) {
  if (given.empty()) return {};
  std::map<std::string, double> ordered;  // makes equal values give equal text
  for (const auto& [parameter, value] : given) ordered[parameter] = value;
  return text::Json(ordered).dump();
}

std::vector<Given> given_from_text(const std::string& text) {
  std::vector<Given> given;
  if (text.empty()) return given;
  const text::Json json = text::parse_json(text, "given");
  for (const auto& [parameter, value] : json.items()) {
    given.push_back({.parameter = parameter, .value = value.get<double>()});
  }
  return given;
}

LogFollower::LogFollower(const StudyDeclaration& declaration)
    : optimizer_(Space(declaration.space), loaded_config_of(declaration), declaration.seed,
                 declaration.objectives()) {}

const storage::EventRow* LogFollower::follow(std::span<const storage::EventRow> entries) {
  for (const storage::EventRow& row : entries) {
    if (row.sequence <= sequence_) continue;
    const Event event = event_of(row);
    if (event.kind == Event::Kind::ask && !row.x) return &row;
    optimizer_.apply(event);
    applied(row);
  }
  return nullptr;
}

void LogFollower::follow_past_open_asks(std::span<const storage::EventRow> entries) {
  for (const storage::EventRow& row : entries) {
    const bool is_open = row.kind == "ask" && !row.x;
    if (!is_open) static_cast<void>(follow({&row, 1}));
  }
}

Suggestion LogFollower::answer(const storage::EventRow& ask) {
  const std::vector<Given> given = given_from_text(ask.text);
  Suggestion suggestion = optimizer_.ask(given);
  applied(ask);
  return suggestion;
}

std::vector<std::int64_t> LogFollower::pending() const {
  std::vector<std::int64_t> result;
  for (const Trial& trial : optimizer_.trials()) {
    if (trial.state == TrialState::pending) result.push_back(numbers_[trial.id]);
  }
  return result;
}

/// event_of numbers the trials of the optimizer in the order in which the log opens them.
Event LogFollower::event_of(const storage::EventRow& row) const {
  Event event{.kind = kind_of(row), .trial = optimizer_.trials().size(), .x = {}};
  if (row.trial) {
    const auto known = trials_.find(*row.trial);
    if (known != trials_.end()) event.trial = known->second;
  }
  if (row.x) event.x = *row.x;
  if (event.kind == Event::Kind::tell || event.kind == Event::Kind::tell_extra) {
    check_values(optimizer_.quantities(), row.trial.value(), TrialState::complete,
                 row.objectives.size());
  }
  if (!row.objectives.empty()) {
    const Measurement told = measurement_of(row.objectives);
    event.y = told.y;
    event.variance = told.variance;
  }
  event.outcomes = row.outcomes;
  event.given = !row.text.empty();
  return event;
}

void LogFollower::applied(const storage::EventRow& row) {
  sequence_ = row.sequence;
  if (optimizer_.trials().size() == numbers_.size()) return;
  trials_[row.trial.value()] = numbers_.size();
  numbers_.push_back(row.trial.value());
}

}  // namespace oscbo::study
