// For tests: a .mlu of tests/cases/port/bang compiled into a side, and runs of kernels k(float* out, const float* in,
// int n), where in holds 0, 1, 2, … and out as many elements.
#pragma once

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/process.hpp"
#include "chips/catalogue.hpp"
#include "port/emulate/bang/compile_mlu.hpp"
#include "port/launch/launch_case.hpp"

namespace tqm::port::bang {

struct Shape {
  unsigned clusters = 0;  // 0: Block
  unsigned tasks = 1;
  int elements = 1024;
};

struct Outcome {
  LaunchResult result;
  std::vector<float> out;
};

class SideForTests {
 public:
  // Every `__mlu_entry__ void NAME(float* out, …` of the file, and `more` besides, that macros write.
  static Result<SideForTests> compile(const std::string& file,
                                      const std::vector<std::pair<std::string, std::string>>& more) {
    SideForTests side(TRY(TemporaryFolder::make("side")));
    const std::filesystem::path source = std::filesystem::path(TQM_SOURCE_DIR) / "tests/cases/port/bang" / file;
    side.text_ = TRY(read_file(source));
    MluSource mlu{.file = source, .kernels = more, .flags = {}, .append = {}};
    const std::string mark = "__mlu_entry__ void ";
    for (std::size_t at = side.text_.find(mark); at != std::string::npos; at = side.text_.find(mark, at + 1)) {
      const std::size_t begin = at + mark.size();
      const std::string name = side.text_.substr(begin, side.text_.find('(', begin) - begin);
      if (name.find('#') == std::string::npos) {
        mlu.kernels.emplace_back(name, name);
      }
    }
    const auto chip = TRY(chips::find_chip("mlu370-x8"));
    const EmulatorPlaces places = TRY(find_emulator());
    TRY(compile_mlu(mlu, chip, places, side.program()));
    return side;
  }

  int line_of(const std::string& comment) const {
    int line = 1;
    std::size_t begin = 0;
    for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n', begin), ++line) {
      if (end - begin >= comment.size() && text_.compare(end - comment.size(), comment.size(), comment) == 0) {
        return line;
      }
      begin = end + 1;
    }
    return 0;
  }

  Outcome run(const std::string& kernel, const Shape& shape, std::vector<std::string> options) const {
    const std::filesystem::path folder = folder_.path() / "case";
    std::filesystem::create_directories(folder);
    const auto bytes = static_cast<std::size_t>(shape.elements) * sizeof(float);
    std::vector<float> in(static_cast<std::size_t>(shape.elements));
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = static_cast<float>(i);
    }
    std::ofstream(folder / "in.in", std::ios::binary)
        .write(reinterpret_cast<const char*>(in.data()), static_cast<std::streamsize>(bytes));
    LaunchCase launch;
    launch.kernel = kernel;
    launch.task_dim = {shape.tasks, 1, 1};
    launch.task_type = shape.clusters == 0 ? "block" : "union" + std::to_string(shape.clusters);
    launch.buffers = {{"out", bytes, false}, {"in", bytes, true}};
    Argument count;
    count.bytes.resize(sizeof(int));
    std::memcpy(count.bytes.data(), &shape.elements, sizeof(int));
    launch.arguments = {pointer("out"), pointer("in"), count};
    const auto written = write_case(launch, folder);
    EXPECT_TRUE(written.ok());
    options.insert(options.begin(), {program().string(), folder.string()});
    const auto ended = run_command({.arguments = std::move(options), .timeout_seconds = 60});
    EXPECT_TRUE(ended.ok() && ended->code == 0) << (ended.ok() ? ended->errors : ended.error().what);
    Outcome run;
    auto result = read_result(folder);
    EXPECT_TRUE(result.ok()) << kernel;
    if (result.ok()) {
      run.result = std::move(result).take();
    }
    const auto out = read_file(folder / "out.out");
    run.out.resize(static_cast<std::size_t>(shape.elements));
    if (out.ok() && out->size() == bytes) {
      std::memcpy(run.out.data(), out->data(), bytes);
    }
    return run;
  }

 private:
  explicit SideForTests(TemporaryFolder folder) : folder_(std::move(folder)) {}
  std::filesystem::path program() const { return folder_.path() / "side"; }
  static Argument pointer(const std::string& buffer) {
    Argument argument;
    argument.bytes.resize(sizeof(void*));
    argument.pointers[0] = {buffer, 0};
    return argument;
  }

  TemporaryFolder folder_;
  std::string text_;
};

}  // namespace tqm::port::bang
