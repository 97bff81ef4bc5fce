#include "chips/catalogue.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <toml++/toml.h>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace tqm::chips {
namespace fs = std::filesystem;
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

// What a figure measures, and the units it may be written in.
struct Unit {
  std::string_view name;
  double factor;
};
constexpr double kKi = 1024;
constexpr Unit kBytes[] = {{"B", 1},           {"KiB", kKi}, {"MiB", kKi* kKi}, {"GiB", kKi* kKi* kKi},
                           {"GB", 1000000000}, {"TB", 1e12}};
constexpr Unit kBytesPerSecond[] = {{"GB/s", 1e9}, {"TB/s", 1e12}};
constexpr Unit kFlops[] = {{"TFLOPS", 1e12}, {"PFLOPS", 1e15}};
constexpr Unit kOps[] = {{"TOPS", 1e12}, {"POPS", 1e15}};
constexpr Unit kCount[] = {{"", 1}};

// Walks one file's tables; remembers which sources were used.
class Reader {
 public:
  explicit Reader(fs::path file) : file_(std::move(file)) {}

  Error error(const toml::node& node, std::string what, std::string next) const {
    return Error{ErrorKind::bad_input, std::move(what), file_.string() + ":" + std::to_string(node.source().begin.line),
                 std::move(next)};
  }

  // Refuses keys that aren't among the known.
  Status keys(const toml::table& table, const std::vector<std::string>& known) const {
    for (const auto& [key, node] : table) {
      const std::string word(key.str());
      if (std::find(known.begin(), known.end(), word) != known.end()) continue;
      std::string next = did_you_mean(word, known);
      if (next.empty()) next = "known are " + join(known, ", ");
      return error(node, "unknown key '" + word + "'", next);
    }
    return {};
  }

  Result<const toml::node*> need(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (!node) return error(table, "the key '" + std::string(key) + "' is missing", "add it");
    return node;
  }

  Result<std::string> text(const toml::table& table, std::string_view key) const {
    const toml::node* node = TRY(need(table, key));
    const auto value = node->value_exact<std::string>();
    if (!value || value->empty())
      return error(*node, "'" + std::string(key) + "' must be a text that is not empty", "write it in quotes");
    return *value;
  }

  Result<std::string> optional_text(const toml::table& table, std::string_view key) const {
    if (!table.contains(key)) return std::string();
    return text(table, key);
  }

  Result<bool> flag(const toml::table& table, std::string_view key) const {
    const toml::node* node = TRY(need(table, key));
    const auto value = node->value_exact<bool>();
    if (!value) return error(*node, "'" + std::string(key) + "' must be true or false", "write it without quotes");
    return *value;
  }

  Result<std::vector<std::string>> texts(const toml::table& table, std::string_view key) const {
    std::vector<std::string> result;
    if (!table.contains(key)) return result;
    const toml::node& node = *table.get(key);
    if (!node.is_array()) return error(node, "'" + std::string(key) + "' must be a list of texts", "write [\"…\"]");
    for (const toml::node& item : *node.as_array()) {
      const auto value = item.value_exact<std::string>();
      if (!value || value->empty())
        return error(item, "'" + std::string(key) + "' must be a list of texts", "write [\"…\"]");
      result.push_back(*value);
    }
    return result;
  }

  // A table of the file; an absent one reads as empty.
  Result<const toml::table*> section(const toml::table& table, std::string_view key) const {
    static const toml::table empty;
    const toml::node* node = table.get(key);
    if (!node) return &empty;
    if (!node->is_table())
      return error(*node, "'" + std::string(key) + "' must be a table", "write [" + std::string(key) + "]");
    return node->as_table();
  }

  Status read_sources(const toml::table& table) {
    for (const auto& [key, node] : table) {
      const auto value = node.value_exact<std::string>();
      if (!value || !(value->starts_with("https://") || value->starts_with("http://")))
        return error(node, "a source must be the address of a page", "write it as https://…");
      sources_.emplace(key.str(), *value);
    }
    return {};
  }

  Status all_sources_used(const toml::table& table) const {
    for (const auto& [key, node] : table)
      if (!used_.contains(std::string(key.str())))
        return error(node, "the source '" + std::string(key.str()) + "' is not used by any figure", "remove it");
    return {};
  }

  // source, unverified and note of a table that says where its figure is from.
  Result<Source> source(const toml::table& table) {
    const toml::node* node = table.get("source");
    if (!node) return error(table, "the figure has no source", "add source = \"…\", a name from [sources]");
    const auto key = node->value_exact<std::string>();
    const auto found = key ? sources_.find(*key) : sources_.end();
    if (found == sources_.end()) return error(*node, "the source is not in [sources]", "add its address there");
    used_.insert(found->first);
    Source result;
    result.address = found->second;
    if (table.contains("unverified")) result.unverified = TRY(flag(table, "unverified"));
    result.note = TRY(optional_text(table, "note"));
    return result;
  }

  // The table of KEY, which must be one: figures are inline tables.
  Result<const toml::table*> figure_table(const toml::table& table, std::string_view key) const {
    const toml::node* node = TRY(need(table, key));
    if (!node->is_table())
      return error(*node, "'" + std::string(key) + "' must say its source", "write { value = …, source = \"…\" }");
    return node->as_table();
  }

  Result<Figure> figure(const toml::table& table, std::string_view key, std::span<const Unit> units) {
    const toml::table* fields = TRY(figure_table(table, key));
    const bool has_unit = !units.front().name.empty();
    if (has_unit) {
      TRY(keys(*fields, {"value", "unit", "source", "unverified", "note"}));
    } else {
      TRY(keys(*fields, {"value", "source", "unverified", "note"}));
    }
    const toml::node* node = TRY(need(*fields, "value"));
    const auto value = node->value<double>();
    if (!node->is_number() || !value || !(*value > 0) || !std::isfinite(*value))
      return error(*node, "the value of '" + std::string(key) + "' must be a number above 0",
                   "leave out what is not known");
    double factor = 1;
    if (has_unit) {
      const std::string unit = TRY(text(*fields, "unit"));
      const auto found = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == unit; });
      if (found == units.end()) {
        std::vector<std::string> names;
        for (const Unit& known : units) names.emplace_back(known.name);
        return error(*fields->get("unit"), "'" + std::string(key) + "' can't be in " + unit,
                     "its units are " + join(names, ", "));
      }
      factor = found->factor;
    }
    Figure result;
    result.value = *value * factor;
    result.source = TRY(source(*fields));
    return result;
  }

  Result<std::optional<Figure>> optional_figure(const toml::table& table, std::string_view key,
                                                std::span<const Unit> units) {
    if (!table.contains(key)) return std::optional<Figure>();
    return std::optional<Figure>(TRY(figure(table, key, units)));
  }

  Result<FormatList> formats(const toml::table& table, std::string_view key) {
    const toml::table* fields = TRY(figure_table(table, key));
    TRY(keys(*fields, {"value", "source", "unverified", "note"}));
    FormatList result;
    for (const std::string& word : TRY(texts(*fields, "value"))) {
      const auto format = parse_format(word);
      if (!format) return error(*fields->get("value"), format.error().what + " '" + word + "'", format.error().next);
      if (is_weight_only(*format))
        return error(*fields->get("value"), "'" + word + "' is for weights only, and every chip can store it",
                     "leave it out");
      result.formats.push_back(*format);
    }
    if (result.formats.empty())
      return error(*fields, "'" + std::string(key) + "' names no format", "name at least one");
    result.source = TRY(source(*fields));
    return result;
  }

 private:
  fs::path file_;
  std::map<std::string, std::string> sources_;
  std::set<std::string> used_;
};

Result<Probe> read_probe(Reader& reader, const toml::table& table) {
  Probe probe;
  if (table.empty()) return probe;
  TRY(reader.keys(table, {"source", "unverified", "note", "command", "arguments", "output", "folders", "device_node",
                          "library", "matches"}));
  probe.command = TRY(reader.text(table, "command"));
  probe.arguments = TRY(reader.texts(table, "arguments"));
  const std::string output = TRY(reader.text(table, "output"));
  if (output == "csv-mib") {
    probe.output = Probe::Output::csv_mib;
  } else if (output != "lines") {
    return reader.error(*table.get("output"), "unknown output '" + output + "' of a probe", "known are lines, csv-mib");
  }
  probe.folders = TRY(reader.texts(table, "folders"));
  probe.device_node = TRY(reader.optional_text(table, "device_node"));
  probe.library = TRY(reader.optional_text(table, "library"));
  probe.matches = TRY(reader.texts(table, "matches"));
  if (probe.matches.empty())
    return reader.error(table, "the probe does not say what the driver calls this chip", "add matches = [\"…\"]");
  probe.source = TRY(reader.source(table));
  return probe;
}

Result<Chip> read_chip(Reader& reader, const toml::table& root) {
  TRY(reader.keys(root, {"name", "aliases", "vendor", "domestic", "architecture", "sources", "memory", "rates",
                         "formats", "layout", "on_chip", "probe", "torch", "scheduler"}));
  Chip chip;
  chip.name = TRY(reader.text(root, "name"));
  chip.aliases = TRY(reader.texts(root, "aliases"));
  chip.vendor = TRY(reader.text(root, "vendor"));
  chip.domestic = TRY(reader.flag(root, "domestic"));
  const toml::table* sources = TRY(reader.section(root, "sources"));
  TRY(reader.read_sources(*sources));

  const toml::table* architecture = TRY(reader.figure_table(root, "architecture"));
  TRY(reader.keys(*architecture, {"value", "source", "unverified", "note"}));
  chip.architecture = TRY(reader.text(*architecture, "value"));
  chip.architecture_source = TRY(reader.source(*architecture));

  const toml::table* memory = TRY(reader.section(root, "memory"));
  TRY(reader.keys(*memory, {"size", "bandwidth"}));
  chip.memory_bytes = TRY(reader.optional_figure(*memory, "size", kBytes));
  chip.bandwidth = TRY(reader.optional_figure(*memory, "bandwidth", kBytesPerSecond));

  const toml::table* formats = TRY(reader.section(root, "formats"));
  TRY(reader.keys(*formats, {"computes", "stores"}));
  chip.computes = TRY(reader.formats(*formats, "computes"));
  if (formats->contains("stores")) chip.stores = TRY(reader.formats(*formats, "stores"));
  for (NumberFormat format : chip.stores.formats)
    if (std::find(chip.computes.formats.begin(), chip.computes.formats.end(), format) != chip.computes.formats.end())
      return reader.error(*formats->get("stores"), "'" + std::string(name(format)) + "' stands in computes as well",
                          "what is computed in can be stored: leave it in computes only");

  const toml::table* rates = TRY(reader.section(root, "rates"));
  TRY(reader.keys(*rates, format_names()));
  for (NumberFormat format : kNumberFormats) {
    if (!rates->contains(name(format))) continue;
    if (std::find(chip.computes.formats.begin(), chip.computes.formats.end(), format) == chip.computes.formats.end())
      return reader.error(*rates->get(name(format)),
                          "a rate of '" + std::string(name(format)) + "', which the chip does not compute in",
                          "add it to formats.computes, or leave the rate out");
    chip.rates.emplace(
        format, TRY(reader.figure(*rates, name(format),
                                  is_integer(format) ? std::span<const Unit>(kOps) : std::span<const Unit>(kFlops))));
  }

  const toml::table* layout = TRY(reader.section(root, "layout"));
  TRY(reader.keys(*layout, {"clusters", "cores", "vector", "alignment"}));
  chip.clusters = TRY(reader.optional_figure(*layout, "clusters", kCount));
  chip.cores = TRY(reader.optional_figure(*layout, "cores", kCount));
  chip.vector_bytes = TRY(reader.optional_figure(*layout, "vector", kBytes));
  chip.alignment_bytes = TRY(reader.optional_figure(*layout, "alignment", kBytes));

  const toml::table* on_chip = TRY(reader.section(root, "on_chip"));
  for (const auto& [key, node] : *on_chip) {
    if (!node.is_table()) return reader.error(node, "an on-chip memory must be a table", "write [on_chip.NAME]");
    const toml::table& fields = *node.as_table();
    TRY(reader.keys(fields, {"size", "per"}));
    OnChipMemory one;
    one.name = std::string(key.str());
    one.per = TRY(reader.text(fields, "per"));
    one.bytes = TRY(reader.figure(fields, "size", kBytes));
    chip.on_chip.push_back(std::move(one));
  }

  const toml::table* probe = TRY(reader.section(root, "probe"));
  chip.probe = TRY(read_probe(reader, *probe));
  const toml::table* torch = TRY(reader.section(root, "torch"));
  TRY(reader.keys(*torch, {"module", "device"}));
  chip.torch_module = TRY(reader.optional_text(*torch, "module"));
  chip.torch_device = TRY(reader.text(*torch, "device"));
  const toml::table* scheduler = TRY(reader.section(root, "scheduler"));
  TRY(reader.keys(*scheduler, {"resource"}));
  chip.scheduler_resource = TRY(reader.text(*scheduler, "resource"));
  TRY(reader.all_sources_used(*sources));
  return chip;
}

}  // namespace

Result<fs::path> catalogue_folder() {
  std::error_code code;
  if (auto set = environment_variable("TORQUETUM_CATALOG")) {
    if (fs::is_directory(fs::path(*set) / "chips", code)) return fs::path(*set);
    return Error{ErrorKind::not_found, "the chip catalogue was not found", *set,
                 "set TORQUETUM_CATALOG to the catalog folder of Torquetum"};
  }
  // build/bin and build/asan/bin lie in the source tree, PREFIX/bin beside PREFIX/share.
  const fs::path own = own_binary().parent_path();
  fs::path folder = own;
  for (int up = 0; up < 3 && folder.has_relative_path(); ++up) {
    folder = folder.parent_path();
    for (const char* place : {"catalog", "share/torquetum/catalog"})
      if (fs::is_directory(folder / place / "chips", code)) return folder / place;
  }
  return Error{ErrorKind::not_found, "the chip catalogue was not found", "above " + own.string(),
               "set TORQUETUM_CATALOG to the catalog folder of Torquetum"};
}

Result<Chip> load_chip(const fs::path& file) {
  const std::string content = TRY(read_file(file, uint64_t{1} << 20));
  try {
    Reader reader(file);
    const toml::table root = toml::parse(content, file.string());
    Chip chip = TRY(read_chip(reader, root));
    chip.id = file.stem().string();
    return chip;
  } catch (const toml::parse_error& e) {
    return Error{ErrorKind::bad_input, "not valid TOML: " + std::string(e.description()),
                 file.string() + ":" + std::to_string(e.source().begin.line), "mend the line"};
  }
}

Result<std::vector<Chip>> load_catalogue(const fs::path& folder) {
  const fs::path chips = folder / "chips";
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::directory_iterator it(chips, code), end; !code && it != end; it.increment(code))
    if (it->path().extension() == ".toml") files.push_back(it->path());
  if (code) return system_error("can't read the chip catalogue", chips, code.value());
  if (files.empty())
    return Error{ErrorKind::not_found, "the chip catalogue has no .toml file", chips.string(),
                 "check TORQUETUM_CATALOG"};
  std::sort(files.begin(), files.end());
  std::vector<Chip> catalogue;
  std::map<std::string, std::string> claimed;
  for (const fs::path& file : files) {
    Chip chip = TRY(load_chip(file));
    std::set<std::string> own = {lower(chip.name), lower(chip.id)};
    for (const std::string& alias : chip.aliases) own.insert(lower(alias));
    for (const std::string& word : own) {
      const auto [found, fresh] = claimed.emplace(word, chip.name);
      if (!fresh)
        return Error{ErrorKind::bad_input, "the name '" + word + "' is claimed by " + found->second + " as well",
                     file.string(), "give each chip names of its own"};
    }
    catalogue.push_back(std::move(chip));
  }
  std::sort(catalogue.begin(), catalogue.end(), [](const Chip& a, const Chip& b) { return a.name < b.name; });
  return catalogue;
}

Result<std::vector<Chip>> load_catalogue() {
  const fs::path folder = TRY(catalogue_folder());
  return load_catalogue(folder);
}

Result<Chip> find_chip(std::span<const Chip> catalogue, std::string_view wanted) {
  const std::string word = lower(wanted);
  std::vector<std::string> names;
  for (const Chip& chip : catalogue) {
    if (lower(chip.name) == word || lower(chip.id) == word) return chip;
    for (const std::string& alias : chip.aliases)
      if (lower(alias) == word) return chip;
    names.push_back(chip.name);
  }
  std::vector<std::string> all = names;
  for (const Chip& chip : catalogue) all.insert(all.end(), chip.aliases.begin(), chip.aliases.end());
  std::string next = did_you_mean(wanted, all);
  next += std::string(next.empty() ? "" : " ") + "known are " + join(names, ", ");
  return Error{ErrorKind::not_found, "no such chip in the catalogue", std::string(wanted), next};
}

Result<Chip> find_chip(std::string_view wanted) {
  const std::vector<Chip> catalogue = TRY(load_catalogue());
  return find_chip(catalogue, wanted);
}

}  // namespace tqm::chips
