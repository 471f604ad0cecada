// The search for the next point of a space. It evaluates only points of the space: gradients move
// continuous parameters, and parameters with levels move from level to level.
#pragma once

#include <functional>
#include <optional>

#include "acquisition/acquisition_options.hpp"
#include "acquisition/merit.hpp"
#include "numeric/random_stream.hpp"
#include "space/region.hpp"

namespace oscbo::acquisition {

struct SpaceSearchResult {
  space::Coordinates u;
  double value = 0.0;
};

/// The area that a search on a space covers.
struct SpaceArea {
  space::Region region;
  space::Coordinates incumbent = {};  // the best known point; may be empty
  /// Tells which points must not be proposed. May be empty.
  std::function<bool(const space::Coordinates&)> is_taken = {};

  [[nodiscard]] bool excludes(const space::Coordinates& u) const { return is_taken && is_taken(u); }
};

/// columns_of returns a matrix with one row per point: the columns that models see
/// (Domain::to_columns).
[[nodiscard]] numeric::PaddedMatrix columns_of(const space::Domain& domain,
                                               const std::vector<space::Coordinates>& points);

class SpaceSearch {
 public:
  explicit SpaceSearch(const AcquisitionOptions& config) : config_(config) {}

  /// A finite space with at most this many points is searched exhaustively.
  static constexpr std::size_t kMostEnumerated = 4096;

  /// If the points of step 2 have at most this many combinations of levels, a search starts in
  /// each.
  static constexpr std::size_t kMostCombinations = 16;

  /// maximise returns the best point found, or nothing if no point may be proposed:
  ///   1. For a small finite space, it evaluates every point and returns the best. Otherwise:
  ///   2. It evaluates points all over the region, and close to the incumbent, as one batch.
  ///   3. It starts searches at the best of them, and, if there are few combinations of levels, at
  ///      the best of each combination. A search alternates between a quasi-Newton search over the
  ///      continuous parameters and a move to the best neighbouring levels, until neither improves.
  ///   4. If all searches end at points that must not be proposed, it returns the point with the
  ///      largest variance among the points of step 2 that may be proposed.
  /// The random streams are (seed, purpose, step), where `step` identifies this search.
  [[nodiscard]] std::optional<SpaceSearchResult> maximise(Merit& merit, const SpaceArea& area,
                                                          std::uint64_t seed,
                                                          std::uint64_t step) const;

  /// raw_points returns the points of step 2: `everywhere` is the number of points all over the
  /// region, and `close` the number of points close to the incumbent, unless it is empty. Points
  /// are left out if constraints leave no room for them. Exposed for Thompson sampling and for the
  /// test of raw_points.
  [[nodiscard]] std::vector<space::Coordinates> raw_points(const SpaceArea& area, int everywhere,
                                                           int close, std::uint64_t seed,
                                                           std::uint64_t step) const;

 private:
  /// The current point of a search.
  struct Climber {
    space::Coordinates u;
    double value = 0.0;
    bool is_awake = true;  // false once no neighbouring levels are better
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

  AcquisitionOptions config_;
};

}  // namespace oscbo::acquisition
