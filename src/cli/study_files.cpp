// export and import of studies and tables.
#include "oscbo/study_files.hpp"

#include <fstream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "counted.hpp"
#include "study_options.hpp"
#include "study_tables.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

struct FileArguments {
  StudyArguments study;
  std::string file;
  std::string foreign_study;
};

void run_import_csv(const FileArguments& arguments) {
  Study study = open_study(arguments.study);
  std::ifstream stream(arguments.file, std::ios::binary);
  if (!stream) throw Error(ErrorCode::io, arguments.file, "cannot be read");
  const auto [observations, left_out] = trials_from_csv(stream, arguments.file, study.space());
  study.add(observations);
  print(fmt::format("{}: {}, {} without a value left out\n", arguments.study.study,
                    counted(observations.size(), "observation"), counted(left_out, "row")));
}

void run_import_optuna(const FileArguments& arguments) {
  ForeignStudy foreign = read_optuna(arguments.file, arguments.foreign_study);
  if (!arguments.study.study.empty()) foreign.declaration.name = arguments.study.study;
  const StudyStore store(arguments.study.storage, StudyStore::Mode::create);
  static_cast<void>(Study::create(store, foreign.declaration, foreign.observations));
  print(fmt::format("{}: {}, {}, {} without a value left out\n", foreign.declaration.name,
                    counted(foreign.declaration.space.parameters.size(), "parameter"),
                    counted(foreign.observations.size(), "observation"),
                    counted(foreign.left_out, "trial")));
}

}  // namespace

void add_export(CLI::App& program) {
  CLI::App* command = program.add_subcommand("export", "Print a study for other programs");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  oscbo export csv reactor > reactor.csv\n"
      "  oscbo export json reactor > reactor.json");
  auto arguments = std::make_shared<FileArguments>();
  CLI::App* csv = command->add_subcommand("csv", "Print the trials as a table");
  add_study(*csv, arguments->study);
  csv->footer("Examples:\n  oscbo export csv reactor > reactor.csv");
  csv->callback([arguments] {
    const Study study = open_study(arguments->study);
    print(trial_table(study.space(), study.trials()).render(Format::csv));
  });
  CLI::App* json = command->add_subcommand(
      "json", "Print the declaration, log, trials and predictions, but no program output");
  add_study(*json, arguments->study);
  json->footer("Examples:\n  oscbo export json reactor > reactor.json");
  json->callback([arguments] { print(open_study(arguments->study).to_json() + '\n'); });
}

void add_import(CLI::App& program) {
  CLI::App* command = program.add_subcommand("import", "Import observations from a file");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  oscbo import csv reactor earlier.csv\n"
      "  oscbo import optuna study.db");
  auto arguments = std::make_shared<FileArguments>();
  CLI::App* csv = command->add_subcommand("csv", "Add a table of observations to a study");
  add_study(*csv, arguments->study);
  csv->add_option("file", arguments->file, "CSV file")->type_name("FILE.csv")->required();
  csv->footer(
      "The table has a column for every parameter and outcome, 'value', and optionally "
      "'variance'.\n"
      "If one row is not accepted, no row is added.\n\n"
      "Examples:\n"
      "  oscbo import csv reactor earlier.csv");
  csv->callback([arguments] { run_import_csv(*arguments); });
  CLI::App* optuna = command->add_subcommand(
      "optuna", "Make a new study from a study in an SQLite database of Optuna");
  optuna->add_option("file", arguments->file, "Database of Optuna")
      ->type_name("FILE.db")
      ->required();
  optuna->add_option("--study", arguments->foreign_study,
                     "Name of the study in the database, if it has several");
  optuna->add_option("--name", arguments->study.study, "Name of the new study (default: the same)");
  add_storage(*optuna, arguments->study.storage);
  optuna->footer(
      "Examples:\n"
      "  oscbo import optuna study.db\n"
      "  oscbo import optuna study.db --study tuning --name tuning-2");
  optuna->callback([arguments] { run_import_optuna(*arguments); });
}

}  // namespace oscbo::cli
