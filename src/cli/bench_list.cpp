#include <memory>

#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "oscbo/options.hpp"
#include "oscbo/problem.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

void run_list(const std::string& format) {
  Table table({"kind", "name", "domain", "meaning"});
  for (const ProblemInfo& task : problems()) {
    table.add({"task", task.name, task.domain, task.meaning});
  }
  for (const MethodInfo& method : methods()) {
    table.add({"method", method.name, std::monostate{}, method.meaning});
  }
  print(table.render(parse_format(format)));
}

}  // namespace

void add_bench_list(CLI::App& bench) {
  CLI::App* command = bench.add_subcommand("list", "List tasks and methods");
  auto format = std::make_shared<std::string>("table");
  add_format(*command, *format);
  command->footer(
      "A name with <d> stands for one task per dimension d: type levy<d> as levy5.\n\n"
      "Examples:\n"
      "  oscbo bench list\n"
      "  oscbo bench list --format csv");
  command->callback([format] { run_list(*format); });
}

void add_bench(CLI::App& program) {
  CLI::App* bench = program.add_subcommand("bench", "List test tasks and run experiments on them");
  bench->require_subcommand(1);
  bench->footer(
      "Examples:\n"
      "  oscbo bench list\n"
      "  oscbo bench run --tasks levy5 --methods auto,oscbo --seeds 5 --out results\n"
      "  oscbo bench report results\n"
      "  oscbo bench run --help");
  add_bench_list(*bench);
  add_bench_space(*bench);
  add_bench_eval(*bench);
  add_bench_run(*bench);
  add_bench_report(*bench);
  add_bench_paper(*bench);
  add_bench_calibration(*bench);
  add_bench_trace(*bench);
  add_bench_theory(*bench);
  add_bench_lander(*bench);
  add_bench_latency(*bench);
}

}  // namespace oscbo::cli
