#include "port/verify/prepared_case.hpp"

#include <fmt/format.h>
#include <limits>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/scratch_file.hpp"

namespace tqm::port {
namespace {

constexpr std::int64_t kMostThreads = 1024;

class Preparer {
 public:
  Preparer(const HarnessKernel& kernel, const Sizes& sizes, Fill fill, std::uint64_t seed)
      : kernel_(kernel), sizes_(sizes), fill_(fill), seed_(seed) {}

  Result<PreparedCase> run() {
    out_.fill = fill_;
    out_.seed = seed_;
    out_.sizes = sizes_;
    out_.label = std::string(name(fill_));
    for (const auto& [size, value] : sizes_) out_.label += fmt::format(", {} = {}", size, value);
    LaunchCase& launch = out_.launch;
    launch.kernel = kernel_.name;
    for (std::size_t i = 0; i < 3; ++i) {
      launch.grid[i] = TRY(extent(kernel_.grid[i], std::numeric_limits<std::int32_t>::max()));
      launch.block[i] = TRY(extent(kernel_.block[i], kMostThreads));
    }
    if (std::int64_t{launch.block[0]} * launch.block[1] * launch.block[2] > kMostThreads)
      return error(kernel_.block[0], "a block of more than 1024 threads");
    launch.dynamic_shared_bytes = TRY(count(kernel_.shared_bytes, std::int64_t{1} << 20));
    for (const auto& [name, buffer] : kernel_.buffers) TRY(add_buffer(name, buffer));
    for (const std::string& name : kernel_.arguments) launch.arguments.push_back(TRY(argument(name)));
    return out_;
  }

 private:
  static Error error(const Formula& formula, std::string what) {
    return {ErrorKind::bad_input, fmt::format("\"{}\": {}", formula.text, what), formula.where, "change the sizes"};
  }

  Result<std::size_t> count(const Formula& formula, std::int64_t most) {
    const std::int64_t value = TRY(evaluate(formula.text, sizes_, formula.where));
    if (value < 0 || value > most) return error(formula, fmt::format("{} is not within 0 and {}", value, most));
    return static_cast<std::size_t>(value);
  }

  Result<std::uint32_t> extent(const Formula& formula, std::int64_t most) {
    const std::size_t value = TRY(count(formula, most));
    if (value == 0) return error(formula, "a launch of nothing");
    return static_cast<std::uint32_t>(value);
  }

  Result<double> bound(const Formula& formula) {
    char* end = nullptr;
    const double number = std::strtod(formula.text.c_str(), &end);
    if (end == formula.text.c_str() + formula.text.size() && !formula.text.empty()) return number;
    const std::int64_t value = TRY(evaluate(formula.text, sizes_, formula.where));
    return static_cast<double>(value);
  }

  Result<std::optional<Range>> range_of(const std::optional<HarnessRange>& range) {
    if (!range) return std::optional<Range>{};
    Range out;
    out.low = TRY(bound(range->low));
    out.high = TRY(bound(range->high));
    if (!(out.low <= out.high))
      return error(range->high, fmt::format("the range {} to {} is empty", out.low, out.high));
    return std::optional<Range>{out};
  }

  // Of its own for every name, so that a new buffer does not change what the others hold.
  Random random_for(const std::string& name) const { return Random(xxh3(name) ^ seed_); }

  Status add_buffer(const std::string& name, const HarnessBuffer& buffer) {
    const std::size_t width = bytes_of(buffer.element);
    const std::size_t elements = TRY(count(buffer.count, static_cast<std::int64_t>(kMostCaseBytes / width)));
    total_bytes_ += elements * width;
    if (total_bytes_ > kMostCaseBytes) return error(buffer.count, "the buffers of one case come to more than 1 GiB");
    const std::optional<Range> range = TRY(range_of(buffer.range));
    out_.launch.buffers.push_back({name, elements * width, buffer.initialised});
    if (buffer.initialised) {
      Random random = random_for(name);
      out_.contents[name] = filled(buffer.element, elements, buffer.fill.value_or(fill_), range, random);
    }
    out_.elements[name] = buffer.element;
    if (buffer.output) out_.outputs.push_back(name);
    if (!buffer.symbol.empty()) out_.launch.symbols.push_back({buffer.symbol, name});
    return {};
  }

  Result<Argument> argument(const std::string& name) {
    Argument argument;
    if (kernel_.buffers.contains(name)) {
      argument.bytes.resize(sizeof(void*));
      argument.pointers[0] = {name, 0};
      out_.argument_elements.push_back(std::nullopt);
      return argument;
    }
    const auto scalar = kernel_.scalars.find(name);
    const Element element = scalar == kernel_.scalars.end() ? Element::i32 : scalar->second.element;
    argument.bytes.resize(bytes_of(element));
    out_.argument_elements.push_back(element);
    if (scalar == kernel_.scalars.end()) {
      put_integer(element, sizes_.at(name), argument.bytes.data());
    } else if (scalar->second.value && is_floating(element)) {
      const double value = TRY(bound(*scalar->second.value));
      put_value(element, value, argument.bytes.data());
    } else if (scalar->second.value) {
      const std::int64_t value = TRY(evaluate(scalar->second.value->text, sizes_, scalar->second.value->where));
      put_integer(element, value, argument.bytes.data());
    } else {
      const std::optional<Range> range = TRY(range_of(scalar->second.range));
      Random random = random_for(name);
      fill_one(element, fill_, range, random, argument.bytes.data());
    }
    return argument;
  }

  const HarnessKernel& kernel_;
  const Sizes& sizes_;
  Fill fill_;
  std::uint64_t seed_;
  std::size_t total_bytes_ = 0;
  PreparedCase out_;
};

}  // namespace

Result<PreparedCase> prepare(const HarnessKernel& kernel, const Sizes& sizes, Fill fill, std::uint64_t seed) {
  return Preparer(kernel, sizes, fill, seed).run();
}

Result<std::vector<PreparedCase>> prepare_all(const HarnessKernel& kernel, std::uint64_t seed) {
  std::vector<PreparedCase> cases;
  for (std::size_t i = 0; i < kernel.sizes.size(); ++i)
    for (std::size_t j = 0; j < (i == 0 ? kernel.cases.size() : 1); ++j)
      cases.push_back(TRY(prepare(kernel, kernel.sizes[i], kernel.cases[j], seed + cases.size())));
  return cases;
}

Status write_prepared(const PreparedCase& prepared, const std::filesystem::path& folder) {
  TRY(write_scratch_case(prepared.launch, folder));
  for (const auto& [name, bytes] : prepared.contents)
    TRY(write_scratch_file(folder / (name + ".in"),
                           std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())));
  return {};
}

}  // namespace tqm::port
