// Rotated problems: f(c + Q (x - c)) instead of f(x), where c is the centre of the box. A sum of
// terms of single coordinates is no longer such a sum after rotation, so a method cannot exploit
// the axes.
//
// Q is the orthogonal factor in the QR decomposition of a matrix of independent standard normal
// numbers, drawn row by row from the stream (attempt, Purpose::rotation). The signs of the columns
// of Q are chosen so that the triangular factor R has a positive diagonal. So Q is a uniformly
// random rotation or reflection. The attempts 0, 1, ... end with the first one that keeps the
// maximiser inside the box.
#pragma once

#include "oscbo/problem.hpp"

namespace oscbo {

/// rotated returns `problem` rotated about the centre of its box. Requires a cube of at least two
/// dimensions. The corners of the rotated box stick out of the original one, so the function
/// is also evaluated there. Requires that no value outside the cube exceeds the maximum.
[[nodiscard]] Problem rotated(Problem problem);

}  // namespace oscbo
