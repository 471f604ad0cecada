#include "program.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "oscbo/error.hpp"
#include "oscbo/version.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

std::string exit_status_help() {
  struct Line {
    ErrorCode code;
    const char* meaning;
  };
  constexpr std::array kLines = {
      Line{ErrorCode::usage, "the command line could not be understood"},
      Line{ErrorCode::invalid_value, "a value is not accepted"},
      Line{ErrorCode::unknown_name, "no such study, trial, task, method or option"},
      Line{ErrorCode::conflict, "the request contradicts existing data"},
      Line{ErrorCode::io, "a file or stream could not be read or written"},
      Line{ErrorCode::exhausted, "no new point is left or could be found"},
      Line{ErrorCode::internal, "a bug in oscbo itself; please report it"},
      Line{ErrorCode::interrupted, "stopped by a signal; finished work is kept"},
  };
  std::string text = "Exit status:\n  0    success\n";
  for (const Line& line : kLines) {
    text += fmt::format("  {:<4} {} ({})\n", exit_status(line.code), line.meaning,
                        to_string(line.code));
  }
  return text;
}

/// Returns the full name of the command at which parsing stopped.
std::string command_name(const CLI::App& program) {
  std::string name = program.get_name();
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += ' ' + command->get_name();
  }
  return name;
}

/// The parser reports missing arguments first. Often one is missing because it was mistyped, so an
/// unexpected argument makes the better message.
std::string reason(const CLI::App& program, const CLI::ParseError& error) {
  const std::vector<std::string> unexpected = program.remaining(true);
  return unexpected.empty() ? error.what()
                            : fmt::format("'{}' was not expected", unexpected.front());
}

/// Removes and returns the arguments after "--" of a command that runs a program. The parser would
/// split an argument like "[a,b]" in two.
std::vector<std::string> take_after_mark(std::vector<std::string>& arguments) {
  const bool runs_program =
      !arguments.empty() && (arguments.front() == "run" || arguments.front() == "worker");
  const auto mark =
      runs_program ? std::find(arguments.begin(), arguments.end(), "--") : arguments.end();
  if (mark == arguments.end()) return {};
  std::vector<std::string> after_mark(mark + 1, arguments.end());
  arguments.erase(mark, arguments.end());
  return after_mark;
}

void declare(CLI::App& program, const std::vector<std::string>& after_mark) {
  program.set_version_flag("--version", fmt::format("oscbo {}\n{}", version(), build_description()),
                           "Print the version and build, and exit");
  program.set_help_flag("-h,--help", "Print this help, and exit");
  program.require_subcommand(1);
  program.footer(
      fmt::format("Examples:\n"
                  "  oscbo demo\n"
                  "  oscbo new reactor.toml\n"
                  "  oscbo run reactor --jobs 4\n"
                  "  oscbo best reactor\n"
                  "  oscbo bench run --tasks levy5 --methods oscbo,gp-ucb-mll "
                  "--seeds 5 --out results\n"
                  "  oscbo bench run --help\n\n{}",
                  exit_status_help()));
  add_demo(program);
  add_bench(program);
  add_options(program);
  add_new(program);
  add_run(program, after_mark);
  add_worker(program, after_mark);
  add_ask(program);
  add_tell(program);
  add_queue(program);
  add_best(program);
  add_predict(program);
  add_trials(program);
  add_output(program);
  add_status(program);
  add_calibration(program);
  add_replay(program);
  add_importance(program);
  add_explain(program);
  add_export(program);
  add_import(program);
  add_delete(program);
  add_completion(program);
  add_manual(program);
}

}  // namespace

int run_program(int argc, char** argv) {
  CLI::App program("Bayesian optimisation with calibrated uncertainty that is learned online",
                   "oscbo");
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  declare(program, take_after_mark(arguments));
  std::reverse(arguments.begin(), arguments.end());  // the order that the parser expects
  try {
    program.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    // With an unknown command, the parser would print the help of another one.
    const std::vector<std::string> unexpected = program.remaining(true);
    if (!unexpected.empty()) {
      throw Error(ErrorCode::usage, "",
                  fmt::format("'{}' was not expected; see '{} --help'", unexpected.front(),
                              command_name(program)));
    }
    print(program.help());
  } catch (const CLI::CallForVersion& version_text) {
    print(std::string(version_text.what()) + '\n');
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorCode::usage, "",
                fmt::format("{}; see '{} --help'", reason(program, error), command_name(program)));
  }
  return 0;
}

}  // namespace oscbo::cli
