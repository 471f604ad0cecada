#include "report/rank_panel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "base/counted.hpp"
#include "oscbo/error.hpp"

namespace oscbo::report {
namespace {

// Each method has one unit on the axis. Tasks are to the left of its tick, and the mean is to the
// right.
constexpr double kTasksOffset = -0.15;
constexpr double kMeanOffset = 0.25;
constexpr double kTasksWidth = 0.5;
constexpr double kTaskSpacing = 0.08;

constexpr double kTaskSize = 0.6;
constexpr double kMeanSize = 1.6;

/// side_by_side returns positions that put the dots of equal ranks beside each other. They are
/// centred on `centre`, in the order of the tasks, and move closer if they would need more than
/// their width.
std::vector<double> side_by_side(std::span<const double> ranks, double centre) {
  std::vector<double> positions;
  positions.reserve(ranks.size());
  for (std::size_t task = 0; task < ranks.size(); ++task) {
    const auto before = static_cast<double>(std::ranges::count(ranks.first(task), ranks[task]));
    const auto gaps = static_cast<double>(std::ranges::count(ranks, ranks[task]) - 1);
    const double spacing = std::min(kTaskSpacing, kTasksWidth / std::max(gaps, 1.0));
    positions.push_back(centre + spacing * (before - 0.5 * gaps));
  }
  return positions;
}

Series task_dots(const RankSummary& ranks, const std::string& colour, double position) {
  return {.colour = colour,
          .mark = Mark::points,
          .size = kTaskSize,
          .x = side_by_side(ranks.ranks, position + kTasksOffset),
          .y = ranks.ranks};
}

Series mean_dot(const RankSummary& ranks, const std::string& colour, double position) {
  Series dot = {.colour = colour,
                .mark = Mark::points,
                .size = kMeanSize,
                .x = {position + kMeanOffset},
                .y = {ranks.mean}};
  if (std::isfinite(ranks.error)) {
    dot.lower = {ranks.mean - ranks.error};
    dot.upper = {ranks.mean + ranks.error};
  }
  return dot;
}

}  // namespace

Panel rank_panel(const std::string& title, std::span<const std::string> methods,
                 std::span<const RankSummary> ranks) {
  if (methods.size() != ranks.size()) {
    throw Error(
        ErrorCode::invalid_value, "ranks",
        fmt::format("{} {} for {}", ranks.size(), base::by_count(ranks.size(), "entry", "entries"),
                    base::counted(methods.size(), "method")));
  }
  Panel panel{.title = title, .y = {.title = "rank (1 is best)"}};
  for (const std::size_t method : best_first(ranks)) {
    const std::string colour = style_among(methods[method], methods).colour;
    const auto x = static_cast<double>(panel.x.categories.size());
    panel.x.categories.push_back(methods[method]);
    panel.series.push_back(task_dots(ranks[method], colour, x));
    panel.series.push_back(mean_dot(ranks[method], colour, x));
  }
  return panel;
}

}  // namespace oscbo::report
