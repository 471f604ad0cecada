// The history of a run: its trials, and the log from which they can be rebuilt.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "optimizer/taken_points.hpp"
#include "oscbo/optimizer.hpp"
#include "space/point.hpp"

namespace oscbo {

/// A value type. Each change is one entry of the log. A refused change leaves no trace.
class TrialHistory {
 public:
  TrialHistory(Space space, std::size_t objectives)
      : space_(std::move(space)), objectives_(objectives) {}

  // --- changes -----------------------------------------------------------------------------------
  //
  // Each function has the name of its entry in the log. tell_extra and fail_extra add a trial that
  // was not asked for. Points are tidy (space/domain.hpp), and measurements have been checked.
  // Throws Error: unknown_name for a trial that was never asked, conflict for a trial that is no
  // longer pending.

  Trial& ask(std::vector<double> x, bool is_given);
  Trial& tell(TrialId id, const Measurement& measurement);
  Trial& tell_extra(std::vector<double> x, const Measurement& measurement);
  Trial& fail(TrialId id);
  Trial& fail_extra(std::vector<double> x);
  void abandon(TrialId id);
  void queue(std::vector<double> x);

  /// widen replaces the space by one that contains it.
  void widen(Space space);

  // --- what can be read --------------------------------------------------------------------------

  [[nodiscard]] const Space& space() const { return space_; }
  [[nodiscard]] const std::vector<Trial>& trials() const { return trials_; }
  [[nodiscard]] const std::vector<Event>& log() const { return log_; }

  /// observed returns the complete trials in the order in which they were told.
  [[nodiscard]] const std::vector<TrialId>& observed() const { return observed_; }

  [[nodiscard]] const space::Coordinates& coordinates(TrialId id) const { return coordinates_[id]; }

  /// taken returns the points of all trials that were not abandoned. lasting returns the number of
  /// these trials.
  [[nodiscard]] const TakenPoints& taken() const { return taken_; }
  [[nodiscard]] std::size_t lasting() const { return trials_.size() - abandoned_; }

  /// asked_one_at_a_time returns whether every point was asked when all earlier values were known.
  [[nodiscard]] bool asked_one_at_a_time() const;

 private:
  Trial& add(std::vector<double> x);
  [[nodiscard]] Trial& pending(TrialId id);
  Trial& complete(Trial& trial, Event::Kind kind, const Measurement& measurement);

  Space space_;
  std::size_t objectives_;
  std::vector<Trial> trials_;
  std::vector<Event> log_;
  std::vector<TrialId> observed_;
  std::size_t abandoned_ = 0;
  std::vector<space::Coordinates> coordinates_;  // by trial
  TakenPoints taken_;
};

}  // namespace oscbo
