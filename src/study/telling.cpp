#include "study/telling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "optimizer/input_checks.hpp"
#include "study/pruning.hpp"
#include "study/rows.hpp"

namespace oscbo::study {

using storage::ObjectiveRow;
using storage::TrialRow;
using storage::Writer;

namespace {

/// The worker under which late values are stored: values that arrive after another worker has
/// finished the trial.
constexpr const char* kLateWorker = "late";

/// values_text returns the values of the objectives as text. They are part of the key of a late
/// value.
std::string values_text(const std::vector<ObjectiveRow>& objectives) {
  std::vector<double> values;
  values.reserve(objectives.size());
  for (const ObjectiveRow& objective : objectives) values.push_back(objective.value);
  return fmt::format("{}", fmt::join(values, " "));
}

[[noreturn]] void refuse_finished(const TrialRow& trial) {
  const std::string values = values_text(trial.objectives);
  throw Error(ErrorCode::conflict, "trial",
              fmt::format("{} is {} already{}{}", trial.number, to_string(trial.state),
                          values.empty() ? "" : ": ", values));
}

bool has_values(const TrialRow& trial, const Measurement& measurement) {
  return std::equal(trial.objectives.begin(), trial.objectives.end(), measurement.y.begin(),
                    measurement.y.end(),
                    [](const ObjectiveRow& told, double y) { return told.value == y; });
}

/// check_token refuses an unknown token. A mistyped token must not count as that of a late worker.
void check_token(Writer& writer, const TrialRow& trial, const std::string& token) {
  if (token.empty() || writer.was_handed_out(trial.study, trial.number, token)) return;
  throw Error(
      ErrorCode::unknown_name, "token",
      fmt::format("'{}' is not one that trial {} was handed out with", token, trial.number));
}

bool is_held(const TrialRow& trial, const std::string& token) {
  // A trial that was handed back has an empty token and belongs to nobody.
  return trial.state == TrialState::pending && trial.lease && !token.empty() &&
         trial.lease->token == token;
}

/// hand_back takes the trial from its holder. The next ask gets it.
void hand_back(Writer& writer, TrialRow trial) {
  trial.lease->deadline = 0;
  trial.lease->token.clear();
  writer.update(trial);
}

void check_reports(std::span<const IntermediateValue> values) {
  for (const auto& [step, value] : values) {
    if (!std::isfinite(value)) {
      throw Error(ErrorCode::invalid_value, "value", fmt::format("{} is not finite", value));
    }
    if (step < 0) {
      throw Error(ErrorCode::invalid_value, "step", fmt::format("{} is negative", step));
    }
  }
}

/// insert_report adds a report to the reports of its trial, which are ordered by step.
void insert_report(std::vector<IntermediateValue>& reports, const IntermediateValue& report) {
  const auto place = std::lower_bound(
      reports.begin(), reports.end(), report.step,
      [](const IntermediateValue& each, std::int64_t step) { return each.step < step; });
  if (place != reports.end() && place->step == report.step) {
    place->value = report.value;
  } else {
    reports.insert(place, report);
  }
}

}  // namespace

bool Telling::renew(TrialNumber number, const std::string& token, double lease_seconds) const {
  bool is_renewed = false;
  record_.storage->write([&](Writer& writer) {
    std::optional<TrialRow> trial = writer.trial(record_.row.key, number);
    if (!trial || !is_held(*trial, token)) return;
    trial->lease->deadline = deadline_after(writer, lease_seconds);
    writer.update(*trial);
    is_renewed = true;
  });
  return is_renewed;
}

Told Telling::tell(TrialNumber number, const std::string& token, const Measurement& measurement,
                   const Attributes& attributes) const {
  check_measurement(measurement, record_.declaration.objectives(), record_.space);
  Told told = Told::accepted;
  record_.storage->write([&](Writer& writer) {
    TrialRow trial = find_trial(record_, writer, number);
    check_token(writer, trial, token);
    TrialNumber holder = number;  // the trial that gets the value
    if (trial.state == TrialState::pending) {
      if (trial.lease && !token.empty()) trial.lease->token = token;  // the worker that finished it
      finish(writer, std::move(trial), measurement);
    } else {
      if (token.empty()) refuse_finished(trial);
      // A late value is stored only once. Its token and its value identify it.
      const std::string values = values_text(objective_rows(measurement));
      const std::string late = fmt::format("{} {}", token, values);
      const bool is_same =
          (trial.lease && trial.lease->token == token && has_values(trial, measurement)) ||
          writer.handout(record_.row.key, kLateWorker, late).has_value();
      told = is_same ? Told::again : Told::extra;
      if (is_same) return;
      holder = add_observation(writer, *trial.x, measurement);
      writer.add(record_.row.key,
                 storage::HandoutRow{
                     .trial = holder, .token = token, .worker = kLateWorker, .request = late});
    }
    for (const auto& [key, value] : attributes) attach(writer, holder, key, value);
  });
  return told;
}

bool Telling::tell_failed(TrialNumber number, const std::string& token,
                          const std::string& reason) const {
  bool is_tried_again = false;
  record_.storage->write([&](Writer& writer) {
    TrialRow trial = find_trial(record_, writer, number);
    check_token(writer, trial, token);
    const bool is_holder = trial.lease && trial.lease->token == token && !token.empty();
    if (trial.state != TrialState::pending) {
      if (token.empty()) refuse_finished(trial);
      return;
    }
    if (!token.empty() && !is_holder) {
      is_tried_again = true;  // another worker is evaluating it
      return;
    }
    if (is_holder && trial.failures < record_.declaration.program.retries) {
      ++trial.failures;
      hand_back(writer, std::move(trial));
      is_tried_again = true;
      return;
    }
    end_without_value(writer, std::move(trial), TrialState::failed, reason);
  });
  return is_tried_again;
}

void Telling::release(TrialNumber number, const std::string& token) const {
  record_.storage->write([&](Writer& writer) {
    TrialRow trial = find_trial(record_, writer, number);
    if (!is_held(trial, token)) return;
    --trial.attempts;
    hand_back(writer, std::move(trial));
  });
}

void Telling::give_up(TrialNumber number, const std::string& token,
                      const std::string& reason) const {
  record_.storage->write([&](Writer& writer) {
    TrialRow trial = find_trial(record_, writer, number);
    if (!is_held(trial, token)) return;
    end_without_value(writer, std::move(trial), TrialState::failed, reason);
  });
}

bool Telling::report(TrialNumber number, const std::string& token,
                     std::span<const IntermediateValue> values) const {
  check_reports(values);
  bool should_end = false;
  record_.storage->write([&](Writer& writer) {
    const TrialRow trial = find_trial(record_, writer, number);
    check_token(writer, trial, token);
    if (token.empty() && trial.state != TrialState::pending) refuse_finished(trial);
    if (!token.empty() && !is_held(trial, token)) return;  // another worker has it now
    std::vector<IntermediateValue> own;
    for (const auto& [of, step, value] : writer.reports(record_.row.key, number)) {
      own.push_back({.step = step, .value = value});
    }
    const std::optional<std::int64_t> judged =
        own.empty() ? std::nullopt : std::optional(own.back().step);
    const ReportedByOthers others = [&](std::int64_t first, std::int64_t last) {
      return writer.reported_by_others(record_.row.key, number, first, last);
    };
    for (const IntermediateValue& report : values) {
      writer.set(record_.row.key, {.trial = number, .step = report.step, .value = report.value});
      insert_report(own, report);
    }
    should_end =
        should_give_up(record_.declaration.pruning, record_.declaration.goal, own, judged, others);
  });
  return should_end;
}

void Telling::set_attribute(TrialNumber number, const std::string& key,
                            const std::string& value) const {
  record_.storage->write([&](Writer& writer) {
    static_cast<void>(find_trial(record_, writer, number));
    attach(writer, number, key, value);
  });
}

void Telling::attach(Writer& writer, TrialNumber number, const std::string& key,
                     const std::string& value) const {
  writer.set(record_.row.key, storage::AttributeRow{.trial = number, .key = key, .value = value});
}

void Telling::keep_output(TrialNumber number, const ProgramOutput& output) const {
  record_.storage->write([&](Writer& writer) {
    static_cast<void>(find_trial(record_, writer, number));
    writer.add(record_.row.key, storage::OutputRow{.trial = number,
                                                   .attempt = output.attempt,
                                                   .output = output.output,
                                                   .errors = output.errors,
                                                   .ending = output.ending});
  });
}

void Telling::end(const std::optional<std::string>& reason) const {
  record_.storage->write([&](Writer& writer) { writer.end_study(record_.row.key, reason); });
}

void Telling::check(std::span<const Study::Observation> observations) const {
  for (const Study::Observation& observation : observations) {
    record_.space.check(observation.x);
    check_measurement(observation.measurement, record_.declaration.objectives(), record_.space);
  }
}

void Telling::add(std::span<const Study::Observation> observations) const {
  check(observations);
  record_.storage->write([&](Writer& writer) { add(writer, observations); });
}

void Telling::add(Writer& writer, std::span<const Study::Observation> observations) const {
  for (const auto& [x, measurement] : observations) add_observation(writer, x, measurement);
}

TrialNumber Telling::add(std::span<const double> x, const Measurement& measurement) const {
  const Study::Observation observation{.x = {x.begin(), x.end()}, .measurement = measurement};
  check({&observation, 1});
  TrialNumber number = 0;
  record_.storage->write(
      [&](Writer& writer) { number = add_observation(writer, observation.x, measurement); });
  return number;
}

void Telling::abandon(TrialNumber number, const std::string& reason) const {
  record_.storage->write([&](Writer& writer) {
    TrialRow trial = find_trial(record_, writer, number);
    if (trial.state != TrialState::pending) refuse_finished(trial);
    end_without_value(writer, std::move(trial), TrialState::abandoned, reason);
  });
}

void Telling::queue(std::span<const double> x) const {
  record_.space.check(x);
  record_.storage->write([&](Writer& writer) {
    writer.append(
        {.study = record_.row.key, .kind = "queue", .x = std::vector<double>(x.begin(), x.end())});
  });
}

void Telling::finish(Writer& writer, TrialRow trial, const Measurement& measurement) const {
  trial.state = TrialState::complete;
  trial.objectives = objective_rows(measurement);
  trial.outcomes = measurement.outcomes;
  writer.update(trial);
  writer.append({.study = record_.row.key, .kind = "tell", .trial = trial.number});
}

TrialNumber Telling::add_observation(Writer& writer, std::vector<double> x,
                                     const Measurement& measurement) const {
  const TrialNumber number = writer.add(TrialRow{.study = record_.row.key,
                                                 .state = TrialState::complete,
                                                 .x = std::move(x),
                                                 .objectives = objective_rows(measurement),
                                                 .outcomes = measurement.outcomes});
  writer.append({.study = record_.row.key, .kind = "extra", .trial = number});
  return number;
}

}  // namespace oscbo::study
