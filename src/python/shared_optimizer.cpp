#include "shared_optimizer.hpp"

#include <utility>

namespace oscbo::python {

SharedOptimizer::SharedOptimizer(const std::string& declaration)
    : SharedOptimizer(study_from_json(declaration), declaration) {}

SharedOptimizer::SharedOptimizer(const StudyDeclaration& study, std::string declaration)
    : declaration_(std::move(declaration)),
      optimizer_(Space(study.space), loaded_config_of(study), study.seed, study.objectives()) {}

SharedOptimizer::SharedOptimizer(const SharedOptimizer& other)
    : declaration_(other.declaration_),
      optimizer_(other.use([](const Optimizer& optimizer) { return optimizer; })) {}

}  // namespace oscbo::python
