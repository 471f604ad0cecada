// Numbers to and from NumPy.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>

namespace oscbo::python {

/// An array of float64 in the order of C; the package converts what users give before it comes
/// here.
using Array = pybind11::array_t<double, pybind11::array::c_style>;

/// to_array hands the numbers over without a copy: the array owns what the vector held.
inline Array to_array(std::vector<double> numbers, std::vector<pybind11::ssize_t> shape = {}) {
  if (shape.empty()) shape = {static_cast<pybind11::ssize_t>(numbers.size())};
  auto* const owned = new std::vector<double>(std::move(numbers));
  const pybind11::capsule owner(
      owned, [](void* memory) { delete static_cast<std::vector<double>*>(memory); });
  return Array(std::move(shape), owned->data(), owner);
}

/// view returns the numbers of an array with one axis, valid as long as it is.
inline std::span<const double> view(const Array& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

/// rows_of returns the rows of an array with two axes.
inline std::vector<std::vector<double>> rows_of(const Array& array) {
  std::vector<std::vector<double>> rows;
  rows.reserve(static_cast<std::size_t>(array.shape(0)));
  for (pybind11::ssize_t i = 0; i < array.shape(0); ++i) {
    rows.emplace_back(array.data(i), array.data(i) + array.shape(1));
  }
  return rows;
}

}  // namespace oscbo::python
