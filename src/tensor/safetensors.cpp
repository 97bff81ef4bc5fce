#include "tensor/safetensors.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <unordered_set>

#include "base/json.hpp"

namespace tqm::tensor {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t kHeaderLimit = 100'000'000;

Error bad(std::string what, const std::string& where, std::string next = "is the file whole? get it again") {
  return Error{ErrorKind::bad_input, std::move(what), where, std::move(next)};
}

// The header as JSON; a name that stands there twice is refused, which the parser alone would not.
Result<Json> parse_header(std::string_view text, const std::string& where) {
  std::unordered_set<std::string> names;
  std::string twice;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1 && !names.insert(parsed.get<std::string>()).second)
      twice = parsed.get<std::string>();
    return true;
  };
  try {
    Json json = Json::parse(text, watch);
    if (!twice.empty()) return bad("the tensor \"" + twice + "\" is there twice", where);
    if (!json.is_object()) return bad("the safetensors header is not a JSON object", where);
    return json;
  } catch (const Json::exception&) {
    return bad("the safetensors header is not valid JSON", where);
  }
}

bool whole_number(const Json& json, uint64_t most, uint64_t& value) {
  if (!json.is_number_unsigned()) return false;
  value = json.get<uint64_t>();
  return value <= most;
}

Result<SafetensorsEntry> read_entry(const std::string& name, const Json& json, uint64_t data, uint64_t data_size,
                                    const std::string& where) {
  const auto wrong = [&](const std::string& what) { return bad("the tensor \"" + name + "\" " + what, where); };
  SafetensorsEntry entry;
  entry.name = name;
  if (!json.is_object() || !json.contains("dtype") || !json.contains("shape") || !json.contains("data_offsets"))
    return wrong("lacks dtype, shape or data_offsets");
  if (!json["dtype"].is_string() || !json["shape"].is_array() || !json["data_offsets"].is_array() ||
      json["data_offsets"].size() != 2)
    return wrong("has a malformed description");
  const std::string type = json["dtype"].get<std::string>();
  const auto dtype = from_safetensors_name(type);
  if (!dtype)
    return Error{ErrorKind::unsupported,
                 "the tensor \"" + name + "\" has the element type " + type + ", which is not read", where,
                 "known are F64, F32, F16, BF16, F8_E4M3, I64, I32, I16, I8, U8, BOOL"};
  entry.dtype = *dtype;
  uint64_t size = size_of(*dtype);
  for (const Json& side : json["shape"]) {
    uint64_t value = 0;
    if (!whole_number(side, INT64_MAX, value)) return wrong("has an impossible shape");
    if (__builtin_mul_overflow(size, value, &size) || size > INT64_MAX) return wrong("has an impossible shape");
    entry.shape.push_back(static_cast<int64_t>(value));
  }
  uint64_t begin = 0, end = 0;
  if (!whole_number(json["data_offsets"][0], INT64_MAX, begin) ||
      !whole_number(json["data_offsets"][1], INT64_MAX, end) || begin > end)
    return wrong("has impossible offsets");
  if (end > data_size)
    return wrong("ends at byte " + std::to_string(end) + " of the data, but the file holds " +
                 std::to_string(data_size));
  if (end - begin != size)
    return wrong("takes " + std::to_string(end - begin) + " bytes, but " + type + " " + shape_text(entry.shape) +
                 " needs " + std::to_string(size));
  entry.offset = data + begin;
  entry.size = size;
  return entry;
}

}  // namespace

Result<std::vector<SafetensorsEntry>> parse_safetensors(std::span<const std::byte> bytes, const std::string& where) {
  uint64_t length = 0;
  if (bytes.size() < sizeof(length)) return bad("the safetensors file is shorter than the length of its header", where);
  std::memcpy(&length, bytes.data(), sizeof(length));
  if (length > kHeaderLimit)
    return bad("the safetensors header claims " + std::to_string(length) + " bytes; at most 100 MB are allowed", where,
               "is it a safetensors file?");
  if (length > bytes.size() - sizeof(length)) return bad("the safetensors file ends within its header", where);
  const uint64_t data = sizeof(length) + length, data_size = bytes.size() - data;
  const Json json = TRY(parse_header({reinterpret_cast<const char*>(bytes.data()) + sizeof(length), length}, where));

  std::vector<SafetensorsEntry> entries;
  for (const auto& [name, description] : json.items()) {
    if (name == "__metadata__") continue;
    entries.push_back(TRY(read_entry(name, description, data, data_size, where)));
  }
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.offset, a.size, a.name) < std::tie(b.offset, b.size, b.name);
  });
  uint64_t end = data;
  const SafetensorsEntry* before = nullptr;
  for (const SafetensorsEntry& entry : entries) {
    if (before && entry.offset < end)
      return bad("the tensors \"" + before->name + "\" and \"" + entry.name + "\" overlap", where);
    if (entry.offset > end) return bad("bytes before the tensor \"" + entry.name + "\" belong to none", where);
    end = entry.offset + entry.size;
    before = &entry;
  }
  if (end != bytes.size())
    return bad(std::to_string(bytes.size() - end) + " bytes at the end belong to no tensor", where);
  return entries;
}

Status SafetensorsReader::add(const fs::path& path, const std::string* wanted_shard,
                              const std::map<std::string, std::string>* shard_of) {
  const MappedFile file = TRY(MappedFile::open(path));
  std::vector<SafetensorsEntry> entries = TRY(parse_safetensors(file.bytes(), path.string()));
  for (SafetensorsEntry& entry : entries) {
    if (shard_of) {
      const auto it = shard_of->find(entry.name);
      if (it == shard_of->end() || it->second != *wanted_shard) continue;
    }
    index_.emplace(entry.name, entries_.size());
    file_of_.emplace(entry.name, files_.size());
    entries_.push_back(std::move(entry));
  }
  files_.push_back(file);
  return {};
}

Result<SafetensorsReader> SafetensorsReader::open_file(const fs::path& file) {
  SafetensorsReader reader;
  TRY(reader.add(file, nullptr, nullptr));
  return reader;
}

Result<SafetensorsReader> SafetensorsReader::open_folder(const fs::path& folder) {
  const fs::path single = folder / "model.safetensors", index = folder / "model.safetensors.index.json";
  std::error_code code;
  if (!fs::exists(index, code)) {
    if (fs::exists(single, code)) return open_file(single);
    const bool pickled =
        fs::exists(folder / "pytorch_model.bin", code) || fs::exists(folder / "pytorch_model.bin.index.json", code);
    if (pickled)
      return Error{ErrorKind::unsupported, "the weights are a pickle (pytorch_model.bin), which is not read",
                   folder.string(), "save the model as safetensors"};
    return Error{ErrorKind::not_found, "the folder has neither model.safetensors nor model.safetensors.index.json",
                 folder.string(), "is the model whole?"};
  }
  const Json json = TRY(read_json(index));
  if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object())
    return bad("the index has no \"weight_map\"", index.string());
  std::map<std::string, std::string> shard_of;
  std::vector<std::string> shards;
  for (const auto& [name, shard] : json["weight_map"].items()) {
    if (!shard.is_string()) return bad("the index names no file for the tensor \"" + name + "\"", index.string());
    const std::string file = shard.get<std::string>();
    if (file.empty() || file.find('/') != std::string::npos || file == "." || file == "..")
      return bad("the index names \"" + file + "\", which is not a file of the folder", index.string(),
                 "mend the index");
    shard_of.emplace(name, file);
    if (std::find(shards.begin(), shards.end(), file) == shards.end()) shards.push_back(file);
  }
  std::sort(shards.begin(), shards.end());
  SafetensorsReader reader;
  for (const std::string& shard : shards) {
    if (!fs::exists(folder / shard, code))
      return Error{ErrorKind::not_found, "the shard \"" + shard + "\" is missing, which the index names",
                   folder.string(), "get the missing file"};
    TRY(reader.add(folder / shard, &shard, &shard_of));
  }
  for (const auto& [name, shard] : shard_of)
    if (!reader.find(name))
      return bad("the index places the tensor \"" + name + "\" in \"" + shard + "\", which does not hold it",
                 index.string(), "is the model whole?");
  return reader;
}

const SafetensorsEntry* SafetensorsReader::find(const std::string& name) const {
  const auto it = index_.find(name);
  return it == index_.end() ? nullptr : &entries_[it->second];
}

HostTensor SafetensorsReader::view(const SafetensorsEntry& entry) const {
  const MappedFile& file = files_[file_of_.at(entry.name)];
  HostTensor tensor;
  tensor.dtype = entry.dtype;
  tensor.shape = entry.shape;
  tensor.bytes = file.bytes().subspan(entry.offset, entry.size);
  if (entry.offset % size_of(entry.dtype) == 0) {
    tensor.keeper = std::make_shared<const MappedFile>(file);
    return tensor;
  }
  std::byte* data = nullptr;
  HostTensor copy = HostTensor::zeros(entry.dtype, entry.shape, &data);
  std::copy(tensor.bytes.begin(), tensor.bytes.end(), data);
  return copy;
}

void SafetensorsReader::release(const SafetensorsEntry& entry) const {
  files_[file_of_.at(entry.name)].release(entry.offset, entry.size);
}

}  // namespace tqm::tensor
