#include "base/lock_file.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "base/file.hpp"

namespace tqm {
namespace {
namespace fs = std::filesystem;

class Lock : public testing::Test {
 protected:
  TemporaryFolder folder_ = std::move(TemporaryFolder::make("tqm-lock")).take();
  fs::path path_ = folder_.path() / "lock";
};

// In a process of its own, which then ends as a killed one does: no destructor runs.
int in_a_child(const fs::path& path, std::string_view write) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    auto lock = LockFile::take(path);
    if (!lock) ::_exit(lock.error().kind == ErrorKind::conflict ? 2 : 3);
    ::_exit(lock->write(write) ? 0 : 4);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WEXITSTATUS(status);
}

TEST_F(Lock, one_holder_at_a_time) {
  {
    auto held = LockFile::take(path_);
    ASSERT_TRUE(held.ok());
    EXPECT_TRUE(fs::exists(path_));
    EXPECT_EQ(in_a_child(path_, ""), 2);
    const auto second = LockFile::take(path_);  // of the same process too
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().kind, ErrorKind::conflict);
    EXPECT_EQ(second.error().where, path_.string());
  }
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_EQ(in_a_child(path_, ""), 0);
}

TEST_F(Lock, what_a_killed_holder_wrote_is_found) {
  ASSERT_EQ(in_a_child(path_, "a longer content"), 0);
  ASSERT_EQ(in_a_child(path_, "content"), 0);
  {
    auto lock = LockFile::take(path_);
    ASSERT_TRUE(lock.ok());
    EXPECT_EQ(lock->content(), "content");
  }
  EXPECT_TRUE(fs::exists(path_)) << "it holds something still";
  auto lock = LockFile::take(path_);
  ASSERT_TRUE(lock.ok());
  ASSERT_TRUE(lock->write("").ok());
  {
    const LockFile gone = std::move(*lock);
  }
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(Lock, an_empty_file_that_a_killed_holder_left_is_free) {
  ASSERT_EQ(in_a_child(path_, ""), 0);
  EXPECT_TRUE(fs::exists(path_));
  EXPECT_TRUE(LockFile::take(path_).ok());
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(Lock, no_folder_is_said) {
  const auto lock = LockFile::take(folder_.path() / "none" / "lock");
  ASSERT_FALSE(lock.ok());
  EXPECT_NE(lock.error().what.find("No such file"), std::string::npos) << lock.error().what;
}

}  // namespace
}  // namespace tqm
