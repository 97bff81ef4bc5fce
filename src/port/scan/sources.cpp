#include "port/scan/sources.hpp"

#include <algorithm>

#include "base/file.hpp"
#include "base/json.hpp"

namespace tqm::port {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kSources[] = {".cu", ".cpp", ".cc", ".cxx", ".c++"};
constexpr std::string_view kHeaders[] = {".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl", ".inc", ".ipp", ".tpp", ".cuinc"};
constexpr uint64_t kLargestSource = uint64_t{32} << 20;

bool is_one_of(std::span<const std::string_view> endings, const fs::path& path) {
  return std::find(endings.begin(), endings.end(), path.extension().string()) != endings.end();
}

void read_words(SourceFile& file) {
  const auto text = read_file(file.path, kLargestSource);
  if (text)
    file.words = scan_tokens(*text);
  else
    file.unread = text.error().message();
}

// "a 'b c' d\"e\"": as a shell cuts it, without its other powers.
std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words;
  bool open = false;
  char quote = '\0';
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n')) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (quote != '\0' && c == quote)
      quote = '\0';
    else if (quote == '\0' && (c == '"' || c == '\''))
      quote = c;
    else if (c == '\\' && quote != '\'' && i + 1 < line.size())
      words.back() += line[++i];
    else
      words.back() += c;
  }
  return words;
}

void take_options(const std::vector<std::string>& words, const fs::path& folder, ParseOptions& options) {
  const auto value = [&](size_t& i, std::string_view flag) -> std::optional<std::string> {
    if (words[i] == flag && i + 1 < words.size()) return words[++i];
    if (words[i].size() > flag.size() && words[i].starts_with(flag)) return words[i].substr(flag.size());
    return std::nullopt;
  };
  const auto include = [&](const std::string& path) {
    options.include_folders.push_back((folder / path).lexically_normal());
  };
  for (size_t i = 0; i < words.size(); ++i) {
    if (const auto path = value(i, "-isystem"))
      include(path->starts_with("=") ? path->substr(1) : *path);
    else if (const auto folder_given = value(i, "-I"))
      include(*folder_given);
    else if (const auto define = value(i, "-D"))
      options.defines.push_back(*define);
    else if (words[i].starts_with("-std=") || words[i].starts_with("--std="))
      options.standard = words[i].substr(words[i].find('=') + 1);
    else if ((words[i] == "-std" || words[i] == "--std") && i + 1 < words.size())
      options.standard = words[++i];
  }
}

}  // namespace

Result<std::vector<SourceFile>> find_sources(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    return Error{ErrorKind::not_found, "there is no such file or folder", path.string(),
                 "name a CUDA source or a folder of them"};
  std::vector<SourceFile> files;
  const auto add = [&](const fs::path& at) {
    SourceFile file;
    file.path = fs::absolute(at).lexically_normal();
    file.shown = at.lexically_normal().string();
    file.header = is_one_of(kHeaders, at);
    files.push_back(std::move(file));
  };
  if (!fs::is_directory(status)) {
    add(path);
    files.back().header = false;  // it was asked for
    read_words(files.back());
    if (!files.back().unread.empty())
      return Error{ErrorKind::bad_input, "the file can't be read", path.string(), files.back().unread};
    return files;
  }
  fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, error);
  if (error) return system_error("the folder can't be read", path, error.value());
  for (; at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (error) break;
    if (at->is_directory(error) && at->path().filename().string().starts_with(".")) at.disable_recursion_pending();
    if (at->is_regular_file(error) && (is_one_of(kSources, at->path()) || is_one_of(kHeaders, at->path())))
      add(at->path());
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.shown < b.shown; });
  for (SourceFile& file : files) read_words(file);
  return files;
}

Result<CompileCommands> read_compile_commands(const ScanOptions& options) {
  fs::path path = options.compile_commands;
  std::error_code error;
  if (path.empty()) {
    for (const char* place : {"compile_commands.json", "build/compile_commands.json"})
      if (path.empty() && fs::is_regular_file(options.path / place, error)) path = options.path / place;
    if (path.empty()) return CompileCommands{};
  }
  const Json json = TRY(read_json(path));
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorKind::bad_input, what, path.string(), "have CMake write it anew (CMAKE_EXPORT_COMPILE_COMMANDS)"};
  };
  if (!json.is_array()) return wrong("the compile commands are no array");
  CompileCommands commands;
  for (const Json& entry : json) {
    if (!entry.is_object() || !entry.contains("file") || !entry["file"].is_string())
      return wrong("an entry of the compile commands has no \"file\"");
    const std::string folder = entry.value("directory", "");
    std::vector<std::string> words;
    if (entry.contains("arguments") && entry["arguments"].is_array()) {
      for (const Json& word : entry["arguments"])
        if (word.is_string()) words.push_back(word.get<std::string>());
    } else if (entry.contains("command") && entry["command"].is_string()) {
      words = shell_words(entry["command"].get<std::string>());
    }
    const fs::path base = fs::absolute(fs::path(folder).is_absolute() ? fs::path(folder) : path.parent_path() / folder);
    const fs::path file = (base / entry["file"].get<std::string>()).lexically_normal();
    ParseOptions parsed;
    parsed.standard = options.standard;
    take_options(words, base, parsed);
    commands.try_emplace(file.string(), std::move(parsed));
  }
  return commands;
}

}  // namespace tqm::port
