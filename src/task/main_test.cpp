#include "task/main.hpp"

#include <cstdio>
#include <gtest/gtest.h>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace tqm::task {
namespace {

struct Ran {
  int code;
  std::string errors;
};

Ran run(std::vector<std::string> words, const std::function<Result<int>(int, char**)>& body) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  testing::internal::CaptureStderr();
  const int code = run_program("torquetum compress", static_cast<int>(words.size()), argv.data(), body);
  restore_default_signals();
  return {code, testing::internal::GetCapturedStderr()};
}

TEST(RunProgram, an_error_is_told_with_what_to_do_next) {
  const Ran ran = run({"p"}, [](int, char**) -> Result<int> {
    return Error{ErrorKind::bad_input, "the file is cut short", "m.safetensors", "download it again"};
  });
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.errors, "torquetum compress: the file is cut short (m.safetensors)\n  download it again\n");
}

TEST(RunProgram, json_asks_for_an_object) {
  auto body = [](int, char**) -> Result<int> { return Error{ErrorKind::stopped, "stopped \"here\"", "", ""}; };
  EXPECT_EQ(run({"p", "run", "--json"}, body).errors,
            "{\"error\":{\"kind\":\"stopped\",\"what\":\"stopped "
            "\\\"here\\\"\",\"where\":\"\",\"next\":\"\",\"exit_code\":75}}\n");
  EXPECT_EQ(run({"p", "run", "--", "--json"}, body).errors, "torquetum compress: stopped \"here\"\n");
}

TEST(RunProgram, codes_follow_the_contract) {
  EXPECT_EQ(run({"p"}, [](int, char**) -> Result<int> { return 0; }).code, 0);
  EXPECT_EQ(run({"p"}, [](int, char**) -> Result<int> { return 2; }).code, 2);
  EXPECT_EQ(run({"p"}, [](int, char**) -> Result<int> { throw std::runtime_error("boom"); }).code, 70);
  EXPECT_EQ(run({"p"}, [](int, char**) -> Result<int> { throw 5; }).code, 70);
  const Ran memory = run({"p"}, [](int, char**) -> Result<int> { throw std::bad_alloc(); });
  EXPECT_EQ(memory.code, 1);
  EXPECT_EQ(memory.errors, "torquetum compress: out of memory\n  close other programs, or take a smaller input\n");
}

}  // namespace
}  // namespace tqm::task
