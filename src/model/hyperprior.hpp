// The prior on the hyperparameters of `auto`, on the logarithmic scale:
//
//   mean_k log l_k          ~ N(location + log(d)/2, scale^2)      distances grow with sqrt(d)
//   log l_k - their mean    ~ N(0, deviation^2)                    similar lengthscales by default
//   log a_k                 ~ N(-1.5, 0.7^2)                       single parameters vary faster
//   log w                   ~ N(0, 3^2)                            either part may dominate
//   log s2                  ~ N(-8, 4^2), s2 >= 1e-10              the noise, often negligible
//
// d is the number of parameters, and s2 is the noise variance. l are the lengthscales of the kernel
// of all parameters. a are the lengthscales of the kernels of single parameters, and w is the
// weight of these kernels (gp/additive_kernel.hpp).
#pragma once

#include "gp/kernel.hpp"
#include "learners/prior_options.hpp"
#include "oscbo/config.hpp"

namespace oscbo::model {

using gp::Index;
using gp::Vector;

/// log theta holds the logarithms of the kernel's hyperparameters, followed by the log noise
/// variance.
class Hyperprior {
 public:
  Hyperprior(const Config& config, Index parameters);

  [[nodiscard]] Index size() const { return size_; }

  /// set_sides adapts the prior to a part of the unit cube with these side lengths. The prior on
  /// lengthscales is relative to the sides of that part.
  void set_sides(const Vector& sides);

  /// first returns the start of the first fit.
  [[nodiscard]] Vector first() const;

  [[nodiscard]] Vector lower() const { return lower_ + shift_; }
  [[nodiscard]] Vector upper() const { return upper_ + shift_; }

  /// add_to returns -log p(log theta) up to a constant, and adds its gradient to `gradient`. The
  /// first size() entries of `entries` are log theta; add_to ignores further ones.
  double add_to(const Vector& entries, Vector& gradient) const;

 private:
  learners::PriorOptions config_;
  bool additive_;
  Index parameters_;
  Index size_;
  Vector lower_;
  Vector upper_;
  Vector shift_;  // log sides for entries that are lengthscales, otherwise 0
};

}  // namespace oscbo::model
