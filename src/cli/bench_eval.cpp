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

/// Returns one line per point. Nothing is printed unless every point is accepted.
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
  CLI::App* command = bench.add_subcommand("eval", "Evaluate a task at the points of a CSV file");
  auto arguments = std::make_shared<EvalArguments>();
  command->add_option("task", arguments->task, "Task, e.g. levy5")->required();
  command
      ->add_option("--points", arguments->points,
                   "CSV file with a header row and one point per line in native units; - is "
                   "standard input")
      ->type_name("FILE")
      ->required();
  add_data(*command, arguments->data);
  command->footer(
      "Prints one value per line in maximisation form, with 17 significant digits. The columns "
      "are\n"
      "in the order of the task's parameters. If the parameters have names other than x1, x2, "
      "...,\n"
      "columns with these names may be in any order; 'oscbo bench space TASK' shows the names. "
      "The\n"
      "cell of an inactive parameter is empty.\n\n"
      "Examples:\n"
      "  oscbo bench eval branin --points points.csv\n"
      "  printf 'x1,x2\\n9.42478,2.475\\n' | oscbo bench eval branin --points -\n"
      "  printf 'region,t,x2\\na,0.17,2.3\\n' | oscbo bench eval branin-regions --points -\n"
      "  oscbo bench eval crossbarrel4 --points points.csv --data tables\n"
      "  oscbo bench eval table:measurements.csv --points points.csv");
  command->callback([arguments] { run_eval(*arguments); });
}

}  // namespace oscbo::cli
