#include "optimizer/memory_limit.hpp"

#include <cmath>

#include <fmt/format.h>

#include "acquisition/acquisition_options.hpp"
#include "model/registry.hpp"
#include "oscbo/error.hpp"

namespace oscbo {

// A model takes up to a n^2 + b n doubles.
void check_memory(const Config& config, const QuantityData& data, bool is_noisy) {
  constexpr double kDoublesPerGib = 1024.0 * 1024.0 * 1024.0 / sizeof(double);
  const auto& search = config.get<acquisition::AcquisitionOptions>();
  const model::ModelInfo& model = model::model_of(config);
  // A recommendation by the mean copies the model.
  const double copies = is_noisy ? 2.0 : 1.0;
  const double a = copies * model.traits.memory;
  const double b = search.raw_samples + search.local_samples +
                   (model.memory_per_point == nullptr
                        ? 0.0
                        : copies * model.memory_per_point(config, data.layout().columns()));
  const double granted = config.memory * kDoublesPerGib;
  const double most = std::floor(2.0 * granted / (b + std::sqrt(b * b + 4.0 * a * granted)));
  const auto n = static_cast<double>(data.size());
  if (n <= most) return;
  throw Error(ErrorCode::invalid_value, "memory",
              fmt::format("a model of {} observations may take {:.2g} GiB; {} are granted, which "
                          "is enough for {}",
                          data.size(), (a * n * n + b * n) / kDoublesPerGib, config.memory, most));
}

}  // namespace oscbo
