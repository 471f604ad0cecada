// What is known of the hyperparameters of `auto` before any observation, on the logarithmic scale:
//
//   mean_k log l_k          ~ N(location + log(d)/2, scale^2)      distances grow with sqrt(d)
//   log l_k - their mean    ~ N(0, deviation^2)                    parameters are alike until told
//   log a_k                 ~ N(-1.5, 0.7^2)                       single parameters vary faster
//   log w                   ~ N(0, 3^2)                            either part may be the larger
//   log s2                  ~ N(-8, 4^2), s2 >= 1e-10              the noise, from hardly any on
//
// with the lengthscales l of the kernel of all parameters, and those, a, and the weight, w, of the
// kernels of single ones (gp/additive_kernel.hpp).
#pragma once

#include "gp/kernel.hpp"
#include "oscbo/config.hpp"

namespace oscbo::model {

using gp::Index;
using gp::Vector;

/// The entries of log theta are those of the kernel, with that of the noise variance last.
class Hyperprior {
 public:
  Hyperprior(const Config& config, Index parameters);

  [[nodiscard]] Index size() const { return size_; }

  /// set_sides makes it the prior for a part of the unit cube with sides of these lengths: what is
  /// known of lengthscales is known in relation to what is looked at.
  void set_sides(const Vector& sides);

  /// first returns where the first fit begins.
  [[nodiscard]] Vector first() const;

  [[nodiscard]] Vector lower() const { return lower_ + shift_; }
  [[nodiscard]] Vector upper() const { return upper_ + shift_; }

  /// add_to adds the gradient of -log p(log_lengths) to `gradient` and returns its value, up to a
  /// constant. Of entries beyond its own it knows nothing.
  double add_to(const Vector& log_lengths, Vector& gradient) const;

 private:
  PriorConfig config_;
  bool additive_;
  Index parameters_;
  Index size_;
  Vector lower_;
  Vector upper_;
  Vector shift_;  // log sides, where the entry is that of a lengthscale
};

}  // namespace oscbo::model
