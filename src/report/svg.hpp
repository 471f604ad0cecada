// Drawing primitives for self-contained SVG charts: marks, scales and ticks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace oscbo::report {

// The colours that all charts share: text and axes, less important text, and grid lines.
inline constexpr std::string_view kInk = "#1f2933";
inline constexpr std::string_view kMuted = "#66727f";
inline constexpr std::string_view kGrid = "#e4e8ec";

struct Point {
  double x = 0.0;
  double y = 0.0;
};

/// A rectangle of the picture in pixels; y grows downwards.
struct Box {
  double left = 0.0;
  double top = 0.0;
  double width = 0.0;
  double height = 0.0;

  [[nodiscard]] double right() const { return left + width; }
  [[nodiscard]] double bottom() const { return top + height; }
};

/// How a mark is painted; an empty colour paints nothing.
struct Paint {
  std::string_view fill = {};
  std::string_view stroke = {};
  double stroke_width = 1.0;
  double opacity = 1.0;
  std::string_view dashes = {};
};

enum class Anchor { start, middle, end };

struct TextStyle {
  double size = 12.0;
  std::string_view colour = "#333333";
  Anchor anchor = Anchor::start;
  bool bold = false;
};

class Svg {
 public:
  /// `description` is the text that a screen reader reads out.
  Svg(double width, double height, std::string_view description);

  void rectangle(const Box& box, const Paint& paint, double corner_radius = 0.0);
  void line(Point from, Point to, const Paint& paint);
  void polyline(const std::vector<Point>& points, const Paint& paint);
  void circle(Point centre, double radius, const Paint& paint);
  void text(Point at, std::string_view content, const TextStyle& style);

  /// finish returns the document.
  [[nodiscard]] std::string finish() const;

 private:
  void add(std::string_view element);

  std::string body_;
};

/// An affine map from data to pixels.
struct Scale {
  double data_low = 0.0;
  double data_high = 1.0;
  double pixel_low = 0.0;
  double pixel_high = 1.0;

  [[nodiscard]] double operator()(double value) const {
    return pixel_low + (value - data_low) / (data_high - data_low) * (pixel_high - pixel_low);
  }
};

/// nice_ticks returns about `count` multiples of 1, 2 or 5 times a power of ten in [low, high].
[[nodiscard]] std::vector<double> nice_ticks(double low, double high, int count);

}  // namespace oscbo::report
