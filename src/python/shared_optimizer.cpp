#include "shared_optimizer.hpp"

#include <utility>

namespace oscbo::python {

SharedOptimizer::SharedOptimizer(const std::string& declaration)
    : SharedOptimizer(study_from_json(declaration), declaration) {}

SharedOptimizer::SharedOptimizer(const StudyDeclaration& study, std::string declaration)
    : declaration_(std::move(declaration)),
      sign_(study.goal == Goal::maximize ? 1.0 : -1.0),
      optimizer_(Space(study.space), config_of(study), study.seed) {}

SharedOptimizer::SharedOptimizer(const SharedOptimizer& other)
    : declaration_(other.declaration_),
      sign_(other.sign_),
      optimizer_(other.use([](const Optimizer& optimizer) { return optimizer; })) {}

Prediction SharedOptimizer::to_users(Prediction prediction) const {
  prediction.mean *= sign_;
  return prediction;
}

Trial SharedOptimizer::to_users(Trial trial) const {
  if (trial.y) trial.y = to_users(*trial.y);
  if (trial.prediction) trial.prediction = to_users(*trial.prediction);
  return trial;
}

}  // namespace oscbo::python
