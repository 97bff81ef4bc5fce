#include "port/scan/merge.hpp"

#include <algorithm>

#include "port/scan/libraries.hpp"

namespace tqm::port {
namespace {

// "k" of "ops::k": launches and declarations are matched by it.
std::string last_name(const std::string& name) {
  const size_t colon = name.rfind("::");
  std::string last = colon == std::string::npos ? name : name.substr(colon + 2);
  if (const size_t angle = last.find('<'); angle != std::string::npos) last.resize(angle);
  return last;
}

void merge_into(Kernel& known, const Kernel& other) {
  known.defined |= other.defined;
  for (const std::string& instance : other.instantiations)
    if (std::find(known.instantiations.begin(), known.instantiations.end(), instance) == known.instantiations.end())
      known.instantiations.push_back(instance);
  std::sort(known.instantiations.begin(), known.instantiations.end());
  // A source that understood it whole speaks for all: another one may only lack an include before it.
  if (other.guesses.size() < known.guesses.size()) {
    known.guesses = other.guesses;
    known.facts = other.facts;
  }
}

// Where Clang had to guess, its tree may lack statements: what the words hold counts, too.
void add_words(Kernel& kernel, const TokenKernel& words) {
  for (const FeatureUse& use : words.features) {
    auto& features = kernel.facts.features;
    const bool known = std::any_of(features.begin(), features.end(),
                                   [&](const FeatureUse& other) { return other.feature == use.feature; });
    if (!known) features.push_back(use);
  }
}

}  // namespace

Merger::Merger(const std::vector<SourceFile>& files) : files_(files) {
  for (const SourceFile& file : files) shown_[file.path.string()] = file.shown;
}

std::string Merger::shown(const std::string& path) const {
  const auto at = shown_.find(path);
  return at == shown_.end() ? path : at->second;
}

void Merger::add(const Program& program) {
  ++scan_.files_parsed;
  for (const Kernel& kernel : program.kernels) {
    const auto [at, fresh] = kernels_.try_emplace({kernel.file, kernel.line, kernel.name});
    if (fresh)
      at->second.kernel = kernel;
    else
      merge_into(at->second.kernel, kernel);
  }
  for (const Launch& launch : program.launches) {
    launched_.emplace(launch.spelled.file, launch.spelled.line);
    launches_.try_emplace({launch.place.file, launch.place.line, launch.place.column, launch.kernel},
                          LaunchRow{launch});
  }
  for (const Place& mark : program.marks) marks_.emplace(mark.file, mark.line);
  for (const LineRange& range : program.left_out) left_out_[range.file].push_back(range);
  for (const Problem& problem : program.problems) problems_[problem.place.file].push_back(problem);
  for (const MissingInclude& missing : program.missing)
    missing_.emplace(missing.place.file, missing.place.line, missing.name);
}

void Merger::add_failure(const SourceFile& file, const Error& why) {
  failed_[file.path.string()] = {1001, file.path.string(), 1, why.what};
}

// By its mark, or by its name where the mark is another word that stands for __global__.
bool Merger::is_known(const std::string& path, const TokenKernel& kernel) {
  return marks_.count({path, kernel.line}) > 0 || named_at(path, kernel) != nullptr;
}

Kernel* Merger::named_at(const std::string& path, const TokenKernel& kernel) {
  for (auto at = kernels_.lower_bound({path, kernel.name_line, ""});
       at != kernels_.end() && std::get<0>(at->first) == path && std::get<1>(at->first) == kernel.name_line; ++at)
    if (last_name(at->second.kernel.name) == kernel.name) return &at->second.kernel;
  return nullptr;
}

bool Merger::lacks_kernels_of(const SourceFile& file) {
  return std::any_of(file.words.kernels.begin(), file.words.kernels.end(), [&](const TokenKernel& kernel) {
    return kernel.kind == TokenKernel::defined && !is_known(file.path.string(), kernel);
  });
}

Diagnostic Merger::why_by_words(const SourceFile& file, const TokenKernel& kernel) const {
  const std::string path = file.path.string();
  if (const auto failure = failed_.find(path); failure != failed_.end()) return {1001, path, kernel.line, ""};
  if (const auto ranges = left_out_.find(path); ranges != left_out_.end())
    for (const LineRange& range : ranges->second)
      if (kernel.line >= range.first && kernel.line <= range.last)
        return {1004, path, kernel.line, "lines " + std::to_string(range.first) + " to " + std::to_string(range.last)};
  if (const auto problems = problems_.find(path); problems != problems_.end())
    for (const Problem& problem : problems->second)
      if (problem.place.line >= kernel.line && problem.place.line <= kernel.end_line)
        return {1002, path, problem.place.line, problem.text};
  if (kernel.kind == TokenKernel::in_macro) return {1006, path, kernel.line, ""};
  return {1009, path, kernel.line, ""};
}

void Merger::add_from_words(const SourceFile& file) {
  const std::string path = file.path.string();
  for (const TokenKernel& words : file.words.kernels) {
    if (Kernel* known = named_at(path, words); known && !known->guesses.empty()) add_words(*known, words);
    if (is_known(path, words) || (words.name.empty() && words.kind != TokenKernel::defined)) continue;
    KernelRow row;
    row.by_words = true;
    row.kernel.name = words.name.empty() ? "(unnamed)" : words.name;
    row.kernel.file = path;
    row.kernel.line = words.name_line;
    row.kernel.end_line = words.end_line;
    row.kernel.defined = words.kind != TokenKernel::declared;
    row.kernel.facts.features = words.features;
    const auto key = std::make_tuple(path, row.kernel.line, row.kernel.name);
    if (row.kernel.defined) {
      Diagnostic why = why_by_words(file, words);
      // As what Clang's tree says of a kernel that it holds.
      if (why.number == 1002)
        row.kernel.guesses.push_back({why.text, {path, why.line, 0}});
      else
        notes_[key].push_back(std::move(why));
    }
    kernels_.try_emplace(key, std::move(row));
  }
  for (const TokenLaunch& words : file.words.launches) {
    if (launched_.count({path, words.line})) continue;
    if (words.in_macro && words.kernel.empty()) continue;
    LaunchRow row;
    row.by_words = true;
    row.launch.kernel = words.kernel;
    row.launch.form = words.in_macro ? "<<<>>> in a macro" : "<<<>>>";
    row.launch.grid = words.grid;
    row.launch.block = words.block;
    row.launch.shared_bytes = words.shared_bytes;
    row.launch.stream = words.stream;
    row.launch.place = {path, words.line, 0};
    launches_.try_emplace({path, words.line, 0, words.kernel}, std::move(row));
  }
  for (const TokenCall& call : file.words.calls)
    scan_.calls.push_back(
        {call.library, call.function, std::string(substitute_of(call.function)), file.shown, call.line});
  if (!file.unread.empty()) failed_[path] = {1001, path, 1, file.unread};
}

// A declaration counts where nothing that was scanned defines the kernel.
void Merger::settle_declared() {
  std::set<std::string> defined;
  for (const auto& [key, row] : kernels_)
    if (row.kernel.defined) defined.insert(last_name(row.kernel.name));
  std::set<std::string> declared;
  std::erase_if(kernels_, [&](const auto& entry) {
    const Kernel& kernel = entry.second.kernel;
    if (kernel.defined) return false;
    return defined.count(last_name(kernel.name)) > 0 || !declared.insert(last_name(kernel.name)).second;
  });
}

void Merger::settle_launches() {
  for (auto& [key, row] : launches_) {
    row.launch.place.file = shown(row.launch.place.file);
    scan_.launches.push_back(std::move(row));
  }
  std::map<std::string, std::vector<KernelRow*>> by_name;
  for (auto& [key, row] : kernels_) by_name[last_name(row.kernel.name)].push_back(&row);
  for (size_t i = 0; i < scan_.launches.size(); ++i) {
    const Launch& launch = scan_.launches[i].launch;
    auto named = by_name.find(last_name(launch.kernel));
    if (named == by_name.end()) continue;
    // Trees hold many programs that use the same names: the launch's own file counts first, then its folder.
    const auto nearness = [&](const KernelRow* row) {
      const std::string file = shown(row->kernel.file);
      const auto folder = [](const std::string& path) { return path.substr(0, path.rfind('/') + 1); };
      return file == launch.place.file ? 2 : folder(file) == folder(launch.place.file) ? 1 : 0;
    };
    int best = 0;
    for (const KernelRow* row : named->second) best = std::max(best, nearness(row));
    for (KernelRow* row : named->second)
      if (nearness(row) == best) row->launches.push_back(i);
  }
}

void Merger::judge() {
  for (auto& [key, row] : kernels_) {
    Kernel& kernel = row.kernel;
    if (!kernel.defined) {
      row.expected.reason = std::string(kind_of(1005).title);
      row.expected.diagnostics.push_back({1005, kernel.file, kernel.line, ""});
    } else {
      row.expected = expect(kernel, row.by_words);
      if (const auto notes = notes_.find(key); notes != notes_.end())
        row.expected.diagnostics.insert(row.expected.diagnostics.begin(), notes->second.begin(), notes->second.end());
      if (row.launches.empty())
        row.expected.diagnostics.push_back({1008, kernel.file, kernel.line, ""});
      else if (!kernel.template_parameters.empty() && kernel.instantiations.empty())
        row.expected.diagnostics.push_back({1007, kernel.file, kernel.line, ""});
    }
    for (Diagnostic& diagnostic : row.expected.diagnostics) diagnostic.file = shown(diagnostic.file);
    for (FeatureUse& use : kernel.facts.features) use.file = use.file.empty() ? "" : shown(use.file);
    for (Problem& guess : kernel.guesses) guess.place.file = shown(guess.place.file);
    kernel.file = shown(kernel.file);
    scan_.kernels.push_back(std::move(row));
  }
}

Scan Merger::finish() {
  scan_.files = files_.size();
  for (const SourceFile& file : files_) add_from_words(file);
  settle_declared();
  settle_launches();
  judge();
  for (auto& [path, diagnostic] : failed_) {
    diagnostic.file = shown(diagnostic.file);
    scan_.of_files.push_back(diagnostic);
  }
  for (const auto& [file, line, name] : missing_) scan_.of_files.push_back({1003, shown(file), line, name});
  return std::move(scan_);
}

}  // namespace tqm::port
