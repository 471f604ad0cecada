// A kernel k(x, x'; theta): its matrix over the inputs, its covariances with a further point, and
// the derivatives of both. theta holds the hyperparameters that a lengthscale rule learns. For a
// stationary kernel these are one lengthscale, or one per parameter (ARD).
//
// The functions work on whole matrices and columns, so that one virtual call covers O(n) or O(n^2)
// entries. A kernel is immutable and shared: const calls from several threads are safe.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>

#include "gp/inputs.hpp"
#include "gp/kernel_options.hpp"
#include "gp/layout.hpp"
#include "gp/radial_profile.hpp"

namespace oscbo::gp {

/// contract(W, product) returns sum_{i >= j} M_ij W_ij. The kernel passes W, and the function
/// object knows M. The function object also writes M_ij W_ij to `product`, unless it is null.
using Contraction = std::function<double(const PaddedMatrix& W, PaddedMatrix* product)>;

/// Intermediate results that `Kernel::matrix_with_slopes` keeps for `Kernel::theta_gradient`.
/// psi is that of RadialProfile.
struct KernelSlopes {
  PaddedMatrix first;   // stationary: psi(r_ij);  network: dK/d(weight variance);  others: ones
  PaddedMatrix second;  // network: dK/d(bias variance);  others: workspace

  void reserve(Index n) {
    first.reserve(n, n);
    second.reserve(n, n);
  }

  /// ask_for_weights is for kernels that need M itself. It sets `first` to 1 strictly below the
  /// diagonal, so that `contract` stores M in its product, which `weights` returns.
  void ask_for_weights(Index n);

  /// weights returns M below the diagonal. Requires ask_for_weights.
  const PaddedMatrix& weights(Index n, const Contraction& contract);
};

class Kernel {
 public:
  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel(Kernel&&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  Kernel& operator=(Kernel&&) = delete;
  virtual ~Kernel() = default;

  /// profile returns phi if k(x, x') = phi(r), otherwise null.
  [[nodiscard]] virtual const RadialProfile* profile() const { return nullptr; }

  // --- over the inputs -----------------------------------------------------------------------

  /// matrix writes K(X, X; theta) to the lower triangle of `K`, including the diagonal, in whole
  /// tiles: blocks of numeric::kLanes x numeric::kLanes entries. `K` has at least inputs.size()
  /// rows and columns.
  virtual void matrix(const Inputs& inputs, const Vector& theta, PaddedMatrix& K) const = 0;

  /// matrix_with_slopes also keeps the intermediate results for the derivatives with respect to
  /// theta. A kernel without such results calls ask_for_weights instead.
  virtual void matrix_with_slopes(const Inputs& inputs, const Vector& theta, PaddedMatrix& K,
                                  KernelSlopes& slopes) const {
    matrix(inputs, theta, K);
    slopes.ask_for_weights(inputs.size());
  }

  /// theta_gradient writes, for each k, the sum over i, j of M_ij dK_ij/dtheta_k. M is symmetric,
  /// and `contract` sums over its lower triangle, so the kernel doubles the terms below the
  /// diagonal. theta_gradient may overwrite the slopes.
  virtual void theta_gradient(const Inputs& inputs, const Vector& theta, KernelSlopes& slopes,
                              const Contraction& contract, Vector& gradient) const = 0;

  // --- with a further point ------------------------------------------------------------------

  /// encode writes the inputs in the form that the functions below take, one row per point.
  virtual void encode(const Inputs& inputs, const Vector& theta, PaddedMatrix& encoded) const = 0;

  /// append_encoded grows `encoded` by a row for x.
  virtual void append_encoded(std::span<const double> x, const Vector& theta,
                              PaddedMatrix& encoded) const = 0;

  /// variance returns k(x, x), which is 1 for most kernels.
  [[nodiscard]] virtual double variance(std::span<const double> /*x*/,
                                        const Vector& /*theta*/) const {
    return 1.0;
  }

  /// slope_columns returns how many columns of slopes `covariances` writes.
  [[nodiscard]] virtual Index slope_columns(Index dimension) const = 0;

  /// covariances writes k(x_i, x) for every encoded point to `k`, which is padded. Unless `slopes`
  /// is null, it also fills the columns of `slopes` with the numbers that `pull_back` needs.
  virtual void covariances(const PaddedMatrix& encoded, std::span<const double> x,
                           const Vector& theta, double* k, PaddedMatrix* slopes) const = 0;

  /// Two vectors of weights (padded), and the gradients of the two weighted sums over the points.
  struct WeightedGradients {
    const double* first_weights;
    const double* second_weights;
    std::span<double> first;   // d/dx sum_i first_weights_i k(x_i, x)
    std::span<double> second;  // d/dx sum_i second_weights_i k(x_i, x)

    void set_zero() const {
      std::ranges::fill(first, 0.0);
      std::ranges::fill(second, 0.0);
    }
  };
  /// pull_back writes both spans of `gradients`, given the slopes that `covariances` wrote.
  virtual void pull_back(const PaddedMatrix& encoded, std::span<const double> x,
                         const Vector& theta, const PaddedMatrix& slopes,
                         const WeightedGradients& gradients) const = 0;

  /// add_variance_gradient adds the gradient of k(x, x) with respect to x, which is 0 for most
  /// kernels.
  virtual void add_variance_gradient(std::span<const double> /*x*/, const Vector& /*theta*/,
                                     std::span<double> /*gradient*/) const {}

  /// covariances_of_batch writes k(points_p, x_j) to V(p, j) for all encoded points j, and
  /// k(points_p, points_p) to `variances`. The padding of both is finite.
  virtual void covariances_of_batch(const PaddedMatrix& encoded, const PaddedMatrix& points,
                                    const Vector& theta, PaddedMatrix& V,
                                    Vector& variances) const = 0;
};

using KernelHandle = std::shared_ptr<const Kernel>;

/// make_kernel returns the kernel that `config` describes, for inputs with this layout. The network
/// kernel requires that all parameters are numeric (Layout::is_plain).
[[nodiscard]] KernelHandle make_kernel(const KernelOptions& config, const Layout& layout);

/// parameter_count returns the number of entries of theta for a problem with this many parameters.
[[nodiscard]] Index parameter_count(const KernelOptions& config, Index parameters);

/// lengthscale_count returns the number of lengthscales at the start of theta. The lengthscales
/// a_1, ..., a_d of gp/additive_kernel.hpp do not count. The result has no meaning for the network
/// kernel.
[[nodiscard]] Index lengthscale_count(const KernelOptions& config, Index parameters);

/// given_theta returns the hyperparameters stated in `config`, for rules that learn none.
[[nodiscard]] Vector given_theta(const KernelOptions& config, Index parameters);

}  // namespace oscbo::gp
