// For the fuzzers of readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "matter/io/extxyz.hpp"
#include "matter/io/from_text.hpp"
#include "matter/io/write.hpp"

namespace tqm::matter {

inline void read_any(std::unique_ptr<FrameReader> (*read)(Lines, const ReadOptions&), const uint8_t* data,
                     size_t size) {
  ReadOptions options;
  options.types = {3, 8};
  const std::unique_ptr<FrameReader> reader =
      read(Lines::of(std::string(reinterpret_cast<const char*>(data), size), "input"), options);
  while (true) {
    const auto frame = reader->next();
    if (!frame || !*frame) return;
    ASSERT(check(**frame, "input").ok());
    const auto text = write_extxyz(**frame);
    ASSERT(text.ok());
    const auto again = frames_of(read_extxyz, *text);
    ASSERT(again.ok() && again->size() == 1);
    ASSERT(again->at(0).positions == (*frame)->positions && again->at(0).numbers == (*frame)->numbers);
  }
}

}  // namespace tqm::matter
