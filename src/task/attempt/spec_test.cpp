#include "task/attempt/spec.hpp"

#include <gtest/gtest.h>
#include <tuple>
#include <vector>

#include "base/file.hpp"
#include "task/attempt/record.hpp"

namespace tqm::task {
namespace {

AttemptSpec full() {
  AttemptSpec spec;
  spec.job = "job-1";
  spec.attempt = 3;
  spec.command = {"train", "--name", "a b; $(c)"};
  spec.environment = {{"LANG", "C"}};
  spec.folder = "/data/job-1/3";
  spec.work_folder = "/data/job-1/work";
  spec.earlier_checkpoint = "/data/job-1/2/checkpoint";
  spec.paid_until_s = 130;
  spec.time_limit_s = 3600;
  spec.memory_bytes = 1 << 30;
  spec.grace_s = 2.5;
  spec.run_as = RunAs{1001, 1002};
  return spec;
}

TEST(AttemptSpec, ComesBackAsItWasWritten) {
  const auto read = parse_attempt_spec(attempt_spec_json(full()), "spec.json");
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(*read, full());
}

TEST(AttemptSpec, RefusesByFieldWhatIsWrong) {
  const std::vector<std::tuple<const char*, Json, const char*>> cases = {
      {"v", 2, "\"v\" is not 1"},
      {"job", "", "\"job\" is empty"},
      {"attempt", 0, "\"attempt\" is no whole number of 1 to 2147483647"},
      {"command", Json::array(), "\"command\" is no list of texts, program first"},
      {"command", "sh -c true", "\"command\" is no list of texts, program first"},
      {"command", Json::array({""}), "\"command\" names no program"},
      {"environment", Json{{"A=B", "c"}}, "\"environment\" is no object of texts"},
      {"environment", Json{{"TORQUETUM_EVENTS", "/x"}}, "\"environment\" sets TORQUETUM_EVENTS, which is the shim's"},
      {"folder", "here", "\"folder\" is no absolute path"},
      {"lease", "none", "\"lease\" is not held-file"},
      {"memory_bytes", -1, "\"memory_bytes\" is no whole number of 0 to 9223372036854775807"},
      {"grace_s", 1e6, "\"grace_s\" is no number of seconds, 0 to 86400"},
      {"run_as", Json{{"uid", 1000}}, "\"run_as\" needs a uid and a gid that are not root's"},
      {"comand", 1, "\"comand\" is not known: did you mean command?"}};
  for (const auto& [field, value, message] : cases) {
    Json json = attempt_spec_json(full());
    json[field] = value;
    const auto read = parse_attempt_spec(json, "spec.json");
    ASSERT_FALSE(read.ok()) << field;
    EXPECT_EQ(read.error().what, message);
    EXPECT_EQ(read.error().kind, ErrorKind::bad_input);
  }
}

TEST(AttemptRecords, ComeBackAsTheyWereWritten) {
  const auto folder = std::move(TemporaryFolder::make()).take();
  const AttemptFiles files{folder.path()};
  EXPECT_FALSE(read_exit(files.exit())->has_value());
  const PermitRecord permit{130, 12, Order::stop, "unpaid"};
  const UseRecord use{2, "shim-1", 12, 20, 17, 4096};
  const ExitRecord exit{2, "shim-1", "failed", "exit 3", 3, true, 20, 17, 8192, "polled"};
  ASSERT_TRUE(write_record(files.permit(), permit_json(permit)).ok());
  ASSERT_TRUE(write_record(files.use(), use_json(use)).ok());
  ASSERT_TRUE(write_record(files.exit(), exit_json(exit)).ok());
  EXPECT_EQ(**read_permit(files.permit()), permit);
  EXPECT_EQ(**read_use(files.use()), use);
  EXPECT_EQ(**read_exit(files.exit()), exit);
  ASSERT_TRUE(write_record(files.exit(), Json{{"v", 1}}).ok());
  EXPECT_EQ(read_exit(files.exit()).error().kind, ErrorKind::bad_input);
}

}  // namespace
}  // namespace tqm::task
