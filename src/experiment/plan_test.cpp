#include "experiment/plan.hpp"

#include <optional>

#include <gtest/gtest.h>

#include "experiment/test_support.hpp"
#include "weights/random_file_test_support.hpp"

namespace oscbo::experiment {
namespace {

ExperimentPlan small_plan() {
  return {.tasks = {"branin"}, .methods = {"oscbo"}, .seeds = 2, .steps = 3, .out = "results"};
}

struct Refusal {
  std::string name;
  void (*change)(ExperimentPlan&);
  ErrorCode code;
  std::string field;
};

class PlanRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(PlanRefusal, NamesTheField) {
  ExperimentPlan plan = small_plan();
  GetParam().change(plan);
  const Error error = error_of([&] { check_plan(plan); });
  EXPECT_EQ(error.code(), GetParam().code) << error.what();
  EXPECT_EQ(error.field(), GetParam().field) << error.what();
}

INSTANTIATE_TEST_SUITE_P(
    Plan, PlanRefusal,
    testing::Values(Refusal{"no_tasks", [](ExperimentPlan& p) { p.tasks.clear(); },
                            ErrorCode::invalid_value, "--tasks"},
                    Refusal{"no_methods", [](ExperimentPlan& p) { p.methods.clear(); },
                            ErrorCode::invalid_value, "--methods"},
                    Refusal{"task_twice",
                            [](ExperimentPlan& p) {
                              p.tasks = {"levy2", "branin", "levy2"};
                            },
                            ErrorCode::invalid_value, "--tasks"},
                    Refusal{"method_twice",
                            [](ExperimentPlan& p) {
                              p.methods = {"oscbo", "oscbo"};
                            },
                            ErrorCode::invalid_value, "--methods"},
                    Refusal{"no_seeds", [](ExperimentPlan& p) { p.seeds = 0; },
                            ErrorCode::invalid_value, "--seeds"},
                    Refusal{"no_steps", [](ExperimentPlan& p) { p.steps = 0; },
                            ErrorCode::invalid_value, "--steps"},
                    Refusal{"no_jobs", [](ExperimentPlan& p) { p.jobs = -1; },
                            ErrorCode::invalid_value, "--jobs"},
                    Refusal{"no_out", [](ExperimentPlan& p) { p.out.clear(); },
                            ErrorCode::invalid_value, "--out"},
                    Refusal{"budget", [](ExperimentPlan& p) { p.settings = {"budget=7"}; },
                            ErrorCode::invalid_value, "--set"},
                    Refusal{"unknown_task", [](ExperimentPlan& p) { p.tasks = {"nowhere"}; },
                            ErrorCode::unknown_name, "task"},
                    Refusal{"unknown_method", [](ExperimentPlan& p) { p.methods = {"nothing"}; },
                            ErrorCode::unknown_name, "method"},
                    Refusal{"unknown_option",
                            [](ExperimentPlan& p) { p.settings = {"kernel.mu=1"}; },
                            ErrorCode::unknown_name, "kernel.mu"},
                    Refusal{"bad_value", [](ExperimentPlan& p) { p.settings = {"kernel.nu=0"}; },
                            ErrorCode::invalid_value, "kernel.nu"},
                    Refusal{"bad_combination",
                            [](ExperimentPlan& p) { p.settings = {"theta.min=100"}; },
                            ErrorCode::invalid_value, "theta.min"},
                    Refusal{"ard_of_one_of_the_methods",
                            [](ExperimentPlan& p) {
                              p.methods = {"oscbo", "random"};
                              p.settings = {"kernel.ard=true"};
                            },
                            ErrorCode::invalid_value, "kernel.ard"},
                    Refusal{"kernel_of_one_of_the_methods",
                            [](ExperimentPlan& p) {
                              p.methods = {"oscbo", "a-gp-ucb"};
                              p.settings = {"kernel=ibnn"};
                            },
                            ErrorCode::invalid_value, "kernel"},
                    Refusal{"width_of_standardised_values",
                            [](ExperimentPlan& p) { p.settings = {"width=theory"}; },
                            ErrorCode::invalid_value, "width"}),
    [](const auto& test) { return test.param.name; });

TEST(Plan, IsAcceptedAndAppliesItsSettings) {
  ExperimentPlan plan = small_plan();
  plan.settings = {"kernel.nu=1.5", "kernel.ard=true"};
  EXPECT_NO_THROW(check_plan(plan));
  const Config config = effective_config(plan, "oscbo").optimizer;
  EXPECT_EQ(config.budget, 3);
  EXPECT_EQ(get_option(config, "kernel.nu"), "1.5");
  EXPECT_EQ(get_option(config, "kernel.ard"), "true");
}

TEST(Plan, RefusesOneMethodUnderTwoNames) {
  for (const std::vector<std::string>& methods :
       {std::vector<std::string>{"oscbo", "oscbo+kernel.nu=2.5"},
        {"oscbo+kernel.nu=0.5", "gp-ucb-mll", "oscbo+kernel.nu=.5"},
        {"oscbo+kernel.nu=1.5+beta=3", "oscbo+beta=3+kernel.nu=1.5"}}) {
    ExperimentPlan plan = small_plan();
    plan.methods = methods;
    const Error error = error_of([&] { check_plan(plan); });
    EXPECT_EQ(error.code(), ErrorCode::invalid_value);
    EXPECT_EQ(error.what(), "--methods: '" + methods.front() + "' and '" + methods.back() +
                                "' are the same method with the same options; keep one");
  }
}

// A setting of a variant may equal a default set with --set.
TEST(Plan, ComparesMethodsWithAllTheirSettings) {
  ExperimentPlan plan = small_plan();
  plan.methods = {"oscbo", "oscbo+kernel.nu=2.5"};
  plan.settings = {"kernel.nu=1.5"};
  EXPECT_NO_THROW(check_plan(plan));
  plan.methods = {"oscbo", "oscbo+kernel.nu=1.5"};
  EXPECT_EQ(error_of([&] { check_plan(plan); }).field(), "--methods");
}

TEST(PlanRecord, RefusesARecordedMethodUnderAnotherName) {
  ExperimentPlan plan = small_plan();
  plan.methods = {"oscbo+kernel.nu=2.5"};
  const Error error =
      error_of([&] { (void)extend_record(make_record(small_plan()), plan, "plan.json"); });
  EXPECT_EQ(error.field(), "--methods");
}

TEST(PlanRecord, SurvivesARoundTripThroughItsFile) {
  const PlanRecord record = make_record(small_plan());
  EXPECT_EQ(parse_record(to_json(record), "plan.json"), record);
}

TEST(PlanRecord, IsUnchangedByTheSamePlan) {
  const PlanRecord record = make_record(small_plan());
  EXPECT_EQ(extend_record(record, small_plan(), "plan.json"), record);
}

TEST(PlanRecord, GrowsByTasksMethodsAndSeeds) {
  ExperimentPlan more = small_plan();
  more.tasks = {"levy2"};
  more.methods = {"gp-ucb-mll", "oscbo"};
  more.seeds = 5;
  const PlanRecord record = extend_record(make_record(small_plan()), more, "plan.json");
  EXPECT_EQ(record.tasks, (std::vector<std::string>{"branin", "levy2"}));
  EXPECT_EQ(record.methods, (std::vector<std::string>{"oscbo", "gp-ucb-mll"}));
  EXPECT_EQ(record.seeds, 5);
  EXPECT_EQ(record.options.size(), 2U);

  more.seeds = 1;
  EXPECT_EQ(extend_record(record, more, "plan.json").seeds, 5);
}

/// The message of the refusal of `plan` in the directory of `record`.
std::string conflict(const PlanRecord& record, const ExperimentPlan& plan) {
  const Error error = error_of([&] { (void)extend_record(record, plan, "dir/plan.json"); });
  EXPECT_EQ(error.code(), ErrorCode::conflict);
  EXPECT_EQ(error.field(), "dir/plan.json");
  return error.what();
}

TEST(PlanRecord, DifferentStepsAreAConflict) {
  ExperimentPlan other = small_plan();
  other.steps = 4;
  EXPECT_NE(conflict(make_record(small_plan()), other).find("--steps was '3'"), std::string::npos);
}

TEST(PlanRecord, DifferentOptionsAreAConflictEvenForOtherMethods) {
  ExperimentPlan other = small_plan();
  other.methods = {"gp-ucb-mll"};
  other.settings = {"kernel.nu=1.5"};
  const std::string message = conflict(make_record(small_plan()), other);
  EXPECT_NE(message.find("kernel.nu of oscbo was '2.5' for the runs there and is '1.5' now"),
            std::string::npos)
      << message;
}

// lb-gp-ucb does not accept this setting, but the new plan does not contain that method.
TEST(PlanRecord, DifferentOptionsAreAConflictEvenIfAnEarlierMethodRefusesThem) {
  ExperimentPlan earlier = small_plan();
  earlier.methods = {"lb-gp-ucb"};
  ExperimentPlan other = small_plan();
  other.settings = {"kernel.ard=true"};
  const std::string message = conflict(make_record(earlier), other);
  EXPECT_NE(message.find("kernel.ard of lb-gp-ucb was 'false'"), std::string::npos) << message;
}

ExperimentPlan plan_of_tabicl() {
  ExperimentPlan plan = small_plan();
  plan.methods = {"tabicl"};
  return plan;
}

TEST(PlanRecord, KnowsWeightsByTheirChecksumWhereverTheyAre) {
  std::optional<PlanRecord> record;
  {
    const test::RandomWeightsFile weights;
    record = make_record(plan_of_tabicl());
  }
  EXPECT_EQ(record->options.at("tabicl").at("tabicl.sha256").size(), 64U);
  EXPECT_FALSE(record->options.at("tabicl").contains("tabicl.weights"));
  const test::RandomWeightsFile moved;
  EXPECT_EQ(extend_record(*record, plan_of_tabicl(), "plan.json"), record);
  record->options.at("tabicl").at("tabicl.sha256") = std::string(64, 'a');
  EXPECT_NE(conflict(*record, plan_of_tabicl()).find("tabicl.sha256 of tabicl was 'aaaa"),
            std::string::npos);
}

TEST(PlanRecord, NeedsNoWeightsOfAMethodThatRanEarlier) {
  std::optional<PlanRecord> record;
  {
    const test::RandomWeightsFile weights;
    record = make_record(plan_of_tabicl());
  }
  const PlanRecord extended = extend_record(*record, small_plan(), "plan.json");
  EXPECT_EQ(extended.methods, (std::vector<std::string>{"tabicl", "oscbo"}));
  EXPECT_EQ(extended.options.at("tabicl"), record->options.at("tabicl"));
}

TEST(PlanRecord, ADifferentVersionOrBuildIsAConflict) {
  PlanRecord record = make_record(small_plan());
  record.version = "0.0.1";
  EXPECT_NE(conflict(record, small_plan()).find("version"), std::string::npos);
  record = make_record(small_plan());
  record.build = "another compiler";
  EXPECT_NE(conflict(record, small_plan()).find("another compiler"), std::string::npos);
}

TEST(PlanRecord, ADifferentTableIsAConflict) {
  const auto tasks = [](const std::string& source) {
    Tasks result;
    for (const char* const name : {"branin", "table:mine.csv"}) {
      result.emplace(name, make_problem("branin"));
    }
    result.at("table:mine.csv").source = source;
    return result;
  };
  PlanRecord record = make_record(small_plan());
  add_sources(record, tasks("one"), "dir/plan.json");
  EXPECT_EQ(record.sources, (std::map<std::string, std::string>{{"table:mine.csv", "one"}}));
  EXPECT_EQ(parse_record(to_json(record), "dir/plan.json"), record);
  EXPECT_NO_THROW(add_sources(record, tasks("one"), "dir/plan.json"));

  const Error error = error_of([&] { add_sources(record, tasks("two"), "dir/plan.json"); });
  EXPECT_EQ(error.code(), ErrorCode::conflict);
  EXPECT_STREQ(error.what(),
               "dir/plan.json: the source of table:mine.csv was 'one' for the runs there and is "
               "'two' now; choose another --out");
}

TEST(PlanRecord, AddsAMissingSourceWhenContinued) {
  ExperimentPlan plan = small_plan();
  plan.tasks = {"lunar12-quick"};
  PlanRecord record = make_record(plan);
  ASSERT_TRUE(record.sources.empty());
  const Tasks tasks = check_plan(plan);
  add_sources(record, tasks, "dir/plan.json");
  EXPECT_EQ(record.sources.at("lunar12-quick"), tasks.at("lunar12-quick").source);
  EXPECT_NE(record.sources.at("lunar12-quick"), "");

  record.sources["lunar12-quick"] = "reference 300, Box2D 2.4.1";
  EXPECT_EQ(error_of([&] { add_sources(record, tasks, "dir/plan.json"); }).code(),
            ErrorCode::conflict);
}

TEST(PlanRecord, FromBeforeTablesIsAccepted) {
  const PlanRecord record = make_record(small_plan());
  std::string text = to_json(record);
  const std::size_t sources = text.find(",\n  \"sources\"");
  ASSERT_NE(sources, std::string::npos);
  text.replace(sources, text.rfind('}') - sources, "\n");
  EXPECT_EQ(parse_record(text, "plan.json"), record);
}

TEST(PlanRecord, RefusesOtherFiles) {
  for (const char* text :
       {"", "{}", "[1, 2]", R"({"format": 2})", R"({"format": 1, "steps": 3})"}) {
    const Error error = error_of([&] { (void)parse_record(text, "dir/plan.json"); });
    EXPECT_EQ(error.code(), ErrorCode::conflict) << text;
    EXPECT_EQ(error.field(), "dir/plan.json");
  }
}

}  // namespace
}  // namespace oscbo::experiment
