#include "shared_optimizer.hpp"

namespace oscbo::python {

SharedOptimizer::SharedOptimizer(const std::string& declaration)
    : SharedOptimizer(with_weights(study_from_json(declaration))) {}

SharedOptimizer::SharedOptimizer(const StudyDeclaration& study)
    : declaration_(to_json(study)),
      optimizer_(Space(study.space), loaded_config_of(study), study.seed, study.objectives()) {}

SharedOptimizer::SharedOptimizer(const SharedOptimizer& other)
    : declaration_(other.declaration_),
      optimizer_(other.use([](const Optimizer& optimizer) { return optimizer; })) {}

}  // namespace oscbo::python
