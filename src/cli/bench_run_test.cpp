// Experiments through the program: the same command gives the same bytes, even after interruptions.
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "oscbo/options.hpp"
#include "test_process.hpp"
#include "weights/random_file_test_support.hpp"

namespace oscbo::cli {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kInstrumented = true;
#elif defined(__has_feature)
constexpr bool kInstrumented = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kInstrumented = false;
#endif

class BenchRun : public testing::Test {
 protected:
  /// Returns the arguments of a small grid whose results go to `name`.
  [[nodiscard]] Arguments grid(const std::string& name, const Arguments& more = {}) const {
    Arguments arguments = {"bench",     "run",
                           "--tasks",   "branin,hartmann3",
                           "--methods", "oscbo,gp-ucb-mll",
                           "--seeds",   "3",
                           "--steps",   "5",
                           "--out",     workspace_ / name};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  [[nodiscard]] std::string result(const std::string& name, const std::string& file) const {
    return file_text(workspace_ / (name + '/' + file));
  }

  [[nodiscard]] bool has(const std::string& name) const {
    return std::filesystem::exists(workspace_ / name);
  }

  /// path returns the directory of the results called `name`.
  [[nodiscard]] std::string path(const std::string& name) const { return workspace_ / name; }

 private:
  TemporaryFolder workspace_;
};

TEST_F(BenchRun, PrintsItsSummary) {
  const Outcome outcome = oscbo(grid("a", {"--format", "csv"}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "") << "progress is shown only on a terminal";
  EXPECT_EQ(outcome.out, result("a", "summary.csv"));
  const auto rows = nlohmann::json::parse(oscbo(grid("a", {"--format", "json"})).out);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].at("seeds"), 3);
  EXPECT_TRUE(rows[0].at("simple_regret").is_number());
  EXPECT_EQ(oscbo(grid("a")).out.substr(0, 14), "task       met");
}

TEST_F(BenchRun, GivesTheSameBytesForAnyJobsAndEveryTime) {
  ASSERT_EQ(oscbo(grid("one", {"--jobs", "1"})).status, 0);
  ASSERT_EQ(oscbo(grid("two", {"--jobs", "2"})).status, 0);
  ASSERT_EQ(oscbo(grid("again", {"--jobs", "1"})).status, 0);
  for (const char* file :
       {"runs.csv", "queries.csv", "calibration.csv", "summary.csv", "plan.json"}) {
    EXPECT_EQ(result("one", file), result("two", file)) << file;
    EXPECT_EQ(result("one", file), result("again", file)) << file;
  }
}

TEST_F(BenchRun, KilledAtTenRandomMomentsAndContinuedGivesTheSameBytes) {
  using Clock = std::chrono::steady_clock;
  const Arguments variants = {"--sweep", "kernel.nu=0.5,1.5,2.5", "--jobs", "2"};
  const Clock::time_point start = Clock::now();
  ASSERT_EQ(oscbo(grid("whole", variants)).status, 0);
  const std::chrono::duration<double> whole = Clock::now() - start;

  // Short enough that work is left at the tenth kill, unless the whole run was slow.
  std::mt19937 generator(20240607);
  std::uniform_real_distribution<double> delay(0.0, whole.count() / 10);
  int hits = 0;
  for (int kill = 0; kill < 10; ++kill) {
    const Process process(oscbo_command(grid("killed", variants)));
    std::this_thread::sleep_for(std::chrono::duration<double>(delay(generator)));
    process.signal(SIGKILL);
    const int status = process.wait().status;
    ASSERT_TRUE(status == -SIGKILL || status == 0) << "kill " << kill << ": " << status;
    if (status == -SIGKILL) ++hits;
  }
  EXPECT_GE(hits, 5);
  ASSERT_EQ(oscbo(grid("killed", variants)).status, 0);
  for (const char* file :
       {"runs.csv", "queries.csv", "calibration.csv", "outcomes.csv", "summary.csv", "plan.json"}) {
    EXPECT_EQ(result("killed", file), result("whole", file)) << file;
  }
}

TEST_F(BenchRun, SweepsAnOption) {
  ASSERT_EQ(
      oscbo({"bench", "run", "--tasks", "branin", "--methods", "oscbo,gp-ucb-mll+beta=1", "--sweep",
             "kernel.nu=0.5,2.5", "--seeds", "1", "--steps", "3", "--out", path("swept")})
          .status,
      0);
  const std::string outcomes = result("swept", "outcomes.csv");
  for (const char* method :
       {"oscbo+kernel.nu=0.5", "oscbo+kernel.nu=2.5", "gp-ucb-mll+beta=1+kernel.nu=0.5"}) {
    EXPECT_NE(outcomes.find(std::string("\n") + method + ",branin,0,"), std::string::npos)
        << method;
  }
  const Outcome refused = oscbo(grid("a", {"--sweep", "kernel.nu"}));
  EXPECT_EQ(refused.status, 3);
  EXPECT_TRUE(refused.err.starts_with("oscbo: --sweep: 'kernel.nu'")) << refused.err;
}

TEST_F(BenchRun, StopsCleanlyOnASignal) {
  for (const int number : {SIGINT, SIGTERM}) {
    const std::string name = "stopped" + std::to_string(number);
    const Process process(oscbo_command({"bench", "run", "--tasks", "branin", "--methods", "oscbo",
                                         "--seeds", "5000", "--steps", "20", "--out", path(name)}));
    const std::string first_part = name + "/parts/branin~oscbo~0.part";
    while (process.is_running() && !has(first_part)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    process.signal(number);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.status, 130);
    EXPECT_NE(outcome.err.find("the same command continues"), std::string::npos) << outcome.err;
    EXPECT_TRUE(has(first_part));
    EXPECT_FALSE(has(name + "/runs.csv"));
  }
}

TEST_F(BenchRun, RefusesOtherSettingsInTheSameDirectory) {
  ASSERT_EQ(oscbo(grid("a", {"--set", "kernel.nu=1.5"})).status, 0);
  const std::string before = result("a", "runs.csv");
  const Outcome outcome = oscbo(grid("a"));
  EXPECT_EQ(outcome.status, 5);
  EXPECT_NE(outcome.err.find("kernel.nu of gp-ucb-mll was '1.5'"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(result("a", "runs.csv"), before);
}

TEST_F(BenchRun, RefusesAnInvalidPlanBeforeWritingAnything) {
  EXPECT_EQ(oscbo(grid("a", {"--set", "kernel.mu=1"})).status, 4);
  EXPECT_EQ(oscbo(grid("a", {"--set", "kernel.nu"})).status, 3);
  EXPECT_EQ(oscbo(grid("a", {"--jobs", "0"})).status, 3);
  EXPECT_EQ(
      oscbo({"bench", "run", "--tasks", "branin,nowhere", "--methods", "oscbo", "--out", path("a")})
          .status,
      4);
  EXPECT_FALSE(has("a"));
}

struct BadOption {
  std::string method;
  Arguments settings;
  int status;
  std::string field;
};

TEST_F(BenchRun, RefusesBadOptionsBeforeWritingAnything) {
  const std::vector<BadOption> bad = {
      {"oscbo", {"kernel.nu=0"}, 3, "kernel.nu"},
      {"oscbo", {"kernel.nu=-1"}, 3, "kernel.nu"},
      {"oscbo", {"delta=0"}, 3, "delta"},
      {"oscbo", {"delta=1"}, 3, "delta"},
      {"gp-ucb", {"width.B=0"}, 3, "width.B"},
      {"gp-ucb", {"width.B=-2"}, 3, "width.B"},
      {"oscbo", {"kernel=linear"}, 3, "kernel"},
      {"oscbo", {"kernels=rbf"}, 4, "kernels"},
      {"lb-gp-ucb", {"kernel.ard=true"}, 3, "kernel.ard"},
      {"random", {"kernel.ard=true"}, 3, "kernel.ard"},
      {"sobol", {"kernel.ard=true"}, 3, "kernel.ard"},
      {"vanilla-bo", {"kernel=ibnn"}, 3, "kernel"},
      {"a-gp-ucb", {"kernel=ibnn"}, 3, "kernel"},
      {"lb-gp-ucb", {"kernel=ibnn"}, 3, "kernel"},
      {"oscbo", {"width=theory"}, 3, "width"},
      {"gp-ucb", {"y.standardise=each_round"}, 3, "width"},
  };
  for (const auto& [method, settings, status, field] : bad) {
    Arguments arguments = {"bench",     "run",  "--tasks", "branin",
                           "--methods", method, "--out",   path("a")};
    for (const std::string& setting : settings) {
      arguments.insert(arguments.end(), {"--set", setting});
    }
    const Outcome outcome = oscbo(arguments);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("oscbo: " + field + ": ")) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(has("a")) << outcome.err;
  }
}

TEST_F(BenchRun, RunsEveryMethod) {
  const test::RandomWeightsFile weights;
  std::string names;
  for (const MethodInfo& method : methods()) names += (names.empty() ? "" : ",") + method.name;
  const Outcome outcome = oscbo({"bench", "run", "--tasks", "branin", "--methods", names, "--seeds",
                                 "2", "--steps", "3", "--out", path("a"), "--format", "json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto rows = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(rows.size(), methods().size());
  for (const auto& row : rows) {
    const bool has_model = row.at("method") != "random" && row.at("method") != "sobol";
    EXPECT_TRUE(row.at("simple_regret").is_number());
    EXPECT_EQ(row.at("coverage").is_null(), !has_model) << row;
  }
}

TEST_F(BenchRun, ReportsAFileThatCannotGrow) {
  // A limit on the size of files stands in for a full disk.
  const Outcome outcome = shell(
      "ulimit -f 1; $OSCBO bench run --tasks branin --methods oscbo "
      "--seeds 1 --steps 5 --out " +
      path("a"));
  EXPECT_EQ(outcome.status, 6);
  EXPECT_NE(outcome.err.find("cannot be written: File too large"), std::string::npos)
      << outcome.err;
  EXPECT_FALSE(has("a/runs.csv"));
}

TEST_F(BenchRun, StaysUnderTwentyMegabytesAboveTheBareProcess) {
  if (kInstrumented) GTEST_SKIP() << "instrumentation changes the memory use";
  const long bare = oscbo({"--version"}).peak_memory;
  const Outcome run = oscbo({"bench", "run", "--tasks", "hartmann6", "--methods", "oscbo",
                             "--seeds", "1", "--steps", "100", "--out", path("a")});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_LT(run.peak_memory - bare, 20'000'000 / 1024);
}

TEST_F(BenchRun, NeedsNoMoreMemoryForAThousandRunsSlow) {
  if (kInstrumented) GTEST_SKIP() << "instrumentation changes the memory use";
  const auto peak = [this](const char* seeds) {
    const Outcome run = oscbo({"bench", "run", "--tasks", "branin", "--methods", "random",
                               "--seeds", seeds, "--steps", "100", "--out", path(seeds)});
    EXPECT_EQ(run.status, 0) << run.err;
    return run.peak_memory;
  };
  // The rows of all runs would take 20 MB.
  EXPECT_LT(peak("1000") - peak("10"), 2'000'000 / 1024);
}

}  // namespace
}  // namespace oscbo::cli
