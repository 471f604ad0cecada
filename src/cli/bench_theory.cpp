#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "counted.hpp"
#include "oscbo/error.hpp"
#include "oscbo/paper.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

struct TheoryArguments {
  int runs = 200;
  std::uint64_t seed = 0;
  std::string format = "table";
};

void run_theory(const TheoryArguments& arguments) {
  const Format format = parse_format(arguments.format);
  std::vector<TheoryCheck> checks;
  {
    const ProgressLine line;
    checks = check_theory(arguments.runs, arguments.seed, [&](int done, int total) {
      if (interrupt_flag()) throw Error(ErrorCode::interrupted, "bench theory", "stopped");
      line.show(fmt::format("{}/{}", done, counted(total, "run")));
    });
  }
  Table table({"claim", "runs", "count", "fraction", "promised", "holds"});
  for (const TheoryCheck& check : checks) {
    table.add({check.claim, std::int64_t{check.runs}, std::int64_t{check.count},
               static_cast<double>(check.count) / check.runs,
               fmt::format("{} {}", check.at_least ? ">=" : "<=", check.limit),
               std::string(check.holds() ? "yes" : "no")});
  }
  print(table.render(format));
}

}  // namespace

void add_bench_theory(CLI::App& bench) {
  CLI::App* command =
      bench.add_subcommand("theory", "Check the guarantees of the theory on simulated runs");
  auto arguments = std::make_shared<TheoryArguments>();
  command->add_option("--runs", arguments->runs, "Number of runs per guarantee")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  add_seed(*command, arguments->seed);
  add_format(*command, arguments->format, true);
  command->footer(
      "Tests the confidence width and the certificate on functions of known norm with Gaussian\n"
      "noise, and the coverage test on observations drawn from a known Gaussian process.\n"
      "docs/theory.md states the guarantees and shows a result.\n\n"
      "Examples:\n"
      "  oscbo bench theory\n"
      "  oscbo bench theory --runs 1000 --format json");
  command->callback([arguments] { run_theory(*arguments); });
}

}  // namespace oscbo::cli
