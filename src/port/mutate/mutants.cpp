#include "port/mutate/mutants.hpp"

#include <array>
#include <cctype>
#include <functional>
#include <optional>
#include <regex>
#include <set>

#include "base/text.hpp"

namespace tqm::port {
namespace {

// A line's code, without what stands behind // and the blanks around it.
struct Line {
  std::string indent, code, comment;
};

Line parts_of(const std::string& text) {
  Line line;
  const std::size_t comment = text.find("//");
  if (comment != std::string::npos) line.comment = text.substr(comment);
  std::string code = text.substr(0, comment);
  const std::size_t begin = code.find_first_not_of(" \t");
  if (begin == std::string::npos) return line;
  line.indent = code.substr(0, begin);
  const std::string_view trimmed = trim(code);
  line.code = std::string(trimmed);
  return line;
}

bool is_control(const std::string& code) {
  static const std::regex kControl(R"(\b(if|for|while)\s*\()");
  return std::regex_search(code, kControl);
}

// Every place where the pattern matches, with its replacement, one a result.
std::vector<std::string> each_replaced(const std::string& code, const std::regex& pattern, const std::string& with) {
  std::vector<std::string> all;
  for (std::sregex_iterator at(code.begin(), code.end(), pattern), end; at != end; ++at)
    all.push_back(code.substr(0, static_cast<std::size_t>(at->position())) + at->format(with) +
                  code.substr(static_cast<std::size_t>(at->position() + at->length())));
  return all;
}

struct Rule {
  Slip slip;
  const char* pattern;
  const char* with;
  bool control_only;  // in conditions and heads of loops
};

// ` < ` with blanks: never a template's bracket or a shift, as the emitter and clang-format write them.
constexpr std::array<Rule, 14> kRules = {{{Slip::bound, " < ", " <= ", true},
                                          {Slip::bound, " <= ", " < ", true},
                                          {Slip::bound, " > ", " >= ", true},
                                          {Slip::bound, " >= ", " > ", true},
                                          {Slip::bound, R"(= 0;)", "= 1;", true},
                                          {Slip::stride, R"( \* ([A-Za-z_]\w*)(?![\w(\[]))", " * ($1 + 1)", false},
                                          {Slip::stride, R"( \+= ([A-Za-z_]\w*))", " += 2 * $1", true},
                                          {Slip::stride, R"(\[([^\[\]]+)\])", "[$1 + 1]", false},
                                          {Slip::tail, R"( < ([A-Za-z_]\w*)(?![\w(\[]))", " < $1 - 1", true},
                                          {Slip::tail, R"(\bmin\(([^,()]+), ([^,()]+)\))", "($1)", false},
                                          {Slip::operand, R"(([\w\)\]]) \+ ([\w\(]))", "$1 - $2", false},
                                          {Slip::operand, R"(([\w\)\]]) - ([\w\(]))", "$1 + $2", false},
                                          {Slip::operand, R"(([\w\)\]]) \* ([\w\(]))", "$1 + $2", false},
                                          {Slip::mask, R"(\bif \((.*)\)( \{|$| \w.*;$))", "if (!($1))$2", false}}};

bool is_sync(const std::string& code) {
  static const std::regex kSync(R"(^__(sync|bang_sync)\w*\(.*\);$)");
  return std::regex_match(code, kSync);
}

// A declaration of an array is no access.
bool declares_array(const std::string& code) {
  static const std::regex kDeclaration(R"(^(__\w+__ )?(const )?\w+ \w+\[.*\];$|__nram__|__mlu_shared__)");
  return std::regex_search(code, kDeclaration);
}

class Maker {
 public:
  Maker(const std::string& text, int first_line, int last_line)
      : lines_(split(text, '\n')), first_(first_line), last_(last_line) {}

  std::vector<Mutant> run() {
    for (int number = std::max(1, first_); number <= last_ && number <= static_cast<int>(lines_.size()); ++number)
      line(number);
    return std::move(out_);
  }

 private:
  void line(int number) {
    const Line parts = parts_of(lines_[static_cast<std::size_t>(number - 1)]);
    if (parts.code.empty() || parts.code[0] == '#') return;
    if (is_sync(parts.code)) return plant(number, parts, Slip::sync, ";");
    std::set<std::string> known = {parts.code};
    for (const Rule& rule : kRules) {
      if (rule.control_only && !is_control(parts.code)) continue;
      if (rule.slip == Slip::stride && declares_array(parts.code)) continue;
      for (const std::string& changed : each_replaced(parts.code, std::regex(rule.pattern), rule.with))
        if (known.insert(changed).second) plant(number, parts, rule.slip, changed);
    }
  }

  void plant(int number, const Line& parts, Slip slip, const std::string& code) {
    Mutant mutant;
    mutant.slip = slip;
    mutant.line = number;
    mutant.before = parts.code;
    mutant.after = code;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const bool here = static_cast<int>(i) == number - 1;
      mutant.text += here ? parts.indent + code + (parts.comment.empty() ? "" : "  " + parts.comment) : lines_[i];
      if (i + 1 < lines_.size()) mutant.text += '\n';
    }
    out_.push_back(std::move(mutant));
  }

  std::vector<std::string> lines_;
  int first_, last_;
  std::vector<Mutant> out_;
};

}  // namespace

std::string_view name(Slip slip) {
  constexpr std::array<std::string_view, 6> kNames = {"bound", "stride", "tail", "sync", "operand", "mask"};
  return kNames[static_cast<std::size_t>(slip)];
}

std::vector<Mutant> mutants(const std::string& text, int first_line, int last_line) {
  return Maker(text, first_line, last_line).run();
}

}  // namespace tqm::port
