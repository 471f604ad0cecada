#include "in_context/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "numeric/normal.hpp"
#include "numeric/parallel.hpp"

namespace oscbo::in_context {
namespace {

/// Rows that one thread takes at a time. A pass with gradients keeps half a megabyte for each.
constexpr Index kMomentRows = 72;
constexpr Index kGradientRows = 10;

EnsembleMoments no_moments(Index rows, Index gradients) {
  EnsembleMoments sums{.means = std::vector<double>(static_cast<std::size_t>(rows)),
                       .variances = std::vector<double>(static_cast<std::size_t>(rows)),
                       .mean_gradients = Rows<double>(rows, gradients),
                       .variance_gradients = Rows<double>(rows, gradients)};
  sums.mean_gradients.set_zero();
  sums.variance_gradients.set_zero();
  return sums;
}

/// Adds weight * part to the sums.
void add(const EnsembleMoments& part, double weight, EnsembleMoments& sums) {
  for (std::size_t i = 0; i < part.means.size(); ++i) {
    sums.means[i] += weight * part.means[i];
    sums.variances[i] += weight * part.variances[i];
  }
  for (Index i = 0; i < part.mean_gradients.size(); ++i) {
    sums.mean_gradients.data()[i] += weight * part.mean_gradients.data()[i];
    sums.variance_gradients.data()[i] += weight * part.variance_gradients.data()[i];
  }
}

std::vector<Index> all_columns(const Rows<double>& X) {
  std::vector<Index> columns(static_cast<std::size_t>(X.columns()));
  std::iota(columns.begin(), columns.end(), Index{0});
  return columns;
}

/// Numbers in order, then those that are not a number.
template <class Scalar>
bool comes_before(Scalar a, Scalar b) {
  return a < b || (std::isnan(b) && !std::isnan(a));
}

}  // namespace

std::vector<MemberView> member_views(std::size_t features, std::size_t members,
                                     bool allows_powers) {
  if (members <= 1) {
    FeatureOrder order(features);
    for (std::size_t j = 0; j < features; ++j) order[j] = j;
    return {{.normalisation = Normalisation::none, .order = std::move(order)}};
  }
  std::vector<MemberView> views;
  const std::size_t orders = allows_powers ? (members + 1) / 2 : members;
  for (const FeatureOrder& order : feature_orders(features, orders)) {
    views.push_back({.normalisation = Normalisation::none, .order = order});
    if (allows_powers) views.push_back({.normalisation = Normalisation::power, .order = order});
  }
  views.resize(std::min(views.size(), members));
  return views;
}

double normal_quantile_variance(Index count) {
  double sum = 0.0;
  for (Index i = 1; i <= count; ++i) {
    const double quantile =
        numeric::normal_quantile(static_cast<double>(i) / static_cast<double>(count + 1));
    sum += quantile * quantile;  // the mean is zero
  }
  return sum / static_cast<double>(count - 1);
}

template <class Scalar>
QuantileMoments moments_of(const Scalar* quantiles, Index count) {
  double sum = 0.0;
  for (Index k = 0; k < count; ++k) sum += static_cast<double>(quantiles[k]);
  const double mean = sum / static_cast<double>(count);
  double squares = 0.0;
  for (Index k = 0; k < count; ++k) {
    const double distance = static_cast<double>(quantiles[k]) - mean;
    squares += distance * distance;
  }
  return {.mean = mean, .variance = squares / static_cast<double>(count - 1)};
}

template <class Scalar>
Ensemble<Scalar>::Ensemble(std::shared_ptr<const Weights<Scalar>> weights, const Rows<double>& X,
                           std::span<const double> y, const EnsembleOptions& options)
    : features_(X.columns()),
      target_(y, /*rounds_first=*/options.ranges.empty()),
      variance_factor_(
          target_.scale() * target_.scale() /
          (options.adds_tails ? normal_quantile_variance(weights->config.quantiles) : 1.0)) {
  std::vector<Scalar> standardised(y.size());
  std::transform(y.begin(), y.end(), standardised.begin(),
                 [this](double value) { return static_cast<Scalar>(target_.standardised(value)); });
  const std::vector<Index> columns = options.ranges.empty() ? varying_columns(X) : all_columns(X);
  const std::vector<MemberView> views =
      member_views(columns.size(), options.members, /*allows_powers=*/options.ranges.empty());
  std::vector<std::optional<Member>> made(views.size());
  numeric::for_each_share(static_cast<Index>(views.size()), [&](Index i) {
    const auto member = static_cast<std::size_t>(i);
    made[member].emplace(
        make_member(weights, X, standardised, columns, views[member], options.ranges));
  });
  for (std::optional<Member>& member : made) members_.push_back(std::move(*member));
}

template <class Scalar>
Index Ensemble<Scalar>::doubles_held() const {
  Index scalars = 0;
  for (const Member& member : members_) scalars += member.network.scalars_held();
  return scalars * static_cast<Index>(sizeof(Scalar)) / static_cast<Index>(sizeof(double));
}

template <class Scalar>
Rows<Scalar> Ensemble<Scalar>::seen(std::span<const Index> columns,
                                    std::span<const FeatureScale> scales, const Rows<double>& X,
                                    Index first, Index count) {
  Rows<Scalar> result(count, static_cast<Index>(columns.size()));
  for (Index i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      result(i, static_cast<Index>(c)) =
          static_cast<Scalar>(scales[c].apply(X(first + i, columns[c])));
    }
  }
  return result;
}

template <class Scalar>
typename Ensemble<Scalar>::Member Ensemble<Scalar>::make_member(
    const std::shared_ptr<const Weights<Scalar>>& weights, const Rows<double>& X,
    std::span<const Scalar> y, std::span<const Index> available, const MemberView& view,
    std::span<const FeatureRange> ranges) {
  std::vector<Index> columns;
  std::vector<FeatureScale> scales;
  std::vector<double> values(y.size());
  for (const std::size_t feature : view.order) {
    columns.push_back(available[feature]);
    if (!ranges.empty()) {
      scales.emplace_back(ranges[static_cast<std::size_t>(columns.back())]);
      continue;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = X(static_cast<Index>(i), columns.back());
    }
    scales.emplace_back(values, view.normalisation);
  }
  const Rows<Scalar> context = seen(columns, scales, X, 0, X.rows());
  return {.columns = std::move(columns),
          .scales = std::move(scales),
          .network = ConditionedNetwork<Scalar>(weights, context, y)};
}

template <class Scalar>
void Ensemble<Scalar>::fill_moments(const Rows<Scalar>& quantiles, Index first,
                                    EnsembleMoments& moments) const {
  for (Index i = 0; i < quantiles.rows(); ++i) {
    const QuantileMoments here = moments_of(quantiles.row(i), quantiles.columns());
    const auto row = static_cast<std::size_t>(first + i);
    moments.means[row] = target_.mean() + target_.scale() * here.mean;
    moments.variances[row] = variance_factor_ * here.variance;
  }
}

template <class Scalar>
void Ensemble<Scalar>::fill(const Member& member, const Rows<double>& X, Index first, Index count,
                            EnsembleMoments& moments) const {
  QueryPass<Scalar> pass;
  const Rows<Scalar> points = seen(member.columns, member.scales, X, first, count);
  member.network.forward(points, /*keep=*/false, pass);
  fill_moments(pass.quantiles, first, moments);
}

// With K quantiles q, mean m and variance v: dm/dq_i = 1 / K and dv/dq_i = 2 (q_i - m) / (K - 1).
template <class Scalar>
void Ensemble<Scalar>::fill_with_gradients(const Member& member, const Rows<double>& X, Index first,
                                           Index count, EnsembleMoments& moments) const {
  QueryPass<Scalar> pass;
  const Rows<Scalar> points = seen(member.columns, member.scales, X, first, count);
  member.network.forward(points, /*keep=*/true, pass);
  fill_moments(pass.quantiles, first, moments);
  const Index K = pass.quantiles.columns();
  Rows<Scalar> mean_seed(count, K);
  Rows<Scalar> variance_seed(count, K);
  for (Index i = 0; i < count; ++i) {
    const double mean = moments_of(pass.quantiles.row(i), K).mean;
    for (Index k = 0; k < K; ++k) {
      const double distance = static_cast<double>(pass.quantiles(i, k)) - mean;
      mean_seed(i, k) = static_cast<Scalar>(1.0 / static_cast<double>(K));
      variance_seed(i, k) = static_cast<Scalar>(2.0 * distance / static_cast<double>(K - 1));
    }
  }
  Rows<Scalar> slopes;
  member.network.adjoint(pass, mean_seed, slopes);
  fill_gradient(member, target_.scale(), X, first, slopes, moments.mean_gradients);
  member.network.adjoint(pass, variance_seed, slopes);
  fill_gradient(member, variance_factor_, X, first, slopes, moments.variance_gradients);
}

template <class Scalar>
void Ensemble<Scalar>::fill_gradient(const Member& member, double factor, const Rows<double>& X,
                                     Index first, const Rows<Scalar>& slopes,
                                     Rows<double>& gradients) const {
  for (Index i = 0; i < slopes.rows(); ++i) {
    for (std::size_t c = 0; c < member.columns.size(); ++c) {
      const Index column = member.columns[c];
      gradients(first + i, column) = factor * member.scales[c].slope(X(first + i, column)) *
                                     static_cast<double>(slopes(i, static_cast<Index>(c)));
    }
  }
}

/// Threads share the members and blocks of rows; then the members are added in their order.
template <class Scalar>
EnsembleMoments Ensemble<Scalar>::averaged(std::span<const Member> members, const Rows<double>& X,
                                           bool has_gradients) const {
  const Index gradients = has_gradients ? features_ : 0;
  const Index rows_at_once = has_gradients ? kGradientRows : kMomentRows;
  const Index blocks = (X.rows() + rows_at_once - 1) / rows_at_once;
  std::vector<EnsembleMoments> parts(members.size(), no_moments(X.rows(), gradients));
  numeric::for_each_share(blocks * static_cast<Index>(members.size()), [&](Index share) {
    const auto member = static_cast<std::size_t>(share / blocks);
    const Index first = share % blocks * rows_at_once;
    const Index count = std::min(rows_at_once, X.rows() - first);
    if (has_gradients) {
      fill_with_gradients(members[member], X, first, count, parts[member]);
    } else {
      fill(members[member], X, first, count, parts[member]);
    }
  });
  EnsembleMoments sums = no_moments(X.rows(), gradients);
  for (const EnsembleMoments& part : parts) {
    add(part, 1.0 / static_cast<double>(members.size()), sums);
  }
  return sums;
}

template <class Scalar>
EnsembleMoments Ensemble<Scalar>::moments(const Rows<double>& X) const {
  return averaged(members_, X, /*has_gradients=*/false);
}

template <class Scalar>
EnsembleMoments Ensemble<Scalar>::moments_with_gradients(const Rows<double>& X) const {
  return averaged(members_, X, /*has_gradients=*/true);
}

template <class Scalar>
EnsembleMoments Ensemble<Scalar>::member_moments(std::size_t member, const Rows<double>& X) const {
  return averaged(std::span(&members_[member], 1), X, /*has_gradients=*/false);
}

template <class Scalar>
Rows<double> Ensemble<Scalar>::quantiles(const Rows<double>& X) const {
  Rows<double> sums(X.rows(), members_.front().network.config().quantiles);
  sums.set_zero();
  const double weight = 1.0 / static_cast<double>(members_.size());
  for (const Member& member : members_) {
    Rows<Scalar> quantiles;
    member.network.quantiles(seen(member.columns, member.scales, X, 0, X.rows()), quantiles);
    for (Index i = 0; i < X.rows(); ++i) {
      std::sort(quantiles.row(i), quantiles.row(i) + quantiles.columns(), comes_before<Scalar>);
      for (Index k = 0; k < quantiles.columns(); ++k) {
        sums(i, k) +=
            weight * (target_.mean() + target_.scale() * static_cast<double>(quantiles(i, k)));
      }
    }
  }
  return sums;
}

template QuantileMoments moments_of(const float*, Index);
template QuantileMoments moments_of(const double*, Index);
template class Ensemble<float>;
template class Ensemble<double>;

}  // namespace oscbo::in_context
