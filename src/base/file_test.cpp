#include "base/file.hpp"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <set>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/random.hpp"

namespace tqm {
namespace {
namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  FileTest() : temporary_(std::move(TemporaryFolder::make("tqm-file")).take()) {}
  fs::path path(const std::string& name) const { return temporary_.path() / name; }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(temporary_.path())) found.insert(entry.path().filename().string());
    return found;
  }
  TemporaryFolder temporary_;
};

// Runs body in a child process; its return value is the exit code. Out of memory checks and stdio are left alone.
int in_child(const std::function<int()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(body());
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(FileTest, a_written_file_reads_back_and_leaves_nothing_beside_it) {
  ASSERT_TRUE(write_file_atomic(path("a"), "one").ok());
  ASSERT_TRUE(write_file_atomic(path("a"), std::string("t\0wo", 4)).ok());
  EXPECT_EQ(*read_file(path("a")), std::string("t\0wo", 4));
  EXPECT_EQ(names(), std::set<std::string>{"a"});
}

TEST_F(FileTest, permissions_and_links_are_kept) {
  ASSERT_TRUE(write_file_atomic(path("real"), "old").ok());
  ASSERT_EQ(::chmod(path("real").c_str(), 0600), 0);
  fs::create_symlink("real", path("link"));
  ASSERT_TRUE(write_file_atomic(path("link"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(*read_file(path("real")), "new");
  struct stat info{};
  ASSERT_EQ(::stat(path("real").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
}

TEST_F(FileTest, an_abandoned_file_leaves_nothing) {
  {
    auto file = AtomicFile::create(path("a"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write("half").ok());
    EXPECT_EQ(names().size(), 1u);
  }
  EXPECT_TRUE(names().empty());
}

TEST_F(FileTest, threads_that_write_one_file_never_mix) {
  std::vector<std::thread> threads;
  for (char letter : {'a', 'b', 'c', 'd'})
    threads.emplace_back([&, letter] {
      for (int i = 0; i < 20; ++i) EXPECT_TRUE(write_file_atomic(path("shared"), std::string(10000, letter)).ok());
    });
  for (std::thread& thread : threads) thread.join();
  const auto content = read_file(path("shared"));
  ASSERT_TRUE(content.ok());
  EXPECT_EQ(content->find_first_not_of(content->at(0)), std::string::npos);
  EXPECT_EQ(content->size(), 10000u);
  EXPECT_EQ(names(), std::set<std::string>{"shared"});
}

// The child rewrites the file again and again, and is killed after a random number of rewrites and a random piece of
// one.
TEST_F(FileTest, kill_9_in_the_middle_leaves_old_or_new) {
  Random random(7);
  ASSERT_TRUE(write_file_atomic(path("state"), std::string(300000, 'a')).ok());
  for (int round = 0; round < 60; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::close(ends[0]);
      for (int i = 0;; ++i) {
        if (!write_file_atomic(path("state"), std::string(300000, static_cast<char>('a' + i % 26))).ok()) ::_exit(1);
        if (::write(ends[1], "x", 1) != 1) ::_exit(1);
      }
    }
    ::close(ends[1]);
    char seen = 0;
    for (uint64_t rewrites = 1 + random.below(3); rewrites > 0; --rewrites) ASSERT_EQ(::read(ends[0], &seen, 1), 1);
    const uint64_t spins = random.below(400000);
    for (volatile uint64_t spin = 0; spin < spins;) spin = spin + 1;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    ::close(ends[0]);
    const auto content = read_file(path("state"));
    ASSERT_TRUE(content.ok()) << content.error().message();
    ASSERT_EQ(content->size(), 300000u);
    ASSERT_EQ(content->find_first_not_of(content->at(0)), std::string::npos);
  }
  ASSERT_TRUE(remove_part_files(temporary_.path()).ok());
  EXPECT_EQ(names(), std::set<std::string>{"state"});
}

TEST_F(FileTest, part_files_of_living_writers_stay) {
  auto living = AtomicFile::create(path("a"));
  ASSERT_TRUE(living.ok());
  std::ofstream(path(".b.tqm-part-123-4")) << "left by a killed writer";
  EXPECT_EQ(*remove_part_files(temporary_.path()), 1);
  ASSERT_TRUE(living->commit().ok());
  EXPECT_EQ(names(), std::set<std::string>{"a"});
  EXPECT_FALSE(remove_part_files(path("none")).ok());
}

void expect_disk_full(const Status& status) {
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::environment);
  EXPECT_NE(status.error().what.find("can't"), std::string::npos);
  EXPECT_EQ(status.error().next, "free some space, or choose a folder on another disk, and start again");
}

TEST_F(FileTest, a_full_device_is_said) {
  expect_disk_full(write_file_atomic("/dev/full", "x"));
}

// Without the right to mount, the limit on a file's size takes the same way through the code.
TEST_F(FileTest, a_full_disk_keeps_the_old_file) {
  ASSERT_TRUE(fs::create_directory(path("small")));
  const bool mounted = ::mount("tmpfs", path("small").c_str(), "tmpfs", 0, "size=64k") == 0;
  const fs::path file = path("small") / "a";
  ASSERT_TRUE(write_file_atomic(file, "old").ok());
  const int code = in_child([&] {
    if (!mounted) {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{65536, 65536};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    const Status status = write_file_atomic(file, std::string(200000, 'x'));
    expect_disk_full(status);
    return testing::Test::HasFailure() ? 1 : 0;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(*read_file(file), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(path("small")), fs::directory_iterator()), 1);
  if (mounted) ::umount2(path("small").c_str(), MNT_DETACH);
}

TEST_F(FileTest, a_read_only_folder_is_said) {
  ASSERT_EQ(::chmod(temporary_.path().c_str(), 0755), 0);
  ASSERT_TRUE(fs::create_directory(path("fixed")));
  ASSERT_EQ(::chmod(path("fixed").c_str(), 0555), 0);
  const int code = in_child([&] {
    if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) return 2;
    const Status status = write_file_atomic(path("fixed") / "a", "x");
    if (status.ok() || status.error().kind != ErrorKind::permission) return 3;
    return status.error().next == "choose a place that you may use, or change its permissions" ? 0 : 4;
  });
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(fs::is_empty(path("fixed")));
}

TEST_F(FileTest, what_cannot_be_read_or_written_is_said) {
  EXPECT_EQ(read_file(path("none")).error().kind, ErrorKind::not_found);
  EXPECT_EQ(read_file(temporary_.path()).error().kind, ErrorKind::bad_input);
  ASSERT_TRUE(write_file_atomic(path("a"), "12345").ok());
  EXPECT_EQ(read_file(path("a"), 4).error().message(),
            "the file is larger than 4 bytes (" + path("a").string() + "): is it the right file?");
  EXPECT_EQ(*read_file(path("a"), 5), "12345");
  EXPECT_EQ(write_file_atomic(temporary_.path(), "x").error().kind, ErrorKind::bad_input);
  EXPECT_EQ(write_file_atomic(path("none") / "a", "x").error().kind, ErrorKind::not_found);
  EXPECT_EQ(write_file_atomic(path("a") / "b", "x").error().kind, ErrorKind::bad_input);
  EXPECT_FALSE(MappedFile::open(temporary_.path()).ok());
}

TEST_F(FileTest, a_mapped_file_shows_its_bytes) {
  ASSERT_TRUE(write_file_atomic(path("a"), std::string(10000, 'm')).ok());
  ASSERT_TRUE(write_file_atomic(path("empty"), "").ok());
  const auto mapped = MappedFile::open(path("a"));
  ASSERT_TRUE(mapped.ok());
  ASSERT_EQ(mapped->bytes().size(), 10000u);
  mapped->release(0, 10000);
  mapped->release(9000, 50000);
  EXPECT_EQ(mapped->bytes()[9999], std::byte{'m'});
  EXPECT_TRUE(MappedFile::open(path("empty"))->bytes().empty());
}

}  // namespace
}  // namespace tqm
