#include "plain_data.hpp"

#include "bindings.hpp"
#include "oscbo/study_trial.hpp"
#include "record_data.hpp"

namespace oscbo::python {

namespace py = pybind11;
using py::literals::operator""_a;

namespace {

py::dict to_python(const LevelCoverage& level) {
  return py::dict("nominal"_a = level.nominal, "measured"_a = level.measured,
                  "lower"_a = level.lower, "upper"_a = level.upper);
}

Array column(std::span<const Prediction> predictions, double Prediction::*member) {
  std::vector<double> numbers;
  numbers.reserve(predictions.size());
  for (const Prediction& prediction : predictions) numbers.push_back(prediction.*member);
  return to_array(std::move(numbers));
}

}  // namespace

py::dict to_python(const Prediction& prediction) { return fields_of(prediction); }

py::dict to_python(const Feedback& feedback) { return fields_of(feedback); }

py::dict to_python(const QuantityRecord& record) { return fields_of(record); }

py::dict to_python(const CalibrationReport& report) {
  py::list coverage;
  for (const LevelCoverage& level : report.coverage) coverage.append(to_python(level));
  return py::dict("predictions"_a = report.predictions, "coverage"_a = coverage,
                  "shown"_a = to_python(report.shown), "pit"_a = to_array(report.pit),
                  "pit_distance"_a = report.pit_distance, "mean_width"_a = report.mean_width,
                  "log_score"_a = report.log_score, "crps"_a = report.crps);
}

py::dict columns_of(std::span<const Prediction> predictions) {
  return py::dict("mean"_a = column(predictions, &Prediction::mean),
                  "sd"_a = column(predictions, &Prediction::sd),
                  "observation_sd"_a = column(predictions, &Prediction::observation_sd),
                  "width"_a = column(predictions, &Prediction::width));
}

std::string_view text_of(RecommendedBy by) noexcept {
  return by == RecommendedBy::mean ? "mean" : "observed";
}

Measurement measurement_of(const std::vector<double>& y, const Variances& variances,
                           const std::vector<double>& outcomes) {
  return {.y = PerObjective(y), .variance = PerObjective(variances), .outcomes = outcomes};
}

std::vector<Given> given_of(const py::dict& given) {
  std::vector<Given> values;
  for (const auto& [parameter, value] : given) {
    values.push_back({.parameter = parameter.cast<std::string>(), .value = value.cast<double>()});
  }
  return values;
}

void bind_records(py::module_& module) {
  module.def("record_fields", [] {
    py::dict records;
    add_types<Prediction>(records);
    add_types<Feedback>(records);
    add_types<QuantityRecord>(records);
    add_types<Suggestion>(records);
    add_types<Trial>(records);
    add_types<StudyTrial>(records);
    return records;
  });
}

}  // namespace oscbo::python
