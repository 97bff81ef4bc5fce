#include "port/launch/launch_case.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <set>

#include "base/file.hpp"
#include "base/scratch_file.hpp"
#include "port/launch/json_fields.hpp"

namespace tqm::port {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 40;  // of one buffer; what no machine holds is no size
constexpr std::size_t kMostArgumentBytes = 32764;         // CUDA 12.1's bound for all parameters of a kernel
constexpr std::size_t kPointerBytes = 8;
const std::set<std::string> kTaskTypes = {"block", "union1", "union2", "union4", "union8"};

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= 200 && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  });
}

Result<std::vector<std::byte>> parse_hex(const std::string& text, const std::string& where) {
  auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
  };
  if (text.size() % 2 != 0 || text.size() / 2 > kMostArgumentBytes)
    return bad_case(where, "not the bytes of an argument: pairs of hexadecimal digits");
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]);
    const int low = digit(text[i + 1]);
    if (high < 0 || low < 0) return bad_case(where, "not the bytes of an argument: pairs of hexadecimal digits");
    bytes.push_back(static_cast<std::byte>(high * 16 + low));
  }
  return bytes;
}

std::string hex_text(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const std::byte b : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(b));
  return text;
}

const Buffer* find_buffer(const LaunchCase& launch, const std::string& name) {
  for (const Buffer& buffer : launch.buffers)
    if (buffer.name == name) return &buffer;
  return nullptr;
}

Result<Buffer> parse_buffer(const Json& json, const std::string& where) {
  Buffer buffer;
  buffer.name = TRY(string_field(json, "name", where));
  if (!is_name(buffer.name)) return bad_case(where + ".name", "not a name of letters, digits and _");
  buffer.bytes = TRY(number_field(json, "bytes", where, kMostBytes));
  buffer.initialised = TRY(bool_field(json, "initialised", where));
  return buffer;
}

Result<Argument> parse_argument(const Json& json, const std::string& where) {
  Argument argument;
  const std::string digits = TRY(string_field(json, "bytes", where));
  argument.bytes = TRY(parse_hex(digits, where + ".bytes"));
  const Json pointers = TRY(array_field(json, "pointers", where));
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const std::string at = fmt::format("{}.pointers[{}]", where, i);
    const std::size_t position = TRY(number_field(pointers[i], "at", at, kMostArgumentBytes));
    PointerTo to{TRY(string_field(pointers[i], "buffer", at)),
                 TRY(number_field(pointers[i], "offset", at, kMostBytes))};
    if (!argument.pointers.emplace(position, std::move(to)).second)
      return bad_case(at, "a second pointer at one place");
  }
  return argument;
}

Result<std::array<std::uint32_t, 3>> parse_three(const Json& json, const char* key, const std::string& where) {
  const Json list = TRY(array_field(json, key, where));
  if (list.size() != 3) return bad_case(where + "." + key, "not three numbers");
  std::array<std::uint32_t, 3> three{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t n = TRY(number_value(list[i], fmt::format("{}.{}[{}]", where, key, i), 0x7fffffff));
    if (n == 0) return bad_case(where + "." + key, "a size of zero");
    three[i] = static_cast<std::uint32_t>(n);
  }
  return three;
}

// What the fields mean together: pointers lie in buffers that are there.
Status check_case(const LaunchCase& launch, const std::string& where) {
  if (launch.kernel.empty()) return bad_case(where + ".kernel", "no kernel is named");
  if (!kTaskTypes.contains(launch.task_type))
    return bad_case(where + ".task_type", "not block, union1, union2, union4 or union8");
  std::set<std::string> names;
  for (const Buffer& buffer : launch.buffers)
    if (!names.insert(buffer.name).second) return bad_case(where + ".buffers", "two buffers called " + buffer.name);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Argument& argument = launch.arguments[i];
    const std::string at = fmt::format("{}.arguments[{}]", where, i);
    std::size_t free_from = 0;
    for (const auto& [position, to] : argument.pointers) {
      if (position < free_from || position + kPointerBytes > argument.bytes.size())
        return bad_case(
            at, fmt::format("a pointer at byte {} does not fit into {} bytes", position, argument.bytes.size()));
      free_from = position + kPointerBytes;
      const Buffer* buffer = find_buffer(launch, to.buffer);
      if (!buffer) return bad_case(at, "points into " + to.buffer + ", which is no buffer of the case");
      if (to.offset > buffer->bytes) return bad_case(at, "points behind the end of " + to.buffer);
    }
  }
  for (const Symbol& symbol : launch.symbols) {
    if (symbol.name.empty()) return bad_case(where + ".symbols", "a symbol without a name");
    if (!find_buffer(launch, symbol.buffer))
      return bad_case(where + ".symbols", symbol.buffer + " is no buffer of the case");
  }
  return {};
}

Status check_files(const LaunchCase& launch, const std::filesystem::path& folder) {
  for (const Buffer& buffer : launch.buffers) {
    if (!buffer.initialised) continue;
    const std::filesystem::path path = folder / (buffer.name + ".in");
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error) return system_error("can't read a buffer's content", path, error.value());
    if (size != buffer.bytes)
      return bad_case(path.string(), fmt::format("{} bytes, and the case says {}", size, buffer.bytes));
  }
  return {};
}

Json argument_json(const Argument& argument) {
  Json pointers = Json::array();
  for (const auto& [position, to] : argument.pointers)
    pointers.push_back(Json{{"at", position}, {"buffer", to.buffer}, {"offset", to.offset}});
  return Json{{"bytes", hex_text(argument.bytes)}, {"pointers", pointers}};
}

}  // namespace

Result<LaunchCase> parse_case(const std::string& text, const std::string& where) {
  const Json json = TRY(parse_json(text, where));
  LaunchCase launch;
  launch.kernel = TRY(string_field(json, "kernel", where));
  launch.grid = TRY(parse_three(json, "grid", where));
  launch.block = TRY(parse_three(json, "block", where));
  launch.dynamic_shared_bytes = TRY(number_field(json, "dynamic_shared_bytes", where, kMostBytes));
  launch.task_dim = TRY(parse_three(json, "task_dim", where));
  launch.task_type = TRY(string_field(json, "task_type", where));
  const Json buffers = TRY(array_field(json, "buffers", where));
  for (std::size_t i = 0; i < buffers.size(); ++i)
    launch.buffers.push_back(TRY(parse_buffer(buffers[i], fmt::format("{}.buffers[{}]", where, i))));
  const Json arguments = TRY(array_field(json, "arguments", where));
  for (std::size_t i = 0; i < arguments.size(); ++i)
    launch.arguments.push_back(TRY(parse_argument(arguments[i], fmt::format("{}.arguments[{}]", where, i))));
  const Json symbols = TRY(array_field(json, "symbols", where));
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const std::string at = fmt::format("{}.symbols[{}]", where, i);
    launch.symbols.push_back({TRY(string_field(symbols[i], "name", at)), TRY(string_field(symbols[i], "buffer", at))});
  }
  TRY(check_case(launch, where));
  return launch;
}

std::string case_text(const LaunchCase& launch) {
  Json arguments = Json::array();
  for (const Argument& argument : launch.arguments) arguments.push_back(argument_json(argument));
  Json buffers = Json::array();
  for (const Buffer& buffer : launch.buffers)
    buffers.push_back(Json{{"name", buffer.name}, {"bytes", buffer.bytes}, {"initialised", buffer.initialised}});
  Json symbols = Json::array();
  for (const Symbol& symbol : launch.symbols) symbols.push_back(Json{{"name", symbol.name}, {"buffer", symbol.buffer}});
  return dump_json(Json{{"kernel", launch.kernel},
                        {"grid", launch.grid},
                        {"block", launch.block},
                        {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
                        {"task_dim", launch.task_dim},
                        {"task_type", launch.task_type},
                        {"arguments", arguments},
                        {"buffers", buffers},
                        {"symbols", symbols}}) +
         "\n";
}

Result<LaunchCase> read_case(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "case.json";
  const std::string text = TRY(read_file(path, kMostDocumentBytes));
  const LaunchCase launch = TRY(parse_case(text, path.string()));
  TRY(check_files(launch, folder));
  return launch;
}

namespace {

Status prepare_folder(const LaunchCase& launch, const std::filesystem::path& folder) {
  for (const Buffer& buffer : launch.buffers)
    if (!is_name(buffer.name)) return bad_case(folder.string(), "a buffer's name is not of letters, digits and _");
  TRY(check_case(launch, folder.string()));
  return make_folders(folder);
}

}  // namespace

Result<void> write_case(const LaunchCase& launch, const std::filesystem::path& folder) {
  TRY(prepare_folder(launch, folder));
  return write_file_atomic(folder / "case.json", case_text(launch));
}

Result<void> write_scratch_case(const LaunchCase& launch, const std::filesystem::path& folder) {
  TRY(prepare_folder(launch, folder));
  return write_scratch_file(folder / "case.json", case_text(launch));
}

}  // namespace tqm::port
