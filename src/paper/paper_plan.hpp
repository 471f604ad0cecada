// The experiments of the paper as data: which methods, with which settings, on which tasks, and in
// which order they are run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "oscbo/experiment.hpp"
#include "oscbo/paper.hpp"

namespace oscbo::paper {

/// One invocation of run_experiment. Several stages may fill one directory.
struct PaperStage {
  std::string grid;     // "main", "ablations" or "sweep": the name of its directory
  bool lander = false;  // whether its task is the lander, which takes longest by far
  ExperimentPlan plan = {};

  [[nodiscard]] std::size_t runs() const {
    return plan.tasks.size() * plan.methods.size() * static_cast<std::size_t>(plan.seeds);
  }
};

/// A change of the model or the acquisition, and the methods for which it means something.
struct PaperRegime {
  std::string name;     // "nu-0.5"
  std::string title;    // "ν = 0.5"
  std::string setting;  // "kernel.nu=0.5"; empty for the main experiment
  std::vector<std::string> methods = {};

  /// The variant that is run for `method` in this regime.
  [[nodiscard]] std::string variant(const std::string& method) const;
};

/// One combination of the two choices that the paper leaves open.
struct SweepPoint {
  std::string multiplier;  // dual.lambda0
  std::string start;       // fit.start

  /// The variant of `method` with this choice: its plain name where the choice is the default.
  [[nodiscard]] std::string variant(const std::string& method) const;
};

/// paper_methods lists the methods of the main experiment.
[[nodiscard]] const std::vector<std::string>& paper_methods();

/// paper_regimes lists the main experiment and its variations: nu, LogEI, ARD.
[[nodiscard]] const std::vector<PaperRegime>& paper_regimes();

/// sweep_points lists all combinations of the two open choices.
[[nodiscard]] const std::vector<SweepPoint>& sweep_points();

/// swept_variants lists what the sweep compares: oscbo and oscbo-l1 with every combination, and
/// gp-ucb-mll, to which the multiplier means nothing, with either start.
[[nodiscard]] std::vector<std::string> swept_variants();

/// is_variant returns whether `method` has settings in its name; without any it is run in the main
/// experiment.
[[nodiscard]] bool is_variant(const std::string& method);

/// paper_tasks lists the tasks of `plan`, the lander last.
[[nodiscard]] std::vector<std::string> paper_tasks(const PaperPlan& plan);

/// is_lander returns whether `task` is the lander in one of its sizes.
[[nodiscard]] bool is_lander(const std::string& task);

/// paper_stages returns what is to be run, in this order: the grids without the lander, then the
/// lander in each of them. No run is in two stages. Throws Error (invalid_value, unknown_name)
/// unless everything `plan` says is accepted, and when tables are needed and not named.
[[nodiscard]] std::vector<PaperStage> paper_stages(const PaperPlan& plan);

/// recorded_stages returns what is to be run in `out` by the plan.json of its main experiment: the
/// other two have its tasks, seeds and rounds. Tasks that have not been begun there are not known.
/// Throws Error (io, conflict) as read_record does.
[[nodiscard]] std::vector<PaperStage> recorded_stages(const std::filesystem::path& out);

}  // namespace oscbo::paper
