// Frames that are the same crystal, whatever cell, origin, orientation or order of atoms they are written in.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "matter/clean/judge.hpp"

namespace tqm::matter {

// Given every frame once, in order. A frame is compared with those before it that have its composition and nearly its
// fingerprint; memory holds the primitive cells of frames that are no duplicates.
class Duplicates {
 public:
  // The earlier frame that this one is the same crystal as. Disordered frames, and those that spglib finds no primitive
  // cell of, are the same as none.
  std::optional<int64_t> earlier(const Structure& structure, int64_t frame);

 private:
  struct Seen {
    int64_t frame;
    std::array<double, 4> fingerprint;
    Structure primitive;
  };
  // formula → the first number of the fingerprint → frames
  std::map<std::string, std::multimap<double, Seen>> seen_;
};

}  // namespace tqm::matter
