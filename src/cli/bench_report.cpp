#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "oscbo/report.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

struct ReportArguments {
  std::string directory;
  std::string reference;
  bool without_figures = false;
  std::string format = "table";
};

Cell letters_cell(const MeanRank& rank) {
  return rank.letters.empty() ? Cell{} : Cell{rank.letters};
}

Table rank_table(const std::vector<MethodRanks>& ranks) {
  Table table({"method", "tasks", "simple_rank", "simple_error", "simple_letters",
               "cumulative_rank", "cumulative_error", "cumulative_letters"});
  for (const auto& [method, tasks, simple, cumulative] : ranks) {
    table.add({method, static_cast<std::int64_t>(tasks), simple.mean, simple.error,
               letters_cell(simple), cumulative.mean, cumulative.error, letters_cell(cumulative)});
  }
  return table;
}

/// Lists the files written on standard error: standard output has only the table.
void name_files(const ReportFiles& files) {
  std::string text = fmt::format("{}\n{}", files.page.string(), files.markdown.string());
  if (!files.figures.empty()) text += fmt::format("\n{}", (files.figures / "").string());
  complain(text);
}

void run_report(const ReportArguments& arguments) {
  const Format format = parse_format(arguments.format);
  ReportFiles files;
  {
    const ProgressLine line;
    files = write_report(arguments.directory,
                         {.reference = arguments.reference, .figures = !arguments.without_figures},
                         [&](std::size_t drawn, std::size_t total) {
                           line.show(fmt::format("{}/{} figures", drawn, total));
                         });
  }
  print(rank_table(files.ranks).render(format));
  name_files(files);
}

}  // namespace

void add_bench_report(CLI::App& bench) {
  CLI::App* command =
      bench.add_subcommand("report", "Compare the methods of runs: tables, figures, a web page");
  auto arguments = std::make_shared<ReportArguments>();
  add_results(*command, arguments->directory);
  command
      ->add_option("--reference", arguments->reference,
                   "Method to compare the others with (default: the first)")
      ->type_name("METHOD");
  command->add_flag("--no-figures", arguments->without_figures,
                    "Draw no SVG and PDF figures, which need gnuplot; the page has its own");
  add_format(*command, arguments->format);
  command->footer(
      "Writes report.html (a self-contained page), report.md and figures/ to DIR, and prints the\n"
      "mean ranks over tasks: 1 is best. Methods that share a letter cannot be told apart with "
      "this\n"
      "number of tasks. The experiment may still be running.\n\n"
      "Examples:\n"
      "  oscbo bench report results\n"
      "  oscbo bench report results --reference gp-ucb-mll --no-figures");
  command->callback([arguments] { run_report(*arguments); });
}

}  // namespace oscbo::cli
