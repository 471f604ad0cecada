#include <iostream>
#include <iterator>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "oscbo/problem.hpp"
#include "points.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

struct EvalArguments {
  std::string task;
  std::string points;
  std::string data;
};

/// Values are printed only once every point has been accepted.
std::string evaluate(const Problem& problem, const TextTable& points) {
  std::string values;
  for (const std::vector<double>& point : points_of(points, problem)) {
    fmt::format_to(std::back_inserter(values), "{:.17g}\n", problem.value(point));
  }
  return values;
}

void run_eval(const EvalArguments& arguments) {
  const Problem problem = make_problem(arguments.task, arguments.data);
  print(evaluate(problem, arguments.points == "-" ? read_text_table(std::cin, "standard input")
                                                  : read_text_table(arguments.points)));
}

}  // namespace

void add_bench_eval(CLI::App& bench) {
  CLI::App* command = bench.add_subcommand("eval", "Evaluate a task at points of a CSV file");
  auto arguments = std::make_shared<EvalArguments>();
  command->add_option("task", arguments->task, "The task, e.g. levy5")->required();
  command
      ->add_option("--points", arguments->points,
                   "CSV file with a header row and a point per line in native units; - is "
                   "standard input")
      ->type_name("FILE")
      ->required();
  add_data(*command, arguments->data);
  command->footer(
      "Prints one value per line, to be maximised, with 17 significant digits. The columns are in\n"
      "the order of the task's parameters, or in any order under their names where these are more\n"
      "than x1, x2, ...: 'oscbo bench space TASK' shows them. A cell is empty where its parameter\n"
      "is not active.\n\n"
      "Examples:\n"
      "  oscbo bench eval branin --points points.csv\n"
      "  printf 'x1,x2\\n9.42478,2.475\\n' | oscbo bench eval branin --points -\n"
      "  printf 'region,t,x2\\na,0.17,2.3\\n' | oscbo bench eval branin-regions --points -\n"
      "  oscbo bench eval crossbarrel4 --points points.csv --data tables\n"
      "  oscbo bench eval table:measurements.csv --points points.csv");
  command->callback([arguments] { run_eval(*arguments); });
}

}  // namespace oscbo::cli
