#include "online/width_options.hpp"

#include "base/option.hpp"

namespace oscbo::online {

std::vector<Option> width_options() {
  using Options = WidthOptions;
  return {
      option::choice("width", &Options::kind,
                     {{"constant", Options::Kind::constant}, {"theory", Options::Kind::theory}},
                     "confidence width: the option beta, or beta_t of Theorem 1"),
      option::number("width.B", &Options::norm_bound, {0, 1e100, option::Ends::open},
                     "bound on the function's norm, in the units of y"),
      option::number("width.R", &Options::noise_bound, {0, 1e100, option::Ends::open},
                     "sub-Gaussian scale of the noise, in the units of y"),
  };
}

}  // namespace oscbo::online
