// Rotated problems: f(c + Q (x - c)) instead of f(x), with c the centre of the box. A function that
// is a sum of terms of single coordinates no longer is one, so that a method which finds it easy
// cannot owe that to the axes.
//
// Q is the orthogonal factor of a matrix of independent standard normal numbers, drawn row by row
// from the stream (attempt, Purpose::rotation), with the signs of its columns chosen such that R
// has a positive diagonal: a uniformly random rotation or reflection. The attempts 0, 1, ... end
// with the first that leaves the maximiser inside the box.
#pragma once

#include "oscbo/problem.hpp"

namespace oscbo {

/// rotated returns `problem` turned about the centre of its box. Requires a cube of two dimensions
/// or more, and that nothing outside of it exceeds the maximum: the corners of the turned box stick
/// out of the original one.
[[nodiscard]] Problem rotated(Problem problem);

}  // namespace oscbo
