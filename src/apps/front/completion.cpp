#include "apps/front/completion.hpp"

#include "apps/front/words.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace tqm::front {
namespace {

struct Shell {
  std::string_view name, script;
};

// clang-format takes what stands in the strings for C++.
// clang-format off
constexpr Shell kShells[] = {
    {"bash", R"sh(# torquetum: completion for bash. Load it with: eval "$(torquetum completion bash)"
_torquetum() {
  local IFS=$'\n'
  COMPREPLY=($("${COMP_WORDS[0]}" --complete-words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o bashdefault -o default -F _torquetum torquetum tqm
)sh"},
    {"zsh", R"sh(#compdef torquetum tqm
# torquetum: completion for zsh. Load it after compinit with: eval "$(torquetum completion zsh)"
_torquetum() {
  local -a found
  found=(${(f)"$(${(Q)words[1]} --complete-words "${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then
    compadd -a found
  else
    _files
  fi
}
compdef _torquetum torquetum tqm
)sh"},
    {"fish", R"sh(# torquetum: completion for fish. Load it with: torquetum completion fish | source
function __torquetum_complete
  set -l typed (commandline -opc)
  set -l program $typed[1]
  set -e typed[1]
  set -l found ($program --complete-words $typed (commandline -ct) 2>/dev/null)
  if set -q found[1]
    printf '%s\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c torquetum -f -a '(__torquetum_complete)'
complete -c tqm -f -a '(__torquetum_complete)'
)sh"},
};
// clang-format on

std::vector<std::string> shell_names() {
  std::vector<std::string> names;
  for (const Shell& shell : kShells) names.emplace_back(shell.name);
  return names;
}

}  // namespace

Result<std::string> completion_script(std::string_view asked) {
  for (const Shell& shell : kShells)
    if (shell.name == asked) return std::string(shell.script);
  return Error{ErrorKind::usage,
               asked.empty() ? "say for which shell" : "there is no completion for " + std::string(asked), "",
               "torquetum completion " + join(shell_names(), "|")};
}

std::vector<std::string> complete_own(const std::vector<std::string>& typed) {
  std::vector<std::string> candidates;
  const bool first = typed.size() <= 1;
  const bool after_help = typed.size() == 2 && typed[0] == "help";
  if (first || after_help)
    for (const Word& word : words())
      if (find_program(word.program)) candidates.emplace_back(word.word);
  if (first) candidates.insert(candidates.end(), {"help", "completion", "--help", "--version", "--json"});
  if (typed.size() == 2 && typed[0] == "completion") candidates = shell_names();
  const std::string half = typed.empty() ? "" : typed.back();
  std::erase_if(candidates, [&](const std::string& candidate) {
    return !candidate.starts_with(half) || (half.empty() && candidate.starts_with("-"));
  });
  return candidates;
}

}  // namespace tqm::front
