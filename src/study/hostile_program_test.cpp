// Malicious or faulty programs and texts. Each must have a defined outcome and harm nothing else.
#include <chrono>
#include <fstream>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "oscbo/run_study.hpp"
#include "study/study_test_support.hpp"
#include "text/strict_json.hpp"

namespace oscbo::study {
namespace {

using test::declaration;
using test::expect_error;

class HostilePrograms : public test::StudyTest {
 protected:
  static void run_all(Study& study) {
    const std::atomic<bool> never = false;
    run_study(study, {.program = study.declaration().program}, {}, never);
  }

  /// run_sleeping runs a study whose program sleeps for a minute. The run must not wait for it.
  static void run_sleeping(Study& study) {
    constexpr double kMostSeconds = 50.0;
    const auto start = std::chrono::steady_clock::now();
    run_all(study);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    EXPECT_LT(taken.count(), kMostSeconds) << "somebody has waited for a program that sleeps";
  }

  /// outcome_of runs a shell script without braces for one trial and returns the trial.
  [[nodiscard]] StudyTrial outcome_of(const std::string& script,
                                      std::optional<double> seconds = std::nullopt) {
    StudyDeclaration study = declaration("sobol", 1);
    study.name = fmt::format("s{}", ++studies_);
    study.program.command = {"/bin/sh", "-c", script};
    study.program.seconds = seconds;
    Study made = create(study);
    if (script.find("sleep 60") != std::string::npos) {
      run_sleeping(made);
    } else {
      run_all(made);
    }
    outputs_ = made.outputs(1);
    return made.trial(1);
  }

  void expect_failure(const std::string& script, const std::string& reason,
                      std::optional<double> seconds = std::nullopt) {
    const StudyTrial trial = outcome_of(script, seconds);
    EXPECT_EQ(trial.state, TrialState::failed) << script;
    EXPECT_FALSE(trial.y()) << script;
    EXPECT_NE(trial.reason.find(reason), std::string::npos) << script << ": " << trial.reason;
  }

  /// printed returns the output of the last program.
  [[nodiscard]] const ProgramOutput& printed() const { return outputs_.at(0); }

  /// expect_database_unharmed checks that nothing has damaged the database.
  void expect_database_unharmed() const {
    SQLite::Database database(file().string());
    EXPECT_EQ(database.execAndGet("PRAGMA integrity_check").getString(), "ok");
    for (const char* table : {"studies", "trials", "events", "attributes", "outputs"}) {
      EXPECT_TRUE(database.tableExists(table)) << table;
    }
  }

 private:
  int studies_ = 0;
  std::vector<ProgramOutput> outputs_;
};

TEST_F(HostilePrograms, ThatPrintNoValueHaveFailed) {
  expect_failure("true", "the program printed nothing");
  expect_failure("printf 0.; head -c 70000 /dev/zero | tr '\\0' 0; echo 5", "too long for a value");
  expect_failure("echo; echo '  '", "the program printed nothing");
  expect_failure("echo 1 >&2", "the program printed nothing");
  expect_failure("echo nan", "nan is not a value");
  expect_failure("echo inf", "inf is not a value");
  expect_failure("echo -inf", "-inf is not a value");
  expect_failure("echo 1e999", "beyond the range");
  expect_failure("echo 1,5", "'1,5' has a decimal comma; use a point");
  expect_failure("echo 1; echo done", "the last line is 'done', not a number");
  expect_failure("echo 0x10", "not a number");
  expect_failure("echo 1 2", "not a number");
}

TEST_F(HostilePrograms, ThatEndBadlyHaveFailedWhateverTheyPrinted) {
  expect_failure("echo 1; exit 3", "ended with status 3");
  expect_failure("echo 1; kill -KILL $$", "was killed by signal 9 (Killed)");
  expect_failure("echo 1; kill -TERM $$", "was killed by signal 15 (Terminated)");
  expect_failure("echo 1; kill -ABRT $$", "was killed by signal 6 (Aborted)");
}

TEST_F(HostilePrograms, ThatHangAreEnded) {
  expect_failure("echo 1; sleep 60", "took longer than 0.2 s", 0.2);
  expect_failure("echo 1; exec >&- 2>&-; sleep 60", "took longer than 0.2 s", 0.2);
  expect_failure("trap '' TERM; echo 1; sleep 60 & sleep 60; echo 2", "took longer than 0.2 s",
                 0.2);
  EXPECT_EQ(printed().output, "1\n");
}

TEST_F(HostilePrograms, ThatLeaveChildrenBehindAreNotWaitedFor) {
  EXPECT_EQ(outcome_of("sleep 60 & echo 1.5").y(), 1.5);
  EXPECT_EQ(outcome_of("(trap '' TERM HUP; sleep 60; echo 3) & echo 1.5").y(), 1.5);
  EXPECT_EQ(outcome_of("setsid sleep 3 & echo 2.5").y(), 2.5);
}

TEST_F(HostilePrograms, MayPrintAsMuchAsTheyLike) {
  EXPECT_EQ(outcome_of("yes 'a line, as there may be many' | head -c 300M; echo; echo 7").y(), 7.0);
  EXPECT_LT(printed().output.size(), 100'000U);
  EXPECT_NE(printed().output.find("bytes left out"), std::string::npos);
  EXPECT_EQ(outcome_of("head -c 100M /dev/zero; head -c 100M /dev/zero >&2; echo; echo 8").y(),
            8.0);
  EXPECT_LT(printed().errors.size(), 100'000U);
}

TEST_F(HostilePrograms, MayPrintAnyBytes) {
  expect_failure(R"(printf '1\0002\n')", R"('1\x002', not a number)");
  EXPECT_EQ(printed().output, std::string("1\0002\n", 4));
  expect_failure(R"(printf '\033[2J\377\n')", R"('\x1b[2J\xff')");
  EXPECT_EQ(printed().output, "\x1b[2J\xff\n");
  EXPECT_EQ(outcome_of(R"(printf '\000\377\376\n\0004\n\000\n2.5')").y(), 2.5);
  EXPECT_EQ(printed().output, std::string("\0\xff\xfe\n\0004\n\0\n2.5", 12));
  expect_failure(R"(printf "'); DROP TABLE trials; --\n")", "'); DROP TABLE trials; --'");
  expect_database_unharmed();
}

TEST_F(HostilePrograms, MayDeleteTheirFiles) {
  StudyDeclaration study = declaration("sobol", 2);
  study.program.values_by = ValuesBy::file;
  study.program.command = {"/bin/sh", "-c", "rm \"$1\" && mkdir \"$1\" && rmdir \"$1\"; echo 1",
                           "sh", "{file}"};
  Study made = create(study);
  run_all(made);
  EXPECT_EQ(made.counts().complete, 2);
}

TEST_F(HostilePrograms, CannotFloodWithIntermediateValues) {
  const std::string script =
      "i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo '{{\"step\": '$i', \"value\": 1e308}}'; "
      "echo '{{\"step\": 1e400, \"value\": 1}}'; echo '{{\"step\": 1, \"value\": \"1\"}}'; "
      "echo '{{{{{{'; done; echo 1";
  EXPECT_EQ(outcome_of(script).y(), 1.0);
  EXPECT_EQ(another("s1").reports().size(), 100U);
  const std::string flood =
      "awk 'BEGIN {{ for (i = 1; i <= 30000; ++i) print \"{{\\\"step\\\": \" i \", "
      "\\\"value\\\": 1}}\"; print 1 }}'";
  EXPECT_EQ(outcome_of(flood).y(), 1.0);
  EXPECT_EQ(another("s2").reports().size(), 10000U) << "no more are kept";
}

// --- texts ---------------------------------------------------------------------------------------

/// Texts that would do harm if a shell, a database or a placeholder interpreted them.
class HostileTexts : public HostilePrograms {
 protected:
  [[nodiscard]] std::vector<std::string> texts() const {
    const std::string harm = "touch " + (directory() / "harm").string();
    return {"$(" + harm + ")",
            "`" + harm + "`",
            "; " + harm,
            "| " + harm,
            "&& " + harm,
            "a\n" + harm,
            "'; " + harm + "; '",
            "\"; " + harm + "; \"",
            "> " + (directory() / "harm").string(),
            "--option",
            "-n",
            "--",
            "",
            " ",
            "a b",
            "*",
            "~",
            "$HOME",
            "\\",
            "%s%n",
            "{x}",
            "{kind}",
            "{{}}",
            "{file}",
            "\t\r\n",
            "\x1b[2J",
            "\xc3\xa4\xe2\x82\xac",
            "'); DROP TABLE trials; --",
            "x' OR '1'='1",
            "\"; DELETE FROM studies; --",
            "../../etc/passwd",
            std::string(10'000, 'a')};
  }

  /// study_of_texts returns a study with one point for each text.
  [[nodiscard]] StudyDeclaration study_of_texts(const std::string& script, ValuesBy way) const {
    StudyDeclaration study = declaration("sobol", 100);
    study.space.parameters = {
        {.name = "kind", .kind = ParameterKind::categorical, .values = texts()}};
    study.program.command = {"/bin/sh", "-c", script, "sh",
                             way == ValuesBy::file ? "{file}" : "{kind}"};
    study.program.values_by = way;
    return study;
  }

  /// expect_arrive runs the study for every text and checks that each text arrives unchanged.
  /// `arrived` reads it from what was printed before the value.
  void expect_arrive(const StudyDeclaration& declared,
                     const std::function<std::string(const std::string&)>& arrived) const {
    Study study = create(declared);
    run_all(study);
    const std::vector<StudyTrial> trials = study.trials();
    ASSERT_EQ(trials.size(), texts().size());
    for (const StudyTrial& trial : trials) {
      const std::string text = texts().at(static_cast<std::size_t>(trial.x[0]));
      ASSERT_EQ(trial.y(), 1.0) << text << ": " << trial.reason;
      const std::string output = study.outputs(trial.number).at(0).output;
      ASSERT_TRUE(output.ends_with("\n1\n")) << output;
      EXPECT_EQ(arrived(output.substr(0, output.size() - 3)), text);
    }
    EXPECT_FALSE(std::filesystem::exists(directory() / "harm"));
    expect_database_unharmed();
  }
};

std::string as_printed(const std::string& output) { return output; }

TEST_F(HostileTexts, ArriveAsArguments) {
  expect_arrive(study_of_texts(R"(printf '%s\n1\n' "$1")", ValuesBy::arguments), as_printed);
}

TEST_F(HostileTexts, ArriveInTheEnvironment) {
  expect_arrive(
      study_of_texts(R"(printf '%s\n1\n' "$OSCBO_PARAMETER_kind")", ValuesBy::environment),
      as_printed);
}

TEST_F(HostileTexts, ArriveInAFile) {
  expect_arrive(study_of_texts(R"(cat "$1"; echo; echo 1)", ValuesBy::file),
                [](const std::string& output) {
                  return text::parse_json(output, "file").at("kind").get<std::string>();
                });
}

TEST_F(HostileTexts, AreNothingButTextsInTheDatabase) {
  Study study = create(declaration("sobol", 1000));
  const std::size_t count = texts().size();
  for (const std::string& text : texts()) {
    const AskRequest request{.worker = "w" + text, .request = text, .lease_seconds = 100.0};
    const StudySuggestion failed = study.ask(request).value();
    if (!text.empty()) {
      EXPECT_EQ(study.ask(request)->number, failed.number) << text;
    }
    study.set_attribute(failed.number, text, text);
    study.keep_output(failed.number, {.output = text, .errors = text, .ending = text});
    EXPECT_FALSE(study.tell_failed(failed.number, failed.token, text));
    const TrialNumber next = study.ask({.worker = "w"})->number;
    if (!text.empty()) {
      expect_error([&] { study.tell(next, text, {.y = 1.0}); }, ErrorCode::unknown_name, "token");
    }
    EXPECT_EQ(study.tell(next, "", {.y = 1.0}), Told::accepted);
    study.end(text);
    EXPECT_EQ(another().ended(), text);

    const StudyTrial stored = another().trial(failed.number);
    EXPECT_EQ(stored.worker, "w" + text);
    EXPECT_EQ(stored.reason, text);
    const ProgramOutput output = another().outputs(failed.number).at(0);
    EXPECT_EQ(output.output, text);
    EXPECT_EQ(output.errors, text);
    EXPECT_EQ(output.ending, text);
    const Study::Attribute attribute = another().attributes().back();
    EXPECT_EQ(attribute.key, text);
    EXPECT_EQ(attribute.value, text);
  }
  EXPECT_EQ(study.counts().failed, count);
  EXPECT_EQ(study.counts().complete, count);
  EXPECT_TRUE(study.verify().empty());
  expect_database_unharmed();
}

TEST_F(HostileTexts, AreNoNamesOfStudies) {
  Study study = create(declaration());
  for (const std::string& text : texts()) {
    StudyDeclaration named = declaration();
    named.name = text;
    expect_error([&] { static_cast<void>(create(named)); }, ErrorCode::invalid_value, "name");
    expect_error([&] { static_cast<void>(another(text)); }, ErrorCode::unknown_name, "there are s");
    expect_error([&] { store().remove(text); }, ErrorCode::unknown_name, "there are s");
  }
  EXPECT_EQ(store().names(), std::vector<std::string>{"s"});
  expect_database_unharmed();
}

TEST_F(HostileTexts, AreNoPlaceholdersInNamesOfParameters) {
  const std::string name =
      "x'); DROP TABLE trials; -- $(touch " + (directory() / "harm").string() + ")";
  StudyDeclaration study = declaration("sobol", 2);
  study.space.parameters[0].name = name;
  study.program.command = {"/bin/echo", "{" + name + "}"};
  Study made = create(study);
  run_all(made);
  for (const StudyTrial& trial : made.trials()) EXPECT_EQ(trial.y(), trial.x[0]) << trial.reason;
  EXPECT_FALSE(std::filesystem::exists(directory() / "harm"));
  expect_database_unharmed();
}

}  // namespace
}  // namespace oscbo::study
