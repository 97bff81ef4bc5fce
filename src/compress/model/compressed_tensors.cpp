#include "compress/model/compressed_tensors.hpp"

#include <cstring>

#include "compress/model/packed_integers.hpp"

namespace tqm::compress {
namespace {

using tensor::DType;
using tensor::HostTensor;
using tensor::SafetensorsEntry;
using tensor::SafetensorsReader;

const char* kKnown =
    "known are compressed-tensors' pack-quantized (integers of 3, 4 and 8 bits, per channel or group) and "
    "int-quantized "
    "(W8A8, per channel and per token)";

Error refused(std::string what, const std::string& where) {
  return Error{ErrorKind::unsupported, std::move(what), where, kKnown};
}

std::string text_of(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
}

int64_t number_of(const Json& json, const char* key, int64_t otherwise) {
  return json.contains(key) && json[key].is_number_integer() ? json[key].get<int64_t>() : otherwise;
}

bool flag_of(const Json& json, const char* key, bool otherwise) {
  return json.contains(key) && json[key].is_boolean() ? json[key].get<bool>() : otherwise;
}

bool is_set(const Json& json, const char* key) {
  return json.contains(key) && !json[key].is_null();
}

// What one layer's shapes say: rows, columns, bits and group.
struct Geometry {
  int64_t rows = 0, columns = 0, groups = 1;
};

struct Layer {
  StoredParts parts;
  StoredScheme scheme;
  Geometry geometry;
  std::shared_ptr<const SafetensorsReader> reader;
};

QuantTensor load_layer(const Layer& layer) {
  const HostTensor values = layer.reader->view(*layer.parts.values), scale = layer.reader->view(*layer.parts.scale);
  if (!layer.parts.zero_point)
    return decode_layer(layer.scheme, layer.geometry.rows, layer.geometry.columns, values, scale, nullptr);
  const HostTensor zero_point = layer.reader->view(*layer.parts.zero_point);
  return decode_layer(layer.scheme, layer.geometry.rows, layer.geometry.columns, values, scale, &zero_point);
}

}  // namespace

QuantTensor decode_layer(const StoredScheme& scheme, int64_t rows, int64_t columns, const HostTensor& values,
                         const HostTensor& scale, const HostTensor* zero_point) {
  QuantTensor result;
  result.spec = scheme.spec;
  result.rows = rows;
  result.columns = columns;
  result.codes.resize(static_cast<size_t>(rows * columns));
  const int bits = result.spec.bits;
  if (scheme.packed) {
    const int64_t words = packed_words(columns, bits);
    const auto* from = reinterpret_cast<const int32_t*>(values.bytes.data());
    for (int64_t row = 0; row < rows; ++row)
      unpack_integers(from + row * words, 1, columns, bits, result.codes.data() + row * columns, 1);
  } else {
    std::memcpy(result.codes.data(), values.bytes.data(), result.codes.size());
  }
  result.scales = scale.floats();
  if (zero_point) {
    const int64_t groups = result.groups();
    result.zero_points.resize(static_cast<size_t>(rows * groups));
    const auto* from = reinterpret_cast<const int32_t*>(zero_point->bytes.data());
    for (int64_t group = 0; group < groups; ++group)  // along the rows, one column a group
      unpack_integers(from + group, groups, rows, bits, result.zero_points.data() + group, groups);
  }
  return result;
}

std::string stored_as_text(const QuantSpec& spec) {
  if (spec.quantize_activations) return format_name(spec);
  return format_name(spec) + (spec.group ? " g" + std::to_string(spec.group) : " per channel") +
         (spec.symmetric ? "" : " asymmetric");
}

Result<std::vector<StoredScheme>> schemes_from_json(const Json& quantization, const std::string& where) {
  if (!quantization.is_object())
    return Error{ErrorKind::bad_input, "\"quantization_config\" is not an object", where, "mend config.json"};
  const std::string method = text_of(quantization, "quant_method");
  if (method != "compressed-tensors") return refused("the quantisation method \"" + method + "\" is not read", where);
  if (is_set(quantization, "kv_cache_scheme")) return refused("a quantised KV cache is not read", where);
  if (is_set(quantization, "sparsity_config") && text_of(quantization["sparsity_config"], "format") != "dense")
    return refused("a sparse format is not read", where);
  if (!quantization.contains("config_groups") || !quantization["config_groups"].is_object())
    return Error{ErrorKind::bad_input, "\"quantization_config\" has no \"config_groups\"", where, "mend config.json"};
  std::vector<StoredScheme> schemes;
  for (const auto& [name, group] : quantization["config_groups"].items()) {
    std::string format = text_of(group, "format");
    if (format.empty()) format = text_of(quantization, "format");
    if (format != "pack-quantized" && format != "int-quantized")
      return refused("the format \"" + format + "\" is not read", where);
    if (!is_set(group, "weights")) return refused("the group \"" + name + "\" quantises no weights", where);
    const Json& weights = group["weights"];
    StoredScheme scheme;
    scheme.packed = format == "pack-quantized";
    scheme.spec.bits = static_cast<int>(std::clamp<int64_t>(number_of(weights, "num_bits", 8), 0, 64));
    scheme.spec.symmetric = flag_of(weights, "symmetric", true);
    const std::string type = text_of(weights, "type"), strategy = text_of(weights, "strategy");
    if ((!type.empty() && type != "int") || (scheme.spec.bits != 3 && scheme.spec.bits != 4 && scheme.spec.bits != 8))
      return refused("weights of type " + type + " with " + std::to_string(scheme.spec.bits) + " bits are not read",
                     where);
    if (strategy == "group") {
      const int64_t size = number_of(weights, "group_size", 0);
      if (size < 1 || size > (1 << 24)) return refused("a group of " + std::to_string(size) + " is not read", where);
      scheme.spec.group = static_cast<int>(size);
    } else if (strategy != "channel") {
      return refused("the strategy \"" + strategy + "\" is not read", where);
    }
    if (is_set(weights, "actorder") && text_of(weights, "actorder") == "group")
      return refused("groups reordered by activation are not read", where);
    if (is_set(group, "output_activations")) return refused("quantised outputs are not read", where);
    if (is_set(group, "input_activations")) {
      const Json& input = group["input_activations"];
      const bool known = number_of(input, "num_bits", 8) == 8 &&
                         (text_of(input, "type").empty() || text_of(input, "type") == "int") &&
                         flag_of(input, "symmetric", true) && text_of(input, "strategy") == "token" &&
                         flag_of(input, "dynamic", false);
      if (!known || scheme.spec.bits != 8 || scheme.spec.group != 0 || !scheme.spec.symmetric)
        return refused("this quantisation of activations is not read", where);
      scheme.spec.quantize_activations = true;
    }
    schemes.push_back(scheme);
  }
  return schemes;
}

Result<TensorTable::Entry> quantised_entry(const std::string& name, const StoredParts& parts,
                                           const std::vector<StoredScheme>& schemes,
                                           std::shared_ptr<const SafetensorsReader> reader, const std::string& where) {
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorKind::bad_input, "the quantised tensor \"" + name + "\" " + what, where, "is the model whole?"};
  };
  if (!parts.scale) return wrong("has no weight_scale");
  const bool packed = parts.values->dtype == DType::i32;
  if (!packed && parts.values->dtype != DType::i8) return wrong("is neither packed nor I8");
  if (parts.values->shape.size() != 2) return wrong("is not a matrix");
  if (parts.scale->dtype != DType::f32 && parts.scale->dtype != DType::f16 && parts.scale->dtype != DType::bf16)
    return wrong("has scales that are not floats");
  Layer layer;
  layer.parts = parts;
  layer.reader = reader;
  Geometry& g = layer.geometry;
  g.rows = parts.values->shape[0];
  g.columns = parts.values->shape[1];
  if (packed) {
    if (!parts.shape || parts.shape->shape != std::vector<int64_t>{2} ||
        (parts.shape->dtype != DType::i64 && parts.shape->dtype != DType::i32))
      return wrong("has no usable weight_shape");
    const HostTensor shape = reader->view(*parts.shape);
    int64_t sides[2] = {};
    for (int i = 0; i < 2; ++i) {
      if (shape.dtype == DType::i64) {
        std::memcpy(&sides[i], shape.bytes.data() + 8 * i, 8);
      } else {
        int32_t side = 0;
        std::memcpy(&side, shape.bytes.data() + 4 * i, 4);
        sides[i] = side;
      }
    }
    if (sides[0] != g.rows || sides[1] < 1 || sides[1] > (int64_t{1} << 32))
      return wrong("has a weight_shape that contradicts its codes");
    g.columns = sides[1];
  }
  if (g.rows < 1 || g.columns < 1) return wrong("is empty");
  const std::vector<int64_t>& scale = parts.scale->shape;
  if (scale.empty() || scale.size() > 2 || scale[0] != g.rows)
    return wrong("has scales of the shape " + tensor::shape_text(scale));
  g.groups = scale.size() == 2 ? scale[1] : 1;
  if (g.groups < 1 || g.columns % g.groups != 0) return wrong("has scales of the shape " + tensor::shape_text(scale));

  const StoredScheme* found = nullptr;
  for (const StoredScheme& scheme : schemes) {
    const int64_t groups = scheme.spec.group ? g.columns / scheme.spec.group : 1;
    const bool fits = scheme.packed == packed && scheme.spec.symmetric == (parts.zero_point == nullptr) &&
                      groups == g.groups && (!scheme.spec.group || g.columns % scheme.spec.group == 0) &&
                      (!packed || packed_words(g.columns, scheme.spec.bits) == parts.values->shape[1]);
    if (!fits) continue;
    if (found && !(found->spec == scheme.spec)) return wrong("fits more than one of the quantisation groups");
    found = &scheme;
  }
  if (!found) return wrong("fits none of the quantisation groups of config.json");
  layer.scheme = *found;
  if (parts.zero_point) {
    if (!packed) return wrong("has zero points beside whole bytes, which is not read");
    const std::vector<int64_t> wanted = {packed_words(g.rows, found->spec.bits), g.groups};
    if (parts.zero_point->dtype != DType::i32 || parts.zero_point->shape != wanted)
      return wrong("has zero points of the shape " + tensor::shape_text(parts.zero_point->shape));
  }
  TensorTable::Entry entry;
  entry.info = {name, {g.rows, g.columns}, stored_as_text(found->spec), 0};
  for (const SafetensorsEntry* part : {parts.values, parts.scale, parts.shape, parts.zero_point})
    if (part) entry.info.stored_bytes += part->size;
  entry.load = [layer]() -> Result<Weight> { return Weight(load_layer(layer)); };
  entry.release = [layer] {
    for (const SafetensorsEntry* part : {layer.parts.values, layer.parts.scale, layer.parts.zero_point})
      if (part) layer.reader->release(*part);
  };
  return entry;
}

}  // namespace tqm::compress
