#include "report/figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

namespace oscbo::report {
namespace {

struct NamedStyle {
  std::string_view method;
  std::string_view colour;
  Dash dash;
};

/// Most colours are from the palette of Okabe and Ito without its yellow, which is hard to see on
/// white. The colours of tabicl and pfn differ from that palette in any colour vision. The others
/// are colours from Tol's palettes and greys. Methods whose colours become similar greys in print
/// have different dashes.
constexpr std::array kMethodStyles{
    NamedStyle{.method = "oscbo", .colour = "#0072B2", .dash = Dash::solid},
    NamedStyle{.method = "oscbo-l1", .colour = "#56B4E9", .dash = Dash::dashed},
    NamedStyle{.method = "auto", .colour = "#332288", .dash = Dash::solid},
    NamedStyle{.method = "gp-ucb-mll", .colour = "#D55E00", .dash = Dash::dashed},
    NamedStyle{.method = "ocbo", .colour = "#009E73", .dash = Dash::dotted},
    NamedStyle{.method = "a-gp-ucb", .colour = "#E69F00", .dash = Dash::solid},
    NamedStyle{.method = "lb-gp-ucb", .colour = "#CC79A7", .dash = Dash::dashed},
    NamedStyle{.method = "scgp", .colour = "#000000", .dash = Dash::dotted},
    NamedStyle{.method = "tabicl", .colour = "#802000", .dash = Dash::dashed},
    NamedStyle{.method = "pfn", .colour = "#6020E0", .dash = Dash::solid},
    NamedStyle{.method = "vanilla-bo", .colour = "#882255", .dash = Dash::solid},
    NamedStyle{.method = "gp-ucb", .colour = "#44AA99", .dash = Dash::solid},
    NamedStyle{.method = "random", .colour = "#999999", .dash = Dash::dotted},
    NamedStyle{.method = "sobol", .colour = "#666666", .dash = Dash::dashed},
};

constexpr NamedStyle kUnknownStyle{.method = "", .colour = "#7F7F7F", .dash = Dash::solid};

/// shaded mixes `colour` with white or black. `share` is the share of white or black.
std::string shaded(const std::string& colour, bool paler, double share) {
  std::string mixed = "#";
  for (const std::size_t channel : {1U, 3U, 5U}) {
    const int value = std::stoi(colour.substr(channel, 2), nullptr, 16);
    const double end = paler ? 255.0 : 0.0;
    mixed += fmt::format("{:02X}", static_cast<int>(std::lround(value + share * (end - value))));
  }
  return mixed;
}

Dash next_dash(Dash dash, std::size_t turns) {
  constexpr std::array kDashes{Dash::solid, Dash::dashed, Dash::dotted};
  const auto at = static_cast<std::size_t>(std::ranges::find(kDashes, dash) - kDashes.begin());
  return kDashes[(at + turns) % kDashes.size()];
}

}  // namespace

MethodStyle method_style(const std::string& method) {
  const std::string_view base = std::string_view(method).substr(0, method.find('+'));
  const auto* const found = std::ranges::find(kMethodStyles, base, &NamedStyle::method);
  const NamedStyle& style = found == kMethodStyles.end() ? kUnknownStyle : *found;
  return {.colour = std::string(style.colour), .dash = style.dash};
}

MethodStyle style_among(const std::string& method, std::span<const std::string> methods) {
  MethodStyle style = method_style(method);
  const auto place = std::ranges::find(methods, method);
  const auto before =
      static_cast<std::size_t>(std::count_if(methods.begin(), place, [&](const std::string& other) {
        return method_style(other).colour == style.colour;
      }));
  if (before == 0) return style;
  const bool paler = before % 2 == 1;
  const std::size_t steps = before / 2 + before % 2;  // number of shades away from the colour
  const double share = 1.0 - std::pow(0.6, static_cast<double>(steps));
  return {.colour = shaded(style.colour, paler, share), .dash = next_dash(style.dash, before)};
}

}  // namespace oscbo::report
