#include "oscbo/study_declaration.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "space/space_test_support.hpp"
#include "study/retired_options.hpp"

namespace oscbo {
namespace {

using space::test::expect_refused;

constexpr const char* kEverything = R"({
  "name": "reactor-2.b_c",
  "goal": "minimize",
  "budget": 60,
  "seed": 9007199254740992,
  "method": "auto",
  "options": {"threads": 1, "kernel.nu": 1.5, "kernel.ard": true, "kernel": "matern"},
  "parameters": {
    "z": {"type": "float", "lower": 0, "upper": 1},
    "a": {"type": "float", "lower": 0, "upper": 1},
    "solvent": {"type": "categorical", "values": ["water", "ethanol"]}
  },
  "mixtures": [{"parameters": ["z", "a"], "sum": 1}],
  "constraints": ["z - a <= 0.5"],
  "outcomes": {"cost": {"upper": 30}},
  "program": {
    "command": ["./reactor", "--z={z}", "{file}", "{trial}"],
    "values_by": "file",
    "value_from": "json",
    "seconds": 0.5,
    "megabytes": 4096,
    "retries": 3
  },
  "stop": {"seconds": 3600, "target": -0.25, "without_improvement": 20, "expected_gain": 1e-3},
  "pruning": {"kind": "halving", "first_step": 2, "least_trials": 7, "factor": 4}
})";

/// small_study returns a study with one parameter and the given fields.
std::string small_study(const std::string& fields) {
  return R"({"name": "s", "parameters": {"x": {"type": "float", "lower": 0, "upper": 1}})" +
         (fields.empty() ? "" : ", " + fields) + "}";
}

StudyDeclaration small_declaration() { return study_from_json(small_study("")); }

TEST(StudyDeclaration, ReadsEveryField) {
  const StudyDeclaration study = study_from_json(kEverything);
  EXPECT_EQ(study.name, "reactor-2.b_c");
  EXPECT_EQ(study.goal, Goal::minimize);
  EXPECT_EQ(study.budget, 60);
  EXPECT_EQ(study.seed, 9007199254740992U);
  EXPECT_EQ(study.method, "auto");
  const std::vector<std::string> options = {"threads=1", "kernel.nu=1.5", "kernel.ard=true",
                                            "kernel=matern"};
  EXPECT_EQ(study.options, options);
  EXPECT_EQ(study.space.parameters[0].name, "z");
  EXPECT_EQ(study.space.parameters[1].name, "a");
  EXPECT_EQ(study.space.mixtures.size(), 1U);
  EXPECT_EQ(study.space.constraints.size(), 1U);
  EXPECT_EQ(study.space.outcomes[0].upper, 30.0);
  EXPECT_EQ(study.program.command[1], "--z={z}");
  EXPECT_EQ(study.program.values_by, ValuesBy::file);
  EXPECT_EQ(study.program.value_from, ValueSource::json);
  EXPECT_EQ(study.program.seconds, 0.5);
  EXPECT_EQ(study.program.megabytes, 4096U);
  EXPECT_EQ(study.program.retries, 3);
  EXPECT_EQ(study.stop.seconds, 3600.0);
  EXPECT_EQ(study.stop.target, -0.25);
  EXPECT_EQ(study.stop.without_improvement, 20);
  EXPECT_EQ(study.stop.expected_gain, 1e-3);
  EXPECT_EQ(study.pruning.kind, PruningKind::halving);
  EXPECT_EQ(study.pruning.first_step, 2);
  EXPECT_EQ(study.pruning.least_trials, 7);
  EXPECT_EQ(study.pruning.factor, 4.0);
}

TEST(StudyDeclaration, NeedsOnlyANameAndParameters) {
  const StudyDeclaration study = small_declaration();
  EXPECT_EQ(study.goal, Goal::maximize);
  EXPECT_EQ(study.budget, 100);
  EXPECT_EQ(study.seed, 0U);
  EXPECT_EQ(study.method, "auto");
  EXPECT_TRUE(study.program.command.empty());
  EXPECT_EQ(study.stop.target, std::nullopt);
  EXPECT_EQ(study.pruning.kind, PruningKind::none);
}

TEST(StudyDeclaration, ComesBackFromJson) {
  const std::string pattern = small_study(
      R"("program": {"command": ["p"], "value_from": "pattern", "pattern": "y=(.*)$"})");
  for (const std::string& text : {std::string(kEverything), small_study(""), pattern}) {
    const std::string json = to_json(study_from_json(text));
    EXPECT_EQ(to_json(study_from_json(json)), json);
  }
  const StudyDeclaration again = study_from_json(to_json(study_from_json(kEverything)));
  EXPECT_EQ(again.options, study_from_json(kEverything).options);
  EXPECT_EQ(again.seed, 9007199254740992U);
  EXPECT_EQ(again.space.parameters[0].name, "z");
  EXPECT_EQ(again.program.megabytes, 4096U);
  EXPECT_EQ(again.stop.expected_gain, 1e-3);
  EXPECT_EQ(again.pruning.factor, 4.0);
  EXPECT_EQ(study_from_json(to_json(study_from_json(pattern))).program.pattern, "y=(.*)$");
}

TEST(StudyDeclaration, WritesOptionsAsPeopleDoAndAsTheyWere) {
  StudyDeclaration study = small_declaration();
  study.options = {"beta=1e0", "delta=0.25", "kernel.ard=true", "kernel=rbf", "threads=2"};
  const std::string json = to_json(study);
  for (const char* const part : {R"("beta": "1e0")", R"("delta": 0.25)", R"("kernel.ard": true)",
                                 R"("kernel": "rbf")", R"("threads": 2)"}) {
    EXPECT_NE(json.find(part), std::string::npos) << json;
  }
  EXPECT_EQ(study_from_json(json).options, study.options);
}

TEST(StudyDeclaration, JsonErrorsNameTheFieldAndWhatIsAccepted) {
  const auto refused = [](const std::string& fields, const std::string& field,
                          const std::string& text) {
    expect_refused([&] { static_cast<void>(study_from_json(small_study(fields))); }, field, text);
  };
  refused(R"("goals": 1)", "goals", "use name, goal, budget, seed, method, options, param");
  refused(R"("goal": "max")", "goal", "\"max\" is not accepted; use maximize | minimize");
  refused(R"("goal": 3)", "goal", "3 is not accepted; use maximize");
  refused(R"("goal": [])", "goal", "a list is not accepted");
  refused(R"("budget": 0)", "budget", "0 is not accepted; use an integer in [1, 1000000]");
  refused(R"("budget": 1000001)", "budget", "1000001 is not accepted");
  refused(R"("budget": 4294967297)", "budget", "4294967297 is not accepted");
  refused(R"("budget": 1.5)", "budget", "1.5 is not accepted; use an integer");
  refused(R"("budget": "60")", "budget", "\"60\" is not accepted; use an integer");
  refused(R"("budget": {})", "budget", "an object is not accepted");
  refused(R"("seed": -1)", "seed", "-1 is not accepted");
  refused(R"("seed": 9007199254740993)", "seed", "9007199254740993 is not accepted");
  refused(R"("seed": 18446744073709551615)", "seed", "18446744073709551615 is not accepted");
  refused(R"("seed": 1e16)", "seed", "1e+16 is not accepted");
  refused(R"("method": 3)", "method", "must be a string");
  refused(R"("options": ["kernel.nu=1"])", "options", "object");
  refused(R"("options": {"kernel.nu": null})", "options.kernel.nu", "number, a string, true or");
  refused(R"("options": {"kernel.nu": [1]})", "options.kernel.nu", "number, a string, true or");
  refused(R"("stop": 3)", "stop", "object");
  refused(R"("stop": {"time": 3})", "stop.time", "use seconds, target, without_improvement");
  refused(R"("stop": {"seconds": 0})", "stop.seconds", "0 is not accepted; use a positive number");
  refused(R"("stop": {"target": "1"})", "stop.target", "number");
  refused(R"("stop": {"without_improvement": 0})", "stop.without_improvement", "integer in");
  refused(R"("stop": {"expected_gain": -1})", "stop.expected_gain", "-1 is not accepted");
  refused(R"("pruning": {"kind": "mean"})", "pruning.kind", "use none | median | halving");
  refused(R"("pruning": {"factor": 3})", "pruning.kind", "missing");
  refused(R"("pruning": {"kind": "halving", "factor": 1})", "pruning.factor", "a number >= 1.1");
  refused(R"("pruning": {"kind": "halving", "first_step": 0})", "pruning.first_step",
          "integer >= 1");
  refused(R"("pruning": {"kind": "none", "steps": 1})", "pruning.steps", "use kind, first_");
  refused(R"("pruning": {"kind": "none", "first_step": -1})", "pruning.first_step", "integer");
  refused(R"("pruning": {"kind": "none", "least_trials": 0})", "pruning.least_trials", "integer");
  refused(R"("budget": 1, "budget": 2)", "budget", "twice");
  refused(R"("constraints": ["x <"])", "constraints[0]", "strict");
  refused(R"("constraints": ["x >= 2"])", "constraints", "");
}

TEST(StudyDeclaration, RefusesProgramsThatCannotBeRun) {
  const auto refused = [](const std::string& fields, const std::string& field,
                          const std::string& text, const std::string& others = "") {
    const std::string json = small_study(R"("program": {)" + fields + "}" + others);
    expect_refused([&] { static_cast<void>(study_from_json(json)); }, field, text);
  };
  const std::string command = R"("command": ["p", "{x}"])";
  refused(R"("command": "./p")", "program.command", "list");
  refused(R"("command": [])", "program.command", "names no program");
  refused(R"("command": [""])", "program.command", "names no program");
  refused(R"("command": ["p", 3])", "program.command[1]", "must be a string");
  refused(R"("command": ["p", "{y}"])", "program.command[1]", "{y} is not a parameter; use x or");
  refused(R"("command": ["p", "{file}"])", "program.command[1]", "values_by");
  refused(command + R"(, "values_by": "file")", "program.command", "no {file}");
  refused(command + R"(, "values_by": "stdin")", "program.values_by",
          "use arguments | environment | file");
  refused(command + R"(, "value_from": "stderr")", "program.value_from",
          "use last_line | pattern | json");
  refused(command + R"(, "value_from": "pattern")", "program.pattern", "is missing");
  refused(command + R"(, "value_from": "pattern", "pattern": "y=.*")", "program.pattern",
          "no group");
  refused(command + R"(, "value_from": "pattern", "pattern": "(")", "program.pattern",
          "not a regular expression");
  refused(command + R"(, "pattern": "(.)$")", "program.pattern", "needs value_from = \"pattern\"");
  refused(command + R"(, "pattern": 3)", "program.pattern", "string");
  refused(command + R"(, "seconds": -1)", "program.seconds", "positive");
  refused(command + R"(, "megabytes": 0)", "program.megabytes", "integer in [1, ");
  refused(command + R"(, "retries": 101)", "program.retries", "integer in [0, 100]");
  refused(command + R"(, "shell": true)", "program.shell", "use command, values_by");
  refused(command, "program.value_from",
          "last_line gives no outcomes, and there are some; use json",
          R"(, "outcomes": {"cost": {"upper": 3}})");
}

TEST(StudyDeclaration, ChecksWhatWasMadeInCpp) {
  const auto refused = [](const std::function<void(StudyDeclaration&)>& change,
                          const std::string& field, const std::string& text) {
    StudyDeclaration study = small_declaration();
    change(study);
    expect_refused([&] { check(study); }, field, text);
  };
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_NO_THROW(check(small_declaration()));
  refused([](auto& study) { study.budget = -1; }, "budget", "-1 is not accepted; use an integer");
  refused([](auto& study) { study.seed = 1ULL << 63; }, "seed", "9223372036854775808 is not");
  refused([](auto& study) { study.space.parameters.clear(); }, "parameters", "empty");
  refused([](auto& study) { study.options = {"beta"}; }, "options.beta", "is not accepted");
  refused([](auto& study) { study.options = {"=3"}; }, "options", "'=3' is not name=value");
  refused([](auto& study) { study.options = {"beta=1", "beta=1"}; }, "options.beta", "twice");
  refused([](auto& study) { study.stop.seconds = kNan; }, "stop.seconds", "nan is not accepted");
  refused([](auto& study) { study.stop.target = kInfinity; }, "stop.target", "inf is not");
  refused([](auto& study) { study.stop.expected_gain = kInfinity; }, "stop.expected_gain", "inf");
  refused([](auto& study) { study.stop.without_improvement = -1; }, "stop.without_improvement",
          "-1");
  refused([](auto& study) { study.pruning.factor = kNan; }, "pruning.factor", "nan");
  refused([](auto& study) { study.pruning.least_trials = 0; }, "pruning.least_trials", "0 is not");
  refused(
      [](auto& study) {
        study.program.command = {"p"};
        study.program.retries = -1;
      },
      "program.retries", "-1 is not accepted");
  refused(
      [](auto& study) {
        study.program.command = {"p"};
        study.program.megabytes = 0;
      },
      "program.megabytes", "0 is not accepted");
  refused([](auto& study) { study.program.command = {"p\xff"}; }, "program.command", "not UTF-8");
}

TEST(StudyDeclaration, HasANameThatIsSafeInFilesAndAddresses) {
  const auto named = [](const std::string& name) {
    StudyDeclaration study = small_declaration();
    study.name = name;
    return study;
  };
  for (const std::string& name : {std::string("a"), std::string("_"), std::string("9.b-C_"),
                                  std::string("a.."), std::string(100, 'x')}) {
    EXPECT_NO_THROW(check(named(name))) << name;
  }
  for (const std::string& name :
       {std::string(), std::string(101, 'x'), std::string(".a"), std::string(".."),
        std::string("-a"), std::string("a b"), std::string("a/b"), std::string("a\n"),
        std::string("a\0b", 3), std::string("\xc3\xa4"), std::string("a:b")}) {
    expect_refused([&] { check(named(name)); }, "name",
                   "is not accepted; use 1 to 100 letters, digits, '-', '_' and '.'");
  }
}

TEST(StudyDeclaration, RefusesMethodsAndOptionsThereAreNot) {
  const auto refused = [](const std::string& fields, ErrorCode code, const std::string& field,
                          const std::string& text) {
    try {
      static_cast<void>(study_from_json(small_study(fields)));
      ADD_FAILURE() << fields << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      EXPECT_EQ(error.field(), field);
      EXPECT_NE(error.message().find(text), std::string::npos) << error.what();
    }
  };
  refused(R"("method": "magic")", ErrorCode::unknown_name, "method", "use ");
  refused(R"("options": {"kernel.mu": 1})", ErrorCode::unknown_name, "options.kernel.mu",
          "not an option");
  refused(R"("options": {"kernel.nu": -1})", ErrorCode::invalid_value, "options.kernel.nu", "-1");
  refused(R"("options": {"kernel.ard": false})", ErrorCode::invalid_value,
          "options.kernel.additive", "kernel.ard=true");
  refused(R"("options": {"theta.min": 5, "theta.max": 2})", ErrorCode::invalid_value,
          "options.theta.min", "must be below theta.max");
}

TEST(StudyDeclaration, CountsTheInitialDesignInItsBudget) {
  const auto config = [](int budget, std::vector<std::string> options) {
    StudyDeclaration study = small_declaration();
    study.budget = budget;
    study.options = std::move(options);
    return config_of(study);
  };
  EXPECT_EQ(config(60, {"init.points=12"}).initial_points, 12);
  EXPECT_EQ(config(60, {"init.points=12"}).budget, 48);
  EXPECT_EQ(config(60, {"budget=7"}).budget, 7);
  EXPECT_EQ(config(3, {"init.points=12"}).budget, 1);
  EXPECT_EQ(get_option(config(60, {"kernel.nu=1.5"}), "kernel.nu"), "1.5");
  EXPECT_EQ(config(60, {}).method, "auto");
  StudyDeclaration paper = small_declaration();
  paper.method = "oscbo";
  EXPECT_EQ(config_of(paper).method, "oscbo");
}

TEST(StudyDeclaration, OfAnEarlierVersionMayHaveTheNoiseOfBenchmarks) {
  StudyDeclaration study = small_declaration();
  study.options = {"kernel.nu=1.5"};
  EXPECT_FALSE(study::read_stored(to_json(study)).is_noisy);
  for (const auto& [value, is_noisy] : {std::pair{"2", true}, {"0", false}}) {
    StudyDeclaration stored = study;
    stored.options.push_back(std::string("obs.noise_sd=") + value);
    const study::StoredDeclaration read = study::read_stored(to_json(stored));
    EXPECT_EQ(to_json(read.declaration), to_json(study));
    EXPECT_EQ(read.is_noisy, is_noisy);
  }
}

TEST(StudyDeclaration, MayNotGoThroughTheStack) {
  const std::string opened(300000, '[');
  const std::string deep = R"("goal": )" + opened + std::string(300000, ']');
  for (const std::string& fields :
       {deep, deep + R"(, "budget": 1, "seed": 1, "method": "auto", "stop": {})",
        R"("goal": )" + opened}) {
    expect_refused([&] { static_cast<void>(study_from_json(small_study(fields))); }, "study",
                   "too deeply; up to 16");
  }
}

// --- TOML ----------------------------------------------------------------------------------------

constexpr const char* kReactor = R"(goal = "minimize"
budget = 60
constraints = [
  "b + a <= 1.5",
  "a <= 0.75"]

[parameters.b]
type = "float"
lower = 0
upper = 1

[program]
command = ["./reactor",
           "{b}"]
seconds = 1.5

[parameters.a]
type = "float"
lower = 0.0
upper = 1

[parameters]
c = { type = "categorical", values = ["x", "y"] }
B.type = "bool"
B.when = { c = "x" }
)";

TEST(StudyToml, SaysTheSameAsJson) {
  const StudyDeclaration study = study_from_toml(kReactor, "some/where/reactor.v2.toml");
  EXPECT_EQ(study.name, "reactor.v2") << "the file, without directory and last extension";
  EXPECT_EQ(to_json(study), to_json(study_from_json(R"({
    "name": "reactor.v2", "goal": "minimize", "budget": 60,
    "constraints": ["b + a <= 1.5", "a <= 0.75"],
    "parameters": {
      "b": {"type": "float", "lower": 0, "upper": 1},
      "a": {"type": "float", "lower": 0, "upper": 1},
      "c": {"type": "categorical", "values": ["x", "y"]},
      "B": {"type": "bool", "when": {"c": "x"}}},
    "program": {"command": ["./reactor", "{b}"], "seconds": 1.5}})")));
}

TEST(StudyToml, KeepsTheOrderOfParameters) {
  const StudyDeclaration study = study_from_toml(kReactor, "r.toml");
  std::string names;
  for (const Parameter& parameter : study.space.parameters) names += parameter.name;
  EXPECT_EQ(names, "bacB");
}

/// changed_reactor returns kReactor with one part replaced.
std::string changed_reactor(const std::string& part, const std::string& replacement) {
  std::string text = kReactor;
  const std::size_t place = text.find(part);
  EXPECT_NE(place, std::string::npos) << part;
  return text.replace(place, part.size(), replacement);
}

void expect_toml_refused(const std::string& toml, const std::string& field,
                         const std::string& text) {
  expect_refused([&] { static_cast<void>(study_from_toml(toml, "dir/r.toml")); }, field, text);
}

TEST(StudyToml, ErrorsNameTheLine) {
  const auto refused = [](const std::string& part, const std::string& replacement,
                          const std::string& field, const std::string& text) {
    expect_toml_refused(changed_reactor(part, replacement), "dir/r.toml:" + field, text);
  };
  refused("budget = 60", "budget = 0", "2: budget", "use an integer in [1, 1000000]");
  refused("budget", "budgets", "2: budgets", "is not a known field; use name, goal");
  refused("a <= 0.75", "a < 0.75", "5: constraints[1]", "strict");
  refused("lower = 0\nupper = 1", "lower = 0", "7: parameters.b.upper", "missing");
  refused("lower = 0\n", "lower = 2\n", "7: parameters.b", "must be below");
  refused("lower = 0.0", "lower = '0'", "19: parameters.a.lower", "number");
  refused("lower = 0.0", "lower = inf", "19: parameters.a.lower", "inf is not accepted");
  refused("lower = 0.0", "lower = -nan", "19: parameters.a.lower", "nan is not accepted");
  refused("lower = 0.0", "lower = 2020-01-01", "19: parameters.a.lower", "date or time");
  refused("lower = 0.0", "lower = 10:20:30", "19: parameters.a.lower", "date or time");
  refused("lower = 0.0", "lower = 2020-01-01T10:20:30Z", "19: parameters.a.lower", "date or time");
  refused("seconds = 1.5", "seconds = [[\n1,\n 10:20:30]]", "17: program.seconds[0][1]", "date");
  refused(R"("{b}")", R"("{q}")", "14: program.command[1]", "{q} is not a parameter");
  refused(R"("x", "y")", R"("x")", "23: parameters.c.values", "two are needed");
  refused(R"(c = "x" })", R"(c = "z" })", "25: parameters.B.when", "'z' is not a value of c");
  refused("seconds = 1.5", "value_from = 'pattern'", "12: program.pattern", "missing");
  refused("goal =", "name = \"a b\"\ngoal =", "1: name", "\"a b\" is not accepted");
  refused("[program]", "[options]\nkernel.nu = -1\n[program]", "13: options.kernel.nu", "-1");
  refused("[program]", "[options]\n\nkernel = 'rbf'\n\"kernel.nu\" = -1\n[program]",
          "15: options.kernel.nu", "-1");
  expect_toml_refused("budget = 3", "dir/r.toml:1: parameters", "missing");
  expect_toml_refused("", "dir/r.toml:1: parameters", "missing");
}

TEST(StudyToml, SyntaxErrorsNameTheLine) {
  const auto refused = [](const std::string& toml, const std::string& line,
                          const std::string& text) {
    expect_toml_refused(toml, "dir/r.toml:" + line, "dir/r.toml:" + line + ": " + text);
  };
  refused("\n\nbudget 3\n", "3", "expected '=', saw '3'");
  refused("budget = 3\nbudget = 4\n", "2", "cannot redefine existing integer 'budget'");
  refused("budget = 1,5\n", "1", "expected a comment or whitespace, saw ','");
  refused("\nname = reactor\n", "2", "could not determine value type; a text stands in quotes");
  refused("name = \"r", "1", "encountered end-of-file");
  refused("name = \"\xff\"", "1", "Encountered invalid utf-8 sequence");
  refused("\n[[[a]]]", "2", "expected bare key starting character or string delimiter, saw '['");
  refused("[\x01]", "1", "expected bare key starting character");
  refused("seed = 99999999999999999999", "1", "'99999999999999999999' is not representable");
}

TEST(StudyToml, AcceptsAnyLetterInTextsAndComments) {
  const StudyDeclaration study = study_from_toml(
      "\xef\xbb\xbf# \u00e4\n[parameters.\"gr\u00f6\u00dfe\"] # \u00e4\n"
      "type = 'categorical'\nvalues = ['\u00e4', \"\"\"a\\\n \u00e4\"\"\"]\n",
      "r.toml");
  EXPECT_EQ(study.space.parameters[0].name, "gr\u00f6\u00dfe");
  EXPECT_EQ(study.space.parameters[0].values, (std::vector<std::string>{"\u00e4", "a\u00e4"}));
  expect_toml_refused("\n[parameters.gr\u00f6\u00dfe]", "dir/r.toml:2",
                      "expected ']', saw '\u00f6'");
  expect_toml_refused("a = 5\u00e4", "dir/r.toml:1", "saw '\u00e4'");
}

TEST(StudyToml, KeepsTheCodeOfAnError) {
  try {
    static_cast<void>(study_from_toml(changed_reactor("goal", "method = 'magic'\ngoal"), "r.toml"));
    ADD_FAILURE() << "there is no such method";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unknown_name);
    EXPECT_EQ(error.field(), "r.toml:1: method");
  }
}

TEST(StudyToml, TakesTheNameFromTheFile) {
  const auto name_from = [](const std::string& file) {
    return study_from_toml(kReactor, file).name;
  };
  EXPECT_EQ(name_from("reactor"), "reactor");
  EXPECT_EQ(name_from("/a.b/reactor.toml"), "reactor");
  EXPECT_EQ(study_from_toml(changed_reactor("goal", "name = 'n'\ngoal"), "r.toml").name, "n");
  for (const char* const file : {"", "-", ".toml", "dir/", "my study.toml", "\xff.toml"}) {
    expect_refused([&] { static_cast<void>(study_from_toml(kReactor, file)); },
                   std::string(file) + ":1: name", "is not accepted; use 1 to 100 letters");
  }
}

TEST(StudyToml, ReadsOptionsWithAndWithoutQuotes) {
  const StudyDeclaration study = study_from_toml(
      changed_reactor("[program]",
                      "[options]\nkernel.nu = 1.5\nkernel.ard = true\n\"agp.c\" = 2\nbeta = 3\n"
                      "[program]"),
      "r.toml");
  const std::vector<std::string> expected = {"kernel.nu=1.5", "kernel.ard=true", "agp.c=2",
                                             "beta=3"};
  EXPECT_EQ(study.options, expected);
  expect_toml_refused(
      changed_reactor("[program]", "[options]\nkernel.nu = 1.5\n\"kernel.nu\" = 2.5\n[program]"),
      "dir/r.toml:13: options.kernel.nu", "twice");
  expect_toml_refused(changed_reactor("goal", "options = 3\ngoal"), "dir/r.toml:1: options",
                      "object");
}

TEST(StudyToml, MayNotGoThroughTheStack) {
  const auto repeated = [](const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  const std::string dots = repeated("a.", 400) + "a";
  expect_toml_refused("x = " + repeated("[", 100000), "dir/r.toml:1", "nested");
  expect_toml_refused("\nx = " + repeated("{a=", 100000), "dir/r.toml:2", "nested");
  expect_toml_refused("\n[" + repeated("a.", 100000) + "a]", "dir/r.toml:2", "500 dots");
  expect_toml_refused(repeated("a.", 100000) + "a = 1", "dir/r.toml:1", "500 dots");
  expect_toml_refused(dots + " = 1", "dir/r.toml:1: " + repeated("a.", 16) + "a", "too deeply");
  expect_toml_refused("options." + dots + " = 1",
                      "dir/r.toml:1: options." + repeated("a.", 15) + "a", "too deeply");
  expect_toml_refused("[" + dots + "]\n" + repeated(dots + " = [\n{", 8), "dir/r.toml:10", "");
}

// --- the template --------------------------------------------------------------------------------

/// template_with_everything returns the template with every setting enabled.
std::string template_with_everything() {
  std::string text(study_template());
  const std::string source = "#value_from = \"last_line\"";
  text.replace(text.find(source), source.size(), "value_from = \"json\"");  // outcomes need this
  std::string switched_on;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins_line = i == 0 || text[i - 1] == '\n';
    const bool is_setting = begins_line && text[i] == '#' && text[i + 1] > ' ';
    if (!is_setting) switched_on += text[i];
  }
  return switched_on;
}

TEST(StudyTemplate, IsAStudy) {
  const StudyDeclaration study = study_from_toml(study_template(), "other.toml");
  EXPECT_EQ(study.name, "reactor");
  EXPECT_EQ(study.space.parameters.size(), 5U);
  EXPECT_EQ(study.program.value_from, ValueSource::last_line);
}

TEST(StudyTemplate, ShowsEveryFieldAndItsDefault) {
  const StudyDeclaration study = study_from_toml(template_with_everything(), "other.toml");
  EXPECT_EQ(study.space.parameters.size(), 10U);
  EXPECT_EQ(study.space.mixtures.size(), 1U);
  EXPECT_EQ(study.space.constraints.size(), 1U);
  EXPECT_EQ(study.space.outcomes.size(), 1U);
  EXPECT_EQ(study.options, std::vector<std::string>{"kernel.nu=2.5"});
  const StudyDeclaration defaults;
  EXPECT_EQ(study.seed, defaults.seed);
  EXPECT_EQ(study.method, defaults.method);
  EXPECT_EQ(study.program.values_by, defaults.program.values_by);
  EXPECT_EQ(study.program.retries, defaults.program.retries);
  EXPECT_TRUE(study.program.seconds && study.program.megabytes);
  EXPECT_TRUE(study.stop.seconds && study.stop.target && study.stop.without_improvement &&
              study.stop.expected_gain);
  EXPECT_EQ(study.pruning.kind, defaults.pruning.kind);
  EXPECT_EQ(study.pruning.first_step, defaults.pruning.first_step);
  EXPECT_EQ(study.pruning.least_trials, defaults.pruning.least_trials);
  EXPECT_EQ(study.pruning.factor, defaults.pruning.factor);
  EXPECT_NE(study_template().find("pattern = '"), std::string_view::npos);
}

TEST(StudyDeclaration, LeavesTheColumnsOfTablesAlone) {
  StudyDeclaration declaration{.name = "s"};
  declaration.space.parameters = {{.name = "value"}};
  expect_refused([&] { check(declaration); }, "parameters.value", "column");
  declaration.space.parameters = {{.name = "x"}};
  declaration.space.outcomes = {{.name = "state", .upper = 1.0}};
  expect_refused([&] { check(declaration); }, "outcomes.state", "column");
  declaration.space.outcomes = {{.name = "x", .upper = 1.0}};
  expect_refused([&] { check(declaration); }, "outcomes.x", "parameter");
  declaration.space.outcomes.clear();
  for (const char* const name : {"mean", "sd", "token", "worker", "reason", "covered", "by"}) {
    declaration.space.parameters = {{.name = name}};
    expect_refused([&] { check(declaration); }, std::string("parameters.") + name, "column");
  }
  declaration.space.parameters = {{.name = "a=b"}};
  expect_refused([&] { check(declaration); }, "parameters.a=b", "=");
}

TEST(StudyDeclaration, MayLeaveTheNameOfTheProgramToTheRun) {
  const StudyDeclaration study = study_from_json(small_study(
      R"("program": {"value_from": "json", "seconds": 5}, "outcomes": {"cost": {"upper": 3}})"));
  EXPECT_TRUE(study.program.command.empty());
  const StudyDeclaration again = study_from_json(to_json(study));
  EXPECT_EQ(again.program.seconds, 5.0);
  EXPECT_EQ(again.program.value_from, ValueSource::json);
  const Space space(study.space);
  EXPECT_NO_THROW(check_program({.command = {"p"}, .value_from = ValueSource::json}, space));
  expect_refused([&] { check_program({.command = {"p"}}, space); }, "program.value_from", "json");
}

}  // namespace
}  // namespace oscbo
