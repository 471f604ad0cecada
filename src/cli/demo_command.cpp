#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "counted.hpp"
#include "oscbo/experiment.hpp"
#include "oscbo/report.hpp"
#include "oscbo/theory.hpp"
#include "picture.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

constexpr std::string_view kPictureName = "oscbo-demo.svg";

struct DemoArguments {
  std::string task = "hartmann6";
  std::string data;
  std::string method = "auto";
  std::uint64_t seed = 0;
  int steps = 100;
  std::string out = ".";
  std::vector<std::string> settings;
};

struct FinishedRun {
  std::vector<RunRow> rows;
  TheoryReport theory;  // has no rounds unless the space is a box
};

FinishedRun optimise(const Problem& problem, const RunConfig& config, std::uint64_t seed) {
  const std::atomic<bool>& interrupted = interrupt_flag();
  const ProgressLine line;
  FinishedRun run;
  const auto show = [&](const RunRow& row) {
    run.rows.push_back(row);
    line.show(row.step <= 0 ? fmt::format("initial design  best {:.6g}", row.best)
                            : fmt::format("round {}/{}  best {:.6g}  optimum {:.6g}", row.step,
                                          config.optimizer.budget, row.best, problem.maximum));
    return !interrupted.load();
  };
  const bool complete = run_once(problem, config, seed, show, [&](const Optimizer& optimizer) {
    if (problem.space.is_box()) run.theory = theory(optimizer);
  });
  if (!complete) throw Error(ErrorCode::interrupted, "", "stopped; the demo keeps no results");
  return run;
}

/// Returns the first twelve values, and the total number if there are more.
std::string numbers(std::span<const double> values) {
  constexpr std::size_t kShown = 12;
  std::vector<std::string> texts;
  for (const double value : values.first(std::min(values.size(), kShown))) {
    texts.push_back(fmt::format("{:.4g}", value));
  }
  if (values.size() > kShown) texts.push_back(fmt::format("... {} in all", values.size()));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string best_point(const Space& space, std::span<const RunRow> rows) {
  const int step = rows.back().best_step;
  const auto best = std::ranges::find(rows, step, &RunRow::step);
  return fmt::format("({}), found {}",
                     best->names.empty() ? numbers(best->x) : space.describe(best->x),
                     step > 0 ? fmt::format("in round {}", step) : "in the initial design");
}

std::string time_per_suggestion(std::span<const RunRow> rows) {
  double fit = 0.0;
  double acquisition = 0.0;
  double rounds = 0.0;
  for (const RunRow& row : rows) {
    if (row.step <= 0) continue;
    fit += row.fit_seconds;
    acquisition += row.acquisition_seconds;
    rounds += 1.0;
  }
  return fmt::format("{:.3g} ms (fit {:.3g}, acquisition {:.3g})",
                     1e3 * (fit + acquisition) / rounds, 1e3 * fit / rounds,
                     1e3 * acquisition / rounds);
}

/// Adds rows that assess the whole predicted distributions, not only the interval that is drawn.
void add_calibration_rows(Table& table, std::span<const RunRow> rows) {
  const CalibrationReport report = calibration(rows);
  std::vector<std::string> nominal;
  std::vector<std::string> measured;
  for (const LevelCoverage& level : report.coverage) {
    nominal.push_back(fmt::format("{:.0f}", 100.0 * level.nominal));
    measured.push_back(fmt::format("{:.0f}", 100.0 * level.measured));
  }
  table.add({"coverage by level", fmt::format("{} % at nominal {} %", fmt::join(measured, ", "),
                                              fmt::join(nominal, ", "))});
  table.add({"PIT distance", fmt::format("{:.3f} from uniform", report.pit_distance)});
  table.add({"log score, CRPS", fmt::format("{:.4g} (higher is better), {:.4g} (lower is better)",
                                            report.log_score, report.crps)});
}

std::string cumulative_regret(const RunRow& last, const TheoryReport& theory) {
  if (theory.rounds.empty()) return fmt::format("{:.4g}", last.cumulative_regret);
  const TheoryRound& round = theory.rounds.back();
  const bool certified = round.status == CertificateStatus::certified;
  return fmt::format("{:.4g}; the theory's formula gives {} {:.4g} ({}{})", last.cumulative_regret,
                     certified ? "at most" : "about", round.regret_bound, to_string(round.status),
                     certified ? "" : ", no guarantee");
}

void add_uncertainty(Table& table, const Config& config, std::span<const RunRow> rows,
                     const TheoryReport& theory) {
  const Coverage coverage = measure_coverage(rows);
  if (coverage.predicted == 0) return;
  table.add({"coverage", fmt::format("{} of {} inside their interval (Wilson 95 %: {:.0f} to "
                                     "{:.0f} %)",
                                     coverage.covered, counted(coverage.predicted, "observation"),
                                     100.0 * coverage.lower, 100.0 * coverage.upper)});
  table.add({"nominal coverage", fmt::format("{:.0f} % at beta = {:.3g}", 100.0 * coverage.nominal,
                                             rows.back().prediction->beta)});
  table.add({"mean interval width", fmt::format("{:.4g}", coverage.mean_width)});
  add_calibration_rows(table, rows);
  table.add({"cumulative regret", cumulative_regret(rows.back(), theory)});
  if (rows.back().prediction && !rows.back().prediction->lengthscales.empty()) {
    const bool network = !has_lengthscales(config);
    table.add({network ? "weight, bias variance" : "lengthscale",
               fmt::format("{} ({}last round)", numbers(rows.back().prediction->lengthscales),
                           network ? "" : "unit cube, ")});
  }
}

Table result_table(const Problem& problem, const Config& config, std::span<const RunRow> rows,
                   const TheoryReport& theory, const std::filesystem::path& picture) {
  const RunRow& last = rows.back();
  Table table({"result", "value"});
  table.add({"best value", fmt::format("{:.6g}", last.best)});
  table.add({"known optimum", fmt::format("{:.6g}", problem.maximum)});
  table.add({"simple regret", fmt::format("{:.4g}", last.simple_regret)});
  table.add({"best point", best_point(problem.space, rows)});
  add_uncertainty(table, config, rows, theory);
  table.add({"time per suggestion", time_per_suggestion(rows)});
  table.add({"picture", picture.string()});
  return table;
}

void run_demo(const DemoArguments& arguments) {
  const Problem problem = make_problem(arguments.task, arguments.data);
  const RunConfig config = run_config(arguments.method, arguments.steps, arguments.settings);
  const std::filesystem::path directory = arguments.out;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw Error(ErrorCode::io, arguments.out, "cannot be created: " + error.message());

  const auto [rows, theory] = optimise(problem, config, arguments.seed);
  const std::filesystem::path picture = directory / kPictureName;
  write_picture(picture, convergence_svg(problem, config.optimizer, rows));
  print(fmt::format(
      "{} maximises {}, seed {}: {}, then {}\n\n{}", arguments.method, problem.name, arguments.seed,
      counted(config.optimizer.initial_points, "initial point"),
      counted(config.optimizer.budget, "round"),
      result_table(problem, config.optimizer, rows, theory, picture).render(Format::table)));
}

}  // namespace

void add_demo(CLI::App& program) {
  CLI::App* command = program.add_subcommand("demo", "Optimise a test function and draw the run");
  auto arguments = std::make_shared<DemoArguments>();
  command->add_option("--task", arguments->task, "Task to optimise")->capture_default_str();
  command->add_option("--method", arguments->method, "Method")->capture_default_str();
  add_seed(*command, arguments->seed);
  command->add_option("--steps", arguments->steps, "Rounds after the initial design")
      ->capture_default_str();
  command->add_option("--out", arguments->out, "Directory for the picture")
      ->type_name("DIR")
      ->capture_default_str();
  add_data(*command, arguments->data);
  add_settings(*command, arguments->settings);
  command->footer(
      "Prints a result table and draws oscbo-demo.svg: the regret, and every observation with its\n"
      "predicted interval.\n\n"
      "Examples:\n"
      "  oscbo demo\n"
      "  oscbo demo --task branin --steps 30 --method gp-ucb-mll --out pictures");
  command->callback([arguments] { run_demo(*arguments); });
}

}  // namespace oscbo::cli
