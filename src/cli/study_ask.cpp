// ask, tell and queue: for evaluations by hand or from a script.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.hpp"
#include "study_options.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

// --- ask -----------------------------------------------------------------------------------------

struct AskArguments {
  StudyArguments study;
  int count = 1;
  std::vector<std::string> given;
  std::string worker = "by hand";
  std::string request;
  std::optional<double> lease;
  std::string format = "table";
};

Table suggestion_table(const Space& space, const std::vector<StudySuggestion>& suggestions) {
  std::vector<std::string> columns = {"trial"};
  for (const std::string& name : parameter_names(space)) columns.push_back(name);
  columns.insert(columns.end(), {"mean", "sd", "token"});
  Table table(columns);
  for (const StudySuggestion& suggestion : suggestions) {
    std::vector<Cell> row = {suggestion.number};
    for (const Cell& cell : parameter_cells(space, suggestion.x)) row.push_back(cell);
    const auto& prediction = suggestion.prediction;
    row.push_back(prediction ? Cell{prediction->mean} : Cell{});
    row.push_back(prediction ? Cell{prediction->observation_sd} : Cell{});
    row.emplace_back(suggestion.token);
    table.add(row);
  }
  return table;
}

void run_ask(const AskArguments& arguments) {
  const Format format = parse_format(arguments.format);
  Study study = open_study(arguments.study);
  const std::vector<Given> given = parse_given(study.space(), arguments.given);
  std::vector<StudySuggestion> suggestions;
  const auto print_all = [&] {
    print(suggestion_table(study.space(), suggestions).render(format));
  };
  for (int i = 0; i < arguments.count; ++i) {
    const std::string request =
        arguments.request.empty() ? "" : fmt::format("{}/{}", arguments.request, i + 1);
    try {
      suggestions.push_back(*study.ask({.worker = arguments.worker,
                                        .request = request,
                                        .given = given,
                                        .lease_seconds = arguments.lease}));
    } catch (const Error&) {
      if (!suggestions.empty()) print_all();  // these trials are already assigned
      throw;
    }
  }
  print_all();
}

// --- tell ----------------------------------------------------------------------------------------

struct TellArguments {
  StudyArguments study;
  TrialNumber trial = 0;
  std::optional<double> value;
  std::optional<double> variance;
  std::vector<std::string> outcomes;
  std::string token;
  std::optional<std::int64_t> step;
  std::vector<std::string> attributes;
  std::optional<std::string> note;
  std::optional<std::string> failed;
  std::optional<std::string> abandoned;
};

/// Returns the outcomes in the order of the space, from assignments "name=value".
std::vector<double> outcomes_of(const Space& space, const std::vector<std::string>& assignments) {
  const std::vector<Outcome>& declared = space.declaration().outcomes;
  std::vector<std::optional<double>> values(declared.size());
  for (const std::string& text : assignments) {
    const std::size_t equals = text.find('=');
    const auto outcome = std::find_if(declared.begin(), declared.end(), [&](const Outcome& each) {
      return each.name == text.substr(0, equals);
    });
    const auto value =
        equals == std::string::npos ? std::nullopt : parse_decimal(text.substr(equals + 1));
    if (outcome == declared.end() || !value) {
      throw Error(
          ErrorCode::invalid_value, "--outcome",
          fmt::format("'{}' is not accepted; use NAME=VALUE with an outcome of the study", text));
    }
    auto& stored = values[static_cast<std::size_t>(outcome - declared.begin())];
    if (stored) {
      throw Error(ErrorCode::invalid_value, "--outcome",
                  fmt::format("{} is given twice", outcome->name));
    }
    stored = value;
  }
  std::vector<double> result;
  for (std::size_t i = 0; i < declared.size(); ++i) {
    if (!values[i]) {
      throw Error(ErrorCode::invalid_value, "--outcome",
                  fmt::format("{} is missing", declared[i].name));
    }
    result.push_back(*values[i]);
  }
  return result;
}

std::string_view describe(Told told) {
  switch (told) {
    case Told::accepted: return "complete";
    case Told::again: return "had been told this value already";
    case Told::extra: break;
  }
  return "had a value already; this one is stored as a further observation of its point";
}

/// Returns the attributes to attach to the trial, as names and texts.
Attributes attributes_of(const TellArguments& arguments) {
  Attributes result;
  for (const std::string& text : arguments.attributes) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw Error(ErrorCode::invalid_value, "--attribute",
                  fmt::format("'{}' is not accepted; use NAME=TEXT", text));
    }
    result.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  if (arguments.note) result.emplace_back("note", *arguments.note);
  return result;
}

/// Tells the study, and returns a description of the result for people.
std::string tell_result(Study& study, const TellArguments& arguments,
                        const Attributes& attributes) {
  if (arguments.value && !arguments.step) {
    return std::string(
        describe(study.tell(arguments.trial, arguments.token,
                            {.y = *arguments.value,
                             .variance = arguments.variance,
                             .outcomes = outcomes_of(study.space(), arguments.outcomes)},
                            attributes)));
  }
  std::string result = "noted";
  if (arguments.step) {
    const IntermediateValue value{.step = *arguments.step, .value = *arguments.value};
    const bool should_end = study.report(arguments.trial, arguments.token, {&value, 1});
    result = should_end ? "give up" : "go on";
  } else if (arguments.failed) {
    const bool again = study.tell_failed(arguments.trial, arguments.token, *arguments.failed);
    const TrialState state = study.trial(arguments.trial).state;
    result = again ? "will be tried again" : to_string(state);
    if (state == TrialState::complete) result += " before; the failure is not kept";
  } else if (arguments.abandoned) {
    study.abandon(arguments.trial, *arguments.abandoned);
    result = "abandoned";
  }
  for (const auto& [name, text] : attributes) study.set_attribute(arguments.trial, name, text);
  return result;
}

void run_tell(const TellArguments& arguments) {
  const Attributes attributes = attributes_of(arguments);
  const int ways =
      (arguments.value ? 1 : 0) + (arguments.failed ? 1 : 0) + (arguments.abandoned ? 1 : 0);
  const bool only_attaches = ways == 0 && !attributes.empty();
  if (ways != 1 && !only_attaches) {
    throw Error(ErrorCode::usage, "",
                "give a value, --failed or --abandoned; see 'oscbo tell --help'");
  }
  if (arguments.step && !arguments.value) {
    throw Error(ErrorCode::usage, "", "--step needs a value; see 'oscbo tell --help'");
  }
  Study study = open_study(arguments.study);
  print(fmt::format("trial {}: {}\n", arguments.trial, tell_result(study, arguments, attributes)));
}

// --- queue ---------------------------------------------------------------------------------------

struct QueueArguments {
  StudyArguments study;
  std::vector<std::string> point;
};

void run_queue(const QueueArguments& arguments) {
  Study study = open_study(arguments.study);
  const std::vector<double> x = parse_point(study.space(), arguments.point);
  study.queue(x);
  print(fmt::format("queued: {}\n", study.space().describe(x)));
}

}  // namespace

void add_ask(CLI::App& program) {
  CLI::App* command = program.add_subcommand("ask", "Ask a study for the next point to evaluate");
  auto arguments = std::make_shared<AskArguments>();
  add_study(*command, arguments->study);
  command
      ->add_option("-n,--count", arguments->count, "Number of points, to be evaluated in parallel")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_option("--given", arguments->given, "Fix a parameter of this point; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_option("--worker", arguments->worker, "Name of the worker that asks")
      ->capture_default_str();
  command->add_option("--request", arguments->request,
                      "Name of this request; repeating it returns the same trials");
  command
      ->add_option("--lease", arguments->lease,
                   "Seconds after which the trial may be given to another worker (default: never)")
      ->check(above_zero());
  add_format(*command, arguments->format);
  command->footer(
      "Prints the number of the trial, its parameters, the prediction of the model, and a token "
      "that\n"
      "identifies this worker to 'tell'.\n\n"
      "Examples:\n"
      "  oscbo ask reactor\n"
      "  oscbo ask reactor -n 4 --format json\n"
      "  oscbo ask reactor --given solvent=water");
  command->callback([arguments] { run_ask(*arguments); });
}

void add_tell(CLI::App& program) {
  CLI::App* command = program.add_subcommand("tell", "Tell a study a measured value");
  auto arguments = std::make_shared<TellArguments>();
  add_study(*command, arguments->study);
  add_trial(*command, arguments->trial);
  command->add_option("value", arguments->value, "Measured value")->check(decimal_number());
  command->add_option("--variance", arguments->variance, "Variance of the value, if known")
      ->check(decimal_number());
  command
      ->add_option("--outcome", arguments->outcomes,
                   "Value of another outcome of the study; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_option("--token", arguments->token,
                      "Token from 'ask': a repeated value counts once, and a late one is kept");
  command
      ->add_option("--step", arguments->step,
                   "Report an intermediate value of this step; prints whether to go on")
      ->check(decimal_digits());
  command->add_option("--attribute", arguments->attributes, "Attach a named text; repeatable")
      ->type_name("NAME=TEXT")
      ->allow_extra_args(false);
  command->add_option("--note", arguments->note, "Attach a note; short for --attribute note=TEXT");
  command
      ->add_option("--failed", arguments->failed,
                   "Report a failed evaluation. Final, but with a token retries come first")
      ->type_name("REASON");
  command->add_option("--abandoned", arguments->abandoned, "Withdraw the point")
      ->type_name("REASON");
  command->footer(
      "Examples:\n"
      "  oscbo tell reactor 7 81.5\n"
      "  oscbo tell reactor 8 79.0 --variance 0.04 --outcome cost=12\n"
      "  oscbo tell reactor 9 --failed 'the pump stopped'\n"
      "  oscbo tell reactor 10 0.8 --step 3\n"
      "  oscbo tell reactor 8 --note 'with the new pump'");
  command->callback([arguments] { run_tell(*arguments); });
}

void add_queue(CLI::App& program) {
  CLI::App* command = program.add_subcommand("queue", "Queue a point to be asked next");
  auto arguments = std::make_shared<QueueArguments>();
  add_study(*command, arguments->study);
  command->add_option("point", arguments->point, "Value of every parameter")
      ->type_name("NAME=VALUE...")
      ->required();
  command->footer(
      "Examples:\n"
      "  oscbo queue reactor temperature=80 solvent=water reflux=0.5");
  command->callback([arguments] { run_queue(*arguments); });
}

}  // namespace oscbo::cli
