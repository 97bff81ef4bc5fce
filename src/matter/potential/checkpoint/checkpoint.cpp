#include "matter/potential/checkpoint/checkpoint.hpp"

#include <cstring>

#include "base/file.hpp"
#include "matter/potential/checkpoint/archive.hpp"
#include "matter/potential/checkpoint/pickle.hpp"

namespace tqm::matter {
namespace {

using Kind = PickleValue::Kind;

Json plain(const Pickle& pickle, const PickleValue& value, int depth) {
  switch (value.kind) {
    case Kind::boolean:
      return value.integer != 0;
    case Kind::integer:
      return value.integer;
    case Kind::real:
      return value.real;
    case Kind::string:
      return value.text;
    case Kind::sequence: {
      Json list = Json::array();
      if (depth > 0) {
        for (const size_t item : value.items) list.push_back(plain(pickle, pickle.values[item], depth - 1));
      }
      return list;
    }
    default:
      return nullptr;
  }
}

}  // namespace

Result<Checkpoint> parse_checkpoint(std::span<const std::byte> bytes, const std::string& where) {
  const auto members = TRY(stored_members(bytes, where));
  const auto missing = [&](const std::string& what) {
    return Error{ErrorKind::bad_input, "the checkpoint has no " + what, where, "it is no model that torch.save wrote"};
  };
  const auto program = members.find("data.pkl");
  if (program == members.end()) return missing("data.pkl");
  if (const auto order = members.find("byteorder"); order != members.end()) {
    const std::string_view text(reinterpret_cast<const char*>(order->second.data()), order->second.size());
    if (text != "little") return missing("little-endian numbers");
  }
  const Pickle pickle = TRY(run_pickle(program->second, where));
  const PickleValue* model = pickle.find(pickle.values[pickle.root], "model");
  const PickleValue* state = model ? pickle.find(*model, "state_dict") : nullptr;
  const PickleValue* arguments = model ? pickle.find(*model, "model_args") : nullptr;
  if (!state || state->kind != Kind::dictionary || !arguments || arguments->kind != Kind::dictionary) {
    return missing("[\"model\"][\"state_dict\"] with its \"model_args\"");
  }
  Checkpoint checkpoint;
  checkpoint.arguments = Json::object();
  for (const auto& [key, value] : arguments->entries) {
    checkpoint.arguments[pickle.values[key].text] = plain(pickle, pickle.values[value], 2);
  }
  for (const auto& [key, value] : state->entries) {
    const std::string& name = pickle.values[key].text;
    const PickleValue& tensor = pickle.values[value];
    if (tensor.kind != Kind::tensor) return missing("tensor where " + name + " should be one");
    const auto data = members.find("data/" + pickle.values[tensor.of].text);
    const int64_t count = tensor::element_count(tensor.shape);
    if (data == members.end() || tensor.offset < 0 ||
        static_cast<uint64_t>(tensor.offset) + static_cast<uint64_t>(count) > data->second.size() / sizeof(float)) {
      return missing("numbers for " + name);
    }
    std::byte* into = nullptr;
    auto host = tensor::HostTensor::zeros(tensor::DType::f32, tensor.shape, &into);
    if (count > 0) {
      std::memcpy(into, data->second.data() + static_cast<size_t>(tensor.offset) * sizeof(float),
                  static_cast<size_t>(count) * sizeof(float));
    }
    checkpoint.tensors[name] = std::move(host);
  }
  return checkpoint;
}

Result<Checkpoint> read_checkpoint(const std::filesystem::path& path) {
  const MappedFile file = TRY(MappedFile::open(path));
  return parse_checkpoint(file.bytes(), path.string());
}

}  // namespace tqm::matter
