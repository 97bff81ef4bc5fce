#include "port/emulate/cuda/kernel_thunk.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace tqm::port::cuda {
namespace {

// One register or memory argument of the definition.
struct IrParameter {
  std::string type;        // i32, ptr, <2 x float>, …
  std::string attributes;  // what the call must repeat
  std::string name;
  bool by_value = false;  // a copy in memory
};

// The end of what opens at `from`, past its closing bracket; npos where it does not close.
std::size_t past_closing(std::string_view text, std::size_t from) {
  int depth = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (text[i] == '"') {
      i = text.find('"', i + 1);
      if (i == std::string_view::npos) return i;
      continue;
    }
    if (std::string_view("([{<").find(text[i]) != std::string_view::npos) ++depth;
    if (std::string_view(")]}>").find(text[i]) != std::string_view::npos && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

std::vector<std::string> split_parameters(std::string_view text) {
  std::vector<std::string> list;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      const std::string_view item = trim(text.substr(begin, i - begin));
      if (!item.empty()) list.emplace_back(item);
      begin = i + 1;
      continue;
    }
    if (text[i] == '"') {
      const auto end = text.find('"', i + 1);
      if (end == std::string_view::npos) return list;
      i = end;
      continue;
    }
    if (std::string_view("([{<").find(text[i]) != std::string_view::npos) ++depth;
    if (std::string_view(")]}>").find(text[i]) != std::string_view::npos) --depth;
  }
  return list;
}

IrParameter parse_parameter(const std::string& text) {
  IrParameter parameter;
  std::size_t type_end = text.find(' ');
  if (text[0] == '<' || text[0] == '{' || text[0] == '[') type_end = past_closing(text, 0);
  parameter.type = text.substr(0, type_end);
  const auto name = text.rfind('%');
  // A name may not be there; a % inside byval(…) is a type's.
  if (name != std::string::npos && text.find(')', name) == std::string::npos) parameter.name = text.substr(name + 1);
  const auto by_value = text.find("byval(");
  if (by_value != std::string::npos) {
    parameter.by_value = true;
    const auto end = past_closing(text, by_value + 5);
    parameter.attributes = text.substr(by_value, end - by_value);
    const auto align = text.find(" align ", end);
    if (align != std::string::npos) parameter.attributes += text.substr(align, text.find(' ', align + 7) - align);
  }
  for (const char* word : {"zeroext", "signext"})
    if (text.find(word) != std::string::npos) parameter.attributes = word;
  return parameter;
}

bool is_part(const IrParameter& parameter, const char* suffix) {
  return parameter.name.find(suffix) != std::string::npos;
}

class Writer {
 public:
  explicit Writer(const KernelDefinition& kernel) {
    for (const std::string& text : kernel.parameters) ir_.push_back(parse_parameter(text));
  }

  bool take(std::size_t index, const ParameterType& type) {
    if (type.empty) return true;
    if (next_ >= ir_.size()) return false;
    const IrParameter first = ir_[next_++];
    body_ +=
        fmt::format("  %a{0} = getelementptr ptr, ptr %arguments, i64 {0}\n  %p{0} = load ptr, ptr %a{0}\n", index);
    const std::string at = fmt::format("%p{}", index);
    const bool in_memory = type.composite && first.type == "ptr" && !is_part(first, ".coerce");
    if (first.by_value || in_memory) {
      pass(first, at);
      return true;
    }
    load(first, at, index, 0);
    if (!is_part(first, ".coerce0")) return true;
    if (next_ >= ir_.size()) return false;
    const IrParameter second = ir_[next_++];
    body_ += fmt::format("  %q{0} = getelementptr i8, ptr %p{0}, i64 8\n", index);
    load(second, fmt::format("%q{}", index), index, 1);
    return true;
  }

  bool complete() const { return next_ == ir_.size(); }
  const std::string& body() const { return body_; }
  const std::string& arguments() const { return arguments_; }

 private:
  void pass(const IrParameter& parameter, const std::string& value) {
    arguments_ += fmt::format("{}{} {}{}{}", arguments_.empty() ? "" : ", ", parameter.type, parameter.attributes,
                              parameter.attributes.empty() ? "" : " ", value);
  }
  void load(const IrParameter& parameter, const std::string& from, std::size_t index, int part) {
    const std::string value = fmt::format("%v{}.{}", index, part);
    if (parameter.type == "i1") {  // a bool is a byte in memory
      body_ += fmt::format("  {0}.byte = load i8, ptr {1}\n  {0} = icmp ne i8 {0}.byte, 0\n", value, from);
    } else {
      body_ += fmt::format("  {} = load {}, ptr {}, align 1\n", value, parameter.type, from);
    }
    pass(parameter, value);
  }

  std::vector<IrParameter> ir_;
  std::size_t next_ = 0;
  std::string body_, arguments_;
};

}  // namespace

std::optional<KernelDefinition> parse_kernel_definition(std::string_view line) {
  if (!line.starts_with("define ") || line.find("section \"tqm_kernel\"") == std::string_view::npos)
    return std::nullopt;
  const auto at = line.find('@');
  const auto open = line.find('(', at == std::string_view::npos                  ? 0
                                   : line.size() > at + 1 && line[at + 1] == '"' ? line.find('"', at + 2)
                                                                                 : at);
  if (at == std::string_view::npos || open == std::string_view::npos) return std::nullopt;
  const auto close = past_closing(line, open);
  if (close == std::string_view::npos) return std::nullopt;
  KernelDefinition kernel;
  kernel.name = line.substr(at + 1, open - at - 1);
  kernel.parameters = split_parameters(line.substr(open + 1, close - open - 2));
  const auto debug = line.rfind("!dbg !");
  if (debug == std::string_view::npos) return std::nullopt;
  kernel.subprogram = std::strtoull(std::string(line.substr(debug + 6)).c_str(), nullptr, 10);
  return kernel;
}

std::optional<std::string> thunk_text(const KernelDefinition& kernel, const std::vector<ParameterType>& types,
                                      const std::string& thunk_name) {
  Writer writer(kernel);
  for (std::size_t i = 0; i < types.size(); ++i)
    if (!writer.take(i, types[i])) return std::nullopt;
  if (!writer.complete()) return std::nullopt;
  return fmt::format("define internal void @{}(ptr %arguments) {{\n{}  call void @{}({})\n  ret void\n}}\n", thunk_name,
                     writer.body(), kernel.name, writer.arguments());
}

}  // namespace tqm::port::cuda
