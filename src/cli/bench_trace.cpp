#include <memory>

#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "oscbo/experiment.hpp"
#include "oscbo/theory.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

struct TraceArguments {
  std::string task;
  std::string data;
  std::string method = "auto";
  std::uint64_t seed = 0;
  int steps = 100;
  std::optional<double> reference;
  std::vector<std::string> settings;
  std::string format = "table";
};

Table trace_table(const std::vector<RunRow>& rows, const TheoryReport& report) {
  Table table({"step", "y", "best", "regret", "bound", "sum_of_widths", "status", "coverage",
               "log_evidence", "beta", "information", "information_bound", "margin", "gap",
               "violation"});
  auto round = report.rounds.begin();
  for (const RunRow& row : rows) {
    if (!row.feedback) continue;
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    table.add({std::int64_t{row.step}, row.y, row.best, row.cumulative_regret, round->regret_bound,
               round->sum_of_widths, std::string(to_string(round->status)), round->coverage,
               round->log_evidence, round->beta, round->information_gain,
               round->information_bound.value_or(nothing), round->margin, round->optimality_gap,
               round->violation});
    ++round;
  }
  return table;
}

void run_trace(const TraceArguments& arguments) {
  const Format format = parse_format(arguments.format);
  const Problem problem = make_problem(arguments.task, arguments.data);
  const RunConfig config = run_config(arguments.method, arguments.steps, arguments.settings);
  std::vector<RunRow> rows;
  TheoryReport report;
  const bool finished = run_once(
      problem, config, arguments.seed,
      [&](const RunRow& row) {
        rows.push_back(row);
        return !interrupt_flag();
      },
      [&](const Optimizer& optimizer) { report = theory(optimizer, arguments.reference); });
  if (!finished) throw Error(ErrorCode::interrupted, "bench trace", "stopped");
  if (report.rounds.empty()) {
    throw Error(ErrorCode::conflict, "--method",
                arguments.method + " has no model, so there is no theory to trace");
  }
  print(trace_table(rows, report).render(format));
}

}  // namespace

void add_bench_trace(CLI::App& bench) {
  CLI::App* command =
      bench.add_subcommand("trace", "Print the quantities of the theory along one run");
  auto arguments = std::make_shared<TraceArguments>();
  command->add_option("task", arguments->task, "Task")->type_name("TASK")->required();
  command->add_option("--method", arguments->method, "Method")->capture_default_str();
  add_seed(*command, arguments->seed);
  command->add_option("--steps", arguments->steps, "Rounds after the initial design")
      ->capture_default_str();
  command->add_option("--reference", arguments->reference,
                      "Reference lengthscale of the optimality gap (default: the most likely)");
  add_data(*command, arguments->data);
  add_settings(*command, arguments->settings);
  add_format(*command, arguments->format);
  command->footer(
      "Prints a row per round: the cumulative regret, the bound of Corollary 1, how reliable the\n"
      "bound is (certified, heuristic, or void if the coverage so far contradicts it), the\n"
      "information gain, feasibility margin, optimality gap and calibration violation.\n\n"
      "Examples:\n"
      "  oscbo bench trace hartmann3 --steps 30\n"
      "  oscbo bench trace branin --method gp-ucb --set kernel.lengthscale=0.3 --set width.B=400");
  command->callback([arguments] { run_trace(*arguments); });
}

}  // namespace oscbo::cli
