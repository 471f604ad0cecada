// Decides which observations `auto` looks at in a round.
#pragma once

#include "model/auto_options.hpp"

namespace oscbo::model {

/// The observations that the model of a round uses: all, those near the best one, or those that are
/// on no locked hill.
enum class View : std::size_t { all, near_best, unlocked };

/// Chooses the view of each round. A value type.
class ViewSchedule {
 public:
  ViewSchedule(const AutoOptions& config, int budget) : config_(config), budget_(budget) {}

  struct Choice {
    View view = View::all;
    bool looks_far = false;  // uses twice as many observations near the best one
  };

  /// next returns the view of query `round`. A fit may serve several queries, so turns are counted
  /// in fits.
  Choice next(int round, int pending, bool has_hills, bool is_noisy) {
    ++fits_;
    const bool refines = is_among_the_last(round, pending, is_noisy);
    const View view = refines ? View::near_best : turn(has_hills, is_noisy);
    if (view == View::near_best) looks_far_ = pending > 0 && !refines && !looks_far_;
    return {.view = view, .looks_far = looks_far_};
  }

 private:
  // The number of batches at the end of the budget that refine the best point. Two batches are
  // enough; more rounds are better spent on other hills.
  static constexpr int kLastBatches = 2;

  [[nodiscard]] View turn(bool has_hills, bool is_noisy) const {
    if (is_noisy) return View::all;
    if (has_hills) return fits_ % config_.return_every == 0 ? View::near_best : View::unlocked;
    const int every = config_.near_best_every;
    return every > 0 && fits_ % every == 0 ? View::near_best : View::all;
  }

  /// is_among_the_last returns whether the round is one of the last 2 (pending + 1) of the budget.
  /// With p points pending, a value comes back p asks later, so a hill that is found now would not
  /// be climbed. The result is false if no point is pending, if there is noise, or if no round may
  /// look near the best point.
  [[nodiscard]] bool is_among_the_last(int round, int pending, bool is_noisy) const {
    const int left = budget_ - round;
    if (pending == 0 || is_noisy || config_.near_best_every == 0) return false;
    return left >= 0 && left < kLastBatches * (pending + 1);
  }

  AutoOptions config_;
  int budget_;
  int fits_ = 0;
  bool looks_far_ = false;  // whether the last look near the best point was far
};

}  // namespace oscbo::model
