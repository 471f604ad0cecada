#include "oscbo/serialisation.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "study/study_test_support.hpp"

namespace oscbo::study {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

Space space_with_cost() {
  SpaceDeclaration space = test::declaration().space;
  space.parameters.push_back({.name = "only_b", .when = Condition{"kind", {"b"}}});
  space.outcomes = {{.name = "cost", .upper = 3.0}};
  return Space(space);
}

TEST(PredictionInJson, HasTheFieldsThatHaveAValue) {
  const Prediction prediction{.mean = 1.5, .sd = 0.25, .lengthscales = {0.5, 2.0}};
  EXPECT_EQ(to_json(prediction),
            R"({"mean":1.5,"sd":0.25,"width":0.0,"observation_sd":0.0,"beta":0.0,)"
            R"("acquisition":0.0,"lengthscales":[0.5,2.0],"jitter":0.0,"evaluations":0})");
  Prediction of_a_game = prediction;
  of_a_game.multiplier = 0.5;
  of_a_game.phase = Phase::recovery;
  const Json json = Json::parse(to_json(of_a_game));
  EXPECT_EQ(json["multiplier"], 0.5);
  EXPECT_EQ(json["phase"], "recovery");
}

TEST(TrialInJson, HasWhatIsKnownOfIt) {
  StudyTrial trial{.number = 7, .x = {0.25, 0.0, std::nan("")}, .created = 1000};
  EXPECT_EQ(to_json(trial, space_with_cost()),
            R"({"trial":7,"state":"pending","point":{"x":0.25,"kind":"a"},"attempts":0,)"
            R"("created":1000})");
  trial.state = TrialState::complete;
  trial.objectives = {{.value = 1.5, .variance = 0.1, .prediction = Prediction{.mean = 1.0}}};
  trial.outcomes = {{.value = 2.0, .prediction = Prediction{.mean = 3.0}}};
  trial.worker = "w";
  trial.finished = 2000;
  trial.suggestion = SuggestionRecord{.stream_step = 12, .pending_seen = {3, 5}, .build = "b"};
  const Json json = Json::parse(to_json(trial, space_with_cost()));
  EXPECT_EQ(keys_of(json),
            (std::vector<std::string>{"trial", "state", "point", "value", "variance", "outcomes",
                                      "worker", "attempts", "created", "finished", "suggestion"}));
  EXPECT_EQ(json["outcomes"].dump(), R"({"cost":2.0})");
  const Json& suggestion = json["suggestion"];
  EXPECT_EQ(keys_of(suggestion),
            (std::vector<std::string>{"acceptable", "succeeds", "failed_restarts", "stream_step",
                                      "pending_seen", "build", "predictions"}));
  ASSERT_EQ(suggestion["predictions"].size(), 2U);
  EXPECT_EQ(suggestion["predictions"][1]["quantity"], 1);
  EXPECT_EQ(suggestion["predictions"][1]["mean"], 3.0);
}

TEST(TrialInJson, ShowsTextsThatAreNoText) {
  const StudyTrial trial{.number = 1, .x = {0.5, 0.0, std::nan("")}, .reason = "\xff"};
  EXPECT_EQ(Json::parse(to_json(trial, space_with_cost()))["reason"], "\xef\xbf\xbd");
}

class ExportedStudy : public test::StudyTest {};

TEST_F(ExportedStudy, HasTheTrialsInThatForm) {
  Study study = create(test::declaration("auto", 12));
  for (int i = 0; i < 12; ++i) {
    const auto next = study.ask({.worker = "w"});
    study.tell(next->number, next->token, {.y = test::hill(next->x)});
  }
  study.add(std::vector{0.5, 1.0}, {.y = 2.0, .variance = 0.5});
  const Json exported = Json::parse(study.to_json());
  const std::vector<StudyTrial> trials = study.trials();
  ASSERT_EQ(exported["trials"].size(), trials.size());
  for (std::size_t i = 0; i < trials.size(); ++i) {
    EXPECT_EQ(exported["trials"][i].dump(), to_json(trials[i], study.space()));
  }
  EXPECT_EQ(exported["trials"][11]["suggestion"]["predictions"].size(), 1U);
  EXPECT_FALSE(exported["trials"][12].contains("suggestion"));
}

}  // namespace
}  // namespace oscbo::study
