// The pages and tables, compared with kept ones; UPDATE=1 writes them anew.
#include "chips/show.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "chips/catalogue.hpp"

namespace tqm::chips {
namespace {

const std::vector<Chip>& catalogue() {
  static const std::vector<Chip> loaded = load_catalogue(TQM_SOURCE_DIR "/catalog").take();
  return loaded;
}

void expect_kept(const std::string& path, const std::string& content) {
  const std::string file = std::string(TQM_SOURCE_DIR) + "/" + path;
  const char* update = std::getenv("UPDATE");
  if (update && std::string(update) == "1") {
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file) << content;
  }
  const auto kept = read_file(file);
  ASSERT_TRUE(kept.ok()) << kept.error().message();
  EXPECT_EQ(content, *kept) << path << " is stale: run the test with UPDATE=1 and look at the change";
}

TEST(Show, TheListIsAsKept) {
  expect_kept("tests/cases/chips/list/expected.txt", list_text(catalogue()));
}

TEST(Show, OneChipIsAsKept) {
  expect_kept("tests/cases/chips/show-mlu370-x8/expected.txt", show_text(*find_chip(catalogue(), "mlu370-x8")));
}

TEST(Show, TheReferencePageIsNotStale) {
  expect_kept("docs/chips.md", list_markdown(catalogue()));
}

TEST(Show, JsonHoldsEveryFigureWithItsSource) {
  const Json json = list_json(catalogue());
  ASSERT_EQ(json["chips"].size(), catalogue().size());
  for (const Json& chip : json["chips"]) {
    EXPECT_EQ(chip["formats"].size(), kNumberFormats.size());
    for (const Json& figure : chip["figures"]) EXPECT_TRUE(figure["source"].get<std::string>().starts_with("http"));
  }
  const Json a100 = show_json(*find_chip(catalogue(), "a100"));
  EXPECT_EQ(a100["memory"]["value"], 80e9);
  EXPECT_EQ(a100["rates"]["int8-w8a8"]["value"], 624e12);
  EXPECT_EQ(a100["formats"]["fp8"]["answer"], "only stores");
}

TEST(Show, DetectionAsText) {
  Detection detection;
  detection.processor = {"Example CPU", "x86-64", 8, 64000000000, {"AVX2", "VNNI"}};
  EXPECT_EQ(detect_text(detection),
            "processor  Example CPU, x86-64\ncores      8\nmemory     64.0 GB\nfeatures   AVX2, VNNI\n\n"
            "no accelerator found: work runs on the processor\n");
  detection.devices.push_back({"H200", "NVIDIA H200", "nvidia-smi", 150754820096});
  detection.devices.push_back({"", "", "/dev/davinci0", 0});
  detection.problems.push_back("npu-smi did not answer within 5.0 s and was stopped");
  const std::string text = detect_text(detection);
  EXPECT_NE(text.find("H200"), std::string::npos);
  EXPECT_NE(text.find("not in the catalogue"), std::string::npos);
  EXPECT_NE(text.find("note: npu-smi did not answer"), std::string::npos);
  const Json json = detect_json(detection);
  EXPECT_EQ(json["devices"][0]["chip"], "H200");
  EXPECT_TRUE(json["devices"][1]["chip"].is_null());
  EXPECT_TRUE(json["devices"][1]["memory_bytes"].is_null());
  EXPECT_EQ(json["problems"].size(), 1u);
}

TEST(Show, ACapabilityAsText) {
  const Capability can = capability(*find_chip(catalogue(), "ascend910b"), NumberFormat::fp8);
  EXPECT_EQ(capability_text(can, NumberFormat::fp8),
            "fp8: refuses\nthe Ascend 910B does not compute in fp8, only in fp32, fp16, bf16, int8-w8a8\n"
            "nearest that work: int8-w8a8, int8, bf16\n");
  EXPECT_EQ(capability_json(can, NumberFormat::fp8)["nearest"][0], "int8-w8a8");
}

}  // namespace
}  // namespace tqm::chips
