#include "matter/io/frames.hpp"

#include <fmt/format.h>

#include "matter/io/formats.hpp"

namespace tqm::matter {

Result<std::unique_ptr<FrameReader>> open_frames(const std::filesystem::path& path, std::string_view form,
                                                 const ReadOptions& options) {
  const Format* format = form.empty() ? TRY(format_of_file(path)) : TRY(format_named(form));
  return format->read(TRY(Lines::open(path)), options);
}

Result<std::vector<Structure>> read_frames(const std::filesystem::path& path, std::string_view form,
                                           const ReadOptions& options, size_t most) {
  const std::unique_ptr<FrameReader> reader = TRY(open_frames(path, form, options));
  std::vector<Structure> frames;
  while (auto frame = TRY(reader->next())) {
    if (frames.size() == most)
      return Error{ErrorKind::unsupported, fmt::format("the file has more than {} frames", most), path.string(),
                   "split it"};
    frames.push_back(std::move(*frame));
  }
  return frames;
}

Result<Structure> read_structure(const std::filesystem::path& path, std::string_view form, const ReadOptions& options) {
  const std::unique_ptr<FrameReader> reader = TRY(open_frames(path, form, options));
  std::optional<Structure> last;
  while (auto frame = TRY(reader->next())) last = std::move(*frame);
  if (!last) return Error{ErrorKind::bad_input, "the file holds no structure", path.string(), "is it empty?"};
  return std::move(*last);
}

}  // namespace tqm::matter
