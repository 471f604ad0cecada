#include <algorithm>
#include <functional>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "counted.hpp"
#include "oscbo/error.hpp"
#include "oscbo/lander_search.hpp"
#include "picture.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

constexpr std::string_view kQuickTask = "lunar12-quick";

struct LanderArguments {
  std::vector<double> weights = lander::best_known_weights();
  std::size_t terrains = lander::kTerrains;
  std::string svg;
  int search = 0;
  std::string task = "lunar12";
  std::vector<double> from = lander::hand_written_weights();
  std::uint64_t seed = 0;
  int jobs = 1;
  std::string format = "table";
};

/// The mean is a row for people only; programs compute it from the other rows.
Table flight_table(const std::vector<lander::Flight>& flights, Format format) {
  Table table({"terrain", "outcome", "steps", "return"});
  for (const lander::Flight& flight : flights) {
    table.add({static_cast<std::int64_t>(flight.terrain), std::string(to_string(flight.outcome)),
               std::int64_t{flight.steps}, flight.reward});
  }
  if (format == Format::table) {
    const auto landed =
        std::ranges::count(flights, lander::Landing::rested, &lander::Flight::outcome);
    table.add({std::string("mean"), fmt::format("{} of {} rested", landed, flights.size()),
               std::monostate{}, lander::mean_return(flights)});
  }
  return table;
}

void run_flights(const LanderArguments& arguments) {
  const Format format = parse_format(arguments.format);
  lander::check_weights(arguments.weights, "--weights");
  if (arguments.svg.empty()) {
    const auto flights = lander::fly_terrains(arguments.weights, arguments.terrains);
    print(flight_table(flights, format).render(format));
    return;
  }
  const auto [flights, svg] = lander::draw_flights(arguments.weights, arguments.terrains);
  write_picture(arguments.svg, svg);
  print(flight_table(flights, format).render(format));
}

/// Returns a row per search, best first. All digits are shown so that the weights can be reused.
Table search_table(const std::vector<lander::SearchResult>& results, Format format) {
  const auto exact = [&](double value) {
    return format == Format::table ? Cell(fmt::format("{:.17g}", value)) : Cell(value);
  };
  Table table({"start", "evaluations", "start_value", "value", "weights"});
  for (const lander::SearchResult& result : results) {
    table.add({std::string(result.random_start ? "random" : "given"),
               std::int64_t{result.evaluations}, exact(result.start_value), exact(result.value),
               fmt::format("{:.17g}", fmt::join(result.weights, ","))});
  }
  return table;
}

void run_search(const LanderArguments& arguments) {
  const Format format = parse_format(arguments.format);
  lander::check_start(arguments.from, "--from");
  const bool quick = arguments.task == kQuickTask;
  const lander::SearchPlan plan{.start = arguments.from,
                                .terrains = quick ? lander::kQuickTerrains : lander::kTerrains,
                                .evaluations = arguments.search,
                                .seed = arguments.seed,
                                .jobs = arguments.jobs};
  std::vector<lander::SearchResult> results;
  {
    const ProgressLine line;
    results = lander::search_weights(
        plan,
        [&](int done, int total) {
          line.show(fmt::format("{}/{}", done, counted(total, "evaluation")));
        },
        &interrupt_flag());
  }
  std::ranges::stable_sort(results, std::greater{}, &lander::SearchResult::value);
  print(search_table(results, format).render(format));
  int done = 0;
  for (const lander::SearchResult& result : results) done += result.evaluations;
  if (done < plan.evaluations) {
    throw Error(ErrorCode::interrupted, "",
                fmt::format("stopped after {} of {}; the results so far are printed", done,
                            counted(plan.evaluations, "evaluation")));
  }
}

CLI::Option* add_weights(CLI::App& command, const std::string& name, std::vector<double>& weights,
                         const std::string& meaning) {
  return command.add_option(name, weights, meaning)
      ->type_name("W0,..,W11")
      ->delimiter(',')
      ->allow_extra_args(false);
}

}  // namespace

void add_bench_lander(CLI::App& bench) {
  CLI::App* command = bench.add_subcommand("lander", "Fly the lunar lander, or search its weights");
  auto arguments = std::make_shared<LanderArguments>();
  CLI::Option* search =
      command->add_option("--search", arguments->search, "Search for weights with N evaluations")
          ->type_name("N")
          ->check(CLI::Range(1, 10000000).description(""));
  add_weights(*command, "--weights", arguments->weights,
              "Weights of the controller (default: the best known)")
      ->excludes(search);
  command->add_option("--terrains", arguments->terrains, "Fly the terrains 0 .. N-1")
      ->type_name("N")
      ->check(CLI::Range(1, 1000).description(""))
      ->excludes(search)
      ->capture_default_str();
  command->add_option("--svg", arguments->svg, "Draw the flights to this file")
      ->type_name("FILE")
      ->excludes(search);
  command->add_option("--task", arguments->task, "Task whose terrains to search on")
      ->check(CLI::IsMember({arguments->task, std::string(kQuickTask)}))
      ->needs(search)
      ->capture_default_str();
  add_weights(*command, "--from", arguments->from,
              "Start of the first search (default: the hand-written controller)")
      ->needs(search);
  command->add_option("--jobs", arguments->jobs, "Worker threads; never changes a result")
      ->check(CLI::Range(1, 1024).description(""))
      ->needs(search)
      ->capture_default_str();
  add_seed(*command, arguments->seed);
  command->get_option("--seed")->needs(search);
  add_format(*command, arguments->format);
  command->footer(
      "Without --search, prints a row per terrain and the mean. For 50 terrains, the mean is\n"
      "the value of lunar12. With --search, runs local searches of at most 1500 evaluations and\n"
      "prints a row per search, best first. The first search starts at --from, each other one at\n"
      "the best of 50 random points. docs/lander.md describes the task.\n\n"
      "Examples:\n"
      "  oscbo bench lander --terrains 10 --svg lander.svg\n"
      "  oscbo bench lander --weights 0.5,1,0.4,0.55,0.5,1,0.5,0.5,0,0.5,0.05,0.05\n"
      "  oscbo bench lander --search 3000 --task lunar12-quick --jobs 2");
  command->callback([arguments] {
    if (arguments->search > 0) {
      run_search(*arguments);
    } else {
      run_flights(*arguments);
    }
  });
}

}  // namespace oscbo::cli
