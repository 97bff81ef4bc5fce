#include "matter/potential/checkpoint/checkpoint.hpp"

#include <gtest/gtest.h>
#include <string_view>

#include "base/file.hpp"
#include "matter/potential/checkpoint/pickle.hpp"

namespace tqm::matter {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

std::string refusal(std::string_view program) {
  const auto pickle = run_pickle(bytes_of(program), "evil.pth");
  return pickle.ok() ? "" : pickle.error().what;
}

// torch.save of {"model": {"state_dict": OrderedDict(w = 0..5 as 2 × 3, b = [1.5]), "model_args": {...}}}.
TEST(Checkpoint, ReadsWhatTorchWrote) {
  const auto file = read_file(TQM_SOURCE_DIR "/tests/fuzz/matter_potential_checkpoint_checkpoint/tiny.pth");
  ASSERT_TRUE(file.ok());
  const auto checkpoint = parse_checkpoint(bytes_of(*file), "tiny.pth");
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message();
  ASSERT_EQ(checkpoint->tensors.size(), 2U);
  EXPECT_EQ(checkpoint->tensors.at("w").shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(checkpoint->tensors.at("w").floats(), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(checkpoint->tensors.at("b").floats(), (std::vector<float>{1.5}));
  EXPECT_EQ(checkpoint->arguments,
            Json({{"a", 1}, {"b", 2.5}, {"c", "x"}, {"d", true}, {"e", {1, 300, 70000}}, {"f", nullptr}}));
  for (size_t cut = 0; cut < file->size(); cut += 13) {
    EXPECT_FALSE(parse_checkpoint(bytes_of(std::string_view(*file).substr(0, cut)), "cut.pth").ok());
  }
}

TEST(Checkpoint, WhatWouldRunCodeIsRefusedByName) {
  using namespace std::string_view_literals;
  EXPECT_EQ(refusal("\x80\x02"
                    "cposix\nsystem\nX\x04\0\0\0echo\x85R."sv),
            "the checkpoint's pickle asks for posix.system, which is refused");
  EXPECT_EQ(refusal("\x80\x02"
                    "cbuiltins\neval\n."sv),
            "the checkpoint's pickle asks for builtins.eval, which is refused");
  EXPECT_EQ(refusal("\x80\x02"
                    "ctorch\nLongStorage\n."sv),
            "the checkpoint's pickle asks for torch.LongStorage, which is refused");
  EXPECT_EQ(refusal("\x80\x02\x93."sv), "the checkpoint's pickle holds the instruction 0x93, which is refused");
  EXPECT_EQ(refusal("\x80\x04N."sv), "the checkpoint's pickle is not of protocol 2, which is refused");
  EXPECT_EQ(refusal("\x80\x02"
                    "ccollections\nOrderedDict\nK\x01\x85R."sv),
            "the checkpoint's pickle calls collections.OrderedDict in an unusual way, which is refused");
  EXPECT_EQ(refusal("\x80\x02}."sv), "");
}

TEST(Checkpoint, BrokenProgramsAreRefused) {
  using namespace std::string_view_literals;
  const std::string begin = "the checkpoint's pickle can't be read: ";
  EXPECT_EQ(refusal(""sv), begin + "it ends too early");
  EXPECT_EQ(refusal("\x80\x02."sv), begin + "its stack is empty");
  EXPECT_EQ(refusal("\x80\x02h\x05."sv), begin + "it recalls what it never kept");
  EXPECT_EQ(refusal("\x80\x02t."sv), begin + "a mark is missing");
  EXPECT_EQ(refusal("\x80\x02}(K\x01u."sv), begin + "a key has no value");
  EXPECT_EQ(refusal("\x80\x02X\xff\xff\xff\xff."sv), begin + "it ends too early");
}

}  // namespace
}  // namespace tqm::matter
