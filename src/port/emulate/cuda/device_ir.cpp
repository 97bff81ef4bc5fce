#include "port/emulate/cuda/device_ir.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "port/emulate/cuda/debug_types.hpp"
#include "port/emulate/cuda/function_errors.hpp"
#include "port/emulate/cuda/kernel_thunk.hpp"

namespace tqm::port::cuda {
namespace {

constexpr std::size_t kDynamicBytes = 166912;  // the most a block of compute capability 8.0 may ask for
constexpr std::size_t kZoneBytes = 64;         // behind each shared variable

// Names that device code gets from us in place of the C library's.
const std::map<std::string, std::string, std::less<>> kReplaced = {
#define ROW(name, ulps) {#name, "tqm_cuda_" #name},
    TQM_FUNCTIONS_OF_ONE(ROW) TQM_FUNCTIONS_OF_TWO(ROW)
#undef ROW
        {"sincosf", "tqm_cuda_sincosf"},
    {"malloc", "tqm_cuda_malloc"},
    {"free", "tqm_cuda_free"},
    {"_Znwm", "tqm_cuda_malloc"},
    {"_Znam", "tqm_cuda_malloc"},
    {"_ZdlPv", "tqm_cuda_free"},
    {"_ZdaPv", "tqm_cuda_free"},
    {"_ZdlPvm", "tqm_cuda_free"},
    {"_ZdaPvm", "tqm_cuda_free"},
    {"__assert_fail", "tqm_cuda_assert_fail"},
    {"clock", "tqm_cuda_clock"}};

// How those of mathematics are declared.
const std::map<std::string, std::string, std::less<>> kMathematics = {
#define ROW(name, ulps) {"tqm_cuda_" #name, "declare float @tqm_cuda_" #name "(float)\n"},
    TQM_FUNCTIONS_OF_ONE(ROW)
#undef ROW
#define ROW(name, ulps) {"tqm_cuda_" #name, "declare float @tqm_cuda_" #name "(float, float)\n"},
        TQM_FUNCTIONS_OF_TWO(ROW)
#undef ROW
            {"tqm_cuda_sincosf", "declare void @tqm_cuda_sincosf(float, ptr, ptr)\n"},
};

bool in_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
         c == '$' || c == '-';
}

// The name behind '@' at `at`, with its quotes where it has some.
std::string_view name_at(std::string_view line, std::size_t at) {
  if (at + 1 < line.size() && line[at + 1] == '"') {
    const auto end = line.find('"', at + 2);
    return end == std::string_view::npos ? std::string_view() : line.substr(at + 1, end - at);
  }
  std::size_t end = at + 1;
  while (end < line.size() && in_name(line[end])) ++end;
  return line.substr(at + 1, end - at - 1);
}

struct SharedVariable {
  std::string name, type;
};

// The end of a type that begins at `from`.
std::size_t past_type(std::string_view text, std::size_t from) {
  int depth = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[' || c == '{' || c == '<' || c == '(') ++depth;
    if (c == ']' || c == '}' || c == '>' || c == ')') {
      --depth;
      if (depth == 0 && (i + 1 == text.size() || text[i + 1] != '>')) return i + 1;
    }
    if (depth == 0 && c == '"') {
      i = text.find('"', i + 1);
      if (i == std::string_view::npos) return i;
    }
    if (depth == 0 && (c == ' ' || c == ',')) return i;
  }
  return text.size();
}

class Rewriter {
 public:
  Rewriter(std::string tag, bool checked) : tag_(std::move(tag)), checked_(checked) {}

  Result<DeviceUnit> run(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = text.find('\n', at);
      if (end == std::string_view::npos) end = text.size();
      lines_.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    for (const std::string_view line : lines_) look_at(line);
    for (const std::string_view line : lines_) copy(line);
    TRY(add_tables());
    return DeviceUnit{std::move(out_), kernels_.size()};
  }

 private:
  // First walk: kernels, shared variables, names of dynamic shared memory, debug information.
  void look_at(std::string_view line) {
    if (line.starts_with("!")) {
      types_.add_line(line);
    } else if (line.starts_with("define ")) {
      if (auto kernel = parse_kernel_definition(line)) kernels_.push_back(std::move(*kernel));
    } else if (line.starts_with("@") && line.find("external ") != std::string_view::npos &&
               line.find(" global [0 x ") != std::string_view::npos) {
      renamed_[std::string(name_at(line, 0))] = "tqm_dynamic_shared";
    }
  }

  void copy(std::string_view line) {
    if (line.starts_with("@")) {
      if (renamed_.contains(name_at(line, 0))) return;  // declared once, below
      if (copy_shared(line)) return;
    }
    if (line.starts_with("declare ")) {
      const std::string_view name = name_at(line, line.find('@'));
      if (kReplaced.contains(name)) return;
    }
    if (is_read_of_place(line)) return;
    copy_renamed(line);
  }

  // threadIdx and its like are the running thread's own: no check.
  static bool is_read_of_place(std::string_view line) {
    const auto call = line.find("@__tsan_read");
    if (call == std::string_view::npos) return false;
    for (const char* name : {"@threadIdx", "@blockIdx", "@blockDim", "@gridDim"})
      if (line.find(name, call) != std::string_view::npos) return true;
    return false;
  }

  // Only a shared variable begins as undef.
  bool copy_shared(std::string_view line) {
    const auto global = line.find(" global ");
    if (global == std::string_view::npos) return false;
    const std::size_t type_begin = global + 8;
    const std::size_t type_end = past_type(line, type_begin);
    if (type_end == std::string_view::npos || line.substr(type_end, 6) != " undef") return false;
    const std::string type(line.substr(type_begin, type_end - type_begin));
    shared_.push_back({std::string(name_at(line, 0)), type});
    const std::string_view rest = line.substr(type_end + 6);
    out_ += fmt::format("{} global {{ {}, [{} x i8] }} undef, section \"tqm_shared\"{}\n", line.substr(0, global), type,
                        kZoneBytes, rest);
    return true;
  }

  void copy_renamed(std::string_view line) {
    std::size_t from = 0;
    for (std::size_t at = line.find('@'); at != std::string_view::npos; at = line.find('@', at + 1)) {
      const std::string_view name = name_at(line, at);
      const std::string* other = nullptr;
      if (const auto mine = renamed_.find(name); mine != renamed_.end()) other = &mine->second;
      if (const auto replaced = kReplaced.find(name); replaced != kReplaced.end()) {
        other = &replaced->second;
        used_.insert({replaced->second, std::string(name)});
      }
      if (!other) continue;
      out_ += line.substr(from, at + 1 - from);
      out_ += *other;
      from = at + 1 + name.size();
    }
    out_ += line.substr(from);
    out_ += '\n';
  }

  // Rows of the tables, as runtime/image.hpp reads them.
  Status add_tables() {
    out_ += "\n; tables of the emulator\n";
    for (std::size_t i = 0; i < kernels_.size(); ++i) TRY(add_kernel(kernels_[i], i));
    for (std::size_t i = 0; i < shared_.size(); ++i) {
      const SharedVariable& v = shared_[i];
      const std::string text = add_text(v.name, fmt::format("tqm_shared_name_{}_{}", tag_, i));
      out_ += fmt::format(
          "@tqm_shared_row_{0}_{1} = internal constant {{ ptr, i64, ptr }} {{ ptr @{2}, i64 ptrtoint (ptr "
          "getelementptr "
          "({3}, ptr null, i32 1) to i64), ptr @{4} }}, section \"tqm_shared_table\", align 8\n",
          tag_, i, v.name, v.type, text);
    }
    for (const auto& [name, original] : used_) {
      if (const auto known = kMathematics.find(name); known != kMathematics.end()) out_ += known->second;
      if (name == "tqm_cuda_malloc") out_ += "declare ptr @tqm_cuda_malloc(i64)\n";
      if (name == "tqm_cuda_free") out_ += "declare void @tqm_cuda_free(ptr)\n";
      if (name == "tqm_cuda_assert_fail") out_ += "declare void @tqm_cuda_assert_fail(ptr, ptr, i32, ptr)\n";
      if (name == "tqm_cuda_clock" && !declares("tqm_cuda_clock")) out_ += "declare i64 @tqm_cuda_clock()\n";
    }
    add_borders();
    return {};
  }

  bool declares(const std::string& name) const {
    for (const std::string_view line : lines_)
      if (line.starts_with("declare ") && name_at(line, line.find('@')) == name) return true;
    return false;
  }

  Status add_kernel(const KernelDefinition& kernel, std::size_t i) {
    const auto types = types_.parameters(kernel.subprogram);
    const std::string thunk = fmt::format("tqm_thunk_{}_{}", tag_, i);
    const auto text = types ? thunk_text(kernel, *types, thunk) : std::nullopt;
    if (!text)
      return Error{ErrorKind::unsupported, "the parameters of the kernel are passed in a way that is not known",
                   kernel.name, "pass them by pointer"};
    out_ += *text;
    std::string sizes;
    for (const ParameterType& type : *types) sizes += fmt::format("{}i64 {}", sizes.empty() ? "" : ", ", type.bytes);
    out_ += fmt::format("@tqm_sizes_{}_{} = internal constant [{} x i64] [{}]\n", tag_, i, types->size(), sizes);
    const std::string name = add_text(kernel.name, fmt::format("tqm_kernel_name_{}_{}", tag_, i));
    out_ += fmt::format(
        "@tqm_kernel_row_{0}_{1} = internal constant {{ ptr, ptr, ptr, i64, ptr }} {{ ptr @{2}, ptr @{3}, ptr @{4}, "
        "i64 {5}, ptr @tqm_sizes_{0}_{1} }}, section \"tqm_kernel_table\", align 8\n",
        tag_, i, name, thunk, kernel.name, types->size());
    return {};
  }

  std::string add_text(std::string text, const std::string& name) {
    if (text.starts_with("\"")) text = text.substr(1, text.size() - 2);
    out_ += fmt::format("@{} = internal constant [{} x i8] c\"{}\\00\"\n", name, text.size() + 1, text);
    return name;
  }

  // Every unit says the same; the linker keeps one. The anchors make the sections exist.
  void add_borders() {
    for (const char* section : {"tqm_kernel_table", "tqm_shared_table", "tqm_shared", "tqm_branch_table"})
      out_ +=
          fmt::format("@__start_{0} = external hidden global i8\n@__stop_{0} = external hidden global i8\n", section);
    out_ += "@tqm_shared_anchor = weak hidden global [64 x i8] undef, section \"tqm_shared\", align 16\n";
    out_ += fmt::format(
        "@tqm_shared_anchor_row_{0} = internal constant {{ ptr, i64, ptr }} {{ ptr @tqm_shared_anchor, i64 0, ptr "
        "@tqm_nobody_{0} }}, section \"tqm_shared_table\", align 8\n@tqm_nobody_{0} = internal constant [1 x i8] "
        "zeroinitializer\n@tqm_kernel_anchor_{0} = internal constant [0 x i64] zeroinitializer, section "
        "\"tqm_kernel_table\", align 8\n@tqm_branch_anchor_{0} = internal global [0 x i64] zeroinitializer, section "
        "\"tqm_branch_table\", align 8\n",
        tag_);
    out_ +=
        fmt::format("@tqm_dynamic_shared = weak hidden global [{} x i8] undef, section \"tqm_dynamic\", align 1024\n",
                    kDynamicBytes);
    out_ += fmt::format(
        "@tqm_cuda_image = weak constant {{ ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, ptr, ptr }} {{ ptr "
        "@__start_tqm_kernel_table, ptr @__stop_tqm_kernel_table, ptr @__start_tqm_shared_table, ptr "
        "@__stop_tqm_shared_table, ptr @__start_tqm_shared, ptr @__stop_tqm_shared, ptr @tqm_dynamic_shared, i64 {}, "
        "i64 {}, ptr @__start_tqm_branch_table, ptr @__stop_tqm_branch_table }}\n",
        kDynamicBytes, checked_ ? 1 : 0);
  }

  std::string tag_;
  bool checked_;
  std::vector<std::string_view> lines_;
  std::vector<KernelDefinition> kernels_;
  std::vector<SharedVariable> shared_;
  std::map<std::string, std::string, std::less<>> renamed_;
  std::map<std::string, std::string> used_;
  DebugTypes types_;
  std::string out_;
};

}  // namespace

Result<DeviceUnit> prepare_device_ir(std::string_view text, const std::string& tag, bool checked) {
  return Rewriter(tag, checked).run(text);
}

}  // namespace tqm::port::cuda
