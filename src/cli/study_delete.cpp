#include <iostream>
#include <memory>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "counted.hpp"
#include "study_options.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

struct DeleteArguments {
  StudyArguments study;
  bool yes = false;
};

/// Asks for confirmation on a terminal. Without a terminal, --yes is required.
bool is_wanted(const DeleteArguments& arguments, std::int64_t complete) {
  if (arguments.yes) return true;
  if (::isatty(STDIN_FILENO) == 0) {
    throw Error(ErrorCode::usage, "--yes", "is required without a terminal");
  }
  std::cerr << fmt::format("Delete '{}' with {}? [y/N] ", arguments.study.study,
                           counted(complete, "evaluation"));
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

void run_delete(const DeleteArguments& arguments) {
  StudyStore store(arguments.study.storage);
  const StudyCounts counts = Study::open(store, arguments.study.study).counts();
  if (!is_wanted(arguments, counts.complete)) {
    print("kept\n");
    return;
  }
  store.remove(arguments.study.study);
  print(fmt::format("deleted {}\n", arguments.study.study));
}

}  // namespace

void add_delete(CLI::App& program) {
  CLI::App* command = program.add_subcommand("delete", "Delete a study and everything in it");
  auto arguments = std::make_shared<DeleteArguments>();
  add_study(*command, arguments->study);
  command->add_flag("--yes", arguments->yes, "Do not ask for confirmation");
  command->footer(
      "Examples:\n"
      "  oscbo delete reactor\n"
      "  oscbo delete reactor --yes");
  command->callback([arguments] { run_delete(*arguments); });
}

}  // namespace oscbo::cli
