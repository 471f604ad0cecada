// explain and importance: what a study has learned.
#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.hpp"
#include "study_options.hpp"
#include "terminal.hpp"

namespace oscbo::cli {
namespace {

struct InsightArguments {
  StudyArguments study;
  TrialNumber trial = 0;
  std::string format = "table";
};

void run_importance(const InsightArguments& arguments) {
  const Format format = parse_format(arguments.format);
  Study study = open_study(arguments.study);
  Table table({"parameter", "share", "sensitivity"});
  std::vector<Study::Importance> importance = study.importance();
  std::stable_sort(importance.begin(), importance.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  for (const auto& [parameter, share, sensitivity] : importance) {
    table.add({parameter, share, sensitivity});
  }
  print(table.render(format));
}

/// Returns the lengthscale of each parameter that is not fixed.
std::string lengthscales_text(const Space& space, const std::vector<double>& lengthscales) {
  if (lengthscales.size() == 1) return fmt::format("{:.4g}", lengthscales.front());
  std::string text;
  std::size_t next = 0;
  for (const Parameter& parameter : space.declaration().parameters) {
    if (parameter.kind == ParameterKind::fixed || next == lengthscales.size()) continue;
    text +=
        fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", parameter.name, lengthscales[next++]);
  }
  return text;
}

std::string nearest_text(const Study::Explanation& explanation) {
  std::string text;
  for (const auto& [number, distance, y] : explanation.nearest) {
    text += fmt::format("{}trial {} ({:.3g} away): {:.5g}", text.empty() ? "" : ", ", number,
                        distance, y);
  }
  return text;
}

std::string_view describe(Study::Explanation::ChosenBy chosen_by) {
  using ChosenBy = Study::Explanation::ChosenBy;
  switch (chosen_by) {
    case ChosenBy::design: return "the design, without a model";
    case ChosenBy::model: return "the model";
    case ChosenBy::queue: break;
  }
  return "you, who queued it";
}

std::string given_text(const Space& space, const std::vector<Given>& given) {
  const std::vector<Parameter>& parameters = space.declaration().parameters;
  std::string text;
  for (const auto& [name, value] : given) {
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& each) { return each.name == name; });
    const auto k = static_cast<std::size_t>(found - parameters.begin());
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, space.text(k, value));
  }
  return text;
}

Table explanation_table(const Study& study, const Study::Explanation& explanation) {
  const Space& space = study.space();
  const StudyTrial& trial = explanation.trial;
  Table table({"", "value"});
  table.add({"trial", trial.number});
  table.add({"point", space.describe(trial.x)});
  table.add({"state", std::string(to_string(trial.state))});
  table.add({"value", optional_cell(trial.y())});
  if (!trial.reason.empty()) table.add({"reason", trial.reason});
  table.add({"chosen by", std::string(describe(explanation.chosen_by))});
  if (!explanation.given.empty()) table.add({"given", given_text(space, explanation.given)});
  if (trial.prediction()) {
    const Prediction& prediction = *trial.prediction();
    table.add({"expected mean", prediction.mean});
    table.add({"expected sd", prediction.observation_sd});
    table.add({"interval", fmt::format("{:.5g} .. {:.5g}", prediction.mean - 0.5 * prediction.width,
                                       prediction.mean + 0.5 * prediction.width)});
    table.add({"best before", optional_cell(explanation.best_before)});
    table.add({"expected gain", optional_cell(explanation.expected_gain)});
    table.add({"exploration share", optional_cell(explanation.exploration)});
    table.add({"acquisition", prediction.acquisition});
    if (!explanation.lengthscales.empty()) {
      table.add({"lengthscales", lengthscales_text(space, explanation.lengthscales)});
    }
    table.add({"multiplier", optional_cell(prediction.multiplier)});
    table.add({"succeeds with probability", explanation.succeeds});
    table.add({"acceptable with probability", explanation.acceptable});
  }
  table.add({"pending then", fmt::format("{}", fmt::join(explanation.pending_seen, ", "))});
  table.add({"nearest observations", nearest_text(explanation)});
  for (const Study::Attribute& attribute : study.attributes()) {
    if (attribute.number == trial.number) table.add({attribute.key, attribute.value});
  }
  table.add({"random streams",
             fmt::format("seed {}, step {}", study.declaration().seed, explanation.stream_step)});
  table.add({"computed by", explanation.build});
  return table;
}

void run_explain(const InsightArguments& arguments) {
  const Format format = parse_format(arguments.format);
  const Study study = open_study(arguments.study);
  print(explanation_table(study, study.explain(arguments.trial)).render_facts(format));
}

}  // namespace

void add_importance(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("importance", "Show which parameters matter according to the model");
  auto arguments = std::make_shared<InsightArguments>();
  add_study(*command, arguments->study);
  add_format(*command, arguments->format);
  command->footer(
      "share is the part of the variance of the mean over the space that involves a parameter, "
      "alone\n"
      "or together with others; shares may sum to more than 1. sensitivity is 1 / lengthscale,\n"
      "divided by the sum over all parameters; models without lengthscales have none.\n\n"
      "Examples:\n"
      "  oscbo importance reactor");
  command->callback([arguments] { run_importance(*arguments); });
}

void add_explain(CLI::App& program) {
  CLI::App* command = program.add_subcommand("explain", "Show why a point was chosen");
  auto arguments = std::make_shared<InsightArguments>();
  add_study(*command, arguments->study);
  add_trial(*command, arguments->trial);
  add_format(*command, arguments->format);
  command->footer(
      "Shows the data stored with the suggestion before its value was known. The exploration "
      "share\n"
      "is the part of the expected gain that comes from the uncertainty at the point.\n\n"
      "Examples:\n"
      "  oscbo explain reactor 17");
  command->callback([arguments] { run_explain(*arguments); });
}

}  // namespace oscbo::cli
