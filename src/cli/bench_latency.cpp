#include <algorithm>
#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "counted.hpp"
#include "oscbo/error.hpp"
#include "oscbo/latency.hpp"
#include "picture.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

constexpr int kMostPoints = 100000;
constexpr int kMostDimensions = 1000;
constexpr int kMostAsks = 100000;

struct LatencyArguments {
  LatencyPlan plan;
  std::string plot;
  std::string format = "table";
};

std::string readable_size(std::size_t bytes) {
  const double mib = static_cast<double>(bytes) / (1024.0 * 1024.0);
  return mib < 1000.0 ? fmt::format("{:.3g} MiB", mib) : fmt::format("{:.3g} GiB", mib / 1024.0);
}

/// The table for people: times have units.
Table latency_table(const LatencyReport& report) {
  Table table(
      {"d", "n", "ask p50", "p90", "p99", "refit", "amortised", "tell p50", "p90", "p99", "model"});
  for (const LatencyRow& row : report.rows) {
    table.add({std::int64_t{row.dimension}, std::int64_t{row.points}, readable_time(row.ask.median),
               readable_time(row.ask.p90), readable_time(row.ask.p99), readable_time(row.refit),
               readable_time(row.amortised), readable_time(row.tell.median),
               readable_time(row.tell.p90), readable_time(row.tell.p99),
               readable_size(row.model_bytes)});
  }
  return table;
}

Table growth_table(const std::vector<LatencyGrowth>& growth) {
  Table table({"d", "growth exponent"});
  for (const LatencyGrowth& line : growth) {
    // NaN becomes an empty cell. Digits after the second decimal are noise.
    table.add({std::int64_t{line.dimension}, std::round(100.0 * line.exponent) / 100.0});
  }
  return table;
}

std::string latency_text(const LatencyReport& report, Format format) {
  std::string text = fmt::format("{}, {}\n\n{}", report.method, counted(report.threads, "thread"),
                                 latency_table(report).render(format));
  const bool fitted = std::ranges::any_of(
      report.growth, [](const LatencyGrowth& line) { return !std::isnan(line.exponent); });
  if (fitted) text += '\n' + growth_table(report.growth).render(format);
  return text;
}

double exponent_of(const LatencyReport& report, int dimension) {
  return std::ranges::find(report.growth, dimension, &LatencyGrowth::dimension)->exponent;
}

/// The table for programs: each row has everything, and times are in seconds.
Table latency_record(const LatencyReport& report) {
  Table table({"method", "threads", "d", "n", "asks", "ask_p50_seconds", "ask_p90_seconds",
               "ask_p99_seconds", "refit_seconds", "refit_share", "amortised_seconds",
               "tell_p50_seconds", "tell_p90_seconds", "tell_p99_seconds", "model_bytes",
               "growth_exponent"});
  for (const LatencyRow& row : report.rows) {
    table.add({report.method, std::int64_t{report.threads}, std::int64_t{row.dimension},
               std::int64_t{row.points}, std::int64_t{row.asks}, row.ask.median, row.ask.p90,
               row.ask.p99, row.refit, row.refit_share, row.amortised, row.tell.median,
               row.tell.p90, row.tell.p99, static_cast<std::int64_t>(row.model_bytes),
               exponent_of(report, row.dimension)});
  }
  return table;
}

void run_latency(const LatencyArguments& arguments) {
  const Format format = parse_format(arguments.format);
  LatencyReport report;
  {
    const ProgressLine line;
    report = measure_latency(arguments.plan, [&](const LatencyProgress& at) {
      if (interrupt_flag()) throw Error(ErrorCode::interrupted, "bench latency", "stopped");
      line.show(
          fmt::format("row {} of {}: d = {}, n = {}", at.row, at.rows, at.dimension, at.points));
    });
  }
  const bool for_people = format == Format::table || format == Format::markdown;
  print(for_people ? latency_text(report, format) : latency_record(report).render(format));
  // The picture comes last, so that a missing directory loses only the picture.
  if (!arguments.plot.empty()) write_picture(arguments.plot, latency_svg(report));
}

void add_numbers(CLI::App& command, const std::string& flag, std::vector<int>& numbers, int most,
                 const std::string& description) {
  command.add_option(flag, numbers, description)
      ->type_name("N,M,..")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1, most).description(""))
      ->capture_default_str();
}

}  // namespace

void add_bench_latency(CLI::App& bench) {
  CLI::App* command = bench.add_subcommand("latency", "Measure how long ask and tell take");
  auto arguments = std::make_shared<LatencyArguments>();
  LatencyPlan& plan = arguments->plan;
  command->add_option("--method", plan.method, "Method or variant")->capture_default_str();
  add_numbers(*command, "--points", plan.points, kMostPoints,
              "Numbers of observations, comma-separated");
  add_numbers(*command, "--dimensions", plan.dimensions, kMostDimensions,
              "Numbers of parameters, comma-separated");
  command->add_option("--asks", plan.asks, "Minimum number of rounds to measure per row")
      ->type_name("N")
      ->check(CLI::Range(1, kMostAsks).description(""))
      ->capture_default_str();
  add_seed(*command, plan.seed);
  add_settings(*command, plan.settings);
  command->add_option("--plot", arguments->plot, "Draw the times to this file")
      ->type_name("FILE.svg");
  add_format(*command, arguments->format, true);
  command->footer(
      "Prints a row per number of parameters d and number of observations n: quantiles of the "
      "times\n"
      "of ask and tell, the time of an ask that learns the hyperparameters from scratch (refit), "
      "the\n"
      "mean ask of a long run (amortised), and the memory of the model. A second table has the\n"
      "growth exponent: the p if the amortised ask grows like n^p from n = 300 to 3000.\n"
      "docs/performance.md describes the measurements. The default rows take a few minutes.\n\n"
      "Examples:\n"
      "  oscbo bench latency --points 10,100,1000 --set threads=1\n"
      "  oscbo bench latency --points 300,1000,3000 --dimensions 6 --plot latency.svg\n"
      "  oscbo bench latency --method oscbo+learner.solver=exact --points 10,100 --format json");
  command->callback([arguments] { run_latency(*arguments); });
}

}  // namespace oscbo::cli
