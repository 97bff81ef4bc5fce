#include "port/verify/harness.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/file.hpp"
#include "base/text.hpp"

namespace tqm::port {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 20;
const std::vector<std::string> kElementNames = {"i8",  "u8",  "i16", "u16",  "i32", "u32",
                                                "i64", "u64", "f16", "bf16", "f32", "f64"};
const std::vector<std::string> kFillNames = {"random",  "zeros", "ones",       "signed-zeros", "denormals",
                                             "largest", "mixed", "not-finite", "permutation",  "ramp"};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : file_(file) {}

  Result<Harness> read(const toml::table& document) const {
    TRY(keys(document, {"kernel"}));
    Harness harness;
    harness.file = file_;
    const toml::node* list = document.get("kernel");
    if (!list || !list->is_array_of_tables()) return error(document, "it holds no kernel", "write [[kernel]]");
    for (const toml::node& node : *list->as_array()) harness.kernels.push_back(TRY(kernel(*node.as_table())));
    return harness;
  }

 private:
  std::string where(const toml::node& node) const {
    return file_.string() + ":" + std::to_string(node.source().begin.line);
  }
  Error error(const toml::node& node, std::string what, std::string next) const {
    return Error{ErrorKind::bad_input, std::move(what), where(node), std::move(next)};
  }

  static std::string instead(const std::string& word, const std::vector<std::string>& known) {
    const std::string meant = did_you_mean(word, known);
    return meant.empty() ? "known are " + join(known, ", ") : meant;
  }

  Status keys(const toml::table& table, const std::vector<std::string>& known) const {
    for (const auto& [key, node] : table) {
      const std::string word(key.str());
      if (std::find(known.begin(), known.end(), word) == known.end())
        return error(node, "unknown key '" + word + "'", instead(word, known));
    }
    return {};
  }

  Result<std::string> text(const toml::node& node, const std::string& key) const {
    const auto value = node.value_exact<std::string>();
    if (!value || value->empty())
      return error(node, "'" + key + "' must be a text that is not empty", "write it in quotes");
    return *value;
  }

  Result<std::string> text_of(const toml::table& table, const std::string& key) const {
    const toml::node* node = table.get(key);
    if (!node) return error(table, "the key '" + key + "' is missing", "add it");
    return text(*node, key);
  }

  Result<Formula> formula(const toml::node& node, const std::string& key) const {
    if (const auto number = node.value_exact<std::int64_t>()) return Formula{fmt::format("{}", *number), where(node)};
    if (const auto words = node.value_exact<std::string>()) return Formula{*words, where(node)};
    return error(node, "'" + key + "' must be a whole number or an expression", "write 256 or \"cdiv(n, 256)\"");
  }

  // A bound of a range or the value of a float: a number with a fraction as well.
  Result<Formula> bound(const toml::node& node, const std::string& key) const {
    if (const auto number = node.value_exact<double>()) return Formula{fmt::format("{}", *number), where(node)};
    return formula(node, key);
  }

  Result<std::array<Formula, 3>> extents(const toml::table& table, const std::string& key) const {
    const toml::node* node = table.get(key);
    if (!node) return error(table, "the key '" + key + "' is missing", "add it, as [\"cdiv(n, 256)\"]");
    std::array<Formula, 3> out;
    out.fill(Formula{"1", where(*node)});
    if (!node->is_array()) {
      out[0] = TRY(formula(*node, key));
      return out;
    }
    const toml::array& list = *node->as_array();
    if (list.empty() || list.size() > 3) return error(*node, "'" + key + "' has 1 to 3 values", "write [x, y, z]");
    for (std::size_t i = 0; i < list.size(); ++i) out[i] = TRY(formula(list[i], key));
    return out;
  }

  Result<std::vector<std::string>> words(const toml::table& table, const std::string& key) const {
    std::vector<std::string> out;
    const toml::node* node = table.get(key);
    if (!node) return out;
    if (!node->is_array()) return error(*node, "'" + key + "' must be a list of texts", "write [\"…\"]");
    for (const toml::node& item : *node->as_array()) out.push_back(TRY(text(item, key)));
    return out;
  }

  Result<Sizes> numbers(const toml::node& node, const std::string& key) const {
    if (!node.is_table()) return error(node, "'" + key + "' holds tables of sizes", "write {n = 1000}");
    Sizes sizes;
    for (const auto& [name, value] : *node.as_table()) {
      const auto number = value.value_exact<std::int64_t>();
      if (!number || *number < 0) return error(value, "a size is a whole number of at least 0", "write n = 1000");
      sizes[std::string(name.str())] = *number;
    }
    return sizes;
  }

  Status read_sizes(const toml::table& table, HarnessKernel& kernel) const {
    if (const toml::node* node = table.get("sizes")) {
      if (node->is_table()) {
        kernel.sizes.push_back(TRY(numbers(*node, "sizes")));
      } else if (node->is_array() && !node->as_array()->empty()) {
        for (const toml::node& item : *node->as_array()) kernel.sizes.push_back(TRY(numbers(item, "sizes")));
      } else {
        return error(*node, "'sizes' is a table of sizes or a list of them", "write sizes = [{n = 1000}, {n = 1}]");
      }
      for (const Sizes& sizes : kernel.sizes)
        for (const auto& [size, value] : kernel.sizes.front())
          if (sizes.size() != kernel.sizes.front().size() || !sizes.contains(size))
            return error(*node, "the tables of 'sizes' don't have the same sizes", "give each of them in each table");
    } else {
      kernel.sizes.push_back({});
    }
    if (const toml::node* node = table.get("least")) {
      kernel.least = TRY(numbers(*node, "least"));
      for (const auto& [size, value] : kernel.least)
        if (!kernel.sizes.front().contains(size))
          return error(*node, "'least' names '" + size + "', which is no size", "name one of 'sizes'");
    }
    return {};
  }

  Result<Element> element(const toml::table& table) const {
    const std::string word = TRY(text_of(table, "element"));
    const auto found = element_named(word);
    if (!found)
      return error(*table.get("element"), "there is no element type '" + word + "'", instead(word, kElementNames));
    return *found;
  }

  Result<Fill> fill(const toml::node& node, const std::string& word) const {
    const auto found = fill_named(word);
    if (!found) return error(node, "there is no fill '" + word + "'", instead(word, kFillNames));
    return *found;
  }

  Result<std::optional<HarnessRange>> range(const toml::table& table) const {
    const toml::node* node = table.get("range");
    if (!node) return std::optional<HarnessRange>{};
    const toml::array* list = node->as_array();
    if (!list || list->size() != 2)
      return error(*node, "'range' is a lowest and a highest value", "write [0, \"n - 1\"]");
    HarnessRange out;
    out.low = TRY(bound((*list)[0], "range"));
    out.high = TRY(bound((*list)[1], "range"));
    return std::optional<HarnessRange>{out};
  }

  Result<HarnessBuffer> buffer(const toml::table& table) const {
    TRY(keys(table, {"element", "count", "fill", "range", "output", "symbol"}));
    HarnessBuffer out;
    out.element = TRY(element(table));
    const toml::node* count = table.get("count");
    if (!count) return error(table, "the key 'count' is missing", "add it: how many elements the buffer has");
    out.count = TRY(formula(*count, "count"));
    if (const toml::node* node = table.get("fill")) {
      const std::string word = TRY(text(*node, "fill"));
      out.initialised = word != "none";
      if (out.initialised) out.fill = TRY(fill(*node, word));
    }
    out.range = TRY(range(table));
    if (const toml::node* node = table.get("output")) {
      const auto flag = node->value_exact<bool>();
      if (!flag) return error(*node, "'output' must be true or false", "write it without quotes");
      out.output = *flag;
    }
    if (table.contains("symbol")) out.symbol = TRY(text_of(table, "symbol"));
    return out;
  }

  Result<HarnessScalar> scalar(const toml::table& table) const {
    TRY(keys(table, {"element", "value", "range"}));
    HarnessScalar out;
    out.element = TRY(element(table));
    if (const toml::node* node = table.get("value")) out.value = TRY(bound(*node, "value"));
    out.range = TRY(range(table));
    return out;
  }

  template <class T>
  Status named(const toml::table& table, const std::string& key, std::map<std::string, T>& out,
               Result<T> (Reader::*one)(const toml::table&) const) const {
    const toml::node* node = table.get(key);
    if (!node) return {};
    if (!node->is_table()) return error(*node, "'" + key + "' must be a table", "write [kernel." + key + ".NAME]");
    for (const auto& [name, item] : *node->as_table()) {
      if (!item.is_table()) return error(item, "this must be a table", "write [kernel." + key + ".NAME]");
      out.emplace(std::string(name.str()), TRY((this->*one)(*item.as_table())));
    }
    return {};
  }

  Status check_arguments(const toml::node& at, const HarnessKernel& kernel) const {
    std::vector<std::string> known;
    for (const auto& [name, buffer] : kernel.buffers) known.push_back(name);
    for (const auto& [name, scalar] : kernel.scalars) known.push_back(name);
    for (const auto& [name, value] : kernel.sizes.front()) known.push_back(name);
    for (const std::string& name : kernel.arguments)
      if (std::find(known.begin(), known.end(), name) == known.end())
        return error(at, "the argument '" + name + "' is no buffer, scalar or size", instead(name, known));
    for (const auto& [name, buffer] : kernel.buffers) {
      const bool passed = std::find(kernel.arguments.begin(), kernel.arguments.end(), name) != kernel.arguments.end();
      if (!passed && buffer.symbol.empty())
        return error(at, "the buffer '" + name + "' is no argument and has no symbol", "pass it, or remove it");
    }
    return {};
  }

  // What the first sizes give must be countable: a slip in an expression is found before anything is compiled.
  static Status check_formulas(const HarnessKernel& kernel) {
    const Sizes& sizes = kernel.sizes.front();
    for (const auto* extents : {&kernel.grid, &kernel.block})
      for (const Formula& one : *extents) TRY(evaluate(one.text, sizes, one.where));
    TRY(evaluate(kernel.shared_bytes.text, sizes, kernel.shared_bytes.where));
    for (const auto& [name, buffer] : kernel.buffers) TRY(evaluate(buffer.count.text, sizes, buffer.count.where));
    return {};
  }

  Result<HarnessKernel> kernel(const toml::table& table) const {
    TRY(keys(table, {"name", "source", "grid", "block", "shared", "arguments", "sizes", "least", "cases", "buffers",
                     "scalars"}));
    HarnessKernel out;
    out.where = where(table);
    out.name = TRY(text_of(table, "name"));
    if (table.contains("source")) out.source = TRY(text_of(table, "source"));
    out.grid = TRY(extents(table, "grid"));
    out.block = TRY(extents(table, "block"));
    const toml::node* shared = table.get("shared");
    out.shared_bytes = shared ? TRY(formula(*shared, "shared")) : Formula{"0", out.where};
    out.arguments = TRY(words(table, "arguments"));
    TRY(read_sizes(table, out));
    for (const std::string& word : TRY(words(table, "cases")))
      out.cases.push_back(TRY(fill(*table.get("cases"), word)));
    if (out.cases.empty()) {
      out.cases = {Fill::random, Fill::random};
      out.cases.insert(out.cases.end(), std::begin(kEdgeFills), std::end(kEdgeFills));
      out.cases.push_back(Fill::not_finite);
    }
    TRY(named(table, "buffers", out.buffers, &Reader::buffer));
    TRY(named(table, "scalars", out.scalars, &Reader::scalar));
    TRY(check_arguments(table.contains("arguments") ? *table.get("arguments") : table, out));
    const auto is_output = [](const auto& named_buffer) { return named_buffer.second.output; };
    if (std::none_of(out.buffers.begin(), out.buffers.end(), is_output))
      return error(table, "no buffer of the kernel '" + out.name + "' is an output", "write output = true");
    TRY(check_formulas(out));
    return out;
  }

  const std::filesystem::path& file_;
};

}  // namespace

Result<Harness> parse_harness(const std::string& text, const std::filesystem::path& file) {
  toml::table document;
  try {
    document = toml::parse(text, file.string());
  } catch (const toml::parse_error& fault) {
    return Error{ErrorKind::bad_input, "this is no TOML: " + std::string(fault.description()),
                 file.string() + ":" + std::to_string(fault.source().begin.line), "mend the harness there"};
  }
  return Reader(file).read(document);
}

Result<Harness> read_harness(const std::filesystem::path& file) {
  const std::string text = TRY(read_file(file, kMostBytes));
  return parse_harness(text, file);
}

}  // namespace tqm::port
