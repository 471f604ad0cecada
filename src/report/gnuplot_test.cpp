#include "report/gnuplot.hpp"

#include <gtest/gtest.h>

#include "experiment/test_support.hpp"
#include "report/report_test_support.hpp"

namespace oscbo::report {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Figure figure_of(const Panel& panel) { return {.name = "f", .panels = {panel}}; }

std::string svg_script(const Panel& panel) {
  return gnuplot_script(figure_of(panel), PictureFormat::svg);
}

class DrawFigures : public DirectoryTest {};

TEST(GnuplotScript, HasGapsWhereValuesAreMissing) {
  const std::string script =
      svg_script({.series = {{.x = {1, 2, 3, 4}, .y = {5, kNaN, 7.1234567, 8}}}});
  EXPECT_TRUE(contains(script, "<< EOD\n1 5\n\n3 7.12346\n4 8\nEOD\n")) << script;
}

TEST(GnuplotScript, ABandIsAPolygonPerStretch) {
  const std::string script = svg_script({.series = {{.x = {1, 2, 3, 4},
                                                     .y = {5, 6, 7, 8},
                                                     .lower = {4, 5, kNaN, 7},
                                                     .upper = {6, 7, kNaN, 9}}}});
  EXPECT_TRUE(contains(script, "<< EOD\n1 4\n2 5\n2 7\n1 6\n\n4 7\n4 9\nEOD\n")) << script;
}

TEST(GnuplotScript, ErrorBarsStandWhereTheErrorIsKnown) {
  const std::string script = svg_script({.series = {{.mark = Mark::points,
                                                     .x = {0, 1},
                                                     .y = {5, 6},
                                                     .lower = {4, kNaN},
                                                     .upper = {7, kNaN}}}});
  EXPECT_TRUE(contains(script, "<< EOD\n0 5 4 7\nEOD\n")) << script;
  EXPECT_TRUE(contains(script, "<< EOD\n0 5\n1 6\nEOD\n")) << script;
}

TEST(GnuplotScript, ALogarithmicAxisHasPowersOfTenOrRoundNumbers) {
  const auto script_from = [](double low) {
    return svg_script({.y = {.logarithmic = true}, .series = {{.x = {1, 2}, .y = {low, 1.0}}}});
  };
  EXPECT_TRUE(contains(script_from(0.001),
                       "('10^{-3}' 1e-3,'10^{-2}' 1e-2,'10^{-1}' 1e-1,"
                       "'10^{0}' 1e0)"));
  EXPECT_TRUE(contains(script_from(0.0), "('10^{-12}' 1e-12,'10^{-9}' 1e-9,"))
      << "zero is drawn at 1e-12";
  EXPECT_TRUE(contains(script_from(0.15), "('0.2' 0.2,'0.5' 0.5,'1' 1)"));
  EXPECT_TRUE(contains(script_from(0.8), "('0.8' 0.8,'0.85' 0.85,"));
}

TEST(GnuplotScript, TextIsQuoted) {
  const std::string script = svg_script({.title = "it's {a}\n'; system 'x", .series = {}});
  EXPECT_TRUE(contains(script, "set title 'it''s {a} ''; system ''x' noenhanced"));
}

TEST(GnuplotScript, ATitleIsShortenedInItsMiddleToWhatFits) {
  // The room above a plot is 234 + 2 * 14 pixels, or 30 letters of 8.48 pixels.
  const std::string thirty = "\u03b8123456789abcdefghij012345678\u03b8";
  EXPECT_TRUE(contains(svg_script({.title = thirty}), "set title '" + thirty + "'"));
  EXPECT_TRUE(contains(svg_script({.title = "<" + thirty}),
                       "set title '<\u03b8123456789abcd\u2026ghij012345678\u03b8'"))
      << svg_script({.title = "<" + thirty});
}

TEST(GnuplotScript, ManyColumnsMakeNarrowPanelsWithFewTicksInsteadOfAWidePicture) {
  const Panel panel{.series = {{.x = {0, 100}, .y = {0, 1}}}};
  const auto script_with = [&](int columns) {
    return gnuplot_script({.name = "f",
                           .columns = columns,
                           .panels = std::vector<Panel>(static_cast<std::size_t>(columns), panel)},
                          PictureFormat::svg);
  };
  EXPECT_TRUE(contains(script_with(1), "set xtics (0,20,40,60,80,100)"));
  EXPECT_TRUE(contains(script_with(1), " size 336,"));
  EXPECT_TRUE(contains(script_with(7), "set xtics (0,50,100)")) << script_with(7);
  EXPECT_TRUE(contains(script_with(7), " size 1312,")) << "six pixels at each side of 1300";
}

TEST(Gnuplot, ReturnsWhatTheScriptWrites) {
  EXPECT_EQ(run_gnuplot("set print '-'\nprint 6 * 7\n"), "42\n");
}

TEST(Gnuplot, AFailureCarriesItsMessage) {
  const Error error = error_of([] { (void)run_gnuplot("no_such_command\n"); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_TRUE(contains(error.what(), "invalid command")) << error.what();
}

TEST(Gnuplot, AMissingProgramIsNamedWithItsPackage) {
  const Error error = error_of([] { (void)run_gnuplot("", "no-such-gnuplot"); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_TRUE(contains(error.what(), "no-such-gnuplot")) << error.what();
  EXPECT_TRUE(contains(error.what(), "gnuplot-nox")) << error.what();
}

TEST(Gnuplot, IsRequiredBeforeItIsUsed) {
  EXPECT_NO_THROW(require_gnuplot());
  const Error error = error_of([] { require_gnuplot("no-such-gnuplot"); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_TRUE(contains(error.what(), "gnuplot-nox")) << error.what();
}

TEST(Gnuplot, DrawingNothingIsAnError) {
  for (const PictureFormat format : {PictureFormat::svg, PictureFormat::pdf}) {
    const Error error = error_of(
        [&] { static_cast<void>(draw_picture(figure_of({}), format, /*program=*/"true")); });
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_EQ(std::string(error.what()), "true: drew nothing for figure f");
  }
}

TEST_F(DrawFigures, WritesEveryFigureAsSvgAndPdf) {
  std::vector<std::size_t> progress;
  draw_figures(sample_report(/*panels=*/2, /*steps=*/5), directory() / "made",
               [&](std::size_t drawn, std::size_t total) {
                 progress.push_back(drawn);
                 EXPECT_EQ(total, 3U);
               });
  EXPECT_EQ(progress, (std::vector<std::size_t>{1, 2, 3}));
  for (const std::string name : {"ranks", "simple-regret", "coverage"}) {
    const std::string svg = contents(directory() / "made" / (name + ".svg"));
    EXPECT_TRUE(svg.starts_with("<?xml")) << name;
    EXPECT_FALSE(contains(svg, "<title>gnuplot_plot")) << "a tooltip without sense";
    EXPECT_TRUE(svg.ends_with("</svg>\n\n")) << name;
    EXPECT_EQ(occurrences(svg, "<g ") + occurrences(svg, "<g>"), occurrences(svg, "</g>")) << name;
    EXPECT_EQ(occurrences(svg, "<text>gp-ucb-mll</text>"), name == "ranks" ? 3U : 1U)
        << "one legend for all panels, and the categories of two";
    const std::string pdf = contents(directory() / "made" / (name + ".pdf"));
    EXPECT_TRUE(pdf.starts_with("%PDF")) << name;
    EXPECT_TRUE(contains(pdf.substr(pdf.size() - 10), "%%EOF")) << name;
    EXPECT_TRUE(contains(pdf, "/CreationDate (D:19700101000000")) << "equal whenever it is drawn";
  }
}

TEST_F(DrawFigures, TextIsShownAsItIs) {
  const std::string odd = "a_b^2{c}@d 'e' \"f\" \\n %g `x` \u03b8";
  const Figure figure{.name = "it's \"odd\" $HOME | x",
                      .panels = {{.title = odd,
                                  .x = {.categories = {odd}},
                                  .y = {.title = odd},
                                  .series = {{.label = odd, .x = {0}, .y = {1}}}}}};
  draw_figures({.sections = {{.figures = {figure}}}}, directory());
  const std::string svg = contents(directory() / (figure.name + ".svg"));
  EXPECT_EQ(occurrences(svg, "<text>" + odd + "</text>"), 4U) << svg;
}

TEST_F(DrawFigures, ALargeFigureStaysSmall) {
  draw_figures({.sections = {{.figures = {sample_curves("f", /*panels=*/8, /*steps=*/100,
                                                        /*logarithmic=*/true)}}}},
               directory());
  EXPECT_LT(contents(directory() / "f.svg").size(), 300'000U);
}

TEST_F(DrawFigures, DrawsPanelsWithoutData) {
  draw_figures({.sections = {{.figures = {figure_of({.title = "empty"}), {.name = "g"}}}}},
               directory());
  EXPECT_TRUE(contains(contents(directory() / "f.svg"), "<text>empty</text>"));
  EXPECT_TRUE(contains(contents(directory() / "g.svg"), "</svg>"));
}

TEST_F(DrawFigures, AFailureLeavesNothing) {
  const Figure figure{.name = "f", .panels = {{.series = {{.x = {1}, .y = {}}}}}};
  const Error error =
      error_of([&] { draw_figures({.sections = {{.figures = {figure}}}}, directory() / "made"); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_value);
  EXPECT_FALSE(std::filesystem::exists(directory() / "made"));
}

TEST_F(DrawFigures, RemovesWhatAnInterruptedDrawingLeft) {
  overwrite(directory() / "f.svg.tmp", "<svg");
  draw_figures({.sections = {{.figures = {figure_of({})}}}}, directory());
  EXPECT_FALSE(std::filesystem::exists(directory() / "f.svg.tmp"));
  EXPECT_TRUE(std::filesystem::exists(directory() / "f.svg"));
}

}  // namespace
}  // namespace oscbo::report
