#include "port/scan/scan.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "port/scan/merge.hpp"
#include "port/scan/sources.hpp"

namespace tqm::port {
namespace fs = std::filesystem;
namespace {

constexpr int kRoundsOfSearch = 2;  // a header that was found may include another that is not

class Scanner {
 public:
  Scanner(const ScanOptions& options, const ParseSource& parse_source, const ScanProgress& progress,
          std::vector<SourceFile> files, CompileCommands commands)
      : options_(options),
        parse_source_(parse_source),
        progress_(progress),
        files_(std::move(files)),
        commands_(std::move(commands)),
        merger_(files_) {
    for (const SourceFile& file : files_) by_name_[file.path.filename().string()].push_back(file.path);
  }

  Scan run() {
    std::vector<size_t> sources, headers;
    for (size_t i = 0; i < files_.size(); ++i)
      if (!files_[i].header && (files_[i].words.device_code || files_[i].path.extension() == ".cu"))
        sources.push_back(i);
    parse_all(sources);
    for (size_t i = 0; i < files_.size(); ++i)
      if (files_[i].header && merger_.lacks_kernels_of(files_[i])) headers.push_back(i);
    parse_all(headers);
    return merger_.finish();
  }

 private:
  // Results are taken in the order of the files, whoever ends first.
  void parse_all(const std::vector<size_t>& which) {
    std::vector<std::optional<Result<Program>>> programs(which.size());
    std::atomic<size_t> next = 0;
    std::mutex reporting;
    size_t done = 0;
    const auto work = [&] {
      for (size_t i = next++; i < which.size(); i = next++) {
        programs[i] = parse_one(files_[which[i]]);
        const std::lock_guard lock(reporting);
        if (progress_) progress_(++done, which.size());
      }
    };
    std::vector<std::thread> threads;
    const size_t jobs = std::min(which.size(), static_cast<size_t>(std::max(1, options_.jobs)));
    for (size_t i = 1; i < jobs; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    for (size_t i = 0; i < which.size(); ++i) {
      if (*programs[i])
        merger_.add(**programs[i]);
      else
        merger_.add_failure(files_[which[i]], programs[i]->error());
    }
  }

  Result<Program> parse_one(const SourceFile& file) const {
    ParseOptions parsed;
    parsed.standard = options_.standard;
    if (const auto command = commands_.find(file.path.string()); command != commands_.end()) parsed = command->second;
    parsed.file = file.path;
    parsed.include_folders.insert(parsed.include_folders.begin(), options_.include_folders.begin(),
                                  options_.include_folders.end());
    parsed.defines.insert(parsed.defines.end(), options_.defines.begin(), options_.defines.end());
    Result<Program> program = parse_source_(parsed);
    for (int round = 0; round < kRoundsOfSearch && program && !program->missing.empty(); ++round) {
      if (!find_missing(*program, parsed.include_folders)) break;
      Result<Program> again = parse_source_(parsed);
      if (!again) break;
      program = std::move(again);
    }
    return program;
  }

  // A header that lies in the tree, under one folder only, is found without -I.
  bool find_missing(const Program& program, std::vector<fs::path>& include_folders) const {
    bool found = false;
    for (const MissingInclude& missing : program.missing) {
      const fs::path name = fs::path(missing.name).lexically_normal();
      const auto candidates = by_name_.find(name.filename().string());
      if (candidates == by_name_.end() || name.is_absolute()) continue;
      std::set<fs::path> folders;
      for (const fs::path& candidate : candidates->second) {
        fs::path folder = candidate;
        auto part = name.end();
        bool same = true;
        while (part != name.begin() && same) {
          same = folder.filename() == *--part;
          folder = folder.parent_path();
        }
        if (same) folders.insert(folder);
      }
      if (folders.size() != 1) continue;
      if (std::find(include_folders.begin(), include_folders.end(), *folders.begin()) != include_folders.end())
        continue;
      include_folders.push_back(*folders.begin());
      found = true;
    }
    return found;
  }

  const ScanOptions& options_;
  const ParseSource& parse_source_;
  const ScanProgress& progress_;
  std::vector<SourceFile> files_;
  CompileCommands commands_;
  std::map<std::string, std::vector<fs::path>> by_name_;
  Merger merger_;
};

}  // namespace

Result<Scan> scan(const ScanOptions& options, const ParseSource& parse_source, const ScanProgress& progress) {
  std::vector<SourceFile> files = TRY(find_sources(options.path));
  CompileCommands commands = TRY(read_compile_commands(options));
  return Scanner(options, parse_source, progress, std::move(files), std::move(commands)).run();
}

}  // namespace tqm::port
