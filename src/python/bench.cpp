// Tasks with known optima, and experiments on them.
#include <chrono>
#include <future>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "oscbo/experiment.hpp"
#include "oscbo/problem.hpp"

namespace oscbo::python {
namespace {

namespace py = pybind11;

/// Runs the work in its own thread and stops it when the user interrupts. Python notices signals
/// only when they are checked.
template <class Work>
auto interruptible(const Work& work) {
  std::atomic<bool> stop = false;
  bool is_interrupted = false;
  auto outcome = [&] {
    const py::gil_scoped_release release;
    auto result = std::async(std::launch::async, [&] { return work(stop); });
    constexpr std::chrono::milliseconds kPause(50);
    while (result.wait_for(kPause) != std::future_status::ready) {
      const py::gil_scoped_acquire acquire;
      if (!is_interrupted && PyErr_CheckSignals() != 0) stop = is_interrupted = true;
    }
    return result;
  }();
  if (is_interrupted) throw py::error_already_set();
  return outcome.get();
}

void run_plan(const std::vector<std::string>& tasks, const std::vector<std::string>& methods,
              int seeds, int steps, int jobs, const std::filesystem::path& out,
              const std::filesystem::path& data, const std::vector<std::string>& settings) {
  const ExperimentPlan plan{.tasks = tasks,
                            .methods = methods,
                            .seeds = seeds,
                            .steps = steps,
                            .jobs = jobs,
                            .out = out,
                            .data = data,
                            .settings = settings};
  interruptible([&](const std::atomic<bool>& stop) { return run_experiment(plan, {}, &stop); });
}

Array values_at(const Problem& problem, const Array& X) {
  std::vector<double> values;
  const std::vector<std::vector<double>> points = rows_of(X);
  {
    const py::gil_scoped_release release;
    for (const std::vector<double>& x : points) {
      problem.space.check(x);
      values.push_back(problem.value(x));
    }
  }
  return to_array(std::move(values));
}

std::vector<double> outcomes_at(const Problem& problem, const Array& x) {
  if (!problem.outcomes) return {};
  problem.space.check(view(x));
  return problem.outcomes(view(x));
}

py::dict tasks_table() {
  py::dict meanings;
  for (const ProblemInfo& problem : problems()) meanings[py::str(problem.name)] = problem.meaning;
  return meanings;
}

}  // namespace

void bind_bench(py::module_& module) {
  module.def("tasks", &tasks_table);
  module.def("run_experiment", &run_plan, py::arg("tasks"), py::arg("methods"), py::arg("seeds"),
             py::arg("steps"), py::arg("jobs"), py::arg("out"), py::arg("data"),
             py::arg("settings"));
  py::class_<Problem>(module, "Task", "A function with a known maximum.")
      .def(py::init([](const std::string& name, const std::filesystem::path& data) {
             return make_problem(name, data);
           }),
           py::arg("name"), py::arg("data"))
      .def_readonly("name", &Problem::name)
      .def_readonly("space", &Problem::space)
      .def_readonly("maximum", &Problem::maximum)
      .def_property_readonly("maximiser",
                             [](const Problem& problem) { return to_array(problem.maximiser); })
      .def("values", &values_at, py::arg("X"))
      .def("outcomes", &outcomes_at, py::arg("x"));
}

}  // namespace oscbo::python
