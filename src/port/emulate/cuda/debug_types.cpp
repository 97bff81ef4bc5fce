#include "port/emulate/cuda/debug_types.hpp"

#include <charconv>

namespace tqm::port::cuda {
namespace {

constexpr int kDeepest = 64;  // typedefs of typedefs

std::optional<std::size_t> number_at(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

std::optional<std::size_t> number_field(std::string_view node, std::string_view field) {
  const std::string key = std::string(field) + ": ";
  for (std::size_t at = node.find(key); at != std::string_view::npos; at = node.find(key, at + 1))
    if (at > 0 && (node[at - 1] == ' ' || node[at - 1] == '(')) return number_at(node.substr(at + key.size()));
  return std::nullopt;
}

bool has_tag(std::string_view node, std::string_view tag) {
  return node.find("tag: DW_TAG_" + std::string(tag) + ",") != std::string_view::npos;
}

// The numbers of `!{!1, null, !2}`; null is 0, which is no type's number but void's.
std::vector<std::optional<std::size_t>> list_of(std::string_view node) {
  std::vector<std::optional<std::size_t>> list;
  const auto open = node.find("!{");
  if (open == std::string_view::npos) return list;
  std::size_t at = open + 2;
  while (at < node.size() && node[at] != '}') {
    if (node[at] == '!')
      list.push_back(number_at(node.substr(at + 1)));
    else if (node.substr(at, 4) == "null")
      list.push_back(std::nullopt);
    else
      return list;
    at = node.find_first_of(",}", at);
    if (at == std::string_view::npos) break;
    if (node[at] == ',') at += 2;
  }
  return list;
}

}  // namespace

std::optional<std::size_t> reference_field(std::string_view node, std::string_view field) {
  const std::string key = std::string(field) + ": !";
  const auto at = node.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  return number_at(node.substr(at + key.size()));
}

void DebugTypes::add_line(std::string_view line) {
  const auto number = number_at(line.substr(1));
  const auto equals = line.find(" = ");
  if (number && equals != std::string_view::npos) nodes_[*number] = line.substr(equals + 3);
}

std::string_view DebugTypes::node(std::size_t number) const {
  const auto found = nodes_.find(number);
  return found == nodes_.end() ? std::string_view() : found->second;
}

bool DebugTypes::has_data(std::size_t elements_list, int depth) const {
  if (depth > kDeepest) return true;
  for (const auto& element : list_of(node(elements_list))) {
    if (!element) continue;
    const std::string_view text = node(*element);
    if (has_tag(text, "member") && text.find("DIFlagStaticMember") == std::string_view::npos) return true;
    if (has_tag(text, "inheritance")) {
      const auto base = reference_field(text, "baseType");
      if (base && !resolve(*base, depth + 1).empty) return true;
    }
  }
  return false;
}

ParameterType DebugTypes::resolve(std::size_t number, int depth) const {
  const std::string_view text = node(number);
  ParameterType type;
  if (depth > kDeepest || text.empty()) return type;
  if (text.starts_with("!DIDerivedType")) {
    if (has_tag(text, "pointer_type") || has_tag(text, "reference_type") || has_tag(text, "rvalue_reference_type")) {
      type.bytes = 8;
      return type;
    }
    const auto base = reference_field(text, "baseType");
    if (base) return resolve(*base, depth + 1);
    type.bytes = number_field(text, "size").value_or(0) / 8;
    return type;
  }
  type.bytes = number_field(text, "size").value_or(0) / 8;
  if (text.find("DICompositeType") != std::string_view::npos &&
      (has_tag(text, "structure_type") || has_tag(text, "class_type") || has_tag(text, "union_type"))) {
    type.composite = true;
    const auto elements = reference_field(text, "elements");
    type.empty = type.bytes <= 1 && !(elements && has_data(*elements, depth + 1));
  }
  return type;
}

std::optional<std::vector<ParameterType>> DebugTypes::parameters(std::size_t subprogram) const {
  const auto type = reference_field(node(subprogram), "type");
  if (!type) return std::nullopt;
  const auto types = reference_field(node(*type), "types");
  if (!types) return std::nullopt;
  const auto list = list_of(node(*types));
  if (list.empty()) return std::nullopt;
  std::vector<ParameterType> parameters;
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (!list[i]) return std::nullopt;  // variadic
    parameters.push_back(resolve(*list[i], 0));
  }
  return parameters;
}

}  // namespace tqm::port::cuda
