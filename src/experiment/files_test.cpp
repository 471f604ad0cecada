#include "experiment/files.hpp"

#include <iterator>

#include <gtest/gtest.h>

#include "experiment/test_support.hpp"

namespace oscbo::experiment {
namespace {

class Files : public DirectoryTest {
 protected:
  [[nodiscard]] auto file_count() const {
    return std::distance(std::filesystem::directory_iterator(directory()), {});
  }
};

TEST_F(Files, AnAtomicFileAppearsOnCommit) {
  const std::filesystem::path path = directory() / "a.csv";
  AtomicFile file(path);
  file.write("one\n");
  file.write("two\n");
  EXPECT_FALSE(std::filesystem::exists(path));
  file.commit();
  EXPECT_EQ(contents(path), "one\ntwo\n");
  EXPECT_EQ(file_count(), 1);
}

TEST_F(Files, TheOldFileStaysWithoutACommit) {
  const std::filesystem::path path = directory() / "a.csv";
  overwrite(path, "old");
  {
    AtomicFile file(path);
    file.write(std::string(200'000, 'x'));
  }
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(file_count(), 1);
}

TEST_F(Files, TextLargerThanTheBufferIsWrittenWhole) {
  const std::filesystem::path path = directory() / "a.csv";
  std::string expected;
  AtomicFile file(path);
  for (int i = 0; i < 30'000; ++i) {
    const std::string line = std::to_string(i) + '\n';
    file.write(line);
    expected += line;
  }
  file.commit();
  EXPECT_EQ(contents(path), expected);
}

TEST_F(Files, FailuresNamePathAndCause) {
  const std::filesystem::path path = directory() / "missing" / "a.csv";
  const Error error = error_of([&] { const AtomicFile file(path); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_NE(error.field().find("missing"), std::string::npos);
  EXPECT_NE(std::string(error.what()).find("No such file or directory"), std::string::npos);
  EXPECT_EQ(error_of([&] { (void)read_text(path); }).code(), ErrorCode::io);
  EXPECT_EQ(error_of([&] { remove_temporaries(directory() / "missing"); }).code(), ErrorCode::io);
}

TEST_F(Files, ADirectoryCannotBeCreatedBelowAFile) {
  overwrite(directory() / "file", "");
  const Error error = error_of([&] { make_directory(directory() / "file" / "below"); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_NE(std::string(error.what()).find("Not a directory"), std::string::npos);
}

TEST_F(Files, OnlyLeftoversAreRemoved) {
  overwrite(directory() / "a.part", "finished");
  overwrite(directory() / "b.part.tmp", "half");
  remove_temporaries(directory());
  EXPECT_TRUE(std::filesystem::exists(directory() / "a.part"));
  EXPECT_EQ(file_count(), 1);
}

TEST_F(Files, ALockKeepsOthersOutUntilItIsReleased) {
  {
    const DirectoryLock lock(directory());
    EXPECT_EQ(error_of([&] { const DirectoryLock second(directory()); }).code(),
              ErrorCode::conflict);
  }
  EXPECT_NO_THROW(DirectoryLock{directory()});
}

}  // namespace
}  // namespace oscbo::experiment
