#include "port/scan/tier.hpp"

#include <algorithm>

namespace tqm::port {
namespace {

struct Row {
  Feature feature;
  int diagnostic;
};

constexpr Row kDiagnosed[] = {
    {Feature::barrier_divergent, 1010},
    {Feature::barrier_after_exit, 1011},
    {Feature::dynamic_parallelism, 1012},
    {Feature::inline_ptx, 1013},
    {Feature::texture, 1014},
    {Feature::surface, 1014},
    {Feature::grid_barrier, 1015},
    {Feature::cluster, 1016},
    {Feature::async_copy, 1016},
    {Feature::recursion, 1017},
    {Feature::virtual_function, 1018},
    {Feature::function_pointer, 1018},
    {Feature::device_heap, 1019},
    {Feature::device_library, 1020},
    {Feature::spin_wait, 1021},
    {Feature::double_type, 1030},
    {Feature::printf_, 1031},
    {Feature::assert_, 1031},
    {Feature::atomic_float, 1032},
    {Feature::warp_implicit, 1033},
    {Feature::accessor, 1034},
    {Feature::device_variable, 1035},
    {Feature::clock, 1036},
    {Feature::wmma, 1037},
};

int diagnostic_of(Feature feature) {
  const auto at =
      std::find_if(std::begin(kDiagnosed), std::end(kDiagnosed), [&](const Row& r) { return r.feature == feature; });
  return at == std::end(kDiagnosed) ? 0 : at->diagnostic;
}

class Judge {
 public:
  Judge(const Kernel& kernel, bool by_words) : kernel_(kernel), facts_(kernel.facts), by_words_(by_words) {}

  Expectation judge() {
    for (const FeatureUse& use : facts_.features) diagnose(use);
    for (const Problem& guess : kernel_.guesses) add(1002, guess.place.file, guess.place.line, guess.text);
    std::stable_sort(result_.diagnostics.begin(), result_.diagnostics.end(),
                     [](const Diagnostic& a, const Diagnostic& b) { return a.line < b.line; });
    for (const Diagnostic& diagnostic : result_.diagnostics)
      if (kind_of(diagnostic.number).severity == Severity::refused)
        return done(Tier::none,
                    std::string(kind_of(diagnostic.number).title) + " (line " + std::to_string(diagnostic.line) + ")");
    return by_words_ ? from_words() : from_accesses();
  }

 private:
  bool has(Feature feature) const {
    return std::any_of(facts_.features.begin(), facts_.features.end(),
                       [&](const auto& use) { return use.feature == feature; });
  }

  void add(int number, const std::string& file, int line, std::string text) {
    result_.diagnostics.push_back({number, file.empty() ? kernel_.file : file, line, std::move(text)});
  }

  // Once a kernel for what stands on many lines: the first.
  void diagnose(const FeatureUse& use) {
    const int number = diagnostic_of(use.feature);
    if (number == 0) return;
    for (const Diagnostic& known : result_.diagnostics)
      if (known.number == number) return;
    add(number, use.file, use.line, use.detail);
  }

  Expectation done(Tier tier, std::string reason) {
    result_.tier = tier;
    result_.reason = std::move(reason);
    return std::move(result_);
  }

  int count(AccessPattern pattern) const {
    int sum = 0;
    for (const auto* counts : {&facts_.reads, &facts_.writes})
      if (const auto at = counts->find(pattern); at != counts->end()) sum += at->second;
    return sum;
  }
  int writes(AccessPattern pattern) const {
    const auto at = facts_.writes.find(pattern);
    return at == facts_.writes.end() ? 0 : at->second;
  }

  Expectation from_words() {
    if (has(Feature::atomic_global)) return done(Tier::d, "atomics; read word by word, so no more is known");
    return done(Tier::c, "read word by word, so no more is known");
  }

  Expectation from_accesses() {
    const bool shares = has(Feature::shared_static) || has(Feature::shared_dynamic);
    const bool meets = has(Feature::barrier) && shares;
    const bool combines = meets || has(Feature::warp_shuffle) || has(Feature::warp_reduce) || has(Feature::cub_block);
    if (has(Feature::wmma)) return done(Tier::a, "matrix product by wmma fragments");
    if (count(AccessPattern::indirect) > 0) return done(Tier::d, "indices are read from memory");
    if (has(Feature::atomic_global) && !combines) return done(Tier::d, "atomics on the card's memory");
    if (count(AccessPattern::irregular) > 0)
      return done(meets ? Tier::c : Tier::d, "indices that are neither contiguous nor strided");
    if (facts_.multiply_add_loop && (meets || facts_.loops <= 2))
      return done(Tier::a, "a sum of products: matrix product");
    if (combines && facts_.loop_carried_sum) {
      if (facts_.exponential) return done(Tier::a, "sums and exponentials over a row: softmax or the like");
      if (facts_.root) return done(Tier::a, "sums and a root over a row: normalisation");
      return done(Tier::a, "reduction over a block");
    }
    if (meets && facts_.loops == 0 && count(AccessPattern::strided) + count(AccessPattern::contiguous) > 0 &&
        writes(AccessPattern::contiguous) > 0)
      return done(Tier::a, "a tile by way of shared memory: transpose or the like");
    if (combines) return done(Tier::c, "threads of a block work on shared data");
    if (count(AccessPattern::strided) > 0) return done(facts_.loops > 0 ? Tier::c : Tier::b, "strided accesses");
    if (count(AccessPattern::row) > 0) return done(Tier::c, "each row of threads on its own element");
    if (facts_.thread_dependent_loop && facts_.deepest_loop > 1)
      return done(Tier::c, "threads go round loops a different number of times");
    if (count(AccessPattern::contiguous) == 0) return done(Tier::d, "no contiguous access");
    return done(Tier::b, "elementwise on contiguous memory");
  }

  const Kernel& kernel_;
  const KernelFacts& facts_;
  bool by_words_;
  Expectation result_;
};

}  // namespace

std::string_view name(Tier tier) {
  constexpr std::string_view kNames[] = {"A", "B", "C", "D", "none"};
  return kNames[static_cast<size_t>(tier)];
}

Expectation expect(const Kernel& kernel, bool by_words) {
  return Judge(kernel, by_words).judge();
}

}  // namespace tqm::port
