// Tests of the program: its output, its streams and its exit status.
#include <csignal>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "oscbo/experiment.hpp"
#include "oscbo/problem.hpp"
#include "oscbo/version.hpp"
#include "test_process.hpp"

namespace oscbo::cli {
namespace {

/// Expects that the program refuses the arguments with this status and message and prints nothing
/// to standard output.
void expect_refusal(const Arguments& arguments, int status, std::string_view message) {
  const Outcome outcome = oscbo(arguments);
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("oscbo: ")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, message)) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST(Program, PrintsVersionAndBuild) {
  const Outcome outcome = oscbo({"--version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out,
            "oscbo " + std::string(version()) + '\n' + std::string(build_description()) + '\n');
  EXPECT_EQ(outcome.err, "");
}

TEST(Program, EveryCommandHasHelpWithAnExample) {
  const std::vector<Arguments> commands = {{},
                                           {"demo"},
                                           {"options"},
                                           {"bench", "list"},
                                           {"bench", "eval"},
                                           {"bench", "space"},
                                           {"bench", "run"},
                                           {"bench", "calibration"},
                                           {"bench", "latency"},
                                           {"new"},
                                           {"run"},
                                           {"worker"},
                                           {"ask"},
                                           {"tell"},
                                           {"queue"},
                                           {"best"},
                                           {"predict"},
                                           {"trials"},
                                           {"status"},
                                           {"calibration"},
                                           {"replay"},
                                           {"delete"}};
  for (Arguments command : commands) {
    std::string name = "oscbo";
    for (const std::string& word : command) name += ' ' + word;
    command.emplace_back("--help");
    const Outcome outcome = oscbo(command);
    EXPECT_EQ(outcome.status, 0) << name;
    EXPECT_TRUE(contains(outcome.out, "Usage: " + name)) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "Examples:\n  oscbo ")) << outcome.out;
  }
}

TEST(Program, HelpListsTheExitStatuses) {
  const std::string help = oscbo({"--help"}).out;
  for (const char* line : {"  0    ", "  2    ", "  3    ", "  4    ", "  5    ", "  6    ",
                           "  7    ", "  70   ", "  130  "}) {
    EXPECT_TRUE(contains(help, std::string("\n") + line)) << line;
  }
}

TEST(Program, NamesTheUnexpectedArgument) {
  expect_refusal({}, 2, "see 'oscbo --help'");
  expect_refusal({"bech"}, 2, "'bech' was not expected");
  expect_refusal({"bench"}, 2, "see 'oscbo bench --help'");
  expect_refusal({"bench", "rn"}, 2, "'rn' was not expected");
  expect_refusal({"bench", "run", "--taks", "levy5"}, 2, "'--taks' was not expected");
  expect_refusal({"bench", "list", "--format", "xml"}, 2, "--format");
  expect_refusal({"demo", "--steps", "ten"}, 2, "--steps");
}

TEST(Program, ReportsThatItsOutputCannotBeWritten) {
  const Outcome full = shell("$OSCBO bench list > /dev/full");
  EXPECT_EQ(full.status, 6);
  EXPECT_TRUE(contains(full.err, "No space left on device")) << full.err;
  EXPECT_EQ(shell("$OSCBO bench list >&-").status, 6);
}

TEST(Program, EndsSilentlyWithoutAReader) {
  const TemporaryFolder workspace;
  const std::string pipe = workspace / "pipe";
  // The reader opens the pipe and ends before the program writes.
  const Outcome outcome = shell("mkfifo " + pipe + "; : < " + pipe + " & exec 3> " + pipe +
                                "; wait $!; $OSCBO bench list >&3");
  EXPECT_EQ(outcome.status, 6);
  EXPECT_EQ(outcome.err, "");
}

TEST(List, NamesEveryTaskAndMethodInEveryFormat) {
  std::set<std::string> names;
  for (const ProblemInfo& task : problems()) names.insert(task.name);
  for (const MethodInfo& method : methods()) names.insert(method.name);

  const nlohmann::json rows =
      nlohmann::json::parse(oscbo({"bench", "list", "--format", "json"}).out);
  std::set<std::string> listed;
  for (const nlohmann::json& row : rows) listed.insert(row.at("name").get<std::string>());
  EXPECT_EQ(listed, names);
  EXPECT_TRUE(rows.back().at("domain").is_null());

  const std::string csv = oscbo({"bench", "list", "--format", "csv"}).out;
  EXPECT_TRUE(csv.starts_with("kind,name,domain,meaning\n"));
  EXPECT_TRUE(contains(csv, "\ntask,branin,\"[-5, 10] x [0, 15]\",")) << csv;
  const std::string table = oscbo({"bench", "list"}).out;
  for (const std::string& name : names) EXPECT_TRUE(contains(table, "  " + name + ' ')) << name;
  EXPECT_FALSE(contains(table, " \n")) << "lines have no trailing spaces";
}

TEST(Options, ListsTheDefaultsOfAMethod) {
  const auto rows =
      nlohmann::json::parse(oscbo({"options", "--method", "oscbo-l1", "--format", "json"}).out);
  const std::vector<OptionInfo> expected = run_options({.optimizer = method_config("oscbo-l1")});
  ASSERT_EQ(rows.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(rows[i].at("option"), expected[i].name);
    EXPECT_EQ(rows[i].at("accepted"), expected[i].accepted);
    EXPECT_EQ(rows[i].at("default"), expected[i].default_value);
    EXPECT_EQ(rows[i].at("meaning"), expected[i].meaning);
  }
}

TEST(Options, PrintsADocumentationPage) {
  const std::string page = oscbo({"options", "--format", "markdown"}).out;
  EXPECT_TRUE(page.starts_with("# Options\n\nThis page is generated by ")) << page;
  EXPECT_TRUE(contains(page, "| kernel | matern \\| rbf \\| ibnn | matern | ")) << page;
  EXPECT_TRUE(contains(page, "| kernel.nu | a number in [0.01, 100000] | 2.5 | ")) << page;
}

TEST(Options, RefusesUnknownMethods) {
  expect_refusal({"options", "--method", "nothing"}, 4, "nothing");
}

TEST(Demo, PrintsAResultAndDrawsThePicture) {
  const TemporaryFolder workspace;
  const std::string out = workspace / "pictures";
  const Outcome outcome = oscbo({"demo", "--task", "branin", "--steps", "5", "--out", out});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "") << "progress is shown only on a terminal";
  for (const char* line :
       {"best value", "known optimum", "simple regret", "best point", "coverage",
        "nominal coverage", "mean interval width", "coverage by level", "PIT distance",
        "log score, CRPS", "lengthscale", "time per suggestion", "picture"}) {
    EXPECT_TRUE(contains(outcome.out, std::string("\n") + line)) << line;
  }
  EXPECT_TRUE(contains(outcome.out, out + "/oscbo-demo.svg"));
  EXPECT_TRUE(file_text(out + "/oscbo-demo.svg").starts_with("<svg "));
}

TEST(Demo, ShowsNoCoverageForAMethodWithoutAModel) {
  const TemporaryFolder workspace;
  const Outcome outcome = oscbo({"demo", "--task", "branin", "--method", "random", "--steps", "5",
                                 "--out", workspace / "pictures"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "\nsimple regret")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "coverage")) << outcome.out;
}

TEST(Demo, ShowsOnlyTheFirstOfManyParameters) {
  const TemporaryFolder workspace;
  const Outcome outcome =
      oscbo({"demo", "--task", "levy40", "--steps", "2", "--out", workspace / "pictures"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "... 40 in all")) << outcome.out;
}

TEST(Demo, RefusesInvalidArguments) {
  const TemporaryFolder workspace;
  const std::string file = workspace.file("file", "");
  expect_refusal({"demo", "--task", "levi5"}, 4, "levy");
  expect_refusal({"demo", "--method", "nothing"}, 4, "nothing");
  expect_refusal({"demo", "--steps", "0"}, 3, "--steps");
  expect_refusal({"demo", "--set", "kernel.nu=0"}, 3, "kernel.nu");
  const std::string out = workspace / "pictures";
  expect_refusal({"demo", "--method", "sobol", "--set", "kernel.ard=true", "--out", out}, 3,
                 "kernel.ard");
  EXPECT_FALSE(std::filesystem::exists(out));
  expect_refusal({"demo", "--out", file + "/below"}, 6, "Not a directory");
}

TEST(Eval, PrintsAValuePerPoint) {
  const TemporaryFolder workspace;
  const std::string points =
      workspace.file("points.csv", "x1,x2\n9.42477796076938,2.475\n\n-5,0\r\n +1e0 , 2.5e0");
  const Outcome outcome = oscbo({"bench", "eval", "branin", "--points", points});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Problem branin = make_problem("branin");
  std::string expected;
  for (const std::vector<double>& point :
       {std::vector<double>{9.42477796076938, 2.475}, {-5.0, 0.0}, {1.0, 2.5}}) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.17g\n", branin.value(point));
    expected += text.data();
  }
  EXPECT_EQ(outcome.out, expected);
}

TEST(Eval, ReadsStandardInput) {
  const Outcome outcome = oscbo({"bench", "eval", "levy2", "--points", "-"},
                                "\xEF\xBB\xBF"
                                "a,b\n1,1\n");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NEAR(std::stod(outcome.out), 0.0, 1e-12);
}

struct BadPoints {
  std::string name;
  std::string text;
  std::string message;
};

class EvalRefusal : public testing::TestWithParam<BadPoints> {};

TEST_P(EvalRefusal, NamesFileLineAndColumn) {
  const TemporaryFolder workspace;
  const std::string points = workspace.file("points.csv", GetParam().text);
  expect_refusal({"bench", "eval", "branin", "--points", points}, 3,
                 points + ": " + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Eval, EvalRefusal,
    testing::Values(
        BadPoints{"word", "x,y\n1,2\n3,abc\n", "line 3, column 2 (y): 'abc' is not"},
        BadPoints{"empty_cell", "x,y\n,2\n", "line 2, column 1 (x): '' is not"},
        BadPoints{"half_a_number", "x,y\n1,2x\n", "line 2, column 2 (y): '2x' is not"},
        BadPoints{"nan", "x,y\n1,nan\n", "line 2, column 2 (y): 'nan' is not"},
        BadPoints{"infinity", "x,y\n1,1e999\n", "line 2, column 2 (y): '1e999' is not"},
        BadPoints{"outside", "x,y\n1,2\n\n1,16\n",
                  "line 4, column 2 (y): '16' is not accepted; it must be in [0, 15]"},
        BadPoints{"too_few", "x,y\n1\n", "line 2: has 1 column; the header has 2"},
        BadPoints{"too_many", "x,y\n1,2,3\n", "line 2: has 3 columns; the header has 2"},
        BadPoints{"wrong_header", "x\n1\n", "line 1: has 1 column; the task has 2 parameters"},
        BadPoints{"no_header", "1,2\n3,4\n", "line 1: holds numbers"},
        BadPoints{"empty", "", "has no header row"}),
    [](const auto& test) { return test.param.name; });

constexpr const char* kBarrels =
    "n,theta,r,t,toughness\n6,0,1.5,0.7,1\n12,200,2.5,1.4,2\n12,200,2.5,1.4,4\n";

TEST(Eval, AcceptsATableOfTheUser) {
  const TemporaryFolder workspace;
  const std::string table = workspace.file("mine.csv", "a,b,y\n0,0,1\n2,0,3\n0,4,2\n2,4,8\n");
  const Outcome up =
      oscbo({"bench", "eval", "table:" + table, "--points", "-"}, "a,b\n0,4\n1,0\n1,2\n");
  EXPECT_EQ(up.status, 0) << up.err;
  EXPECT_EQ(up.out, "2\n2\n3.5\n");
  const Outcome down =
      oscbo({"bench", "eval", "table-min:" + table, "--points", "-"}, "a,b\n1,2\n");
  EXPECT_EQ(down.out, "-3.5\n") << down.err;
  expect_refusal({"bench", "eval", "table:" + table + "x", "--points", "-"}, 6, "mine.csvx");
  const std::string bad = workspace.file("bad.csv", "a,b,y\n0,0,1\n2,zero,3\n");
  expect_refusal({"bench", "eval", "table:" + bad, "--points", "-"}, 3,
                 bad + ": line 3, column 2 (b): 'zero' is not a finite number");
}

TEST(Eval, MatchesTheColumnsOfATableByName) {
  const TemporaryFolder workspace;
  const std::string table = workspace.file("mine.csv", "a,b,y\n0,0,1\n2,0,3\n0,4,2\n2,4,8\n");
  const Arguments eval = {"bench", "eval", "table:" + table, "--points", "-"};
  EXPECT_EQ(oscbo(eval, "a,b\n2,0\n0,2\n").out, "3\n1.5\n");
  EXPECT_EQ(oscbo(eval, "b,a\n0,2\n2,0\n").out, "3\n1.5\n");
  EXPECT_EQ(oscbo(eval, "x1,x2\n2,0\n0,2\n").out, "3\n1.5\n")
      << "columns with other names are matched by position";
  const Outcome outside = oscbo(eval, "b,a\n1,3\n");
  EXPECT_TRUE(
      contains(outside.err, "line 2, column 2 (a): '3' is not accepted; it must be in [0, 2]"))
      << outside.err;
  const Outcome some = oscbo(eval, "b,x\n1,1\n");
  EXPECT_EQ(some.status, 3);
  EXPECT_TRUE(contains(some.err, "standard input: line 1: no column is called 'a'; use the names"))
      << some.err;
}

TEST(Eval, FindsTablesInTheDirectoryOfDataOrOfTheEnvironment) {
  const TemporaryFolder workspace;
  const std::string folder = workspace / "";
  static_cast<void>(workspace.file("crossed_barrel.csv", kBarrels));
  const std::string points = workspace.file("points.csv", "n,theta,r,t\n12,200,2.5,1.4\n");
  const std::string eval = "\"$OSCBO\" bench eval crossbarrel4 --points '" + points + "'";
  for (const std::string& command : {"unset OSCBO_DATA; " + eval + " --data '" + folder + "'",
                                     "export OSCBO_DATA=/; " + eval + " --data '" + folder + "'",
                                     "export OSCBO_DATA='" + folder + "'; " + eval}) {
    const Outcome outcome = shell(command);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "3\n") << command;
  }
  const Outcome without = shell("unset OSCBO_DATA; " + eval);
  EXPECT_EQ(without.status, 3);
  EXPECT_TRUE(contains(without.err, "oscbo: --data: crossbarrel4 needs the folder")) << without.err;
  const Outcome elsewhere = shell("export OSCBO_DATA=/; " + eval);
  EXPECT_EQ(elsewhere.status, 6);
  EXPECT_TRUE(contains(elsewhere.err, "'crossed_barrel.csv' or 'Crossed barrel_dataset.csv'"))
      << elsewhere.err;
}

TEST(Eval, NeedsTheDirectoryOfTheEnvironmentOnlyForTables) {
  const std::string eval =
      "export OSCBO_DATA=/nonexistent; printf 'x,y\\n1,1\\n' | \"$OSCBO\" bench eval ";
  const Outcome formula = shell(eval + "levy2 --points -");
  EXPECT_EQ(formula.status, 0) << formula.err;
  const Outcome table = shell(eval + "crossbarrel4 --points -");
  EXPECT_EQ(table.status, 6);
  EXPECT_TRUE(contains(table.err, "oscbo: /nonexistent: is not a folder;")) << table.err;
  EXPECT_TRUE(contains(table.err, "OSCBO_DATA")) << table.err;
}

TEST(Tables, AreTasksOfEveryCommandWithATask) {
  const TemporaryFolder workspace;
  const std::string folder = workspace / "";
  static_cast<void>(workspace.file("crossed_barrel.csv", kBarrels));
  for (const Arguments& command :
       {Arguments{"demo", "--task", "crossbarrel4", "--steps", "2", "--out", folder},
        {"bench", "trace", "crossbarrel4", "--steps", "2"},
        {"bench", "run", "--tasks", "crossbarrel4", "--methods", "random", "--steps", "2",
         "--seeds", "1", "--out", workspace / "results"}}) {
    Arguments with_data = command;
    with_data.insert(with_data.end(), {"--data", folder});
    const Outcome outcome = oscbo(with_data);
    EXPECT_EQ(outcome.status, 0) << command[1] << ": " << outcome.err;
  }
}

TEST(Eval, ReadsNamedValuesAndSkipsInactiveParameters) {
  const Arguments eval = {"bench", "eval", "two-models", "--points", "-"};
  const Outcome outcome = oscbo(eval,
                                "model,u,v,z1,z2,z3\n"
                                "a,3.141592653589793,2.275,,,\n"
                                "b,,,0.5,0.01,10\n");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  std::istringstream values(outcome.out);
  double a = 0.0;
  double b = 0.0;
  values >> a >> b;
  EXPECT_NEAR(a, -0.5, 1e-14);
  EXPECT_NEAR(b, 0.6280220150705942 - 3.8621573434107988, 1e-14) << "hartmann3 at its centre";
  EXPECT_EQ(oscbo(eval, "z3,z2,z1,v,u,model\n10,0.01,0.5,,,b\n").out,
            oscbo(eval, "p,q,r,s,t,w\nb,,,0.5,0.01,10\n").out)
      << "by name and by position";
}

TEST(Eval, RefusesInvalidPointsOfTheSpace) {
  const auto refusal = [](const std::string& task, const std::string& text) {
    const Outcome outcome = oscbo({"bench", "eval", task, "--points", "-"}, text);
    EXPECT_EQ(outcome.status, 3);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  const auto expect = [&](const std::string& task, const std::string& text,
                          const std::string& message) {
    const std::string err = refusal(task, text);
    EXPECT_TRUE(contains(err, "standard input: line 2" + message)) << err;
  };
  expect("two-models", "model,u,v,z1,z2,z3\nc,1,1,,,\n",
         ", column 1 (model): 'c' is not accepted; it must be one of a, b");
  expect("two-models", "model,u,v,z1,z2,z3\na,1,,,,\n", ", column 3 (v): '' is not accepted");
  expect("two-models", "model,u,v,z1,z2,z3\na,1,1,0.5,,\n",
         ", column 4 (z1): is not active in this row; leave the cell empty");
  expect("ackley5-int", "x1,x2,x3,x4,x5\n0.5,0,0,0,0\n",
         ", column 1 (x1): '0.5' is not accepted; it must be an integer in [-32, 30]");
  expect("mixture5", "c1,c2,c3,c4,c5\n0.3,0.2,0.2,0.2,0.1\n", ": c1 + c2 <= 0.4 does not hold");
  expect("mixture5", "c1,c2,c3,c4,c5\n0.2,0.2,0.2,0.2,0.1\n", ": c1, c2, c3, c4, c5 sum to 0.9");
}

TEST(Demo, AcceptsATaskOfAnySpace) {
  const TemporaryFolder workspace;
  for (const char* const task : {"two-models", "mixture5", "gramacy", "branin-fails"}) {
    const Outcome outcome =
        oscbo({"demo", "--task", task, "--steps", "3", "--out", workspace / "pictures"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(contains(outcome.out, "cumulative regret")) << outcome.out;
    EXPECT_FALSE(contains(outcome.out, "nan")) << outcome.out;
  }
  const Outcome named = oscbo({"demo", "--task", "two-models", "--method", "random", "--steps", "3",
                               "--out", workspace / "pictures"});
  EXPECT_TRUE(contains(named.out, "(model=")) << named.out;
}

TEST(BenchSpace, PrintsADeclarationThatCanBeReadAgain) {
  const Outcome outcome = oscbo({"bench", "space", "two-models"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Space::from_json(outcome.out).to_json(), make_problem("two-models").space.to_json());
  const Outcome box = oscbo({"bench", "space", "branin"});
  EXPECT_EQ(Space::from_json(box.out).bounds()[0].lower, -5.0) << box.err;
  expect_refusal({"bench", "space", "nowhere"}, 4, "nowhere");
}

TEST(Eval, RefusesUnknownTasksAndMissingFiles) {
  expect_refusal({"bench", "eval", "nowhere", "--points", "-"}, 4, "nowhere");
  expect_refusal({"bench", "eval", "branin", "--points", "/nonexistent.csv"}, 6,
                 "/nonexistent.csv: cannot be read: No such file or directory");
  expect_refusal({"bench", "eval", "branin"}, 2, "--points");
  expect_refusal({"bench", "eval", "branin", "--points", "-", "--data", "/nonexistent"}, 2,
                 "--data");
}

}  // namespace
}  // namespace oscbo::cli
