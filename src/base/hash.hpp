// Hashes: SHA-256 where a stranger must be able to check, XXH3 (64 bit) where only speed and accidents count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tqm {

class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  std::string hex();  // 64 digits; ends this hash

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class Xxh3 {
 public:
  Xxh3();
  Xxh3(Xxh3&&) noexcept;
  Xxh3& operator=(Xxh3&&) noexcept;
  ~Xxh3();
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  uint64_t value() const;
  std::string hex() const;  // 16 digits

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_hex(std::string_view text);
uint64_t xxh3(std::string_view text);

// Of a whole file, read in pieces.
Result<std::string> sha256_of_file(const std::filesystem::path& path);
Result<std::string> xxh3_of_file(const std::filesystem::path& path);

}  // namespace tqm
