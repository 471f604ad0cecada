// Kills processes at any moment. Every acknowledged value must be stored exactly once, and the
// study must continue as if nothing had happened.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "study/study_test_support.hpp"

namespace oscbo::study {
namespace {

using test::declaration;
using test::hill;

constexpr double kLease = 0.2;

/// work asks and tells until the budget is used up. It writes a line for every acknowledged tell.
/// It runs in its own process.
void work(const std::filesystem::path& database, const std::filesystem::path& acknowledged) {
  const int file = ::open(acknowledged.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  Study study = Study::open(StudyStore(database), "s");
  const std::string worker = fmt::format("{}", ::getpid());
  while (true) {
    const auto next = study.ask({.worker = worker, .lease_seconds = kLease, .within_budget = true});
    if (!next) {
      if (study.counts().leased == 0) return;
      ::usleep(1000);
      continue;
    }
    const double y = hill(next->x);
    const Told told = study.tell(next->number, next->token, {.y = y});
    const std::string line =
        fmt::format("{} {} {}\n", next->number, y, told == Told::extra ? "extra" : "accepted");
    static_cast<void>(::write(file, line.data(), line.size()));
  }
}

/// Four workers. Now and then, one of them is killed and replaced.
class Workers {
 public:
  Workers(std::filesystem::path database, std::filesystem::path acknowledged)
      : database_(std::move(database)), acknowledged_(std::move(acknowledged)) {}
  Workers(const Workers&) = delete;
  Workers(Workers&&) = delete;
  Workers& operator=(const Workers&) = delete;
  Workers& operator=(Workers&&) = delete;
  ~Workers() {
    for (const pid_t worker : workers_) {
      ::kill(worker, SIGKILL);
      ::waitpid(worker, nullptr, 0);
    }
  }

  void start() {
    const pid_t worker = ::fork();
    if (worker != 0) {
      workers_.push_back(worker);
      return;
    }
    int status = 0;
    try {
      work(database_, acknowledged_);
    } catch (const std::exception& error) {
      static_cast<void>(::write(STDERR_FILENO, error.what(), std::strlen(error.what())));
      status = 1;
    }
    ::_exit(status);
  }

  /// kill_one kills one worker. It returns false if all workers have ended.
  bool kill_one(std::mt19937& random) {
    reap();
    if (workers_.empty()) return false;
    const std::size_t victim = random() % workers_.size();
    ::kill(workers_[victim], SIGKILL);
    ::waitpid(workers_[victim], nullptr, 0);
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(victim));
    return true;
  }

  void wait_for_all() {
    while (!workers_.empty()) {
      reap();
      ::usleep(1000);
    }
  }

  [[nodiscard]] int failures() const { return failures_; }

 private:
  void reap() {
    std::erase_if(workers_, [&](pid_t worker) {
      int status = 0;
      if (::waitpid(worker, &status, WNOHANG) != worker) return false;
      if (status != 0) ++failures_;
      return true;
    });
  }

  std::filesystem::path database_;
  std::filesystem::path acknowledged_;
  std::vector<pid_t> workers_;
  int failures_ = 0;
};

class KilledStudies : public test::StudyTest {
 protected:
  /// expect_nothing_lost kills `kills` workers of a study, lets the others finish it, and checks
  /// the result.
  void expect_nothing_lost(const std::string& method, int budget, int kills, int longest_pause) {
    static_cast<void>(create(declaration(method, budget)));
    const std::filesystem::path acknowledged = directory() / "acknowledged";
    Workers workers(file(), acknowledged);
    std::mt19937 random(7);
    for (int i = 0; i < 4; ++i) workers.start();
    int killed = 0;
    while (killed < kills) {
      ::usleep(static_cast<useconds_t>(random() % static_cast<unsigned>(longest_pause)));
      if (!workers.kill_one(random)) break;
      ++killed;
      workers.start();
    }
    EXPECT_EQ(killed, kills) << "the budget was used up too soon to kill more";
    workers.wait_for_all();
    EXPECT_EQ(workers.failures(), 0);
    check_trials(budget);
    check_acknowledged(acknowledged, kills);
    EXPECT_TRUE(another().verify().empty()) << "a sequential replay ends elsewhere";
    SQLite::Database database(file().string());
    EXPECT_EQ(database.execAndGet("PRAGMA integrity_check").getString(), "ok");
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM pragma_foreign_key_check").getInt(), 0);
  }

  void check_trials(int budget) {
    std::int64_t finished = 0;
    std::set<TrialNumber> numbers;
    for (const StudyTrial& trial : another().trials()) {
      EXPECT_TRUE(numbers.insert(trial.number).second);
      EXPECT_NE(trial.state, TrialState::pending);
      EXPECT_TRUE(!trial.y() || *trial.y() == hill(trial.x)) << trial.number;
      ++finished;
    }
    EXPECT_GE(finished, budget);
    SQLite::Database database(file().string());
    EXPECT_EQ(database
                  .execAndGet("SELECT count(*) FROM (SELECT trial FROM events WHERE kind IN "
                              "('tell', 'extra') GROUP BY trial HAVING count(*) > 1)")
                  .getInt(),
              0)
        << "a value counts once";
  }

  /// check_acknowledged checks that every acknowledged value is stored once. A killed process may
  /// have stored a value without living to see it acknowledged.
  void check_acknowledged(const std::filesystem::path& acknowledged, int kills) {
    std::map<TrialNumber, double> values;
    for (const StudyTrial& trial : another().trials()) {
      if (trial.y()) values[trial.number] = *trial.y();
    }
    std::ifstream stream(acknowledged);
    std::set<TrialNumber> accepted;
    int lines = 0;
    for (std::string line; std::getline(stream, line); ++lines) {
      std::istringstream words(line);
      TrialNumber number = 0;
      double y = 0.0;
      std::string told;
      words >> number >> y >> told;
      ASSERT_TRUE(values.contains(number)) << "trial " << number << " is lost";
      EXPECT_DOUBLE_EQ(values[number], y);
      EXPECT_TRUE(told == "extra" || accepted.insert(number).second) << number;
    }
    EXPECT_GE(std::ssize(values), lines) << "a value is lost";
    EXPECT_LE(std::ssize(values), lines + kills) << "a value is there twice";
    EXPECT_GT(lines, 0);
  }
};

TEST_F(KilledStudies, LoseNothing) {
  expect_nothing_lost("sobol", 300, /*kills=*/20, /*longest_pause=*/20000);
}

/// One process works on the study and is killed in the middle of most evaluations.
TEST_F(KilledStudies, GoOnAsIfTheyHadNotBeenKilled) {
  StudyDeclaration declared = declaration("auto", 18);
  Study undisturbed = create(declared);
  while (const auto next = undisturbed.ask({.worker = "w", .within_budget = true})) {
    undisturbed.tell(next->number, next->token, {.y = hill(next->x)});
  }
  declared.name = "t";
  static_cast<void>(create(declared));
  std::mt19937 random(11);
  std::int64_t done = 0;
  for (unsigned fruitless = 0; done < 18;) {
    const pid_t worker = ::fork();
    if (worker == 0) {
      Study study = another("t");
      const AskRequest request{
          .worker = "w", .lease_seconds = 1000.0, .ends_with_process = true, .within_budget = true};
      while (const auto next = study.ask(request)) {
        ::usleep(6000);
        study.tell(next->number, next->token, {.y = hill(next->x)});
      }
      ::_exit(0);
    }
    // Wait longer after processes that finished nothing, so that the speed of the machine does not
    // matter.
    ::usleep(static_cast<useconds_t>(8000 + random() % (30000 * (1 + fruitless))));
    ::kill(worker, SIGKILL);
    ::waitpid(worker, nullptr, 0);
    const std::int64_t before = std::exchange(done, another("t").counts().complete);
    fruitless = done > before ? 0 : fruitless + 1;
    ASSERT_LT(fruitless, 50U) << "nothing is finished any more";
  }
  const std::vector<StudyTrial> expected = undisturbed.trials();
  const std::vector<StudyTrial> trials = another("t").trials();
  ASSERT_EQ(trials.size(), expected.size());
  int attempts = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    EXPECT_EQ(trials[i].x, expected[i].x) << i;
    EXPECT_EQ(trials[i].y(), expected[i].y()) << i;
    attempts += trials[i].attempts;
  }
  EXPECT_GT(attempts, 18) << "nothing was lost, so nothing was shown";
}

class KilledStudiesSlow : public KilledStudies {};

TEST_F(KilledStudiesSlow, LoseNothingWhenKilledFiveHundredTimes) {
  expect_nothing_lost("sobol", 4000, /*kills=*/500, /*longest_pause=*/20000);
}

TEST_F(KilledStudiesSlow, LoseNothingWithAModel) {
  expect_nothing_lost("auto", 300, /*kills=*/30, /*longest_pause=*/60000);
}

// --- many at once --------------------------------------------------------------------------------

class CrowdedStudiesSlow : public KilledStudies {
 protected:
  /// expect_room_for_all checks that sixteen processes can ask and tell without an error or a loss.
  void expect_room_for_all(const std::string& method, int budget) {
    static_cast<void>(create(declaration(method, budget)));
    const std::filesystem::path acknowledged = directory() / "acknowledged";
    Workers workers(file(), acknowledged);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 16; ++i) workers.start();
    workers.wait_for_all();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    fmt::print("16 processes, {}: {:.0f} trials per second\n", method, budget / taken.count());
    EXPECT_EQ(workers.failures(), 0);
    check_trials(budget);
    check_acknowledged(acknowledged, 0);
    EXPECT_TRUE(another().verify().empty());
  }
};

TEST_F(CrowdedStudiesSlow, LoseNothing) { expect_room_for_all("sobol", 5000); }
TEST_F(CrowdedStudiesSlow, LoseNothingWithAModel) { expect_room_for_all("auto", 300); }

TEST_F(CrowdedStudiesSlow, TakeLittleRoom) {
  Study study = create(declaration("sobol", 10000));
  while (const auto next = study.ask({.worker = "w", .within_budget = true})) {
    study.tell(next->number, next->token, {.y = hill(next->x)});
  }
  SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec("PRAGMA wal_checkpoint(TRUNCATE)");
  EXPECT_LT(std::filesystem::file_size(file()), 10'000'000U);
}

// --- a log that ends too soon --------------------------------------------------------------------

/// cut_copy copies a database and its write-ahead log, and keeps only the first `bytes` bytes of
/// the log.
std::filesystem::path cut_copy(const std::filesystem::path& file, std::uintmax_t bytes) {
  const std::filesystem::path copy = file.parent_path() / "cut.db";
  std::filesystem::remove(copy.string() + "-shm");
  std::filesystem::copy_file(file, copy, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::copy_file(file.string() + "-wal", copy.string() + "-wal",
                             std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(copy.string() + "-wal", bytes);
  return copy;
}

using CutStudies = test::StudyTest;

TEST_F(CutStudies, HoldAllThatWasTherePastTheCut) {
  Study study = create(declaration("sobol", 100));
  const std::string log = file().string() + "-wal";
  SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec("PRAGMA wal_checkpoint(TRUNCATE)");
  std::vector<std::uintmax_t> sizes;  // sizes of the log at each acknowledged tell
  for (int i = 0; i < 12; ++i) {
    const StudySuggestion next = study.ask({.worker = "w"}).value();
    study.tell(next.number, next.token, {.y = hill(next.x)});
    sizes.push_back(std::filesystem::file_size(log));
  }
  std::mt19937 random(3);
  std::set<std::uintmax_t> cuts = {0, 1, 31, 32, 33};
  for (const std::uintmax_t size : sizes)
    cuts.insert({size - 1, size, std::min(size + 1, sizes.back())});
  while (cuts.size() < 120) cuts.insert(random() % sizes.back());
  for (const std::uintmax_t cut : cuts) {
    const std::filesystem::path copy = cut_copy(file(), cut);
    const Study rest = Study::open(StudyStore(copy), "s");
    const auto kept =
        std::count_if(sizes.begin(), sizes.end(), [&](std::uintmax_t size) { return size <= cut; });
    EXPECT_GE(rest.counts().complete, kept) << cut;
    for (const StudyTrial& trial : rest.trials()) {
      EXPECT_LE(trial.number, 12);
      EXPECT_TRUE(!trial.y() || trial.y() == study.trial(trial.number).y()) << trial.number;
    }
    EXPECT_TRUE(rest.verify().empty()) << "not a prefix: " << cut;
    EXPECT_EQ(SQLite::Database(copy.string()).execAndGet("PRAGMA integrity_check").getString(),
              "ok");
  }
}

}  // namespace
}  // namespace oscbo::study
