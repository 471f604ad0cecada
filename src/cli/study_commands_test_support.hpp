// Commands on studies, for the tests of these commands.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test_process.hpp"

namespace oscbo::cli {

using Json = nlohmann::json;

class StudyCommands : public testing::Test {
 protected:
  /// A study with x in [0, 1] and kind a or b.
  [[nodiscard]] static std::string study_text(const std::string& settings = "method = \"sobol\"",
                                              const std::string& tables = "",
                                              const std::string& name = "reactor", int budget = 4) {
    return fmt::format(
        "name = \"{}\"\nbudget = {}\n{}\n\n"
        "[parameters.x]\ntype = \"float\"\nlower = 0\nupper = 1\n\n"
        "[parameters.kind]\ntype = \"categorical\"\nvalues = [\"a\", \"b\"]\n\n{}",
        name, budget, settings, tables);
  }

  [[nodiscard]] std::string database() const { return workspace_ / "test.db"; }
  [[nodiscard]] const TemporaryFolder& workspace() const { return workspace_; }

  /// Returns the arguments of a command, with the storage after its name.
  [[nodiscard]] Arguments stored(const Arguments& arguments) const {
    Arguments result = {arguments.front(), "--storage", database()};
    result.insert(result.end(), arguments.begin() + 1, arguments.end());
    return result;
  }

  [[nodiscard]] Outcome call(const Arguments& arguments) const { return oscbo(stored(arguments)); }

  /// Runs a command that must succeed, and returns its output.
  [[nodiscard]] std::string printed(const Arguments& arguments) const {
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }

  /// Returns the rows of a table.
  [[nodiscard]] Json rows(Arguments arguments) const {
    arguments.insert(arguments.begin() + 1, {"--format", "json"});
    return Json::parse(printed(arguments));
  }

  void expect_refused(const Arguments& arguments, int status, const std::string& message) const {
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("oscbo: ")) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, message)) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }

  void make(const std::string& text) const {
    const Outcome outcome = call({"new", workspace_.file("study.toml", text)});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }

  /// Returns the entry called `name` in the summary of a run, or null.
  [[nodiscard]] static Json summary_entry(const Json& summary, const std::string& name) {
    return summary.value(name, Json());
  }

  [[nodiscard]] bool appears(const std::string& name) const {
    for (int i = 0; i < 3000 && !std::filesystem::exists(workspace_ / name); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return std::filesystem::exists(workspace_ / name);
  }

  /// A shell script that signals its start and does not end by itself.
  [[nodiscard]] std::string endless(const std::string& sign) const {
    return "touch '" + (workspace_ / sign) + "'; sleep 60";
  }

 private:
  TemporaryFolder workspace_;
};

}  // namespace oscbo::cli
