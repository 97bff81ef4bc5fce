#include "compress/command/places.hpp"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

#include "base/file.hpp"

namespace tqm::compress {
namespace fs = std::filesystem;
namespace {

// Where path really is, as far as it exists by now.
fs::path resolved(const fs::path& path) {
  std::error_code code;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, code), code);
  return whole.has_filename() ? whole : whole.parent_path();
}

// Refuses a path that is the folder or lies below it.
Status check_outside(const fs::path& path, const std::string& option, const fs::path& folder, const std::string& name) {
  if (path.empty()) return {};
  const fs::path inner = resolved(path), outer = resolved(folder);
  const auto [outer_end, inner_end] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  if (outer_end != outer.end()) return {};
  return Error{ErrorKind::usage, name + " can't hold anything else", option + " " + path.string(),
               "choose a place outside " + folder.string()};
}

// Whether a folder of this name can be made.
Status check_place(const fs::path& path, const std::string& what) {
  std::error_code code;
  const fs::path whole = fs::absolute(path, code);
  if (code) return system_error(what, path, code.value());
  for (fs::path at = whole;; at = at.parent_path()) {
    if (::access(at.c_str(), F_OK) != 0) {
      if (errno != ENOENT) return system_error(what, path, errno);
      continue;
    }
    if (!fs::is_directory(at, code)) return system_error(what, at, ENOTDIR);
    if (::access(at.c_str(), W_OK | X_OK) != 0) return system_error(what, at, errno);
    return {};
  }
}

// The folders above path that do not exist, deepest first.
std::vector<fs::path> missing_parents(const fs::path& path) {
  std::vector<fs::path> missing;
  std::error_code code;
  for (fs::path at = fs::absolute(path, code).parent_path(); !at.empty() && !fs::exists(at, code);
       at = at.parent_path())
    missing.push_back(at);
  return missing;
}

}  // namespace

Status check_places(const Places& p) {
  TRY(check_place(p.out, "can't write the result"));
  TRY(check_place(p.staging, "can't write the result"));
  TRY(check_place(p.work, "can't keep what was done"));
  TRY(check_place(p.report, "can't write the report"));
  TRY(check_outside(p.work, "--work", p.out, "the output's folder"));
  TRY(check_outside(p.report, "--report", p.out, "the output's folder"));
  TRY(check_outside(p.scores, "--scores", p.out, "the output's folder"));
  TRY(check_outside(p.out, "-o", p.work, "the work folder"));
  TRY(check_outside(p.report, "--report", p.work, "the work folder"));
  return check_outside(p.scores, "--scores", p.work, "the work folder");
}

Result<Claim> Claim::take(const fs::path& out) {
  std::error_code code;
  const fs::path whole = fs::absolute(out, code);
  std::vector<fs::path> made = missing_parents(whole);
  TRY(make_folders(whole.parent_path()));
  Result<LockFile> lock = LockFile::take(whole.parent_path() / ("." + whole.filename().string() + ".torquetum-run"));
  if (!lock && lock.error().kind == ErrorKind::conflict)
    return Error{ErrorKind::conflict, "another run is making this output", out.string(),
                 "wait for it to end, or give another folder with -o"};
  Claim claim(TRY(std::move(lock)), std::move(made));
  if (claim.lock_->content().empty()) return claim;
  // It counts only while what it tells of stands there. One cut short tells of nothing: OUT came after it.
  Result<Json> placed = parse_json(claim.lock_->content(), "");
  if (placed && fs::exists(fs::symlink_status(whole, code)))
    claim.placed_ = std::move(placed).take();
  else
    TRY(claim.forget());
  return claim;
}

Claim::~Claim() {
  if (!lock_) return;
  lock_.reset();
  for (const fs::path& folder : made_) ::rmdir(folder.c_str());  // refuses where something is inside
}

Status Claim::record(const Json& placed) {
  return lock_->write(dump_json(placed, -1));
}

Status Claim::forget() {
  placed_ = Json();
  return lock_->write("");
}

}  // namespace tqm::compress
