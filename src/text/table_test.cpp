#include "oscbo/table.hpp"

#include <chrono>
#include <sstream>

#include "base/temporary_folder_test_support.hpp"
#include "base/test_support.hpp"

namespace oscbo {
namespace {

NumericTable table_of(const std::string& text) {
  std::istringstream stream(text);
  return read_table(stream, "some.csv");
}

using Columns = std::vector<std::string>;
using Values = std::vector<double>;

TEST(Table, HasColumnsAndRows) {
  const NumericTable table = table_of("x,speed\n1,2.5\n-3e2,+.5\n");
  EXPECT_EQ(table.name, "some.csv");
  EXPECT_EQ(table.columns, (Columns{"x", "speed"}));
  EXPECT_EQ(table.values, (Values{1.0, 2.5, -300.0, 0.5}));
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.row(1)[0], -300.0);
  EXPECT_EQ(table.row(1).size(), 2U);
}

TEST(Table, IgnoresArtefactsOfEditorsAndSpreadsheets) {
  const NumericTable plain = table_of("x,y\n1,2\n3,4\n");
  for (const char* text : {
           "\xEF\xBB\xBFx,y\r\n1,2\r\n3,4\r\n",  // byte order mark, CR LF
           "x,y\n1,2\n3,4",                      // no end of line
           "\n \t\nx,y\n\n1,2\n\r\n3,4\n\n",     // blank lines
           " x ,\ty\n 1 , 2\t\n3 ,4 \n",         // blanks
           "\"x\", \"y\" \n1,2\n3,4\n",          // quoted names
           "x,y\n\"1\",\" 2 \"\n3, \"+4\"\n",    // quoted numbers
       }) {
    const NumericTable table = table_of(text);
    EXPECT_EQ(table.columns, plain.columns) << text;
    EXPECT_EQ(table.values, plain.values) << text;
  }
}

TEST(Table, QuotedNamesMayHoldCommasAndQuotes) {
  EXPECT_EQ(table_of("\"a, b\",\"the \"\"c\"\"\",Q(%)\n1,2,3\n").columns,
            (Columns{"a, b", "the \"c\"", "Q(%)"}));
}

TEST(TextTable, HasCellsOfAnyTextIncludingEmptyOnes) {
  std::istringstream stream("name,solvent,dose\r\n\na, water ,\n\"b, c\",,\"2.5\"\n");
  const TextTable table = read_text_table(stream, "some.csv");
  EXPECT_EQ(table.columns, (Columns{"name", "solvent", "dose"}));
  EXPECT_EQ(table.values, (Columns{"a", "water", "", "b, c", "", "2.5"}));
  EXPECT_EQ(table.cell(1, 2), "line 4, column 3 (dose)");
}

TEST(TextTable, RefusesRowsOfAnotherLengthAndControlCharacters) {
  const auto message = [](const std::string& text) {
    std::istringstream stream(text);
    const Error error = error_of([&] { static_cast<void>(read_text_table(stream, "some.csv")); });
    EXPECT_EQ(error.code(), ErrorCode::invalid_value);
    return std::string(error.what());
  };
  EXPECT_EQ(message("x,y\n1\n"),
            "some.csv: line 2: has 1 column; the header has 2; column 2 (y) is missing");
  EXPECT_EQ(message("x,y\n\x1B[2J,1\n"),
            "some.csv: line 2, column 1 (x): '\\x1b[2J' has control characters");
}

TEST(Table, KnowsTheLineOfARow) {
  const NumericTable table = table_of("\nx\n1\n2\n\n\n3\n4\n\n5\n");
  EXPECT_EQ(table.header_line, 2U);
  const std::vector<std::size_t> lines = {3, 4, 7, 8, 10};
  for (std::size_t row = 0; row < lines.size(); ++row) EXPECT_EQ(table.line(row), lines[row]);
  EXPECT_EQ(table.cell(2, 0), "line 7, column 1 (x)");
}

struct BadTable {
  std::string name;
  std::string text;
  std::string message;
};

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

class TableRefusal : public testing::TestWithParam<BadTable> {};

TEST_P(TableRefusal, NamesFileLineAndColumn) {
  const Error error = error_of([] { static_cast<void>(table_of(GetParam().text)); });
  EXPECT_EQ(error.code(), ErrorCode::invalid_value);
  EXPECT_EQ(error.field(), "some.csv");
  EXPECT_EQ(error.what(), "some.csv: " + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Table, TableRefusal,
    testing::Values(
        BadTable{"missing_column", "x,y,z\n1,2,3\n\n4,5\n",
                 "line 4: has 2 columns; the header has 3; column 3 (z) is missing"},
        BadTable{"missing_column_and_text", "x,y\na\n",
                 "line 2: has 1 column; the header has 2; column 2 (y) is missing"},
        BadTable{"further_column", "x,y\n1,2,3\n", "line 2: has 3 columns; the header has 2"},
        BadTable{"trailing_comma", "x,y\n1,2,\n", "line 2: has 3 columns; the header has 2"},
        BadTable{"text", "x,y\n1,2\n3,fast\n",
                 "line 3, column 2 (y): 'fast' is not a finite number"},
        BadTable{"empty_cell", "x,y\n1,\n", "line 2, column 2 (y): '' is not a finite number"},
        BadTable{"half_a_number", "x\n1.5kg\n",
                 "line 2, column 1 (x): '1.5kg' is not a finite number"},
        BadTable{"two_signs", "x\n+-1\n", "line 2, column 1 (x): '+-1' is not a finite number"},
        BadTable{"hexadecimal", "x\n0x10\n", "line 2, column 1 (x): '0x10' is not a finite number"},
        BadTable{"nan", "x,y\nNaN,2\n", "line 2, column 1 (x): 'NaN' is not a finite number"},
        BadTable{"infinity", "x,y\n1,-inf\n",
                 "line 2, column 2 (y): '-inf' is not a finite number"},
        BadTable{"overflow", "x\n1e999\n", "line 2, column 1 (x): '1e999' is not a finite number"},
        BadTable{"empty_quotes", "x\n\"\"\n",
                 "line 2, column 1 (x): '\"\"' is not a finite number"},
        BadTable{"lone_quote", "x\n\"\n", "line 2, column 1 (x): '\"' is not a finite number"},
        BadTable{"semicolons", "x;y\n1;2\n",
                 "line 2, column 1 (x;y): '1;2' is not a finite number; cells are separated by "
                 "commas, not semicolons"},
        BadTable{"semicolons_and_decimal_commas", "x;y\n1,5;2,5\n",
                 "line 2: has 3 columns; the header has 1; cells are separated by commas, not "
                 "semicolons"},
        BadTable{"control_bytes", "x\n\x1B[2J\x07\n",
                 "line 2, column 1 (x): '\\x1b[2J\\x07' is not a finite number"},
        BadTable{"long_cell", "x\n" + std::string(1000, 'a') + "\n",
                 "line 2, column 1 (x): '" + std::string(40, 'a') + "...' is not a finite number"},
        BadTable{
            "long_cell_of_two_byte_letters", "x\na" + repeated("\xC3\xA9", 30) + "\n",
            "line 2, column 1 (x): 'a" + repeated("\xC3\xA9", 19) + "...' is not a finite number"},
        BadTable{"long_name", std::string(60, 'n') + "\nz\n",
                 "line 2, column 1 (" + std::string(40, 'n') + "...): 'z' is not a finite number"},
        BadTable{"duplicate", "x,y,\"x\"\n1,2,3\n",
                 "line 1, column 3 (x): has the same name as column 1"},
        BadTable{"nameless", "x,,y\n1,2,3\n", "line 1, column 2: has no name"},
        BadTable{"numbers_alone", "\n1,2\n3,4\n",
                 "line 2: holds numbers where the header row should be"},
        BadTable{"empty", "", "has no header row"},
        BadTable{"blank", "\xEF\xBB\xBF \r\n\n", "has no header row"},
        BadTable{"no_rows", "x,y\n\n", "has no rows below its header"}),
    [](const auto& test) { return test.param.name; });

TEST(Table, OfAMissingFileOrADirectoryCannotBeRead) {
  const test::TemporaryFolder folder;
  for (const std::filesystem::path& path : {folder.path() / "none.csv", folder.path()}) {
    const Error error = error_of([&] { static_cast<void>(read_table(path)); });
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_EQ(error.field(), path.string());
  }
}

TEST(Table, SlowReadsAMillionRows) {
  constexpr int kRows = 1'000'000;
  std::string text = "a,b,c,d,e,f\n";
  for (int row = 0; row < kRows; ++row) {
    const std::string number = std::to_string(row);
    text += number + "," + number + ".5,0." + number + ",-" + number + ",1e-3," + number + "e2\n";
  }
  std::istringstream stream(std::move(text));
  const auto start = std::chrono::steady_clock::now();
  const NumericTable table = read_table(stream, "long.csv");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  RecordProperty("milliseconds", static_cast<int>(1e3 * seconds.count()));
  ASSERT_EQ(table.rows(), static_cast<std::size_t>(kRows));
  EXPECT_EQ(table.stretches.size(), 1U);
  EXPECT_EQ(table.line(kRows - 1), 1U + kRows);
  for (int row = 0; row < kRows; ++row) {
    const auto index = static_cast<std::size_t>(row);
    ASSERT_EQ(table.row(index)[0], row);
    ASSERT_EQ(table.row(index)[1], row + 0.5);
    ASSERT_EQ(table.row(index)[3], -row);
    ASSERT_EQ(table.row(index)[5], row * 100.0);
  }
  EXPECT_EQ(table.row(25)[2], 0.25);
}

}  // namespace
}  // namespace oscbo
