// For tests and fuzzers: all frames of a text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "matter/io/frames.hpp"

namespace tqm::matter {

inline Result<std::vector<Structure>> frames_of(std::unique_ptr<FrameReader> (*read)(Lines, const ReadOptions&),
                                                std::string text, const ReadOptions& options = {}) {
  const std::unique_ptr<FrameReader> reader = read(Lines::of(std::move(text), "input"), options);
  std::vector<Structure> frames;
  while (auto frame = TRY(reader->next())) frames.push_back(std::move(*frame));
  return frames;
}

// "what (where)" of the refusal, or "accepted".
inline std::string refusal_of(std::unique_ptr<FrameReader> (*read)(Lines, const ReadOptions&), std::string text,
                              const ReadOptions& options = {}) {
  const auto frames = frames_of(read, std::move(text), options);
  return frames ? "accepted" : frames.error().what + " (" + frames.error().where + ")";
}

}  // namespace tqm::matter
