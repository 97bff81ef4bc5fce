#include "matter/potential/checkpoint/pickle.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <string_view>
#include <unordered_map>

namespace tqm::matter {
namespace {

using Kind = PickleValue::Kind;
constexpr size_t kMostValues = 4'000'000;
constexpr std::string_view kDictionary = "collections.OrderedDict", kTensor = "torch._utils._rebuild_tensor_v2",
                           kStorage = "torch.FloatStorage";

class Interpreter {
 public:
  Interpreter(std::span<const std::byte> bytes, const std::string& where) : bytes_(bytes), where_(where) {}

  Result<Pickle> run() {
    for (;;) {
      const auto instruction = static_cast<unsigned char>(TRY(unsigned_number(1)));
      if (instruction == '.') break;
      TRY(execute(instruction));
      if (pickle_.values.size() > kMostValues) return broken("it makes too many values");
    }
    pickle_.root = TRY(pop());
    return std::move(pickle_);
  }

 private:
  Error broken(const std::string& what) const {
    return {ErrorKind::bad_input, "the checkpoint's pickle can't be read: " + what, where_, "fetch it anew"};
  }
  Error refused(const std::string& what) const {
    return {ErrorKind::unsupported, "the checkpoint's pickle " + what + ", which is refused", where_,
            "a file of weights holds dictionaries, numbers, strings and float tensors only"};
  }

  Result<uint64_t> unsigned_number(size_t count) {
    if (bytes_.size() - at_ < count) return broken("it ends too early");
    uint64_t value = 0;
    for (size_t k = count; k-- > 0;) value = value << 8 | std::to_integer<uint64_t>(bytes_[at_ + k]);
    at_ += count;
    return value;
  }
  Result<std::string> string(size_t count) {
    if (bytes_.size() - at_ < count) return broken("it ends too early");
    std::string text(reinterpret_cast<const char*>(bytes_.data()) + at_, count);
    at_ += count;
    return text;
  }
  Result<std::string> line() {
    std::string text;
    for (;;) {
      const auto byte = static_cast<char>(TRY(unsigned_number(1)));
      if (byte == '\n') return text;
      if (text.size() > 200) return broken("a name is too long");
      text += byte;
    }
  }

  PickleValue& push(Kind kind) {
    pickle_.values.push_back({.kind = kind});
    stack_.push_back(pickle_.values.size() - 1);
    return pickle_.values.back();
  }
  Result<size_t> pop() {
    if (stack_.empty() || (!marks_.empty() && marks_.back() == stack_.size())) return broken("its stack is empty");
    const size_t top = stack_.back();
    stack_.pop_back();
    return top;
  }
  Result<std::vector<size_t>> pop_to_mark() {
    if (marks_.empty()) return broken("a mark is missing");
    const auto from = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<size_t> items(from, stack_.end());
    stack_.erase(from, stack_.end());
    marks_.pop_back();
    return items;
  }
  Result<PickleValue*> top(Kind kind) {
    if (stack_.empty() || (!marks_.empty() && marks_.back() == stack_.size())) return broken("its stack is empty");
    PickleValue* value = &pickle_.values[stack_.back()];
    if (value->kind != kind) return broken("a value is of another kind than its use");
    return value;
  }
  Status set_items(const std::vector<size_t>& items) {
    PickleValue* dictionary = TRY(top(Kind::dictionary));
    if (items.size() % 2 != 0) return broken("a key has no value");
    for (size_t k = 0; k < items.size(); k += 2) dictionary->entries.emplace_back(items[k], items[k + 1]);
    return {};
  }
  Status remember(uint64_t place) {
    if (stack_.empty()) return broken("its stack is empty");
    memo_[place] = stack_.back();
    return {};
  }
  Status recall(uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) return broken("it recalls what it never kept");
    stack_.push_back(found->second);
    return {};
  }
  Status make_tuple(size_t count) {
    std::vector<size_t> items(count);
    for (size_t k = count; k-- > 0;) items[k] = TRY(pop());
    push(Kind::sequence).items = std::move(items);
    return {};
  }

  Status global() {
    const std::string module = TRY(line());
    const std::string name = TRY(line());
    const std::string whole = module + "." + name;
    if (whole != kDictionary && whole != kTensor && whole != kStorage) {
      return refused("asks for " + whole);
    }
    push(Kind::global).text = whole;
    return {};
  }

  Result<std::vector<int64_t>> integers(size_t at) const {
    const PickleValue& value = pickle_.values[at];
    std::vector<int64_t> numbers;
    if (value.kind != Kind::sequence) return broken("a shape is no list");
    for (const size_t item : value.items) {
      if (pickle_.values[item].kind != Kind::integer) return broken("a shape holds no numbers");
      numbers.push_back(pickle_.values[item].integer);
    }
    return numbers;
  }

  // ("storage", torch.FloatStorage, key, device, count)
  Status persistent() {
    const size_t id = TRY(pop());
    const std::vector<size_t> items = pickle_.values[id].items;
    const auto kind = [&](size_t k) { return pickle_.values[items[k]].kind; };
    if (items.size() != 5 || kind(1) != Kind::global || kind(2) != Kind::string || kind(4) != Kind::integer ||
        pickle_.values[items[1]].text != kStorage) {
      return broken("a storage is not described as torch.save does");
    }
    const int64_t count = pickle_.values[items[4]].integer;
    std::string key = pickle_.values[items[2]].text;
    PickleValue& storage = push(Kind::storage);
    storage.text = std::move(key);
    storage.shape = {count};
    return {};
  }

  // collections.OrderedDict(), or _rebuild_tensor_v2(storage, offset, shape, strides, …)
  Status reduce() {
    const size_t arguments = TRY(pop());
    const size_t function = TRY(pop());
    if (pickle_.values[function].kind != Kind::global) return refused("calls what is no function");
    const std::vector<size_t> items = pickle_.values[arguments].items;
    const std::string& name = pickle_.values[function].text;
    if (name == kDictionary && items.empty()) {
      push(Kind::dictionary);
      return {};
    }
    if (name != kTensor || items.size() < 4) return refused("calls " + name + " in an unusual way");
    if (pickle_.values[items[0]].kind != Kind::storage || pickle_.values[items[1]].kind != Kind::integer) {
      return broken("a tensor is not described as torch.save does");
    }
    const std::vector<int64_t> shape = TRY(integers(items[2]));
    const std::vector<int64_t> strides = TRY(integers(items[3]));
    if (strides.size() != shape.size() || shape.size() > 8) return broken("a tensor's shape and strides disagree");
    int64_t count = 1;
    for (size_t d = shape.size(); d-- > 0;) {
      if (shape[d] < 0 || (shape[d] > 0 && count > (int64_t{1} << 40) / shape[d]))
        return broken("a tensor is too large");
      if (shape[d] > 1 && strides[d] != count) return refused("holds a tensor that is not row-major");
      count *= shape[d];
    }
    const int64_t offset = pickle_.values[items[1]].integer;
    PickleValue& tensor = push(Kind::tensor);
    tensor.of = items[0];
    tensor.offset = offset;
    tensor.shape = shape;
    return {};
  }

  Status execute(unsigned char instruction) {
    switch (instruction) {
      case 0x80: {  // PROTO
        if (TRY(unsigned_number(1)) != 2) return refused("is not of protocol 2");
        return {};
      }
      case '}':
        return push(Kind::dictionary), Status();
      case ']':
      case ')':
        return push(Kind::sequence), Status();
      case 'N':
        return push(Kind::none), Status();
      case 0x88:
        return push(Kind::boolean).integer = 1, Status();
      case 0x89:
        return push(Kind::boolean), Status();
      case '(':
        return marks_.push_back(stack_.size()), Status();
      case 'q':
        return remember(TRY(unsigned_number(1)));
      case 'r':
        return remember(TRY(unsigned_number(4)));
      case 'h':
        return recall(TRY(unsigned_number(1)));
      case 'j':
        return recall(TRY(unsigned_number(4)));
      case 'K':
      case 'M':
      case 'J': {
        const uint64_t value = TRY(unsigned_number(instruction == 'K' ? 1 : instruction == 'M' ? 2 : 4));
        push(Kind::integer).integer =
            instruction == 'J' ? static_cast<int32_t>(static_cast<uint32_t>(value)) : static_cast<int64_t>(value);
        return {};
      }
      case 'G': {
        const uint64_t value = TRY(unsigned_number(8));
        push(Kind::real).real = std::bit_cast<double>(__builtin_bswap64(value));
        return {};
      }
      case 'X': {
        const uint64_t count = TRY(unsigned_number(4));
        std::string text = TRY(string(count));
        push(Kind::string).text = std::move(text);
        return {};
      }
      case 0x85:
        return make_tuple(1);
      case 0x86:
        return make_tuple(2);
      case 0x87:
        return make_tuple(3);
      case 't': {
        std::vector<size_t> items = TRY(pop_to_mark());
        push(Kind::sequence).items = std::move(items);
        return {};
      }
      case 'a': {
        const size_t item = TRY(pop());
        TRY(top(Kind::sequence))->items.push_back(item);
        return {};
      }
      case 'e': {
        const std::vector<size_t> items = TRY(pop_to_mark());
        PickleValue* list = TRY(top(Kind::sequence));
        list->items.insert(list->items.end(), items.begin(), items.end());
        return {};
      }
      case 's': {
        const size_t value = TRY(pop());
        const size_t key = TRY(pop());
        return set_items({key, value});
      }
      case 'u':
        return set_items(TRY(pop_to_mark()));
      case 'c':
        return global();
      case 'Q':
        return persistent();
      case 'R':
        return reduce();
      case 'b': {  // the state of an OrderedDict is the _metadata of modules: of no use here
        const size_t state = TRY(pop());
        (void)state;
        (void)TRY(top(Kind::dictionary));
        return {};
      }
      default: {
        char text[16];
        std::snprintf(text, sizeof text, "0x%02x", static_cast<unsigned>(instruction));
        return refused(std::string("holds the instruction ") + text);
      }
    }
  }

  std::span<const std::byte> bytes_;
  const std::string& where_;
  size_t at_ = 0;
  Pickle pickle_;
  std::vector<size_t> stack_, marks_;
  std::unordered_map<uint64_t, size_t> memo_;
};

}  // namespace

const PickleValue* Pickle::find(const PickleValue& dictionary, std::string_view key) const {
  const PickleValue* found = nullptr;  // the last of several counts, as in Python
  for (const auto& [name, value] : dictionary.entries) {
    if (values[name].kind == Kind::string && values[name].text == key) found = &values[value];
  }
  return found;
}

Result<Pickle> run_pickle(std::span<const std::byte> bytes, const std::string& where) {
  return Interpreter(bytes, where).run();
}

}  // namespace tqm::matter
