#include "acquisition/space_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <variant>

#include "numeric/box_minimiser.hpp"
#include "numeric/polytope_minimiser.hpp"
#include "numeric/sobol.hpp"

namespace oscbo::acquisition {

using numeric::Purpose;
using numeric::RandomStream;
using space::Coordinates;

namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

/// Returns the incumbent with a Gaussian step in every number. Its scale is log-uniform in
/// [0.001, 0.3] of the sides. Each category is redrawn with probability 1/d, for d parameters.
Coordinates stepped(const SpaceArea& area, RandomStream& stream) {
  constexpr double kSmallest = 1e-3;
  constexpr double kLargest = 0.3;
  const space::Domain& domain = area.region.domain();
  const double scale = kSmallest * std::pow(kLargest / kSmallest, stream.uniform());
  Coordinates u = area.incumbent;
  for (std::size_t k = 0; k < u.size(); ++k) {
    const space::Axis& axis = domain.axis(k);
    if (axis.is_categorical()) {
      const bool changes = stream.below(u.size()) == 0;
      if (changes) u[k] = axis.from_uniform(stream.uniform());
    } else {
      u[k] += scale * (area.region.upper(k) - area.region.lower(k)) * stream.normal();
    }
  }
  return u;
}

/// Returns the incumbent with one or two parameters redrawn.
Coordinates with_changes(const SpaceArea& area, RandomStream& stream) {
  const space::Domain& domain = area.region.domain();
  Coordinates u = area.incumbent;
  const std::size_t changes = 1 + stream.below(2);
  for (std::size_t change = 0; change < changes; ++change) {
    const std::size_t k = stream.below(u.size());
    const double uniform = stream.uniform();
    u[k] = domain.axis(k).is_continuous()
               ? area.region.lower(k) + (area.region.upper(k) - area.region.lower(k)) * uniform
               : domain.axis(k).from_uniform(uniform);
  }
  return u;
}

/// Returns the lengths of the region's sides by column, 1 for a column without a side.
Vector sides_of(const space::Region& region) {
  const space::Domain& domain = region.domain();
  Vector sides = Vector::Ones(static_cast<Index>(domain.column_count()));
  for (std::size_t k = 0; k < domain.size(); ++k) {
    const space::ParameterColumns& columns = domain.parameter_columns(k);
    if (columns.kind != space::ParameterColumns::Kind::number) continue;
    sides[static_cast<Index>(columns.first)] = std::max(region.upper(k) - region.lower(k), 1e-12);
  }
  return sides;
}

/// Returns the positions of `values`, largest value first.
std::vector<std::size_t> by_value(const Vector& values) {
  std::vector<std::size_t> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    const double value = values[static_cast<Index>(i)];
    return std::isnan(value) ? kNothing : value;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  return order;
}

/// Returns the coordinates of the parameters with levels, and -1 for continuous parameters.
std::vector<double> levels_of(const space::Domain& domain, const Coordinates& u) {
  std::vector<double> levels(u.size());
  for (std::size_t k = 0; k < u.size(); ++k) {
    levels[k] = domain.axis(k).is_continuous() ? -1.0 : u[k];
  }
  return levels;
}

/// The search over the continuous parameters of one climber.
class ContinuousClimb {
 public:
  ContinuousClimb(const space::Region& region, std::size_t climber, Coordinates u,
                  std::vector<std::size_t> variables, int max_iterations)
      : climber_(climber),
        variables_(std::move(variables)),
        u_(std::move(u)),
        gradient_(static_cast<Index>(variables_.size())) {
    const auto read = [&](const auto& entry) {
      return Vector::NullaryExpr(
                 gradient_.size(),
                 [&](Index i) { return entry(variables_[static_cast<std::size_t>(i)]); })
          .eval();
    };
    const Vector x = read([&](std::size_t k) { return u_[k]; });
    if (region.domain().is_constrained()) {
      search_.emplace<numeric::PolytopeSearch>(numeric::PolytopeMinimiserSettings{
          .max_iterations = max_iterations, .largest_step = kLargestStep});
      std::get<numeric::PolytopeSearch>(search_).begin(region.polytope(u_, variables_), x);
    } else {
      search_.emplace<numeric::BoxSearch>(numeric::BoxMinimiserSettings{
          .max_iterations = max_iterations, .largest_step = kLargestStep});
      std::get<numeric::BoxSearch>(search_).begin(
          read([&](std::size_t k) { return region.lower(k); }),
          read([&](std::size_t k) { return region.upper(k); }), x);
    }
    follow();
  }

  [[nodiscard]] std::size_t climber() const { return climber_; }
  [[nodiscard]] bool is_over() const {
    return std::visit([](const auto& search) { return search.is_over(); }, search_);
  }

  /// next returns the point to evaluate next.
  [[nodiscard]] const Coordinates& next() const { return u_; }

  void observe(double value, const std::vector<double>& gradient) {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      gradient_[static_cast<Index>(i)] = -gradient[variables_[i]];
    }
    std::visit([&](auto& search) { search.observe(-value, gradient_); }, search_);
    follow();
  }

 private:
  static constexpr double kLargestStep = 0.2;

  /// Moves the coordinates to the next point of the search.
  void follow() {
    const Vector& x =
        std::visit([](const auto& search) -> const Vector& { return search.next(); }, search_);
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      u_[variables_[i]] = x[static_cast<Index>(i)];
    }
  }

  std::size_t climber_;
  std::vector<std::size_t> variables_;
  std::variant<numeric::BoxSearch, numeric::PolytopeSearch> search_ =
      numeric::BoxSearch(numeric::BoxMinimiserSettings{});
  Coordinates u_;
  Vector gradient_;
};

}  // namespace

numeric::PaddedMatrix columns_of(const space::Domain& domain,
                                 const std::vector<Coordinates>& points) {
  numeric::PaddedMatrix result;
  result.resize(static_cast<Index>(points.size()), static_cast<Index>(domain.column_count()));
  result.set_zero();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const space::Columns columns = domain.to_columns(points[i]);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      result(static_cast<Index>(i), static_cast<Index>(k)) = columns[k];
    }
  }
  return result;
}

std::vector<Coordinates> SpaceSearch::raw_points(const SpaceArea& area, int everywhere, int close,
                                                 std::uint64_t seed, std::uint64_t step) const {
  const space::Region& region = area.region;
  numeric::ScrambledSobol sobol(region.domain().free_parameters(),
                                RandomStream(seed, Purpose::raw_samples, step));
  RandomStream stream(seed, Purpose::local_samples, step);
  std::vector<Coordinates> points;
  const auto add = [&](std::optional<Coordinates> u) {
    if (u) points.push_back(std::move(*u));
  };
  space::Uniforms uniforms(region.domain().free_parameters());
  for (int i = 0; i < everywhere; ++i) {
    sobol.next(uniforms.entries());
    add(region.draw(uniforms, stream));
  }
  if (area.incumbent.empty()) return points;
  for (int i = 0; i < close; ++i) {
    add(region.repair(i < close / 2 ? stepped(area, stream) : with_changes(area, stream)));
  }
  return points;
}

/// Chooses the best points that are at least a tenth of the range apart. If there are few
/// combinations of levels, it also chooses the best point of each.
std::vector<SpaceSearch::Climber> SpaceSearch::choose_climbers(
    const SpaceArea& area, const std::vector<Coordinates>& points, const Vector& values) const {
  constexpr double kApart = 0.1;
  const space::Domain& domain = area.region.domain();
  std::map<std::vector<double>, bool> has_climber;  // by combination of levels
  for (const Coordinates& u : points) has_climber[levels_of(domain, u)] = false;
  const bool climbs_each = has_climber.size() <= kMostCombinations;
  const Vector sides = sides_of(area.region);

  std::vector<Climber> climbers;
  std::vector<Vector> chosen;
  int best_ones = 0;
  for (const std::size_t i : by_value(values)) {
    bool& is_climbed = has_climber[levels_of(domain, points[i])];
    if (best_ones == config_.restarts && (!climbs_each || is_climbed)) continue;
    const Vector columns = domain.to_columns(points[i]).vector().cwiseQuotient(sides);
    const bool apart = std::all_of(chosen.begin(), chosen.end(), [&](const Vector& other) {
      return (columns - other).norm() >= kApart;
    });
    const bool is_among_best = best_ones < config_.restarts && apart;
    if ((!is_among_best && is_climbed) || area.excludes(points[i])) continue;
    best_ones += is_among_best ? 1 : 0;
    is_climbed = true;
    chosen.push_back(columns);
    climbers.push_back({.u = points[i], .value = values[static_cast<Index>(i)]});
  }
  return climbers;
}

void SpaceSearch::climb_continuous(Merit& merit, const SpaceArea& area,
                                   std::vector<Climber>& climbers) const {
  const space::Domain& domain = area.region.domain();
  std::vector<ContinuousClimb> climbs;
  for (std::size_t i = 0; i < climbers.size(); ++i) {
    if (!climbers[i].is_awake) continue;
    std::vector<std::size_t> variables = area.region.variables(climbers[i].u);
    if (variables.empty()) continue;
    climbs.emplace_back(area.region, i, climbers[i].u, std::move(variables),
                        config_.max_iterations);
  }
  std::vector<Merit::Point> points(climbs.size());
  std::vector<double> gradient(domain.size());
  std::vector<ContinuousClimb*> active;
  active.reserve(climbs.size());
  for (ContinuousClimb& climb : climbs) active.push_back(&climb);
  while (!active.empty()) {
    for (std::size_t p = 0; p < active.size(); ++p) {
      points[p].columns = domain.to_columns(active[p]->next());
    }
    merit.evaluate(std::span(points).first(active.size()));
    for (std::size_t p = 0; p < active.size(); ++p) {
      ContinuousClimb& climb = *active[p];
      const Vector& slopes = points[p].gradient;
      domain.pull_back(climb.next(), {slopes.data(), static_cast<std::size_t>(slopes.size())},
                       gradient);
      Climber& climber = climbers[climb.climber()];
      if (points[p].value > climber.value) {
        climber.value = points[p].value;
        climber.u = climb.next();
      }
      climb.observe(points[p].value, gradient);
    }
    std::erase_if(active, [](const ContinuousClimb* climb) { return climb->is_over(); });
  }
}

/// Moves each climber to its best neighbour, or puts it to sleep if no neighbour is better. A
/// climber at an excluded point moves to its best neighbour in any case.
void SpaceSearch::move_levels(Merit& merit, const SpaceArea& area, std::vector<Climber>& climbers,
                              RandomStream& stream) const {
  const space::Domain& domain = area.region.domain();
  std::vector<Coordinates> moves;
  std::vector<std::size_t> begins;  // where the moves of each climber begin
  for (const Climber& climber : climbers) {
    begins.push_back(moves.size());
    if (!climber.is_awake) continue;
    for (Coordinates& u : area.region.neighbours(climber.u, stream)) {
      if (!area.excludes(u)) moves.push_back(std::move(u));
    }
  }
  begins.push_back(moves.size());
  const Vector values = moves.empty() ? Vector() : merit.values(columns_of(domain, moves));
  for (std::size_t i = 0; i < climbers.size(); ++i) {
    Climber& climber = climbers[i];
    double best = area.excludes(climber.u) ? kNothing : climber.value;
    climber.is_awake = false;
    for (std::size_t move = begins[i]; move < begins[i + 1]; ++move) {
      const double value = values[static_cast<Index>(move)];
      if (!(value > best)) continue;
      best = value;
      climber = {.u = moves[move], .value = value, .is_awake = true};
    }
  }
}

std::optional<SpaceSearchResult> SpaceSearch::best_of_all(Merit& merit, const SpaceArea& area,
                                                          std::vector<Coordinates> points) const {
  std::erase_if(points, [&](const Coordinates& u) { return area.excludes(u); });
  if (points.empty()) return std::nullopt;
  const Vector values = merit.values(columns_of(area.region.domain(), points));
  const std::size_t best = by_value(values).front();
  return SpaceSearchResult{.u = points[best], .value = values[static_cast<Index>(best)]};
}

std::optional<SpaceSearchResult> SpaceSearch::least_known(
    Merit& merit, const SpaceArea& area, const std::vector<Coordinates>& points) const {
  const numeric::PaddedMatrix columns = columns_of(area.region.domain(), points);
  for (const std::size_t i : by_value(merit.spreads(columns))) {
    if (area.excludes(points[i])) continue;
    return SpaceSearchResult{.u = points[i], .value = merit.values(columns)[static_cast<Index>(i)]};
  }
  return std::nullopt;
}

std::optional<SpaceSearchResult> SpaceSearch::maximise(Merit& merit, const SpaceArea& area,
                                                       std::uint64_t seed,
                                                       std::uint64_t step) const {
  constexpr int kMostMoves = 20;
  RandomStream stream(seed, Purpose::level_moves, step);
  if (area.region.is_finite()) {
    if (auto all = area.region.combinations(kMostEnumerated, stream)) {
      return best_of_all(merit, area, std::move(*all));
    }
  }
  std::vector<Coordinates> points =
      raw_points(area, config_.raw_samples, config_.local_samples, seed, step);
  if (points.empty()) return std::nullopt;
  const Vector values = merit.values(columns_of(area.region.domain(), points));
  std::vector<Climber> climbers = choose_climbers(area, points, values);
  for (int move = 0; move < kMostMoves; ++move) {
    climb_continuous(merit, area, climbers);
    move_levels(merit, area, climbers, stream);
    if (std::none_of(climbers.begin(), climbers.end(),
                     [](const Climber& climber) { return climber.is_awake; })) {
      break;
    }
  }
  std::erase_if(climbers, [&](const Climber& climber) { return area.excludes(climber.u); });
  if (climbers.empty()) return least_known(merit, area, points);
  const Climber& best =
      *std::max_element(climbers.begin(), climbers.end(),
                        [](const Climber& a, const Climber& b) { return a.value < b.value; });
  return SpaceSearchResult{.u = best.u, .value = best.value};
}

}  // namespace oscbo::acquisition
