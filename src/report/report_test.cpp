#include "report/report.hpp"

#include <regex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "experiment/test_support.hpp"
#include "report/report_assets.hpp"
#include "report/report_columns.hpp"
#include "report/report_test_support.hpp"

namespace oscbo::report {
namespace {

using Json = nlohmann::json;

/// data_of returns the JSON of a page, found as a browser finds it: up to the first "</script>".
Json data_of(const std::string& page) {
  const std::string opening = R"(<script type="application/json" id="report-data">)";
  const std::size_t start = page.find(opening) + opening.size();
  return Json::parse(page.substr(start, page.find("</script>", start) - start));
}

Report with_series(const Series& series, const Axis& y) {
  return {.sections = {{.figures = {{.name = "f", .panels = {{.y = y, .series = {series}}}}}}}};
}

Json first_series(const Report& report) {
  return data_of(report_html(report))["sections"][0]["figures"][0]["panels"][0]["series"][0];
}

TEST(ReportHtml, IsOnePageWithItsDataStyleAndScripts) {
  const std::string page = report_html(sample_report(/*panels=*/2, /*steps=*/10));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  for (const std::string tag : {"html", "head", "body", "style", "main", "nav", "dialog"}) {
    EXPECT_EQ(occurrences(page, "</" + tag + ">"), 1U) << tag;
  }
  EXPECT_EQ(occurrences(page, "</script>"), 3U) << "data, library and script, each ended once";
  EXPECT_NE(page.find("<title>Comparison &lt;of> methods &amp; tasks</title>"), std::string::npos);
  for (const std::string& part : {report_page_style(), report_page_script(), chart_library()}) {
    EXPECT_NE(page.find(part), std::string::npos);
    EXPECT_FALSE(part.empty());
  }
  EXPECT_NE(chart_library().find("Chart.js v3"), std::string::npos);
}

TEST(ReportHtml, LoadsNothing) {
  const std::string page = report_html(sample_report(/*panels=*/1, /*steps=*/3));
  const std::regex loads(R"((src|href)\s*=\s*["']?(https?:)?//|@import|url\()");
  const std::string markup = report_page_template() + report_page_style();
  EXPECT_FALSE(std::regex_search(markup, loads));
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(ReportHtml, DataIsReadBackUnchanged) {
  const Report report = sample_report(/*panels=*/2, /*steps=*/10);
  const Json data = data_of(report_html(report));
  EXPECT_EQ(data["title"], report.title);
  EXPECT_EQ(data["sections"][0]["text"], report.sections[0].text) << "with its </script>";
  EXPECT_EQ(data["sections"][0]["tables"][0]["rows"], report.sections[0].tables[0].rows);
  EXPECT_EQ(data["sections"][0]["tables"][0]["numeric"], Json({false, true, true}));
  const Json& figure = data["sections"][1]["figures"][0];
  EXPECT_EQ(figure["name"], "simple-regret");
  EXPECT_EQ(figure["legend"].size(), sample_methods().size());
  EXPECT_EQ(figure["panels"].size(), 2U);
  EXPECT_EQ(figure["panels"][0]["series"][0]["x"].size(), 11U);
  EXPECT_EQ(figure["panels"][0]["x"]["range"], Json({0.0, 10.0}));
}

TEST(ReportHtml, NumbersHaveFiveDigitsAndGapsAreNull) {
  const Json series = first_series(
      with_series({.x = {1, 2, 3}, .y = {0.123456789, kNaN, -1234567.0}}, {.logarithmic = false}));
  EXPECT_EQ(series["y"].dump(), "[0.12346,null,-1234600.0]");
  EXPECT_FALSE(series.contains("lower"));
}

TEST(ReportHtml, ALogarithmicAxisGetsValuesItCanShow) {
  const Json series = first_series(
      with_series({.x = {1, 2}, .y = {0.0, 3.0}, .lower = {-1.0, 1.0}, .upper = {1.0, 4.0}},
                  {.logarithmic = true}));
  EXPECT_EQ(series["y"], Json({1e-12, 3.0}));
  EXPECT_EQ(series["lower"], Json({1e-12, 1.0}));
  EXPECT_EQ(series["range"], Json({1e-12, 4.0}));
}

TEST(ReportHtml, TextThatIsNoUtf8DoesNotBreakThePage) {
  const Json data = data_of(report_html({.title = "a\xff"
                                                  "b"}));
  EXPECT_EQ(data["title"], "a\ufffdb");
}

TEST(ReportHtml, BracesInTextAreNotPlacesOfTheTemplate) {
  const Report report{.title = "{{script}}", .subtitle = "{{style}} {{chart_library}}"};
  const std::string page = report_html(report);
  EXPECT_EQ(data_of(page)["subtitle"], report.subtitle);
  EXPECT_NE(page.find("<title>{{script}}</title>"), std::string::npos);
}

TEST(ReportHtml, AWholeComparisonIsFarBelowThreeMegabytes) {
  Report report{.title = "7 tasks, 7 methods, 100 steps, 10 quantities", .sections = {{}}};
  for (int quantity = 0; quantity < 10; ++quantity) {
    report.sections[0].figures.push_back(sample_curves("quantity-" + std::to_string(quantity),
                                                       /*panels=*/7, /*steps=*/100,
                                                       /*logarithmic=*/true));
  }
  EXPECT_LT(report_html(report).size(), 2'000'000U);
}

TEST(ReportHtml, RefusesAFigureThatCannotBeDrawn) {
  const Report report = with_series({.x = {1}, .y = {}}, {});
  EXPECT_EQ(error_of([&] { (void)report_html(report); }).code(), ErrorCode::invalid_value);
}

TEST(ReportColumns, AreNumericWhenTheirCellsStartWithNumbers) {
  const auto numeric = [](const std::vector<std::string>& cells) {
    ReportTable table{.header = {"column"}};
    for (const std::string& cell : cells) table.rows.push_back({cell});
    return bool{numeric_columns(table)[0]};
  };
  EXPECT_TRUE(numeric({"1", "-2.5e-3", "+3", "0.1 ± 0.2", "90 %", "90%", "1.2 [0.8, 1.4]"}));
  EXPECT_TRUE(numeric({"1", "", "–", "-"}));
  EXPECT_FALSE(numeric({"1", "oscbo"}));
  EXPECT_FALSE(numeric({"3d-rosenbrock", "2-norm", "6_hump"}));
  EXPECT_FALSE(numeric({"", "–"}));
  EXPECT_FALSE(numeric({}));
}

TEST(ReportMarkdown, HasHeadingsTextTablesAndFigures) {
  const Report report{
      .title = "Title",
      .subtitle = "what was run",
      .sections = {{.title = "Section",
                    .text = "One.\n\nTwo.",
                    .tables = {{.title = "Table",
                                .note = "A note.",
                                .header = {"method", "a|b"},
                                .rows = {{"x\ny", "1"}, {"p|q", "2"}}}},
                    .figures = {{.name = "my figure", .title = "Figure", .caption = "Caption."}}},
                   {.title = "Empty"}}};
  EXPECT_EQ(report_markdown(report, "figures"),
            "# Title\n\nwhat was run\n\n## Section\n\nOne.\n\nTwo.\n\n### Table\n\nA note.\n\n"
            "| method | a\\|b |\n| --- | ---: |\n| x y | 1 |\n| p\\|q | 2 |\n\n"
            "### Figure\n\n![Figure](figures/my%20figure.svg)\n\nCaption.\n\n## Empty\n");
}

}  // namespace
}  // namespace oscbo::report
