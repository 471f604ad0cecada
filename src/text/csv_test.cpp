#include "text/csv.hpp"

#include <cstdlib>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace oscbo::text {
namespace {

TEST(Csv, NumbersRoundTrip) {
  for (const double value : {0.1, 1.0 / 3.0, -1e300, 5e-324, 0.0, 123456789.123456789,
                             std::numeric_limits<double>::max()}) {
    EXPECT_EQ(std::strtod(number(value).c_str(), nullptr), value);
  }
}

TEST(Csv, UndefinedNumbersAreEmpty) {
  EXPECT_EQ(number(std::numeric_limits<double>::quiet_NaN()), "");
}

TEST(Csv, JoinedNumbersHaveTheSeparatorBetweenThem) {
  EXPECT_EQ(joined(std::vector{0.5, -2.0}, "|"), "0.5|-2");
  EXPECT_EQ(joined({}, "|"), "");
}

TEST(Csv, NamesAreQuotedOnlyWhereTheyMustBe) {
  EXPECT_EQ(csv_cell("levy5"), "levy5");
  EXPECT_EQ(csv_cell("table:a,b.csv"), "\"table:a,b.csv\"");
  EXPECT_EQ(csv_cell("say \"x\""), "\"say \"\"x\"\"\"");
}

}  // namespace
}  // namespace oscbo::text
