// The pickle interpreter of checkpoint.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace tqm::matter {

// What a pickle makes. Values live in one table and name each other by number, so that no depth of nesting, and no
// circle, can break us.
struct PickleValue {
  enum class Kind { none, boolean, integer, real, string, sequence, dictionary, global, storage, tensor };
  Kind kind = Kind::none;
  int64_t integer = 0;  // boolean too
  double real = 0;
  std::string text = {};                                // string, global, key of a storage
  std::vector<size_t> items = {};                       // sequence
  std::vector<std::pair<size_t, size_t>> entries = {};  // dictionary
  size_t of = 0;                                        // tensor: its storage
  int64_t offset = 0;                                   // tensor: in elements
  std::vector<int64_t> shape = {};                      // tensor, row-major; storage: [count]
};

struct Pickle {
  std::deque<PickleValue> values;
  size_t root = 0;
  // The value of a dictionary's key; null where there is none.
  const PickleValue* find(const PickleValue& dictionary, std::string_view key) const;
};

Result<Pickle> run_pickle(std::span<const std::byte> bytes, const std::string& where);

}  // namespace tqm::matter
