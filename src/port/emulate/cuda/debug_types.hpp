// Debug information of a module in LLVM's text form, as far as it tells how parameters lie in memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tqm::port::cuda {

struct ParameterType {
  std::size_t bytes = 0;
  bool composite = false;  // class, struct or union
  bool empty = false;      // a class without data: no register, no memory
};

class DebugTypes {
 public:
  void add_line(std::string_view line);  // a line that begins with '!'
  // The parameters of the DISubprogram of that number, without the result; none where it can't be told.
  std::optional<std::vector<ParameterType>> parameters(std::size_t subprogram) const;

 private:
  std::string_view node(std::size_t number) const;
  ParameterType resolve(std::size_t number, int depth) const;
  bool has_data(std::size_t elements_list, int depth) const;
  std::unordered_map<std::size_t, std::string> nodes_;
};

// The number behind `field: !` in a node's text.
std::optional<std::size_t> reference_field(std::string_view node, std::string_view field);

}  // namespace tqm::port::cuda
