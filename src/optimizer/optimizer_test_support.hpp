// Helpers shared by the tests of the optimizer.
#pragma once

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "acquisition/acquisition_options.hpp"
#include "in_context/random_weights_test_support.hpp"
#include "learners/learner_options.hpp"
#include "learners/prior_options.hpp"
#include "learners/sharp_options.hpp"
#include "model/registry.hpp"
#include "optimizer/data_options.hpp"
#include "oscbo/optimizer.hpp"

namespace oscbo::test {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// loaded_config returns the configuration of a method, with random weights if it needs a file.
inline Config loaded_config(const std::string& method) {
  return in_context::with_random_weights(method_config(method));
}

/// short_config uses few initial points, so that short runs reach the model. If the model is a
/// network, whose candidates are expensive, the search is small.
inline Config short_config(const std::string& method = "oscbo") {
  Config config = loaded_config(method);
  config.initial_points = 4;
  if (!model::model_of(config).traits.is_gaussian_process) {
    auto& search = config.edit<acquisition::AcquisitionOptions>();
    search.raw_samples = 16;
    search.local_samples = std::min(search.local_samples, 8);
    search.restarts = 2;
    search.max_iterations = 10;
  }
  return config;
}

/// A configuration and its name.
struct Composition {
  std::string name;
  Config config;
};

inline void PrintTo(const Composition& composition, std::ostream* stream) {
  *stream << composition.name;
}

/// test_name turns the name of a composition into a test name: letters, digits and underscores.
inline std::string test_name(const testing::TestParamInfo<Composition>& info) {
  std::string name = info.param.name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

/// composed returns a method with settings, adapted to run quickly.
inline Composition composed(const std::string& method,
                            const std::vector<std::string>& settings = {}) {
  Composition result{.name = method, .config = short_config(method)};
  result.config.edit<acquisition::AcquisitionOptions>().candidates = 32;
  result.config.edit<learners::SharpOptions>().adam_steps = 10;
  result.config.edit<learners::SharpOptions>().restarts = 3;
  for (const std::string& setting : settings) {
    set_option(result.config, setting);
    result.name += ' ' + setting;
  }
  return result;
}

/// compositions covers every method, every acquisition function with one and with two Gaussian
/// processes, and every kernel.
inline std::vector<Composition> compositions() {
  std::vector<Composition> list;
  for (const MethodInfo& method : methods()) list.push_back(composed(method.name));
  for (const char* method : {"oscbo", "scgp"}) {
    for (const char* acquisition : {"logei", "ei", "pi", "thompson"}) {
      list.push_back(composed(method, {std::string("acquisition=") + acquisition}));
    }
  }
  for (const char* kernel : {"kernel.nu=1.7", "kernel=rbf", "kernel=ibnn"}) {
    list.push_back(composed("oscbo", {kernel}));
    list.back().config.edit<acquisition::AcquisitionOptions>().max_iterations = 20;
    list.back().config.edit<learners::LearnerOptions>().adam_steps = 20;
  }
  return list;
}

inline std::vector<Composition> compositions_with_model() {
  std::vector<Composition> list = compositions();
  std::erase_if(list, [](const Composition& c) { return !has_model(c.config); });
  return list;
}

inline std::vector<std::string> methods_with_model() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) {
    if (has_model(method_config(method.name))) names.push_back(method.name);
  }
  return names;
}

/// methods_with_known_noise returns the methods whose model takes its noise variance from the
/// configuration. Such a model neither learns the noise nor calibrates its own intervals.
inline std::vector<std::string> methods_with_known_noise() {
  std::vector<std::string> names = methods_with_model();
  std::erase_if(names, [](const std::string& name) {
    const Config config = method_config(name);
    return model::model_of(config).traits.calibrates_itself ||
           config.get<learners::PriorOptions>().noise == learners::PriorOptions::Noise::learned;
  });
  return names;
}

/// is_accepted returns whether the values of a configuration agree with each other.
inline bool is_accepted(const Config& config) {
  try {
    validate(config);
  } catch (const Error&) {
    return false;
  }
  return true;
}

inline const std::vector<Bounds> kSquare = {{.lower = -5.0, .upper = 10.0},
                                            {.lower = 0.0, .upper = 15.0}};

/// hill is a smooth function with its maximum inside kSquare.
inline double hill(std::span<const double> x) {
  double sum = 0.0;
  for (const double coordinate : x) sum += std::cos(0.5 * coordinate) + 0.1 * coordinate;
  return sum;
}

/// run asks and tells `rounds` times; every suggestion must lie in the space.
template <class Function>
void run(Optimizer& optimizer, int rounds, const Function& f) {
  for (int i = 0; i < rounds; ++i) {
    const Suggestion next = optimizer.ask();
    EXPECT_NO_THROW(optimizer.space().check(next.x));
    optimizer.tell(next.trial, f(next.x));
  }
}

/// after_rounds returns an optimizer with a short configuration after `rounds` rounds on the hill.
inline Optimizer after_rounds(int rounds, const Config& config = short_config(),
                              std::uint64_t seed = 0) {
  Optimizer optimizer(kSquare, config, seed);
  run(optimizer, rounds, hill);
  return optimizer;
}

inline Prediction prediction_at(Optimizer& optimizer, const std::vector<double>& x) {
  const std::vector<Prediction> predictions = optimizer.predict(std::vector(1, x));
  EXPECT_EQ(predictions.size(), 1U);
  return predictions.front();
}

/// Mean and sd with which the model of `config` standardises the observations `y`.
struct Units {
  double mean = 0.0;
  double sd = 1.0;
};

inline Units units_of(const Config& config, const std::vector<double>& y) {
  if (config.get<DataOptions>().standardise == DataOptions::Standardise::none) return {};
  const auto n = static_cast<double>(y.size());
  double mean = 0.0;
  for (const double value : y) mean += value / n;
  double squares = 0.0;
  for (const double value : y) squares += (value - mean) * (value - mean);
  return {.mean = mean, .sd = std::sqrt(squares / (n - 1.0))};
}

template <class Record>
void expect_same_fields(const std::optional<Record>& a, const std::optional<Record>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  for_each_field<Record>(
      [&](const auto& field) { EXPECT_EQ(field.of(*a), field.of(*b)) << field.name; });
}

/// expect_same checks that two predictions are equal in every bit.
inline void expect_same(const std::optional<Prediction>& a, const std::optional<Prediction>& b) {
  expect_same_fields(a, b);
}

inline void expect_same(const Suggestion& a, const Suggestion& b) {
  EXPECT_EQ(a.trial, b.trial);
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.failed_restarts, b.failed_restarts);
  expect_same(a.prediction, b.prediction);
}

inline void expect_same(const std::vector<Trial>& a, const std::vector<Trial>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].id, b[i].id);
    EXPECT_EQ(a[i].x, b[i].x);
    EXPECT_EQ(a[i].y(), b[i].y());
    expect_same(a[i].prediction(), b[i].prediction());
    expect_same_fields(a[i].feedback(), b[i].feedback());
  }
}

/// expect_refused checks the code and the field of the error that `call` must throw.
template <class Call>
void expect_refused(const Call& call, ErrorCode code, const std::string& field) {
  try {
    call();
    ADD_FAILURE() << field << " was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_EQ(error.field(), field) << error.what();
  }
}

}  // namespace oscbo::test
