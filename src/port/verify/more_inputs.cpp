#include "port/verify/more_inputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <optional>

#include "base/hash.hpp"

namespace tqm::port {
namespace {

constexpr std::size_t kMostTries = 64;
constexpr std::size_t kMostGrown = 3;
// What a grown case may cost the emulators: the original's accesses of memory, counted.
constexpr std::uint64_t kMostAccesses = 3'000'000;
constexpr std::uint64_t kMostThreads = 1 << 20;
constexpr std::array<std::int64_t, 4> kGrowth = {64, 16, 4, 2};
constexpr std::array<std::uint64_t, 3> kOtherSeeds = {101, 102, 103};
constexpr double kLookSeconds = 5;

using Try = std::function<Result<PreparedCase>()>;

std::uint64_t blocks_of(const LaunchCase& launch) {
  return std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
}

std::uint64_t threads_of(const LaunchCase& launch) {
  return blocks_of(launch) * launch.block[0] * launch.block[1] * launch.block[2];
}

std::uint64_t accesses_of(const SideRun& run) {
  std::uint64_t sum = 0;
  for (const char* name : {"global_loads", "global_stores", "shared_loads", "shared_stores", "atomics"}) {
    const auto found = run.result.counters.find(name);
    if (found != run.result.counters.end()) sum += found->second;
  }
  return sum;
}

// A launch of its own: it can't be made again from sizes.
PreparedCase varied(const PreparedCase& of, const std::string& how) {
  PreparedCase made = of;
  made.sizes.clear();
  made.label += ", " + how;
  return made;
}

class Finder {
 public:
  Finder(const Sides& sides, const CheckPlan& plan, const KernelCases& cases, const std::filesystem::path& folder)
      : sides_(sides), plan_(plan), cases_(cases), folder_(folder) {
    plan_.bounds.seconds = std::min(plan_.bounds.seconds, kLookSeconds);
  }

  Result<std::vector<PreparedCase>> run() {
    out_ = cases_.cases;
    for (const PreparedCase& prepared : cases_.cases) {
      const auto run = TRY(look(prepared));
      if (!run && &prepared == &cases_.cases.front()) return out_;  // the original is at fault, or can't be run
      if (run) cover_.add(run->result.branches);
    }
    if (out_.empty()) return out_;
    if (cases_.remake) TRY(grow());
    for (const Try& attempt : tries()) {
      if (cover_.complete() || tried_ >= kMostTries) break;
      TRY(consider(attempt));
    }
    return out_;
  }

 private:
  // What the original did with it; none where it came to no clean end.
  Result<std::optional<SideRun>> look(const PreparedCase& prepared) {
    SideRun run = TRY(look_at_original(sides_, plan_, prepared, folder_));
    if (!run.ran() || !run.result.faults.empty()) return std::optional<SideRun>{};
    return std::optional<SideRun>{std::move(run)};
  }

  // Each size alone and all together made larger, by odd numbers where the original allows it.
  Status grow() {
    const PreparedCase& first = cases_.cases.front();
    std::vector<std::string> which = {""};
    if (first.sizes.size() > 1)
      for (const auto& [name, value] : first.sizes) which.push_back(name);
    std::size_t grown = 0;
    for (const std::string& name : which) {
      if (grown == kMostGrown) break;
      if (TRY(grow_one(first, name))) ++grown;
    }
    return {};
  }

  Result<bool> grow_one(const PreparedCase& first, const std::string& name) {
    for (const std::int64_t factor : kGrowth)
      for (const std::int64_t odd : {1, 0}) {
        Sizes sizes = first.sizes;
        for (auto& [size, value] : sizes)
          if (name.empty() || name == size) value = value * factor + odd;
        auto made = cases_.remake(sizes, first.fill, first.seed);
        if (!made.ok() || threads_of(made->launch) > kMostThreads) break;  // the even one is as large
        const auto run = TRY(look(*made));
        if (!run) continue;
        if (accesses_of(*run) > kMostAccesses) break;
        cover_.add(run->result.branches);
        out_.push_back(std::move(made).take());
        return true;
      }
    return false;
  }

  Status consider(const Try& attempt) {
    auto made = attempt();
    if (!made.ok()) return {};
    ++tried_;
    const auto run = TRY(look(*made));
    if (!run || !cover_.would_gain(run->result.branches)) return {};
    cover_.add(run->result.branches);
    out_.push_back(std::move(made).take());
    return {};
  }

  std::vector<Try> tries() {
    for (std::size_t i = 0; i < cases_.cases.size() && i < 2; ++i) {
      const PreparedCase& base = cases_.cases[i];
      if (cases_.remake) {
        if (i == 0) add_sizes(base);
        if (i == 0) add_contents(base);
      } else {
        add_fills(base);
      }
      add_scalars(base);
      add_blocks(base);
    }
    return tries_;
  }

  void add_sizes(const PreparedCase& base) {
    for (const auto& [name, value] : base.sizes)
      for (const std::int64_t other : {value - 1, value + 1, std::int64_t{1}, value / 2, 2 * value, 4 * value + 3,
                                       std::int64_t{0}, std::int64_t{33}, std::int64_t{2}}) {
        if (other == value || other < 0) continue;
        Sizes sizes = base.sizes;
        sizes[name] = other;
        tries_.push_back([this, sizes, &base] { return cases_.remake(sizes, base.fill, base.seed); });
      }
  }

  void add_contents(const PreparedCase& base) {
    for (const std::uint64_t seed : kOtherSeeds)
      tries_.push_back([this, seed, &base] { return cases_.remake(base.sizes, Fill::random, seed); });
    for (const Fill fill : {Fill::mixed, Fill::not_finite, Fill::zeros, Fill::ones, Fill::largest, Fill::ramp})
      tries_.push_back([this, fill, &base] { return cases_.remake(base.sizes, fill, base.seed); });
  }

  // Floats of a recorded launch, filled anew; its integers may be indices and stay.
  void add_fills(const PreparedCase& base) {
    for (const Fill fill : {Fill::random, Fill::mixed, Fill::not_finite, Fill::zeros, Fill::ones})
      tries_.push_back([fill, &base]() -> Result<PreparedCase> {
        PreparedCase made = varied(base, "floats: " + std::string(name(fill)));
        for (auto& [buffer, bytes] : made.contents) {
          const Element element = made.elements.at(buffer);
          if (!is_floating(element)) continue;
          Random random(xxh3(buffer));
          bytes = filled(element, bytes.size() / bytes_of(element), fill, std::nullopt, random);
        }
        return made;
      });
  }

  void add_scalars(const PreparedCase& base) {
    for (std::size_t i = 0; i < base.argument_elements.size(); ++i) {
      const auto element = base.argument_elements[i];
      if (!element) continue;
      const double value = value_at(*element, base.launch.arguments[i].bytes.data());
      std::vector<double> others = {value - 1, value + 1, 0, 1, 2};
      if (is_floating(*element))
        others = {0, -value, 4 * value, value / 4};
      else
        for (const double other : {std::floor(value / 2), 2 * value, -1.0, 3.0, 4.0, 5.0}) others.push_back(other);
      for (const double other : others) {
        if (other == value) continue;
        tries_.push_back([i, other, element, &base]() -> Result<PreparedCase> {
          PreparedCase made = varied(base, fmt::format("argument {} = {}", i + 1, other));
          std::byte* at = made.launch.arguments[i].bytes.data();
          if (is_floating(*element))
            put_value(*element, other, at);
          else
            put_integer(*element, static_cast<std::int64_t>(other), at);
          return made;
        });
      }
    }
  }

  void add_blocks(const PreparedCase& base) {
    static constexpr const char* kAxes[3] = {"x", "y", "z"};
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const int more : {1, -1}) {
        const std::int64_t blocks = std::int64_t{base.launch.grid[axis]} + more;
        if (blocks < 1) continue;
        tries_.push_back([axis, blocks, &base]() -> Result<PreparedCase> {
          PreparedCase made = varied(base, fmt::format("gridDim.{} = {}", kAxes[axis], blocks));
          made.launch.grid[axis] = static_cast<std::uint32_t>(blocks);
          return made;
        });
      }
  }

  const Sides& sides_;
  CheckPlan plan_;
  const KernelCases& cases_;
  const std::filesystem::path& folder_;
  BranchCover cover_;
  std::vector<Try> tries_;
  std::size_t tried_ = 0;
  std::vector<PreparedCase> out_;
};

}  // namespace

Result<std::vector<PreparedCase>> with_more_inputs(const Sides& sides, const CheckPlan& plan, const KernelCases& cases,
                                                   const std::filesystem::path& folder) {
  return Finder(sides, plan, cases, folder).run();
}

}  // namespace tqm::port
