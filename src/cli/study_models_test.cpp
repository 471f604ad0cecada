// Tests of the commands on studies whose model is a network.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "study_commands_test_support.hpp"
#include "weights/random_file_test_support.hpp"

namespace oscbo::cli {
namespace {

/// Studies of 14 evaluations, 10 of which are the design.
class NetworkStudies : public StudyCommands {
 protected:
  [[nodiscard]] static std::string study_with(const std::string& method) {
    return study_text(fmt::format("method = \"{}\"", method), "", "reactor", 14);
  }

  /// Asks and tells `count` times. The largest value is 1, at x = 0.3 in kind b.
  void evaluate(int count) const {
    for (int i = 0; i < count; ++i) {
      const Json next = rows({"ask", "reactor"})[0];
      const double x = next.at("x").get<double>();
      const double y = 1.0 - (x - 0.3) * (x - 0.3) - (next.at("kind") == "b" ? 0.0 : 0.5);
      static_cast<void>(printed({"tell", "reactor", fmt::format("{}", next.at("trial").get<int>()),
                                 fmt::format("{:.17g}", y)}));
    }
  }
};

TEST_F(NetworkStudies, OfPfnSayWhatTheyKnow) {
  make(study_with("pfn"));
  evaluate(14);
  EXPECT_EQ(rows({"best", "reactor"})[0].at("kind"), "b");
  EXPECT_GT(rows({"best", "reactor"})[0].at("value").get<double>(), 0.98);

  const std::string explained = printed({"explain", "reactor", "14"});
  EXPECT_TRUE(contains(explained, "chosen by                    the model\n")) << explained;
  EXPECT_TRUE(contains(explained, "\nmultiplier ")) << explained;
  EXPECT_FALSE(contains(explained, "lengthscale")) << explained;
  EXPECT_FALSE(contains(explained, "nan")) << explained;

  for (const Json& row : rows({"importance", "reactor"})) {
    EXPECT_GT(row.at("share").get<double>(), 0.05) << row;
    EXPECT_TRUE(row.at("sensitivity").is_null()) << row;
  }
  const Json prediction = rows({"predict", "reactor", "x=0.3", "kind=b"})[0];
  EXPECT_NEAR(prediction.at("mean").get<double>(), 1.0, 0.1);
  EXPECT_GT(prediction.at("sd").get<double>(), prediction.at("latent sd").get<double>());
  EXPECT_NEAR(rows({"calibration", "reactor"})[0].at("claimed").get<double>(), 0.9, 1e-9);
  EXPECT_EQ(printed({"replay", "reactor", "--verify"}),
            "every suggestion came out as it was stored\n");
}

TEST_F(NetworkStudies, OfPfnTakeEveryAcquisition) {
  for (const char* kind : {"logei", "ei", "pi", "ucb", "thompson"}) {
    const Outcome outcome = oscbo(
        {"bench", "run", "--tasks", "branin-regions", "--methods", "pfn", "--seeds", "1", "--steps",
         "3", "--set", std::string("acquisition=") + kind, "--out", workspace() / kind});
    EXPECT_EQ(outcome.status, 0) << kind << outcome.err;
  }
}

TEST_F(NetworkStudies, OfTabiclNeedAFileAndKeepToIt) {
  expect_refused({"new", workspace().file("tabicl.toml", study_with("tabicl"))}, 3,
                 "tabicl.weights: tabicl needs a file of weights");
  EXPECT_FALSE(std::filesystem::exists(database())) << "a refused file creates nothing";
  {
    const test::RandomWeightsFile weights;
    make(study_with("tabicl"));
    evaluate(12);
    EXPECT_EQ(printed({"replay", "reactor", "--verify"}),
              "every suggestion came out as it was stored\n");
    const Outcome exported = oscbo({"export", "json", "--storage", database(), "reactor"});
    EXPECT_TRUE(contains(exported.out, "tabicl.sha256")) << "it is part of the declaration";
  }
  expect_refused({"ask", "reactor"}, 6, "there is no file '");
  EXPECT_EQ(rows({"trials", "reactor"}).size(), 12U) << "what needs no model needs no weights";
  const test::RandomWeightsFile moved;
  EXPECT_EQ(rows({"ask", "reactor"})[0].at("trial"), 13);
}

TEST(Demo, OfPfnShowsNoLengthscales) {
  const TemporaryFolder folder;
  const Outcome outcome = oscbo({"demo", "--task", "branin", "--method", "pfn", "--steps", "3",
                                 "--out", folder.path().string()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "coverage")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "lengthscale")) << outcome.out;
}

}  // namespace
}  // namespace oscbo::cli
