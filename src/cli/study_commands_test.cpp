// Tests of the commands that create, evaluate and show studies.
#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "study_commands_test_support.hpp"

namespace oscbo::cli {
namespace {

// --- new -----------------------------------------------------------------------------------------

TEST_F(StudyCommands, NewTakesItsOwnTemplate) {
  const std::string file = workspace().file("a.toml", printed({"new", "--template"}));
  EXPECT_FALSE(std::filesystem::exists(database()));
  EXPECT_EQ(printed({"new", file}), "reactor: 5 parameters, maximize, 60 evaluations with auto\n");
  const Json status = rows({"status"});
  ASSERT_EQ(status.size(), 1U);
  EXPECT_EQ(status[0].at("study"), "reactor");
}

TEST_F(StudyCommands, NewAndImportCountInTheSingularToo) {
  const std::string file = workspace().file(
      "one.toml",
      "name = \"one\"\nbudget = 1\n\n[parameters.x]\ntype = \"float\"\nlower = 0\nupper = 1\n");
  EXPECT_EQ(printed({"new", file}), "one: 1 parameter, maximize, 1 evaluation with auto\n");
  const std::string table =
      workspace().file("one.csv", "state,value,x\ncomplete,1,0.5\nfailed,,0.25\n");
  EXPECT_EQ(oscbo({"import", "csv", "--storage", database(), "one", table}).out,
            "one: 1 observation, 1 row without a value left out\n");
}

TEST_F(StudyCommands, NewRefusesANameThatIsTaken) {
  make(study_text());
  static_cast<void>(printed({"ask", "reactor"}));
  expect_refused({"new", workspace().file("again.toml", study_text("goal = \"minimize\""))}, 5,
                 "there is a study 'reactor' already");
  EXPECT_EQ(rows({"status"})[0].at("goal"), "maximize");
  EXPECT_EQ(rows({"trials", "reactor"}).size(), 1U);
}

TEST_F(StudyCommands, NewNamesFileLineAndField) {
  const auto refused = [&](const std::string& text, const std::string& message) {
    const std::string file = workspace().file("bad.toml", text);
    expect_refused({"new", file}, 3, "oscbo: " + file + ":" + message);
  };
  refused(study_text("goal = \"best\""), "3: goal: \"best\" is not accepted");
  refused(study_text("budgte = 9"), "3: budgte: ");
  refused(study_text("seed = -1"), "3: seed: ");
  refused(study_text("", "[parameters.y]\ntype = \"float\"\nlower = 2\nupper = 1\n"), "14: ");
  refused(study_text("", "[program]\ncommand = [\"p\", \"{z}\"]\n"), "15: program.command");
  refused("name = \"reactor\nbudget = 4\n", "1: ");
  const std::string file = workspace().file("bad.toml", study_text("method = \"nothing\""));
  expect_refused({"new", file}, 4, file + ":3: method: ");
  EXPECT_FALSE(std::filesystem::exists(database())) << "a refused file creates nothing";
}

TEST_F(StudyCommands, NewNamesAFileThatCannotBeRead) {
  expect_refused({"new", workspace() / "nothing.toml"}, 6, "nothing.toml: cannot be read");
  expect_refused({"new", workspace() / ""}, 6, "cannot be read");
  expect_refused({"new"}, 2, "a study file is required");
}

// --- ask, tell and queue -------------------------------------------------------------------------

TEST_F(StudyCommands, AskPrintsAPointInEveryFormat) {
  make(study_text());
  const Json row = rows({"ask", "reactor"}).at(0);
  EXPECT_EQ(row.at("trial"), 1);
  EXPECT_GE(row.at("x"), 0.0);
  EXPECT_LE(row.at("x"), 1.0);
  EXPECT_TRUE(row.at("kind") == "a" || row.at("kind") == "b") << row;
  EXPECT_TRUE(row.at("mean").is_null()) << "there is no model yet";
  EXPECT_FALSE(row.at("token").get<std::string>().empty());
  const std::string csv = printed({"ask", "reactor", "--format", "csv"});
  EXPECT_TRUE(csv.starts_with("trial,x,kind,mean,sd,token\n2,")) << csv;
  EXPECT_TRUE(printed({"ask", "reactor"}).starts_with("trial "));
}

TEST_F(StudyCommands, AskKeepsGivenValuesAndAnswersARequestOnce) {
  make(study_text());
  for (const Json& row : rows({"ask", "reactor", "-n", "3", "--given", "kind=b"})) {
    EXPECT_EQ(row.at("kind"), "b");
  }
  const Arguments request = {"ask", "reactor", "-n", "2", "--worker", "me", "--request", "r"};
  const Json first = rows(request);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_NE(first[0].at("trial"), first[1].at("trial"));
  EXPECT_EQ(rows(request), first);
  expect_refused({"ask", "reactor", "--given", "kind=c"}, 3, "'c' is not accepted");
  expect_refused({"ask", "reactor", "--given", "z=1"}, 4, "'z' is not declared");
  expect_refused({"ask", "reactor", "--given", "kind"}, 3, "use NAME=VALUE");
  expect_refused({"ask", "reactor", "-n", "0"}, 2, "--count");
  EXPECT_EQ(rows({"trials", "reactor"}).size(), 5U) << "a refused request stores nothing";
}

TEST_F(StudyCommands, AskShowsParametersWithAllDigits) {
  make(
      "name = \"exact\"\n[parameters.big]\ntype = \"int\"\nlower = 1\nupper = 10000000\n"
      "[parameters.level]\ntype = \"float\"\nlower = 0\nupper = 1\nstep = 0.1\n"
      "[parameters.x]\ntype = \"float\"\nlower = 0\nupper = 1\n"
      "[parameters.stir]\ntype = \"bool\"\n");
  static_cast<void>(
      printed({"queue", "exact", "big=1234567", "level=0.3", "x=0.123456789", "stir=true"}));
  const std::string table = printed({"ask", "exact"});
  EXPECT_TRUE(contains(table, "1234567    0.3  0.123456789  true")) << table;
  const Json row = rows({"trials", "exact"}).at(0);
  EXPECT_TRUE(row.at("big").is_number_integer());
  EXPECT_EQ(row.at("level"), 0.3);
  EXPECT_EQ(row.at("stir"), true);
}

TEST_F(StudyCommands, AskWithGivenValuesLeavesTheQueueAlone) {
  make(study_text());
  static_cast<void>(printed({"queue", "reactor", "x=0.25", "kind=b"}));
  EXPECT_EQ(rows({"ask", "reactor", "--given", "kind=a"}).at(0).at("kind"), "a");
  EXPECT_EQ(rows({"ask", "reactor"}).at(0).at("x"), 0.25);
  expect_refused({"ask", "reactor", "--given", "kind=a", "--given", "kind=b"}, 3, "given twice");
}

TEST_F(StudyCommands, AskReportsThatAllPointsAreTaken) {
  make("name = \"reactor\"\n[parameters.stir]\ntype = \"bool\"\n");
  EXPECT_EQ(rows({"ask", "reactor", "-n", "2"}).size(), 2U);
  expect_refused({"ask", "reactor"}, 7, "all 2 points");
}

TEST_F(StudyCommands, TellStoresAValueOnce) {
  make(study_text());
  const std::string token = rows({"ask", "reactor"}).at(0).at("token");
  EXPECT_EQ(printed({"tell", "reactor", "1", "-1.5", "--variance", "0.25"}), "trial 1: complete\n");
  expect_refused({"tell", "reactor", "1", "2"}, 5, "1 is complete already: -1.5");
  EXPECT_EQ(printed({"tell", "reactor", "1", "-1.5", "--token", token}),
            "trial 1: had been told this value already\n");
  EXPECT_EQ(printed({"tell", "reactor", "1", "3e0", "--token", token}),
            "trial 1: had a value already; this one is stored as a further observation of its "
            "point\n");
  expect_refused({"tell", "reactor", "1", "3", "--token", "mistyped"}, 4, "token: 'mistyped'");
  const Json trials = rows({"trials", "reactor"});
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].at("value"), -1.5);
  EXPECT_EQ(trials[1].at("value"), 3.0);
  EXPECT_EQ(trials[1].at("x"), trials[0].at("x"));
}

TEST_F(StudyCommands, TellStoresFailuresAndAbandonedTrials) {
  make(study_text());
  static_cast<void>(printed({"ask", "reactor", "-n", "3"}));
  EXPECT_EQ(printed({"tell", "reactor", "1", "--failed", "the pump stopped"}), "trial 1: failed\n");
  EXPECT_EQ(printed({"tell", "reactor", "2", "--abandoned", "no time"}), "trial 2: abandoned\n");
  const Json trials = rows({"trials", "reactor"});
  EXPECT_EQ(trials[0].at("state"), "failed");
  EXPECT_EQ(trials[0].at("reason"), "the pump stopped");
  EXPECT_TRUE(trials[0].at("value").is_null());
  EXPECT_EQ(trials[1].at("state"), "abandoned");
  EXPECT_EQ(trials[2].at("state"), "pending");
  const Json status = rows({"status", "reactor"}).at(0);
  EXPECT_EQ(status.at("failed"), 1);
  EXPECT_EQ(status.at("abandoned"), 1);
  EXPECT_EQ(status.at("pending"), 1);
}

TEST_F(StudyCommands, TellStoresIntermediateValuesAndPrintsWhetherToGoOn) {
  make(study_text("", "[pruning]\nkind = \"median\"\nleast_trials = 1\n"));
  static_cast<void>(printed({"ask", "reactor", "-n", "2"}));
  EXPECT_EQ(printed({"tell", "reactor", "1", "5", "--step", "1"}), "trial 1: go on\n");
  EXPECT_EQ(printed({"tell", "reactor", "2", "3", "--step", "1"}), "trial 2: give up\n");
  EXPECT_EQ(rows({"trials", "reactor"})[1].at("state"), "pending");
  expect_refused({"tell", "reactor", "2", "--step", "1", "--failed", "no"}, 2, "--step");
  const Outcome exported = oscbo({"export", "json", "--storage", database(), "reactor"});
  const Json study = Json::parse(exported.out);
  EXPECT_EQ(study.at("reports").at(0), Json::parse(R"({"trial": 1, "step": 1, "value": 5.0})"));
}

TEST_F(StudyCommands, TellAttachesNotes) {
  make(study_text());
  static_cast<void>(printed({"ask", "reactor"}));
  EXPECT_EQ(printed({"tell", "reactor", "1", "--note", "new pump"}), "trial 1: noted\n");
  EXPECT_EQ(printed({"tell", "reactor", "1", "2", "--attribute", "batch=a=7"}),
            "trial 1: complete\n");
  expect_refused({"tell", "reactor", "1", "--attribute", "batch"}, 3, "--attribute: 'batch'");
  expect_refused({"tell", "reactor", "2", "--note", "of none"}, 4, "no trial 2");
  const std::string explained = printed({"explain", "reactor", "1"});
  EXPECT_TRUE(contains(explained, "new pump")) << explained;
  EXPECT_TRUE(contains(explained, "a=7")) << explained;
}

TEST_F(StudyCommands, TellRefusesInvalidValues) {
  make(study_text());
  static_cast<void>(printed({"ask", "reactor"}));
  expect_refused({"tell", "reactor", "1"}, 2, "give a value, --failed or --abandoned");
  expect_refused({"tell", "reactor", "1", "2", "--failed", "no"}, 2, "give a value");
  expect_refused({"tell", "reactor", "1", "nan"}, 3, "nan");
  expect_refused({"tell", "reactor", "1", "1,5"}, 2, "'1,5' is not accepted; use a decimal number");
  expect_refused({"tell", "reactor", "1", "0x10"}, 2, "'0x10' is not accepted");
  expect_refused({"tell", "reactor", "1", "1", "--variance", "-1"}, 3, "variance");
  expect_refused({"tell", "reactor", "7", "1"}, 4, "'reactor' has no trial 7");
  expect_refused({"tell", "reactor", "one", "1"}, 2, "one");
  for (const char* const octal : {"01", "0x1", "+1"}) {
    expect_refused({"tell", "reactor", octal, "1"}, 2, "decimal digits");
  }
  EXPECT_EQ(rows({"trials", "reactor"})[0].at("state"), "pending");
}

TEST_F(StudyCommands, TellNeedsEveryOutcome) {
  make(study_text("", "[outcomes.cost]\nupper = 3\n"));
  static_cast<void>(printed({"ask", "reactor"}));
  expect_refused({"tell", "reactor", "1", "5"}, 3, "--outcome: cost is missing");
  expect_refused({"tell", "reactor", "1", "5", "--outcome", "price=1"}, 3, "'price=1'");
  expect_refused({"tell", "reactor", "1", "5", "--outcome", "cost=much"}, 3, "'cost=much'");
  expect_refused({"tell", "reactor", "1", "5", "--outcome", "cost"}, 3, "'cost'");
  static_cast<void>(printed({"tell", "reactor", "1", "5", "--outcome", "cost=-2.5"}));
  EXPECT_EQ(rows({"trials", "reactor"})[0].at("cost"), -2.5);
}

TEST_F(StudyCommands, QueueChoosesTheNextPoint) {
  make(study_text());
  EXPECT_EQ(printed({"queue", "reactor", "x=0.25", "kind=b"}), "queued: x=0.25 kind=b\n");
  const Json row = rows({"ask", "reactor"}).at(0);
  EXPECT_EQ(row.at("x"), 0.25);
  EXPECT_EQ(row.at("kind"), "b");
  expect_refused({"queue", "reactor", "x=0.25"}, 3, "point: has no value for kind");
  expect_refused({"queue", "reactor", "x=2", "kind=a"}, 3, "x: '2' is not accepted");
  expect_refused({"queue", "reactor", "x=1", "kind=a", "z=1"}, 4, "'z' is not declared");
  expect_refused({"queue", "reactor"}, 2, "point");
}

// --- looking -------------------------------------------------------------------------------------

TEST_F(StudyCommands, ShowTheResultsOfAModelledStudy) {
  make(study_text("seed = 3", "", "modelled"));
  expect_refused({"best", "modelled"}, 5, "nothing has been told yet");
  expect_refused({"predict", "modelled", "x=0.5", "kind=a"}, 5, "there is none yet");
  expect_refused({"calibration", "modelled"}, 5, "nothing has been predicted");
  const std::string summary = printed({"run", "modelled", "-n", "14", "--", "/bin/echo", "{x}"});

  const Json trials = rows({"trials", "modelled"});
  ASSERT_EQ(trials.size(), 14U);
  EXPECT_TRUE(trials.back().at("mean").is_number());
  EXPECT_GT(trials.back().at("sd"), 0.0);
  EXPECT_TRUE(trials.back().at("covered").is_boolean());
  EXPECT_TRUE(trials[0].at("covered").is_null()) << "the design has no predictions";
  EXPECT_EQ(rows({"trials", "modelled", "--last", "2"}), Json({trials[12], trials[13]}));

  const Json best = rows({"best", "modelled"}).at(0);
  EXPECT_EQ(best.at("value"), best.at("x"));
  EXPECT_EQ(best.at("acceptable"), true);
  EXPECT_TRUE(best.at("mean").is_number());
  EXPECT_EQ(trials.at(best.at("trial").get<std::size_t>() - 1).at("value"), best.at("value"));
  EXPECT_TRUE(printed({"best", "modelled", "--format", "csv"})
                  .starts_with("trial,value,mean,sd,by,acceptable,x,"));

  const Json prediction = rows({"predict", "modelled", "x=0.5", "kind=a"}).at(0);
  EXPECT_LT(prediction.at("lower"), prediction.at("mean"));
  EXPECT_GT(prediction.at("upper"), prediction.at("mean"));
  EXPECT_NEAR(prediction.at("mean").get<double>(), 0.5, 0.5);

  const Json calibration = rows({"calibration", "modelled"});
  ASSERT_GT(calibration.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_LE(calibration[i].at("lower"), calibration[i].at("measured"));
    EXPECT_GE(calibration[i].at("upper"), calibration[i].at("measured"));
  }
  int covered = 0;
  int predicted = 0;
  for (const Json& trial : trials) {
    if (trial.at("covered").is_null()) continue;
    ++predicted;
    covered += trial.at("covered").get<bool>() ? 1 : 0;
  }
  EXPECT_EQ(calibration[0].at("measure"), "in the interval shown");
  EXPECT_DOUBLE_EQ(calibration[0].at("measured"), static_cast<double>(covered) / predicted);
  EXPECT_TRUE(contains(summary, fmt::format("{} of {}", covered, predicted))) << summary;
  EXPECT_EQ(printed({"replay", "modelled", "--verify"}),
            "every suggestion came out as it was stored\n");
  const std::string output = printed({"output", "modelled", "1"});
  EXPECT_TRUE(contains(output, "--- attempt 1: ended with status 0\n")) << output;
  expect_refused({"output", "modelled", "99"}, 4, "no trial 99");
}

TEST_F(StudyCommands, StatusShowsTheProgressOfStudies) {
  make(study_text());
  make(study_text("goal = \"minimize\"", "", "second"));
  static_cast<void>(printed({"ask", "second", "-n", "2"}));
  static_cast<void>(printed({"tell", "second", "1", "1"}));
  EXPECT_EQ(rows({"status"}).size(), 2U);
  const Json second = rows({"status", "second"});
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].at("goal"), "minimize");
  EXPECT_EQ(second[0].at("budget"), 4);
  EXPECT_EQ(second[0].at("best"), 1.0);
  EXPECT_EQ(second[0].at("complete"), 1);
  EXPECT_EQ(second[0].at("pending"), 1);
  expect_refused({"status", "third"}, 4, "'third' is not there; there are reactor, second");
}

TEST_F(StudyCommands, RefuseATrialWithTwoObjectives) {
  make(study_text());
  EXPECT_EQ(call({"ask", "reactor"}).status, 0);
  EXPECT_EQ(call({"tell", "reactor", "1", "0.5"}).status, 0);
  SQLite::Database(database(), SQLite::OPEN_READWRITE)
      .exec("INSERT INTO objectives VALUES (1, 1, 1, 3.0, NULL)");
  for (const Arguments& command : std::vector<Arguments>{{"trials", "reactor"},
                                                         {"best", "reactor"},
                                                         {"status"},
                                                         {"status", "reactor"},
                                                         {"calibration", "reactor"},
                                                         {"replay", "reactor"},
                                                         {"ask", "reactor"}}) {
    SCOPED_TRACE(command.front());
    expect_refused(command, 3, "exactly one objective is accepted, but trial 1 is complete");
  }
  for (const char* const format : {"json", "csv"}) {
    const Outcome exported = oscbo({"export", format, "--storage", database(), "reactor"});
    EXPECT_EQ(exported.status, 3);
    EXPECT_TRUE(contains(exported.err, "exactly one objective is accepted")) << exported.err;
    EXPECT_EQ(exported.out, "");
  }
}

TEST_F(StudyCommands, NameTheExistingStudies) {
  expect_refused({"status"}, 4, database());
  make(study_text());
  for (const Arguments& command : {Arguments{"ask", "rector"},
                                   {"tell", "rector", "1", "1"},
                                   {"best", "rector"},
                                   {"trials", "rector"},
                                   {"run", "rector"},
                                   {"worker", "rector"},
                                   {"calibration", "rector"},
                                   {"replay", "rector", "--verify"},
                                   {"delete", "rector", "--yes"}}) {
    expect_refused(command, 4, "'rector' is not there; there are reactor");
  }
  expect_refused({"ask"}, 2, "study");
}

TEST_F(StudyCommands, DeleteNeedsYes) {
  make(study_text());
  static_cast<void>(printed({"ask", "reactor"}));
  expect_refused({"delete", "reactor"}, 2, "--yes: is required without a terminal");
  EXPECT_EQ(rows({"status"}).size(), 1U);
  EXPECT_EQ(printed({"delete", "reactor", "--yes"}), "deleted reactor\n");
  EXPECT_TRUE(rows({"status"}).empty());
  make(study_text());
  EXPECT_TRUE(rows({"trials", "reactor"}).empty()) << "nothing of the old study is left";
}

// --- where studies are kept ----------------------------------------------------------------------

TEST_F(StudyCommands, RefuseATemporaryStorage) {
  const std::string file = workspace().file("study.toml", study_text());
  const Outcome outcome = oscbo({"new", file, "--storage", ""});
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "the name of a file")) << outcome.err;
}

TEST_F(StudyCommands, ImportAnExportedTable) {
  make(study_text());
  make(study_text("", "", "second"));
  static_cast<void>(printed({"ask", "reactor"}));
  static_cast<void>(printed({"tell", "reactor", "1", "0.1", "--variance", "0.0625"}));
  const std::string table = workspace().file(
      "trials.csv", oscbo({"export", "csv", "--storage", database(), "reactor"}).out);
  EXPECT_EQ(oscbo({"import", "csv", "--storage", database(), "second", table}).status, 0);
  const Json before = rows({"trials", "reactor"}).at(0);
  const Json after = rows({"trials", "second"}).at(0);
  for (const char* const column : {"value", "variance", "x", "kind"}) {
    EXPECT_EQ(before.at(column), after.at(column)) << column;
  }
}

TEST_F(StudyCommands, WorkersRemoveControlCharacters) {
  make(study_text());
  const Outcome outcome = call(
      {"worker", "reactor", "-n", "1", "--", "/bin/sh", "-c", "printf '\\033[2Jgone' >&2; exit 1"});
  EXPECT_TRUE(contains(outcome.err, "[2Jgone")) << outcome.err;
  EXPECT_FALSE(contains(outcome.err, "\x1b")) << outcome.err;
}

TEST_F(StudyCommands, FindTheStorage) {
  make(study_text());
  const std::string in_workspace = "cd '" + (workspace() / "") + "'; ";
  const Outcome named = shell("OSCBO_STORAGE='" + database() + "' $OSCBO status --format csv");
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_TRUE(contains(named.out, "\nreactor,")) << named.out;
  const Outcome overridden =
      shell("export OSCBO_STORAGE=/nonexistent/a.db; $OSCBO status --storage '" + database() + "'");
  EXPECT_EQ(overridden.status, 0) << overridden.err;
  EXPECT_EQ(shell("OSCBO_STORAGE=/nonexistent/a.db $OSCBO status").status, 4);
  EXPECT_EQ(shell(in_workspace + "$OSCBO new study.toml && [ -e oscbo.db ]").status, 0);
  EXPECT_EQ(shell(in_workspace + "OSCBO_STORAGE= $OSCBO status reactor").status, 0);
}

TEST_F(StudyCommands, LeaveOtherFilesUnchanged) {
  const std::string file = workspace().file("notes.txt", "these are not studies, but notes\n");
  const std::string text = workspace().file("a.toml", study_text());
  for (const Arguments& command :
       {Arguments{"status", "--storage", file}, {"new", text, "--storage", file}}) {
    const Outcome outcome = oscbo(command);
    EXPECT_EQ(outcome.status, 6) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, file)) << outcome.err;
  }
  EXPECT_EQ(file_text(file), "these are not studies, but notes\n");
  EXPECT_EQ(oscbo({"new", text, "--storage", "/nonexistent/a.db"}).status, 6);
}

TEST_F(StudyCommands, AskPrintsThePointsItGotBeforeRunningOut) {
  make("name = \"two\"\n[parameters.kind]\ntype = \"categorical\"\nvalues = [\"a\", \"b\"]\n");
  const Outcome outcome =
      oscbo({"ask", "two", "-n", "3", "--format", "csv", "--storage", database()});
  EXPECT_EQ(outcome.status, 7) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "\n1,")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\n2,")) << outcome.out;
}

// --- run and worker ------------------------------------------------------------------------------

TEST_F(StudyCommands, RunEvaluatesUpToTheBudget) {
  make(study_text("method = \"sobol\"", "[program]\ncommand = [\"/bin/echo\", \"{x}\"]\n"));
  const Json summary = rows({"run", "reactor", "--jobs", "3"});
  EXPECT_EQ(summary_entry(summary, "ended because"), "the budget of 4 evaluations is used up");
  EXPECT_EQ(summary_entry(summary, "points in this run"), 4);
  EXPECT_EQ(summary_entry(summary, "complete"), 4);
  EXPECT_EQ(summary_entry(summary, "failed"), 0);
  EXPECT_EQ(summary_entry(summary, "best value"), rows({"best", "reactor"})[0].at("value"));
  for (const Json& trial : rows({"trials", "reactor"})) {
    EXPECT_EQ(trial.at("value"), trial.at("x"));
    EXPECT_TRUE(contains(trial.at("worker"), ":")) << "host:pid";
  }
  EXPECT_EQ(summary_entry(rows({"run", "reactor"}), "points in this run"), 0);
  EXPECT_EQ(summary_entry(rows({"run", "reactor", "-n", "2"}), "points in this run"), 2);
}

TEST_F(StudyCommands, RunTakesAProgramAfterTheMark) {
  make(study_text());
  expect_refused({"run", "reactor"}, 2, "'reactor' declares no program; name one after --");
  const std::string all = workspace() / "all";
  const Json summary =
      rows({"run",  "reactor", "-n",      "1",    "--worker",
            "me",   "--",      "/bin/sh", "-c",   R"(printf '<%s>' "$@" > "$0"; echo 1)",
            all,    "--jobs",  "7",       "best", "[a,b]",
            "[]",   "",        "a b",     "--",   "%%",
            "{{}}", "-n"});
  EXPECT_EQ(summary_entry(summary, "complete"), 1);
  EXPECT_EQ(file_text(all), "<--jobs><7><best><[a,b]><[]><><a b><--><%%><{}><-n>");
  EXPECT_EQ(rows({"trials", "reactor"})[0].at("worker"), "me");
  expect_refused({"run", "reactor", "--jbos", "2", "--", "/bin/true"}, 2, "--jbos");
}

TEST_F(StudyCommands, RunCountsFailures) {
  make(study_text());
  const Outcome outcome =
      call({"run", "reactor", "--format", "json", "--", "/bin/sh", "-c", "echo 1; exit 3"});
  EXPECT_EQ(outcome.status, 5) << "no evaluation returned a value";
  EXPECT_TRUE(contains(outcome.err, "no evaluation returned a value; 'oscbo output reactor 4'"));
  const Json summary = Json::parse(outcome.out);
  EXPECT_EQ(summary_entry(summary, "failed"), 4);
  EXPECT_EQ(summary_entry(summary, "complete"), 0);
  EXPECT_TRUE(summary_entry(summary, "best value").is_null());
  EXPECT_EQ(rows({"trials", "reactor"})[0].at("reason"), "ended with status 3");
}

TEST_F(StudyCommands, RunFailsNoTrialIfTheProgramIsMissing) {
  make(study_text());
  expect_refused({"run", "reactor", "--jobs", "2", "--", "/nonexistent/program"}, 6,
                 "program: '/nonexistent/program' could not be started: No such file");
  EXPECT_EQ(rows({"status"})[0].at("failed"), 0);
  expect_refused({"run", "reactor", "--", "/bin/echo", "{z}"}, 3, "{z} is not a parameter");
}

TEST_F(StudyCommands, ReleaseTheirTrialsWhenInterrupted) {
  make(study_text());
  for (const auto& [command, signal] :
       {std::pair{"run", SIGINT}, {"worker", SIGTERM}, {"worker", SIGHUP}}) {
    std::filesystem::remove(workspace() / command);
    const Process process(
        oscbo_command(stored({command, "reactor", "--", "/bin/sh", "-c", endless(command)})));
    EXPECT_TRUE(appears(command));
    process.signal(signal);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.status, 130) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "interrupted; all values told so far are kept"))
        << outcome.err;
    const Json trials = rows({"trials", "reactor"});
    ASSERT_EQ(trials.size(), 1U) << "the second run starts with the trial released by the first";
    EXPECT_EQ(trials[0].at("state"), "pending");
  }
  static_cast<void>(printed({"run", "reactor", "-n", "1", "--", "/bin/echo", "{trial}"}));
  const Json trials = rows({"trials", "reactor"});
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0].at("value"), 1.0);
}

TEST_F(StudyCommands, WorkersShareAStudyAndReportTheirTrials) {
  make(study_text());
  // Neither worker ends its first trial before the other has started one.
  const std::string at = workspace() / "at-";
  const std::string script = fmt::format(
      "touch {0}$1; i=0; until [ -e {0}1 ] && [ -e {0}2 ]; do i=$((i+1)); "
      "[ $i -lt 1500 ] || exit 9; sleep 0.02; done; echo $1",
      at);
  const auto worker = [&](const std::string& name) {
    return oscbo_command(stored(
        {"worker", "reactor", "--worker", name, "--", "/bin/sh", "-c", script, "sh", "{trial}"}));
  };
  const Process first(worker("first"));
  const Process second(worker("second"));
  const Outcome outcomes[] = {first.wait(), second.wait()};
  const std::string said = outcomes[0].err + outcomes[1].err;
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(contains(outcome.err, " evaluations; the budget of 4 evaluations is used up\n") ||
                contains(outcome.err, "1 evaluation; the budget of 4 evaluations is used up\n"))
        << outcome.err;
  }
  std::set<std::string> workers;
  for (const Json& trial : rows({"trials", "reactor"})) {
    EXPECT_EQ(trial.at("value"), trial.at("trial"));
    EXPECT_TRUE(contains(said, fmt::format("trial {0}: {0}\n", trial.at("trial").get<int>())))
        << said;
    workers.insert(trial.at("worker"));
  }
  EXPECT_EQ(workers, (std::set<std::string>{"first", "second"}));
}

// --- hostile text --------------------------------------------------------------------------------

TEST_F(StudyCommands, TreatTextAsText) {
  const std::string harm = workspace() / "harm";
  const std::vector<std::string> texts = {"$(touch " + harm + ")",
                                          "'; touch " + harm + "; '",
                                          "a\nb",
                                          "--jobs",
                                          "[a,b]",
                                          "{x}",
                                          "\xc3\xa4",
                                          "'); DROP TABLE trials; --"};
  make(study_text("method = \"sobol\"",
                  "[parameters.text]\ntype = \"categorical\"\nvalues = " + Json(texts).dump() +
                      "\n[program]\ncommand = [\"/bin/sh\", \"-c\", "
                      "'printf \"%s\\n1\\n\" \"$1\" > \"$0\"; echo 1', '" +
                      (workspace() / "got") + "', '{text}']\n"));
  for (const std::string& text : texts) {
    static_cast<void>(printed({"queue", "reactor", "x=0.5", "kind=a", "text=" + text}));
    static_cast<void>(printed({"run", "reactor", "-n", "1", "--worker", text}));
    EXPECT_EQ(file_text(workspace() / "got"), text + "\n1\n");
    const Json row = rows({"trials", "reactor", "--last", "1"}).at(0);
    EXPECT_EQ(row.at("value"), 1.0) << row;
    EXPECT_EQ(row.at("text"), text);
    EXPECT_EQ(row.at("worker"), text);
    const Json asked = rows({"ask", "reactor", "--worker", text, "--given", "text=" + text}).at(0);
    EXPECT_EQ(asked.at("text"), text);
    static_cast<void>(printed(
        {"tell", "reactor", std::to_string(asked.at("trial").get<int>()), "--failed", text}));
    EXPECT_EQ(rows({"trials", "reactor", "--last", "1"}).at(0).at("reason"), text);
    expect_refused({"best", text}, text == "--jobs" ? 2 : 4, text == "--jobs" ? text : "not there");
  }
  EXPECT_FALSE(std::filesystem::exists(harm));
  EXPECT_EQ(rows({"status"})[0].at("complete"), texts.size());
  EXPECT_EQ(rows({"status"})[0].at("failed"), texts.size());
}

TEST_F(StudyCommands, ShowAnyTextOnOneLine) {
  make(study_text());
  static_cast<void>(printed({"ask", "reactor", "--worker", "a\nb\x1b[2Jc"}));
  static_cast<void>(printed({"tell", "reactor", "1", "--failed", "\xff, a\rb"}));
  const std::string table = printed({"trials", "reactor"});
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3) << table;
  EXPECT_FALSE(contains(table, "\x1b")) << table;
  EXPECT_FALSE(contains(table, "\r")) << table;
  const Json row = rows({"trials", "reactor"}).at(0);
  EXPECT_EQ(row.at("worker"), "a\nb\x1b[2Jc") << "other programs get the text unchanged";
  EXPECT_EQ(row.at("reason"), "\xef\xbf\xbd, a\rb") << "bytes that JSON cannot hold are replaced";
}

TEST_F(StudyCommands, AcceptStudiesNamedLikeCommands) {
  for (const std::string name : {"run", "best", "worker"}) {
    make(study_text("method = \"sobol\"", "", name));
    static_cast<void>(printed({"run", name, "--", "/bin/echo", "1"}));
    EXPECT_EQ(rows({"status", name})[0].at("complete"), 4);
    EXPECT_EQ(rows({"best", name})[0].at("value"), 1.0);
  }
}

}  // namespace
}  // namespace oscbo::cli
