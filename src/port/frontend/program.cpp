#include "port/frontend/program.hpp"

#include <array>

namespace tqm::port {
namespace {

constexpr std::array<std::pair<AccessPattern, std::string_view>, 6> kPatterns = {{
    {AccessPattern::uniform, "uniform"},
    {AccessPattern::contiguous, "contiguous"},
    {AccessPattern::strided, "strided"},
    {AccessPattern::row, "row"},
    {AccessPattern::irregular, "irregular"},
    {AccessPattern::indirect, "indirect"},
}};

// The fields of each struct, once for both directions: an archive either writes into or reads out of its Json.
struct Writer {
  Json json = Json::object();
  void operator()(const char* key, const auto& value) { json[key] = written(value); }
  static Json written(const std::string& value) { return value; }
  static Json written(int value) { return value; }
  static Json written(bool value) { return value; }
  static Json written(Feature value) { return std::string(name(value)); }
  static Json written(const AccessCounts& counts) {
    Json all = Json::object();
    for (const auto& [pattern, count] : counts) all[std::string(name(pattern))] = count;
    return all;
  }
  template <class T>
  static Json written(const std::vector<T>& values) {
    Json all = Json::array();
    for (const T& value : values) all.push_back(written(value));
    return all;
  }
  template <class T>
  static Json written(const T& value) {
    Writer part;
    fields(part, const_cast<T&>(value));
    return std::move(part.json);
  }
};

struct Reader {
  const Json& json;
  void operator()(const char* key, auto& value) { read(json.at(key), value); }
  static void read(const Json& from, std::string& value) { value = from.get<std::string>(); }
  static void read(const Json& from, int& value) { value = from.get<int>(); }
  static void read(const Json& from, bool& value) { value = from.get<bool>(); }
  static void read(const Json& from, Feature& value) {
    const auto feature = feature_named(from.get<std::string>());
    if (!feature) throw std::runtime_error("there is no feature " + from.get<std::string>());
    value = *feature;
  }
  static void read(const Json& from, AccessCounts& counts) {
    for (const auto& [pattern, word] : kPatterns)
      if (from.contains(word)) counts[pattern] = from.at(std::string(word)).get<int>();
  }
  template <class T>
  static void read(const Json& from, std::vector<T>& values) {
    for (const Json& item : from) read(item, values.emplace_back());
  }
  template <class T>
  static void read(const Json& from, T& value) {
    Reader part{from};
    fields(part, value);
  }
};

void fields(auto& io, Place& place) {
  io("file", place.file), io("line", place.line), io("column", place.column);
}
void fields(auto& io, Problem& problem) {
  io("text", problem.text), io("place", problem.place);
}
void fields(auto& io, MissingInclude& missing) {
  io("name", missing.name), io("place", missing.place);
}
void fields(auto& io, LineRange& range) {
  io("file", range.file), io("first", range.first), io("last", range.last);
}
void fields(auto& io, FeatureUse& use) {
  io("feature", use.feature), io("line", use.line), io("detail", use.detail), io("file", use.file);
}
void fields(auto& io, KernelFacts& facts) {
  io("features", facts.features), io("reads", facts.reads), io("writes", facts.writes), io("loops", facts.loops);
  io("deepest_loop", facts.deepest_loop), io("thread_dependent_loop", facts.thread_dependent_loop);
  io("multiply_add_loop", facts.multiply_add_loop), io("loop_carried_sum", facts.loop_carried_sum);
  io("exponential", facts.exponential), io("root", facts.root);
}
void fields(auto& io, Kernel& kernel) {
  io("name", kernel.name), io("file", kernel.file), io("line", kernel.line), io("end_line", kernel.end_line);
  io("template_parameters", kernel.template_parameters), io("instantiations", kernel.instantiations);
  io("parameters", kernel.parameters), io("defined", kernel.defined), io("guesses", kernel.guesses);
  io("facts", kernel.facts);
}
void fields(auto& io, Launch& launch) {
  io("kernel", launch.kernel), io("instantiation", launch.instantiation), io("form", launch.form);
  io("grid", launch.grid), io("block", launch.block), io("shared_bytes", launch.shared_bytes);
  io("stream", launch.stream), io("function", launch.function), io("macro", launch.macro);
  io("place", launch.place), io("spelled", launch.spelled);
}
void fields(auto& io, Program& program) {
  io("file", program.file), io("kernels", program.kernels), io("launches", program.launches);
  io("missing", program.missing), io("problems", program.problems), io("left_out", program.left_out);
  io("marks", program.marks);
}

}  // namespace

std::string_view name(AccessPattern pattern) {
  for (const auto& [each, word] : kPatterns)
    if (each == pattern) return word;
  ASSERT(false);
}

Json to_json(const Program& program) {
  return Writer::written(program);
}

Result<Program> program_from_json(const Json& json) {
  try {
    Program program;
    Reader::read(json, program);
    return program;
  } catch (const std::exception& e) {
    return Error{ErrorKind::internal, std::string("a parsed source of another form: ") + e.what(), "", ""};
  }
}

}  // namespace tqm::port
