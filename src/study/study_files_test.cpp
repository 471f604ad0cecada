// Observations imported from tables and from Optuna.
#include "oscbo/study_files.hpp"

#include <cmath>
#include <sstream>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "study/study_test_support.hpp"

namespace oscbo::study {
namespace {

using test::declaration;
using test::expect_error;

// --- tables --------------------------------------------------------------------------------------

std::vector<Study::Observation> read_csv(const std::string& text, const Space& space) {
  std::istringstream stream(text);
  return trials_from_csv(stream, "t.csv", space).observations;
}

Space conditional_space() {
  SpaceDeclaration space = declaration().space;
  space.parameters.push_back({.name = "only_b", .when = Condition{"kind", {"b"}}});
  space.outcomes = {{.name = "cost", .upper = 3.0}};
  return Space(space);
}

TEST(ObservationsFromCsv, AreRowsInAnyOrderOfColumns) {
  const auto observations = read_csv(
      "value,kind,x,cost,only_b,variance\n"
      "1.5,b,0.25,2,0.75,0.1\n"
      "-2,a,1,4,,\n",
      conditional_space());
  ASSERT_EQ(observations.size(), 2U);
  EXPECT_EQ(observations[0].x, (std::vector{0.25, 1.0, 0.75}));
  EXPECT_EQ(observations[0].measurement.y, 1.5);
  EXPECT_EQ(observations[0].measurement.variance, 0.1);
  EXPECT_EQ(observations[0].measurement.outcomes, std::vector{2.0});
  EXPECT_TRUE(std::isnan(observations[1].x[2]));
  EXPECT_FALSE(observations[1].measurement.variance.front());
}

TEST(ObservationsFromCsv, AreTheCompleteOnesOfAnExport) {
  const auto observations = read_csv(
      "trial,state,value,x,kind,mean,sd,covered,worker,reason\n"
      "1,complete,3,0.5,a,,,,w,\n"
      "2,pending,,0.6,a,,,,w,\n"
      "3,failed,,0.7,a,,,,w,broke\n",
      Space(declaration().space));
  ASSERT_EQ(observations.size(), 1U);
  EXPECT_EQ(observations[0].measurement.y, 3.0);
}

TEST(ObservationsFromCsv, MayHaveTheEmptyNameOfACategory) {
  SpaceDeclaration space = declaration().space;
  space.parameters.push_back(
      {.name = "flag", .kind = ParameterKind::categorical, .values = {"-v", ""}});
  const auto observations = read_csv("value,kind,x,flag\n1.5,b,0.25,\n", Space(space));
  EXPECT_EQ(observations.at(0).x.at(2), 1.0);
}

TEST(ObservationsFromCsv, SayWhereTheyAreWrong) {
  const Space space(declaration().space);
  const auto refused = [&](const std::string& csv, const std::string& text) {
    expect_error([&] { static_cast<void>(read_csv(csv, space)); }, ErrorCode::invalid_value, text);
  };
  refused("x,kind\n1,a\n", "no column 'value'");
  refused("x,value\n1,2\n", "no column 'kind'");
  refused("x,kind,value,colour\n1,a,2,red\n", "column 'colour' is not known");
  refused("x,kind,value\n0.5,a,1\n0.5,d,2\n", "line 3, column 2 (kind)");
  refused("x,kind,value\n0.5,a,nan\n", "line 2, column 3 (value)");
  refused("x,kind,value\n0.5,a,\n", "line 2, column 3 (value)");
  refused("x,kind,value\n0.5,a,\"1,5\"\n", "'1,5' is not a finite number");
  refused("x,kind,value,variance\n0.5,a,1,-1\n", "line 2, column 4 (variance)");
  refused("x,kind,value\n7,a,1\n", "line 2");
  refused("x,kind,value\n,a,1\n", "line 2, column 1 (x): is empty");
  refused("x,kind,value,state\n0.5,a,1,done\n", "line 2, column 4 (state): 'done' is not accepted");
  refused("x,kind,value\n0.5,\"a,1\n", "line 2: a quote is not closed");
}

TEST(ObservationsFromCsv, MayHaveLinesInQuotes) {
  SpaceDeclaration declared = declaration().space;
  declared.parameters[1].values = {"two\nlines", "b"};
  const auto observations = read_csv(
      "x,kind,value,reason\n0.5,\"two\nlines\",1,\"\"\n0.25,b,2,\"a\nb\nc\"\n", Space(declared));
  ASSERT_EQ(observations.size(), 2U);
  EXPECT_EQ(observations[0].x, (std::vector{0.5, 0.0}));
  EXPECT_EQ(observations[1].x, (std::vector{0.25, 1.0}));
  expect_error(
      [&] {
        static_cast<void>(read_csv("x,kind,value\n0.5,\"two\nlines\",1\n2,b,1\n", Space(declared)));
      },
      ErrorCode::invalid_value, "line 4");
}

using ImportedStudies = test::StudyTest;

TEST_F(ImportedStudies, TakeAllRowsOrNone) {
  Study study = create(declaration());
  const std::vector<Study::Observation> bad = {{.x = {0.5, 1.0}, .measurement = {.y = 1.0}},
                                               {.x = {0.5, 9.0}, .measurement = {.y = 1.0}}};
  expect_error([&] { study.add(bad); }, ErrorCode::invalid_value, "kind");
  EXPECT_TRUE(study.trials().empty());
  study.add(std::span(bad).first(1));
  EXPECT_EQ(study.best().trial.y(), 1.0);
  expect_error([&] { static_cast<void>(study.explain(1)); }, ErrorCode::conflict, "without having");
}

// --- Optuna --------------------------------------------------------------------------------------

/// A database with those tables of Optuna 3 that are read.
class OptunaStudies : public test::StudyTest {
 protected:
  void SetUp() override {
    StudyTest::SetUp();
    run("CREATE TABLE studies (study_id INTEGER PRIMARY KEY, study_name VARCHAR(512));"
        "CREATE TABLE study_directions (study_id INTEGER, direction VARCHAR(8), objective INTEGER);"
        "CREATE TABLE trials (trial_id INTEGER PRIMARY KEY, number INTEGER, study_id INTEGER, "
        "  state VARCHAR(8));"
        "CREATE TABLE trial_params (param_id INTEGER PRIMARY KEY, trial_id INTEGER, "
        "  param_name VARCHAR(512), param_value FLOAT, distribution_json TEXT);"
        "CREATE TABLE trial_values (trial_id INTEGER, objective INTEGER, value FLOAT, "
        "  value_type VARCHAR(7));"
        "INSERT INTO studies VALUES (1, 'tuning');"
        "INSERT INTO study_directions VALUES (1, 'MINIMIZE', 0);");
  }

  void run(const std::string& sql) const {
    SQLite::Database(optuna().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(sql);
  }

  void add_trial(int number, const std::string& state, const std::string& value) const {
    run(
        fmt::format("INSERT INTO trials VALUES ({0}, {0}, 1, '{1}');"
                    "INSERT INTO trial_values VALUES ({0}, 0, {2}, 'FINITE');",
                    number, state, value));
  }

  void add_parameter(int trial, const std::string& name, double value,
                     const std::string& distribution, const std::string& attributes) const {
    run(
        fmt::format("INSERT INTO trial_params (trial_id, param_name, param_value, "
                    "distribution_json) VALUES ({}, '{}', {}, '{{\"name\": \"{}\", "
                    "\"attributes\": {{{}}}}}');",
                    trial, name, value, distribution, attributes));
  }

  [[nodiscard]] std::filesystem::path optuna() const { return directory() / "optuna.db"; }
};

TEST_F(OptunaStudies, ComeWithTheirParametersAndCompleteTrials) {
  for (const int trial : {1, 2}) {
    add_trial(trial, "COMPLETE", fmt::format("{}.5", trial));
    add_parameter(trial, "x", 0.25 * trial, "FloatDistribution",
                  R"("step": null, "low": -2.0, "high": 2.0, "log": false)");
    add_parameter(trial, "rate", 0.01, "FloatDistribution",
                  R"("step": null, "low": 1e-05, "high": 0.1, "log": true)");
    add_parameter(trial, "old", 4, "IntUniformDistribution", R"("low": 0, "high": 8, "step": 2)");
    add_parameter(trial, "n", 5, "IntDistribution",
                  R"("log": true, "step": 1, "low": 1, "high": 64)");
    add_parameter(trial, "kind", 2, "CategoricalDistribution", R"("choices": ["a", null, 3])");
    add_parameter(trial, "one", 0, "CategoricalDistribution", R"("choices": ["only"])");
  }
  add_trial(3, "PRUNED", "9");
  add_trial(4, "FAIL", "9");
  const ForeignStudy foreign = read_optuna(optuna(), "");
  EXPECT_EQ(foreign.declaration.goal, Goal::minimize);
  EXPECT_EQ(foreign.left_out, 2U);
  const Space space(foreign.declaration.space);
  ASSERT_EQ(foreign.observations.size(), 2U);
  EXPECT_EQ(space.describe(foreign.observations[1].x), "x=0.5 rate=0.01 old=4 n=5 kind=3 one=only");
  EXPECT_EQ(foreign.observations[1].measurement.y, 2.5);
  EXPECT_TRUE(space.declaration().parameters[1].log);
  EXPECT_EQ(space.declaration().parameters[2].step, 2.0);
  Study study = create(foreign.declaration);
  study.add(foreign.observations);
  EXPECT_EQ(study.best().trial.y(), 1.5);
}

TEST_F(OptunaStudies, HaveTheWidestOfTheirBounds) {
  const char* const narrow = R"("step": null, "low": 0.0, "high": 1.0, "log": false)";
  const char* const wide = R"("step": null, "low": -1.0, "high": 0.5, "log": false)";
  add_trial(1, "COMPLETE", "1");
  add_parameter(1, "x", 0.9, "FloatDistribution", narrow);
  add_trial(2, "COMPLETE", "2");
  add_parameter(2, "x", -0.9, "FloatDistribution", wide);
  add_trial(3, "COMPLETE", "3");  // has no parameters
  const ForeignStudy foreign = read_optuna(optuna(), "tuning");
  EXPECT_EQ(foreign.declaration.space.parameters.at(0).lower, -1.0);
  EXPECT_EQ(foreign.declaration.space.parameters.at(0).upper, 1.0);
  EXPECT_EQ(foreign.observations.size(), 2U);
  EXPECT_EQ(foreign.left_out, 1U);
}

TEST_F(OptunaStudies, ShowWhenAParameterIsActive) {
  const char* const unit = R"("step": null, "low": 0.0, "high": 1.0, "log": false)";
  for (int trial = 1; trial <= 6; ++trial) {
    add_trial(trial, "COMPLETE", "1");
    const int optimizer = trial % 3;
    add_parameter(trial, "optimizer", optimizer, "CategoricalDistribution",
                  R"("choices": ["adam", "sgd", "momentum"])");
    if (optimizer == 0) continue;
    add_parameter(trial, "decay", 0.5, "FloatDistribution", unit);
    if (optimizer == 2) add_parameter(trial, "momentum", 0.5, "FloatDistribution", unit);
  }
  const ForeignStudy foreign = read_optuna(optuna(), "");
  EXPECT_EQ(foreign.observations.size(), 6U);
  const std::vector<Parameter>& parameters = foreign.declaration.space.parameters;
  ASSERT_EQ(parameters.size(), 3U);
  EXPECT_FALSE(parameters[0].when);
  EXPECT_EQ(parameters[1].when->values, (std::vector<std::string>{"sgd", "momentum"}));
  EXPECT_EQ(parameters[2].when->values, (std::vector<std::string>{"momentum"}));
  add_parameter(3, "momentum", 0.5, "FloatDistribution",
                unit);  // in only one of the trials with adam
  expect_error([&] { static_cast<void>(read_optuna(optuna(), "")); }, ErrorCode::invalid_value,
               "momentum: is missing in 3 of 6 trials");
}

TEST_F(OptunaStudies, AreRefusedWithAReason) {
  const auto refused = [&](const std::string& name, ErrorCode code, const std::string& text) {
    expect_error([&] { static_cast<void>(read_optuna(optuna(), name)); }, code, text);
  };
  refused("", ErrorCode::invalid_value, "no complete trial");
  refused("tunning", ErrorCode::unknown_name, "there are: tuning");
  add_trial(1, "COMPLETE", "1");
  add_parameter(1, "x", 0.9, "StrangeDistribution", "");
  refused("", ErrorCode::invalid_value, "'StrangeDistribution' is not known");
  run("DELETE FROM trial_params");
  add_parameter(1, "x", 0.9, "FloatDistribution", R"("low": 1)");
  refused("", ErrorCode::invalid_value, "no number 'high'");
  run("INSERT INTO study_directions VALUES (1, 'MAXIMIZE', 1)");
  refused("", ErrorCode::invalid_value, "2 objectives");
  run("DROP TABLE trial_params; DELETE FROM study_directions WHERE objective = 1");
  refused("", ErrorCode::io, "not a database of Optuna 3");
  expect_error([&] { static_cast<void>(read_optuna(directory() / "none.db", "")); }, ErrorCode::io,
               "none.db");
}

}  // namespace
}  // namespace oscbo::study
