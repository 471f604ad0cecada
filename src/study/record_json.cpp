#include "study/record_json.hpp"

#include "oscbo/serialisation.hpp"
#include "study/point_json.hpp"

namespace oscbo {
namespace study {
namespace {

using space::Json;

/// Writes the fields of a trial that are not empty. Points and outcomes have names in the space.
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
    const std::vector<double>& numbers = field.of(trial_);
    if (numbers.empty()) return;
    json_[std::string(field.stored)] =
        field.member == &StudyTrial::x ? point_json(space_, numbers) : outcomes_json(numbers);
  }

 private:
  [[nodiscard]] Json outcomes_json(const std::vector<double>& values) const {
    Json json = Json::object();
    for (std::size_t i = 0; i < values.size(); ++i) {
      json[space_.declaration().outcomes[i].name] = values[i];
    }
    return json;
  }

  Json& json_;
  const StudyTrial& trial_;
  const Space& space_;
};

void add_prediction(Json& predictions, const Prediction& prediction) {
  Json json = {{"quantity", predictions.size()}};
  put_fields(json, prediction);
  predictions.push_back(std::move(json));
}

Json suggestion_json(const StudyTrial& trial) {
  Json json = Json::object();
  put_fields(json, *trial.suggestion);
  Json& predictions = json["predictions"] = Json::array();
  if (trial.prediction) add_prediction(predictions, *trial.prediction);
  for (const Prediction& outcome : trial.outcome_predictions) add_prediction(predictions, outcome);
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
  space::Json json = space::Json::object();
  study::put_fields(json, prediction);
  return json.dump();
}

std::string to_json(const StudyTrial& trial, const Space& space) {
  using space::Json;
  return study::trial_json(trial, space)
      .dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace oscbo
