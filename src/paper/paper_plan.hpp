// The experiments of the paper as data: the methods, settings and tasks, and the order of the runs.
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

/// A change of the model or the acquisition, and the methods that are run with it.
struct PaperRegime {
  std::string name;     // "nu-0.5"
  std::string title;    // "ν = 0.5"
  std::string setting;  // "kernel.nu=0.5"; empty for the main experiment
  std::vector<std::string> methods = {};

  /// The variant that is run for `method` in this regime.
  [[nodiscard]] std::string variant(const std::string& method) const;

  /// methods_beside returns the methods of this regime, given the methods `main` of the main
  /// experiment: tabicl is omitted if it is not in `main`.
  [[nodiscard]] std::vector<std::string> methods_beside(const std::vector<std::string>& main) const;
};

/// One combination of the two choices that the sweep varies. The paper leaves both choices open.
struct SweepPoint {
  std::string multiplier;  // value of the option dual.lambda0
  std::string start;       // value of the option fit.start

  /// The variant of `method` with this combination. Its name contains only the choices that are not
  /// the default.
  [[nodiscard]] std::string variant(const std::string& method) const;
};

/// The paper's baseline TabICLv2. It has no kernel, and needs a file of weights.
inline constexpr const char* kTabicl = "tabicl";

/// The in-context model that is part of oscbo. It has no kernel, and is not in the paper.
inline constexpr const char* kPfn = "pfn";

/// kernel_methods lists those methods of the main experiment that have a kernel.
[[nodiscard]] const std::vector<std::string>& kernel_methods();

/// main_methods lists the methods of the main experiment: those with a kernel, tabicl if `plan`
/// names its weights, and pfn.
[[nodiscard]] std::vector<std::string> main_methods(const PaperPlan& plan);

/// methods_in_paper returns those of `methods` that are in the main experiment of the paper.
[[nodiscard]] std::vector<std::string> methods_in_paper(const std::vector<std::string>& methods);

/// contains returns whether `method` is one of `methods`.
[[nodiscard]] bool contains(const std::vector<std::string>& methods, const std::string& method);

/// paper_regimes lists the main experiment and its variations: nu, LogEI, ARD.
[[nodiscard]] const std::vector<PaperRegime>& paper_regimes();

/// sweep_points lists all combinations of the two choices in the sweep.
[[nodiscard]] const std::vector<SweepPoint>& sweep_points();

/// swept_variants lists the variants in the sweep: oscbo and oscbo-l1 with every combination, and
/// gp-ucb-mll with each start. The multiplier does not affect gp-ucb-mll.
[[nodiscard]] std::vector<std::string> swept_variants();

/// is_variant returns whether the name of `method` contains settings. Methods without settings run
/// in the main experiment.
[[nodiscard]] bool is_variant(const std::string& method);

/// paper_tasks lists the tasks of `plan`, the lander last.
[[nodiscard]] std::vector<std::string> paper_tasks(const PaperPlan& plan);

/// is_lander returns whether `task` is the lander in one of its sizes.
[[nodiscard]] bool is_lander(const std::string& task);

/// paper_stages returns the stages in the order in which they run: first the grids without the
/// lander, then the lander in each grid. No run is in two stages. Throws Error (invalid_value,
/// unknown_name) if `plan` is not accepted, or if required tables are not given.
[[nodiscard]] std::vector<PaperStage> paper_stages(const PaperPlan& plan);

/// recorded_stages returns the stages of `out` according to the plan.json of its main experiment.
/// It omits tasks that have not been started, and pfn and tabicl if they were not asked for. The
/// other two grids have the same tasks, seeds and rounds, except that the lander has fewer seeds in
/// the sweep. Throws the errors of read_record (io, conflict).
[[nodiscard]] std::vector<PaperStage> recorded_stages(const std::filesystem::path& out);

}  // namespace oscbo::paper
