#include "problems/table_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include "numeric/random_stream.hpp"

namespace oscbo::tables {
namespace {

using Row = std::vector<double>;

/// A table of rows whose last entry is the value.
Designs designs_of(const std::vector<Row>& rows) {
  std::vector<double> inputs;
  std::vector<double> values;
  for (const Row& row : rows) {
    inputs.insert(inputs.end(), row.begin(), row.end() - 1);
    values.push_back(row.back());
  }
  return average_replicates(rows.front().size() - 1, inputs, values);
}

/// `count` designs in [0, 1]^d with values in [0, 10]. All are random except two corners of the
/// box.
Designs random_designs(std::size_t dimension, std::size_t count) {
  numeric::RandomStream stream(7, numeric::Purpose::raw_samples);
  std::vector<Row> rows = {Row(dimension + 1, 0.0), Row(dimension + 1, 1.0)};
  while (rows.size() < count) {
    Row row(dimension + 1);
    for (double& entry : row) entry = stream.uniform();
    row.back() *= 10.0;
    rows.push_back(row);
  }
  return designs_of(rows);
}

/// The definition, by sorting all distances. Ties are broken arbitrarily.
double sorted_definition(const Designs& designs, const Row& x) {
  std::vector<std::pair<double, double>> neighbours;  // distance and value
  for (std::size_t i = 0; i < designs.size(); ++i) {
    double square = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) square += std::pow(x[j] - designs.at(i)[j], 2);
    neighbours.emplace_back(std::sqrt(square), designs.values[i]);
  }
  std::sort(neighbours.begin(), neighbours.end());
  neighbours.resize(std::min<std::size_t>(12, neighbours.size()));
  double sum = 0.0;
  double weights = 0.0;
  for (const auto& [distance, value] : neighbours) {
    sum += value / std::pow(distance + 1e-12, 2);
    weights += 1.0 / std::pow(distance + 1e-12, 2);
  }
  return sum / weights;
}

TEST(Replicates, AreAveragedInTheOrderOfFirstAppearance) {
  const Designs designs = designs_of({
      {2.0, 1.0, 10.0},
      {1.0, 5.0, 1.0},
      {2.0, 1.0, 20.0},
      {2.0, 0.0, 7.0},
      {1.0, 5.0, 4.0},
      {2.0, 1.0, 60.0},
  });
  EXPECT_EQ(designs.inputs, (Row{2.0, 1.0, 1.0, 5.0, 2.0, 0.0}));
  EXPECT_EQ(designs.values, (Row{30.0, 2.5, 7.0}));
}

TEST(Replicates, HaveExactlyEqualInputs) {
  EXPECT_EQ(designs_of({{0.1, 1.0}, {std::nextafter(0.1, 1.0), 2.0}, {0.1, 3.0}}).values,
            (Row{2.0, 2.0}));
  EXPECT_EQ(designs_of({{0.0, 1.0}, {-0.0, 2.0}}).values, (Row{1.5}));
}

TEST(Grid, InTwoDimensionsIsInterpolatedBilinearly) {
  // Rows of a grid with levels 0, 1, 4 and 10, 30, in no particular order.
  const TableOracle oracle(designs_of({{4.0, 30.0, 8.0},
                                       {0.0, 10.0, 1.0},
                                       {1.0, 10.0, 3.0},
                                       {0.0, 30.0, 2.0},
                                       {4.0, 10.0, 5.0},
                                       {1.0, 30.0, 6.0}}));
  ASSERT_TRUE(oracle.is_grid());
  EXPECT_DOUBLE_EQ(oracle(Row{0.5, 10.0}), 2.0);
  EXPECT_DOUBLE_EQ(oracle(Row{0.0, 15.0}), 1.25);
  // Corners 1, 3, 2, 6 with fractions 1/4 and 1/2: (3/4 (1 + 2) + 1/4 (3 + 6)) / 2.
  EXPECT_DOUBLE_EQ(oracle(Row{0.25, 20.0}), 2.25);
  // Corners 3, 5, 6, 8 with fractions 1/3 and 3/4: 1/4 (3 + 2/3) + 3/4 (6 + 2/3).
  EXPECT_DOUBLE_EQ(oracle(Row{2.0, 25.0}), 11.0 / 12.0 + 5.0);
}

// A trilinear function is its own interpolant.
TEST(Grid, InThreeDimensionsReproducesATrilinearFunction) {
  const auto trilinear = [](double x, double y, double z) {
    return 1.0 + 2.0 * x - y + 0.5 * z + x * y - 3.0 * y * z + 0.25 * x * y * z;
  };
  std::vector<Row> rows;
  for (const double x : {-1.0, 0.5, 2.0, 3.0}) {
    for (const double y : {0.0, 10.0}) {
      for (const double z : {1.0, 2.0, 5.0}) rows.push_back({x, y, z, trilinear(x, y, z)});
    }
  }
  const TableOracle oracle(designs_of(rows));
  ASSERT_TRUE(oracle.is_grid());
  numeric::RandomStream stream(1, numeric::Purpose::raw_samples);
  for (int i = 0; i < 500; ++i) {
    const Row x = {-1.0 + 4.0 * stream.uniform(), 10.0 * stream.uniform(),
                   1.0 + 4.0 * stream.uniform()};
    EXPECT_NEAR(oracle(x), trilinear(x[0], x[1], x[2]), 1e-12);
  }
}

TEST(Grid, RequiresEveryNode) {
  const std::vector<Row> full = {{0, 0, 1}, {0, 1, 2}, {1, 0, 3}, {1, 1, 4}};
  EXPECT_TRUE(TableOracle(designs_of(full)).is_grid());
  EXPECT_FALSE(TableOracle(designs_of({full[0], full[1], full[2]})).is_grid());
  // As many designs as a grid of 2 x 3, but on 3 x 3 levels.
  EXPECT_FALSE(
      TableOracle(designs_of({{0, 0, 1}, {0, 1, 2}, {1, 0, 3}, {1, 1, 4}, {2, 2, 5}, {0, 2, 6}}))
          .is_grid());
  EXPECT_TRUE(TableOracle(designs_of({{0, 1}, {5, 2}, {1, 9}})).is_grid()) << "one coordinate";
}

TEST(Oracle, IsExactAtEveryDesign) {
  std::vector<Row> grid;
  for (const double x : {0.1, 0.2, 0.7}) {
    for (const double y : {-1.3, 1.0 / 3.0, 2.0, 2.1}) grid.push_back({x, y, std::sin(x + y)});
  }
  for (const Designs& designs : {designs_of(grid), random_designs(3, 200)}) {
    const TableOracle oracle(designs);
    for (std::size_t i = 0; i < designs.size(); ++i) {
      EXPECT_EQ(oracle(designs.at(i)), designs.values[i]) << "design " << i;
    }
  }
}

TEST(Oracle, TreatsAQueryWithinRoundingOfADesignAsTheDesign) {
  const Designs designs = random_designs(2, 40);
  const TableOracle oracle(designs);
  Row x(designs.at(5).begin(), designs.at(5).end());
  x[0] += 5e-13;
  EXPECT_EQ(oracle(x), designs.values[5]);
  x[0] += 1e-6;
  EXPECT_NE(oracle(x), designs.values[5]);
}

TEST(InverseDistance, MatchesWeightsByHand) {
  // Scaled to the unit square: the designs are at (0, 0), (1, 0) and (0, 1).
  const TableOracle oracle(designs_of({{10.0, 0.0, 6.0}, {20.0, 0.0, 12.0}, {10.0, 2.0, 24.0}}));
  ASSERT_FALSE(oracle.is_grid());
  // At (1/4, 0) the squared distances are 1/16, 9/16 and 17/16.
  const double weights = 16.0 + 16.0 / 9.0 + 16.0 / 17.0;
  EXPECT_NEAR(oracle(Row{12.5, 0.0}),
              (16.0 * 6.0 + 16.0 / 9.0 * 12.0 + 16.0 / 17.0 * 24.0) / weights, 1e-10);
}

TEST(InverseDistance, MatchesTheDefinitionOnRandomTables) {
  numeric::RandomStream stream(3, numeric::Purpose::raw_samples);
  for (const std::size_t dimension : {2U, 4U, 7U}) {
    for (const std::size_t count : {5U, 11U, 12U, 13U, 300U}) {
      const Designs designs = random_designs(dimension, count);
      const TableOracle oracle(designs);
      ASSERT_FALSE(oracle.is_grid());
      for (int i = 0; i < 200; ++i) {
        Row x(dimension);
        for (double& coordinate : x) coordinate = stream.uniform();
        const double expected = sorted_definition(designs, x);
        ASSERT_NEAR(oracle(x), expected, 1e-12 * expected) << dimension << " " << count;
      }
    }
  }
}

TEST(Oracle, ClipsToTheBox) {
  const Designs random = random_designs(3, 100);
  const Designs grid = designs_of({{0, 0, 0, 1},
                                   {0, 0, 1, 2},
                                   {0, 1, 0, 3},
                                   {0, 1, 1, 4},
                                   {1, 0, 0, 5},
                                   {1, 0, 1, 6},
                                   {1, 1, 0, 7},
                                   {1, 1, 1, 9}});
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const Designs& designs : {random, grid}) {
    const TableOracle oracle(designs);
    EXPECT_EQ(oracle(Row{-3.0, 0.4, 0.3}), oracle(Row{0.0, 0.4, 0.3}));
    EXPECT_EQ(oracle(Row{0.2, 1.5, -kInfinity}), oracle(Row{0.2, 1.0, 0.0}));
    EXPECT_EQ(oracle(Row{7.0, 1e300, 9.0}), oracle(Row{1.0, 1.0, 1.0}));
    EXPECT_TRUE(std::isnan(oracle(Row{0.2, std::nan(""), 0.3})));
  }
}

/// Eleven designs near the middle of the unit square, then the corners, which all have the same
/// distance from it.
std::vector<Row> rows_with_tied_corners(const std::vector<double>& corner_values) {
  std::vector<Row> rows;
  const std::vector<Row> corners = {{0, 0}, {1, 1}, {1, 0}, {0, 1}};
  for (std::size_t i = 0; i < corners.size(); ++i) {
    rows.push_back({corners[i][0], corners[i][1], corner_values[i]});
  }
  for (int i = 1; i <= 11; ++i) rows.push_back({0.5 + 0.01 * i, 0.5, 0.0});
  return rows;
}

/// The value at the middle if the twelfth neighbour is a corner with this value.
double middle_with_corner(double corner_value) {
  const double corner_weight = 2.0;  // at the squared distance 1/2
  double weights = corner_weight;
  for (int i = 1; i <= 11; ++i) weights += std::pow(0.01 * i, -2);
  return corner_weight * corner_value / weights;
}

TEST(Ties, AtTheLastNeighbourAreWonByTheLowestIndex) {
  for (const std::vector<double>& values :
       {std::vector<double>{1, 2, 4, 8}, {8, 1, 2, 4}, {4, 8, 1, 2}, {2, 4, 8, 1}}) {
    const TableOracle oracle(designs_of(rows_with_tied_corners(values)));
    const double expected = middle_with_corner(values.front());
    EXPECT_NEAR(oracle(Row{0.5, 0.5}), expected, 1e-9 * expected);
  }
}

// In other boxes, rounding makes one of the four distances the smallest.
TEST(Ties, AreRecognisedDespiteRounding) {
  const double expected = middle_with_corner(1.0);
  for (const double width : {1.0, 0.7, 0.1, 3.3, 1234.567}) {
    for (const double origin : {0.0, 0.3, -17.1}) {
      std::vector<Row> rows = rows_with_tied_corners({1, 2, 4, 8});
      for (Row& row : rows) {
        row[0] = origin + width * row[0];
        row[1] = origin + width * row[1];
      }
      const TableOracle oracle(designs_of(rows));
      EXPECT_NEAR(oracle(Row{origin + 0.5 * width, origin + 0.5 * width}), expected,
                  1e-9 * expected)
          << width << " from " << origin;
    }
  }
}

// In the middle of a lattice cell, the 2^d corners are nearest. The other nodes lie in shells of
// equal distance. The expected value follows the definition, with distances rounded to 1e-9 and
// ties ordered by index.
TEST(Ties, OnALatticeAreBrokenByIndex) {
  std::vector<Row> rows;
  numeric::RandomStream stream(5, numeric::Purpose::raw_samples);
  for (int x = 0; x <= 6; ++x) {
    for (int y = 0; y <= 9; ++y) {
      for (int z = 0; z <= 3; ++z) {
        if (x + y + z != 2) rows.push_back({0.1 * x, 0.7 * y, z / 3.0, stream.uniform()});
      }
    }
  }
  const Designs designs = designs_of(rows);
  const TableOracle oracle(designs);
  ASSERT_FALSE(oracle.is_grid());
  for (int query = 0; query < 300; ++query) {
    Row u(3);  // scaled, at nodes and halfway between them
    const std::vector<double> cells = {6.0, 9.0, 3.0};
    for (std::size_t j = 0; j < 3; ++j) {
      u[j] = std::floor(stream.uniform() * (2.0 * cells[j] + 1.0)) / (2.0 * cells[j]);
    }
    std::vector<std::tuple<double, std::size_t>> order;
    for (std::size_t i = 0; i < designs.size(); ++i) {
      const double distance = std::hypot(u[0] - designs.at(i)[0] / 0.6,
                                         u[1] - designs.at(i)[1] / 6.3, u[2] - designs.at(i)[2]);
      order.emplace_back(std::round(1e9 * distance) / 1e9, i);
    }
    std::sort(order.begin(), order.end());
    double sum = 0.0;
    double weights = 0.0;
    for (std::size_t k = 0; k < 12; ++k) {
      const auto [distance, index] = order[k];
      const double weight = std::pow(distance + 1e-12, -2);
      sum += weight * designs.values[index];
      weights += weight;
    }
    ASSERT_NEAR(oracle(Row{0.6 * u[0], 6.3 * u[1], u[2]}), sum / weights, 1e-7)
        << "query " << query;
  }
}

TEST(Oracle, NeverExceedsItsBestDesign) {
  const Designs designs = random_designs(2, 60);
  const TableOracle oracle(designs);
  const double best = std::ranges::max(designs.values);
  numeric::RandomStream stream(9, numeric::Purpose::raw_samples);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_LE(oracle(Row{stream.uniform(), stream.uniform()}), best);
  }
  // The sum of three equal thirds may be more or less than one.
  std::vector<Row> flat;
  for (int i = 0; i < 20; ++i) flat.push_back({stream.uniform(), stream.uniform(), 0.1});
  const TableOracle level(designs_of(flat));
  for (int i = 0; i < 500; ++i) {
    ASSERT_EQ(level(Row{stream.uniform(), stream.uniform()}), 0.1);
  }
}

TEST(Oracle, ReturnsTheSameValuesInAllThreads) {
  const TableOracle oracle(random_designs(3, 500));
  const auto values = [&oracle] {
    numeric::RandomStream stream(4, numeric::Purpose::raw_samples);
    std::vector<double> result;
    for (int i = 0; i < 2000; ++i) {
      result.push_back(oracle(Row{stream.uniform(), stream.uniform(), stream.uniform()}));
    }
    return result;
  };
  std::vector<std::vector<double>> results(4);
  {
    std::vector<std::jthread> threads;
    for (std::vector<double>& result : results) threads.emplace_back([&] { result = values(); });
  }
  for (const std::vector<double>& result : results) EXPECT_EQ(result, results.front());
}

}  // namespace
}  // namespace oscbo::tables
