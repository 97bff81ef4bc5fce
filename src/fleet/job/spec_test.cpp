#include "fleet/job/spec.hpp"

#include <gtest/gtest.h>

namespace tqm::fleet {
namespace {

std::string refusal(const std::string& more) {
  const auto spec = parse_spec_toml("command = [\"a\"]\nnode_type = \"cpu.1\"\n" + more, "job.toml");
  return spec ? "accepted" : spec.error().what;
}

TEST(JobSpec, ReadsTomlAndJsonTheSame) {
  const JobSpec spec = parse_spec_toml(R"(
name = "squeeze"
command = ["torquetum", "compress", "run", "model", "--out", "small"]
node_type = "mlu370-x8.8"
nodes = 2
inputs = ["model"]
outputs = ["small/report.json"]
time_limit_s = 7200
retries = 1
[environment]
OMP_NUM_THREADS = "4"
)",
                                       "job.toml")
                           .take();
  EXPECT_EQ(spec.command.size(), 6u);
  EXPECT_EQ(spec.nodes, 2);
  EXPECT_EQ(spec.environment.at("OMP_NUM_THREADS"), "4");
  EXPECT_EQ(parse_spec_json(spec_json(spec), "x").take(), spec);
}

TEST(JobSpec, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(parse_spec_toml("comand = [\"a\"]", "job.toml").error().message(),
            "unknown key 'comand' (job.toml): did you mean command?");
  EXPECT_EQ(refusal("nodes = 0\n"), "'nodes' must be a whole number from 1 to 10000");
  EXPECT_EQ(refusal("nodes = 1.5\n"), "'nodes' must be a whole number from 1 to 10000");
  EXPECT_EQ(refusal("retries = -1\n"), "'retries' must be a whole number from 0 to 100");
  EXPECT_EQ(refusal("time_limit_s = 0\n"), "'time_limit_s' must be a whole number from 1 to 31622400");
  EXPECT_EQ(refusal("name = \"\"\n"), "'name' must be a text of 1 to 200 bytes");
  EXPECT_EQ(refusal("environment = 3\n"), "'environment' must be a table of at most 1000 texts");
  EXPECT_EQ(refusal("[environment]\n\"A=B\" = \"x\"\n"), "'environment' has a variable that is no name: 'A=B'");
  EXPECT_EQ(refusal("[environment]\nTORQUETUM_ATTEMPT = \"x\"\n"), "'environment' may not set TORQUETUM_ATTEMPT");
  EXPECT_EQ(parse_spec_toml("node_type = \"cpu.1\"\ncommand = []", "j").error().what, "'command' is missing");
  EXPECT_EQ(parse_spec_toml("command = [\"a\"]", "j").error().what, "'node_type' is missing");
  EXPECT_EQ(parse_spec_toml("command = [", "j").error().kind, ErrorKind::bad_input);
  EXPECT_FALSE(parse_spec_json(Json::array(), "j").ok());
  EXPECT_FALSE(parse_spec_json({{"command", {"a\0b"}}, {"node_type", "c"}, {"nodes", UINT64_MAX}}, "j").ok());
}

TEST(JobSpec, PathsStayInTheWorkFolder) {
  for (const char* path : {"../x", "/etc/passwd", "a/../b", "a//b", "a/", ".", ""})
    EXPECT_EQ(refusal("outputs = [\"" + std::string(path) + "\"]\n"),
              "'outputs' leaves the work folder: '" + std::string(path) + "'");
  EXPECT_EQ(refusal("outputs = [\"a/b..c/.hidden\"]\n"), "accepted");
}

}  // namespace
}  // namespace tqm::fleet
