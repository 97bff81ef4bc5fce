#include "chips/catalogue.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

#include "base/file.hpp"

namespace tqm::chips {
namespace {
namespace fs = std::filesystem;

const std::vector<Chip>& catalogue() {
  static const std::vector<Chip> loaded = load_catalogue(TQM_SOURCE_DIR "/catalog").take();
  return loaded;
}

class TemporaryCatalogue : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tqm-chips-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
    fs::create_directories(folder_ / "chips");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& file, const std::string& content) {
    std::ofstream(folder_ / "chips" / file) << content;
  }

  // The message of loading a chip file of this content, its path cut down to the file's name.
  std::string refusal(const std::string& content) {
    write("x.toml", content);
    const auto chip = load_chip(folder_ / "chips/x.toml");
    if (chip) return "accepted";
    std::string message = chip.error().message();
    const std::string folder = (folder_ / "chips").string() + "/";
    if (const size_t at = message.find(folder); at != std::string::npos) message.erase(at, folder.size());
    return message;
  }

  fs::path folder_;
};

// A valid file; each refusal changes one thing of it.
const std::string kValid = R"(name = "X1"
aliases = ["x"]
vendor = "Nobody"
domestic = false
architecture = { value = "A", source = "sheet" }
[sources]
sheet = "https://example.org/x1"
[memory]
size = { value = 8, unit = "GB", source = "sheet" }
[rates]
fp16 = { value = 10, unit = "TFLOPS", source = "sheet" }
[formats]
computes = { value = ["fp16", "int8-w8a8"], source = "sheet" }
[probe]
source = "sheet"
command = "x-smi"
output = "lines"
matches = ["X1"]
[torch]
device = "x"
[scheduler]
resource = "gpu:x1"
)";

std::string changed(const std::string& from, const std::string& to) {
  std::string content = kValid;
  const size_t at = content.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return content.replace(at, from.size(), to);
}

TEST(Catalogue, HoldsTheChipsItBeganWith) {
  for (const char* name : {"A100", "H100", "H200", "RTX 4090", "MLU370-X4", "MLU370-X8", "MLU370-S4", "Ascend 910B",
                           "K100", "BI-V150", "MTT S4000", "C500", "CPU"})
    EXPECT_TRUE(find_chip(catalogue(), name).ok()) << name;
}

TEST(Catalogue, EveryFigureHasASource) {
  for (const Chip& chip : catalogue()) {
    std::vector<const Source*> sources = {&chip.architecture_source, &chip.computes.source};
    if (!chip.stores.formats.empty()) sources.push_back(&chip.stores.source);
    if (!chip.probe.command.empty()) sources.push_back(&chip.probe.source);
    for (const auto* figure :
         {&chip.memory_bytes, &chip.bandwidth, &chip.clusters, &chip.cores, &chip.vector_bytes, &chip.alignment_bytes})
      if (*figure) sources.push_back(&(*figure)->source);
    for (const auto& [format, figure] : chip.rates) sources.push_back(&figure.source);
    for (const OnChipMemory& memory : chip.on_chip) sources.push_back(&memory.bytes.source);
    for (const Source* source : sources) EXPECT_TRUE(source->address.starts_with("http")) << chip.name;
  }
}

TEST(Catalogue, FiguresArePlausible) {
  for (const Chip& chip : catalogue()) {
    if (chip.memory_bytes) {
      EXPECT_GE(chip.memory_bytes->value, 8e9) << chip.name;
      EXPECT_LE(chip.memory_bytes->value, 300e9) << chip.name;
    }
    if (chip.bandwidth) {
      EXPECT_GE(chip.bandwidth->value, 1e11) << chip.name;
      EXPECT_LE(chip.bandwidth->value, 1e13) << chip.name;
    }
    for (const auto& [format, rate] : chip.rates) {
      EXPECT_GE(rate.value, 1e12) << chip.name;
      EXPECT_LE(rate.value, 5e15) << chip.name;
    }
  }
}

TEST(Catalogue, ResourcesAreTheSchedulersForm) {
  std::set<std::string> seen;
  for (const Chip& chip : catalogue()) {
    EXPECT_TRUE(seen.insert(chip.scheduler_resource).second) << chip.scheduler_resource;
    EXPECT_EQ(chip.scheduler_resource.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789:-"), std::string::npos);
  }
}

TEST(Catalogue, UnitsBecomeBytesAndOperations) {
  const Chip mlu = find_chip(catalogue(), "MLU370-X8").take();
  EXPECT_EQ(mlu.memory_bytes->value, 48e9);
  EXPECT_EQ(mlu.bandwidth->value, 614.4e9);
  EXPECT_EQ(mlu.rates.at(NumberFormat::int8_w8a8).value, 256e12);
  EXPECT_TRUE(mlu.memory_bytes->source.unverified);
  EXPECT_TRUE(mlu.domestic);
  EXPECT_EQ(mlu.torch_module, "torch_mlu");
  ASSERT_FALSE(mlu.on_chip.empty());
  EXPECT_EQ(mlu.on_chip.front().name, "nram");
  EXPECT_EQ(mlu.on_chip.front().bytes.value, 768 * 1024);
}

TEST(Catalogue, FindsByNameIdAndAliasInAnyCase) {
  for (const char* word : {"RTX 4090", "rtx4090", "4090", "GeForce-RTX-4090"})
    EXPECT_EQ(find_chip(catalogue(), word)->name, "RTX 4090") << word;
  EXPECT_EQ(find_chip(catalogue(), "910B3")->name, "Ascend 910B");
  EXPECT_EQ(find_chip(catalogue(), "曦云C500")->name, "C500");
}

TEST(Catalogue, AnUnknownNameIsRefusedWithTheNearest) {
  const Error error = find_chip(catalogue(), "mlu370x8").error();
  EXPECT_EQ(error.kind, ErrorKind::not_found);
  EXPECT_EQ(error.what, "no such chip in the catalogue");
  EXPECT_EQ(error.where, "mlu370x8");
  EXPECT_NE(error.next.find("MLU370-X8"), std::string::npos);
  EXPECT_NE(error.next.find("known are A100, Ascend 910B, BI-V150"), std::string::npos) << error.next;
}

TEST_F(TemporaryCatalogue, AValidFileIsAccepted) {
  EXPECT_EQ(refusal(kValid), "accepted");
}

TEST_F(TemporaryCatalogue, RefusalsNameFileAndLine) {
  const std::string broken = refusal("name = \n");  // the library's own words between
  EXPECT_TRUE(broken.starts_with("not valid TOML: ")) << broken;
  EXPECT_TRUE(broken.ends_with(" (x.toml:1): mend the line")) << broken;
  EXPECT_EQ(refusal(changed("vendor", "vender")), "unknown key 'vender' (x.toml:3): did you mean vendor?");
  EXPECT_EQ(refusal(changed("vendor = \"Nobody\"\n", "")), "the key 'vendor' is missing (x.toml:1): add it");
  EXPECT_EQ(refusal(changed("\"Nobody\"", "3")),
            "'vendor' must be a text that is not empty (x.toml:3): write it in quotes");
  EXPECT_EQ(refusal(changed("domestic = false", "domestic = \"no\"")),
            "'domestic' must be true or false (x.toml:4): write it without quotes");
  EXPECT_EQ(refusal(changed("[\"x\"]", "\"x\"")), "'aliases' must be a list of texts (x.toml:2): write [\"…\"]");
  EXPECT_EQ(refusal(changed("https://example.org/x1", "the sheet")),
            "a source must be the address of a page (x.toml:7): write it as https://…");
  EXPECT_EQ(refusal(changed("unit = \"GB\", source = \"sheet\"", "unit = \"GB\"")),
            "the figure has no source (x.toml:9): add source = \"…\", a name from [sources]");
  EXPECT_EQ(refusal(changed("\"GB\", source = \"sheet\"", "\"GB\", source = \"shet\"")),
            "the source is not in [sources] (x.toml:9): add its address there");
  EXPECT_EQ(refusal(changed("[sources]\n", "[sources]\nother = \"https://example.org\"\n")),
            "the source 'other' is not used by any figure (x.toml:7): remove it");
  EXPECT_EQ(refusal(changed("\"GB\"", "\"GB/s\"")),
            "'size' can't be in GB/s (x.toml:9): its units are B, KiB, MiB, GiB, GB, TB");
  EXPECT_EQ(refusal(changed("\"TFLOPS\"", "\"TOPS\"")),
            "'fp16' can't be in TOPS (x.toml:11): its units are TFLOPS, PFLOPS");
  EXPECT_EQ(refusal(changed("value = 8", "value = -8")),
            "the value of 'size' must be a number above 0 (x.toml:9): leave out what is not known");
  EXPECT_EQ(refusal(changed("{ value = 8, unit = \"GB\", source = \"sheet\" }", "8")),
            "'size' must say its source (x.toml:9): write { value = …, source = \"…\" }");
  EXPECT_EQ(
      refusal(changed("\"int8-w8a8\"]", "\"int9\"]")),
      "no such number format 'int9' (x.toml:13): did you mean int8, int4 or int3? known are fp32, tf32, fp16, bf16, "
      "fp8, int8-w8a8, int8, int4, int3");
  EXPECT_EQ(refusal(changed("\"int8-w8a8\"]", "\"int4\"]")),
            "'int4' is for weights only, and every chip can store it (x.toml:13): leave it out");
  EXPECT_EQ(refusal(changed("[\"fp16\", \"int8-w8a8\"]", "[]")),
            "'computes' names no format (x.toml:13): name at least one");
  EXPECT_EQ(
      refusal(changed("[probe]", "stores = { value = [\"fp16\"], source = \"sheet\" }\n[probe]")),
      "'fp16' stands in computes as well (x.toml:14): what is computed in can be stored: leave it in computes only");
  EXPECT_EQ(
      refusal(changed("fp16 = {", "fp32 = {")),
      "a rate of 'fp32', which the chip does not compute in (x.toml:11): add it to formats.computes, or leave the rate "
      "out");
  EXPECT_EQ(refusal(changed("output = \"lines\"", "output = \"xml\"")),
            "unknown output 'xml' of a probe (x.toml:17): known are lines, csv-mib");
  EXPECT_EQ(refusal(changed("[\"X1\"]", "[]")),
            "the probe does not say what the driver calls this chip (x.toml:14): add matches = [\"…\"]");
  EXPECT_EQ(refusal(changed("[memory]\n", "[on_chip]\nl2 = 3\n[memory]\n")),
            "an on-chip memory must be a table (x.toml:9): write [on_chip.NAME]");
}

TEST_F(TemporaryCatalogue, TwoChipsCannotShareAName) {
  write("one.toml", kValid);
  write("two.toml", changed("name = \"X1\"", "name = \"X2\""));
  const auto loaded = load_catalogue(folder_);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().what, "the name 'x' is claimed by X1 as well");
}

TEST_F(TemporaryCatalogue, AnEmptyOrMissingFolderIsRefused) {
  EXPECT_EQ(load_catalogue(folder_).error().what, "the chip catalogue has no .toml file");
  EXPECT_EQ(load_catalogue(folder_ / "none").error().kind, ErrorKind::not_found);
}

TEST_F(TemporaryCatalogue, TheVariableSaysWhereItIs) {
  ::setenv("TORQUETUM_CATALOG", folder_.c_str(), 1);
  EXPECT_EQ(*catalogue_folder(), folder_);
  ::setenv("TORQUETUM_CATALOG", "/nowhere", 1);
  EXPECT_EQ(catalogue_folder().error().message(),
            "the chip catalogue was not found (/nowhere): set TORQUETUM_CATALOG to the catalog folder of Torquetum");
  ::unsetenv("TORQUETUM_CATALOG");
}

TEST(Catalogue, IsFoundBesideTheBinary) {
  ::unsetenv("TORQUETUM_CATALOG");
  ASSERT_TRUE(load_catalogue().ok());  // from build/tests and build/asan/tests as from build/bin
  EXPECT_EQ(find_chip("a100")->name, "A100");
}

}  // namespace
}  // namespace tqm::chips
