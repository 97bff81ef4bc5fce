#include "task/checkpoint.hpp"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/random.hpp"

namespace tqm::task {
namespace {
namespace fs = std::filesystem;

class Checkpoint : public testing::Test {
 protected:
  Checkpoint() : temporary_(std::move(TemporaryFolder::make("tqm-checkpoint")).take()) {}
  fs::path folder() const { return temporary_.path() / "state"; }
  CheckpointOptions options(const Json& fingerprint = Json{{"model", "m"}, {"form", 1}}) const {
    CheckpointOptions result;
    result.folder = folder();
    result.fingerprint = fingerprint;
    return result;
  }
  CheckpointFolder open() const {
    auto opened = CheckpointFolder::open(options());
    EXPECT_TRUE(opened.ok()) << opened.error().message();
    return std::move(opened).take();
  }
  void commit_one(const std::string& name, const std::string& content) const {
    auto checkpoint = open();
    ASSERT_TRUE(checkpoint.write(name, content).ok());
    ASSERT_TRUE(checkpoint.commit({name}, Json{{"last", name}}).ok());
  }
  TemporaryFolder temporary_;
};

TEST_F(Checkpoint, what_is_committed_comes_back) {
  {
    auto checkpoint = open();
    EXPECT_FALSE(checkpoint.resumed());
    EXPECT_TRUE(checkpoint.state().is_null());
    ASSERT_TRUE(checkpoint.write("layers/0.bin", "zero").ok());
    ASSERT_TRUE(checkpoint.commit({"layers/0.bin"}, Json{{"layer", 1}}).ok());
    std::ofstream(checkpoint.path("1.bin")) << "one";
    ASSERT_TRUE(checkpoint.commit({"1.bin"}, Json{{"layer", 2}}).ok());
  }
  auto checkpoint = open();
  EXPECT_TRUE(checkpoint.resumed());
  EXPECT_EQ(checkpoint.state()["layer"], 2);
  EXPECT_EQ(checkpoint.names(), (std::vector<std::string>{"1.bin", "layers/0.bin"}));
  EXPECT_EQ(*read_file(checkpoint.path("layers/0.bin")), "zero");
}

TEST_F(Checkpoint, what_is_not_committed_does_not_exist) {
  commit_one("a", "1");
  std::ofstream(folder() / "half") << "written, never committed";
  fs::create_directories(folder() / "sub" / "deep");
  std::ofstream(folder() / "sub" / "deep" / "x") << "too";
  std::ofstream(folder() / ".checkpoint.json.tqm-part-1-2") << "{\"half\": ";
  auto checkpoint = open();
  EXPECT_EQ(checkpoint.names(), std::vector<std::string>{"a"});
  EXPECT_FALSE(fs::exists(folder() / "half"));
  EXPECT_FALSE(fs::exists(folder() / "sub"));
  EXPECT_FALSE(fs::exists(folder() / ".checkpoint.json.tqm-part-1-2"));
}

TEST_F(Checkpoint, a_dropped_file_goes_with_the_commit_that_drops_it) {
  auto checkpoint = open();
  ASSERT_TRUE(checkpoint.write("step-1", "1").ok());
  ASSERT_TRUE(checkpoint.commit({"step-1"}, 1).ok());
  ASSERT_TRUE(checkpoint.write("step-2", "2").ok());
  ASSERT_TRUE(checkpoint.commit({"step-2"}, 2, {"step-1"}).ok());
  EXPECT_FALSE(fs::exists(folder() / "step-1"));
  EXPECT_EQ(checkpoint.names(), std::vector<std::string>{"step-2"});
}

TEST_F(Checkpoint, a_commit_does_not_read_what_was_committed_before) {
  auto checkpoint = open();
  ASSERT_TRUE(checkpoint.write("a", "first").ok());
  ASSERT_TRUE(checkpoint.commit({"a"}, 1).ok());
  fs::remove(folder() / "a");  // would be noticed by any reading of it
  ASSERT_TRUE(checkpoint.write("b", "second").ok());
  EXPECT_TRUE(checkpoint.commit({"b"}, 2).ok());
}

TEST_F(Checkpoint, other_work_is_refused_by_field_or_starts_afresh) {
  commit_one("a", "1");
  const Json other{{"model", "n"}, {"form", 1}, {"bits", 4}};
  const auto refused = CheckpointFolder::open(options(other));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::conflict);
  EXPECT_EQ(refused.error().what, "the checkpoint is of other work: bits is 4, was null; model is \"n\", was \"m\"");
  EXPECT_EQ(refused.error().next, "give another folder, or ask for a fresh start");
  EXPECT_TRUE(fs::exists(folder() / "a")) << "a refusal changes nothing";
  CheckpointOptions fresh = options(other);
  fresh.when_other = WhenOther::start_afresh;
  const auto opened = CheckpointFolder::open(fresh);
  ASSERT_TRUE(opened.ok());
  EXPECT_FALSE(opened->resumed());
  EXPECT_FALSE(fs::exists(folder() / "a"));
}

TEST_F(Checkpoint, damage_is_said) {
  commit_one("a", "content");
  const std::string manifest = *read_file(folder() / "checkpoint.json");
  auto what = [&] {
    const auto opened = CheckpointFolder::open(options());
    return opened.ok() ? std::string("opened") : opened.error().what;
  };
  std::ofstream(folder() / "a") << "contenT";
  EXPECT_EQ(what(), "the checkpoint is damaged: a file has changed");
  std::ofstream(folder() / "a") << "more content";
  EXPECT_EQ(what(), "the checkpoint is damaged: a file has 12 bytes in place of 7");
  fs::remove(folder() / "a");
  EXPECT_EQ(what(), "the checkpoint is damaged: a file is missing");
  auto with = [&](const std::string& from, const std::string& to) {
    std::string text = manifest;
    text.replace(text.find(from), from.size(), to);
    std::ofstream(folder() / "checkpoint.json") << text;
    return what();
  };
  EXPECT_EQ(with("\"a\": {", "\"../a\": {"), "the checkpoint is damaged: \"../a\" is no name of a file");
  EXPECT_EQ(with("\"a\": {", "\"/etc/passwd\": {"), "the checkpoint is damaged: \"/etc/passwd\" is no name of a file");
  EXPECT_EQ(with("\"v\": 1", "\"v\": 9"), "the checkpoint has form 9, this program knows 1");
  EXPECT_EQ(with("\"sequence\": 1", "\"sequence\": -1"), "the checkpoint is damaged: \"sequence\" is no count");
  EXPECT_EQ(with("\"state\"", "\"stade\""), "the checkpoint is damaged: a field is missing");
  std::ofstream(folder() / "checkpoint.json") << manifest.substr(0, manifest.size() / 2);
  EXPECT_EQ(what().find("not valid JSON"), 0u);
}

TEST_F(Checkpoint, other_peoples_folders_are_left_alone) {
  fs::create_directories(folder());
  std::ofstream(folder() / "thesis.txt") << "precious";
  const auto opened = CheckpointFolder::open(options());
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().message(), "the folder holds other files, and no checkpoint (" + folder().string() +
                                          "): give an empty or a new folder");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()), 1);
}

TEST_F(Checkpoint, only_one_run_uses_it_at_a_time) {
  {
    auto checkpoint = open();
    const auto second = CheckpointFolder::open(options());
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().kind, ErrorKind::conflict);
    EXPECT_EQ(second.error().what, "another run is using this checkpoint");
  }
  EXPECT_TRUE(CheckpointFolder::open(options()).ok());
}

TEST_F(Checkpoint, a_discarded_folder_is_gone) {
  auto checkpoint = open();
  ASSERT_TRUE(std::move(checkpoint).discard().ok());
  EXPECT_FALSE(fs::exists(folder()));
}

// What a kill in the middle of discard leaves: some files, no manifest.
TEST_F(Checkpoint, half_a_discard_is_nothing_committed) {
  {
    auto checkpoint = open();
    ASSERT_TRUE(checkpoint.write("a", "1").ok());
    ASSERT_TRUE(checkpoint.commit({"a"}, Json::object()).ok());
  }
  fs::remove(folder() / "checkpoint.json");
  auto checkpoint = open();
  EXPECT_FALSE(checkpoint.resumed());
  EXPECT_FALSE(fs::exists(folder() / "a"));
  ASSERT_TRUE(std::move(checkpoint).discard().ok());
  EXPECT_FALSE(fs::exists(folder()));
}

// The child commits file after file, each followed by dropping an older one, and is killed at a random moment: what is
// there then opens, whole, and goes on where it was.
TEST_F(Checkpoint, kill_9_at_any_moment_loses_only_what_was_not_committed) {
  Random random(11);
  int64_t reached = 0;
  for (int round = 0; round < 40; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
      auto opened = CheckpointFolder::open(options());
      if (!opened) ::_exit(1);
      int64_t step = opened->state().is_null() ? 0 : opened->state()["step"].get<int64_t>();
      while (true) {
        ++step;
        const std::string name = "step-" + std::to_string(step);
        if (!opened->write(name, std::string(20000, static_cast<char>('a' + step % 26)))) ::_exit(1);
        const std::string old = "step-" + std::to_string(step - 2);
        if (!opened->commit({name}, Json{{"step", step}},
                            opened->has(old) ? std::vector{old} : std::vector<std::string>{}))
          ::_exit(1);
        if (::write(ends[1], &step, sizeof step) != sizeof step) ::_exit(1);
      }
    }
    ::close(ends[1]);
    int64_t told = 0;
    for (uint64_t commits = 1 + random.below(3); commits > 0; --commits)
      ASSERT_EQ(::read(ends[0], &told, sizeof told), static_cast<ssize_t>(sizeof told));
    const uint64_t spins = random.below(500000);
    for (volatile uint64_t spin = 0; spin < spins;) spin = spin + 1;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    while (::read(ends[0], &told, sizeof told) == static_cast<ssize_t>(sizeof told)) {
    }
    ::close(ends[0]);
    const auto opened = CheckpointFolder::open(options());
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    const int64_t step = opened->state()["step"].get<int64_t>();
    EXPECT_GE(step, told) << "a commit that was reported is there";
    EXPECT_GT(step, reached);
    EXPECT_LE(opened->names().size(), 2u);
    EXPECT_TRUE(opened->has("step-" + std::to_string(step)));
    reached = step;
  }
}

TEST_F(Checkpoint, a_full_disk_keeps_the_last_commit) {
  fs::create_directories(folder());
  const bool mounted = ::mount("tmpfs", folder().c_str(), "tmpfs", 0, "size=256k") == 0;
  commit_one("a", "kept");
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (!mounted) {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{65536, 65536};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    auto opened = CheckpointFolder::open(options());
    if (!opened) ::_exit(2);
    const Status written = opened->write("b", std::string(500000, 'x'));
    ::_exit(written.ok() ? 3 : written.error().kind == ErrorKind::environment ? 0 : 4);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  {
    auto checkpoint = open();
    EXPECT_EQ(checkpoint.names(), std::vector<std::string>{"a"});
    EXPECT_EQ(*read_file(checkpoint.path("a")), "kept");
  }
  if (mounted) ::umount2(folder().c_str(), MNT_DETACH);
}

TEST_F(Checkpoint, a_missing_file_fails_the_commit_and_changes_nothing) {
  auto checkpoint = open();
  const Status status = checkpoint.commit({"never-written"}, 5);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::not_found);
  EXPECT_TRUE(checkpoint.state().is_null());
}

TEST_F(Checkpoint, an_attempt_is_seeded_from_the_one_before) {
  commit_one("layers/0", "zero");
  std::ofstream(folder() / "stray") << "not committed";
  const fs::path second = temporary_.path() / "second";
  ASSERT_TRUE(seed_checkpoint(folder(), second).ok());
  EXPECT_FALSE(fs::exists(second / "stray"));
  EXPECT_TRUE(has_checkpoint_of(second, 1));
  EXPECT_FALSE(has_checkpoint_of(second, 2));

  SessionOptions session_options;
  session_options.environment = TaskEnvironment{};
  session_options.environment->attempt = 2;
  auto session = Session::start(session_options);
  ASSERT_TRUE(session.ok());
  CheckpointOptions options_two = options();
  options_two.folder = second;
  options_two.session = &*session;
  auto opened = CheckpointFolder::open(options_two);
  ASSERT_TRUE(opened.ok());
  EXPECT_TRUE(opened->resumed());
  EXPECT_EQ(*read_file(opened->path("layers/0")), "zero");
  EXPECT_TRUE(has_checkpoint_of(second, 2)) << "an open commits under its own attempt";
  EXPECT_TRUE(has_checkpoint_of(folder(), 1)) << "and leaves the earlier one as it was";

  // What the later attempt drops stays the earlier one's.
  ASSERT_TRUE(opened->commit({}, 9, {"layers/0"}).ok());
  EXPECT_EQ(*read_file(folder() / "layers/0"), "zero");

  EXPECT_TRUE(seed_checkpoint(temporary_.path() / "none", temporary_.path() / "third").ok());
  EXPECT_TRUE(fs::is_empty(temporary_.path() / "third"));
}

TEST_F(Checkpoint, the_sampled_fingerprint_sees_changes) {
  const fs::path file = temporary_.path() / "model.bin";
  std::string content(3'000'000, 'w');
  ASSERT_TRUE(write_file_atomic(file, content).ok());
  const Json before = *sampled_fingerprint(file);
  EXPECT_EQ(before, *sampled_fingerprint(file));
  content.back() = 'x';
  ASSERT_TRUE(write_file_atomic(file, content).ok());
  EXPECT_NE(before["sampled_xxh3"], (*sampled_fingerprint(file))["sampled_xxh3"]);
  fs::create_directories(temporary_.path() / "hf");
  ASSERT_TRUE(write_file_atomic(temporary_.path() / "hf" / "config.json", "{}").ok());
  EXPECT_EQ((*sampled_fingerprint(temporary_.path() / "hf"))["config.json"]["size"], 2);
  EXPECT_EQ(sampled_fingerprint(temporary_.path() / "none").error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace tqm::task
