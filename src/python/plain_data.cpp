#include "plain_data.hpp"

#include <pybind11/stl.h>

namespace oscbo::python {

namespace py = pybind11;
using py::literals::operator""_a;

namespace {

py::dict to_python(const LevelCoverage& level) {
  return py::dict("nominal"_a = level.nominal, "measured"_a = level.measured,
                  "lower"_a = level.lower, "upper"_a = level.upper);
}

py::object name_of(const std::optional<Phase>& phase) {
  if (!phase) return py::none();
  return py::str(std::string(to_string(*phase)));
}

Array column(std::span<const Prediction> predictions, double Prediction::*member) {
  std::vector<double> numbers;
  numbers.reserve(predictions.size());
  for (const Prediction& prediction : predictions) numbers.push_back(prediction.*member);
  return to_array(std::move(numbers));
}

}  // namespace

py::dict to_python(const Prediction& prediction) {
  return py::dict("mean"_a = prediction.mean, "sd"_a = prediction.sd,
                  "observation_sd"_a = prediction.observation_sd, "width"_a = prediction.width,
                  "beta"_a = prediction.beta, "acquisition"_a = prediction.acquisition,
                  "lengthscales"_a = py::tuple(py::cast(prediction.lengthscales)),
                  "multiplier"_a = prediction.multiplier, "phase"_a = name_of(prediction.phase),
                  "jitter"_a = prediction.jitter,
                  "objective_evaluations"_a = prediction.objective_evaluations);
}

py::dict to_python(const Feedback& feedback) {
  return py::dict("covered"_a = feedback.covered, "sharpness_loss"_a = feedback.sharpness_loss,
                  "calibration_loss"_a = feedback.calibration_loss,
                  "violation"_a = feedback.violation);
}

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

std::vector<Given> given_of(const py::dict& given) {
  std::vector<Given> values;
  for (const auto& [parameter, value] : given) {
    values.push_back({.parameter = parameter.cast<std::string>(), .value = value.cast<double>()});
  }
  return values;
}

}  // namespace oscbo::python
