// Configurations and data for the tests in this directory.
#pragma once

#include <functional>

#include "in_context/random_weights_test_support.hpp"
#include "learners/learners_test_support.hpp"
#include "model/auto_options.hpp"
#include "model/registry.hpp"
#include "model/surrogates.hpp"

namespace oscbo::model::test {

using learners::test::Data;
using learners::test::kBeta;
using learners::test::known_noise;
using learners::test::kSeed;
using learners::test::mixed_data;
using learners::test::mixed_layout;
using learners::test::one;
using learners::test::smooth_data;

/// config_of returns the configuration of the strategy with this name.
inline Config config_of(const std::string& name) {
  Config config;
  config.learner = name;
  const ModelInfo& info = model_of(config);
  if (info.compose != nullptr) info.compose(config);
  return in_context::with_random_weights(config);
}

inline Config auto_settings(const std::function<void(AutoOptions&)>& change = [](AutoOptions&) {}) {
  Config config = config_of("auto");
  change(config.edit<AutoOptions>());
  return config;
}

/// noisy_data returns values of a smooth function with noise of the given sd.
inline Data noisy_data(Index n, double noise_sd) {
  Data data = smooth_data(n, 2, 1);
  numeric::RandomStream stream(2, numeric::Purpose::observation_noise);
  for (double& y : data.y) y += noise_sd * stream.normal();
  return data;
}

/// next_round asks a learner for the model of a round, given all of the data.
template <class Learner>
GpRound next_round(Learner& learner, const Data& data, int round, gp::KnownNoise known_noise = {},
                   int pending = 0) {
  const gp::Inputs inputs = data.inputs();
  return learner.next({.inputs = inputs,
                       .y = data.y,
                       .initial_points = data.y.size(),
                       .known_noise = known_noise,
                       .pending = pending},
                      round);
}

}  // namespace oscbo::model::test
