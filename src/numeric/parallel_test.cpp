#include "numeric/parallel.hpp"

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace oscbo::numeric {
namespace {

TEST(ThreadLimit, LastsForItsLifetimeAndOnlyTightens) {
  const int without = ThreadLimit::current();
  EXPECT_GE(without, 1);
  {
    const ThreadLimit outer(3);
    EXPECT_EQ(ThreadLimit::current(), 3);
    {
      const ThreadLimit tighter(2);
      EXPECT_EQ(ThreadLimit::current(), 2);
    }
    const ThreadLimit looser(7);
    EXPECT_EQ(ThreadLimit::current(), 3);
    const ThreadLimit none(0);
    EXPECT_EQ(ThreadLimit::current(), 3);
  }
  EXPECT_EQ(ThreadLimit::current(), without);
}

TEST(ThreadLimit, AppliesToItsThreadOnly) {
  const int without = ThreadLimit::current();
  const ThreadLimit limit(without + 1);
  int elsewhere = 0;
  std::jthread([&] { elsewhere = ThreadLimit::current(); }).join();
  EXPECT_EQ(elsewhere, without);
}

TEST(ForEachShare, RunsEveryShareOnce) {
  for (const int threads : {1, 2, 4}) {
    const ThreadLimit limit(threads);
    for (const Index count : {0, 1, 3, 100}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
      for_each_share(count, [&](Index share) { ++calls[static_cast<std::size_t>(share)]; });
      for (const std::atomic<int>& times : calls) EXPECT_EQ(times, 1);
    }
  }
}

TEST(ForEachShare, ThrowsWhatAShareThrows) {
  for (const int threads : {1, 3}) {
    const ThreadLimit limit(threads);
    const auto fail_at_five = [](Index share) {
      if (share == 5) throw std::runtime_error("five");
    };
    EXPECT_THROW(for_each_share(20, fail_at_five), std::runtime_error);
  }
}

TEST(ForEachShare, UsesAllAllowedThreads) {
  const ThreadLimit limit(2);
  std::latch both(2);
  for_each_share(2, [&](Index) { both.arrive_and_wait(); });  // one thread would wait forever
}

// A share may call for_each_share, which then runs on the share's own thread.
TEST(ForEachShare, CanBeNested) {
  const ThreadLimit limit(2);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> calls = 0;
  for_each_share(4, [&](Index) {
    const bool is_caller = std::this_thread::get_id() == caller;
    EXPECT_EQ(ThreadLimit::current(), is_caller ? 2 : 1);
    for_each_share(3, [&](Index) { ++calls; });
  });
  EXPECT_EQ(calls, 12);
}

}  // namespace
}  // namespace oscbo::numeric
