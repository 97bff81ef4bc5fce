#include "port/host/translate.hpp"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "base/file.hpp"
#include "chips/catalogue.hpp"

namespace tqm::port {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = fs::path(TQM_SOURCE_DIR) / "tests/cases/port/translate";

std::unique_ptr<emit::Emitter> emitter() {
  const auto catalogue = chips::load_catalogue(fs::path(TQM_SOURCE_DIR) / "catalog");
  EXPECT_TRUE(catalogue.ok());
  const auto chip = chips::find_chip(*catalogue, "mlu370-x8");
  EXPECT_TRUE(chip.ok());
  auto made = emit::bang_emitter(*chip);
  EXPECT_TRUE(made.ok());
  return std::move(made).take();
}

ParseOptions parsing() {
  ParseOptions options;
  options.cuda_headers = fs::path(TQM_SOURCE_DIR) / "src/port/emulate/cuda/include";
  return options;
}

std::vector<fs::path> sources(bool refused) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(kCases))
    if (entry.path().extension() == ".cu" && (entry.path().parent_path().filename() == "refused") == refused)
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::string refusals(const emit::EmittedKernel& kernel) {
  std::string text;
  for (const auto& remark : kernel.remarks)
    if (remark.severity == ir::Remark::Severity::refusal)
      text +=
          "TQP" + std::to_string(remark.number) + " line " + std::to_string(remark.line) + ": " + remark.text + "\n";
  return text;
}

// The .mlu beside the .cu, where one is kept: what a reader sees of the translation. UPDATE=1 writes it anew.
void compare_with_kept(const fs::path& source, const std::string& text) {
  fs::path kept = source;
  kept.replace_extension(".mlu");
  if (!fs::exists(kept)) return;
  const char* update = std::getenv("UPDATE");
  if (update != nullptr && std::string(update) == "1") {
    ASSERT_TRUE(write_file_atomic(kept, text).ok());
  }
  const auto before = read_file(kept);
  ASSERT_TRUE(before.ok());
  EXPECT_EQ(*before, text) << kept << " is stale: run the test with UPDATE=1 and look at the change";
}

// Those whose work vector calls do: a change that loses one of them is seen here.
const std::set<std::string> kVectors = {"constant/polynomial",
                                        "double/distance",
                                        "elementwise/gelu_tanh",
                                        "elementwise/leaky_clip",
                                        "elementwise/saxpy",
                                        "elementwise/sigmoid_grad",
                                        "grid/add_2d",
                                        "grid/row_bias",
                                        "grid/scale_3d",
                                        "grid/stride_loop",
                                        "half/half_axpy",
                                        "matmul/naive",
                                        "matmul/tiled",
                                        "norm/layernorm_block",
                                        "norm/rmsnorm_thread",
                                        "reduction/tree_sum",
                                        "shared/running_max",
                                        "shared/two_tiles",
                                        "softmax/row_per_block",
                                        "softmax/row_per_thread",
                                        "stencil/heat_2d",
                                        "struct/by_value",
                                        "template/compile_time_branch",
                                        "template/functor_map",
                                        "transpose/naive"};

// Under the sanitisers every third is enough: most of the time is Clang's, which is not instrumented.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr std::size_t kEvery = 3;
#else
constexpr std::size_t kEvery = 1;
#endif
#else
constexpr std::size_t kEvery = 1;
#endif

TEST(Translate, EveryKernelOfTheCorpusAndTheTiersThatWereReached) {
  const auto bang = emitter();
  std::size_t seen = 0;
  const auto all = sources(false);
  for (std::size_t i = 0; i < all.size(); i += kEvery) {
    const fs::path& source = all[i];
    const auto file = translate_file(source, parsing(), *bang);
    ASSERT_TRUE(file.ok()) << source << file.error().message();
    EXPECT_FALSE(file->emitted.kernels.empty()) << source;
    for (const auto& kernel : file->emitted.kernels) EXPECT_FALSE(kernel.refused) << source << "\n" << refusals(kernel);
    compare_with_kept(source, file->emitted.text);
    if (!kVectors.contains(fs::relative(source, kCases).replace_extension("").string())) continue;
    ++seen;
    for (const auto& kernel : file->emitted.kernels)
      EXPECT_LE(kernel.tier, 'B') << source << ": " << kernel.tier_reason;
  }
  if (kEvery == 1) {
    EXPECT_EQ(seen, kVectors.size());
  }
}

// The first line of a source says which refusal it is for: // Refused: TQP2007
TEST(Translate, RefusesWithTheNumberThatTheCaseNames) {
  const auto bang = emitter();
  for (const auto& source : sources(true)) {
    const auto text = read_file(source);
    ASSERT_TRUE(text.ok());
    const std::string number = text->substr(0, text->find('\n')).substr(std::string("// Refused: ").size());
    const auto file = translate_file(source, parsing(), *bang);
    ASSERT_TRUE(file.ok()) << source << file.error().message();
    ASSERT_EQ(file->emitted.kernels.size(), 1u) << source;
    EXPECT_TRUE(file->emitted.kernels[0].refused) << source;
    EXPECT_NE(refusals(file->emitted.kernels[0]).find(number + " line"), std::string::npos)
        << source << "\n"
        << refusals(file->emitted.kernels[0]);
    EXPECT_EQ(file->emitted.text.find("__mlu_entry__"), std::string::npos) << source;
  }
}

// The first line of a source says what is remarked of its kernel: // Remark: TQP2102
TEST(Translate, RemarksWithTheNumberThatTheCaseNames) {
  const auto bang = emitter();
  std::size_t seen = 0;
  for (const auto& entry : fs::directory_iterator(kCases / "remarks")) {
    if (entry.path().extension() != ".cu") continue;
    ++seen;
    const auto text = read_file(entry.path());
    ASSERT_TRUE(text.ok());
    const std::string number = text->substr(0, text->find('\n')).substr(std::string("// Remark: TQP").size());
    const auto file = translate_file(entry.path(), parsing(), *bang);
    ASSERT_TRUE(file.ok()) << entry.path() << file.error().message();
    ASSERT_EQ(file->emitted.kernels.size(), 1u) << entry.path();
    EXPECT_FALSE(file->emitted.kernels[0].refused) << entry.path();
    bool remarked = false;
    for (const auto& remark : file->emitted.kernels[0].remarks) remarked |= std::to_string(remark.number) == number;
    EXPECT_TRUE(remarked) << entry.path();
  }
  EXPECT_GE(seen, 3u);
}

TEST(Translate, BlocksThatHandWorkToEachOtherRunInOneTask) {
  const auto bang = emitter();
  const auto file = translate_file(kCases / "ticket/last_block.cu", parsing(), *bang);
  ASSERT_TRUE(file.ok());
  for (const auto& kernel : file->emitted.kernels) {
    const bool fenced = kernel.name == "sum_in_one" || kernel.name == "largest_in_one";
    EXPECT_EQ(kernel.text.find("if (taskId != 0) return;") != std::string::npos, fenced) << kernel.name;
    const bool said = std::any_of(kernel.remarks.begin(), kernel.remarks.end(),
                                  [](const ir::Remark& remark) { return remark.number == 2105; });
    EXPECT_EQ(said, fenced) << kernel.name;
  }
}

TEST(Translate, LambdasAndObjectsWithoutStateVanish) {
  const auto bang = emitter();
  for (const char* name : {"lambda/local", "cooperative/groups"}) {
    const auto file = translate_file(kCases / (std::string(name) + ".cu"), parsing(), *bang);
    ASSERT_TRUE(file.ok());
    for (const char* word : {"Lambda", "struct thread_block", "struct plus"})
      EXPECT_EQ(file->emitted.text.find(word), std::string::npos) << name << ": " << word;
  }
}

TEST(Translate, SameInputSameBytes) {
  const auto bang = emitter();
  const fs::path source = kCases / "reduction/shuffle_sum.cu";
  const auto first = translate_file(source, parsing(), *bang), second = translate_file(source, parsing(), *bang);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->emitted.text, second->emitted.text);
}

TEST(Translate, AChipWithoutBangCIsRefused) {
  const auto catalogue = chips::load_catalogue(fs::path(TQM_SOURCE_DIR) / "catalog");
  ASSERT_TRUE(catalogue.ok());
  const auto made = emit::bang_emitter(*chips::find_chip(*catalogue, "h200"));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().kind, ErrorKind::unsupported);
}

TEST(Translate, WritesSourcesAndThePage) {
  const auto catalogue = chips::load_catalogue(fs::path(TQM_SOURCE_DIR) / "catalog");
  ASSERT_TRUE(catalogue.ok());
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  const auto translation = translate(kCases / "double", parsing(), *chips::find_chip(*catalogue, "mlu370-x8"));
  ASSERT_TRUE(translation.ok()) << translation.error().message();
  ASSERT_TRUE(write_translation(*translation, folder->path()).ok());
  EXPECT_TRUE(fs::exists(folder->path() / "distance.mlu"));
  const auto page = read_file(folder->path() / "PORTING.md");
  ASSERT_TRUE(page.ok());
  EXPECT_NE(page->find("TQP2101, line 2: double is computed as float"), std::string::npos) << *page;
  EXPECT_NE(page->find("It assumes that these calls do what their documentation says"), std::string::npos) << *page;
  EXPECT_NE(page->find("that is not checked at run time"), std::string::npos) << *page;
  EXPECT_FALSE(translate(kCases / "nowhere", parsing(), *chips::find_chip(*catalogue, "mlu370-x8")).ok());
}

}  // namespace
}  // namespace tqm::port
