#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "oscbo/problem.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

struct SpaceArguments {
  std::string task;
  std::string data;
};

}  // namespace

void add_bench_space(CLI::App& bench) {
  CLI::App* command = bench.add_subcommand("space", "Print the search space of a task as JSON");
  auto arguments = std::make_shared<SpaceArguments>();
  command->add_option("task", arguments->task, "Task, e.g. two-models")->required();
  add_data(*command, arguments->data);
  command->footer(
      "Prints parameters, mixtures, constraints and outcomes in the format of docs/spaces.md.\n\n"
      "Examples:\n"
      "  oscbo bench space two-models\n"
      "  oscbo bench space levy5");
  command->callback([arguments] {
    print(make_problem(arguments->task, arguments->data).space.to_json() + '\n');
  });
}

}  // namespace oscbo::cli
