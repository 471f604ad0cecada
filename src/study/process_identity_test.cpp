#include "study/process_identity.hpp"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace oscbo::study {
namespace {

TEST(ProcessIdentity, OfAProcessThatLivesHasNotEnded) {
  EXPECT_FALSE(this_process().empty());
  EXPECT_EQ(this_process(), this_process());
  EXPECT_FALSE(has_ended(this_process()));
}

TEST(ProcessIdentity, OfAKilledProcessHasEndedAlsoBeforeAnybodyNoticed) {
  int name_pipe[2] = {};
  ASSERT_EQ(::pipe(name_pipe), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string name = this_process();
    static_cast<void>(::write(name_pipe[1], name.data(), name.size()));
    ::pause();
    ::_exit(0);
  }
  std::string name(200, '\0');
  const ssize_t size = ::read(name_pipe[0], name.data(), name.size());
  ASSERT_GT(size, 0);
  name.resize(static_cast<std::size_t>(size));
  EXPECT_NE(name, this_process());
  EXPECT_FALSE(has_ended(name));
  ::kill(child, SIGKILL);
  siginfo_t ended = {};
  ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
  EXPECT_TRUE(has_ended(name)) << "nobody has reaped it, but it does nothing any more";
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(has_ended(name));
  ::close(name_pipe[0]);
  ::close(name_pipe[1]);
}

TEST(ProcessIdentity, OfOtherMachinesIsNotJudged) {
  EXPECT_FALSE(has_ended(""));
  EXPECT_FALSE(has_ended("another-boot pid:[1] 1 1"));
  EXPECT_FALSE(has_ended("nonsense"));
}

TEST(ProcessIdentity, IsNotThatOfALaterProcessWithTheSameNumber) {
  std::string earlier = this_process();
  earlier.back() = earlier.back() == '1' ? '2' : '1';
  EXPECT_TRUE(has_ended(earlier));
}

}  // namespace
}  // namespace oscbo::study
