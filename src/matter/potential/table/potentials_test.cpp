#include "matter/potential/table/potentials.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

namespace tqm::matter {
namespace {

TEST(Potentials, AreFoundByNameOrRefusedWithThoseThatThereAre) {
  const auto argon = open_potential("lennard-jones:sigma=3", {.threads = 1});
  ASSERT_TRUE(argon.ok());
  EXPECT_EQ((*argon)->name(), "lennard-jones");
  EXPECT_EQ(open_potential("nep98", {}).error().next, "did you mean nep89?");
  EXPECT_EQ(open_potential("eam", {}).error().what, "there is no potential \"eam\"");
  EXPECT_NE(open_potential("eam", {}).error().next.find("lennard-jones"), std::string::npos);
  EXPECT_EQ(open_potential("no/such/nep.txt", {}).error().kind, ErrorKind::not_found);
}

TEST(Potentials, AFileThatSetUpBringsIsAskedForByName) {
  setenv("TORQUETUM_POTENTIALS", "/nowhere", 1);
  const auto nep = open_potential("nep89", {});
  unsetenv("TORQUETUM_POTENTIALS");
  ASSERT_FALSE(nep.ok());
  EXPECT_EQ(nep.error().message(),
            "the potential's file nep89.txt is not there (/nowhere): fetch it by tools/setup potentials, or name the "
            "folder that holds it by TORQUETUM_POTENTIALS");
}

}  // namespace
}  // namespace tqm::matter
