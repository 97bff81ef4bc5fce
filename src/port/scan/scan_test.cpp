// Small trees of sources in tests/cases/port/scan, and what a scan says of each; UPDATE=1 writes that anew.
#include "port/scan/scan.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "port/frontend/extract.hpp"
#include "port/scan/show.hpp"

namespace tqm::port {
namespace {
namespace fs = std::filesystem;

const fs::path kCases = TQM_SOURCE_DIR "/tests/cases/port/scan";

Result<Program> parse_here(ParseOptions options) {
  options.cuda_headers = TQM_SOURCE_DIR "/src/port/emulate/cuda/include";
  const Unit unit = TRY(parse(options));
  return extract(unit);
}

Scan scan_of(const fs::path& path) {
  ScanOptions options;
  options.path = path;
  options.jobs = 2;
  auto found = scan(options, parse_here);
  EXPECT_TRUE(found.ok()) << found.error().message();
  return std::move(found).take();
}

std::string without_folder(std::string text, const std::string& folder) {
  for (size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at))
    text.erase(at, folder.size());
  return text;
}

// Lines, not columns: a table's widths would change with the folder's name.
std::string kept_form(const Scan& found, const std::string& folder) {
  std::string text;
  const Json kernels = kernels_json(found);
  for (const Json& row : kernels) {
    text += row["kernel"].get<std::string>() + " " + row["file"].get<std::string>() + ":" + row["line"].dump() + "-" +
            row["end_line"].dump() + " " + row["read_by"].get<std::string>() + "\n";
    text += "  tier " + row["tier"].get<std::string>() + ": " + row["reason"].get<std::string>() + "\n";
    for (const Json& use : row["features"])
      text += "  uses " + use["feature"].get<std::string>() + " " + use["line"].dump() + " " +
              use["detail"].get<std::string>() + "\n";
    if (!row["instantiations"].empty()) text += "  instances " + row["instantiations"].dump() + "\n";
    text += "  reads " + row["reads"].dump() + " writes " + row["writes"].dump() + "\n";
    for (const Json& d : row["diagnostics"])
      text += "  " + d["code"].get<std::string>() + " " + d["line"].dump() + " " + d["text"].get<std::string>() + "\n";
    for (const Json& launch : row["launches"]) text += "  launched " + launch["line"].dump() + "\n";
  }
  for (const Json& row : calls_json(found)) text += row.dump() + "\n";
  for (const Diagnostic& d : found.of_files)
    text += code_of(d.number) + " " + d.file + ":" + std::to_string(d.line) + " " + d.text + "\n";
  return without_folder(text, folder);
}

TEST(Scan, EachCaseIsAsKept) {
  std::set<std::string> seen;
  for (const auto& entry : fs::directory_iterator(kCases)) {
    const std::string text = kept_form(scan_of(entry.path()), entry.path().string() + "/");
    const fs::path file = entry.path() / "expected.txt";
    const char* update = std::getenv("UPDATE");
    if (update && std::string(update) == "1") std::ofstream(file) << text;
    const auto kept = read_file(file);
    ASSERT_TRUE(kept.ok()) << kept.error().message();
    EXPECT_EQ(text, *kept) << file << " is stale: run the test with UPDATE=1 and look at the change";
    for (const DiagnosticKind& kind : scan_kinds())
      if (kept->find(code_of(kind.number)) != std::string::npos) seen.insert(code_of(kind.number));
  }
  for (const DiagnosticKind& kind : scan_kinds())
    EXPECT_TRUE(kind.number == 1001 || seen.count(code_of(kind.number))) << "no case shows " << kind.number;
}

TEST(Scan, TheTextNamesKernelsAndNumbers) {
  const Scan found = scan_of(kCases / "half_read");
  const std::string kernels = kernels_text(found);
  EXPECT_NE(kernels.find("unknown_type"), std::string::npos) << kernels;
  EXPECT_NE(kernels.find("TQP1002 × 3: the kernel rests on something that is not declared."), std::string::npos)
      << kernels;
  EXPECT_NE(kernels.find("TQP1003 headers not found, taken for empty: company/base.h"), std::string::npos) << kernels;
  const std::string calls = calls_text(scan_of(kCases / "libraries"));
  EXPECT_NE(calls.find("cnnlMatMulEx, cnnlMatMul_v2"), std::string::npos) << calls;
}

// Whatever the parser does, no other file is lost, and this one is read word by word.
TEST(Scan, AFileThatEndsClangIsReadByItsWords) {
  ScanOptions options;
  options.path = kCases / "everyday";
  const auto found = scan(options, [](const ParseOptions&) -> Result<Program> {
    return Error{ErrorKind::bad_input, "Clang ended by signal 11 (Segmentation fault)", "", ""};
  });
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->kernels.size(), scan_of(options.path).kernels.size());
  EXPECT_EQ(found->launches.size(), 10u);  // cudaLaunchKernel's names none that words would find
  ASSERT_EQ(found->of_files.size(), 1u);
  EXPECT_EQ(found->of_files[0].number, 1001);
  EXPECT_EQ(found->of_files[0].text, "Clang ended by signal 11 (Segmentation fault)");
  for (const KernelRow& row : found->kernels) {
    EXPECT_TRUE(row.by_words);
    EXPECT_EQ(row.expected.diagnostics.front().number, 1001);
  }
}

TEST(Scan, TakesCompileCommands) {
  const TemporaryFolder folder = TemporaryFolder::make("tqm-scan").take();
  fs::create_directories(folder.path() / "build");
  fs::create_directories(folder.path() / "given dir");
  std::ofstream(folder.path() / "given dir" / "size.h") << "#define SIZE 4\n";
  std::ofstream(folder.path() / "k.cu")
      << "#include <size.h>\n#ifdef WANTED\n__global__ void wanted(int* x) { x[SIZE] = 1; }\n#endif\n";
  std::ofstream(folder.path() / "build" / "compile_commands.json")
      << R"([{"directory": ")" << folder.path().string() << R"(/build", "file": "../k.cu",
              "command": "nvcc -std=c++14 '-I../given dir' -D WANTED=1 -c ../k.cu"}])";
  const Scan found = scan_of(folder.path());
  ASSERT_EQ(found.kernels.size(), 1u);
  EXPECT_FALSE(found.kernels[0].by_words);
  EXPECT_TRUE(found.kernels[0].kernel.guesses.empty());
  EXPECT_TRUE(found.of_files.empty());
  std::ofstream(folder.path() / "build" / "compile_commands.json") << "{}";
  ScanOptions options;
  options.path = folder.path();
  EXPECT_EQ(scan(options, parse_here).error().what, "the compile commands are no array");
}

TEST(Scan, RefusesWhatIsNotThere) {
  ScanOptions options;
  options.path = "/nowhere/at/all";
  EXPECT_EQ(scan(options, parse_here).error().message(),
            "there is no such file or folder (/nowhere/at/all): name a CUDA source or a folder of them");
}

// A seeded mutator: words taken out, doubled, exchanged, cut anywhere. The process lives, and so does every kernel
// whose mark the words still hold.
TEST(Scan, MangledSourcesNeverCrash) {
  const std::string source = read_file(kCases / "everyday" / "kernels.cu").take();
  uint64_t state = 12345;
  const auto random = [&](size_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>((state >> 33) % below);
  };
  const TemporaryFolder folder = TemporaryFolder::make("tqm-mangled").take();
  for (int round = 0; round < 25; ++round) {
    std::string mangled = source;
    for (size_t change = random(8) + 1; change > 0; --change) {
      const size_t at = random(mangled.size()), length = std::min(random(40), mangled.size() - at);
      switch (random(4)) {
        case 0:
          mangled.erase(at, length);
          break;
        case 1:
          mangled.insert(random(mangled.size()), mangled.substr(at, length));
          break;
        case 2:
          mangled[at] = "(){}<>;,*&\"'#\\\0\xff"[random(16)];
          break;
        default:
          mangled.resize(mangled.size() - std::min(mangled.size() / 2, random(200)));
      }
    }
    std::ofstream(folder.path() / "k.cu", std::ios::binary) << mangled;
    const Scan found = scan_of(folder.path());
    EXPECT_LE(found.kernels.size(), 60u);
  }
}

}  // namespace
}  // namespace tqm::port
