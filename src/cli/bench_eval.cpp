#include <cerrno>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <system_error>

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
std::string evaluate(const Problem& problem, std::istream& stream, const std::string& name) {
  std::string values;
  read_points(stream, name, problem, [&](std::span<const double> point) {
    fmt::format_to(std::back_inserter(values), "{:.17g}\n", problem.value(point));
  });
  return values;
}

void run_eval(const EvalArguments& arguments) {
  const Problem problem = make_problem(arguments.task);
  if (arguments.points == "-") {
    print(evaluate(problem, std::cin, "standard input"));
    return;
  }
  std::ifstream file(arguments.points, std::ios::binary);
  if (!file) {
    throw Error(ErrorCode::io, arguments.points,
                fmt::format("cannot be read: {}", std::generic_category().message(errno)));
  }
  print(evaluate(problem, file, arguments.points));
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
      "Prints one value per line, to be maximised, with 17 significant digits.\n\n"
      "Examples:\n"
      "  oscbo bench eval branin --points points.csv\n"
      "  printf 'x1,x2\\n9.42478,2.475\\n' | oscbo bench eval branin --points -");
  command->callback([arguments] { run_eval(*arguments); });
}

}  // namespace oscbo::cli
