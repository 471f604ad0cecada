#include "report/gnuplot.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <memory>
#include <numbers>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "experiment/files.hpp"
#include "report/figure_layout.hpp"
#include "report/report.hpp"
#include "report/svg.hpp"

namespace oscbo::report {
namespace {

// Lengths are in pixels of the SVG. A row is at most 1300 pixels wide, which is enough for four
// panels, or for more narrow ones. Printed at a width of 17 cm, a letter of 16 pixels is 6 points
// high.
constexpr double kFontSize = 16.0;
constexpr double kLetterWidth = 0.53 * kFontSize;  // on average
constexpr double kWidestRow = 1300.0;
constexpr double kPlotWidth = 234.0;
constexpr double kNarrowestPlot = 90.0;
constexpr double kPlotHeight = 172.0;
constexpr double kLeftMargin = 76.0;
constexpr double kRightMargin = 14.0;
constexpr double kTopMargin = 30.0;
constexpr double kBottomMargin = 56.0;
constexpr double kLegendRow = 26.0;
constexpr double kLegendSample = 40.0;  // width of a line sample, including the gap to its label
constexpr double kLegendGap = 22.0;
constexpr double kOuterMargin = 6.0;
constexpr double kTickRoom = 45.0;  // for a label below a horizontal axis
constexpr double kPixelsPerInch = 96.0;
constexpr double kPointsPerPixel = 72.0 / kPixelsPerInch;

constexpr int kVerticalTicks = 6;
constexpr double kCategoryAngle = 35.0;  // of the labels of a category axis, in degrees
constexpr double kLineWidth = 2.0;
constexpr double kPointSize = 0.7;
constexpr double kBandOpacity = 0.15;

/// gnuplot_quoted quotes text so that gnuplot reads it unchanged. In single quotes, only a quote is
/// special.
std::string gnuplot_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char character : text) {
    if (character == '\'') quoted += '\'';
    quoted += character == '\n' || character == '\r' ? ' ' : character;
  }
  return quoted + '\'';
}

/// quoted_tick_label quotes a tick label so that gnuplot shows it unchanged. gnuplot treats labels
/// as number formats.
std::string quoted_tick_label(std::string_view text) {
  std::string format;
  for (const char character : text) {
    if (character == '%') format += '%';
    format += character;
  }
  return gnuplot_quoted(format);
}

std::size_t letters_of(std::string_view text) {
  // Continuation bytes of UTF-8 are not counted.
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](unsigned char byte) { return (byte & 0xC0U) != 0x80U; }));
}

double text_width(std::string_view text) {
  return kLetterWidth * static_cast<double>(letters_of(text));
}

/// shortened replaces the middle of `text` by an ellipsis if it is wider than `width`.
std::string shortened(std::string_view text, double width) {
  std::vector<std::size_t> starts;  // of its letters
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (letters_of(text.substr(i, 1)) == 1) starts.push_back(i);
  }
  const auto room = static_cast<std::size_t>(width / kLetterWidth);
  if (starts.size() <= room) return std::string(text);
  const std::size_t tail = (room - 1) / 2;
  const std::size_t head = room - 1 - tail;
  return fmt::format("{}\u2026{}", text.substr(0, starts[head]),
                     text.substr(starts[starts.size() - tail]));
}

double widest_category(const Axis& axis) {
  double widest = 0.0;
  for (const std::string& category : axis.categories) {
    widest = std::max(widest, text_width(category));
  }
  return widest;
}

std::string_view dash_type(Dash dash) {
  switch (dash) {
    case Dash::dashed: return "(9,4)";
    case Dash::dotted: return "(2.5,3)";
    case Dash::solid: break;
  }
  return "solid";
}

std::string line_style(const Series& series) {
  return fmt::format("lc rgb '{}' lw {:.3g} dt {}", series.colour, kLineWidth * series.size,
                     dash_type(series.dash));
}

std::string point_style(const Series& series) {
  return fmt::format("pt 7 ps {:.3g} lc rgb '{}'", kPointSize * series.size, series.colour);
}

/// The positions of all elements. Panels have the same margins, wide enough for the labels of all
/// panels.
struct PaperLayout {
  std::size_t columns = 1;
  std::size_t rows = 1;
  double left = kLeftMargin;
  double bottom = kBottomMargin;
  double plot_width = kPlotWidth;
  double width = 0.0;
  double height = 0.0;
  double legend_height = 0.0;

  [[nodiscard]] double cell_width() const { return left + plot_width + kRightMargin; }
  [[nodiscard]] double cell_height() const { return kTopMargin + kPlotHeight + bottom; }
};

/// An entry of the legend and its distance from the left end of its row.
struct PlacedEntry {
  Series series;
  double left = 0.0;
};

struct LegendRow {
  std::vector<PlacedEntry> entries = {};
  double width = 0.0;
};

/// legend_rows breaks the entries into rows that are no wider than `width`.
std::vector<LegendRow> legend_rows(const Figure& figure, double width) {
  std::vector<LegendRow> rows;
  for (const Series& entry : legend_entries(figure)) {
    const double entry_width = kLegendSample + text_width(entry.label);
    if (rows.empty() || rows.back().width + kLegendGap + entry_width > width) rows.emplace_back();
    LegendRow& row = rows.back();
    const double left = row.entries.empty() ? 0.0 : row.width + kLegendGap;
    row.entries.push_back({.series = entry, .left = left});
    row.width = left + entry_width;
  }
  return rows;
}

PaperLayout paper_layout(const Figure& figure) {
  PaperLayout layout;
  const std::size_t panels = std::max<std::size_t>(figure.panels.size(), 1);
  layout.columns =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::max(figure.columns, 1)), 1, panels);
  layout.rows = (panels + layout.columns - 1) / layout.columns;
  const double label_slope = std::sin(kCategoryAngle * std::numbers::pi / 180.0);
  for (const Panel& panel : figure.panels) {
    // The title of the axis stays beside the labels. The labels have half of the usual margin.
    layout.left = std::max(layout.left, 0.5 * kLeftMargin + widest_category(panel.y));
    layout.bottom =
        std::max(layout.bottom, 0.6 * kBottomMargin + label_slope * widest_category(panel.x));
  }
  const double widest_cell = kWidestRow / static_cast<double>(layout.columns);
  layout.plot_width =
      std::clamp(widest_cell - layout.left - kRightMargin, kNarrowestPlot, kPlotWidth);
  layout.width = layout.cell_width() * static_cast<double>(layout.columns) + 2.0 * kOuterMargin;
  const std::size_t rows = legend_rows(figure, layout.width - 2.0 * kOuterMargin).size();
  layout.legend_height = kLegendRow * static_cast<double>(rows);
  layout.height = layout.cell_height() * static_cast<double>(layout.rows) + layout.legend_height +
                  2.0 * kOuterMargin;
  return layout;
}

/// terminal_command returns `set terminal` for a picture of the size of `layout`.
std::string terminal_command(const PaperLayout& layout, PictureFormat format) {
  if (format == PictureFormat::svg) {
    return fmt::format(
        "set terminal svg enhanced size {:.0f},{:.0f} fixed font 'Arial,{:g}' "
        "background rgb 'white' linewidth 1 dashlength 1\n",
        layout.width, layout.height, kFontSize);
  }
  return fmt::format(
      "set terminal pdfcairo enhanced size {:.4f}in,{:.4f}in font 'Arial,{:g}' fontscale 0.92 "
      "background rgb 'white' linewidth 1.5 dashlength 1.5\n",
      layout.width / kPixelsPerInch, layout.height / kPixelsPerInch, kFontSize * kPointsPerPixel);
}

/// ticks_within_decades returns 1, 2 and 5 times the powers of ten in `range`.
std::vector<double> ticks_within_decades(Range range) {
  std::vector<double> ticks;
  const int last = static_cast<int>(std::ceil(std::log10(range.high)));
  for (int decade = static_cast<int>(std::floor(std::log10(range.low))); decade <= last; ++decade) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double tick = digit * std::pow(10.0, decade);
      if (range.low <= tick && tick <= range.high) ticks.push_back(tick);
    }
  }
  return ticks;
}

/// decade_ticks returns the powers of ten in `range` whose exponents are multiples of a step, at
/// most `count` + 1 of them.
std::vector<std::string> decade_ticks(Range range, int count) {
  const int step = static_cast<int>(std::ceil(std::log10(range.high / range.low) / count));
  const int first = static_cast<int>(std::ceil(std::log10(range.low)));
  const int last = static_cast<int>(std::floor(std::log10(range.high)));
  std::vector<std::string> labelled;
  for (int exponent = first; exponent <= last; ++exponent) {
    if (exponent % step == 0) labelled.push_back(fmt::format("'10^{{{0}}}' 1e{0}", exponent));
  }
  return labelled;
}

/// logarithmic_ticks labels a logarithmic axis with powers of ten, or with round numbers if it is
/// short.
std::string logarithmic_ticks(char axis, Range range, int count) {
  std::vector<std::string> labelled;
  if (range.high / range.low >= 100.0) {
    labelled = decade_ticks(range, count);
  } else {
    std::vector<double> ticks = ticks_within_decades(range);
    if (ticks.size() < 3) ticks = nice_ticks(range.low, range.high, std::min(count, 4));
    std::ranges::transform(ticks, std::back_inserter(labelled),
                           [](double tick) { return fmt::format("'{0:.6g}' {0:.10g}", tick); });
  }
  return fmt::format("set {}tics ({}) enhanced\n", axis, fmt::join(labelled, ","));
}

std::string category_ticks(char axis, const Axis& description) {
  std::vector<std::string> labelled;
  labelled.reserve(description.categories.size());
  for (const std::string& category : description.categories) {
    labelled.push_back(fmt::format("{} {}", quoted_tick_label(category), labelled.size()));
  }
  const std::string rotation =
      axis == 'x' ? fmt::format("rotate by {:g} right offset 0,0", kCategoryAngle) : "";
  return fmt::format("set {}tics ({}) noenhanced {}\n", axis, fmt::join(labelled, ","), rotation);
}

/// linear_ticks uses so few round numbers that their labels do not touch in a narrow panel.
std::string linear_ticks(char axis, Range range, int count) {
  const std::vector<double> ticks = nice_ticks(range.low, range.high, count);
  return fmt::format("set {}tics ({:.10g}) format '%g' enhanced\n", axis, fmt::join(ticks, ","));
}

/// axis_commands returns the title, the range and about `count` ticks of the axis 'x' or 'y'. It
/// overwrites the state of the previous panel.
std::string axis_commands(char axis, const Axis& description, Range range, int count) {
  const bool horizontal = axis == 'x';
  std::string commands = fmt::format(
      "set {0}label {1} noenhanced offset {2}\nunset logscale {0}\n"
      "set {0}tics autofreq norotate autojustify offset 0,{3}\n",
      axis, gnuplot_quoted(description.title), horizontal ? "0,0.9" : "0.5,0",
      horizontal ? 0.3 : 0.0);
  if (description.logarithmic) commands += fmt::format("set logscale {}\n", axis);
  commands += fmt::format("set {}range [{:.10g}:{:.10g}]\n", axis, range.low, range.high);
  if (!description.categories.empty()) return commands + category_ticks(axis, description);
  if (description.logarithmic) return commands + logarithmic_ticks(axis, range, count);
  return commands + linear_ticks(axis, range, count);
}

/// shown_series returns a series as the axes of its panel show it.
Series shown_series(const Series& series, const Panel& panel) {
  Series shown = series;
  for (double& x : shown.x) x = shown_value(x, panel.x);
  for (std::vector<double>* column : {&shown.y, &shown.lower, &shown.upper}) {
    for (double& value : *column) value = shown_value(value, panel.y);
  }
  return shown;
}

/// Returns the maximal stretches [first, last) of rows that `usable` accepts.
template <typename Usable>
std::vector<std::array<std::size_t, 2>> stretches(std::size_t rows, const Usable& usable) {
  std::vector<std::array<std::size_t, 2>> found;
  for (std::size_t row = 0; row < rows; ++row) {
    if (!usable(row)) continue;
    if (found.empty() || found.back()[1] != row) found.push_back({row, row});
    found.back()[1] = row + 1;
  }
  return found;
}

/// line_rows returns rows "x y", with an empty line for every gap.
std::string line_rows(const Series& series) {
  std::string rows;
  const auto usable = [&](std::size_t i) {
    return std::isfinite(series.x[i]) && std::isfinite(series.y[i]);
  };
  for (const auto& [first, last] : stretches(series.x.size(), usable)) {
    if (!rows.empty()) rows += '\n';
    for (std::size_t i = first; i < last; ++i) {
      rows += fmt::format("{:.6g} {:.6g}\n", series.x[i], series.y[i]);
    }
  }
  return rows;
}

/// band_rows returns the outline of the band: its lower edge, then its upper edge backwards. There
/// is one polygon between two gaps.
std::string band_rows(const Series& series) {
  std::string rows;
  const auto usable = [&](std::size_t i) {
    return std::isfinite(series.x[i]) && std::isfinite(series.lower[i]) &&
           std::isfinite(series.upper[i]);
  };
  for (const auto& [first, last] : stretches(series.lower.size(), usable)) {
    if (!rows.empty()) rows += '\n';
    for (std::size_t i = first; i < last; ++i) {
      rows += fmt::format("{:.6g} {:.6g}\n", series.x[i], series.lower[i]);
    }
    for (std::size_t i = last; i-- > first;) {
      rows += fmt::format("{:.6g} {:.6g}\n", series.x[i], series.upper[i]);
    }
  }
  return rows;
}

/// error_bar_rows returns rows "x y lower upper" of the points with known errors.
std::string error_bar_rows(const Series& series) {
  std::string rows;
  for (std::size_t i = 0; i < series.lower.size(); ++i) {
    const std::array values{series.x[i], series.y[i], series.lower[i], series.upper[i]};
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) continue;
    rows += fmt::format("{:.6g}\n", fmt::join(values, " "));
  }
  return rows;
}

/// Data blocks, and the elements of a plot command that draw them.
class PlotCommand {
 public:
  /// add draws `rows` in the style `how`. It draws nothing if there are no rows.
  void add(const std::string& rows, const std::string& how) {
    if (rows.empty()) return;
    const std::string name = fmt::format("$data{}", elements_.size());
    blocks_ += fmt::format("{} << EOD\n{}EOD\n", name, rows);
    elements_.push_back(fmt::format("{} {} notitle", name, how));
  }

  [[nodiscard]] std::string text() const {
    if (elements_.empty()) return "plot NaN notitle\n";
    return fmt::format("{}plot {}\n", blocks_, fmt::join(elements_, ", \\\n  "));
  }

 private:
  std::string blocks_;
  std::vector<std::string> elements_;
};

std::string panel_plot(const Panel& panel) {
  PlotCommand plot;
  std::vector<Series> shown;
  shown.reserve(panel.series.size());
  for (const Series& series : panel.series) shown.push_back(shown_series(series, panel));
  // Bands come first, so that no band covers a line.
  for (const Series& series : shown) {
    if (series.mark != Mark::line) continue;
    plot.add(band_rows(series), fmt::format("using 1:2 with filledcurves closed fc rgb '{}' "
                                            "fs transparent solid {:g} noborder",
                                            series.colour, kBandOpacity));
  }
  for (const Series& series : shown) {
    if (series.mark == Mark::line) {
      plot.add(line_rows(series), "using 1:2 with lines " + line_style(series));
      continue;
    }
    plot.add(error_bar_rows(series), fmt::format("using 1:2:3:4 with yerrorbars {} lw {:g}",
                                                 point_style(series), 0.75 * kLineWidth));
    plot.add(line_rows(series), "using 1:2 with points " + point_style(series));
  }
  return plot.text();
}

/// margin_commands places the plot area of the next plot, in pixels from the upper left corner of
/// the picture.
std::string margin_commands(const PaperLayout& layout, const Box& box) {
  return fmt::format(
      "set lmargin at screen {:.6f}\nset rmargin at screen {:.6f}\n"
      "set tmargin at screen {:.6f}\nset bmargin at screen {:.6f}\n",
      box.left / layout.width, box.right() / layout.width, 1.0 - box.top / layout.height,
      1.0 - box.bottom() / layout.height);
}

std::string panel_commands(const PaperLayout& layout, const Panel& panel, std::size_t index) {
  const std::size_t rows_above = index / layout.columns;
  const auto row = static_cast<double>(rows_above);
  const auto column = static_cast<double>(index % layout.columns);
  const Box box{
      .left = kOuterMargin + column * layout.cell_width() + layout.left,
      .top = kOuterMargin + layout.legend_height + row * layout.cell_height() + kTopMargin,
      .width = layout.plot_width,
      .height = kPlotHeight};
  // A title is centred above the plot, so it may extend equally far to the left and to the right.
  const std::string title = shortened(panel.title, layout.plot_width + 2.0 * kRightMargin);
  // Curves run from edge to edge. Dots need room around them.
  const bool dots = std::ranges::any_of(
      panel.series, [](const Series& series) { return series.mark == Mark::points; });
  return margin_commands(layout, box) +
         fmt::format("set title {} noenhanced offset 0,-0.6\n", gnuplot_quoted(title)) +
         axis_commands('x', panel.x, padded(x_range(panel), panel.x, dots ? 0.05 : 0.0),
                       static_cast<int>(layout.plot_width / kTickRoom)) +
         axis_commands('y', panel.y, padded(y_range(panel), panel.y, 0.05), kVerticalTicks) +
         panel_plot(panel);
}

/// legend_commands draws the legend: a plot without axes in the strip above the panels, with pixels
/// as coordinates.
std::string legend_commands(const PaperLayout& layout, const Figure& figure) {
  const std::vector<LegendRow> rows = legend_rows(figure, layout.width - 2.0 * kOuterMargin);
  if (rows.empty()) return "";
  const Box strip{
      .left = 0.0, .top = kOuterMargin, .width = layout.width, .height = layout.legend_height};
  std::string commands = margin_commands(layout, strip);
  commands += fmt::format(
      "unset border\nunset tics\nunset grid\nunset title\nunset xlabel\nunset ylabel\n"
      "unset logscale\nset xrange [0:{:g}]\nset yrange [{:g}:0]\n",
      strip.width, strip.height);
  PlotCommand samples;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double y = (static_cast<double>(i) + 0.5) * kLegendRow;
    const double row_left = 0.5 * (layout.width - rows[i].width);
    for (const auto& [series, left] : rows[i].entries) {
      const double x = row_left + left;
      const double sample_end = x + 0.8 * kLegendSample;
      if (series.mark == Mark::line) {
        samples.add(fmt::format("{0:g} {2:g}\n{1:g} {2:g}\n", x, sample_end, y),
                    "using 1:2 with lines " + line_style(series));
      } else {
        samples.add(fmt::format("{:g} {:g}\n", 0.5 * (x + sample_end), y),
                    "using 1:2 with points " + point_style(series));
      }
      commands += fmt::format("set label {} at first {:g},{:g} left noenhanced\n",
                              gnuplot_quoted(series.label), x + kLegendSample, y);
    }
  }
  return commands + samples.text();
}

using TemporaryFile =
    std::unique_ptr<std::FILE, decltype([](std::FILE* file) { (void)std::fclose(file); })>;

/// temporary_file returns a file without a name, which disappears when it is closed.
TemporaryFile temporary_file() {
  TemporaryFile file(std::tmpfile());
  if (!file) throw experiment::io_error("temporary file", "cannot be created", errno);
  return file;
}

void write_and_rewind(std::FILE& file, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), &file) != text.size() || std::fflush(&file) != 0) {
    throw experiment::io_error("temporary file", "cannot be written", errno);
  }
  std::rewind(&file);
}

std::string read_from_start(std::FILE& file) {
  std::rewind(&file);
  std::string text;
  std::array<char, 65536> buffer{};
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), &file)) {
    text.append(buffer.data(), size);
  }
  return text;
}

/// The descriptors that become the standard input, output and error of a child process.
class ChildStreams {
 public:
  explicit ChildStreams(const std::array<std::FILE*, 3>& streams) {
    ::posix_spawn_file_actions_init(&actions_);
    for (int target = 0; target < 3; ++target) {
      std::FILE* const stream = streams[static_cast<std::size_t>(target)];
      ::posix_spawn_file_actions_adddup2(&actions_, ::fileno(stream), target);
    }
  }
  ChildStreams(const ChildStreams&) = delete;
  ChildStreams(ChildStreams&&) = delete;
  ChildStreams& operator=(const ChildStreams&) = delete;
  ChildStreams& operator=(ChildStreams&&) = delete;
  ~ChildStreams() { ::posix_spawn_file_actions_destroy(&actions_); }

  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_ = {};
};

[[noreturn]] void throw_missing(const std::string& program, int error_number) {
  if (error_number != ENOENT)
    throw experiment::io_error(program, "cannot be started", error_number);
  throw Error(ErrorCode::io, program,
              "is not installed; figures are drawn with the Debian package gnuplot-nox");
}

/// wait_for returns the exit status of the child process in the form of waitpid.
int wait_for(pid_t child, const std::string& program) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw experiment::io_error(program, "cannot be waited for", errno);
  }
  return status;
}

/// without_clutter removes parts of `line` that have no effect, that only cause jagged edges, or
/// that only give tooltips.
std::string without_clutter(std::string line) {
  const auto erase = [&](std::string_view from, std::string_view to) {
    const std::size_t start = line.find(from);
    const std::size_t end = line.find(to, start);
    if (start != std::string::npos && end != std::string::npos) {
      line.erase(start, end + to.size() - start);
    }
  };
  erase(R"( stroke-linecap="butt")", R"( stroke-linejoin="miter")");
  erase(" shape-rendering=", "'crispEdges'");
  erase("<title>gnuplot_plot", "</title>");
  return line;
}

/// with_short_coordinates reduces coordinates from two decimals to one.
std::string with_short_coordinates(std::string_view line) {
  const auto is_digit = [&](std::size_t i) {
    return i < line.size() && std::isdigit(static_cast<unsigned char>(line[i])) != 0;
  };
  std::string result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool second_of_two =
        i >= 2 && line[i - 2] == '.' && is_digit(i - 1) && is_digit(i) && !is_digit(i + 1);
    if (!second_of_two) result += line[i];
  }
  return result;
}

/// holds_coordinates returns whether a line of an SVG file holds coordinates. gnuplot breaks long
/// lists of coordinates, so a line may start with one.
bool holds_coordinates(std::string_view line) {
  const std::size_t start = std::min(line.find_first_not_of('\t'), line.size());
  const std::string_view text = line.substr(start);
  return text.starts_with("<path stroke") || text.starts_with("<polygon") ||
         text.starts_with('L') || text.starts_with('M') ||
         (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0);
}

/// compact_svg removes empty groups, default attributes and hundredths of a pixel. They are a third
/// of gnuplot's output.
std::string compact_svg(std::string_view svg) {
  constexpr std::string_view kGroupEnd = "</g>\n";
  std::string compact;
  while (!svg.empty()) {
    const std::size_t newline = std::min(svg.find('\n'), svg.size() - 1);
    const std::string line(svg.substr(0, newline + 1));
    svg.remove_prefix(line.size());
    if (line.starts_with("<g ") && svg.starts_with(kGroupEnd)) {
      svg.remove_prefix(kGroupEnd.size());
    } else if (holds_coordinates(line)) {
      compact += with_short_coordinates(line);
    } else {
      compact += line.find("<text>") == std::string::npos ? without_clutter(line) : line;
    }
  }
  return compact;
}

/// without_date sets the creation time of the file to 1970, so that the file does not depend on the
/// time of drawing.
std::string without_date(std::string pdf) {
  constexpr std::string_view kDateStart = "/CreationDate (D:";
  constexpr std::string_view kTime = "19700101000000";
  const std::size_t start = pdf.rfind(kDateStart);
  if (start == std::string::npos) return pdf;
  return pdf.replace(start + kDateStart.size(), kTime.size(), kTime);
}

}  // namespace

std::string gnuplot_script(const Figure& figure, PictureFormat format) {
  check_figure(figure);
  const PaperLayout layout = paper_layout(figure);
  std::string script = "set encoding utf8\n" + terminal_command(layout, format) +
                       "set multiplot\nset style line 1 lc rgb '#E0E0E0' lw 1 dt solid\n"
                       "set grid back ls 1\nset border lw 1 lc rgb '#404040'\n"
                       "set tics textcolor rgb 'black' scale 0.5 nomirror\n";
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    script += panel_commands(layout, figure.panels[i], i);
  }
  return script + legend_commands(layout, figure) + "unset multiplot\n";
}

std::string run_gnuplot(const std::string& script, const std::string& program) {
  // Files are used instead of pipes, so that neither process can block on a full pipe.
  const TemporaryFile input = temporary_file();
  const TemporaryFile output = temporary_file();
  const TemporaryFile messages = temporary_file();
  write_and_rewind(*input, script);
  const ChildStreams streams(std::array{input.get(), output.get(), messages.get()});

  std::string name = program;
  std::string no_settings = "-d";  // no user settings, so pictures are the same for everyone
  const std::array<char*, 3> arguments{name.data(), no_settings.data(), nullptr};
  pid_t child = 0;
  const int failure =
      ::posix_spawnp(&child, program.c_str(), streams.get(), nullptr, arguments.data(), environ);
  if (failure != 0) throw_missing(program, failure);
  const int status = wait_for(child, program);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw Error(ErrorCode::io, program,
                fmt::format("failed with status {}: {}", status, read_from_start(*messages)));
  }
  return read_from_start(*output);
}

void require_gnuplot(const std::string& program) { static_cast<void>(run_gnuplot("", program)); }

std::string draw_picture(const Figure& figure, PictureFormat format, const std::string& program) {
  const std::string picture = run_gnuplot(gnuplot_script(figure, format), program);
  const bool svg = format == PictureFormat::svg;
  if (picture.find(svg ? "<svg" : "%PDF") == std::string::npos) {
    throw Error(ErrorCode::io, program, fmt::format("drew nothing for figure {}", figure.name));
  }
  return svg ? compact_svg(picture) : without_date(picture);
}

void draw_figures(const Report& report, const std::filesystem::path& directory,
                  const std::function<void(std::size_t, std::size_t)>& progress) {
  if (experiment::exists(directory)) experiment::remove_temporaries(directory);
  std::vector<const Figure*> figures;
  for (const ReportSection& section : report.sections) {
    for (const Figure& figure : section.figures) figures.push_back(&figure);
  }
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Figure& figure = *figures[i];
    const std::string svg = draw_picture(figure, PictureFormat::svg);
    const std::string pdf = draw_picture(figure, PictureFormat::pdf);
    experiment::make_directory(directory);
    experiment::write_text(directory / (figure.name + ".svg"), svg);
    experiment::write_text(directory / (figure.name + ".pdf"), pdf);
    if (progress) progress(i + 1, figures.size());
  }
}

}  // namespace oscbo::report
