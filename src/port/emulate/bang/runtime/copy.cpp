// Copies: directions, strides, the layout of WRAM, and which core carries them out.
//
// A copy between GDRAM or LDRAM and SRAM, or between SRAMs, runs on the MPU of the cluster: the IPUs pass over it, as
// the 3.0 documentation's example says ("auto running on MPU"). Copies with NRAM or WRAM run on the IPUs.
#include <array>
#include <cstring>

#include "port/emulate/bang/runtime/operand.hpp"
#include "port/emulate/bang/runtime/pipes.hpp"

namespace tqm_bang {

using namespace tqm::port::bang;

namespace {

struct Direction {
  const char* name;
  Space src, dst;
};

constexpr std::array kDirections{
    Direction{"GDRAM2NRAM", Space::gdram, Space::nram},   Direction{"NRAM2GDRAM", Space::nram, Space::gdram},
    Direction{"LDRAM2NRAM", Space::ldram, Space::nram},   Direction{"NRAM2LDRAM", Space::nram, Space::ldram},
    Direction{"GDRAM2WRAM", Space::gdram, Space::wram},   Direction{"WRAM2GDRAM", Space::wram, Space::gdram},
    Direction{"LDRAM2WRAM", Space::ldram, Space::wram},   Direction{"WRAM2LDRAM", Space::wram, Space::ldram},
    Direction{"NRAM2NRAM", Space::nram, Space::nram},     Direction{"NRAM2WRAM", Space::nram, Space::wram},
    Direction{"WRAM2NRAM", Space::wram, Space::nram},     Direction{"GDRAM2SRAM", Space::gdram, Space::sram},
    Direction{"SRAM2GDRAM", Space::sram, Space::gdram},   Direction{"LDRAM2SRAM", Space::ldram, Space::sram},
    Direction{"SRAM2LDRAM", Space::sram, Space::ldram},   Direction{"SRAM2NRAM", Space::sram, Space::nram},
    Direction{"NRAM2SRAM", Space::nram, Space::sram},     Direction{"SRAM2WRAM", Space::sram, Space::wram},
    Direction{"WRAM2SRAM", Space::wram, Space::sram},     Direction{"GDRAM2GDRAM", Space::gdram, Space::gdram},
    Direction{"GDRAM2LDRAM", Space::gdram, Space::ldram}, Direction{"LDRAM2GDRAM", Space::ldram, Space::gdram},
    Direction{"LDRAM2LDRAM", Space::ldram, Space::ldram}, Direction{"SRAM2SRAM", Space::sram, Space::sram},
};
constexpr int kSramToSram = 23;
constexpr int kLdramToLdram = 22;
constexpr int kNramToNram = 8;

bool of_mpu(const Direction& direction) {
  const auto far = [](Space space) { return space == Space::gdram || space == Space::ldram; };
  return (direction.src == Space::sram && (far(direction.dst) || direction.dst == Space::sram)) ||
         (direction.dst == Space::sram && far(direction.src));
}

bool of_ipu(const Direction& direction) {
  const auto near = [](Space space) { return space == Space::nram || space == Space::wram; };
  return near(direction.src) || near(direction.dst);
}

struct Segment {
  std::byte* dst;
  const std::byte* src;
  long bytes;
};

std::vector<long> offsets(long dimensions, long stride0, long count1, long stride1, long count2) {
  if (dimensions == 0) {
    return {0};
  }
  std::vector<long> result;
  for (long outer = 0; outer <= (dimensions == 3 ? count2 : 0); ++outer) {
    for (long inner = 0; inner <= count1; ++inner) {
      result.push_back(outer * stride1 + inner * stride0);
    }
  }
  return result;
}

// LDRAM is the core's own memory off the chip: its variables, and its stack.
bool lies_in(const void* address, Space space) {
  const Space found = space_at(address);
  return found == space || (space == Space::ldram && found == Space::stack) ||
         (space == Space::gdram && found == Space::constant);
}

std::string place_text(const void* address) {
  return machine().arena().holds(address) ? describe(address) : std::string(tqm::port::bang::name(space_at(address)));
}

class Copy {
 public:
  Copy(const char* name, const void* place, void* dst, const void* src, long size, const Direction& direction,
       const Strides& strides)
      : call_(name, place), dst_(dst), src_(src), size_(size), direction_(direction), strides_(strides) {}

  Call& call() { return call_; }

  void check_spaces() {
    for (const bool is_dst : {false, true}) {
      const void* address = is_dst ? dst_ : src_;
      const Space wanted = is_dst ? direction_.dst : direction_.src;
      if (!lies_in(address, wanted)) {
        call_.fail(kDirection, std::string(call_.name()) + " with " + direction_.name + ": " +
                                   (is_dst ? "dst" : "src") + " points into " + place_text(address));
      }
      if (machine().arena().holds(address) && wanted != Space::sram && !reachable(call_.core(), address)) {
        call_.fail(kWrongSpace, std::string(call_.name()) + ": " + (is_dst ? "dst" : "src") +
                                    " points into another core's " + tqm::port::bang::name(wanted));
      }
    }
  }

  // Strides must not be shorter than a segment, counts not negative, both sides of equal number.
  bool check_shape() {
    if (!call_.positive(size_, "size")) {
      return false;
    }
    if (strides_.dimensions == 0) {
      return true;
    }
    const long src_segments = (strides_.src_count1 + 1) * (strides_.src_count2 + 1);
    const long dst_segments = (strides_.dst_count1 + 1) * (strides_.dst_count2 + 1);
    if (strides_.src_count1 < 0 || strides_.dst_count1 < 0 || strides_.src_count2 < 0 || strides_.dst_count2 < 0 ||
        src_segments != dst_segments) {
      call_.fail(kArgument, std::string(call_.name()) + ": " + std::to_string(dst_segments) + " segments of dst and " +
                                std::to_string(src_segments) + " of src (segnum is their number less one)");
    }
    const auto short_stride = [&](long stride, long count) { return count > 0 && std::abs(stride) < size_; };
    call_.check(!short_stride(strides_.dst0, strides_.dst_count1) && !short_stride(strides_.dst1, strides_.dst_count2),
                kArgument, "a dst_stride shorter than the segment of " + std::to_string(size_) + " bytes");
    call_.check(std::max(strides_.src_count1, strides_.src_count2) <= 65535, kArgument, "more than 65536 segments");
    call_.check(direction_.dst != Space::wram || (strides_.dst0 % 8 == 0 && strides_.dst1 % 8 == 0), kAlignment,
                "a dst_stride into WRAM must be a multiple of 8");
    return true;
  }

  // A plain copy to or from WRAM deals its bytes out to the 64 lane tables in equal parts; a strided one puts each
  // segment where its address says, table after table 1/64 of WRAM apart.
  std::vector<Segment> segments() {
    std::vector<Segment> result;
    auto* dst = static_cast<std::byte*>(dst_);
    const auto* src = static_cast<const std::byte*>(src_);
    const bool wram = direction_.dst == Space::wram || direction_.src == Space::wram;
    if (strides_.dimensions == 0 && wram) {
      Arena& arena = machine().arena();
      const auto* in_wram = direction_.dst == Space::wram ? dst : src;
      const long offset = in_wram - arena.wram_base(call_.core().arena);
      const auto table = static_cast<long>(arena.lane_table_bytes());
      if (offset >= table) {
        call_.fail(kWramLayout, std::string(call_.name()) + ": a copy without strides deals out its bytes to all 64 " +
                                    "lane tables of WRAM, and begins " + std::to_string(offset) +
                                    " bytes in: beyond the first table's " + std::to_string(table));
      }
      call_.check(size_ % (8 * static_cast<long>(kLaneTables)) == 0, kAlignment,
                  std::to_string(size_) + " bytes are not 8-byte aligned in each of WRAM's 64 lane tables");
      const long part = size_ / static_cast<long>(kLaneTables);
      for (long i = 0; i < static_cast<long>(kLaneTables); ++i) {
        direction_.dst == Space::wram ? result.push_back({dst + i * table, src + i * part, part})
                                      : result.push_back({dst + i * part, src + i * table, part});
      }
      return result;
    }
    const auto to =
        offsets(strides_.dimensions, strides_.dst0, strides_.dst_count1, strides_.dst1, strides_.dst_count2);
    const auto from =
        offsets(strides_.dimensions, strides_.src0, strides_.src_count1, strides_.src1, strides_.src_count2);
    for (std::size_t i = 0; i < to.size(); ++i) {
      result.push_back({dst + to[i], src + from[i], size_});
    }
    return result;
  }

  void check_bounds(const std::vector<Segment>& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      check_range(parts[i].src, parts[i].bytes, false, i, parts.size());
      check_range(parts[i].dst, parts[i].bytes, true, i, parts.size());
    }
    if (strides_.dimensions == 0 && direction_.src == direction_.dst && direction_.src != Space::wram) {
      call_.apart(dst_, size_, src_, size_, kNeverSame);
    }
  }

  std::vector<Range> ranges(const std::vector<Segment>& parts) const {
    std::vector<Range> result;
    const auto add = [&](const std::byte* begin, long bytes, bool write) {
      const auto from = reinterpret_cast<std::uintptr_t>(begin);
      if (!result.empty() && result.back().write == write && result.back().end == from) {
        result.back().end += static_cast<std::uintptr_t>(bytes);
      } else {
        result.push_back({from, from + static_cast<std::uintptr_t>(bytes), write, call_.place()});
      }
    };
    for (const Segment& part : parts) {
      add(part.src, part.bytes, false);
    }
    for (const Segment& part : parts) {
      add(part.dst, part.bytes, true);
    }
    return result;
  }

  // Moves the bytes with what is known of them. WRAM filled by table strides, or from a reshaped tensor, is in the
  // layout that conv and matmul read.
  static void run(const std::vector<Segment>& parts, bool lane_strides) {
    Arena& arena = machine().arena();
    for (const Segment& part : parts) {
      const std::uint8_t* from = arena.holds(part.src) ? arena.flags(part.src) : nullptr;
      const bool of_card = from != nullptr && arena.space_of(part.src) == Space::gdram;
      std::vector<std::uint8_t> known(static_cast<std::size_t>(part.bytes), kInitialised);
      for (long i = 0; from != nullptr && i < part.bytes; ++i) {
        std::uint8_t& now = known[static_cast<std::size_t>(i)];
        now = from[i] & (kInitialised | kFilterLayout | kOfTheCard);
        if (of_card && (from[i] & kInitialised) == 0) {
          now = static_cast<std::uint8_t>(now | kOfTheCard);
        }
      }
      if (arena.holds(part.dst)) {
        std::uint8_t* to = arena.flags(part.dst);
        for (long i = 0; i < part.bytes; ++i) {
          to[i] = static_cast<std::uint8_t>((to[i] & ~(kInitialised | kFilterLayout | kOfTheCard)) |
                                            known[static_cast<std::size_t>(i)] | (lane_strides ? kFilterLayout : 0));
        }
      }
      std::memmove(part.dst, part.src, static_cast<std::size_t>(part.bytes));
    }
  }

  // What leaves the core must be initialised: nobody can make sense of the rest. Bytes that nothing had written may go
  // back to where they lie, unchanged: so a masked store leaves them.
  void check_stored(const std::vector<Segment>& parts) {
    if (direction_.dst != Space::gdram) {
      return;
    }
    for (const Segment& part : parts) {
      const long good = first_strange(part);
      if (good < part.bytes) {
        machine().faults().add(kUninitialised, call_.place(),
                               std::string(call_.name()) + " with " + direction_.name + " stores " +
                                   describe(part.src + good) + ", which nothing has written, to " +
                                   describe(part.dst + good));
        return;
      }
    }
  }

  void note(const std::vector<Segment>& parts) {
    for (const Segment& part : parts) {
      const bool known = machine().arena().holds(part.src);
      note_if_shared(part.src, part.bytes, false, false);
      note_if_shared(part.dst, part.bytes, true,
                     !known || std::memcmp(part.dst, part.src, static_cast<std::size_t>(part.bytes)) != 0);
    }
  }

  bool lane_strides() const {
    const auto table = static_cast<long>(machine().arena().lane_table_bytes());
    return direction_.dst == Space::wram && strides_.dimensions != 0 &&
           (strides_.dst0 == table || strides_.dst1 == table || strides_.dst_count1 == 0);
  }

 private:
  void check_range(const void* begin, long bytes, bool write, std::size_t segment, std::size_t segments) {
    if (!machine().arena().holds(begin)) {
      return;
    }
    const long good = first_without(begin, bytes, kGiven);
    if (good < bytes) {
      std::string text = std::string(call_.name()) + " with " + direction_.name + (write ? " writes " : " reads ") +
                         std::to_string(bytes) + " bytes at " + describe(begin) + ": " + std::to_string(bytes - good) +
                         " bytes lie outside";
      if (segments > 1 && strides_.dimensions != 0) {
        text += "; segment " + std::to_string(segment + 1) + " of " + std::to_string(segments) +
                " (segnum is their number less one)";
      }
      call_.fail(kOutOfBounds, text);
    }
  }

  // The first byte that nothing has written and that would change what is there, or bytes.
  long first_strange(const Segment& part) {
    if (call_.initialised(part.src, part.bytes)) {
      return part.bytes;
    }
    const Arena& arena = machine().arena();
    const std::uint8_t* from = arena.flags(part.src);
    const std::uint8_t* to = arena.holds(part.dst) ? arena.flags(part.dst) : nullptr;
    for (long i = 0; i < part.bytes; ++i) {
      const bool unchanged = to != nullptr && (to[i] & kInitialised) == 0 && part.dst[i] == part.src[i];
      if ((from[i] & kInitialised) == 0 && ((from[i] & kOfTheCard) == 0 || !unchanged)) {
        return i;
      }
    }
    return part.bytes;
  }

  void note_if_shared(const void* begin, long bytes, bool write, bool changes) {
    if (machine().arena().holds(begin)) {
      note_shared(call_.core(), begin, bytes, write, changes, call_.name(), call_.place());
    }
  }

  Call call_;
  void* dst_;
  const void* src_;
  long size_;
  const Direction& direction_;
  const Strides& strides_;
};

void* in_cluster(void* address, int from, int to) {
  const std::ptrdiff_t stride = std::ptrdiff_t{16} << 20;
  return static_cast<std::byte*>(address) + (to - from) * stride;
}

}  // namespace

void copy(const char* name, bool async, void* dst, const void* src, long size, int direction, const Strides& strides) {
  Call probe(name, PLACE);
  Core& core = probe.core();
  if (direction < 0 || direction > kSramToSram || direction == kLdramToLdram) {
    probe.fail(kDirection, std::string(name) + ": no such direction on this chip");
  }
  const Direction& way = kDirections[static_cast<std::size_t>(direction)];
  const bool block = tqm_bang::cluster_dim == 0;
  if (block && (way.src == Space::sram || way.dst == Space::sram)) {
    probe.fail(kTaskType, std::string(name) + " with " + way.name + ": a Block task has no SRAM");
  }
  if ((of_mpu(way) && !core.mpu) || (of_ipu(way) && core.mpu)) {
    return;
  }
  if ((strides.cluster >= 0) != (direction == kSramToSram)) {
    probe.fail(kArgument, std::string(name) + ": a cluster's id belongs to SRAM2SRAM, and to it alone");
  }
  if (direction == kSramToSram) {
    if (strides.cluster >= static_cast<int>(tqm_bang::cluster_dim)) {
      probe.fail(kArgument, std::string(name) + ": there is no cluster " + std::to_string(strides.cluster));
    }
    if (lies_in(dst, Space::sram)) {
      dst = in_cluster(dst, static_cast<int>(core.cluster), strides.cluster);
    }
  }
  Copy work(name, PLACE, dst, src, size, way, strides);
  work.check_spaces();
  if (!work.check_shape()) {
    return;
  }
  if (direction == kNramToNram && strides.dimensions == 0) {
    work.call().check(
        reinterpret_cast<std::uintptr_t>(dst) % 64 == 0 && reinterpret_cast<std::uintptr_t>(src) % 64 == 0, kAlignment,
        "NRAM2NRAM without strides takes 64-byte aligned addresses");
  }
  const std::vector<Segment> parts = work.segments();
  work.check_bounds(parts);
  work.check_stored(parts);
  work.note(parts);
  long bytes = 0;
  for (const Segment& part : parts) {
    bytes += part.bytes;
  }
  probe.count("dma_bytes", static_cast<std::uint64_t>(bytes));
  const bool lane_strides = work.lane_strides();
  std::vector<Range> ranges = work.ranges(parts);
  if (!async) {
    const Pipe own = pipe_of(direction);
    for (const Range& range : ranges) {
      check_in_flight(core, range, name, &own);
    }
    // It takes its turn after the copies in flight on its pipe, and after the vector calls.
    for (auto& pending : core.pending) {
      if (pending->pipe == own && !pending->done) {
        pending->run();
        pending->done = true;
      }
    }
    core.computed.clear();
    Copy::run(parts, lane_strides);
    return;
  }
  auto pending = std::make_unique<Pending>();
  pending->pipe = pipe_of(direction);
  pending->direction = direction;
  pending->place = PLACE;
  pending->ranges = std::move(ranges);
  pending->run = [parts, lane_strides] { Copy::run(parts, lane_strides); };
  issue(core, std::move(pending));
}

void move(const char* name, void* dst, const void* src, long bytes) {
  Call call(name, PLACE);
  if (!call.computes() || !call.positive(bytes, "size")) {
    return;
  }
  call.reads(src, bytes, "src");
  call.writes(dst, bytes, "dst");
  call.apart(dst, bytes, src, bytes, kMayBeSame);
  Copy::run({{static_cast<std::byte*>(dst), static_cast<const std::byte*>(src), bytes}}, false);
  call.count("vector_bytes", static_cast<std::uint64_t>(2 * bytes));
}

void sync(const char* name, Sync what, int direction) {
  Core* core = machine().core();
  if (core == nullptr) {
    return;
  }
  ++machine().calls()[name];
  switch (what) {
    case Sync::io:
      return wait_for_pipes(*core, true, false, false);
    case Sync::move:
      return wait_for_pipes(*core, false, true, false);
    case Sync::compute:
      return wait_for_pipes(*core, false, false, true);
    case Sync::io_move:
      return wait_for_pipes(*core, true, true, false);
    case Sync::directions:
      return wait_for_direction(*core, direction);
    case Sync::all:
      return wait_for_pipes(*core, true, true, true);
    default:
      break;
  }
  wait_for_pipes(*core, true, true, true);
  const bool takes_part = what == Sync::union_mpu                                ? core->mpu
                          : what == Sync::union_ipu || what == Sync::cluster_ipu ? !core->mpu
                                                                                 : true;
  if (takes_part || cluster_dim == 0) {
    machine().wait({what, name, PLACE});
  }
}

}  // namespace tqm_bang
