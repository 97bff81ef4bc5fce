#include "port/scan/show.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/text.hpp"

namespace tqm::port {
namespace {

std::string place_text(const std::string& file, int line) {
  return fmt::format("{}:{}", file, line);
}

std::string features_text(const KernelFacts& facts) {
  std::vector<std::string> names;
  std::set<Feature> seen;
  for (const FeatureUse& use : facts.features)
    if (seen.insert(use.feature).second) names.emplace_back(name(use.feature));
  return join(names, " ");
}

std::string codes_text(const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> codes;
  for (const Diagnostic& diagnostic : diagnostics) {
    std::string code = code_of(diagnostic.number);
    if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(std::move(code));
  }
  return join(codes, " ");
}

Json diagnostic_json(const Diagnostic& diagnostic) {
  const DiagnosticKind& kind = kind_of(diagnostic.number);
  return {{"code", code_of(diagnostic.number)},
          {"severity", name(kind.severity)},
          {"file", diagnostic.file},
          {"line", diagnostic.line},
          {"title", kind.title},
          {"text", diagnostic.text},
          {"next", kind.next}};
}

Json accesses_json(const AccessCounts& counts) {
  Json json = Json::object();
  for (const auto& [pattern, count] : counts) json[std::string(name(pattern))] = count;
  return json;
}

Json launch_json(const LaunchRow& row) {
  const Launch& launch = row.launch;
  return {{"file", launch.place.file}, {"line", launch.place.line},
          {"kernel", launch.kernel},   {"template_arguments", launch.instantiation},
          {"form", launch.form},       {"grid", launch.grid},
          {"block", launch.block},     {"shared_bytes", launch.shared_bytes},
          {"stream", launch.stream},   {"function", launch.function},
          {"macro", launch.macro},     {"read_by", row.by_words ? "words" : "clang"}};
}

std::string summary(const Scan& scan) {
  std::map<Tier, int> tiers;
  for (const KernelRow& row : scan.kernels) ++tiers[row.expected.tier];
  std::vector<std::string> parts;
  for (const auto& [tier, count] : tiers) parts.push_back(fmt::format("{} {}", count, name(tier)));
  std::string text =
      fmt::format("{} kernels (expected tier: {}), {} launches, {} library calls in {} files, {} read by Clang\n",
                  scan.kernels.size(), parts.empty() ? "-" : join(parts, ", "), scan.launches.size(), scan.calls.size(),
                  scan.files, scan.files_parsed);
  std::set<std::string> missing;
  for (const Diagnostic& diagnostic : scan.of_files) {
    if (diagnostic.number == 1003)
      missing.insert(diagnostic.text);
    else
      text += fmt::format("{} {}: {} ({})\n", code_of(diagnostic.number), diagnostic.file,
                          kind_of(diagnostic.number).title, diagnostic.text);
  }
  if (!missing.empty()) {
    const std::vector<std::string> names(missing.begin(), missing.end());
    text += fmt::format("TQP1003 headers not found, taken for empty: {}\n", join(names, ", "));
  }
  return text;
}

}  // namespace

std::string kernels_text(const Scan& scan) {
  const Column columns[] = {{"kernel"}, {"place"}, {"tier"}, {"why"}, {"uses"}, {"left"}};
  std::vector<std::vector<std::string>> rows;
  std::map<int, int> numbers;
  for (const KernelRow& row : scan.kernels) {
    rows.push_back({row.kernel.name, place_text(row.kernel.file, row.kernel.line), std::string(name(row.expected.tier)),
                    row.expected.reason, features_text(row.kernel.facts), codes_text(row.expected.diagnostics)});
    std::set<int> of_row;
    for (const Diagnostic& diagnostic : row.expected.diagnostics)
      if (of_row.insert(diagnostic.number).second) ++numbers[diagnostic.number];
  }
  std::string text = rows.empty() ? "" : table_text(columns, rows) + "\n";
  for (const auto& [number, count] : numbers)
    text += fmt::format("{} × {}: {}. {}\n", code_of(number), count, kind_of(number).title, kind_of(number).next);
  return text + (numbers.empty() ? "" : "\n") + summary(scan);
}

std::string calls_text(const Scan& scan) {
  std::vector<std::vector<std::string>> launches, calls;
  for (const LaunchRow& row : scan.launches) {
    const Launch& launch = row.launch;
    const std::string arguments = launch.instantiation.empty() ? "" : "<" + launch.instantiation + ">";
    launches.push_back({place_text(launch.place.file, launch.place.line), launch.kernel + arguments, launch.grid,
                        launch.block, launch.shared_bytes, launch.form + (row.by_words ? " (by words)" : "")});
  }
  std::map<std::tuple<std::string, std::string>, std::pair<int, const CallRow*>> by_function;
  for (const CallRow& call : scan.calls) {
    auto& [count, first] = by_function[{call.library, call.function}];
    if (count++ == 0) first = &call;
  }
  for (const auto& [key, found] : by_function)
    calls.push_back({found.second->library, found.second->function, std::to_string(found.first),
                     place_text(found.second->file, found.second->line),
                     found.second->substitute.empty() ? "-" : found.second->substitute});
  std::string text;
  if (!launches.empty())
    text +=
        table_text(std::vector<Column>{{"launch"}, {"kernel"}, {"grid"}, {"block"}, {"shared"}, {"form"}}, launches) +
        "\n";
  if (!calls.empty())
    text += table_text(std::vector<Column>{{"library"}, {"function"}, {"calls", Align::right}, {"first"}, {"on MLU"}},
                       calls) +
            "\n";
  return text + summary(scan);
}

Json kernels_json(const Scan& scan) {
  Json rows = Json::array();
  for (const KernelRow& row : scan.kernels) {
    const Kernel& kernel = row.kernel;
    Json features = Json::array(), diagnostics = Json::array(), launches = Json::array(), left = Json::array();
    for (const FeatureUse& use : kernel.facts.features)
      features.push_back({{"feature", name(use.feature)},
                          {"file", use.file.empty() ? kernel.file : use.file},
                          {"line", use.line},
                          {"detail", use.detail}});
    for (const Diagnostic& diagnostic : row.expected.diagnostics) {
      diagnostics.push_back(diagnostic_json(diagnostic));
      if (kind_of(diagnostic.number).severity != Severity::note) left.push_back(kind_of(diagnostic.number).next);
    }
    for (size_t launch : row.launches) launches.push_back(launch_json(scan.launches[launch]));
    rows.push_back({{"kernel", kernel.name},
                    {"file", kernel.file},
                    {"line", kernel.line},
                    {"end_line", kernel.end_line},
                    {"tier", name(row.expected.tier)},
                    {"reason", row.expected.reason},
                    {"defined", kernel.defined},
                    {"read_by", row.by_words ? "words" : "clang"},
                    {"template_parameters", kernel.template_parameters},
                    {"instantiations", kernel.instantiations},
                    {"parameters", kernel.parameters},
                    {"features", features},
                    {"reads", accesses_json(kernel.facts.reads)},
                    {"writes", accesses_json(kernel.facts.writes)},
                    {"diagnostics", diagnostics},
                    {"left", left},
                    {"launches", launches}});
  }
  return rows;
}

Json calls_json(const Scan& scan) {
  Json rows = Json::array();
  for (const LaunchRow& row : scan.launches) {
    Json json = {{"kind", "launch"}};
    json.update(launch_json(row));
    rows.push_back(std::move(json));
  }
  for (const CallRow& call : scan.calls)
    rows.push_back({{"kind", "library"},
                    {"file", call.file},
                    {"line", call.line},
                    {"library", call.library},
                    {"function", call.function},
                    {"substitute", call.substitute}});
  return rows;
}

}  // namespace tqm::port
