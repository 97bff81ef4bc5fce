#include "task/checkpoint.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <map>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace tqm::task {
namespace fs = std::filesystem;
namespace {

constexpr int64_t kFormVersion = 1;
constexpr const char* kManifest = "checkpoint.json";
constexpr const char* kLock = ".torquetum-lock";

struct Entry {
  uint64_t size = 0;
  std::string hash;  // "xxh3:" or "sha256:", then hexadecimal digits
};

// checkpoint.json as it stands in the folder.
struct Manifest {
  int64_t sequence = 0, attempt = 1;
  Json fingerprint, state;
  std::map<std::string, Entry> files;
};

// A name is a relative path inside the folder, in its plain form.
bool is_file_name(const std::string& name) {
  const fs::path path(name);
  if (name.empty() || path.is_absolute() || path.lexically_normal() != path || name.back() == '/') return false;
  if (name == kManifest || name == kLock) return false;
  return std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".." || part == "."; });
}

Error damaged(std::string what, const fs::path& where) {
  return Error{ErrorKind::bad_input, "the checkpoint is damaged: " + std::move(what), where.string(),
               "remove the folder, or ask for a fresh start"};
}

Result<Manifest> parse_manifest(const Json& json, const fs::path& where) {
  auto integer = [&](const Json& from, const char* key) -> Result<int64_t> {
    const auto field = from.find(key);
    if (field == from.end() || !field->is_number_integer() || *field < 0)
      return damaged(std::string("\"") + key + "\" is no count", where);
    return field->get<int64_t>();
  };
  if (!json.is_object()) return damaged("it is no object", where);
  const int64_t version = TRY(integer(json, "v"));
  if (version != kFormVersion)
    return Error{ErrorKind::unsupported,
                 "the checkpoint has form " + std::to_string(version) + ", this program knows 1", where.string(),
                 "go on with the program that wrote it, or ask for a fresh start"};
  Manifest manifest;
  manifest.sequence = TRY(integer(json, "sequence"));
  manifest.attempt = TRY(integer(json, "attempt"));
  if (!json.contains("fingerprint") || !json.contains("state")) return damaged("a field is missing", where);
  manifest.fingerprint = json["fingerprint"];
  manifest.state = json["state"];
  const auto files = json.find("files");
  if (files == json.end() || !files->is_object()) return damaged("\"files\" is no object", where);
  for (const auto& [name, fields] : files->items()) {
    if (!is_file_name(name)) return damaged("\"" + name + "\" is no name of a file", where);
    const auto hash = fields.find("hash");
    if (!fields.is_object() || hash == fields.end() || !hash->is_string()) return damaged(name + " has no hash", where);
    manifest.files[name] = Entry{static_cast<uint64_t>(TRY(integer(fields, "size"))), hash->get<std::string>()};
  }
  return manifest;
}

Result<std::string> hash_like(const std::string& known, const fs::path& path) {
  if (known.starts_with("xxh3:")) return "xxh3:" + TRY(xxh3_of_file(path));
  if (known.starts_with("sha256:")) return "sha256:" + TRY(sha256_of_file(path));
  return damaged("the hash \"" + known + "\" is of no known kind", path);
}

Status check_entry(const fs::path& path, const Entry& entry) {
  std::error_code code;
  const uint64_t size = fs::file_size(path, code);
  if (code) return damaged("a file is missing", path);
  if (size != entry.size)
    return damaged("a file has " + std::to_string(size) + " bytes in place of " + std::to_string(entry.size), path);
  if (TRY(hash_like(entry.hash, path)) != entry.hash) return damaged("a file has changed", path);
  return {};
}

void collect_differences(const Json& ours, const Json& theirs, const std::string& at, std::vector<std::string>& found) {
  if (ours == theirs || found.size() >= 3) return;
  if (ours.is_object() && theirs.is_object()) {
    std::set<std::string> keys;
    for (const Json* side : {&ours, &theirs})
      for (const auto& item : side->items()) keys.insert(item.key());
    for (const std::string& key : keys)
      collect_differences(ours.contains(key) ? ours[key] : Json(), theirs.contains(key) ? theirs[key] : Json(),
                          at.empty() ? key : at + "." + key, found);
    return;
  }
  found.push_back(at + " is " + shorten(dump_json(ours, -1), 60) + ", was " + shorten(dump_json(theirs, -1), 60));
}

// Everything in the folder that is no directory, by its name relative to it; and the directories, deepest last.
struct Listing {
  std::vector<std::string> files, folders;
};
Result<Listing> list_folder(const fs::path& folder) {
  Listing listing;
  std::error_code code;
  for (fs::recursive_directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    const std::string name = entry->path().lexically_relative(folder).string();
    const bool is_folder = entry->symlink_status(code).type() == fs::file_type::directory;
    if (code) break;
    if (name != kLock) (is_folder ? listing.folders : listing.files).push_back(name);
  }
  if (code) return system_error("can't read the folder", folder, code.value());
  return listing;
}

}  // namespace

struct CheckpointFolder::State {
  fs::path folder;
  Descriptor lock;
  Session* session = nullptr;
  Manifest manifest;
  bool resumed = false;

  // The commit itself: all files that next lists are on the disk by now.
  Status put_in_place(Manifest next) {
    Json files = Json::object();
    for (const auto& [name, entry] : next.files) files[name] = Json{{"size", entry.size}, {"hash", entry.hash}};
    const Json json{{"v", kFormVersion},       {"sequence", next.sequence},
                    {"attempt", next.attempt}, {"fingerprint", next.fingerprint},
                    {"state", next.state},     {"files", files}};
    TRY(write_file_atomic(folder / kManifest, dump_json(json, 1) + "\n"));
    manifest = std::move(next);
    return {};
  }

  // What is not committed does not exist: killed writers' files go away.
  Status remove_uncommitted() {
    const Listing listing = TRY(list_folder(folder));
    std::error_code code;
    for (const std::string& name : listing.files) {
      if (name == kManifest || manifest.files.count(name)) continue;
      if (!fs::remove(folder / name, code) && code) return system_error("can't remove", folder / name, code.value());
    }
    for (auto name = listing.folders.rbegin(); name != listing.folders.rend(); ++name)
      ::rmdir((folder / *name).c_str());  // refuses where something is inside
    return {};
  }
};

CheckpointFolder::CheckpointFolder(std::unique_ptr<State> state) : state_(std::move(state)) {}
CheckpointFolder::CheckpointFolder(CheckpointFolder&&) noexcept = default;
CheckpointFolder& CheckpointFolder::operator=(CheckpointFolder&&) noexcept = default;
CheckpointFolder::~CheckpointFolder() = default;

Result<CheckpointFolder> CheckpointFolder::open(const CheckpointOptions& options) {
  ASSERT(options.fingerprint.is_object());
  auto state = std::make_unique<State>();
  State& s = *state;
  s.folder = options.folder;
  s.session = options.session;
  TRY(make_folders(s.folder));

  const fs::path manifest_path = s.folder / kManifest;
  std::error_code code;
  const bool has_manifest = fs::exists(manifest_path, code);
  if (!has_manifest && !fs::exists(s.folder / kLock, code) && !fs::is_empty(s.folder, code))
    return Error{ErrorKind::conflict, "the folder holds other files, and no checkpoint", s.folder.string(),
                 "give an empty or a new folder"};
  s.lock = Descriptor(::open((s.folder / kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!s.lock) return system_error("can't write into the checkpoint's folder", s.folder, errno);
  if (::flock(s.lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return Error{ErrorKind::conflict, "another run is using this checkpoint", s.folder.string(),
                 "wait for it to end, or give another folder"};

  auto load = [&]() -> Result<Manifest> {
    const Json json = TRY(read_json(manifest_path));
    Manifest found = TRY(parse_manifest(json, manifest_path));
    if (found.fingerprint != options.fingerprint) {
      std::vector<std::string> differences;
      collect_differences(options.fingerprint, found.fingerprint, "", differences);
      return Error{ErrorKind::conflict, "the checkpoint is of other work: " + join(differences, "; "),
                   s.folder.string(), "give another folder, or ask for a fresh start"};
    }
    for (const auto& [name, entry] : found.files) TRY(check_entry(s.folder / name, entry));
    return found;
  };
  Manifest next;
  if (fs::exists(manifest_path, code)) {
    Result<Manifest> found = load();
    if (found)
      next = std::move(found).take();
    else if (options.when_other == WhenOther::refuse || found.error().kind == ErrorKind::environment)
      return std::move(found).error();
  }
  s.resumed = next.sequence > 0;
  next.fingerprint = options.fingerprint;
  next.attempt = s.session ? s.session->attempt() : 1;
  TRY(s.put_in_place(std::move(next)));
  TRY(s.remove_uncommitted());
  return CheckpointFolder(std::move(state));
}

bool CheckpointFolder::resumed() const {
  return state_->resumed;
}
const Json& CheckpointFolder::state() const {
  return state_->manifest.state;
}
bool CheckpointFolder::has(const std::string& name) const {
  return state_->manifest.files.count(name) > 0;
}

std::vector<std::string> CheckpointFolder::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : state_->manifest.files) names.push_back(name);
  return names;
}

fs::path CheckpointFolder::path(const std::string& name) const {
  ASSERT(is_file_name(name));
  return state_->folder / name;
}

Status CheckpointFolder::write(const std::string& name, std::string_view content) {
  ASSERT(!has(name));
  TRY(make_folders(path(name).parent_path()));
  return write_file_atomic(path(name), content);
}

Status CheckpointFolder::commit(const std::vector<std::string>& add, const Json& state,
                                const std::vector<std::string>& drop) {
  State& s = *state_;
  Manifest next = s.manifest;
  ++next.sequence;
  next.state = state;
  std::set<fs::path> folders;
  for (const std::string& name : add) {
    ASSERT(!has(name));
    const fs::path file = path(name);
    TRY(flush_file(file));
    std::error_code code;
    Entry entry;
    entry.size = fs::file_size(file, code);
    if (code) return system_error("can't read the file", file, code.value());
    entry.hash = "xxh3:" + TRY(xxh3_of_file(file));
    next.files[name] = std::move(entry);
    for (fs::path parent = fs::path(name).parent_path(); !parent.empty(); parent = parent.parent_path())
      folders.insert(parent);
  }
  for (const fs::path& folder : folders) TRY(flush_folder(s.folder / folder));
  if (!add.empty()) TRY(flush_folder(s.folder));
  for (const std::string& name : drop) {
    ASSERT(has(name));
    next.files.erase(name);
  }
  TRY(s.put_in_place(std::move(next)));
  // From here on it is committed: a dropped file that can't be removed is removed by the next open.
  for (const std::string& name : drop) ::unlink(path(name).c_str());
  if (s.session) {
    uint64_t bytes = 0;
    for (const auto& [name, entry] : s.manifest.files) bytes += entry.size;
    s.session->checkpoint(s.manifest.sequence, static_cast<int64_t>(s.manifest.files.size()),
                          static_cast<int64_t>(bytes));
  }
  return {};
}

Status CheckpointFolder::discard() && {
  // The manifest first: half a removal is then nothing committed, not a damaged checkpoint.
  State& s = *state_;
  std::error_code code;
  fs::remove(s.folder / kManifest, code);
  if (code) return system_error("can't remove", s.folder / kManifest, code.value());
  // The lock last: a folder with it is known as a checkpoint's, however much is gone.
  s.manifest.files.clear();
  TRY(s.remove_uncommitted());
  fs::remove(s.folder / kLock, code);
  if (!code) fs::remove(s.folder, code);
  if (code) return system_error("can't remove", s.folder, code.value());
  state_.reset();
  return {};
}

namespace {

// 18 samples of 64 KiB: the ends and evenly spread between; small files whole.
Result<std::string> sampled_hash(const fs::path& path, uint64_t size) {
  constexpr uint64_t kSample = 65536, kSamples = 18;
  if (size <= kSample * kSamples) return xxh3_of_file(path);
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return system_error("can't open the file", path, errno);
  Xxh3 hash;
  std::string sample(kSample, '\0');
  for (uint64_t i = 0; i < kSamples; ++i) {
    const uint64_t offset =
        (size - kSample) / (kSamples - 1) * i + (i + 1 == kSamples ? (size - kSample) % (kSamples - 1) : 0);
    const ssize_t n = ::pread(file.get(), sample.data(), sample.size(), static_cast<off_t>(offset));
    if (n < 0) return system_error("can't read the file", path, errno);
    hash.add(std::string_view(sample).substr(0, static_cast<size_t>(n)));
  }
  return hash.hex();
}

Result<Json> file_fingerprint(const fs::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return system_error("can't read the file", path, errno);
  if (!S_ISREG(info.st_mode)) return Error{ErrorKind::bad_input, "not a regular file", path.string(), "check the path"};
  const auto size = static_cast<uint64_t>(info.st_size);
  return Json{{"size", size},
              {"mtime_ns", int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec},
              {"sampled_xxh3", TRY(sampled_hash(path, size))}};
}

// A hard link where the file system has them, else a copy, flushed.
Status link_or_copy(const fs::path& from, const fs::path& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return {};
  if (errno == ENOENT) return damaged("a file is missing", from);
  std::error_code code;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, code);
  if (code) return system_error("can't copy the checkpoint", to, code.value());
  return flush_file(to);
}

}  // namespace

Result<Json> sampled_fingerprint(const fs::path& path) {
  std::error_code code;
  if (!fs::is_directory(path, code)) return file_fingerprint(path);
  Listing listing = TRY(list_folder(path));
  std::sort(listing.files.begin(), listing.files.end());
  Json files = Json::object();
  for (const std::string& name : listing.files)
    if (fs::is_regular_file(path / name, code)) files[name] = TRY(file_fingerprint(path / name));
  return files;
}

Status seed_checkpoint(const fs::path& earlier, const fs::path& fresh) {
  TRY(make_folders(fresh));
  std::error_code code;
  const fs::path manifest_path = earlier / kManifest;
  if (!fs::exists(manifest_path, code)) return {};
  // The earlier attempt may still be writing, if it is cut off and does not know it: what its manifest lists now may go
  // away under our hands. Then a newer manifest lists what stays: once more.
  for (int tries = 0;; ++tries) {
    const std::string text = TRY(read_file(manifest_path));
    const Json json = TRY(parse_json(text, manifest_path.string()));
    const Manifest manifest = TRY(parse_manifest(json, manifest_path));
    Status linked;
    std::set<fs::path> folders{""};
    for (const auto& [name, entry] : manifest.files) {
      const fs::path parent = fs::path(name).parent_path();
      TRY(make_folders(fresh / parent));
      folders.insert(parent);
      ::unlink((fresh / name).c_str());
      linked = link_or_copy(earlier / name, fresh / name);
      if (!linked) break;
    }
    if (!linked) {
      if (tries < 5) continue;
      return linked;
    }
    for (const fs::path& folder : folders) TRY(flush_folder(fresh / folder));
    return write_file_atomic(fresh / kManifest, text);
  }
}

bool has_checkpoint_of(const fs::path& folder, int64_t attempt) {
  const fs::path manifest_path = folder / kManifest;
  const auto json = read_json(manifest_path);
  if (!json) return false;
  const auto manifest = parse_manifest(*json, manifest_path);
  return manifest && manifest->attempt == attempt;
}

}  // namespace tqm::task
