#include "compress/tokenizer/jinja.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "compress/tokenizer/jinja_parse.hpp"

namespace tqm::compress::jinja {
namespace {

constexpr int64_t max_steps = 5'000'000;
constexpr int64_t max_range = 100'000;
constexpr int max_calls = 32;

struct Scope {
  std::map<std::string, Value, std::less<>> names;
  Scope* outer = nullptr;
};

// How a run of statements ended.
enum class Flow { normal, leave, next };

class Renderer {
 public:
  explicit Renderer(std::chrono::system_clock::time_point now) : now_(now) {}

  Result<std::string> run(const std::vector<Statement>& statements,
                          const std::vector<std::pair<std::string, Value>>& variables) {
    Scope globals, top;
    add_functions(globals);
    for (const auto& [name, value] : variables) globals.names[name] = value;
    top.outer = &globals;
    top_ = &top;
    std::string out;
    TRY(body(statements, top, out));
    return out;
  }

 private:
  Status step(int line) {
    if (++steps_ > max_steps)
      return template_error(line, fmt::format("the template runs away: more than {} steps", max_steps));
    return {};
  }

  static Error at_line(Error error, int line) {
    if (error.what.starts_with("chat template, line")) return error;
    return template_error(line, error.what, error.next);
  }
  template <class T>
  static Result<T> placed(Result<T> result, int line) {
    if (!result) return at_line(std::move(result).error(), line);
    return result;
  }

  // Statements.

  Result<Flow> body(const std::vector<Statement>& statements, Scope& scope, std::string& out) {
    for (const Statement& statement : statements) {
      const Flow flow = TRY(execute(statement, scope, out));
      if (out.size() > max_text) return template_error(statement.line, "the text grows beyond 64 MiB");
      if (flow != Flow::normal) return flow;
    }
    return Flow::normal;
  }

  Result<Flow> execute(const Statement& s, Scope& scope, std::string& out) {
    TRY(step(s.line));
    switch (s.kind) {
      case Statement::Kind::text:
        out += s.text;
        return Flow::normal;
      case Statement::Kind::output: {
        const Value value = TRY(evaluate(*s.expressions[0], scope));
        out += to_text(value);
        return Flow::normal;
      }
      case Statement::Kind::if_else: {
        for (size_t i = 0; i < s.bodies.size(); ++i) {
          if (i < s.expressions.size()) {
            const Value guard = TRY(evaluate(*s.expressions[i], scope));
            if (!guard.truth()) continue;
          }
          return body(s.bodies[i], scope, out);
        }
        return Flow::normal;
      }
      case Statement::Kind::for_loop:
        return loop(s, scope, out);
      case Statement::Kind::set: {
        const Value value = TRY(evaluate(*s.expressions[0], scope));
        if (!s.text.empty()) return set_attribute(s, value, scope);
        TRY(placed(assign(s.names, value, scope), s.line));
        return Flow::normal;
      }
      case Statement::Kind::set_block: {
        std::string text;
        Scope inner;
        inner.outer = &scope;
        TRY(body(s.bodies[0], inner, text));
        scope.names[s.names[0]] = std::move(text);
        return Flow::normal;
      }
      case Statement::Kind::macro: {
        scope.names[s.text] = macro(s);
        return Flow::normal;
      }
      case Statement::Kind::with: {
        Scope inner;
        inner.outer = &scope;
        for (size_t i = 0; i < s.names.size(); ++i) inner.names[s.names[i]] = TRY(evaluate(*s.expressions[i], scope));
        return body(s.bodies[0], inner, out);
      }
      case Statement::Kind::block:
        return body(s.bodies[0], scope, out);
      case Statement::Kind::leave:
        return Flow::leave;
      case Statement::Kind::next:
        return Flow::next;
    }
    ASSERT(false);
    return Flow::normal;
  }

  static Status assign(const std::vector<std::string>& names, const Value& value, Scope& scope) {
    if (names.size() == 1) {
      scope.names[names[0]] = value;
      return {};
    }
    const std::vector<Value> parts = TRY(items_of(value));
    if (parts.size() != names.size()) {
      return refused(fmt::format("{} values for {} names", parts.size(), names.size()));
    }
    for (size_t i = 0; i < names.size(); ++i) scope.names[names[i]] = parts[i];
    return {};
  }

  Result<Flow> set_attribute(const Statement& s, const Value& value, Scope& scope) {
    const Value target = look_up(s.names[0], scope);
    if (target.dict() == nullptr || !target.dict()->is_namespace) {
      return template_error(s.line, "cannot set an attribute of '" + s.names[0] + "', which is no namespace");
    }
    if (value.holds_namespace())
      return template_error(s.line, "a namespace or a function within a namespace is not known");
    target.dict()->set(s.text, value);
    return Flow::normal;
  }

  Result<Flow> loop(const Statement& s, Scope& scope, std::string& out) {
    const Value over = TRY(evaluate(*s.expressions[0], scope));
    std::vector<Value> items = TRY(placed(items_of(over), s.line));
    if (s.expressions[1]) {
      std::vector<Value> kept;
      for (const Value& item : items) {
        Scope inner;
        inner.outer = &scope;
        TRY(placed(assign(s.names, item, inner), s.line));
        const Value guard = TRY(evaluate(*s.expressions[1], inner));
        if (guard.truth()) kept.push_back(item);
      }
      items = std::move(kept);
    }
    if (items.empty()) return s.bodies.size() > 1 ? body(s.bodies[1], scope, out) : Result<Flow>(Flow::normal);
    const auto count = static_cast<int64_t>(items.size());
    for (int64_t i = 0; i < count; ++i) {
      TRY(step(s.line));
      const auto at = static_cast<size_t>(i);
      Scope inner;
      inner.outer = &scope;
      TRY(placed(assign(s.names, items[at], inner), s.line));
      if (!s.text.empty()) inner.names["loop"] = loop_variable(items, i);
      const Flow flow = TRY(body(s.bodies[0], inner, out));
      if (flow == Flow::leave) break;
    }
    return Flow::normal;
  }

  static Value loop_variable(const std::vector<Value>& items, int64_t i) {
    const auto count = static_cast<int64_t>(items.size());
    const auto at = static_cast<size_t>(i);
    auto loop = std::make_shared<Dict>();
    loop->items = {{"index", i + 1},
                   {"index0", i},
                   {"revindex", count - i},
                   {"revindex0", count - i - 1},
                   {"first", i == 0},
                   {"last", i + 1 == count},
                   {"length", count},
                   {"previtem", i > 0 ? items[at - 1] : Value(Undefined{"there is no previous item"})},
                   {"nextitem", i + 1 < count ? items[at + 1] : Value(Undefined{"there is no next item"})},
                   {"cycle", std::make_shared<const Function>([at](const Arguments& a) -> Result<Value> {
                      if (a.positional.empty()) return refused("cycle takes values");
                      return a.positional[at % a.positional.size()];
                    })}};
    loop->depth = max_depth;  // it holds a function, see Value::depth
    loop->holds_namespace = true;
    return loop;
  }

  Value macro(const Statement& s) {
    return std::make_shared<const Function>([this, &s](const Arguments& a) -> Result<Value> {
      if (a.positional.size() > s.names.size()) {
        return refused(
            fmt::format("macro '{}' takes {} arguments, not {}", s.text, s.names.size(), a.positional.size()));
      }
      for (const auto& [key, value] : a.named) {
        if (std::ranges::find(s.names, key) == s.names.end()) {
          return refused(fmt::format("macro '{}' has no argument '{}'", s.text, key));
        }
      }
      if (++calls_ > max_calls) return refused(fmt::format("macros call each other more than {} deep", max_calls));
      Scope inner;
      inner.outer = top_;
      for (size_t i = 0; i < s.names.size(); ++i) {
        if (const Value* given = a.find(i, s.names[i])) {
          inner.names[s.names[i]] = *given;
        } else if (s.expressions[i]) {
          inner.names[s.names[i]] = TRY(evaluate(*s.expressions[i], inner));
        } else {
          inner.names[s.names[i]] = Undefined{fmt::format("parameter '{}' was not provided", s.names[i])};
        }
      }
      std::string out;
      TRY(body(s.bodies[0], inner, out));
      --calls_;
      return Value(std::move(out));
    });
  }

  // Expressions.

  static Value look_up(const std::string& name, const Scope& scope) {
    for (const Scope* s = &scope; s != nullptr; s = s->outer) {
      if (const auto found = s->names.find(name); found != s->names.end()) return found->second;
    }
    return Undefined{fmt::format("'{}' is undefined", name)};
  }

  Result<Value> evaluate(const Expression& e, Scope& scope) {
    TRY(step(e.line));
    auto result = placed(evaluate_kind(e, scope), e.line);
    if (result) steps_ += cost(*result);
    return result;
  }

  // Large values are copied about: that counts as steps.
  static int64_t cost(const Value& value) {
    if (const auto* text = value.text()) return static_cast<int64_t>(text->size() >> 10);
    if (const auto* list = value.list()) return static_cast<int64_t>(list->items.size() >> 4);
    return 0;
  }

  static Status defined(const Value& value) {
    if (const auto* undefined = value.as<Undefined>()) return refused(undefined->what);
    return {};
  }

  Result<Value> evaluate_kind(const Expression& e, Scope& scope) {
    using Kind = Expression::Kind;
    const auto child = [&](size_t i) { return evaluate(*e.children[i], scope); };
    switch (e.kind) {
      case Kind::literal:
        return e.value;
      case Kind::name:
        return look_up(e.text, scope);
      case Kind::list: {
        std::vector<Value> items;
        for (size_t i = 0; i < e.children.size(); ++i) items.push_back(TRY(child(i)));
        return make_list(std::move(items), e.text == "tuple");
      }
      case Kind::dict: {
        std::vector<std::pair<std::string, Value>> items;
        for (size_t i = 0; i + 1 < e.children.size(); i += 2) {
          const Value key = TRY(child(i));
          if (key.text() == nullptr) return refused(fmt::format("a key is a text, not {}", key.type()));
          items.emplace_back(*key.text(), TRY(child(i + 1)));
        }
        return make_dict(std::move(items));
      }
      case Kind::attribute: {
        const Value subject = TRY(child(0));
        TRY(defined(subject));
        return attribute_of(subject, e.text);
      }
      case Kind::item: {
        const Value subject = TRY(child(0));
        const Value key = TRY(child(1));
        TRY(defined(subject));
        return item_of(subject, key);
      }
      case Kind::slice:
        return slice(e, scope);
      case Kind::call: {
        const Value callee = TRY(child(0));
        TRY(defined(callee));
        const Function* function = callee.function();
        if (function == nullptr) return refused(fmt::format("'{}' object is not callable", callee.type()));
        const Arguments arguments = TRY(arguments_of(e, scope));
        return (*function)(arguments);
      }
      case Kind::filter: {
        const Value subject = TRY(child(0));
        const Arguments arguments = TRY(arguments_of(e, scope));
        return apply_filter(e.text, subject, arguments);
      }
      case Kind::test: {
        const Value subject = TRY(child(0));
        const Arguments arguments = TRY(arguments_of(e, scope));
        return Value(TRY(apply_test(e.text, subject, arguments)));
      }
      case Kind::unary: {
        const Value value = TRY(child(0));
        if (e.text == "not") return Value(!value.truth());
        TRY(defined(value));
        if (!value.number()) return refused(fmt::format("'{}' takes a number, not {}", e.text, value.type()));
        if (e.text == "+") return value;
        if (!value.whole()) return Value(-value.real());
        if (value.integer() == INT64_MIN) return refused("a number is too large");
        return Value(-value.integer());
      }
      case Kind::binary:
        return binary(e, scope);
      case Kind::conditional: {
        const Value guard = TRY(child(1));
        if (guard.truth()) return child(0);
        if (e.children[2]) return child(2);
        return Value(Undefined{"the condition was not met and there is no else"});
      }
    }
    ASSERT(false);
    return Value();
  }

  Result<Arguments> arguments_of(const Expression& e, Scope& scope) {
    Arguments out;
    for (size_t i = 1; i < e.children.size(); ++i) out.positional.push_back(TRY(evaluate(*e.children[i], scope)));
    for (const auto& [key, value] : e.named) out.named.emplace_back(key, TRY(evaluate(*value, scope)));
    return out;
  }

  Result<Value> slice(const Expression& e, Scope& scope) {
    const Value subject = TRY(evaluate(*e.children[0], scope));
    TRY(defined(subject));
    if (subject.list() == nullptr && subject.text() == nullptr) {
      return refused(fmt::format("a slice takes a list or a text, not {}", subject.type()));
    }
    std::optional<int64_t> part[3];
    for (size_t i = 0; i < 3; ++i) {
      if (!e.children[i + 1]) continue;
      const Value value = TRY(evaluate(*e.children[i + 1], scope));
      if (value.none()) continue;
      if (!value.whole()) return refused(fmt::format("a slice takes whole numbers, not {}", value.type()));
      part[i] = value.integer();
    }
    const std::vector<Value> items = TRY(items_of(subject));
    const auto size = static_cast<int64_t>(items.size());
    const int64_t stride = std::clamp<int64_t>(part[2].value_or(1), -size - 1, size + 1);
    if (stride == 0) return refused("a slice's step is not 0");
    const int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
    const auto bound = [&](const std::optional<int64_t>& at, int64_t otherwise) {
      if (!at) return otherwise;
      return std::clamp(*at < 0 ? (*at < -size ? -size - 1 : *at) + size : *at, low, high);
    };
    const int64_t start = bound(part[0], stride > 0 ? low : high), stop = bound(part[1], stride > 0 ? high : low);
    std::vector<Value> out;
    for (int64_t i = start; stride > 0 ? i < stop : i > stop; i += stride) out.push_back(items[static_cast<size_t>(i)]);
    if (subject.list() != nullptr) return make_list(std::move(out), subject.list()->tuple);
    std::string text;
    for (const Value& piece : out) text += *piece.text();
    return Value(std::move(text));
  }

  Result<Value> binary(const Expression& e, Scope& scope) {
    const std::string& op = e.text;
    const Value left = TRY(evaluate(*e.children[0], scope));
    if (op == "and") return left.truth() ? evaluate(*e.children[1], scope) : Result<Value>(left);
    if (op == "or") return left.truth() ? Result<Value>(left) : evaluate(*e.children[1], scope);
    const Value right = TRY(evaluate(*e.children[1], scope));
    if (op == "==") return Value(equal(left, right));
    if (op == "!=") return Value(!equal(left, right));
    if (op == "in") return Value(TRY(contains(right, left)));
    if (op == "not in") return Value(!TRY(contains(right, left)));
    if (op == "~") return joined(to_text(left), to_text(right));
    TRY(defined(left));
    TRY(defined(right));
    if (op == "<" || op == "<=" || op == ">" || op == ">=") {
      const int order = TRY(compare(left, right));
      return Value(op == "<" ? order < 0 : op == "<=" ? order <= 0 : op == ">" ? order > 0 : order >= 0);
    }
    if (op == "+" && left.text() != nullptr && right.text() != nullptr) return joined(*left.text(), *right.text());
    if (op == "+" && left.list() != nullptr && right.list() != nullptr) {
      std::vector<Value> items = left.list()->items;
      items.insert(items.end(), right.list()->items.begin(), right.list()->items.end());
      return make_list(std::move(items));
    }
    if (op == "*" && (left.text() != nullptr || right.text() != nullptr)) {
      const Value &text = left.text() != nullptr ? left : right, &times = left.text() != nullptr ? right : left;
      if (times.whole()) return repeated(*text.text(), times.integer());
    }
    if (!left.number() || !right.number()) {
      return refused(fmt::format("'{}' does not take {} and {}", op, left.type(), right.type()));
    }
    if (left.whole() && right.whole() && op != "/") return whole_arithmetic(op, left.integer(), right.integer());
    const double a = left.real(), b = right.real();
    if (op == "+") return Value(a + b);
    if (op == "-") return Value(a - b);
    if (op == "*") return Value(a * b);
    if (op == "**") return Value(std::pow(a, b));
    if (b == 0) return refused("division by zero");
    if (op == "/") return Value(a / b);
    if (op == "//") return Value(std::floor(a / b));
    const double rest = std::fmod(a, b);
    return Value(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
  }

  static Result<Value> joined(std::string left, const std::string& right) {
    if (left.size() + right.size() > max_text) return refused("a text grows beyond 64 MiB");
    return Value(std::move(left) + right);
  }

  static Result<Value> repeated(const std::string& text, int64_t times) {
    std::string out;
    if (times > 0 && static_cast<uint64_t>(times) > max_text / std::max<size_t>(1, text.size())) {
      return refused("a text grows beyond 64 MiB");
    }
    for (int64_t i = 0; i < times; ++i) out += text;
    return Value(std::move(out));
  }

  static Result<Value> whole_arithmetic(const std::string& op, int64_t a, int64_t b) {
    int64_t out = 0;
    bool overflow = false;
    if (op == "+") {
      overflow = __builtin_add_overflow(a, b, &out);
    } else if (op == "-") {
      overflow = __builtin_sub_overflow(a, b, &out);
    } else if (op == "*") {
      overflow = __builtin_mul_overflow(a, b, &out);
    } else if (op == "**") {
      if (b < 0) return Value(std::pow(static_cast<double>(a), static_cast<double>(b)));
      out = 1;
      for (int64_t i = 0; i < std::min<int64_t>(b, 64) && !overflow; ++i)
        overflow = __builtin_mul_overflow(out, a, &out);
      if (b > 64 && a != 0 && a != 1 && a != -1) overflow = true;
      if (b > 64 && a == -1) out = b % 2 == 0 ? 1 : -1;
    } else {
      if (b == 0) return refused("division by zero");
      if (b == -1) {
        if (op == "%") return Value(int64_t{0});
        overflow = __builtin_sub_overflow(int64_t{0}, a, &out);
      } else {
        const int64_t rest = a % b;
        const bool down = rest != 0 && (rest < 0) != (b < 0);
        out = op == "//" ? a / b - (down ? 1 : 0) : rest + (down ? b : 0);
      }
    }
    if (overflow) return refused("a number is too large");
    return Value(out);
  }

  // Functions that every template has.

  void add_functions(Scope& globals) {
    const auto add = [&](const char* name, Function function) {
      globals.names[name] = std::make_shared<const Function>(std::move(function));
    };
    add("raise_exception", [](const Arguments& a) -> Result<Value> {
      Error error =
          refused("the template refuses the messages: " + (a.positional.empty() ? "" : to_text(a.positional[0])));
      error.next = "give messages in the form that the model was trained on";
      return error;
    });
    add("range", range);
    add("namespace", [](const Arguments& a) -> Result<Value> {
      auto space = std::make_shared<Dict>();
      space->is_namespace = true;
      for (const auto& [key, value] : a.named) {
        if (value.holds_namespace()) return refused("a namespace or a function within a namespace is not known");
        space->set(key, value);
      }
      return Value(std::move(space));
    });
    add("dict", [](const Arguments& a) { return make_dict(a.named); });
    add("strftime_now", [now = now_](const Arguments& a) -> Result<Value> {
      if (a.positional.empty() || a.positional[0].text() == nullptr) return refused("strftime_now takes a format");
      const std::time_t time = std::chrono::system_clock::to_time_t(now);
      std::tm parts{};
      localtime_r(&time, &parts);
      std::string out(a.positional[0].text()->size() * 16 + 128, '\0');
      out.resize(std::strftime(out.data(), out.size(), a.positional[0].text()->c_str(), &parts));
      return Value(std::move(out));
    });
  }

  static Result<Value> range(const Arguments& a) {
    int64_t part[3] = {0, 0, 1};
    if (a.positional.empty() || a.positional.size() > 3) return refused("range takes one to three numbers");
    for (size_t i = 0; i < a.positional.size(); ++i) {
      if (!a.positional[i].whole()) return refused("range takes whole numbers");
      part[a.positional.size() == 1 ? 1 : i] = a.positional[i].integer();
    }
    const auto [start, stop, stride] = part;
    if (stride == 0) return refused("range's step is not 0");
    std::vector<Value> out;
    for (int64_t i = start; stride > 0 ? i < stop : i > stop;) {
      if (static_cast<int64_t>(out.size()) >= max_range)
        return refused(fmt::format("a range of more than {} numbers", max_range));
      out.emplace_back(i);
      if (__builtin_add_overflow(i, stride, &i)) break;
    }
    return make_list(std::move(out));
  }

  std::chrono::system_clock::time_point now_;
  Scope* top_ = nullptr;
  int64_t steps_ = 0;
  int calls_ = 0;
};

}  // namespace

Result<std::string> render(const std::string& source, const std::vector<std::pair<std::string, Value>>& variables,
                           std::chrono::system_clock::time_point now) {
  const std::vector<Statement> statements = TRY(parse(source));
  return Renderer(now).run(statements, variables);
}

}  // namespace tqm::compress::jinja
