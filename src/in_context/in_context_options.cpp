#include "in_context/in_context_options.hpp"

#include <algorithm>
#include <string_view>

#include "base/option.hpp"
#include "in_context/network.hpp"
#include "numeric/parallel.hpp"

namespace oscbo::in_context {
namespace {

bool is_sha256(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::vector<Option> tabicl_options() {
  using Options = TabiclOptions;
  return {
      option::text(
          "tabicl.weights", &Options::weights, "a path",
          [](std::string_view /*path*/) { return true; },
          "file of the weights, see docs/in-context.md"),
      option::text(
          "tabicl.sha256", &Options::sha256, "64 hexadecimal digits in lower case, or ''",
          [](std::string_view text) { return text.empty() || is_sha256(text); },
          "checksum of the file tabicl.weights; a file with another checksum is refused"),
      option::integer(
          "tabicl.members", &Options::members, {1, 64},
          "members of the ensemble, which differ in the order and scaling of the features"),
  };
}

double tabicl_doubles_per_point(const Config& config, Index columns) {
  const auto& weights = config.get<LoadedWeights>().weights;
  if (weights == nullptr) return 0.0;
  const numeric::ThreadLimit limit(config.threads);
  const Index floats =
      conditioning_scalars(weights->config, columns, numeric::ThreadLimit::current());
  constexpr double kFreed = 1.25;  // the allocator does not return all that is freed on the way
  return kFreed * static_cast<double>(config.get<TabiclOptions>().members * floats) *
         sizeof(float) / sizeof(double);
}

std::vector<Option> pfn_options() {
  using Options = PfnOptions;
  return {
      option::integer("pfn.members", &Options::members, {1, 64},
                      "members of the ensemble, which differ in the order of the features"),
      option::integer("pfn.context", &Options::context, {10, 1024},
                      "largest number of observations that the network sees"),
      option::integer("pfn.near_best_every", &Options::near_best_every, {0, 1e6},
                      "every n-th round searches near the best point; 0: no round does"),
  };
}

}  // namespace oscbo::in_context
