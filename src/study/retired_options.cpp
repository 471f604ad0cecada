#include "study/retired_options.hpp"

#include <nlohmann/json.hpp>

namespace oscbo::study {

StoredDeclaration read_stored(const std::string& json) {
  constexpr const char* kNoise = "obs.noise_sd";
  nlohmann::ordered_json stored = nlohmann::ordered_json::parse(json, nullptr, false);
  if (!stored.is_object() || !stored.contains("options") || !stored["options"].contains(kNoise)) {
    return {.declaration = study_from_json(json)};
  }
  const nlohmann::ordered_json noise = stored["options"][kNoise];
  stored["options"].erase(kNoise);
  return {.declaration = study_from_json(stored.dump()),
          .is_noisy = noise.is_number() && noise.get<double>() > 0.0};
}

}  // namespace oscbo::study
