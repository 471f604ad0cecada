#include "study/export_json.hpp"

#include "study/point_json.hpp"
#include "study/record_json.hpp"
#include "study/rows.hpp"

namespace oscbo::study {
namespace {

using text::Json;

Json event_json(const Space& space, const storage::EventRow& row) {
  Json json = {{"sequence", row.sequence}, {"kind", row.kind}, {"at", row.at}};
  put_field(json, "trial", row.trial);
  if (row.kind == "queue" && row.x) json["point"] = point_json(space, *row.x);
  if (!row.text.empty()) json["given"] = text::parse_json(row.text, "given");
  return json;
}

}  // namespace

std::string study_to_json(storage::Reader& reader, const StudyRecord& record) {
  const storage::StudyRow& study = record.row;
  const Space& space = record.space;
  Json json = {{"study", study.name},
               {"declaration", text::parse_json(study.declaration, "declaration")},
               {"build", study.build},
               {"created", study.created}};
  put_field(json, "ended", study.ended);
  json["trials"] = Json::array();
  for (const StudyTrial& trial : study_trials(reader, study.key, record.declaration)) {
    json["trials"].push_back(trial_json(trial, space));
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
  // Text from users need not be UTF-8. Invalid bytes are shown as replacement characters.
  return json.dump(1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace oscbo::study
