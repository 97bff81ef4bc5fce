#include "port/emulate/cuda/branch_ir.hpp"

#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/text.hpp"
#include "port/emulate/cuda/debug_types.hpp"

namespace tqm::port::cuda {
namespace {

// Beginnings of the labels that Clang gives to blocks behind a statement.
constexpr std::string_view kBehind[] = {"if.end",   "for.end", "for.inc", "for.cond.cleanup", "while.end",
                                        "do.body",  "do.end",  "do.cond", "land.end",         "lor.end",
                                        "cond.end", "return",  "cleanup", "sw.epilog"};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

int number_behind(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  int value = 0;
  if (at != std::string_view::npos) std::from_chars(text.data() + at + key.size(), text.data() + text.size(), value);
  return value;
}

std::string quoted_behind(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return "";
  const std::size_t begin = at + key.size();
  return std::string(text.substr(begin, text.find('"', begin) - begin));
}

// Words of a line between blanks and commas.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(" ,", at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" ,", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

class Inserter {
 public:
  Inserter(std::string_view text, std::string tag, const std::vector<std::string>& others)
      : lines_(lines_of(text)), tag_(std::move(tag)), others_(others) {}

  BranchedText run() {
    for (const std::string_view line : lines_)
      if (line.starts_with("!")) add_node(line);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lines_[i].starts_with("define ")) find_traps(i);
      if (lines_[i].starts_with("  ")) count(i);
      out_.text += lines_[i];
      out_.text += '\n';
    }
    for (const Branch& branch : out_.branches)
      out_.text += fmt::format("@tqm_branch_{}_{} = external hidden global [24 x i8]\n", tag_, branch.id);
    if (!out_.branches.empty())
      out_.text +=
          "declare void @tqm_cuda_branch(ptr, i1 zeroext) nounwind willreturn memory(inaccessiblemem: readwrite)\n";
    return std::move(out_);
  }

 private:
  void add_node(std::string_view line) {
    const auto equals = line.find(" = ");
    if (equals != std::string_view::npos) nodes_[line.substr(0, equals)] = line.substr(equals + 3);
  }

  std::string_view node(std::string_view name) const {
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? std::string_view() : found->second;
  }

  // A variable of the thread is read: a name of its own, no place that was computed.
  static bool reads_variable(std::string_view line) {
    const auto at = line.find(", ptr %");
    return line.find(" = load ") != std::string_view::npos && at != std::string_view::npos &&
           std::isdigit(static_cast<unsigned char>(line[at + 7])) == 0;
  }

  // Blocks of the function at `begin` that end it at a fault, and those that do nothing but go on: a return, a
  // constant, a variable as it is.
  void find_traps(std::size_t begin) {
    traps_.clear();
    passing_.clear();
    std::string_view block;
    for (std::size_t i = begin + 1; i < lines_.size() && lines_[i] != "}"; ++i) {
      const std::string_view line = lines_[i];
      if (!line.empty() && line[0] != ' ') {
        block = line.substr(0, line.find(':'));
        passing_.insert(block);
      } else if (line.starts_with("  ") && !line.starts_with("  br label ") && !line.starts_with("  ret void") &&
                 line.find("%cleanup.dest") == std::string_view::npos && !reads_variable(line)) {
        passing_.erase(block);
      }
      if (line.starts_with("  unreachable") || line.find("@_Z6__trapv(") != std::string_view::npos ||
          line.find("@__assert_fail(") != std::string_view::npos)
        traps_.insert(block);
    }
  }

  Outcome leads_to(std::string_view label) const {
    label = label.substr(1);  // without %
    if (traps_.contains(label)) return Outcome::never;
    if (passing_.contains(label)) return Outcome::empty;
    for (const std::string_view behind : kBehind)
      if (label.starts_with(behind)) return Outcome::empty;
    return Outcome::code;
  }

  // The place of a line's debug location; none where it is in another's file.
  std::optional<Branch> place_of(std::string_view line) const {
    const auto at = line.find("!dbg !");
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view name = line.substr(at + 5, line.find_first_of(", ", at + 6) - at - 5);
    const std::string_view location = node(name);
    const auto scope = reference_field(location, "scope");
    if (!scope) return std::nullopt;
    const auto file = reference_field(node(fmt::format("!{}", *scope)), "file");
    if (!file) return std::nullopt;
    const std::string_view described = node(fmt::format("!{}", *file));
    Branch branch;
    const std::string filename = quoted_behind(described, "filename: \"");
    branch.file = filename.starts_with("/") ? filename : quoted_behind(described, "directory: \"") + "/" + filename;
    for (const std::string& other : others_)
      if (branch.file.starts_with(other)) return std::nullopt;
    branch.line = number_behind(location, "line: ");
    branch.column = number_behind(location, "column: ");
    return branch;
  }

  void call(Branch branch, std::string_view condition) {
    branch.id = out_.branches.size();
    out_.text +=
        fmt::format("  call void @tqm_cuda_branch(ptr @tqm_branch_{}_{}, i1 zeroext {})", tag_, branch.id, condition);
    out_.text += location_ + "\n";
    out_.branches.push_back(std::move(branch));
  }

  void count(std::size_t i) {
    const std::string_view line = lines_[i];
    const bool branches = line.starts_with("  br i1 %"), switches = line.starts_with("  switch ");
    const auto select = line.find(" = select i1 %");
    if (!branches && !switches && select == std::string_view::npos) return;
    std::size_t last = i;
    if (switches)
      while (last + 1 < lines_.size() && !lines_[last].starts_with("  ]")) ++last;
    auto branch = place_of(lines_[last]);
    if (!branch) return;
    const std::string_view ending = lines_[last];
    const auto at = ending.find(", !dbg !");
    location_ = std::string(ending.substr(at, ending.find_first_of(", ", at + 8) - at));
    const auto words = words_of(line.substr(select == std::string_view::npos ? 0 : select + 3));
    if (branches && words.size() >= 7) {
      branch->leads = {leads_to(words[6]), leads_to(words[4])};
      call(*branch, words[2]);
    } else if (switches) {
      count_labels(i, last, words, *branch);
    } else if (words.size() >= 3) {
      call(*branch, words[2]);
    }
  }

  // One for each value's label, and one for the default where the user wrote it.
  void count_labels(std::size_t first, std::size_t last, const std::vector<std::string_view>& words, Branch branch) {
    branch.label = true;
    const std::string_view type = words[1], value = words[2], otherwise = words[4];
    std::map<std::string_view, std::string> labels;  // the condition of each
    std::string any = "false";
    for (std::size_t i = first + 1; i < last; ++i) {
      const auto row = words_of(lines_[i]);
      if (row.size() < 4) continue;
      const std::string is = fmt::format("%tqm.case.{}", names_++);
      out_.text += fmt::format("  {} = icmp eq {} {}, {}\n", is, type, value, row[1]);
      const auto known = labels.find(row[3]);
      std::string here = is;
      if (known != labels.end()) here = either(known->second, is);
      labels[row[3]] = here;
      any = any == "false" ? is : either(any, is);
    }
    for (const auto& [label, condition] : labels) {
      branch.leads = {Outcome::never, leads_to(label)};
      call(branch, condition);
    }
    if (leads_to(otherwise) != Outcome::code || any == "false" || labels.contains(otherwise)) return;
    const std::string none = fmt::format("%tqm.case.{}", names_++);
    out_.text += fmt::format("  {} = xor i1 {}, true\n", none, any);
    branch.leads = {Outcome::never, Outcome::code};
    call(branch, none);
  }

  std::string either(const std::string& a, const std::string& b) {
    const std::string name = fmt::format("%tqm.case.{}", names_++);
    out_.text += fmt::format("  {} = or i1 {}, {}\n", name, a, b);
    return name;
  }

  std::vector<std::string_view> lines_;
  std::string tag_;
  const std::vector<std::string>& others_;
  std::unordered_map<std::string_view, std::string_view> nodes_;
  std::set<std::string_view> traps_;
  std::set<std::string_view> passing_;
  std::string location_;
  std::size_t names_ = 0;
  BranchedText out_;
};

// What is left of a branch's calls: both where one has a variable condition.
void mark_left(std::string_view line, const std::string& prefix, std::vector<std::array<bool, 2>>& left) {
  const auto at = line.find(prefix);
  if (at == std::string_view::npos || line.find("call void @tqm_cuda_branch(") == std::string_view::npos) return;
  std::size_t id = 0;
  const char* end = std::from_chars(line.data() + at + prefix.size(), line.data() + line.size(), id).ptr;
  if (id >= left.size()) return;
  const std::string_view rest(end, static_cast<std::size_t>(line.data() + line.size() - end));
  if (rest.find(" true)") == std::string_view::npos) left[id][0] = true;
  if (rest.find(" false)") == std::string_view::npos) left[id][1] = true;
}

}  // namespace

BranchedText insert_branches(std::string_view text, const std::string& tag, const std::vector<std::string>& others) {
  return Inserter(text, tag, others).run();
}

std::string with_branch_table(std::string_view optimised, std::vector<Branch> branches, const std::string& tag) {
  std::string out;
  const std::string prefix = fmt::format("@tqm_branch_{}_", tag);
  std::vector<std::array<bool, 2>> left(branches.size(), {false, false});
  for (const std::string_view line : lines_of(optimised)) {
    if (line.starts_with(prefix)) continue;
    mark_left(line, prefix, left);
    out += line;
    out += '\n';
  }
  for (const Branch& branch : branches) {
    const auto leads = [&](std::size_t outcome) {
      return static_cast<int>(left[branch.id][outcome] ? branch.leads[outcome] : Outcome::never);
    };
    const std::string name = fmt::format("tqm_branch_file_{}_{}", tag, branch.id);
    out += fmt::format("@{} = internal constant [{} x i8] c\"{}\\00\"\n", name, branch.file.size() + 1, branch.file);
    out += fmt::format(
        "{0}{1} = hidden global {{ ptr, i32, i32, i8, i8, i8, i8, i8, [3 x i8] }} {{ ptr @{2}, i32 {3}, i32 {4}, i8 "
        "{5}, "
        "i8 {6}, i8 {7}, i8 0, i8 0, [3 x i8] zeroinitializer }}, section \"tqm_branch_table\", align 8\n",
        prefix, branch.id, name, branch.line, branch.column, branch.label ? 1 : 0, leads(0), leads(1));
  }
  return out;
}

}  // namespace tqm::port::cuda
