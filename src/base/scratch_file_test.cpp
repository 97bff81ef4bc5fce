#include "base/scratch_file.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"

namespace tqm {
namespace {

TEST(ScratchFile, HoldsWhatWasWrittenLast) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  const auto path = folder->path() / "a";
  ASSERT_TRUE(write_scratch_file(path, std::string(100000, 'x')).ok());
  ASSERT_TRUE(write_scratch_file(path, std::string("t\0wo", 4)).ok());
  EXPECT_EQ(*read_file(path), std::string("t\0wo", 4));
}

TEST(ScratchFile, SaysWhatItCantWrite) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  const Status written = write_scratch_file(folder->path() / "none" / "a", "x");
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message().find("can't write the file"), std::string::npos);
}

}  // namespace
}  // namespace tqm
