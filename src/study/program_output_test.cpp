#include "study/program_output.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "space/space_test_support.hpp"

namespace oscbo::study {
namespace {

using space::test::expect_refused;

ProgramValue read_from(ValueSource source, const std::string& output,
                       const std::string& pattern = "") {
  ProgramOutputReader reader({.value_from = source, .pattern = pattern});
  reader.add(output);
  return reader.value();
}

double on_last_line(const std::string& output) {
  return read_from(ValueSource::last_line, output).value;
}

double by_pattern(const std::string& pattern, const std::string& output) {
  return read_from(ValueSource::pattern, output, pattern).value;
}

ProgramValue by_json(const std::string& output) { return read_from(ValueSource::json, output); }

TEST(ProgramOutput, TakesTheLastLineThatIsNotBlank) {
  EXPECT_EQ(on_last_line("1.5"), 1.5);
  EXPECT_EQ(on_last_line("loading\n3\n-2.5e-3\n\n \t\n"), -2.5e-3);
  EXPECT_EQ(on_last_line(" \t+1.5 \r\n\r\n"), 1.5);
  EXPECT_EQ(on_last_line("10%\r50%\r100%\r7"), 7.0) << "a progress bar goes back to the margin";
  EXPECT_EQ(on_last_line("\n0"), 0.0);
  EXPECT_EQ(on_last_line(".5"), 0.5);
  EXPECT_EQ(on_last_line("1E3"), 1000.0);
  EXPECT_EQ(on_last_line("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(on_last_line("5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(on_last_line("0.30000000000000004"), 0.1 + 0.2);
}

TEST(ProgramOutput, SaysWhatItsLastLineIsInsteadOfANumber) {
  const auto refused = [](const std::string& output, const std::string& text) {
    expect_refused([&] { static_cast<void>(on_last_line(output)); }, "output", text);
  };
  for (const char* const nothing : {"", "\n", " \r\n\t\n"}) refused(nothing, "printed nothing");
  refused("1.5\nabc\n", "the last line is 'abc', not a number");
  refused("1.5 kg", "the last line is '1.5 kg', not a number: ' kg' is left over");
  refused("1.5 2.5", "' 2.5' is left over");
  refused("1,5", "'1,5' has a decimal comma; use a point");
  refused("-1,5e-3", "'-1,5e-3' has a decimal comma");
  refused("1,234.5", "',234.5' is left over");
  refused("1,2,3", "',2,3' is left over");
  refused("0x1p3", "'x1p3' is left over");
  refused("1e", "'e' is left over");
  refused("1e999", "'1e999', which is beyond the range");
  refused("-1e999", "'-1e999', which is beyond the range");
  refused("nan", "output: nan is not a value: an evaluation without one has failed");
  refused("NaN", "nan is not a value");
  refused("inf", "output: inf is not a value");
  refused("-Infinity", "output: -inf is not a value");
  refused("+-1", "'+-1', not a number");
  refused("++1", "'++1', not a number");
  refused("+ 1", "'+ 1', not a number");
  refused("None", "'None', not a number");
  refused(std::string("1\0", 2), "'\\x00' is left over");
}

TEST(ProgramOutput, IsShownShortAndPrintable) {
  const auto message = [](const std::string& output) -> std::string {
    try {
      static_cast<void>(on_last_line(output));
    } catch (const Error& error) {
      return error.message();
    }
    return "accepted";
  };
  EXPECT_EQ(message("a\x1b[31m\xc3\xa4\x7f"),
            "the last line is 'a\\x1b[31m\\xc3\\xa4\\x7f', not a number");
  EXPECT_EQ(message(std::string(80, 'x')),
            "the last line is '" + std::string(80, 'x') + "', not a number");
  EXPECT_EQ(message(std::string(10000, 'x')),
            "the last line is '" + std::string(80, 'x') + "...', not a number");
  EXPECT_LT(message("nan(" + std::string(10000, 'x') + ")").size(), 200U);
  EXPECT_LT(message("1" + std::string(10000, 'x')).size(), 300U);
}

TEST(ProgramOutputPattern, TakesTheFirstGroupOfTheLastMatch) {
  EXPECT_EQ(by_pattern("loss: ([-+.e0-9]+)", "loss: 1\nloss: 2.5 loss: -3e-1 done\nbye\n"), -0.3);
  EXPECT_EQ(by_pattern("^score=(.*)$", "x score=1\nscore= 2 \r\n xscore=3"), 2.0)
      << "^ is the beginning of a line, and blanks around it do not count";
  EXPECT_EQ(by_pattern(R"((?:a|b)(\d+)(\.\d+)?)", "a12.5"), 12.0);
  EXPECT_EQ(by_pattern("a|x(\\d)", "x3\na\n"), 3.0) << "a match without the group does not count";
  EXPECT_EQ(by_pattern("(\\d{1,3})", "1234"), 4.0);
}

TEST(ProgramOutputPattern, SaysWhatWasNotFound) {
  const auto refused = [](const std::string& pattern, const std::string& output,
                          const std::string& text) {
    expect_refused([&] { static_cast<void>(by_pattern(pattern, output)); }, "output", text);
  };
  refused("loss: (.*)", "", "printed nothing");
  refused("loss: (.*)", "Loss: 3\n",
          "no line matches the pattern 'loss: (.*)'; the last line is 'Loss: 3'");
  refused("loss: (.*)", "loss: 3 kg", "what the pattern found is '3 kg', not a number");
  refused("loss: (.*)", "loss:  ", "no line matches");
  refused("loss:(.*)", "loss:  ", "what the pattern found is '', not a number");
  refused("loss: (.*)", "loss: 1,5", "decimal comma");
  refused("loss: (.*)", "loss: nan", "nan is not a value");
}

TEST(ProgramOutputPattern, FindsAValueAnywhereInALongOutput) {
  const std::string other(30'000, 'b');
  EXPECT_EQ(by_pattern("x=(\\d)", other + " x=1 " + other + "\n" + other), 1.0);
  ProgramOutputReader reader({.value_from = ValueSource::pattern, .pattern = "x=(\\d)"});
  for (const std::string& lines : {other, std::string("x=3\rx=4\n\n"), other}) reader.add(lines);
  EXPECT_EQ(reader.value().value, 4.0);
  EXPECT_EQ(by_pattern("x=(\\d+)", "x=3\n" + other + other + other + "x=12"), 3.0) << "cut";
}

TEST(ProgramOutputPattern, IsRefusedWhereItCannotGiveAValue) {
  const auto refused = [](const std::string& pattern, const std::string& text) {
    expect_refused([&] { check_pattern(pattern); }, "program.pattern", text);
    expect_refused([&] { static_cast<void>(by_pattern(pattern, "1")); }, "program.pattern", text);
  };
  refused("(", "'(' is not a regular expression");
  refused("([0-9]", "is not a regular expression");
  refused("(a)\\1", "is not a regular expression");
  refused("loss: .*", "has no group; put the number in parentheses");
  refused("(?:loss)", "has no group");
  refused("(a{1001})", "is not a regular expression");
  refused("(((a{100}){100}){100})", "is not a regular expression");
  refused("(" + std::string(1'000'000, 'a') + ")", "is not a regular expression");
  refused("(\\77777777777777777777)", "is not a regular expression");
  EXPECT_NO_THROW(check_pattern(R"((\d{4})-[0-9]{2}-\d{1,99}\{ a{2,})"));
}

// A backtracking search would overflow the stack or never end.
TEST(ProgramOutputPattern, SurvivesPatternsThatAreHardToSearchFor) {
  const auto refused = [](const std::string& pattern, const std::string& text) {
    const std::string line(4096, 'a');
    expect_refused([&] { static_cast<void>(by_pattern(pattern, line)); }, "output", text);
  };
  refused("((((((((((a))))))))))*", "what the pattern found is 'a', not a number");
  refused("(a|b)*", "what the pattern found is 'a', not a number");
  refused("(a+)+b", "no line matches");
  refused("(a|a)*b", "no line matches");
  refused(std::string(5000, '(') + std::string(5000, ')'), "not a number");
  std::string widest = "(";
  while (widest.size() < 190) widest += "a{0,99}";
  refused(widest + ")b", "no line matches");
}

TEST(ProgramOutputPattern, MatchesBytes) {
  EXPECT_EQ(by_pattern("(\\d)\xe9", "2\xe9 \xff"), 2.0) << "not UTF-8";
  EXPECT_EQ(by_pattern("größe (\\d)", "größe 3"), 3.0);
}

TEST(ProgramOutputJson, HasAValueAndMaybeMore) {
  EXPECT_EQ(by_json(R"({"value": 2})").value, 2.0);
  EXPECT_EQ(by_json(R"({"value": 2})").variance, std::nullopt);
  const ProgramValue all = by_json(
      "starting\n"
      R"({"note": "NaN", "metrics": {"z": 1, "cost": -2.5e3}, "variance": 0, "value": 0.1})"
      "\r\n\n");
  EXPECT_EQ(all.value, 0.1);
  EXPECT_EQ(all.variance, 0.0);
  const std::vector<std::pair<std::string, double>> expected = {{"z", 1.0}, {"cost", -2500.0}};
  EXPECT_EQ(all.metrics, expected);
}

TEST(ProgramOutputJson, SaysWhatIsWrongWithIt) {
  const auto refused = [](const std::string& output, const std::string& text) {
    expect_refused([&] { static_cast<void>(by_json(output)); }, "output", text);
  };
  refused("", "printed nothing");
  refused("abc", "the last line, 'abc': is not valid JSON: see line 1, column 1");
  refused("{\n\"value\": 1\n}", "the last line, '}': is not valid JSON");
  refused("3", "'3', not like {\"value\": 1.5}");
  refused("[1]", "not like");
  refused(R"({"valu": 3})", "not like {\"value\": 1.5}");
  refused(R"({"value": "3"})", "'value' must be a number");
  refused(R"({"value": null})", "'value' must be a number");
  refused(R"({"value": true})", "'value' must be a number");
  refused(R"({"value": NaN})", "NaN is not a value");
  refused(R"({"value": -Infinity})", "Infinity is not a value");
  refused(R"({"value": 1e999})", "too large");
  refused(R"({"value": 1, "extra": 1e999})", "too large");
  refused(R"({"value": 1, "value": 2})", "'value' is declared twice");
  refused(R"({"value": 1, "metrics": {"a": 1, "a": 2}})", "'metrics.a' is declared twice");
  refused(R"({"value": 1, "variance": -0.5})", "'variance' is negative");
  refused(R"({"value": 1, "variance": null})", "'variance' must be a number");
  refused(R"({"value": 1, "metrics": [1]})", "'metrics' must be an object");
  refused(R"({"value": 1, "metrics": {"cost": "3"}})", "'metrics.cost' must be a number");
  refused(R"({"value": 1} x)", "is not valid JSON");
  refused(std::string(10000, '['), "...': is nested too deeply");
}

TEST(IntermediateValues, AreLinesWithAStepAndAValue) {
  const auto read = [](std::string_view line) {
    const auto value = read_intermediate(line);
    return value ? std::pair(value->step, value->value) : std::pair(std::int64_t{-1}, 0.0);
  };
  using Read = std::pair<std::int64_t, double>;
  EXPECT_EQ(read(R"({"step": 3, "value": 0.5})"), Read(3, 0.5));
  EXPECT_EQ(read("\t {\"value\": -1, \"epoch\": [1], \"step\": 0}\r"), Read(0, -1.0));
  EXPECT_EQ(read(R"({"step": 2.0, "value": 1})"), Read(2, 1.0));
  EXPECT_EQ(read(R"({"step": 9007199254740992, "value": 1})"), Read(9007199254740992, 1.0));
  for (const char* const other :
       {"", "3", "step 3", "{", "[]", "{}", R"({"value": 1})", R"({"step": 1})",
        R"({"step": -1, "value": 1})", R"({"step": 1.5, "value": 1})",
        R"({"step": 9007199254740993, "value": 1})", R"({"step": 1e300, "value": 1})",
        R"({"step": "1", "value": 1})", R"({"step": 1, "value": "1"})",
        R"({"step": 1, "value": null})", R"({"step": 1, "value": 1e999})",
        R"({"step": 1, "step": 2, "value": 1})", R"({"step": 1, "value": 1} x)",
        R"(x {"step": 1, "value": 1})"}) {
    EXPECT_EQ(read_intermediate(other), std::nullopt) << other;
  }
}

TEST(IntermediateValues, MayNotGoThroughTheStack) {
  const std::string deep = std::string(30000, '[') + std::string(30000, ']');
  EXPECT_EQ(read_intermediate(R"({"step": )" + deep + R"(, "value": 1})"), std::nullopt);
  const std::string unknown = R"({"value": 1, "x": )" + deep + R"(, "step": 1, "y": 1, "z": 1})";
  EXPECT_EQ(read_intermediate(unknown), std::nullopt);
  expect_refused([&] { static_cast<void>(by_json(unknown)); }, "output", "nested too deeply");
}

}  // namespace
}  // namespace oscbo::study
