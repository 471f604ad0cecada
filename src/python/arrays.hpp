// Conversion of numbers to and from NumPy.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>

namespace oscbo::python {

/// A float64 array in C order; the Python package converts user input before it gets here.
using Array = pybind11::array_t<double, pybind11::array::c_style>;

/// to_array moves the numbers into an array without a copy.
inline Array to_array(std::vector<double> numbers, std::vector<pybind11::ssize_t> shape = {}) {
  if (shape.empty()) shape = {static_cast<pybind11::ssize_t>(numbers.size())};
  auto* const owned = new std::vector<double>(std::move(numbers));
  const pybind11::capsule owner(
      owned, [](void* memory) { delete static_cast<std::vector<double>*>(memory); });
  return Array(std::move(shape), owned->data(), owner);
}

/// view returns the numbers of a one-dimensional array, valid as long as the array.
inline std::span<const double> view(const Array& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

/// rows_of returns the rows of a two-dimensional array.
inline std::vector<std::vector<double>> rows_of(const Array& array) {
  std::vector<std::vector<double>> rows;
  rows.reserve(static_cast<std::size_t>(array.shape(0)));
  for (pybind11::ssize_t i = 0; i < array.shape(0); ++i) {
    rows.emplace_back(array.data(i), array.data(i) + array.shape(1));
  }
  return rows;
}

}  // namespace oscbo::python
