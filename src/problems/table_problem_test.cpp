#include "problems/table_problem.hpp"

#include <cmath>
#include <sstream>

#include "base/temporary_folder_test_support.hpp"
#include "base/test_support.hpp"
#include "oscbo/table.hpp"

namespace oscbo {
namespace {

using Point = std::vector<double>;

Error problem_refusal(const std::string& name, const std::filesystem::path& data = {}) {
  return error_of([&] { static_cast<void>(make_problem(name, data)); });
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string with_crlf(const std::string& text) {
  std::string result;
  for (const char character : text) {
    result += character == '\n' ? std::string("\r\n") : std::string(1, character);
  }
  return result;
}

TEST(TableProblem, MaximisesTheLastColumnOfAUsersTable) {
  const test::TemporaryFolder folder;
  const std::string path =
      folder.file("mine.csv", "speed,angle,yield\n1,10,3\n2,10,5\n1,30,8\n2,30,1\n1,30,10\n");
  const Problem problem = make_problem("table:" + path);
  EXPECT_EQ(problem.name, "table:" + path);
  ASSERT_EQ(problem.space.dimension(), 2U);
  EXPECT_EQ(problem.space.bounds()[1].lower, 10.0);
  EXPECT_EQ(problem.space.bounds()[1].upper, 30.0);
  EXPECT_EQ(problem.maximum, 9.0);
  EXPECT_EQ(problem.maximiser, (Point{1.0, 30.0}));
  EXPECT_EQ(problem.value(problem.maximiser), 9.0);
  EXPECT_DOUBLE_EQ(problem.value(Point{1.5, 20.0}), (3.0 + 5.0 + 9.0 + 1.0) / 4.0);

  const Problem minimised = make_problem("table-min:" + path);
  EXPECT_EQ(minimised.maximum, -1.0);
  EXPECT_EQ(minimised.maximiser, (Point{2.0, 30.0}));
  EXPECT_DOUBLE_EQ(minimised.value(Point{1.5, 20.0}), -4.5);
}

TEST(TableProblem, RefusesPointsOfAnotherDimension) {
  const test::TemporaryFolder folder;
  const std::string name =
      "table:" + folder.file("mine.csv", "speed,angle,yield\n1,10,3\n2,20,5\n3,15,4\n");
  const Problem problem = make_problem(name);
  for (const Point& point : {Point{}, Point{1.0}, Point{1.0, 10.0, 1.0}}) {
    EXPECT_EQ(error_of([&] { static_cast<void>(problem.value(point)); }).field(), "x");
  }
}

TEST(TableProblem, TheFirstOfEqualBestDesignsIsTheMaximiser) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("t.csv", "a,b,y\n0,0,1\n1,0,7\n0,1,7\n");
  EXPECT_EQ(make_problem("table:" + path).maximiser, (Point{1.0, 0.0}));
}

TEST(TableProblem, SourceDependsOnTheNumbersOnly) {
  const test::TemporaryFolder folder;
  const auto source = [&](const std::string& text) {
    return make_problem("table:" + folder.file("t.csv", text)).source;
  };
  const std::string plain = source("a,b,y\n0,0,1\n1,0,7\n0,1,7\n");
  EXPECT_TRUE(plain.starts_with("3 designs, checksum ")) << plain;
  EXPECT_EQ(source("p,q,z\r\n\r\n0.0,0,1\r\n1,0,7e0\r\n0,1,7\r\n"), plain);
  EXPECT_NE(source("a,b,y\n0,0,1\n1,0,7\n0,1,7.0000001\n"), plain);
  EXPECT_NE(source("a,b,y\n0,0,1\n1,0.5,7\n0,1,7\n"), plain);
  EXPECT_EQ(make_problem("levy5").source, "");
}

TEST(TableProblem, RefusesTablesWithNothingToOptimise) {
  const test::TemporaryFolder folder;
  const auto message = [&](const std::string& text) {
    const std::string path = folder.file("t.csv", text);
    const Error error = problem_refusal("table:" + path);
    EXPECT_EQ(error.code(), ErrorCode::invalid_value);
    EXPECT_EQ(error.field(), path);
    return std::string(error.what()).substr(path.size() + 2);
  };
  EXPECT_EQ(message("a,b,y\n1,2,3\n"), "has only one row; at least two are needed");
  EXPECT_EQ(message("a,b,y\n1,2,3\n4,2,5\n"),
            "column 2 (b): is 2 in every row, so there is nothing to optimise; remove the column");
  EXPECT_EQ(message("a,y\n1,2\n1,3\n"),
            "column 1 (a): is 1 in every row, so there is nothing to optimise; remove the column");
  EXPECT_EQ(message("y\n1\n2\n"),
            "line 1: one column is not enough; the last column is the objective, and the others "
            "are the parameters");
  EXPECT_EQ(message("a,y\n-1e308,2\n1e308,3\n"),
            "column 1 (a): the range from -1e+308 to 1e+308 is too wide");
  EXPECT_EQ(message("a,y\n1,2\n2,x\n"), "line 3, column 2 (y): 'x' is not a finite number");
}

TEST(TableProblem, RefusesValuesThatAreTooLarge) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("t.csv", "a,y\n1,2\n\n2,1e308\n2,1e308\n");
  EXPECT_EQ(problem_refusal("table:" + path).what(),
            path +
                ": line 4, column 2 (y): '1e+308' is not accepted; use a value from -1e+100 to "
                "1e+100");
  const std::string low = folder.file("low.csv", "a,y\n1,-1.0000000001e100\n2,3\n");
  EXPECT_EQ(problem_refusal("table-min:" + low).code(), ErrorCode::invalid_value);
  const std::string far = folder.file("far.csv", "a,y\n1,-1e100\n2,1e100\n2,1e100\n");
  EXPECT_EQ(make_problem("table:" + far).maximum, 1e100);
}

TEST(TableProblem, RefusesMissingFiles) {
  const Error missing = problem_refusal("table:/nonexistent.csv");
  EXPECT_EQ(missing.code(), ErrorCode::io);
  EXPECT_EQ(missing.field(), "/nonexistent.csv");
  const Error nameless = problem_refusal("table-min:");
  EXPECT_EQ(nameless.code(), ErrorCode::invalid_value);
  EXPECT_STREQ(nameless.what(), "task: 'table-min:' names no file; use table-min:FILE.csv");

  const Error no_folder = problem_refusal("material5");
  EXPECT_EQ(no_folder.code(), ErrorCode::invalid_value);
  EXPECT_EQ(no_folder.field(), "--data");
  EXPECT_STREQ(no_folder.what(),
               "--data: material5 needs the folder with 'material_agnp.csv' or "
               "'AgNP_dataset.csv': set --data or OSCBO_DATA; docs/data.md says where to download "
               "it");
  const test::TemporaryFolder folder;
  const Error empty_folder = problem_refusal("concrete7", folder.path());
  EXPECT_EQ(empty_folder.code(), ErrorCode::io);
  EXPECT_EQ(empty_folder.field(), folder.path().string());
  const Error missing_folder = problem_refusal("concrete7", "/nonexistent");
  EXPECT_EQ(missing_folder.code(), ErrorCode::io);
  EXPECT_STREQ(missing_folder.what(),
               "/nonexistent: is not a folder; concrete7 needs one: set --data or OSCBO_DATA");
  EXPECT_EQ(make_problem("levy2", "/nonexistent").name, "levy2");
}

// The published files have other names and headers, and lines that end in CR LF.
TEST(NamedTable, IsReadFromThePublishedFiles) {
  const test::TemporaryFolder folder;
  static_cast<void>(folder.file("AgNP_dataset.csv",
                                "QAgNO3(%),Qpva(%),Qtsc(%),Qseed(%),Qtot(uL/min),loss\r\n"
                                "4.5,10,0.5,0.5,200,0.5\r\n42.5,40,30.5,19.5,983,0.25\r\n"
                                "4.5,10,0.5,0.5,200,0.75\r\n"));
  const Problem material = make_problem("material5", folder.path());
  EXPECT_EQ(material.maximum, 0.75);
  EXPECT_EQ(material.maximiser, (Point{42.5, 40.0, 30.5, 19.5, 983.0}));
  EXPECT_EQ(material.value(Point{4.5, 10.0, 0.5, 0.5, 200.0}), 1.0 - 0.625);

  static_cast<void>(
      folder.file("concrete.csv",
                  "cement,slag,ash,water,superplastic,coarseagg,fineagg,age,strength\r"
                  "\n540,0,1,162,2.5,1040,676,28,80\r\n102,9,0,180,0,801,594,3,20\r\n"
                  "102,9,0,180,0,801,594,90,40\r\n"));
  const Problem concrete = make_problem("concrete7", folder.path());
  EXPECT_EQ(concrete.maximum, 80.0);
  EXPECT_EQ(concrete.value(Point{102, 9, 0, 180, 0, 801, 594}), 30.0) << "must average over age";

  static_cast<void>(folder.file("Crossed barrel_dataset.csv",
                                "n,theta,r,t,toughness\r\n6,0,1.5,0.7,1\r\n12,200,2.5,1.4,3\r\n"));
  EXPECT_EQ(make_problem("crossbarrel4", folder.path()).maximum, 3.0);
}

TEST(NamedTable, FindsItsColumnsInAnyOrder) {
  const test::TemporaryFolder folder;
  static_cast<void>(folder.file(
      "crossed_barrel.csv", "toughness,t,note,theta,r,n\n1,0.7,5,0,1.5,6\n3,1.4,5,200,2.5,12\n"));
  EXPECT_EQ(make_problem("crossbarrel4", folder.path()).maximiser, (Point{12.0, 200.0, 2.5, 1.4}));
}

TEST(TableProblem, KnowsTheNamesOfItsParameters) {
  const test::TemporaryFolder folder;
  using Names = std::vector<std::vector<std::string>>;
  const std::string path = folder.file("t.csv", "speed,angle,y\n0,0,1\n1,2,3\n");
  EXPECT_EQ(make_problem("table:" + path).parameters, (Names{{"speed"}, {"angle"}}));
  static_cast<void>(folder.file("concrete.csv",
                                "strength,cement,slag,ash,water,superplastic,coarseagg,fineagg\n"
                                "80,540,0,1,162,2.5,1040,676\n20,102,9,0,180,0,801,594\n"));
  const Names concrete = make_problem("concrete7", folder.path()).parameters;
  ASSERT_EQ(concrete.size(), 7U);
  EXPECT_EQ(concrete[0], (std::vector<std::string>{"cement"}));
  EXPECT_EQ(concrete[2], (std::vector<std::string>{"fly_ash", "ash"}));
  EXPECT_TRUE(make_problem("levy5").parameters.empty());
}

TEST(NamedTable, NamesTheMissingColumn) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("material_agnp.csv", "q_agno3,q_pva,loss\n1,2,3\n4,5,6\n");
  const Error error = problem_refusal("material5", folder.path());
  EXPECT_EQ(error.code(), ErrorCode::invalid_value);
  EXPECT_EQ(error.what(), path + ": line 1: no column is called 'q_tsc' or 'Qtsc(%)'");
}

/// The published tables, in the folder that OSCBO_DATA names.
class PublishedTable : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("OSCBO_DATA");
    if (folder == nullptr) GTEST_SKIP() << "OSCBO_DATA names no folder of benchmark tables";
    data_ = folder;
  }

  [[nodiscard]] Problem problem(const std::string& name) const { return make_problem(name, data_); }
  [[nodiscard]] const std::filesystem::path& data() const { return data_; }

 private:
  std::filesystem::path data_;
};

TEST_F(PublishedTable, HasTheDocumentedDesignsAndOptimum) {
  const Problem barrel = problem("crossbarrel4");
  EXPECT_TRUE(barrel.source.starts_with("600 designs")) << barrel.source;
  EXPECT_DOUBLE_EQ(barrel.maximum, 46.711404976666664);
  EXPECT_EQ(barrel.maximiser, (Point{12.0, 150.0, 1.9, 1.4}));
  EXPECT_NEAR(barrel.value(Point{12.0, 75.0, 2.4, 1.05}), 44.94486, 5e-6);

  const Problem material = problem("material5");
  EXPECT_TRUE(material.source.starts_with("164 designs")) << material.source;
  EXPECT_NEAR(material.maximum, 0.85163918, 5e-9);
  EXPECT_EQ(material.maximiser, (Point{32.50117647, 16.0, 6.501176471, 4.501176471, 850.0}));

  const Problem concrete = problem("concrete7");
  EXPECT_TRUE(concrete.source.starts_with("427 designs")) << concrete.source;
  EXPECT_DOUBLE_EQ(concrete.maximum, 81.75);
  EXPECT_EQ(concrete.maximiser, (Point{315, 137, 0, 145, 5.9, 1130, 745}));

  for (const Problem& each : {barrel, material, concrete}) {
    EXPECT_EQ(each.value(each.maximiser), each.maximum) << each.name;
  }
}

TEST_F(PublishedTable, HasTheDocumentedBox) {
  const auto box = [this](const std::string& name) {
    std::vector<Point> intervals;
    for (const Bounds& bounds : problem(name).space.bounds()) {
      intervals.push_back({bounds.lower, bounds.upper});
    }
    return intervals;
  };
  using Box = std::vector<Point>;
  EXPECT_EQ(box("crossbarrel4"), (Box{{6, 12}, {0, 200}, {1.5, 2.5}, {0.7, 1.4}}));
  EXPECT_EQ(box("material5"), (Box{{4.53, 42.80981595},
                                   {9.999518096, 40.00101474},
                                   {0.5, 30.5},
                                   {0.498851653, 19.5},
                                   {200, 983}}));
  EXPECT_EQ(
      box("concrete7"),
      (Box{
          {102, 540}, {0, 359.4}, {0, 200.1}, {121.8, 247}, {0, 32.2}, {801, 1145}, {594, 992.6}}));
}

TEST_F(PublishedTable, CountsItsRows) {
  EXPECT_EQ(read_table(data() / "crossed_barrel.csv").rows(), 1800U);
  EXPECT_EQ(read_table(data() / "material_agnp.csv").rows(), 3295U);
  EXPECT_EQ(read_table(data() / "concrete.csv").rows(), 1030U);
}

// Values of a second implementation at 20 points of the scaled box per task. Columns: task, point,
// u1 .. u7, value.
TEST_F(PublishedTable, AgreesWithTheReferenceOracle) {
  std::istringstream text(text_of(data() / "oracle_reference.csv"));
  std::string line;
  std::getline(text, line);
  int points = 0;
  for (; std::getline(text, line); ++points) {
    std::istringstream cells(line);
    std::string task;
    std::string cell;
    std::getline(cells, task, ',');
    std::getline(cells, cell, ',');
    std::vector<double> numbers;
    while (std::getline(cells, cell, ',')) {
      if (!cell.empty()) numbers.push_back(std::stod(cell));
    }
    const double expected = numbers.back();
    numbers.pop_back();
    const Problem oracle = problem(task + std::to_string(numbers.size()));
    for (std::size_t j = 0; j < numbers.size(); ++j) {
      const auto [lower, upper] = oracle.space.bounds()[j];
      numbers[j] = lower + numbers[j] * (upper - lower);
    }
    EXPECT_NEAR(oracle.value(numbers), expected, 1e-9 * std::abs(expected)) << line;
  }
  EXPECT_EQ(points, 60);
}

TEST_F(PublishedTable, IsTheSameWithTheLineEndsOfThePublishedFile) {
  const test::TemporaryFolder folder;
  static_cast<void>(
      folder.file("Crossed barrel_dataset.csv", with_crlf(text_of(data() / "crossed_barrel.csv"))));
  EXPECT_EQ(make_problem("crossbarrel4", folder.path()).source, problem("crossbarrel4").source);
}

TEST(TableProblem, SlowHandlesAMillionRows) {
  constexpr int kRows = 1'000'000;
  std::string text = "a,b,c,y\n";
  for (int row = 0; row < kRows; ++row) {
    // Every design occurs twice, with values 1 apart. The second coordinate runs through residues.
    const int design = row % (kRows / 2);
    text += std::to_string(design) + ',' + std::to_string(design * 7919LL % 499979) + ',' +
            std::to_string(design * 104729LL % 499957) + ',' +
            std::to_string(design % 1000 + (row == design ? 0 : 1)) + '\n';
  }
  const test::TemporaryFolder folder;
  const Problem problem = make_problem("table:" + folder.file("long.csv", text));
  EXPECT_TRUE(problem.source.starts_with("500000 designs")) << problem.source;
  EXPECT_EQ(problem.maximum, 999.5);
  EXPECT_EQ(problem.maximiser.front(), 999.0);
  for (const long long design : {0LL, 1LL, 123456LL, 499999LL}) {
    const Point x = {static_cast<double>(design), static_cast<double>(design * 7919 % 499979),
                     static_cast<double>(design * 104729 % 499957)};
    EXPECT_EQ(problem.value(x), static_cast<double>(design % 1000) + 0.5);
  }
}

}  // namespace
}  // namespace oscbo
