#include "problems/table_oracle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nanoflann.hpp>
#include <numeric>
#include <optional>
#include <utility>

namespace oscbo::tables {
namespace {

using Query = std::span<const double>;
using Levels = std::vector<std::vector<double>>;  // the levels of each coordinate, ascending

constexpr std::size_t kNeighbours = 12;
constexpr double kEpsilon = 1e-12;

constexpr double squared(double value) { return value * value; }

std::vector<Bounds> box_of(const Designs& designs) {
  const Query first = designs.at(0);
  std::vector<Bounds> box;
  for (const double coordinate : first) box.push_back({.lower = coordinate, .upper = coordinate});
  for (std::size_t i = 1; i < designs.size(); ++i) {
    const Query design = designs.at(i);
    for (std::size_t j = 0; j < box.size(); ++j) {
      box[j].lower = std::min(box[j].lower, design[j]);
      box[j].upper = std::max(box[j].upper, design[j]);
    }
  }
  return box;
}

std::vector<double> levels_of(const Designs& designs, std::size_t coordinate) {
  std::vector<double> levels(designs.size());
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = designs.at(i)[coordinate];
  std::ranges::sort(levels);
  const auto repeated = std::ranges::unique(levels);
  levels.erase(repeated.begin(), repeated.end());
  return levels;
}

/// Returns the levels of the grid that the designs fill, or nothing. Designs are distinct, so they
/// fill the grid of their levels if and only if there are as many designs as nodes.
std::optional<Levels> complete_grid(const Designs& designs) {
  Levels levels;
  std::size_t nodes = 1;
  for (std::size_t j = 0; j < designs.dimension; ++j) {
    levels.push_back(levels_of(designs, j));
    if (levels.back().size() > designs.size() / nodes) return std::nullopt;
    nodes *= levels.back().size();
  }
  return nodes == designs.size() ? std::optional(std::move(levels)) : std::nullopt;
}

/// Multilinear interpolation in every cell of a grid: the mean of the cell's 2^d corners, weighted
/// by the product of the fractional distances along each coordinate.
class GridInterpolation final : public Interpolation {
 public:
  GridInterpolation(const Designs& designs, Levels levels) : levels_(std::move(levels)) {
    std::size_t stride = 1;
    for (const std::vector<double>& level : levels_) {
      strides_.push_back(stride);
      stride *= level.size();
    }
    values_.resize(stride);
    for (std::size_t i = 0; i < designs.size(); ++i) {
      values_[node_of(designs.at(i))] = designs.values[i];
    }
  }

  [[nodiscard]] double value(Query x) const override {
    const std::size_t dimension = levels_.size();
    std::vector<double> fractions(dimension);  // position inside the cell, from 0 to 1
    std::size_t lowest_corner = 0;
    for (std::size_t j = 0; j < dimension; ++j) {
      const std::vector<double>& levels = levels_[j];
      const std::size_t cell = std::min(level_below(levels, x[j]), levels.size() - 2);
      fractions[j] = (x[j] - levels[cell]) / (levels[cell + 1] - levels[cell]);
      lowest_corner += cell * strides_[j];
    }
    double mean = 0.0;
    for (std::size_t corner = 0; corner >> dimension == 0; ++corner) {
      double weight = 1.0;
      std::size_t node = lowest_corner;
      for (std::size_t j = 0; j < dimension; ++j) {
        const bool is_upper = (corner >> j & 1U) != 0;
        weight *= is_upper ? fractions[j] : 1.0 - fractions[j];
        node += is_upper ? strides_[j] : 0;
      }
      mean += weight * values_[node];
    }
    return mean;
  }

 private:
  /// Returns the index of the last level <= coordinate.
  static std::size_t level_below(const std::vector<double>& levels, double coordinate) {
    const auto above = std::ranges::upper_bound(levels, coordinate);
    return static_cast<std::size_t>(above - levels.begin()) - 1;
  }

  [[nodiscard]] std::size_t node_of(Query design) const {
    std::size_t node = 0;
    for (std::size_t j = 0; j < design.size(); ++j) {
      node += level_below(levels_[j], design[j]) * strides_[j];
    }
    return node;
  }

  Levels levels_;
  std::vector<std::size_t> strides_;
  std::vector<double> values_;  // the value at every node
};

/// The scaled designs in the form that nanoflann requires. It prescribes these names.
struct ScaledDesigns {
  std::size_t dimension = 0;
  std::vector<double> coordinates = {};

  [[nodiscard]] std::size_t kdtree_get_point_count() const {
    return coordinates.size() / dimension;
  }
  [[nodiscard]] double kdtree_get_pt(std::size_t index, std::size_t coordinate) const {
    return coordinates[index * dimension + coordinate];
  }
  template <typename Box>
  [[nodiscard]] bool kdtree_get_bbox(Box& /*box*/) const {
    return false;
  }
};

using DesignIndex = std::uint32_t;
using Neighbour = std::pair<DesignIndex, double>;  // a design and its distance

// This metric always adds the squares in the order of the coordinates.
using Metric = nanoflann::L2_Simple_Adaptor<double, ScaledDesigns, double, DesignIndex>;
using Tree = nanoflann::KDTreeSingleIndexAdaptor<Metric, ScaledDesigns, -1, DesignIndex>;

class InverseDistance final : public Interpolation {
 public:
  InverseDistance(const Designs& designs, const std::vector<Bounds>& box)
      : box_(box),
        values_(designs.values),
        designs_(scaled(designs)),
        tree_(static_cast<int>(designs.dimension), designs_) {}

  [[nodiscard]] double value(Query x) const override {
    std::vector<Neighbour> neighbours = candidates(scaled(x));
    if (neighbours.front().second <= kEpsilon) return values_[neighbours.front().first];
    keep_nearest(neighbours);
    double sum = 0.0;
    double weights = 0.0;
    for (const auto& [index, distance] : neighbours) {
      const double weight = 1.0 / squared(distance + kEpsilon);
      sum += weight * values_[index];
      weights += weight;
    }
    return sum / weights;
  }

 private:
  [[nodiscard]] std::vector<double> scaled(Query x) const {
    std::vector<double> result(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
      result[j] = (x[j] - box_[j].lower) / (box_[j].upper - box_[j].lower);
    }
    return result;
  }

  [[nodiscard]] ScaledDesigns scaled(const Designs& designs) const {
    ScaledDesigns result{.dimension = designs.dimension};
    result.coordinates.reserve(designs.inputs.size());
    for (std::size_t i = 0; i < designs.size(); ++i) {
      const std::vector<double> design = scaled(designs.at(i));
      result.coordinates.insert(result.coordinates.end(), design.begin(), design.end());
    }
    return result;
  }

  [[nodiscard]] std::size_t neighbour_count() const {
    return std::min(kNeighbours, values_.size());
  }

  /// Returns all designs that can be among the nearest, including ties with the last one, sorted by
  /// (distance, index). Among several designs at the same distance, the first search returns one
  /// that depends on the shape of the tree. The second search finds all of them.
  [[nodiscard]] std::vector<Neighbour> candidates(const std::vector<double>& query) const {
    std::array<DesignIndex, kNeighbours> indices = {};
    std::array<double, kNeighbours> squares = {};
    const std::size_t count =
        tree_.knnSearch(query.data(), neighbour_count(), indices.data(), squares.data());
    const double furthest = std::sqrt(squares.at(count - 1));

    std::vector<Neighbour> found;
    found.reserve(2 * kNeighbours);
    tree_.radiusSearch(query.data(), squared(furthest + kEpsilon), found, {});
    for (Neighbour& neighbour : found) neighbour.second = std::sqrt(neighbour.second);
    std::ranges::sort(found, [](const Neighbour& a, const Neighbour& b) {
      return std::pair(a.second, a.first) < std::pair(b.second, b.first);
    });
    return found;
  }

  /// Keeps the nearest candidates. Of those within epsilon of the last distance, it keeps the ones
  /// with the lowest indices.
  void keep_nearest(std::vector<Neighbour>& found) const {
    const double furthest = found[neighbour_count() - 1].second;
    const auto tied = std::ranges::lower_bound(found, furthest - kEpsilon, {}, &Neighbour::second);
    std::sort(tied, found.end());
    found.resize(neighbour_count());
  }

  std::vector<Bounds> box_;
  std::vector<double> values_;
  ScaledDesigns designs_;
  Tree tree_;
};

}  // namespace

Designs average_replicates(std::size_t dimension, std::span<const double> inputs,
                           std::span<const double> values) {
  const auto design = [&](std::size_t row) { return inputs.subspan(row * dimension, dimension); };
  // Sorting makes equal rows adjacent, in the order in which they appear.
  std::vector<std::size_t> rows(values.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::ranges::stable_sort(rows, [&](std::size_t a, std::size_t b) {
    return std::ranges::lexicographical_compare(design(a), design(b));
  });

  std::vector<std::size_t> first_row(values.size());  // the first row with the same inputs
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool repeats = i > 0 && std::ranges::equal(design(rows[i]), design(rows[i - 1]));
    first_row[rows[i]] = repeats ? first_row[rows[i - 1]] : rows[i];
  }

  Designs designs{.dimension = dimension, .inputs = {}, .values = {}};
  std::vector<double> counts;
  std::vector<std::size_t> index(values.size());  // index of the design that starts in a row
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (first_row[row] == row) {
      index[row] = designs.size();
      designs.inputs.insert(designs.inputs.end(), design(row).begin(), design(row).end());
      designs.values.push_back(0.0);
      counts.push_back(0.0);
    }
    designs.values[index[first_row[row]]] += values[row];
    counts[index[first_row[row]]] += 1.0;
  }
  for (std::size_t i = 0; i < designs.size(); ++i) designs.values[i] /= counts[i];
  return designs;
}

TableOracle::TableOracle(const Designs& designs)
    : bounds_(box_of(designs)),
      lowest_(std::ranges::min(designs.values)),
      highest_(std::ranges::max(designs.values)) {
  std::optional<Levels> grid = complete_grid(designs);
  is_grid_ = grid.has_value();
  if (is_grid_) {
    interpolation_ = std::make_unique<GridInterpolation>(designs, *std::move(grid));
  } else {
    interpolation_ = std::make_unique<InverseDistance>(designs, bounds_);
  }
}

double TableOracle::operator()(std::span<const double> x) const {
  std::vector<double> clipped(x.begin(), x.end());
  for (std::size_t j = 0; j < clipped.size(); ++j) {
    if (std::isnan(clipped[j])) return std::numeric_limits<double>::quiet_NaN();
    clipped[j] = std::clamp(clipped[j], bounds_[j].lower, bounds_[j].upper);
  }
  // A mean cannot exceed the largest value, so rounding must not make a regret negative.
  return std::clamp(interpolation_->value(clipped), lowest_, highest_);
}

}  // namespace oscbo::tables
