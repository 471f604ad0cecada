#include <array>
#include <fstream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "counted.hpp"
#include "study_options.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

struct NewArguments {
  std::string file;
  std::string storage;
  bool prints_template = false;
};

std::string text_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  std::array<char, 4096> part = {};
  while (stream.read(part.data(), part.size()) || stream.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  }
  // A directory can be opened, but not read.
  if (!stream.is_open() || stream.bad()) throw Error(ErrorCode::io, file, "cannot be read");
  return text;
}

void run_new(const NewArguments& arguments) {
  if (arguments.prints_template) {
    if (!arguments.file.empty()) {
      throw Error(ErrorCode::usage, "", "--template takes no file; it prints one");
    }
    print(study_template());
    return;
  }
  if (arguments.file.empty()) {
    throw Error(ErrorCode::usage, "", "a study file is required; see 'oscbo new --help'");
  }
  // What is missing is reported before there is a database.
  const StudyDeclaration declaration =
      with_weights(study_from_toml(text_of(arguments.file), arguments.file));
  const StudyStore store(arguments.storage, StudyStore::Mode::create);
  static_cast<void>(Study::create(store, declaration));
  print(fmt::format("{}: {}, {}, {} with {}\n", declaration.name,
                    counted(declaration.space.parameters.size(), "parameter"),
                    to_string(declaration.goal), counted(declaration.budget, "evaluation"),
                    declaration.method));
}

}  // namespace

void add_new(CLI::App& program) {
  CLI::App* command = program.add_subcommand("new", "Create a study from a file");
  auto arguments = std::make_shared<NewArguments>();
  command->add_option("file", arguments->file, "Study file; see docs/studies.md")
      ->type_name("FILE.toml");
  command->add_flag("--template", arguments->prints_template,
                    "Print a commented study file to start from");
  add_storage(*command, arguments->storage);
  command->footer(
      "Checks the whole file before storing anything, and refuses a name that is taken.\n\n"
      "Examples:\n"
      "  oscbo new --template > reactor.toml\n"
      "  oscbo new reactor.toml");
  command->callback([arguments] { run_new(*arguments); });
}

}  // namespace oscbo::cli
