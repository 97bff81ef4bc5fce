#include "chips/show.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/text.hpp"

namespace tqm::chips {
namespace {

std::string rate_text(double operations, bool integer) {
  return fmt::format("{:g} {}", operations / 1e12, integer ? "TOPS" : "TFLOPS");
}
std::string bandwidth_text(double bytes_per_second) {
  return fmt::format("{:g} GB/s", bytes_per_second / 1e9);
}
// Binary units where they are whole, as for on-chip memories; decimal as the vendors sell the others.
std::string size_text(double bytes) {
  if (std::fmod(bytes, 1024.0 * 1024 * 1024) == 0) return fmt::format("{:g} GiB", bytes / (1024.0 * 1024 * 1024));
  if (std::fmod(bytes, 1024.0 * 1024) == 0) return fmt::format("{:g} MiB", bytes / (1024.0 * 1024));
  if (std::fmod(bytes, 1024.0) == 0 && bytes < 1e9) return fmt::format("{:g} KiB", bytes / 1024);
  if (bytes < 1e6) return fmt::format("{:g} B", bytes);
  return fmt::format("{:.4g} GB", bytes / 1e9);
}

std::string mark(const Source& source) {
  return source.unverified ? "?" : "";
}

std::string size_cell(const std::optional<Figure>& figure) {
  return figure ? size_text(figure->value) + mark(figure->source) : "-";
}
std::string bandwidth_cell(const std::optional<Figure>& figure) {
  return figure ? bandwidth_text(figure->value) + mark(figure->source) : "-";
}
std::string rate_cell(const Chip& chip, NumberFormat format) {
  const auto found = chip.rates.find(format);
  if (found == chip.rates.end()) return "-";
  return rate_text(found->second.value, is_integer(format)) + mark(found->second.source);
}

std::string names(const std::vector<NumberFormat>& formats) {
  std::vector<std::string> words;
  for (NumberFormat format : formats) words.emplace_back(name(format));
  return join(words, ", ");
}

Json source_json(const Source& source) {
  Json json;
  json["source"] = source.address;
  json["unverified"] = source.unverified;
  if (!source.note.empty()) json["note"] = source.note;
  return json;
}
Json figure_json(const Figure& figure, std::string_view unit) {
  Json json;
  json["value"] = figure.value;
  json["unit"] = unit;
  json.update(source_json(figure.source));
  return json;
}
void put(Json& json, const char* key, const std::optional<Figure>& figure, std::string_view unit) {
  if (figure) json[key] = figure_json(*figure, unit);
}

using Rows = std::vector<std::vector<std::string>>;

constexpr std::string_view kMark = "? stands behind what only a secondary source says.\n";

}  // namespace

std::string list_text(std::span<const Chip> catalogue) {
  const std::vector<Column> columns = {{"chip"},
                                       {"vendor"},
                                       {"memory", Align::right},
                                       {"bandwidth", Align::right},
                                       {"bf16", Align::right},
                                       {"int8", Align::right},
                                       {"fp8"},
                                       {"resource"}};
  Rows rows;
  for (const Chip& chip : catalogue)
    rows.push_back({chip.name, chip.vendor, size_cell(chip.memory_bytes), bandwidth_cell(chip.bandwidth),
                    rate_cell(chip, NumberFormat::bf16), rate_cell(chip, NumberFormat::int8_w8a8),
                    std::string(name(capability(chip, NumberFormat::fp8).answer)), chip.scheduler_resource});
  return table_text(columns, rows) + "\n" + std::string(kMark) +
         "torquetum chips show NAME tells more, and where each figure is from.\n";
}

Json list_json(std::span<const Chip> catalogue) {
  Json list = Json::array();
  for (const Chip& chip : catalogue) list.push_back(show_json(chip));
  return Json{{"chips", list}};
}

std::string list_markdown(std::span<const Chip> catalogue) {
  std::string page =
      "# Chips\n\n"
      "Generated from `catalog/chips/*.toml` by `torquetum chips list --markdown > docs/chips.md`; a test fails when "
      "it is "
      "stale. " +
      std::string(kMark) +
      "Rates are dense peaks, or measured where the note says so. Every chip that computes in fp16, bf16 or fp32 can "
      "also store weights in int8, int4 and "
      "int3 and "
      "unpack them; that is not repeated below.\n\n"
      "| chip | vendor | memory | bandwidth | bf16 | int8 | computes in | only stores | scheduler resource |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Chip& chip : catalogue)
    page += "| " +
            join(std::vector<std::string>{chip.name, chip.vendor, size_cell(chip.memory_bytes),
                                          bandwidth_cell(chip.bandwidth), rate_cell(chip, NumberFormat::bf16),
                                          rate_cell(chip, NumberFormat::int8_w8a8), names(chip.computes.formats),
                                          names(chip.stores.formats), "`" + chip.scheduler_resource + "`"},
                 " | ") +
            " |\n";
  for (const Chip& chip : catalogue) {
    page += "\n## " + chip.name + "\n\n" + chip.vendor + (chip.domestic ? ", made in China" : "");
    if (!chip.aliases.empty()) page += "; also called " + join(chip.aliases, ", ");
    page += ".\n\n| figure | value | note | source |\n| --- | --- | --- | --- |\n";
    const Json json = show_json(chip);
    for (const auto& row : json["figures"])
      page += "| " + row["name"].get<std::string>() + " | " + row["text"].get<std::string>() + " | " +
              row.value("note", "") + " | <" + row["source"].get<std::string>() + "> |\n";
  }
  return page;
}

namespace {

struct Line {
  std::string name;
  std::string text;
  const Source* source;
};

// Every figure of a chip in reading order.
std::vector<Line> figure_lines(const Chip& chip) {
  std::vector<Line> lines;
  auto put_line = [&](std::string what, std::string text, const Source& source) {
    lines.push_back({std::move(what), std::move(text) + mark(source), &source});
  };
  put_line("architecture", chip.architecture, chip.architecture_source);
  if (chip.memory_bytes) put_line("memory", size_text(chip.memory_bytes->value), chip.memory_bytes->source);
  if (chip.bandwidth) put_line("bandwidth", bandwidth_text(chip.bandwidth->value), chip.bandwidth->source);
  for (NumberFormat format : kNumberFormats)
    if (const auto found = chip.rates.find(format); found != chip.rates.end())
      put_line("peak " + std::string(name(format)), rate_text(found->second.value, is_integer(format)),
               found->second.source);
  put_line("computes in", names(chip.computes.formats) + (chip.computes.source.unverified ? " " : ""),
           chip.computes.source);
  if (!chip.stores.formats.empty()) put_line("only stores", names(chip.stores.formats), chip.stores.source);
  if (chip.clusters) put_line("clusters", fmt::format("{:g}", chip.clusters->value), chip.clusters->source);
  if (chip.cores) put_line("cores", fmt::format("{:g}", chip.cores->value), chip.cores->source);
  for (const OnChipMemory& memory : chip.on_chip)
    put_line(memory.name + " of each " + memory.per, size_text(memory.bytes.value), memory.bytes.source);
  if (chip.vector_bytes) put_line("vector", size_text(chip.vector_bytes->value), chip.vector_bytes->source);
  if (chip.alignment_bytes) put_line("alignment", size_text(chip.alignment_bytes->value), chip.alignment_bytes->source);
  if (!chip.probe.command.empty()) put_line("driver's tool", chip.probe.command, chip.probe.source);
  return lines;
}

}  // namespace

std::string show_text(const Chip& chip) {
  std::string text = chip.name + ", " + chip.vendor + (chip.domestic ? ", made in China" : "") + "\n";
  if (!chip.aliases.empty()) text += "also called " + join(chip.aliases, ", ") + "\n";
  text += "\n";
  Rows rows;
  std::vector<std::string> sources;
  for (const Line& line : figure_lines(chip)) {
    auto found = std::find(sources.begin(), sources.end(), line.source->address);
    if (found == sources.end()) found = sources.insert(sources.end(), line.source->address);
    rows.push_back({line.name, line.text, fmt::format("[{}]", found - sources.begin() + 1), line.source->note});
  }
  text += table_text(std::vector<Column>{{"figure"}, {"value"}, {"source"}, {"note"}}, rows) + "\n";
  Rows formats;
  for (NumberFormat format : kNumberFormats) {
    const Capability can = capability(chip, format);
    std::string with;
    if (can.answer == Answer::only_stores) with = "computes in " + std::string(name(*can.computes_in));
    if (can.answer == Answer::refuses && !can.nearest.empty()) with = "nearest: " + names(can.nearest);
    formats.push_back(
        {std::string(name(format)), std::string(name(can.answer)), with, std::string(description(format))});
  }
  text += table_text(std::vector<Column>{{"format"}, {"answer"}, {""}, {"what it is"}}, formats) + "\n";
  text += "Torch device " + chip.torch_device;
  if (!chip.torch_module.empty()) text += ", from the module " + chip.torch_module;
  text += "; scheduler resource " + chip.scheduler_resource + "\n\n";
  for (size_t i = 0; i < sources.size(); ++i) text += fmt::format("[{}] {}\n", i + 1, sources[i]);
  return text + std::string(kMark);
}

Json show_json(const Chip& chip) {
  Json json;
  json["id"] = chip.id;
  json["name"] = chip.name;
  json["aliases"] = chip.aliases;
  json["vendor"] = chip.vendor;
  json["domestic"] = chip.domestic;
  json["architecture"] = chip.architecture;
  put(json, "memory", chip.memory_bytes, "B");
  put(json, "bandwidth", chip.bandwidth, "B/s");
  Json rates = Json::object();
  for (NumberFormat format : kNumberFormats)
    if (const auto found = chip.rates.find(format); found != chip.rates.end())
      rates[std::string(name(format))] = figure_json(found->second, "op/s");
  json["rates"] = rates;
  Json formats = Json::object();
  for (NumberFormat format : kNumberFormats)
    formats[std::string(name(format))] = capability_json(capability(chip, format), format);
  json["formats"] = formats;
  put(json, "clusters", chip.clusters, "");
  put(json, "cores", chip.cores, "");
  Json on_chip = Json::array();
  for (const OnChipMemory& memory : chip.on_chip) {
    Json one;
    one["name"] = memory.name;
    one["per"] = memory.per;
    one["size"] = figure_json(memory.bytes, "B");
    on_chip.push_back(one);
  }
  json["on_chip"] = on_chip;
  put(json, "vector", chip.vector_bytes, "B");
  put(json, "alignment", chip.alignment_bytes, "B");
  json["torch"] = Json{{"module", chip.torch_module}, {"device", chip.torch_device}};
  json["scheduler_resource"] = chip.scheduler_resource;
  Json figures = Json::array();
  for (const Line& line : figure_lines(chip)) {
    Json one;
    one["name"] = line.name;
    one["text"] = line.text;
    one.update(source_json(*line.source));
    figures.push_back(one);
  }
  json["figures"] = figures;
  return json;
}

std::string detect_text(const Detection& detection) {
  const Processor& cpu = detection.processor;
  std::string text =
      "processor  " + (cpu.model.empty() ? cpu.architecture : cpu.model + ", " + cpu.architecture) + "\n";
  text += fmt::format("cores      {}\n", cpu.cores);
  text += "memory     " + bytes_text(cpu.memory_bytes) + "\n";
  text += "features   " + (cpu.features.empty() ? "none that matters here" : join(cpu.features, ", ")) + "\n\n";
  if (detection.devices.empty()) {
    text += "no accelerator found: work runs on the processor\n";
  } else {
    Rows rows;
    for (const Device& device : detection.devices)
      rows.push_back({device.chip.empty() ? "not in the catalogue" : device.chip,
                      device.memory_bytes > 0 ? bytes_text(device.memory_bytes) : "-", device.found_by,
                      device.driver_name});
    text += table_text(std::vector<Column>{{"chip"}, {"memory", Align::right}, {"found by"}, {"what the driver says"}},
                       rows);
  }
  if (!detection.problems.empty()) text += "\n";
  for (const std::string& problem : detection.problems) text += "note: " + problem + "\n";
  return text;
}

Json detect_json(const Detection& detection) {
  Json json;
  const Processor& cpu = detection.processor;
  json["processor"] = Json{{"model", cpu.model},
                           {"architecture", cpu.architecture},
                           {"cores", cpu.cores},
                           {"memory_bytes", cpu.memory_bytes},
                           {"features", cpu.features}};
  Json devices = Json::array();
  for (const Device& device : detection.devices)
    devices.push_back(Json{{"chip", device.chip.empty() ? Json(nullptr) : Json(device.chip)},
                           {"driver_name", device.driver_name},
                           {"found_by", device.found_by},
                           {"memory_bytes", device.memory_bytes > 0 ? Json(device.memory_bytes) : Json(nullptr)}});
  json["devices"] = devices;
  json["problems"] = detection.problems;
  return json;
}

std::string capability_text(const Capability& can, NumberFormat format) {
  std::string text = std::string(name(format)) + ": " + std::string(name(can.answer)) + "\n" + can.reason + "\n";
  if (!can.nearest.empty()) text += "nearest that work: " + names(can.nearest) + "\n";
  return text;
}

Json capability_json(const Capability& can, NumberFormat format) {
  Json json;
  json["format"] = name(format);
  json["answer"] = name(can.answer);
  json["reason"] = can.reason;
  json["computes_in"] = can.computes_in ? Json(name(*can.computes_in)) : Json(nullptr);
  Json nearest = Json::array();
  for (NumberFormat other : can.nearest) nearest.push_back(name(other));
  json["nearest"] = nearest;
  return json;
}

}  // namespace tqm::chips
