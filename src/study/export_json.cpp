#include "study/export_json.hpp"

#include "study/point_json.hpp"

namespace oscbo::study {
namespace {

using text::Json;

template <class Value>
void put(Json& json, const char* name, const std::optional<Value>& value) {
  if (value) json[name] = *value;
}

void put(Json& json, const char* name, const std::string& text) {
  if (!text.empty()) json[name] = text;
}

Json prediction_json(const storage::PredictionRow& row) {
  Json json = {{"quantity", row.quantity},
               {"mean", row.mean},
               {"sd", row.sd},
               {"width", row.width},
               {"observation_sd", row.observation_sd},
               {"beta", row.beta},
               {"acquisition", row.acquisition},
               {"lengthscales", row.lengthscales}};
  put(json, "multiplier", row.multiplier);
  put(json, "phase", row.phase);
  json["jitter"] = row.jitter;
  json["evaluations"] = row.evaluations;
  return json;
}

Json suggestion_json(const storage::SuggestionRow& row) {
  Json json = {{"acceptable", row.acceptable},
               {"succeeds", row.succeeds},
               {"failed_restarts", row.failed_restarts},
               {"stream_step", row.stream_step},
               {"pending_seen", row.pending_seen},
               {"build", row.build},
               {"predictions", Json::array()}};
  for (const storage::PredictionRow& prediction : row.predictions) {
    json["predictions"].push_back(prediction_json(prediction));
  }
  return json;
}

Json trial_json(const Space& space, const storage::TrialRow& row) {
  Json json = {{"trial", row.number}, {"state", to_string(row.state)}};
  if (row.x) json["point"] = point_json(space, *row.x);
  put(json, "value", row.y);
  put(json, "variance", row.variance);
  for (std::size_t i = 0; i < row.outcomes.size(); ++i) {
    json["outcomes"][space.declaration().outcomes[i].name] = row.outcomes[i];
  }
  put(json, "reason", row.reason);
  if (row.lease) put(json, "worker", row.lease->worker);
  json["attempts"] = row.attempts;
  json["created"] = row.created;
  put(json, "finished", row.finished);
  return json;
}

Json event_json(const Space& space, const storage::EventRow& row) {
  Json json = {{"sequence", row.sequence}, {"kind", row.kind}, {"at", row.at}};
  put(json, "trial", row.trial);
  if (row.kind == "queue" && row.x) json["point"] = point_json(space, *row.x);
  if (!row.text.empty()) json["given"] = text::parse_json(row.text, "given");
  return json;
}

}  // namespace

std::string study_to_json(storage::Reader& reader, const storage::StudyRow& study,
                          const Space& space) {
  Json json = {{"study", study.name},
               {"declaration", text::parse_json(study.declaration, "declaration")},
               {"build", study.build},
               {"created", study.created}};
  put(json, "ended", study.ended);
  const auto suggestions = reader.suggestions(study.key, 0);
  auto suggestion = suggestions.begin();
  json["trials"] = Json::array();
  for (const storage::TrialRow& row : reader.trials(study.key, {})) {
    Json trial = trial_json(space, row);
    while (suggestion != suggestions.end() && suggestion->trial < row.number) ++suggestion;
    if (suggestion != suggestions.end() && suggestion->trial == row.number) {
      trial["suggestion"] = suggestion_json(*suggestion);
    }
    json["trials"].push_back(std::move(trial));
  }
  json["log"] = Json::array();
  for (const storage::EventRow& row : reader.events(study.key, 0)) {
    json["log"].push_back(event_json(space, row));
  }
  json["reports"] = Json::array();
  for (const auto& [trial, step, value] : reader.reports(study.key)) {
    json["reports"].push_back({{"trial", trial}, {"step", step}, {"value", value}});
  }
  json["attributes"] = Json::array();
  for (const auto& [trial, key, value] : reader.attributes(study.key)) {
    json["attributes"].push_back({{"trial", trial}, {"key", key}, {"value", value}});
  }
  // Texts of users need not be UTF-8; what is not is shown as such.
  return json.dump(1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace oscbo::study
