// A folder whose content survives kill -9 and a power cut at any moment. checkpoint.json lists what is committed: what
// is not in it does not exist. It is written under another name, flushed and renamed last, after all files that it
// lists. A committed file is never written again (an earlier attempt may hold a hard link to it): new content takes a
// new name, the old name is dropped in the same commit, and what is small and changes goes into the state, inside
// checkpoint.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "task/session.hpp"

namespace tqm::task {

enum class WhenOther { refuse, start_afresh };  // the folder holds a checkpoint of something else, or a damaged one

struct CheckpointOptions {
  std::filesystem::path folder = {};  // made where it is missing; a folder with files that are no checkpoint is refused
  Json fingerprint = {};  // what this work is: inputs, options, version of the checkpoint's form (an object)
  WhenOther when_other = WhenOther::refuse;
  Session* session = nullptr;  // gives the attempt's number, and hears of each commit
};

class CheckpointFolder {
 public:
  // Holds the folder's lock while it lives (else: conflict). Checks every committed file, removes what is not
  // committed, and commits under this attempt's number. A fingerprint that differs is a conflict that names the fields.
  static Result<CheckpointFolder> open(const CheckpointOptions& options);
  CheckpointFolder(CheckpointFolder&&) noexcept;
  CheckpointFolder& operator=(CheckpointFolder&&) noexcept;
  ~CheckpointFolder();

  bool resumed() const;                     // an earlier run committed something that can be gone on from
  const Json& state() const;                // of the last commit; null at first
  bool has(const std::string& name) const;  // committed
  std::vector<std::string> names() const;   // committed, sorted
  std::filesystem::path path(const std::string& name) const;  // to write a new file, or read a committed one
  // Writes path(name) for the next commit; refuses a name that is committed already.
  Status write(const std::string& name, std::string_view content);

  // The files named in add (written, not yet flushed) join what is committed, those in drop leave it and are deleted,
  // state replaces the state. All of it or nothing. Costs the added bytes only.
  Status commit(const std::vector<std::string>& add, const Json& state, const std::vector<std::string>& drop = {});

  // Deletes the folder: the work is done and its result is elsewhere.
  Status discard() &&;

 private:
  struct State;
  explicit CheckpointFolder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A file's or folder's identity without reading it whole: size, time, hash of samples. Folders: each file by name,
// sorted.
Result<Json> sampled_fingerprint(const std::filesystem::path& path);

// Gives a new attempt its own folder: what earlier committed, by hard link where the file system can, else copied.
// earlier may be missing or hold nothing committed: then fresh is only made.
Status seed_checkpoint(const std::filesystem::path& earlier, const std::filesystem::path& fresh);

// Whether the folder holds a committed checkpoint of this attempt; reads checkpoint.json only.
bool has_checkpoint_of(const std::filesystem::path& folder, int64_t attempt);

}  // namespace tqm::task
