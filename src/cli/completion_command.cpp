// Shell completion, generated from the declarations of the commands.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

/// Returns the words that may follow a command: its subcommands and long options.
std::vector<std::string> words_after(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::App* each : command.get_subcommands(nullptr)) words.push_back(each->get_name());
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return words;
}

/// Adds a line of the shell's `case` for a command and for each of its subcommands.
void add_cases(const CLI::App& command, const std::string& path, std::string& cases) {
  cases += fmt::format("    '{}') words='{}' ;;\n", path, fmt::join(words_after(command), " "));
  for (const CLI::App* each : command.get_subcommands(nullptr)) {
    add_cases(*each, path.empty() ? each->get_name() : path + ' ' + each->get_name(), cases);
  }
}

/// The script completes by the commands typed so far, and falls back to file names.
std::string bash_script(const CLI::App& program) {
  std::string cases;
  add_cases(program, "", cases);
  return fmt::format(
      "_oscbo() {{\n"
      "  local path='' word words next\n"
      "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
      "    next=\"${{path:+$path }}$word\"\n"
      "    _oscbo_words \"$next\" && path=$next\n"
      "  done\n"
      "  _oscbo_words \"$path\"\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"${{COMP_WORDS[COMP_CWORD]}}\"))\n"
      "}}\n"
      "_oscbo_words() {{\n"
      "  case \"$1\" in\n"
      "{}"
      "    *) return 1 ;;\n"
      "  esac\n"
      "}}\n"
      "complete -o default -F _oscbo oscbo\n",
      cases);
}

}  // namespace

void add_completion(CLI::App& program) {
  CLI::App* command = program.add_subcommand("completion", "Print a shell completion script");
  auto shell = std::make_shared<std::string>("bash");
  command->add_option("shell", *shell, "Shell; zsh can read the script after bashcompinit")
      ->check(CLI::IsMember({"bash"}))
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  oscbo completion bash > ~/.local/share/bash-completion/completions/oscbo\n"
      "  source <(oscbo completion bash)");
  command->callback([shell, &program] { print(bash_script(program)); });
}

}  // namespace oscbo::cli
