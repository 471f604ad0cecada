// A regressor made of one network and several views of the same context. The members see the
// features in different orders and on different scales; their moments are averaged.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "in_context/member_orders.hpp"
#include "in_context/network.hpp"
#include "in_context/preprocessing.hpp"

namespace oscbo::in_context {

/// One member of an ensemble.
struct MemberView {
  Normalisation normalisation = Normalisation::none;
  FeatureOrder order;
};

/// member_views returns one view for each member of an ensemble: `members` views, or fewer if the
/// features have too few orders (feature_orders). Every second view uses Normalisation::power, if
/// `allows_powers`. A single member sees the features in their own order, without powers.
[[nodiscard]] std::vector<MemberView> member_views(std::size_t features, std::size_t members,
                                                   bool allows_powers = true);

/// normal_quantile_variance returns the sample variance of the quantiles of a standard normal
/// variable at the levels i / (count + 1). It is less than 1, because the tails are missing.
[[nodiscard]] double normal_quantile_variance(Index count);

struct EnsembleOptions {
  std::size_t members = 8;
  /// Divide variances by normal_quantile_variance. TabICL does not divide them; with few quantiles
  /// the division matters.
  bool adds_tails = false;
  /// The known bounds of each feature, for networks whose training data were scaled by known
  /// bounds. If empty, the observations determine the scales, as with TabICL.
  std::vector<FeatureRange> ranges = {};
};

/// Mean and variance at rows, in the units of y, and their gradients if they were asked for.
struct EnsembleMoments {
  std::vector<double> means;
  std::vector<double> variances;
  Rows<double> mean_gradients;      // rows x features
  Rows<double> variance_gradients;  // rows x features
};

/// The mean and the sample variance (divisor K - 1) of a row of K quantiles.
struct QuantileMoments {
  double mean = 0.0;
  double variance = 0.0;
};
template <class Scalar>
[[nodiscard]] QuantileMoments moments_of(const Scalar* quantiles, Index count);

template <class Scalar>
class Ensemble {
 public:
  /// Conditions on the rows of X, at least one, and their values y, all finite. The members share
  /// the weights.
  Ensemble(std::shared_ptr<const Weights<Scalar>> weights, const Rows<double>& X,
           std::span<const double> y, const EnsembleOptions& options);

  [[nodiscard]] std::size_t members() const { return members_.size(); }
  [[nodiscard]] Index features() const { return features_; }
  [[nodiscard]] const TargetScale& target() const { return target_; }

  /// doubles_held returns the memory that the members hold, in units of a double. The weights do
  /// not count.
  [[nodiscard]] Index doubles_held() const;

  /// moments computes the moments at the rows of X, averaged over the members.
  [[nodiscard]] EnsembleMoments moments(const Rows<double>& X) const;
  [[nodiscard]] EnsembleMoments moments_with_gradients(const Rows<double>& X) const;

  /// member_moments computes the moments of one member.
  [[nodiscard]] EnsembleMoments member_moments(std::size_t member, const Rows<double>& X) const;

  /// quantiles returns, for each row of X, the quantiles at the levels i / (K + 1), i = 1..K, in
  /// increasing order, averaged over the members.
  [[nodiscard]] Rows<double> quantiles(const Rows<double>& X) const;

 private:
  struct Member {
    std::vector<Index> columns;        // of X, in the order of the network's features
    std::vector<FeatureScale> scales;  // of these columns
    ConditionedNetwork<Scalar> network;
  };

  [[nodiscard]] static Rows<Scalar> seen(std::span<const Index> columns,
                                         std::span<const FeatureScale> scales,
                                         const Rows<double>& X, Index first, Index count);
  [[nodiscard]] static Member make_member(const std::shared_ptr<const Weights<Scalar>>& weights,
                                          const Rows<double>& X, std::span<const Scalar> y,
                                          std::span<const Index> available, const MemberView& view,
                                          std::span<const FeatureRange> ranges);
  void fill_moments(const Rows<Scalar>& quantiles, Index first, EnsembleMoments& moments) const;
  void fill(const Member& member, const Rows<double>& X, Index first, Index count,
            EnsembleMoments& moments) const;
  void fill_with_gradients(const Member& member, const Rows<double>& X, Index first, Index count,
                           EnsembleMoments& moments) const;
  void fill_gradient(const Member& member, double factor, const Rows<double>& X, Index first,
                     const Rows<Scalar>& slopes, Rows<double>& gradients) const;
  [[nodiscard]] EnsembleMoments averaged(std::span<const Member> members, const Rows<double>& X,
                                         bool has_gradients) const;

  Index features_;
  TargetScale target_;
  double variance_factor_;  // turns the variance of a member's quantiles into one in units of y
  std::vector<Member> members_;
};

}  // namespace oscbo::in_context
