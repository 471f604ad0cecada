#include <cstdlib>
#include <set>

#include <CLI/CLI.hpp>

#include "commands.hpp"

namespace oscbo::cli {

void add_format(CLI::App& command, std::string& name, bool with_markdown) {
  std::set<std::string> accepted = {"csv", "json", "table"};
  if (with_markdown) accepted.insert("markdown");
  command.add_option("--format", name, "Output format")
      ->check(CLI::IsMember(accepted))
      ->capture_default_str();
}

void add_results(CLI::App& command, std::string& directory) {
  command.add_option("directory", directory, "Directory given to 'bench run' as --out")
      ->type_name("DIR")
      ->required();
}

void add_seed(CLI::App& command, std::uint64_t& seed) {
  command.add_option("--seed", seed, "Seed, an integer in [0, 10^18)")
      ->check([](const std::string& text) -> std::string {
        const bool is_seed =
            text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos;
        return is_seed ? "" : "'" + text + "' is not accepted; use an integer in [0, 10^18)";
      })
      ->capture_default_str();
}

void add_settings(CLI::App& command, std::vector<std::string>& settings) {
  command
      .add_option("--set", settings,
                  "Set an option of the method; repeatable ('oscbo options' lists them)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

// A directory on the command line is checked at once. A directory from the environment may be meant
// for other tasks, so it is checked only when a table is needed.
void add_data(CLI::App& command, std::string& directory) {
  if (const char* folder = std::getenv("OSCBO_DATA")) directory = folder;
  command
      .add_option("--data", directory,
                  "Directory of benchmark tables, for the tasks that need one (default: the "
                  "environment variable OSCBO_DATA)")
      ->type_name("DIR")
      ->check(CLI::Validator(CLI::ExistingDirectory).description(""));
}

}  // namespace oscbo::cli
