#include "experiment/figure.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace oscbo::experiment {
namespace {

struct NamedStyle {
  std::string_view method;
  std::string_view colour;
  Dash dash;
};

/// The palette of Okabe and Ito but for its yellow, which is lost on white; then colours of Tol's
/// and greys. Methods whose colours turn into similar greys differ in their dash.
constexpr std::array kMethodStyles{
    NamedStyle{.method = "oscbo", .colour = "#0072B2", .dash = Dash::solid},
    NamedStyle{.method = "oscbo-l1", .colour = "#56B4E9", .dash = Dash::dashed},
    NamedStyle{.method = "gp-ucb-mll", .colour = "#D55E00", .dash = Dash::dashed},
    NamedStyle{.method = "ocbo", .colour = "#009E73", .dash = Dash::dotted},
    NamedStyle{.method = "a-gp-ucb", .colour = "#E69F00", .dash = Dash::solid},
    NamedStyle{.method = "lb-gp-ucb", .colour = "#CC79A7", .dash = Dash::dashed},
    NamedStyle{.method = "scgp", .colour = "#000000", .dash = Dash::dotted},
    NamedStyle{.method = "vanilla-bo", .colour = "#882255", .dash = Dash::solid},
    NamedStyle{.method = "gp-ucb", .colour = "#44AA99", .dash = Dash::solid},
    NamedStyle{.method = "random", .colour = "#999999", .dash = Dash::dotted},
    NamedStyle{.method = "sobol", .colour = "#666666", .dash = Dash::dashed},
};

constexpr NamedStyle kUnknownStyle{.method = "", .colour = "#7F7F7F", .dash = Dash::solid};

Dash dash_after(Dash dash) {
  switch (dash) {
    case Dash::solid: return Dash::dashed;
    case Dash::dashed: return Dash::dotted;
    case Dash::dotted: break;
  }
  return Dash::solid;
}

}  // namespace

MethodStyle method_style(const std::string& method) {
  const std::string_view base = std::string_view(method).substr(0, method.find('+'));
  const auto* const found = std::ranges::find(kMethodStyles, base, &NamedStyle::method);
  const NamedStyle& style = found == kMethodStyles.end() ? kUnknownStyle : *found;
  const bool variant = base.size() < method.size();
  return {.colour = std::string(style.colour),
          .dash = variant ? dash_after(style.dash) : style.dash};
}

}  // namespace oscbo::experiment
