// A figure as data: panels of curves and points, independent of the renderer. All renderers
// (gnuplot for SVG and PDF, and the interactive page) draw this description, so the numbers are the
// same everywhere.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace oscbo::report {

enum class Mark { line, points };
enum class Dash { solid, dashed, dotted };

/// One curve or cloud. `lower` and `upper` are empty, or hold the error band of a line or the error
/// bars of points. NaN leaves a gap.
struct Series {
  std::string label = {};          // legend entry; empty for none
  std::string colour = "#000000";  // "#rrggbb"
  Mark mark = Mark::line;
  Dash dash = Dash::solid;
  double size = 1.0;  // of the stroke or the dots, relative to the renderer's default
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::vector<double> lower = {};
  std::vector<double> upper = {};
};

struct Axis {
  std::string title = {};
  bool logarithmic = false;
  std::vector<std::string> categories = {};  // names of 0, 1, 2, ...; empty for a numeric axis
};

struct Panel {
  std::string title = {};
  Axis x = {};
  Axis y = {};
  std::vector<Series> series = {};
};

struct Figure {
  std::string name = {};     // file stem: "simple-regret"
  std::string title = {};    // "Simple regret"
  std::string caption = {};  // what is drawn, and how to read it
  int columns = 4;           // panels per row
  std::vector<Panel> panels = {};
};

/// The style of a method in all figures: a colour that colour-blind readers can distinguish, and a
/// dash pattern for print.
struct MethodStyle {
  std::string colour;
  Dash dash = Dash::solid;
};

/// method_style returns the style of a method. "oscbo+kernel.nu=0.5" has the style of oscbo.
/// Unknown names share a grey.
[[nodiscard]] MethodStyle method_style(const std::string& method);

/// style_among returns the style of a method shown together with `methods`. If several methods
/// share a colour, the first keeps it, the second is paler, the third darker, the fourth paler
/// still, and so on. Each also takes the next dash pattern.
[[nodiscard]] MethodStyle style_among(const std::string& method,
                                      std::span<const std::string> methods);

}  // namespace oscbo::report
