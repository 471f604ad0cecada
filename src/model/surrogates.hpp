// The two Gaussian processes of a strategy. One is for all observations and grows with them. The
// other is for some of the observations and is made for a single round.
#pragma once

#include <string>
#include <vector>

#include "gp/kernel_options.hpp"
#include "gp/surrogate.hpp"
#include "model/model_strategy.hpp"
#include "oscbo/config.hpp"

namespace oscbo::model {

/// The decisions of a learner about the Gaussian process of a round.
struct GpRound {
  learners::ModelSettings settings = {};
  double inflation = 1.0;  // see ModelDescription
  SearchPlan plan = {};
  std::vector<std::string> notes = {};
};

/// A value type.
class Surrogates {
 public:
  Surrogates(const Config& config, const gp::Layout& layout);

  /// condition makes the posterior and, if the settings ask for one, a second posterior for the
  /// spread. It returns the description of the model. Throws Error (internal) if the kernel matrix
  /// cannot be factorized.
  [[nodiscard]] ModelDescription condition(const Observations& observations, const GpRound& round);

  /// of returns the surrogate that was made for this model.
  [[nodiscard]] gp::Surrogate& of(const ModelDescription& model) {
    return model.points.empty() ? whole_ : partial_;
  }

  [[nodiscard]] Index doubles_held() const {
    return whole_.doubles_held() + partial_.doubles_held();
  }

 private:
  gp::KernelOptions kernel_;
  Index parameters_;
  gp::Surrogate whole_;
  gp::Surrogate partial_;
};

}  // namespace oscbo::model
