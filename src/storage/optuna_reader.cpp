#include "storage/optuna_reader.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "oscbo/error.hpp"

namespace oscbo::storage {
namespace {

struct Named {
  std::int64_t key = 0;
  std::string name;
};

Named choose(SQLite::Database& database, const std::string& wanted) {
  std::vector<Named> studies;
  SQLite::Statement query(database, "SELECT study_id, study_name FROM studies ORDER BY study_id");
  while (query.executeStep()) {
    studies.push_back(
        {.key = query.getColumn(0).getInt64(), .name = query.getColumn(1).getString()});
  }
  if (wanted.empty() && studies.size() == 1) return studies.front();
  std::vector<std::string> names;
  for (const Named& study : studies) {
    if (study.name == wanted) return study;
    names.push_back(study.name);
  }
  const std::string there_are =
      fmt::format("'{}'; there are: {}", database.getFilename(), fmt::join(names, ", "));
  throw Error(ErrorCode::unknown_name, "study",
              wanted.empty() ? fmt::format("choose one of those in {}", there_are)
                             : fmt::format("'{}' is not in {}", wanted, there_are));
}

/// about returns a statement about the study, with :study bound.
SQLite::Statement about(SQLite::Database& database, const Named& study, const char* sql) {
  SQLite::Statement statement(database, sql);
  statement.bind(":study", study.key);
  return statement;
}

OptunaStudy read(SQLite::Database& database, const Named& chosen) {
  OptunaStudy study{.name = chosen.name, .directions = {}, .parameters = {}, .values = {}};
  auto directions = about(database, chosen,
                          "SELECT direction FROM study_directions WHERE study_id = :study "
                          "ORDER BY objective");
  while (directions.executeStep()) study.directions.push_back(directions.getColumn(0).getString());
  auto count = about(database, chosen, "SELECT count(*) FROM trials WHERE study_id = :study");
  count.executeStep();
  study.trials = count.getColumn(0).getInt64();
  auto parameters = about(database, chosen,
                          "SELECT p.trial_id, p.param_name, p.param_value, p.distribution_json "
                          "FROM trial_params p JOIN trials t ON t.trial_id = p.trial_id "
                          "WHERE t.study_id = :study AND t.state = 'COMPLETE' "
                          "ORDER BY t.number, p.param_id");
  while (parameters.executeStep()) {
    study.parameters.push_back({.trial = parameters.getColumn(0).getInt64(),
                                .name = parameters.getColumn(1).getString(),
                                .value = parameters.getColumn(2).getDouble(),
                                .distribution = parameters.getColumn(3).getString()});
  }
  auto values = about(database, chosen,
                      "SELECT v.trial_id, v.value FROM trial_values v "
                      "JOIN trials t ON t.trial_id = v.trial_id "
                      "WHERE t.study_id = :study AND t.state = 'COMPLETE' AND v.objective = 0 "
                      "AND v.value_type = 'FINITE' ORDER BY t.number");
  while (values.executeStep()) {
    study.values.push_back(
        {.trial = values.getColumn(0).getInt64(), .value = values.getColumn(1).getDouble()});
  }
  return study;
}

}  // namespace

OptunaStudy read_optuna_study(const std::filesystem::path& file, const std::string& name) {
  try {
    SQLite::Database database(file.string(), SQLite::OPEN_READONLY);
    return read(database, choose(database, name));
  } catch (const SQLite::Exception& error) {
    throw Error(ErrorCode::io, file.string(),
                fmt::format("is not a database of Optuna 3: {}", error.what()));
  }
}

}  // namespace oscbo::storage
