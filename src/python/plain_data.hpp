// Values of the library as dictionaries. The keys are the fields of classes of the Python package.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "arrays.hpp"
#include "oscbo/calibration.hpp"
#include "oscbo/optimizer.hpp"

namespace oscbo::python {

[[nodiscard]] pybind11::dict to_python(const Prediction& prediction);
[[nodiscard]] pybind11::dict to_python(const Feedback& feedback);
[[nodiscard]] pybind11::dict to_python(const QuantityRecord& record);
[[nodiscard]] pybind11::dict to_python(const CalibrationReport& report);

/// Returns None for an empty optional.
template <class Value>
[[nodiscard]] pybind11::object to_python(const std::optional<Value>& value) {
  if (!value) return pybind11::none();
  return to_python(*value);
}

/// columns_of returns an array for each of the main numbers of a prediction.
[[nodiscard]] pybind11::dict columns_of(std::span<const Prediction> predictions);

/// text_of returns "mean" or "observed".
[[nodiscard]] std::string_view text_of(RecommendedBy by) noexcept;

/// quantity_of_outcome returns the number of `outcome` among the quantities, or 0, the number of
/// the objective, if `outcome` is empty.
[[nodiscard]] inline std::size_t quantity_of_outcome(const Quantities& all,
                                                     std::optional<std::size_t> outcome) {
  return outcome ? all.of_outcome(*outcome) : 0;
}

/// Variances of the values of objectives, if known.
using Variances = std::vector<std::optional<double>>;

[[nodiscard]] Measurement measurement_of(const std::vector<double>& y, const Variances& variances,
                                         const std::vector<double>& outcomes);

/// given_of reads {"parameter": number}.
[[nodiscard]] std::vector<Given> given_of(const pybind11::dict& given);

}  // namespace oscbo::python
