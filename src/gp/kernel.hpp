// A kernel k(x, x'; theta): its matrix over the inputs, its covariances with a further point, and
// the derivatives of both. theta are the hyperparameters that a lengthscale rule learns; for a
// stationary kernel one lengthscale, or one per parameter (ARD).
//
// The functions work on whole matrices and columns, so that one virtual call covers O(n) or O(n^2)
// entries. A kernel is immutable and shared: const calls from several threads are safe.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>

#include "gp/inputs.hpp"
#include "gp/layout.hpp"
#include "gp/radial_profile.hpp"
#include "oscbo/config.hpp"

namespace oscbo::gp {

/// contract(W, product) returns sum_{i >= j} M_ij W_ij for weights M that the caller has in mind,
/// and stores M_ij W_ij in `product` unless that is null.
using Contraction = std::function<double(const PaddedMatrix& W, PaddedMatrix* product)>;

/// What `Kernel::matrix_with_slopes` leaves for `Kernel::theta_gradient`.
struct KernelSlopes {
  PaddedMatrix first;   // stationary: psi(r_ij);  network: dK/d(weight variance);  others: ones
  PaddedMatrix second;  // network: dK/d(bias variance);  others: workspace

  void reserve(Index n) {
    first.reserve(n, n);
    second.reserve(n, n);
  }

  /// ask_for_weights makes `first` 1 below the diagonal: contracted with it, M is M itself.
  void ask_for_weights(Index n);

  /// weights then returns M, below the diagonal.
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

  /// profile returns phi where k(x, x') = phi(r), else null.
  [[nodiscard]] virtual const RadialProfile* profile() const { return nullptr; }

  // --- over the inputs -----------------------------------------------------------------------

  /// matrix writes K(X, X; theta) to the lower triangle of `K` (whole tiles, diagonal included),
  /// whose rows and columns are at least inputs.size().
  virtual void matrix(const Inputs& inputs, const Vector& theta, PaddedMatrix& K) const = 0;

  /// matrix_with_slopes also keeps what the derivatives in theta need.
  virtual void matrix_with_slopes(const Inputs& inputs, const Vector& theta, PaddedMatrix& K,
                                  KernelSlopes& slopes) const = 0;

  /// theta_gradient writes, for each k, sum over i, j of M_ij dK_ij/dtheta_k with symmetric M, of
  /// which `contract` knows the lower triangle. It may overwrite the slopes.
  virtual void theta_gradient(const Inputs& inputs, const Vector& theta, KernelSlopes& slopes,
                              const Contraction& contract, Vector& gradient) const = 0;

  // --- with a further point ------------------------------------------------------------------

  /// encode writes what the functions below want to know of the inputs, one row per point.
  virtual void encode(const Inputs& inputs, const Vector& theta, PaddedMatrix& encoded) const = 0;

  /// append_encoded grows `encoded` by a row for x.
  virtual void append_encoded(std::span<const double> x, const Vector& theta,
                              PaddedMatrix& encoded) const = 0;

  /// variance returns k(x, x).
  [[nodiscard]] virtual double variance(std::span<const double> x, const Vector& theta) const = 0;

  /// slope_columns returns how many columns of slopes `covariances` writes.
  [[nodiscard]] virtual Index slope_columns(Index dimension) const = 0;

  /// covariances writes k(x_i, x) for every encoded point to `k`, padded; and unless `slopes` is
  /// null, what `pull_back` needs to its columns.
  virtual void covariances(const PaddedMatrix& encoded, std::span<const double> x,
                           const Vector& theta, double* k, PaddedMatrix* slopes) const = 0;

  /// Two sums over the points, one per vector of weights (padded), and where their gradients in x
  /// go.
  struct WeightedGradients {
    const double* first_weights;
    const double* second_weights;
    std::span<double> first;   // d/dx sum_i first_weights_i k(x_i, x)
    std::span<double> second;  // likewise

    void set_zero() const {
      std::ranges::fill(first, 0.0);
      std::ranges::fill(second, 0.0);
    }
  };
  virtual void pull_back(const PaddedMatrix& encoded, std::span<const double> x,
                         const Vector& theta, const PaddedMatrix& slopes,
                         const WeightedGradients& gradients) const = 0;

  /// add_variance_gradient adds the gradient of k(x, x) in x.
  virtual void add_variance_gradient(std::span<const double> x, const Vector& theta,
                                     std::span<double> gradient) const = 0;

  /// covariances_of_batch writes k(points_p, x_j) to V(p, j) for all encoded points j, and
  /// k(points_p, points_p) to `variances`; both padded with finite numbers.
  virtual void covariances_of_batch(const PaddedMatrix& encoded, const PaddedMatrix& points,
                                    const Vector& theta, PaddedMatrix& V,
                                    Vector& variances) const = 0;
};

using KernelHandle = std::shared_ptr<const Kernel>;

/// make_kernel returns the kernel that `config` asks for, of inputs with that layout; the network
/// takes plain ones alone.
[[nodiscard]] KernelHandle make_kernel(const KernelConfig& config, const Layout& layout);

/// parameter_count returns how many entries theta has for so many parameters of the problem.
[[nodiscard]] Index parameter_count(const KernelConfig& config, Index parameters);

/// lengthscale_count returns how many of these, the first ones, are lengthscales of a stationary
/// kernel of all parameters.
[[nodiscard]] Index lengthscale_count(const KernelConfig& config, Index parameters);

/// given_theta returns the hyperparameters that `config` states, for rules that learn none.
[[nodiscard]] Vector given_theta(const KernelConfig& config, Index parameters);

}  // namespace oscbo::gp
