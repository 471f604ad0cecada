#include "oscbo/optimizer.hpp"

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "plain_data.hpp"
#include "record_data.hpp"
#include "shared_optimizer.hpp"

namespace oscbo::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;

py::dict to_python(const Suggestion& suggestion) {
  py::dict plain = fields_of(suggestion);
  plain["x"] = to_array(suggestion.x);
  return plain;
}

py::dict to_python(const Trial& trial) {
  py::dict plain = fields_of(trial);
  plain["x"] = to_array(trial.x);
  return plain;
}

// --- asking --------------------------------------------------------------------------------------

py::dict ask(const SharedOptimizer& shared, const py::dict& given) {
  const std::vector<Given> values = given_of(given);
  return to_python(shared.use([&](Optimizer& optimizer) { return optimizer.ask(values); }));
}

py::list ask_many(const SharedOptimizer& shared, int count) {
  py::list batch;
  for (const Suggestion& each :
       shared.use([&](Optimizer& optimizer) { return optimizer.ask(count); })) {
    batch.append(to_python(each));
  }
  return batch;
}

void queue(const SharedOptimizer& shared, const Array& x) {
  shared.use([point = view(x)](Optimizer& optimizer) { optimizer.queue(point); });
}

// --- telling -------------------------------------------------------------------------------------

void tell(const SharedOptimizer& shared, TrialId trial, const std::vector<double>& y,
          const Variances& variances, const std::vector<double>& outcomes) {
  const Measurement measurement = measurement_of(y, variances, outcomes);
  shared.use([&](Optimizer& optimizer) { optimizer.tell(trial, measurement); });
}

TrialId tell_point(const SharedOptimizer& shared, const Array& x, const std::vector<double>& y,
                   const Variances& variances, const std::vector<double>& outcomes) {
  const Measurement measurement = measurement_of(y, variances, outcomes);
  return shared.use(
      [&, point = view(x)](Optimizer& optimizer) { return optimizer.tell(point, measurement); });
}

void tell_failed(const SharedOptimizer& shared, TrialId trial) {
  shared.use([&](Optimizer& optimizer) { optimizer.tell_failed(trial); });
}

TrialId tell_point_failed(const SharedOptimizer& shared, const Array& x) {
  return shared.use(
      [point = view(x)](Optimizer& optimizer) { return optimizer.tell_failed(point); });
}

void abandon(const SharedOptimizer& shared, TrialId trial) {
  shared.use([&](Optimizer& optimizer) { optimizer.abandon(trial); });
}

void widen(const SharedOptimizer& shared, const Space& space) {
  shared.use([&](Optimizer& optimizer) { optimizer.widen(space); });
}

// --- looking -------------------------------------------------------------------------------------

std::vector<Trial> trials_of(const SharedOptimizer& shared) {
  return shared.use([](const Optimizer& optimizer) { return optimizer.trials(); });
}

py::list trials(const SharedOptimizer& shared) {
  py::list list;
  for (const Trial& trial : trials_of(shared)) list.append(to_python(trial));
  return list;
}

py::dict trial_at(const SharedOptimizer& shared, TrialId id) {
  const Trial trial = shared.use([&](const Optimizer& optimizer) {
    if (id >= optimizer.trials().size()) {
      throw Error(ErrorCode::unknown_name, "trial", std::to_string(id) + " was never asked");
    }
    return optimizer.trials()[id];
  });
  return to_python(trial);
}

/// A recommendation with a copy of its trial, made under the lock.
struct Recommended {
  Trial trial;
  RecommendedBy by = RecommendedBy::observed;
  bool is_acceptable = true;
};

py::dict recommendation(const SharedOptimizer& shared) {
  const Recommended best = shared.use([](const Optimizer& optimizer) {
    const Recommendation found = optimizer.recommendation();
    return Recommended{found.trial, found.by, found.is_acceptable};
  });
  return py::dict("trial"_a = to_python(best.trial), "by"_a = text_of(best.by),
                  "is_acceptable"_a = best.is_acceptable);
}

/// Without an outcome, predict and calibration_of are about the objective.
py::dict predict(const SharedOptimizer& shared, const Array& X,
                 std::optional<std::size_t> outcome) {
  const std::vector<std::vector<double>> points = rows_of(X);
  return columns_of(shared.use([&](Optimizer& optimizer) {
    return optimizer.predict_quantity(quantity_of_outcome(optimizer.quantities(), outcome), points);
  }));
}

py::dict calibration_of(const SharedOptimizer& shared, std::optional<std::size_t> outcome) {
  const std::size_t quantity = quantity_of_outcome(
      shared.use([](const Optimizer& optimizer) { return optimizer.quantities(); }), outcome);
  std::vector<Forecast> forecasts;
  for (const Trial& trial : trials_of(shared)) {
    const QuantityRecord& record = quantity_of(trial, quantity);
    if (!record.prediction || !record.value) continue;
    forecasts.push_back(make_forecast(*record.prediction, *record.value));
  }
  return python::to_python(calibration(forecasts));
}

// --- saving --------------------------------------------------------------------------------------

py::tuple to_python(const Event& event) {
  return py::make_tuple(static_cast<int>(event.kind), event.trial, event.x,
                        std::vector<double>(event.y.begin(), event.y.end()),
                        Variances(event.variance.begin(), event.variance.end()), event.outcomes,
                        event.given, event.space);
}

/// Reads the told values of a saved event. Before objectives were a list, an optimizer saved a
/// single number in maximisation form.
void read_told(const py::tuple& fields, const Objective& objective, Event& event) {
  const py::object y = fields[3];
  if (py::isinstance<py::float_>(y)) {
    event.y = objective.from_maximised(y.cast<double>());
    event.variance = fields[4].cast<std::optional<double>>();
  } else {
    event.y = PerObjective(y.cast<std::vector<double>>());
    event.variance = PerObjective(fields[4].cast<Variances>());
  }
}

Event event_of(const py::tuple& fields, const Objective& objective) {
  constexpr int kKinds = static_cast<int>(Event::Kind::widen) + 1;
  const int kind = fields[0].cast<int>();
  if (kind < 0 || kind >= kKinds) {
    throw Error(ErrorCode::invalid_value, "log", "holds an entry of an unknown kind");
  }
  Event event{.kind = static_cast<Event::Kind>(kind),
              .trial = fields[1].cast<TrialId>(),
              .x = fields[2].cast<std::vector<double>>(),
              .outcomes = fields[5].cast<std::vector<double>>(),
              .given = fields[6].cast<bool>(),
              .space = fields[7].cast<std::string>()};
  read_told(fields, objective, event);
  return event;
}

py::tuple save(const SharedOptimizer& shared) {
  py::list log;
  for (const Event& event :
       shared.use([](const Optimizer& optimizer) { return optimizer.log(); })) {
    log.append(to_python(event));
  }
  return py::make_tuple(shared.declaration(), log);
}

std::unique_ptr<SharedOptimizer> restore(const py::tuple& saved) {
  auto shared = std::make_unique<SharedOptimizer>(saved[0].cast<std::string>());
  const Objective objective =
      shared->use([](const Optimizer& optimizer) { return optimizer.objectives().front(); });
  std::vector<Event> log;
  for (const py::handle event : saved[1]) {
    log.push_back(event_of(event.cast<py::tuple>(), objective));
  }
  shared->use([&](Optimizer& optimizer) {
    for (const Event& event : log) optimizer.apply(event);
  });
  return shared;
}

}  // namespace

void bind_optimizer(py::module_& module) {
  py::class_<SharedOptimizer>(module, "Optimizer",
                              "Ask and tell, with values in the user's direction.")
      .def(py::init<const std::string&>(), py::arg("declaration"))
      .def("copy",
           [](const SharedOptimizer& shared) { return std::make_unique<SharedOptimizer>(shared); })
      .def("ask", &ask, py::arg("given"))
      .def("ask_many", &ask_many, py::arg("count"))
      .def("queue", &queue, py::arg("x"))
      .def("tell", &tell, py::arg("trial"), py::arg("y"), py::arg("variances"), py::arg("outcomes"))
      .def("tell_point", &tell_point, py::arg("x"), py::arg("y"), py::arg("variances"),
           py::arg("outcomes"))
      .def("tell_failed", &tell_failed, py::arg("trial"))
      .def("tell_point_failed", &tell_point_failed, py::arg("x"))
      .def("abandon", &abandon, py::arg("trial"))
      .def("widen", &widen, py::arg("space"))
      .def("fit",
           [](const SharedOptimizer& shared) {
             shared.use([](Optimizer& optimizer) { optimizer.fit(); });
           })
      .def("trials", &trials)
      .def("trial", &trial_at, py::arg("number"))
      .def("recommendation", &recommendation)
      .def("predict", &predict, py::arg("X"), py::arg("outcome"))
      .def("calibration", &calibration_of, py::arg("outcome"))
      .def("rounds",
           [](const SharedOptimizer& shared) {
             return shared.use([](const Optimizer& optimizer) { return optimizer.rounds(); });
           })
      .def(py::pickle(&save, &restore));
}

}  // namespace oscbo::python
