#include "oscbo/study.hpp"

#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include <pybind11/stl.h>

#include "bindings.hpp"
#include "fork_gate.hpp"
#include "plain_data.hpp"
#include "record_data.hpp"

namespace oscbo::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;

/// A study that is closed before a fork and reopens on its next use.
class OpenStudy {
 public:
  OpenStudy(std::string file, Study study)
      : file_(std::move(file)),
        name_(study.declaration().name),
        study_(std::make_unique<Study>(std::move(study))) {
    all().insert(this);
  }
  OpenStudy(const OpenStudy&) = delete;
  OpenStudy(OpenStudy&&) = delete;
  OpenStudy& operator=(const OpenStudy&) = delete;
  OpenStudy& operator=(OpenStudy&&) = delete;
  ~OpenStudy() { all().erase(this); }

  /// use returns work(study). The work must not touch Python objects.
  template <class Work>
  auto use(Work&& work) const {
    return without_lock([&] { return work(opened()); });
  }

  /// Closes all studies. No study may be in use.
  static void close_all() {
    for (const OpenStudy* const each : all()) each->study_.reset();
  }

 private:
  /// All existing objects; guarded by the interpreter lock.
  static std::set<const OpenStudy*>& all() {
    static std::set<const OpenStudy*> studies;
    return studies;
  }

  Study& opened() const {
    const std::lock_guard lock(mutex_);
    if (!study_) study_ = std::make_unique<Study>(Study::open(StudyStore(file_), name_));
    return *study_;
  }

  std::string file_;
  std::string name_;
  mutable std::unique_ptr<Study> study_;
  mutable std::mutex mutex_;  // guards opening
};

/// SQLite connections and their lock state must not reach another process, which would write as if
/// it held the locks.
void before_fork() {
  fork_gate().lock();
  OpenStudy::close_all();
}

void after_fork_in_parent() { fork_gate().unlock(); }

// --- making and finding --------------------------------------------------------------------------

std::unique_ptr<OpenStudy> create_study(const std::string& file, const std::string& declaration) {
  return std::make_unique<OpenStudy>(file, without_lock([&] {
                                       const StudyStore store(file, StudyStore::Mode::create);
                                       return Study::create(store, study_from_json(declaration));
                                     }));
}

std::unique_ptr<OpenStudy> open_study(const std::string& file, const std::string& name) {
  return std::make_unique<OpenStudy>(
      file, without_lock([&] { return Study::open(StudyStore(file), name); }));
}

std::vector<std::string> study_names(const std::string& file) {
  return without_lock([&] { return StudyStore(file).names(); });
}

void remove_study(const std::string& file, const std::string& name) {
  without_lock([&] { StudyStore(file).remove(name); });
}

std::string json_of_toml(const std::string& text, const std::string& file) {
  return to_json(study_from_toml(text, file));
}

// --- plain data ----------------------------------------------------------------------------------

py::dict to_python(const StudySuggestion& suggestion) {
  return py::dict("trial"_a = suggestion.number, "token"_a = suggestion.token,
                  "x"_a = to_array(suggestion.x), "attempt"_a = suggestion.attempt,
                  "prediction"_a = python::to_python(suggestion.prediction));
}

py::dict to_python(const StudyTrial& trial) {
  py::dict plain = fields_of(trial);
  plain["x"] = to_array(trial.x);
  plain["is_acceptable"] = trial.is_acceptable;
  plain["covered"] = trial.covered();
  return plain;
}

py::dict to_python(const Study::Best& best) {
  return py::dict("trial"_a = to_python(best.trial), "by"_a = text_of(best.by),
                  "is_acceptable"_a = best.is_acceptable);
}

// --- asking and telling --------------------------------------------------------------------------

py::object ask_study(const OpenStudy& study, const std::string& worker, const std::string& request,
                     const py::dict& given, std::optional<double> lease, bool within_budget) {
  const AskRequest asked{.worker = worker,
                         .request = request,
                         .given = given_of(given),
                         .lease_seconds = lease,
                         .within_budget = within_budget};
  const auto suggestion = study.use([&](Study& each) { return each.ask(asked); });
  if (!suggestion) return py::none();
  return to_python(*suggestion);
}

std::string_view tell_study(const OpenStudy& study, TrialNumber number, const std::string& token,
                            const std::vector<double>& y, const Variances& variances,
                            const std::vector<double>& outcomes, const Attributes& attributes) {
  const Measurement measurement = measurement_of(y, variances, outcomes);
  switch (
      study.use([&](Study& each) { return each.tell(number, token, measurement, attributes); })) {
    case Told::accepted: return "accepted";
    case Told::again: return "again";
    case Told::extra: break;
  }
  return "extra";
}

TrialNumber add_to_study(const OpenStudy& study, const Array& x, const std::vector<double>& y,
                         const Variances& variances, const std::vector<double>& outcomes) {
  const Measurement measurement = measurement_of(y, variances, outcomes);
  return study.use([&, point = view(x)](Study& each) { return each.add(point, measurement); });
}

bool report_to_study(const OpenStudy& study, TrialNumber number, const std::string& token,
                     std::int64_t step, double value) {
  const IntermediateValue reported{.step = step, .value = value};
  return study.use([&](Study& each) { return each.report(number, token, {&reported, 1}); });
}

// --- looking -------------------------------------------------------------------------------------

py::list trials_of_study(const OpenStudy& study, std::optional<std::int64_t> last) {
  py::list list;
  for (const StudyTrial& trial : study.use([&](const Study& each) { return each.trials(last); })) {
    list.append(to_python(trial));
  }
  return list;
}

std::optional<std::pair<std::string_view, std::string>> stop_reason_of_study(const OpenStudy& study,
                                                                             double run_seconds) {
  const auto reason = study.use([&](const Study& each) { return each.stop_reason(run_seconds); });
  if (!reason) return std::nullopt;
  return std::pair(to_string(reason->rule), reason->text);
}

py::dict counts_of_study(const OpenStudy& study) {
  const StudyCounts found = study.use([](const Study& each) { return each.counts(); });
  return py::dict("pending"_a = found.pending, "complete"_a = found.complete,
                  "failed"_a = found.failed, "abandoned"_a = found.abandoned);
}

/// quantity_in returns the quantity of an outcome, or of the objective if there is none.
std::size_t quantity_in(const Study& study, std::optional<std::size_t> outcome) {
  return quantity_of_outcome(study.declaration().quantities(), outcome);
}

py::dict predict_in_study(const OpenStudy& study, const Array& X,
                          std::optional<std::size_t> outcome) {
  const std::vector<std::vector<double>> points = rows_of(X);
  return columns_of(
      study.use([&](Study& each) { return each.predict(points, quantity_in(each, outcome)); }));
}

py::dict importance_in_study(const OpenStudy& study) {
  py::dict shares;
  for (const Study::Importance& each : study.use([](Study& one) { return one.importance(); })) {
    shares[py::str(each.parameter)] = each.share;
  }
  return shares;
}

py::dict attributes_in_study(const OpenStudy& study, TrialNumber number) {
  py::dict found;
  for (const Study::Attribute& attribute :
       study.use([](const Study& each) { return each.attributes(); })) {
    if (attribute.number == number) found[py::str(attribute.key)] = attribute.value;
  }
  return found;
}

std::vector<std::pair<TrialNumber, std::string>> verify_study(const OpenStudy& study) {
  std::vector<std::pair<TrialNumber, std::string>> mismatches;
  for (const Study::Mismatch& each : study.use([](const Study& one) { return one.verify(); })) {
    mismatches.emplace_back(each.number, each.what);
  }
  return mismatches;
}

// --- the class of Python -------------------------------------------------------------------------

using StudyClass = py::class_<OpenStudy>;

/// Trials from their suggestion to their end.
void bind_asking(StudyClass& cls) {
  cls.def("ask", &ask_study, py::arg("worker"), py::arg("request"), py::arg("given"),
          py::arg("lease"), py::arg("within_budget"))
      .def("tell", &tell_study, py::arg("trial"), py::arg("token"), py::arg("y"),
           py::arg("variances"), py::arg("outcomes"), py::arg("attributes"))
      .def("add", &add_to_study, py::arg("x"), py::arg("y"), py::arg("variances"),
           py::arg("outcomes"))
      .def(
          "tell_failed",
          [](const OpenStudy& study, TrialNumber number, const std::string& token,
             const std::string& reason) {
            return study.use([&](Study& each) { return each.tell_failed(number, token, reason); });
          },
          py::arg("trial"), py::arg("token"), py::arg("reason"))
      .def(
          "release",
          [](const OpenStudy& study, TrialNumber number, const std::string& token) {
            study.use([&](Study& each) { each.release(number, token); });
          },
          py::arg("trial"), py::arg("token"))
      .def("report", &report_to_study, py::arg("trial"), py::arg("token"), py::arg("step"),
           py::arg("value"))
      .def(
          "give_up",
          [](const OpenStudy& study, TrialNumber number, const std::string& token,
             const std::string& reason) {
            study.use([&](Study& each) { each.give_up(number, token, reason); });
          },
          py::arg("trial"), py::arg("token"), py::arg("reason"))
      .def(
          "abandon",
          [](const OpenStudy& study, TrialNumber number, const std::string& reason) {
            study.use([&](Study& each) { each.abandon(number, reason); });
          },
          py::arg("trial"), py::arg("reason"))
      .def(
          "queue",
          [](const OpenStudy& study, const Array& x) {
            study.use([point = view(x)](Study& each) { each.queue(point); });
          },
          py::arg("x"));
}

/// The end of the study, and what speaks for it.
void bind_ending(StudyClass& cls) {
  cls.def("stop_reason", &stop_reason_of_study, py::arg("run_seconds"))
      .def("budget_used_up",
           [](const OpenStudy& study) {
             return study.use([](const Study& each) { return each.budget_used_up(); });
           })
      .def(
          "failing",
          [](const OpenStudy& study, const std::string& last) {
            return study.use([&](const Study& each) { return each.failing(last); });
          },
          py::arg("last"))
      .def(
          "end",
          [](const OpenStudy& study, const std::optional<std::string>& reason) {
            study.use([&](Study& each) { each.end(reason); });
          },
          py::arg("reason"))
      .def("ended", [](const OpenStudy& study) {
        return study.use([](const Study& each) { return each.ended(); });
      });
}

/// What the study holds.
void bind_looking(StudyClass& cls) {
  cls.def("declaration",
          [](const OpenStudy& study) {
            return study.use([](const Study& each) { return to_json(each.declaration()); });
          })
      .def("space",
           [](const OpenStudy& study) {
             return study.use([](const Study& each) { return each.space(); });
           })
      .def(
          "set_attribute",
          [](const OpenStudy& study, TrialNumber number, const std::string& key,
             const std::string& value) {
            study.use([&](Study& each) { each.set_attribute(number, key, value); });
          },
          py::arg("trial"), py::arg("key"), py::arg("value"))
      .def("attributes", &attributes_in_study, py::arg("trial"))
      .def("counts", &counts_of_study)
      .def("leased",
           [](const OpenStudy& study) {
             return study.use([](const Study& each) { return each.counts().leased; });
           })
      .def("trials", &trials_of_study, py::arg("last"))
      .def(
          "trial",
          [](const OpenStudy& study, TrialNumber number) {
            return to_python(study.use([&](const Study& each) { return each.trial(number); }));
          },
          py::arg("number"))
      .def("best",
           [](const OpenStudy& study) {
             return to_python(study.use([](Study& each) { return each.best(); }));
           })
      .def("to_json", [](const OpenStudy& study) {
        return study.use([](const Study& each) { return each.to_json(); });
      });
}

/// What the model says, and how well it did.
void bind_model(StudyClass& cls) {
  cls.def("predict", &predict_in_study, py::arg("X"), py::arg("outcome"))
      .def(
          "calibration",
          [](const OpenStudy& study, std::optional<std::size_t> outcome) {
            return python::to_python(study.use(
                [&](const Study& each) { return each.calibration(quantity_in(each, outcome)); }));
          },
          py::arg("outcome"))
      .def("importance", &importance_in_study)
      .def("verify", &verify_study);
}

void bind_forks() {
  py::module_::import("os").attr("register_at_fork")(
      "before"_a = py::cpp_function(&before_fork),
      "after_in_parent"_a = py::cpp_function(&after_fork_in_parent),
      "after_in_child"_a = py::cpp_function(&renew_fork_gate));
}

}  // namespace

void bind_study(py::module_& module) {
  bind_forks();
  module.def("create_study", &create_study, py::arg("file"), py::arg("declaration"));
  module.def("open_study", &open_study, py::arg("file"), py::arg("name"));
  module.def("study_names", &study_names, py::arg("file"));
  module.def("remove_study", &remove_study, py::arg("file"), py::arg("name"));
  module.def("study_json_of_toml", &json_of_toml, py::arg("text"), py::arg("file"));
  StudyClass study(module, "Study", "A stored study, as this process sees it.");
  bind_asking(study);
  bind_ending(study);
  bind_looking(study);
  bind_model(study);
}

}  // namespace oscbo::python
