// Studies whose model is a network: pfn, and tabicl with its file of weights.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "in_context/random_model_test_support.hpp"
#include "study/study_test_support.hpp"
#include "weights/random_file_test_support.hpp"

namespace oscbo::study {
namespace {

using oscbo::test::RandomWeightsFile;
using test::declaration;
using test::expect_error;
using test::run_to_the_end;

using StudyModels = test::StudyTest;

/// option_of returns the value of an option in the stored declaration.
std::string option_of(const Study& study, const std::string& name) {
  for (const std::string& option : study.declaration().options) {
    if (option.starts_with(name + '=')) return option.substr(name.size() + 1);
  }
  return {};
}

/// write_weights writes a model whose last weight is `last`.
void write_weights(const std::string& path, float last) {
  std::string text = oscbo::test::text_of(in_context::ModelFile().bytes());
  std::copy_n(reinterpret_cast<const char*>(&last), sizeof(last),
              text.end() - static_cast<std::ptrdiff_t>(sizeof(last)));
  std::ofstream(path, std::ios::binary) << text;
}

TEST_F(StudyModels, OfPfnTellWhatTheyHaveLearned) {
  Study study = create(declaration("pfn", 20));
  run_to_the_end(study);
  EXPECT_TRUE(study.verify().empty());
  const Study::Best best = study.best();
  EXPECT_EQ(best.trial.x[1], 1.0);
  EXPECT_NEAR(best.trial.x[0], 0.3, 0.1);
  ASSERT_TRUE(best.prediction);
  EXPECT_NEAR(best.prediction->mean, 0.0, 0.1);
  EXPECT_EQ(study.calibration().predictions, 10U);

  const std::vector<Study::Importance> importance = study.importance();
  ASSERT_EQ(importance.size(), 2U);
  for (const auto& [parameter, share, sensitivity] : importance) {
    EXPECT_GT(share, 0.1) << parameter << " matters";
    EXPECT_TRUE(std::isnan(sensitivity)) << "there are no lengthscales";
  }
  const Study::Explanation explanation = study.explain(20);
  EXPECT_TRUE(explanation.lengthscales.empty());
  ASSERT_TRUE(explanation.expected_gain);
  EXPECT_TRUE(std::isfinite(*explanation.expected_gain));
  EXPECT_FALSE(explanation.nearest.empty());
}

TEST_F(StudyModels, OfTabiclPinTheFileOfTheirWeights) {
  const RandomWeightsFile weights;
  Study study = create(declaration("tabicl", 14));
  EXPECT_EQ(option_of(study, "tabicl.weights"), weights.path());
  EXPECT_EQ(option_of(study, "tabicl.sha256").size(), 64U);
  run_to_the_end(study);
  EXPECT_TRUE(study.verify().empty());
  static_cast<void>(another().ask({.worker = "w"}));
  EXPECT_TRUE(study.verify().empty()) << "what another process suggested";
}

TEST_F(StudyModels, OfTabiclRefuseAnotherFile) {
  const std::string path = file().string() + ".weights";
  write_weights(path, 0.5F);
  StudyDeclaration wanted = declaration("tabicl", 14);
  wanted.options = {"tabicl.weights=" + path};
  Study study = create(wanted);
  EXPECT_EQ(option_of(study, "tabicl.weights"), path);
  EXPECT_EQ(std::ranges::count_if(
                study.declaration().options,
                [](const std::string& option) { return option.starts_with("tabicl.weights="); }),
            1);
  const auto next = study.ask({.worker = "w"});
  study.tell(next->number, next->token, {.y = 1.0});

  write_weights(path, 0.25F);
  expect_error([&] { static_cast<void>(another().ask({.worker = "w"})); }, ErrorCode::invalid_value,
               "tabicl.sha256: '" + path + "' has the checksum");
  EXPECT_EQ(another().counts().complete, 1U) << "what needs no model needs no weights";

  write_weights(path + ".moved", 0.5F);
  std::filesystem::remove(path);
  expect_error([&] { static_cast<void>(another().ask({.worker = "w"})); }, ErrorCode::io,
               "there is no file '" + path);
  ::setenv("OSCBO_TABICL_WEIGHTS", (path + ".moved").c_str(), /*overwrite=*/1);
  EXPECT_EQ(another().ask({.worker = "w"}).value().number, 2);
  ::unsetenv("OSCBO_TABICL_WEIGHTS");
}

TEST_F(StudyModels, OfTabiclAreNotCreatedWithoutWeights) {
  expect_error([&] { static_cast<void>(create(declaration("tabicl"))); }, ErrorCode::invalid_value,
               "tabicl.weights: tabicl needs a file of weights");
  EXPECT_TRUE(store().names().empty());
}

TEST_F(StudyModels, OfOtherMethodsKeepTheirDeclaration) {
  const StudyDeclaration plain = declaration("auto");
  EXPECT_EQ(create(plain).declaration().options, plain.options);
}

}  // namespace
}  // namespace oscbo::study
