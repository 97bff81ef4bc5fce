// The address spaces of an MLU as ranges of our own address space, with what is known of every byte.
//
// One reservation holds them all: for each core its NRAM, WRAM and LDRAM, for each cluster its SRAM, and the GDRAM. So
// a pointer tells by its value which space it points into and whose. Beside it lie two shadows: a byte of flags for
// every byte, and for every four bytes who wrote and read them last, by the cores' clocks, from which races are found.
// Both are reserved without memory behind them; only what is touched costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tqm::port::bang {

// Sizes of one chip, in bytes and counts: they come from the catalogue with the compiled side.
struct ChipFigures {
  std::size_t nram = 0;
  std::size_t wram = 0;
  std::size_t sram = 0;
  unsigned clusters = 0;
  unsigned cores_a_cluster = 0;
};

enum class Space : std::uint8_t { nram, wram, ldram, sram, gdram, stack, constant, other };
const char* name(Space space);

enum Flag : std::uint8_t {
  kInitialised = 1,    // written since it was given out
  kGiven = 2,          // belongs to a variable or a buffer
  kPendingRead = 4,    // source of a copy in flight
  kPendingWrite = 8,   // destination of one
  kFilterLayout = 16,  // put in order for WRAM
  kOfTheCard = 32,     // not initialised, but as it was read from GDRAM
};

// The last write and the last read of four bytes: by whom (a slot of the launch, 0 nobody) and at which of its clocks.
struct Touch {
  std::uint32_t write_clock = 0;
  std::uint32_t read_clock = 0;
  std::uint16_t writer = 0;
  std::uint16_t reader = 0;
  std::uint32_t write_site = 0;  // see Faults::site
};

// A variable or a buffer that an address may belong to.
struct Region {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::string name;
  Space space = Space::other;
  unsigned owner = 0;  // core, cluster, or 0
};

constexpr std::size_t kLaneTables = 64;  // WRAM is made of so many, one behind the other

class Arena {
 public:
  static constexpr unsigned kMaxCores = 80;     // of all clusters, MPUs with them
  static constexpr unsigned kMaxClusters = 16;  // likewise

  explicit Arena(const ChipFigures& chip);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  bool holds(const void* address) const { return reinterpret_cast<std::uintptr_t>(address) - base_ < kBytes; }
  Space space_of(const void* address) const;
  unsigned owner_of(const void* address) const;

  std::uint8_t* flags(const void* address) const {
    return flags_ + (reinterpret_cast<std::uintptr_t>(address) - base_);
  }
  Touch* touch(const void* address) const { return touches_ + (reinterpret_cast<std::uintptr_t>(address) - base_) / 4; }

  // Room for a variable in a space of a core or cluster, 64-byte aligned, poisoned; null where the space is full.
  // Variables lie apart, so that running out of one never means running into the next.
  void* give(Space space, unsigned owner, std::size_t bytes, std::uint8_t poison, std::string name);
  std::size_t used(Space space, unsigned owner) const;

  // Forgets the variables of a core or cluster.
  void reset(Space space, unsigned owner);
  void reset_gdram();
  void clear_touches(const Region& region);

  const Region* region_of(const void* address) const;  // the one it lies in, or else the nearest before it
  const std::vector<Region>& gdram_buffers() const {
    return spaces_[0][static_cast<std::size_t>(Space::gdram)].regions;
  }
  const ChipFigures& chip() const { return chip_; }

  std::byte* wram_base(unsigned owner) const;
  std::size_t lane_table_bytes() const { return chip_.wram / kLaneTables; }

 private:
  static constexpr std::size_t kCoreStride = std::size_t{4} << 20;
  static constexpr std::size_t kClusterStride = std::size_t{16} << 20;
  static constexpr std::size_t kGdramBytes = std::size_t{16} << 30;
  static constexpr std::size_t kCoreBytes = kCoreStride * kMaxCores;
  static constexpr std::size_t kSramOffset = 3 * kCoreBytes;
  static constexpr std::size_t kGdramOffset = kSramOffset + kClusterStride * kMaxClusters;
  static constexpr std::size_t kBytes = kGdramOffset + kGdramBytes;

  struct Given {
    std::size_t next = 0;  // offset of the next variable
    std::size_t used = 0;  // bytes of the capacity
    std::vector<Region> regions;
  };

  std::uintptr_t start(Space space, unsigned owner) const;
  std::size_t capacity(Space space) const;
  void clear(const Region& region);

  ChipFigures chip_;
  std::uintptr_t base_ = 0;
  std::uint8_t* flags_ = nullptr;
  Touch* touches_ = nullptr;
  Given spaces_[kMaxCores][5];
};

}  // namespace tqm::port::bang
