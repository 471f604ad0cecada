#include "optimizer/next_point.hpp"

#include <algorithm>
#include <cmath>

#include "acquisition/acquisition_options.hpp"
#include "acquisition/thompson.hpp"

namespace oscbo {

using acquisition::InputScaling;
using acquisition::Limit;
using acquisition::Merit;
using acquisition::ModelInput;
using acquisition::ScaledModel;
using acquisition::SpaceArea;
using numeric::Index;
using numeric::Vector;
using space::Columns;
using space::Coordinates;

namespace {

ScaledModel scaled(const QuantityView& quantity) {
  return {.model = &quantity.predictor(), .scaling = quantity.scaling()};
}

/// box_area returns the part of a box to search, in model inputs.
acquisition::SearchArea box_area(const QuantityView& objective) {
  const model::SearchPlan& plan = objective.plan();
  acquisition::SearchArea area{.box = objective.scaling().search_box()};
  if (!plan.is_whole_box()) area.box = {plan.lower, plan.upper};
  if (!plan.excluded.empty()) {
    area.is_excluded = [&plan](const Vector& x) {
      return plan.excludes({x.data(), static_cast<std::size_t>(x.size())});
    };
  }
  area.incumbent = objective.incumbent_input().vector();
  return area;
}

/// hold_to_plan restricts the numeric parameters of the region to the plan's part of the box. The
/// plan is in model inputs. Only models that need unscaled inputs plan a part, so these are
/// coordinates.
void hold_to_plan(const model::SearchPlan& plan, space::Region& region) {
  if (plan.is_whole_box()) return;
  Index parameter = 0;  // the model does not see fixed parameters
  for (std::size_t k = 0; k < region.domain().size(); ++k) {
    const space::ParameterColumns::Kind kind = region.domain().parameter_columns(k).kind;
    if (kind == space::ParameterColumns::Kind::none) continue;
    if (kind == space::ParameterColumns::Kind::number) {
      region.hold(k, plan.lower[parameter], plan.upper[parameter]);
    }
    ++parameter;
  }
}

bool is_on_excluded_hill(const QuantityView& objective, const space::Domain& domain,
                         const Coordinates& u) {
  if (objective.plan().excluded.empty()) return false;
  const ModelInput x = objective.scaling().to_input(domain.to_columns(u));
  return objective.plan().excludes(x.entries());
}

/// success_limit expresses P(success) as a limit.
Limit success_limit(model::SuccessModel& success) {
  return {.model = {.model = &success.predictor(),
                    .scaling = InputScaling::identity(success.columns())},
          .lower = success.threshold(),
          .added_variance = success.added_variance()};
}

/// limits_of returns the limits of outcomes and success, in the units of their models.
std::vector<Limit> limits_of(const ModelsInForce& models, std::span<const Outcome> outcomes) {
  std::vector<Limit> limits;
  for (std::size_t c = 0; c < outcomes.size(); ++c) {
    const QuantityView& quantity = models.outcomes[c];
    limits.push_back({.model = scaled(quantity),
                      .lower = quantity.to_model_units(outcomes[c].lower),
                      .upper = quantity.to_model_units(outcomes[c].upper)});
  }
  if (models.success != nullptr) limits.push_back(success_limit(*models.success));
  return limits;
}

/// all_points returns all points of a finite region, or nothing if there are too many.
std::optional<std::vector<Coordinates>> all_points(const space::Region& region,
                                                   numeric::RandomStream& stream) {
  if (auto all = region.combinations(acquisition::SpaceSearch::kMostEnumerated, stream)) return all;
  constexpr std::size_t kMostConstrained =
      500;  // each combination, and each part of it, needs a polytope
  if (!region.domain().is_constrained()) return std::nullopt;
  return region.constrained_combinations(kMostConstrained, stream);
}

}  // namespace

std::optional<Coordinates> untaken_point(const space::Region& region, const TakenPoints& taken,
                                         numeric::RandomStream& stream) {
  constexpr int kDraws = 1000;
  for (int i = 0; i < kDraws; ++i) {
    std::optional<Coordinates> u = region.draw(stream);
    if (u && !taken.contains(region, *u)) return u;
  }
  if (!region.is_finite()) return std::nullopt;
  const auto all = all_points(region, stream);
  if (!all) return std::nullopt;
  const auto found = std::find_if(all->begin(), all->end(),
                                  [&](const Coordinates& u) { return !taken.contains(region, u); });
  if (found == all->end()) return std::nullopt;
  return *found;
}

/// EI and PI are multiplied by the probabilities of the limits, so the logarithms are added. log PI
/// is the log probability of one more limit.
Merit NextPointSearch::merit_of(const ModelsInForce& models,
                                std::span<const Outcome> outcomes) const {
  std::vector<Limit> limits = limits_of(models, outcomes);
  if (!models.knows_acceptable) return {std::nullopt, std::move(limits)};
  const ScaledModel model = scaled(models.objective);
  const acquisition::Acquisition acquisition = models.objective.acquisition();
  if (const auto* pi = std::get_if<acquisition::ProbabilityOfImprovement>(&acquisition)) {
    limits.push_back({.model = model, .lower = pi->best});
    return {std::nullopt, std::move(limits)};
  }
  if (const auto* ei = std::get_if<acquisition::ExpectedImprovement>(&acquisition)) {
    return {Merit::Objective{model, acquisition::LogExpectedImprovement{.best = ei->best}},
            std::move(limits)};
  }
  return {Merit::Objective{model, acquisition}, std::move(limits)};
}

NextPoint NextPointSearch::search_box(const QuantityView& objective, const Query& query) {
  const acquisition::SearchArea area = box_area(objective);
  const acquisition::SearchResult found =
      config_.kind == acquisition::AcquisitionOptions::Kind::thompson
          ? acquisition::maximise_sample(objective.predictor(), area, config_.candidates,
                                         query.seed, query.step)
          : box_search_.maximise(objective.predictor(), objective.acquisition(), area, query.seed,
                                 query.step);
  const Columns columns = objective.scaling().to_columns(ModelInput(found.x));
  return {.u = query.region.domain().from_columns(columns),
          .failed_restarts = found.failed_restarts};
}

std::optional<NextPoint> NextPointSearch::search_space(const ModelsInForce& models,
                                                       const Query& query, const SpaceArea& area) {
  Merit merit = merit_of(models, query.region.domain().declaration().outcomes);
  const auto found =
      config_.kind == acquisition::AcquisitionOptions::Kind::thompson
          ? acquisition::maximise_joint_sample(merit, space_search_, area, config_.candidates,
                                               query.seed, query.step)
          : space_search_.maximise(merit, area, query.seed, query.step);
  if (!found) return std::nullopt;
  return NextPoint{.u = found->u};
}

std::optional<NextPoint> NextPointSearch::find(const ModelsInForce& models, const Query& query) {
  const space::Domain& domain = query.region.domain();
  const bool has_limits = !models.outcomes.empty() || models.success != nullptr;
  if (domain.is_box() && !has_limits && !query.region.is_restricted()) {
    NextPoint found = search_box(models.objective, query);
    if (!query.taken.contains(query.region, found.u)) return found;
  }
  SpaceArea area{.region = query.region};
  area.incumbent = query.observed[static_cast<std::size_t>(models.objective.incumbent())];
  area.is_taken = [&](const Coordinates& u) { return query.taken.contains(query.region, u); };
  SpaceArea part = area;
  hold_to_plan(models.objective.plan(), part.region);
  part.is_taken = [&](const Coordinates& u) {
    return query.taken.contains(query.region, u) ||
           is_on_excluded_hill(models.objective, domain, u);
  };
  if (models.success != nullptr) {
    if (auto found = search_where_likely_to_succeed(models, query, part, area)) return found;
  } else if (auto found = search_space(models, query, part)) {
    return found;
  }
  return search_space(models, query, area);
}

/// The search first covers the points that are more likely to succeed than to fail. A climb that
/// ends elsewhere is dropped: if it stopped at the border, the border would be probed again and
/// again. If nothing is left to gain there, a chance of one in three is enough, so that points near
/// a chance failure get another try.
std::optional<NextPoint> NextPointSearch::search_where_likely_to_succeed(
    const ModelsInForce& models, const Query& query, const SpaceArea& part,
    const SpaceArea& whole) {
  constexpr double kEvenChance = 0.5;
  constexpr double kSmallestChance = 1.0 / 3.0;
  constexpr double kSmallestGain = 1e-4;  // in standard deviations of the model
  const space::Domain& domain = query.region.domain();
  const auto search = [&](SpaceArea area, double least_chance) {
    area.is_taken = [&, is_taken = area.is_taken](const Coordinates& u) {
      return is_taken(u) || models.success->log_probability(domain.to_columns(u).entries()) <
                                std::log(least_chance);
    };
    return search_space(models, query, area);
  };
  if (auto found = search(part, kEvenChance)) {
    const ModelPrediction promise = models.objective.predict(domain.to_columns(found->u));
    if (!models.knows_acceptable || promise.log_improvement > std::log(kSmallestGain)) return found;
  }
  if (auto found = search(part, kSmallestChance)) return found;
  return search(whole, kSmallestChance);
}

}  // namespace oscbo
