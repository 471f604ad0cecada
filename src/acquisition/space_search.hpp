// The search for the next point of a space. Only points of the space are ever looked at: gradients
// move what may take any real number, and what has levels moves from one to the next.
#pragma once

#include <functional>
#include <optional>

#include "acquisition/merit.hpp"
#include "numeric/random_stream.hpp"
#include "space/region.hpp"

namespace oscbo::acquisition {

struct SpaceSearchResult {
  space::Coordinates u;
  double value = 0.0;
};

/// Where a search on a space looks.
struct SpaceArea {
  space::Region region;
  space::Coordinates incumbent = {};  // the best point known; may be empty
  /// Points that are not to be proposed; may be empty.
  std::function<bool(const space::Coordinates&)> is_taken = {};

  [[nodiscard]] bool excludes(const space::Coordinates& u) const { return is_taken && is_taken(u); }
};

/// columns_of returns the columns of points, a row for each.
[[nodiscard]] numeric::PaddedMatrix columns_of(const space::Domain& domain,
                                               const std::vector<space::Coordinates>& points);

class SpaceSearch {
 public:
  explicit SpaceSearch(const AcquisitionConfig& config) : config_(config) {}

  /// Up to so many points a space is searched by looking at each of them.
  static constexpr std::size_t kMostEnumerated = 4096;

  /// Up to so many ways to choose the levels, a search is begun for each.
  static constexpr std::size_t kMostCombinations = 16;

  /// maximise returns the best point found, or nothing where none is left:
  ///   1. every point of a small finite space, and that is all; else
  ///   2. the merit of points all over the region, and close to the incumbent, in one batch,
  ///   3. from the best of them, for few combinations of levels the best of each, in turn: a
  ///      quasi-Newton search over what is continuous, and a move to the best neighbour among the
  ///      levels, until neither brings more. Where all end at points that are not to be proposed,
  ///      the point of step 2 of which least is known.
  /// The streams are (seed, purpose, step) with `step` naming this search.
  [[nodiscard]] std::optional<SpaceSearchResult> maximise(Merit& merit, const SpaceArea& area,
                                                          std::uint64_t seed,
                                                          std::uint64_t step) const;

  /// raw_points returns the points of step 2. Exposed for Thompson sampling, and its test.
  [[nodiscard]] std::vector<space::Coordinates> raw_points(const SpaceArea& area, int everywhere,
                                                           int close, std::uint64_t seed,
                                                           std::uint64_t step) const;

 private:
  /// A point on its way up.
  struct Climber {
    space::Coordinates u;
    double value;
    bool is_awake = true;
  };

  [[nodiscard]] std::vector<Climber> choose_climbers(const SpaceArea& area,
                                                     const std::vector<space::Coordinates>& points,
                                                     const Vector& values) const;
  [[nodiscard]] std::optional<SpaceSearchResult> best_of_all(
      Merit& merit, const SpaceArea& area, std::vector<space::Coordinates> points) const;
  [[nodiscard]] std::optional<SpaceSearchResult> least_known(
      Merit& merit, const SpaceArea& area, const std::vector<space::Coordinates>& points) const;
  void climb_continuous(Merit& merit, const SpaceArea& area, std::vector<Climber>& climbers) const;
  void move_levels(Merit& merit, const SpaceArea& area, std::vector<Climber>& climbers,
                   numeric::RandomStream& stream) const;

  AcquisitionConfig config_;
};

}  // namespace oscbo::acquisition
