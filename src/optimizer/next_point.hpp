// Searches for the next point with the models of a round.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "acquisition/acquisition_options.hpp"
#include "acquisition/maximiser.hpp"
#include "acquisition/space_search.hpp"
#include "model/success_model.hpp"
#include "optimizer/quantity_view.hpp"
#include "optimizer/taken_points.hpp"

namespace oscbo {

/// The models of a round.
struct ModelsInForce {
  QuantityView objective;
  std::vector<QuantityView> outcomes;
  model::SuccessModel* success;  // null while no evaluation has failed
  bool knows_acceptable;         // some observation is within all limits
};

/// untaken_point returns any point of the region that is not taken, or nothing if it finds none. In
/// a space of up to SpaceSearch::kMostEnumerated points it always finds one if there is one.
[[nodiscard]] std::optional<space::Coordinates> untaken_point(const space::Region& region,
                                                              const TakenPoints& taken,
                                                              numeric::RandomStream& stream);

struct NextPoint {
  space::Coordinates u;
  int failed_restarts = 0;
};

/// Finds the next point. Reusable: keeps the workspaces of its searches. Not thread-safe.
class NextPointSearch {
 public:
  explicit NextPointSearch(const acquisition::AcquisitionOptions& config)
      : config_(config), box_search_(config), space_search_(config) {}

  /// What to search: the points of `region` that are not taken. `seed` and `step` determine the
  /// random streams of the search.
  struct Query {
    space::Region region;
    const TakenPoints& taken;
    const std::vector<space::Coordinates>&
        observed;  // in the order of the objective's observations
    std::uint64_t seed = 0;
    std::uint64_t step = 0;
  };

  /// find returns the point of the region that the acquisition prefers, or nothing if all points
  /// are taken.
  [[nodiscard]] std::optional<NextPoint> find(const ModelsInForce& models, const Query& query);

 private:
  [[nodiscard]] NextPoint search_box(const QuantityView& objective, const Query& query);
  [[nodiscard]] std::optional<NextPoint> search_space(const ModelsInForce& models,
                                                      const Query& query,
                                                      const acquisition::SpaceArea& area);
  [[nodiscard]] std::optional<NextPoint> search_where_likely_to_succeed(
      const ModelsInForce& models, const Query& query, const acquisition::SpaceArea& part,
      const acquisition::SpaceArea& whole);
  [[nodiscard]] acquisition::Merit merit_of(const ModelsInForce& models,
                                            std::span<const Outcome> outcomes) const;

  acquisition::AcquisitionOptions config_;
  acquisition::Maximiser box_search_;
  acquisition::SpaceSearch space_search_;
};

}  // namespace oscbo
