#include "compress/tokenizer/jinja.hpp"
#include "compress/tokenizer/tokenizer.hpp"

namespace tqm::compress {

Result<std::string> render_chat(const std::string& chat_template, const std::vector<ChatMessage>& messages,
                                bool add_generation_prompt, const std::string& bos_token,
                                const std::string& eos_token) {
  std::vector<jinja::Value> list;
  for (const ChatMessage& message : messages) {
    list.push_back(TRY(jinja::make_dict({{"role", message.role}, {"content", message.content}})));
  }
  const std::vector<std::pair<std::string, jinja::Value>> variables = {
      {"messages", TRY(jinja::make_list(std::move(list)))}, {"tools", nullptr},       {"documents", nullptr},
      {"add_generation_prompt", add_generation_prompt},     {"bos_token", bos_token}, {"eos_token", eos_token},
  };
  return jinja::render(chat_template, variables, std::chrono::system_clock::now());
}

}  // namespace tqm::compress
