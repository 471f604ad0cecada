#include "paper/paper_plan.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "experiment/plan.hpp"
#include "experiment/results.hpp"

namespace oscbo::paper {
namespace {

constexpr std::array kFormulaTasks = {"levy5", "hartmann3", "hartmann6"};
constexpr std::array kTableTasks = {"material5", "concrete7", "crossbarrel4"};
constexpr std::string_view kLander = "lunar12";
constexpr std::string_view kQuickLander = "lunar12-quick";

/// The size of the experiments.
struct PaperSize {
  int seeds = 20;
  int steps = 100;
};

PaperSize paper_size(const PaperPlan& plan) {
  PaperSize size = plan.quick ? PaperSize{.seeds = 3, .steps = 30} : PaperSize{};
  if (plan.seeds != 0) size.seeds = plan.seeds;
  if (plan.steps != 0) size.steps = plan.steps;
  return size;
}

/// The maximum number of seeds of the lander in the sweep, about which the paper claims nothing.
constexpr int kMostLanderSeeds = 5;

bool is_table_task(const std::string& task) {
  return std::ranges::find(kTableTasks, task) != kTableTasks.end();
}

std::vector<std::string> all_paper_tasks(const PaperPlan& plan) {
  std::vector<std::string> tasks(kFormulaTasks.begin(), kFormulaTasks.end());
  if (plan.tables) tasks.insert(tasks.end(), kTableTasks.begin(), kTableTasks.end());
  tasks.emplace_back(plan.quick ? kQuickLander : kLander);
  return tasks;
}

void require_known_tasks(const std::vector<std::string>& asked,
                         const std::vector<std::string>& known) {
  for (const std::string& task : asked) {
    if (std::ranges::find(known, task) != known.end()) continue;
    throw Error(
        ErrorCode::unknown_name, "--tasks",
        fmt::format("'{}' is not a task of these experiments ({})", task, fmt::join(known, ", ")));
  }
}

/// require_tables reports a missing table now, not after hours of runs. The tables must be
/// downloaded.
void require_tables(const PaperPlan& plan, const std::vector<std::string>& tasks) {
  if (!plan.data.empty()) return;
  std::vector<std::string> missing;
  std::ranges::copy_if(tasks, std::back_inserter(missing), is_table_task);
  if (missing.empty()) return;
  throw Error(ErrorCode::invalid_value, "--data",
              fmt::format("the tasks {} need a folder of tables; name it, or leave these tasks out "
                          "with --no-tables",
                          fmt::join(missing, ", ")));
}

struct GridMethods {
  std::string grid;
  std::vector<std::string> methods;
};

std::vector<std::string> ablation_variants(const std::vector<std::string>& main) {
  std::vector<std::string> variants;
  for (const PaperRegime& regime : paper_regimes()) {
    if (regime.setting.empty()) continue;
    for (const std::string& method : regime.methods_beside(main)) {
      variants.push_back(regime.variant(method));
    }
  }
  return variants;
}

/// sweep_variants omits the swept variants that are defaults, because they run in the main
/// experiment.
std::vector<std::string> sweep_variants() {
  std::vector<std::string> variants = swept_variants();
  std::erase_if(variants, [](const std::string& variant) { return !is_variant(variant); });
  return variants;
}

/// grids returns the three grids if the main experiment has the methods `main`.
std::vector<GridMethods> grids(const std::vector<std::string>& main) {
  return {{.grid = "main", .methods = main},
          {.grid = "ablations", .methods = ablation_variants(main)},
          {.grid = "sweep", .methods = sweep_variants()}};
}

/// weights_setting is recorded as the checksum of the file.
std::vector<std::string> weights_setting(const PaperPlan& plan) {
  if (plan.tabicl_weights.empty()) return {};
  return {fmt::format("tabicl.weights={}", plan.tabicl_weights.string())};
}

PaperStage make_stage(const PaperPlan& plan, const GridMethods& grid,
                      std::vector<std::string> tasks, bool lander) {
  const PaperSize size = paper_size(plan);
  const bool fewer = lander && grid.grid == "sweep";
  const int seeds = fewer ? std::min(size.seeds, kMostLanderSeeds) : size.seeds;
  return {.grid = grid.grid,
          .lander = lander,
          .plan = {.tasks = std::move(tasks),
                   .methods = grid.methods,
                   .seeds = seeds,
                   .steps = size.steps,
                   .jobs = plan.jobs,
                   .out = plan.out / grid.grid,
                   .data = plan.data,
                   .settings = weights_setting(plan)}};
}

/// stages_of returns the stages for `tasks`, with the lander last, and for the methods `main` in
/// the main experiment. Everything else comes from `plan`.
std::vector<PaperStage> stages_of(const PaperPlan& plan, const std::vector<std::string>& tasks,
                                  const std::vector<std::string>& main) {
  std::vector<std::string> quick_tasks;
  std::ranges::remove_copy_if(tasks, std::back_inserter(quick_tasks), is_lander);
  std::vector<PaperStage> stages;
  for (const bool lander : {false, true}) {
    std::vector<std::string> stage_tasks = quick_tasks;
    if (lander) stage_tasks.assign(tasks.begin() + std::ssize(quick_tasks), tasks.end());
    if (stage_tasks.empty()) continue;
    for (const GridMethods& grid : grids(main)) {
      stages.push_back(make_stage(plan, grid, stage_tasks, lander));
    }
  }
  return stages;
}

}  // namespace

std::string PaperRegime::variant(const std::string& method) const {
  // vanilla-bo always has one lengthscale per parameter.
  if (setting.empty() || method == "vanilla-bo") return method;
  return fmt::format("{}+{}", method, setting);
}

std::vector<std::string> PaperRegime::methods_beside(const std::vector<std::string>& main) const {
  std::vector<std::string> present = methods;
  if (!contains(main, kTabicl)) std::erase(present, kTabicl);
  return present;
}

std::string SweepPoint::variant(const std::string& method) const {
  std::string name = method;
  if (multiplier != "mll") name += "+dual.lambda0=" + multiplier;
  if (start != "warm") name += "+fit.start=" + start;
  return name;
}

const std::vector<std::string>& kernel_methods() {
  static const std::vector<std::string> all = {"oscbo",    "oscbo-l1",  "gp-ucb-mll", "ocbo",
                                               "a-gp-ucb", "lb-gp-ucb", "scgp"};
  return all;
}

std::vector<std::string> main_methods(const PaperPlan& plan) {
  std::vector<std::string> methods = kernel_methods();
  if (!plan.tabicl_weights.empty()) methods.emplace_back(kTabicl);
  methods.emplace_back(kPfn);
  return methods;
}

std::vector<std::string> methods_in_paper(const std::vector<std::string>& methods) {
  std::vector<std::string> present;
  std::ranges::copy_if(methods, std::back_inserter(present), [](const std::string& method) {
    return method == kTabicl || contains(kernel_methods(), method);
  });
  return present;
}

bool contains(const std::vector<std::string>& methods, const std::string& method) {
  return std::ranges::find(methods, method) != methods.end();
}

const std::vector<PaperRegime>& paper_regimes() {
  static const std::vector<PaperRegime> all = {
      {.name = "nu-0.5",
       .title = "ν = 0.5",
       .setting = "kernel.nu=0.5",
       .methods = kernel_methods()},
      {.name = "nu-1.5",
       .title = "ν = 1.5",
       .setting = "kernel.nu=1.5",
       .methods = kernel_methods()},
      {.name = "nu-2.5", .title = "ν = 2.5", .setting = "", .methods = kernel_methods()},
      {.name = "logei",
       .title = "LogEI",
       .setting = "acquisition=logei",
       .methods = {"oscbo", "oscbo-l1", "gp-ucb-mll", "a-gp-ucb", kTabicl}},
      {.name = "ard",
       .title = "ARD",
       .setting = "kernel.ard=true",
       .methods = {"oscbo", "oscbo-l1", "gp-ucb-mll", "ocbo", "scgp", "vanilla-bo"}},
  };
  return all;
}

const std::vector<SweepPoint>& sweep_points() {
  static const std::vector<SweepPoint> all = [] {
    std::vector<SweepPoint> points;
    for (const char* start : {"warm", "cold"}) {
      for (const char* multiplier : {"mll", "0.5", "one", "cap"}) {
        points.push_back({.multiplier = multiplier, .start = start});
      }
    }
    return points;
  }();
  return all;
}

std::vector<std::string> swept_variants() {
  std::vector<std::string> variants;
  for (const char* method : {"oscbo", "oscbo-l1"}) {
    for (const SweepPoint& point : sweep_points()) variants.push_back(point.variant(method));
  }
  for (const char* start : {"warm", "cold"}) {
    variants.push_back(SweepPoint{.multiplier = "mll", .start = start}.variant("gp-ucb-mll"));
  }
  return variants;
}

bool is_variant(const std::string& method) { return method.find('+') != std::string::npos; }

std::vector<std::string> paper_tasks(const PaperPlan& plan) {
  std::vector<std::string> tasks = all_paper_tasks(plan);
  if (plan.tasks.empty()) return tasks;
  require_known_tasks(plan.tasks, tasks);
  std::erase_if(tasks, [&](const std::string& task) {
    return std::ranges::find(plan.tasks, task) == plan.tasks.end();
  });
  return tasks;
}

bool is_lander(const std::string& task) { return task == kLander || task == kQuickLander; }

std::vector<PaperStage> paper_stages(const PaperPlan& plan) {
  if (plan.out.empty()) throw Error(ErrorCode::invalid_value, "--out", "a directory is needed");
  const std::vector<std::string> tasks = paper_tasks(plan);
  require_tables(plan, tasks);
  std::vector<PaperStage> stages = stages_of(plan, tasks, main_methods(plan));
  for (const PaperStage& stage : stages) experiment::check_plan(stage.plan);
  return stages;
}

std::vector<PaperStage> recorded_stages(const std::filesystem::path& out) {
  const experiment::PlanRecord record = experiment::read_record({out / "main"});
  std::vector<std::string> main = methods_in_paper(record.methods);
  if (contains(record.methods, kPfn)) main.emplace_back(kPfn);
  return stages_of({.out = out, .seeds = record.seeds, .steps = record.steps}, record.tasks, main);
}

}  // namespace oscbo::paper
