// The manual page, generated from the declarations of the commands.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "oscbo/version.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

/// Escapes text for roff: backslashes and hyphens stay literal, and no line becomes a request.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) {
      result += "\\&";
      result += c;
    } else {
      result += c;
    }
  }
  return result;
}

std::string option_entry(const CLI::Option& option) {
  std::string names =
      option.get_positional() ? option.get_name(true) : option.get_name(false, true);
  if (!option.get_type_name().empty() && !option.get_positional()) {
    names += ' ' + option.get_type_name();
  }
  return fmt::format(".TP\n.B {}\n{}\n", roff(names), roff(option.get_description()));
}

void add_command(const CLI::App& command, const std::string& name, std::string& page) {
  page += fmt::format(".SS {}\n{}\n", roff(name), roff(command.get_description()));
  for (const CLI::Option* option : command.get_options()) {
    if (option != command.get_help_ptr()) page += option_entry(*option);
  }
  if (!command.get_footer().empty()) {
    page += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(command.get_footer()));
  }
  for (const CLI::App* each : command.get_subcommands(nullptr)) {
    add_command(*each, name + ' ' + each->get_name(), page);
  }
}

std::string manual(const CLI::App& program) {
  std::string page = fmt::format(
      ".TH OSCBO 1 \"\" \"oscbo {}\"\n"
      ".SH NAME\noscbo \\- {}\n"
      ".SH SYNOPSIS\n.B oscbo\n.I command\n[options]\n"
      ".SH DESCRIPTION\n{}. Every command has \\-\\-help with examples.\n"
      ".PP\n.nf\n{}\n.fi\n"
      ".SH COMMANDS\n",
      version(), roff(program.get_description()), roff(program.get_description()),
      roff(program.get_footer()));
  for (const CLI::App* command : program.get_subcommands(nullptr)) {
    add_command(*command, "oscbo " + command->get_name(), page);
  }
  return page;
}

}  // namespace

void add_manual(CLI::App& program) {
  CLI::App* command = program.add_subcommand("manual", "Print the manual page");
  command->footer(
      "Examples:\n"
      "  oscbo manual > oscbo.1\n"
      "  oscbo manual | man -l -");
  command->callback([&program] { print(manual(program)); });
}

}  // namespace oscbo::cli
