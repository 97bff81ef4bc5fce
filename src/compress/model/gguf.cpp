#include "compress/model/gguf.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_set>

namespace tqm::compress {
namespace {

constexpr uint32_t kMagic = 0x46554747;  // "GGUF", little-endian
constexpr size_t kNameLimit = 65535;

enum ValueType : uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };

// Reads forward; the first read past the end is remembered, everything after gives zeros.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {}

  template <class T>
  T number() {
    T value{};
    if (!take(sizeof(T))) return value;
    std::memcpy(&value, bytes_.data() + at_ - sizeof(T), sizeof(T));
    return value;
  }
  std::string text() {
    const uint64_t length = number<uint64_t>();
    if (!take(length)) return {};
    return {reinterpret_cast<const char*>(bytes_.data()) + at_ - length, static_cast<size_t>(length)};
  }
  size_t left() const { return bytes_.size() - at_; }
  size_t at() const { return at_; }
  bool ended() const { return ended_; }

 private:
  bool take(uint64_t count) {
    if (ended_ || count > left()) {
      ended_ = true;
      return false;
    }
    at_ += static_cast<size_t>(count);
    return true;
  }
  std::span<const std::byte> bytes_;
  std::string where_;
  size_t at_ = 0;
  bool ended_ = false;
};

size_t least_bytes(uint32_t type) {
  switch (type) {
    case u8:
    case i8:
    case boolean:
      return 1;
    case u16:
    case i16:
      return 2;
    case u32:
    case i32:
    case f32:
      return 4;
    case u64:
    case i64:
    case f64:
    case string:
      return 8;
    default:
      return 0;  // nested arrays and unknown types
  }
}

bool is_float(uint32_t type) {
  return type == f32 || type == f64;
}

int64_t read_integer(Reader& reader, uint32_t type) {
  switch (type) {
    case u8:
      return reader.number<uint8_t>();
    case i8:
      return reader.number<int8_t>();
    case boolean:
      return reader.number<uint8_t>() != 0;
    case u16:
      return reader.number<uint16_t>();
    case i16:
      return reader.number<int16_t>();
    case u32:
      return reader.number<uint32_t>();
    case i32:
      return reader.number<int32_t>();
    default:
      return reader.number<int64_t>();  // a u64 beyond the range turns negative, which no key allows
  }
}

double read_float(Reader& reader, uint32_t type) {
  return type == f32 ? static_cast<double>(reader.number<float>()) : reader.number<double>();
}

Error bad(std::string what, const std::string& where, std::string next = "is the file whole? get it again") {
  return Error{ErrorKind::bad_input, std::move(what), where, std::move(next)};
}

Result<GgufValue> read_value(Reader& reader, uint32_t type, const std::string& key, const std::string& where) {
  if (type == string) return GgufValue(reader.text());
  if (type == boolean) return GgufValue(reader.number<uint8_t>() != 0);
  if (type != array) {
    if (least_bytes(type) == 0)
      return bad("the key \"" + key + "\" has the unknown type " + std::to_string(type), where);
    if (is_float(type)) return GgufValue(read_float(reader, type));
    return GgufValue(read_integer(reader, type));
  }
  const uint32_t element = reader.number<uint32_t>();
  const uint64_t count = reader.number<uint64_t>();
  const size_t least = least_bytes(element);
  if (reader.ended()) return GgufValue(int64_t{0});
  if (least == 0)
    return bad("the key \"" + key + "\" is an array of the unknown type " + std::to_string(element), where);
  if (count > reader.left() / least)
    return bad("the key \"" + key + "\" claims " + std::to_string(count) + " elements, more than the file has room for",
               where);
  const auto n = static_cast<size_t>(count);
  if (element == string) {
    std::vector<std::string> values;
    values.reserve(n);
    for (size_t i = 0; i < n && !reader.ended(); ++i) values.push_back(reader.text());
    return GgufValue(std::move(values));
  }
  if (is_float(element)) {
    std::vector<double> values(n);
    for (double& value : values) value = read_float(reader, element);
    return GgufValue(std::move(values));
  }
  std::vector<int64_t> values(n);
  for (int64_t& value : values) value = read_integer(reader, element);
  return GgufValue(std::move(values));
}

Result<GgufTensor> read_description(Reader& reader, const std::string& where) {
  GgufTensor tensor;
  tensor.name = reader.text();
  const uint32_t dimensions = reader.number<uint32_t>();
  if (reader.ended()) return tensor;
  const auto named = [&](const std::string& what) { return "the tensor \"" + tensor.name + "\" " + what; };
  if (tensor.name.empty() || tensor.name.size() > kNameLimit) return bad("a tensor has no usable name", where);
  if (dimensions < 1 || dimensions > 4) return bad(named("has " + std::to_string(dimensions) + " dimensions"), where);
  int64_t count = 1;
  for (uint32_t d = 0; d < dimensions; ++d) {
    const auto side = reader.number<int64_t>();
    if (reader.ended()) return tensor;
    if (side < 1 || __builtin_mul_overflow(count, side, &count)) return bad(named("has an impossible shape"), where);
    tensor.shape.insert(tensor.shape.begin(), side);
  }
  const uint32_t type = reader.number<uint32_t>();
  tensor.offset = reader.number<uint64_t>();
  if (reader.ended()) return tensor;
  tensor.type = find_ggml_type(type);
  if (!tensor.type)
    return Error{ErrorKind::unsupported, named("has the type " + ggml_type_name(type) + ", which is not read"), where,
                 "known are: " + known_ggml_types()};
  if (tensor.shape.back() % tensor.type->block_values != 0)
    return bad(named("has rows of " + std::to_string(tensor.shape.back()) + " values, not divisible by the " +
                     std::to_string(tensor.type->block_values) + " of a " + std::string(tensor.type->name) + " block"),
               where);
  uint64_t size = 0;
  if (__builtin_mul_overflow(static_cast<uint64_t>(count / tensor.type->block_values), tensor.type->block_bytes, &size))
    return bad(named("has an impossible shape"), where);
  tensor.size = size;
  return tensor;
}

}  // namespace

Result<GgufFile> parse_gguf(std::span<const std::byte> bytes, const std::string& where) {
  Reader reader(bytes, where);
  const Error cut = bad("the GGUF file ends within its header", where);
  if (reader.number<uint32_t>() != kMagic || reader.ended())
    return bad("not a GGUF file: it does not begin with \"GGUF\"", where, "is it the right file?");
  const uint32_t version = reader.number<uint32_t>();
  if (reader.ended()) return cut;
  if ((version & 0xffffu) == 0)
    return Error{ErrorKind::unsupported, "a big-endian GGUF file is not read", where, "take the little-endian one"};
  if (version != 2 && version != 3)
    return Error{ErrorKind::unsupported, "GGUF version " + std::to_string(version) + " is not known", where,
                 "known are versions 2 and 3"};
  const uint64_t tensor_count = reader.number<uint64_t>(), key_count = reader.number<uint64_t>();
  if (reader.ended()) return cut;
  // A tensor's description takes at least 8 + 4 + 8 + 4 + 8 bytes, a key 8 + 4 + 1.
  if (tensor_count > reader.left() / 32 || key_count > reader.left() / 13)
    return bad("the GGUF file claims " + std::to_string(tensor_count) + " tensors and " + std::to_string(key_count) +
                   " keys, more than it has room for",
               where);

  GgufFile file;
  file.where = where;
  for (uint64_t i = 0; i < key_count; ++i) {
    const std::string key = reader.text();
    const uint32_t type = reader.number<uint32_t>();
    if (reader.ended()) return cut;
    if (key.empty() || key.size() > kNameLimit) return bad("a key has no usable name", where);
    GgufValue value = TRY(read_value(reader, type, key, where));
    if (reader.ended()) return cut;
    if (!file.keys.emplace(key, std::move(value)).second) return bad("the key \"" + key + "\" is there twice", where);
  }
  const int64_t alignment = TRY(file.integer("general.alignment")).value_or(32);
  if (alignment < 8 || alignment > 65536 || !std::has_single_bit(static_cast<uint64_t>(alignment)))
    return bad("the alignment " + std::to_string(alignment) + " is not a power of two from 8 to 65536", where);

  std::unordered_set<std::string> names;
  for (uint64_t i = 0; i < tensor_count; ++i) {
    GgufTensor tensor = TRY(read_description(reader, where));
    if (reader.ended()) return cut;
    if (!names.insert(tensor.name).second) return bad("the tensor \"" + tensor.name + "\" is there twice", where);
    if (tensor.offset % static_cast<uint64_t>(alignment) != 0)
      return bad("the tensor \"" + tensor.name + "\" begins at " + std::to_string(tensor.offset) +
                     ", not a multiple of the alignment " + std::to_string(alignment),
                 where);
    file.tensors.push_back(std::move(tensor));
  }
  const uint64_t step = static_cast<uint64_t>(alignment);
  const uint64_t data = (reader.at() + step - 1) / step * step;
  std::vector<const GgufTensor*> in_order;
  for (GgufTensor& tensor : file.tensors) {
    if (data > bytes.size() || tensor.offset > bytes.size() - data || tensor.size > bytes.size() - data - tensor.offset)
      return bad("the tensor \"" + tensor.name + "\" lies past the end of the file", where);
    tensor.offset += data;
    in_order.push_back(&tensor);
  }
  std::sort(in_order.begin(), in_order.end(), [](const auto* a, const auto* b) { return a->offset < b->offset; });
  for (size_t i = 1; i < in_order.size(); ++i)
    if (in_order[i]->offset < in_order[i - 1]->offset + in_order[i - 1]->size)
      return bad("the tensors \"" + in_order[i - 1]->name + "\" and \"" + in_order[i]->name + "\" overlap", where);
  return file;
}

Result<std::optional<int64_t>> GgufFile::integer(const std::string& key) const {
  const auto it = keys.find(key);
  if (it == keys.end()) return std::optional<int64_t>();
  if (const auto* value = std::get_if<int64_t>(&it->second)) return std::optional(*value);
  return bad("the key \"" + key + "\" is not one whole number", where);
}

Result<std::optional<double>> GgufFile::number(const std::string& key) const {
  const auto it = keys.find(key);
  if (it == keys.end()) return std::optional<double>();
  if (const auto* value = std::get_if<double>(&it->second)) return std::optional(*value);
  if (const auto* value = std::get_if<int64_t>(&it->second)) return std::optional(static_cast<double>(*value));
  return bad("the key \"" + key + "\" is not one number", where);
}

Result<std::optional<bool>> GgufFile::flag(const std::string& key) const {
  const auto it = keys.find(key);
  if (it == keys.end()) return std::optional<bool>();
  if (const auto* value = std::get_if<bool>(&it->second)) return std::optional(*value);
  return bad("the key \"" + key + "\" is not true or false", where);
}

Result<std::optional<std::string>> GgufFile::text(const std::string& key) const {
  const auto it = keys.find(key);
  if (it == keys.end()) return std::optional<std::string>();
  if (const auto* value = std::get_if<std::string>(&it->second)) return std::optional(*value);
  return bad("the key \"" + key + "\" is not a string", where);
}

}  // namespace tqm::compress
