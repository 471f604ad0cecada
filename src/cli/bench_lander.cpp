#include <algorithm>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "oscbo/error.hpp"
#include "oscbo/lander.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

struct LanderArguments {
  std::vector<double> from;
  int search = 0;
  std::string task = "lunar12";
  std::uint64_t seed = 0;
  int jobs = 1;
  std::string format = "table";
};

std::size_t terrains_of(const std::string& task) {
  return task == "lunar12" ? lander::kTerrains : lander::kQuickTerrains;
}

/// A row per search; the weights with all their digits, so that they can be given back.
Table search_table(const std::vector<lander::SearchResult>& results) {
  Table table({"start", "evaluations", "start value", "value", "weights"});
  for (const lander::SearchResult& result : results) {
    table.add({std::string(result.random_start ? "random" : "given"),
               std::int64_t{result.evaluations}, fmt::format("{:.17g}", result.start_value),
               fmt::format("{:.17g}", result.value),
               fmt::format("{:.17g}", fmt::join(result.weights, ","))});
  }
  return table;
}

void run_search(const LanderArguments& arguments) {
  lander::SearchPlan plan{.terrains = terrains_of(arguments.task),
                          .evaluations = arguments.search,
                          .seed = arguments.seed,
                          .jobs = arguments.jobs};
  if (!arguments.from.empty()) plan.start = arguments.from;
  std::vector<lander::SearchResult> results;
  {
    const ProgressLine line;
    results = lander::search_weights(
        plan,
        [&](int done, int total) { line.show(fmt::format("{}/{} evaluations", done, total)); },
        &interrupt_flag());
  }
  std::ranges::stable_sort(results, std::greater{}, &lander::SearchResult::value);
  print(search_table(results).render(parse_format(arguments.format)));
}

}  // namespace

void add_bench_lander(CLI::App& bench) {
  CLI::App* command = bench.add_subcommand("lander", "Fly the lunar lander, or search its weights");
  auto arguments = std::make_shared<LanderArguments>();
  CLI::Option* search =
      command->add_option("--search", arguments->search, "Search with this many evaluations")
          ->type_name("N")
          ->check(CLI::Range(1, 10000000));
  command->add_option("--task", arguments->task, "Whose terrains to search on")
      ->check(CLI::IsMember({"lunar12", "lunar12-quick"}))
      ->needs(search)
      ->capture_default_str();
  command
      ->add_option("--from", arguments->from,
                   "Where the first search starts; the hand-written controller if not given")
      ->type_name("W0,..,W11")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->needs(search);
  command->add_option("--jobs", arguments->jobs, "Worker threads; never changes a result")
      ->check(CLI::Range(1, 1024))
      ->needs(search)
      ->capture_default_str();
  add_seed(*command, arguments->seed);
  add_format(*command, arguments->format);
  command->callback([arguments] { run_search(*arguments); });
}

}  // namespace oscbo::cli
