#include "study/record_json.hpp"

#include <fmt/format.h>

#include "oscbo/error.hpp"
#include "oscbo/serialisation.hpp"
#include "study/point_json.hpp"

namespace oscbo {
namespace study {
namespace {

using text::Json;

const QuantityRecord& only_objective(const StudyTrial& trial) {
  if (trial.objectives.size() == 1) return trial.objectives.front();
  throw Error(ErrorCode::invalid_value, "objectives",
              fmt::format("exactly one objective is accepted, but trial {} has {}", trial.number,
                          trial.objectives.size()));
}

/// Writes the fields of a trial that are not empty. The space provides the names of parameters and
/// outcomes.
class TrialWriter {
 public:
  TrialWriter(Json& json, const StudyTrial& trial, const Space& space)
      : json_(json), trial_(trial), space_(space) {}

  template <class Member>
  void operator()(const Field<StudyTrial, Member>& field) const {
    put_field(json_, field.stored, field.of(trial_));
  }

  void operator()(const Field<StudyTrial, std::string>& field) const {
    const std::string& text = field.of(trial_);
    if (!text.empty()) put_field(json_, field.stored, text);
  }

  void operator()(const Field<StudyTrial, std::vector<double>>& field) const {
    const std::vector<double>& x = field.of(trial_);
    if (!x.empty()) put_field(json_, field.stored, point_json(space_, x));
  }

  void operator()(const Field<StudyTrial, std::vector<QuantityRecord>>& field) const {
    if (field.name == "objectives") {
      const QuantityRecord& objective = only_objective(trial_);
      put_field(json_, field.stored, objective.value);
      put_field(json_, "variance", objective.variance);
    } else {
      const Json outcomes = outcomes_json();
      if (!outcomes.empty()) put_field(json_, field.stored, outcomes);
    }
  }

 private:
  [[nodiscard]] Json outcomes_json() const {
    Json json = Json::object();
    for (std::size_t i = 0; i < trial_.outcomes.size(); ++i) {
      put_field(json, space_.declaration().outcomes[i].name, trial_.outcomes[i].value);
    }
    return json;
  }

  Json& json_;
  const StudyTrial& trial_;
  const Space& space_;
};

Json predictions_json(const StudyTrial& trial) {
  Json predictions = Json::array();
  const Quantities all = quantities_of(trial);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const QuantityRecord& quantity = quantity_of(trial, i);
    if (!quantity.prediction) continue;
    Json json = {{"quantity", i}};
    put_fields(json, *quantity.prediction);
    predictions.push_back(std::move(json));
  }
  return predictions;
}

Json suggestion_json(const StudyTrial& trial) {
  Json json = Json::object();
  put_fields(json, *trial.suggestion);
  json["predictions"] = predictions_json(trial);
  return json;
}

}  // namespace

Json trial_json(const StudyTrial& trial, const Space& space) {
  Json json = Json::object();
  for_each_field<StudyTrial>(TrialWriter(json, trial, space));
  if (trial.suggestion) json["suggestion"] = suggestion_json(trial);
  return json;
}

}  // namespace study

std::string to_json(const Prediction& prediction) {
  text::Json json = text::Json::object();
  study::put_fields(json, prediction);
  return json.dump();
}

std::string to_json(const StudyTrial& trial, const Space& space) {
  using text::Json;
  return study::trial_json(trial, space)
      .dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace oscbo
