#include "port/emulate/bang/runtime/fault.hpp"

#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <link.h>
#include <memory>
#include <unistd.h>

namespace tqm::port::bang {

namespace {

constexpr std::size_t kAtMost = 200;
constexpr char kMark = '\x01';  // opens and closes a place (P) or a variable (V) inside a text

struct Place {
  std::string file;
  int line = 0;
};

// Asks llvm-symbolizer about places in this executable: one query a line, answers are blocks ended by an empty line.
class Symbolizer {
 public:
  explicit Symbolizer(std::string header_folder) : header_folder_(std::move(header_folder)) {}

  void want_place(std::uintptr_t address) { places_.try_emplace(address); }
  void want_variable(std::uintptr_t address) { variables_.try_emplace(address); }

  void ask() {
    if (places_.empty() && variables_.empty()) {
      return;
    }
    std::string command = "llvm-symbolizer-19 --obj=/proc/" + std::to_string(getpid()) + "/exe --inlines --no-demangle";
    command += " --relative-address";
    std::vector<std::uintptr_t> asked;
    for (auto& [address, place] : places_) {
      command += " 'CODE 0x" + hex(address - load_bias()) + "'";
      asked.push_back(address);
    }
    for (auto& [address, variable] : variables_) {
      command += " 'DATA 0x" + hex(address - load_bias()) + "'";
      asked.push_back(address);
    }
    command += " 2>/dev/null";
    std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    if (pipe == nullptr) {
      return;
    }
    std::vector<std::string> block;
    std::size_t next = 0;
    char buffer[4096];
    while (std::fgets(buffer, sizeof buffer, pipe.get()) != nullptr && next < asked.size()) {
      std::string line(buffer);
      while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) {
        line.pop_back();
      }
      if (!line.empty()) {
        block.push_back(line);
        continue;
      }
      take(asked[next], next < places_.size(), block);
      ++next;
      block.clear();
    }
  }

  Place place(std::uintptr_t address) const {
    const auto found = places_.find(address);
    return found == places_.end() ? Place{} : found->second;
  }
  std::string variable(std::uintptr_t address) const {
    const auto found = variables_.find(address);
    return found == variables_.end() || found->second.empty() ? "a variable" : found->second;
  }

 private:
  static std::uintptr_t load_bias();
  static std::string hex(std::uintptr_t value) {
    char text[32];
    std::snprintf(text, sizeof text, "%zx", static_cast<std::size_t>(value));
    return text;
  }

  // Frames alternate: function, file:line:column; innermost first. The first outside our headers is the kernel's.
  void take(std::uintptr_t address, bool code, const std::vector<std::string>& block) {
    if (!code) {
      if (!block.empty()) {
        variables_[address] = variable_name(block.front());
      }
      return;
    }
    for (std::size_t i = 1; i < block.size(); i += 2) {
      std::string text = block[i];
      int line = 0;
      for (int part = 0; part < 2; ++part) {  // column, then line
        const std::size_t colon = text.rfind(':');
        if (colon == std::string::npos) {
          break;
        }
        line = std::atoi(text.c_str() + colon + 1);
        text.resize(colon);
      }
      const bool ours = !header_folder_.empty() && (text.rfind(header_folder_, 0) == 0 || text.rfind("/usr/", 0) == 0);
      if (!ours && line > 0 && text != "??") {
        places_[address] = {text, line};
        return;
      }
    }
  }

  static std::string variable_name(std::string symbol);

  std::string header_folder_;
  std::map<std::uintptr_t, Place> places_;
  std::map<std::uintptr_t, std::string> variables_;
};

std::uintptr_t Symbolizer::load_bias() {
  static const std::uintptr_t bias = [] {
    std::uintptr_t found = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* out) {
          *static_cast<std::uintptr_t*>(out) = info->dlpi_addr;  // the executable comes first
          return 1;
        },
        &found);
    return found;
  }();
  return bias;
}

// The control block of a variable is called __emutls_v.NAME; NAME is mangled where it is inside a function.
std::string Symbolizer::variable_name(std::string symbol) {
  const std::string prefix = "__emutls_v.";
  if (symbol.rfind(prefix, 0) == 0) {
    symbol.erase(0, prefix.size());
  }
  if (symbol.rfind("_Z", 0) != 0) {
    return symbol;
  }
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                     std::free);
  std::string text = plain != nullptr ? plain.get() : symbol;
  const std::size_t last = text.rfind("::");
  return last == std::string::npos ? text : text.substr(last + 2);
}

// Replaces marked numbers in a text.
template <class F>
std::string replaced(const std::string& text, F replace) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != kMark) {
      out += text[i];
      continue;
    }
    const std::size_t end = text.find(kMark, i + 1);
    if (end == std::string::npos) {
      break;
    }
    out += replace(text[i + 1], static_cast<std::uintptr_t>(std::strtoull(text.c_str() + i + 2, nullptr, 16)));
    i = end;
  }
  return out;
}

std::string marked(char kind, const void* value) {
  char text[40];
  std::snprintf(text, sizeof text, "%c%c%zx%c", kMark, kind, reinterpret_cast<std::size_t>(value), kMark);
  return text;
}

std::string base_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::uint32_t Faults::site(const void* place) {
  const auto [found, fresh] = numbers_.try_emplace(place, static_cast<std::uint32_t>(sites_.size()));
  if (fresh) {
    sites_.push_back(place);
  }
  return found->second;
}

std::string Faults::at(std::uint32_t site) const {
  return site == 0 || site >= sites_.size() ? "the launch" : marked('P', sites_[site]);
}

std::string Faults::variable(const void* control) {
  return marked('V', control);
}

void Faults::add(const char* kind, const void* place, std::string text) {
  if (faults_.size() < kAtMost && seen_.insert({kind, place}).second) {
    faults_.push_back({kind, place, std::move(text)});
  }
}

std::vector<Fault> Faults::resolved(const std::string& header_folder) const {
  Symbolizer symbols(header_folder);
  // A return address is one past the call: one less lies in the call's line.
  const auto call = [](std::uintptr_t address) { return address == 0 ? 0 : address - 1; };
  for (const Found& fault : faults_) {
    symbols.want_place(call(reinterpret_cast<std::uintptr_t>(fault.place)));
    replaced(fault.text, [&](char kind, std::uintptr_t value) {
      kind == 'P' ? symbols.want_place(call(value)) : symbols.want_variable(value);
      return std::string();
    });
  }
  symbols.ask();
  std::vector<Fault> result;
  for (const Found& fault : faults_) {
    const Place place = symbols.place(call(reinterpret_cast<std::uintptr_t>(fault.place)));
    const std::string text = replaced(fault.text, [&](char kind, std::uintptr_t value) {
      if (kind == 'V') {
        return symbols.variable(value);
      }
      const Place other = symbols.place(call(value));
      return other.line == 0 ? std::string("a line unknown") : base_name(other.file) + ":" + std::to_string(other.line);
    });
    result.push_back({fault.kind, text, place.file, place.line});
  }
  return result;
}

}  // namespace tqm::port::bang
