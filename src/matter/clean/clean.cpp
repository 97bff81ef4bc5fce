#include "matter/clean/clean.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "matter/clean/duplicates.hpp"
#include "matter/io/formats.hpp"

namespace tqm::matter {
namespace {

constexpr double kSameEnergy = 0.005;  // eV/atom: duplicates further apart contradict each other

// Calls for each frame that can be read; frames are counted on.
Result<CleanFile> each_frame(const std::filesystem::path& path, const CleanOptions& options,
                             const std::function<Status(const Structure&)>& call) {
  CleanFile file{path, 0, {}};
  const std::unique_ptr<FrameReader> reader = TRY(open_frames(path, options.from, options.read));
  while (true) {
    const auto frame = reader->next();
    if (!frame) {
      if (file.frames == 0) return frame.error();
      file.torn = frame.error().message();
      return file;
    }
    if (!*frame) break;
    ++file.frames;
    TRY(call(**frame));
  }
  if (file.frames == 0)
    return Error{ErrorKind::bad_input, "the file holds no structure", path.string(), "is it empty?"};
  return file;
}

void add_duplicate(Cleaned& result, int64_t frame, int64_t earlier) {
  std::string text = fmt::format("the same crystal as frame {}", earlier);
  const auto& mine = result.summaries[static_cast<size_t>(frame - 1)].energy_per_atom;
  const auto& other = result.summaries[static_cast<size_t>(earlier - 1)].energy_per_atom;
  if (mine && other && std::abs(*mine - *other) > kSameEnergy)
    text += fmt::format(", and its energy differs by {:+.4f} eV/atom", *mine - *other);
  result.findings.push_back({frame, Fault::duplicate, std::move(text)});
}

}  // namespace

Result<Cleaned> clean(const std::vector<std::filesystem::path>& files, const CleanOptions& options) {
  Cleaned result;
  Duplicates duplicates;
  auto look = [&](const Structure& s) -> Status {
    const int64_t frame = static_cast<int64_t>(result.summaries.size()) + 1;
    result.summaries.push_back(judge(s, frame, options.judge, result.findings));
    if (options.duplicates)
      if (const auto earlier = duplicates.earlier(s, frame)) add_duplicate(result, frame, *earlier);
    return options.progress ? options.progress(frame) : Status();
  };
  for (const std::filesystem::path& path : files) result.files.push_back(TRY(each_frame(path, options, look)));
  judge_together(result.summaries, options.judge, result.findings);
  std::stable_sort(result.findings.begin(), result.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.frame < b.frame; });
  std::set<std::pair<Fault, int64_t>> counted;
  std::set<int64_t> faulty;
  for (const Finding& finding : result.findings) {
    if (counted.insert({finding.fault, finding.frame}).second) ++result.frames_with[finding.fault];
    faulty.insert(finding.frame);
  }
  result.set_aside = static_cast<int64_t>(faulty.size());
  result.kept = static_cast<int64_t>(result.summaries.size()) - result.set_aside;
  return result;
}

Status write_parts(const Cleaned& cleaned, const CleanOptions& options, const std::filesystem::path& kept,
                   const std::filesystem::path& set_aside) {
  const Format* form = TRY(format_named("extxyz"));
  FrameFile good = TRY(FrameFile::create(kept, *form)), bad = TRY(FrameFile::create(set_aside, *form));
  int64_t frame = 0;
  size_t next = 0;
  auto write = [&](const Structure& s) -> Status {
    ++frame;
    std::string faults;
    for (; next < cleaned.findings.size() && cleaned.findings[next].frame == frame; ++next)
      faults += (faults.empty() ? "" : "; ") + std::string(name(cleaned.findings[next].fault)) + ": " +
                cleaned.findings[next].text;
    if (faults.empty()) return good.write(s);
    Structure marked = s;
    marked.notes["faults"] = faults;
    marked.notes["frame"] = std::to_string(frame);
    return bad.write(marked);
  };
  for (const CleanFile& file : cleaned.files) {
    const CleanFile again = TRY(each_frame(file.path, options, write));
    if (again.frames != file.frames)
      return Error{ErrorKind::conflict, "the file changed while it was read", file.path.string(),
                   "run it again when nobody writes to it"};
  }
  ASSERT(good.frames() == cleaned.kept && bad.frames() == cleaned.set_aside);
  TRY(good.commit());
  return bad.commit();
}

}  // namespace tqm::matter
