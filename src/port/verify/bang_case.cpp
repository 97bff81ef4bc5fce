#include "port/verify/bang_case.hpp"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <fmt/format.h>
#include <regex>

namespace tqm::port {
namespace {

Error refused(const PreparedCase& cuda, std::string what, std::string next) {
  return {ErrorKind::unsupported, std::move(what), cuda.label, std::move(next)};
}

Argument number_argument(std::uint32_t value) {
  Argument argument;
  argument.bytes.resize(bytes_of(Element::i32));
  put_integer(Element::i32, value, argument.bytes.data());
  return argument;
}

Result<Argument> extra_argument(const PreparedCase& cuda, const BangExtra& extra) {
  const LaunchCase& launch = cuda.launch;
  if (extra.kind != BangExtra::Kind::symbol) {
    const auto which = static_cast<std::size_t>(extra.kind);
    return number_argument(which < 3 ? launch.grid[which] : launch.block[which - 3]);
  }
  const auto found = std::find_if(launch.symbols.begin(), launch.symbols.end(),
                                  [&](const Symbol& symbol) { return symbol.name == extra.symbol; });
  if (found == launch.symbols.end())
    return refused(cuda, "the variable " + extra.symbol + " is read, and the case has no buffer for it",
                   "give the harness a buffer with symbol = \"" + extra.symbol + "\"");
  Argument argument;
  argument.bytes.resize(sizeof(void*));
  argument.pointers[0] = {found->buffer, 0};
  return argument;
}

Status check_launch(const PreparedCase& cuda, const BangForm& form) {
  const LaunchCase& launch = cuda.launch;
  for (std::size_t i = 0; i < 3; ++i)
    if (form.fixed_block[i] != 0 && form.fixed_block[i] != launch.block[i])
      return refused(cuda,
                     fmt::format("the translation is for blocks of {} in direction {}, and the launch has {}",
                                 form.fixed_block[i], "xyz"[i], launch.block[i]),
                     "translate with this launch in sight");
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads > form.most_threads)
    return refused(cuda,
                   fmt::format("the translation is for up to {} threads a block, and the launch has {}",
                               form.most_threads, threads),
                   "translate with this launch in sight");
  if (launch.dynamic_shared_bytes > form.most_dynamic_bytes)
    return refused(cuda,
                   fmt::format("the translation is for up to {} bytes of dynamic shared memory, and the launch has {}",
                               form.most_dynamic_bytes, launch.dynamic_shared_bytes),
                   "translate with this launch in sight");
  return {};
}

// The kernel's name on a side where every double is a float: what a mangled one says, with the other word.
std::string name_in_float(const std::string& kernel) {
  int status = 0;
  // A plain name may be that of a type: c is char.
  char* text = kernel.starts_with("_Z") ? abi::__cxa_demangle(kernel.c_str(), nullptr, nullptr, &status) : nullptr;
  const std::string name = status == 0 && text ? text : kernel;
  std::free(text);
  static const std::regex word("\\bdouble\\b");
  return std::regex_replace(name, word, "float");
}

std::vector<std::byte> narrowed(const std::vector<std::byte>& doubles) {
  const std::size_t count = doubles.size() / bytes_of(Element::f64);
  std::vector<std::byte> floats(count * bytes_of(Element::f32));
  for (std::size_t i = 0; i < count; ++i)
    put_value(Element::f32, value_at(Element::f64, doubles.data() + i * bytes_of(Element::f64)),
              floats.data() + i * bytes_of(Element::f32));
  return floats;
}

}  // namespace

Result<PreparedCase> in_float(const PreparedCase& prepared) {
  PreparedCase out = prepared;
  out.launch.kernel = name_in_float(prepared.launch.kernel);
  const auto is_double = [&](const std::string& buffer) { return prepared.elements.at(buffer) == Element::f64; };
  for (Buffer& buffer : out.launch.buffers) {
    if (!is_double(buffer.name)) continue;
    buffer.bytes /= 2;
    out.elements[buffer.name] = Element::f32;
    if (buffer.initialised) out.contents[buffer.name] = narrowed(prepared.contents.at(buffer.name));
  }
  for (std::size_t i = 0; i < out.launch.arguments.size(); ++i) {
    Argument& argument = out.launch.arguments[i];
    for (auto& [at, to] : argument.pointers)
      if (is_double(to.buffer)) to.offset /= 2;
    const auto element = i < out.argument_elements.size() ? out.argument_elements[i] : std::nullopt;
    if (element == Element::f64) {
      argument.bytes = narrowed(argument.bytes);
      out.argument_elements[i] = Element::f32;
    }
  }
  return out;
}

Result<PreparedCase> bang_case(const PreparedCase& cuda, const BangForm& form, std::uint32_t tasks) {
  TRY(check_launch(cuda, form));
  PreparedCase out = form.demoted ? TRY(in_float(cuda)) : cuda;
  LaunchCase& launch = out.launch;
  launch.kernel = form.kernel;
  for (const BangExtra& extra : form.extras) launch.arguments.push_back(TRY(extra_argument(cuda, extra)));
  launch.task_type = form.task_type;
  launch.task_dim = {tasks, 1, 1};
  return out;
}

}  // namespace tqm::port
