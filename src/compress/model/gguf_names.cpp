// The names of GGUF's tensors beside Hugging Face's, one row each (docs/gguf.md, "Standardized tensor names").
#include <array>
#include <string_view>

#include "compress/model/open_forms.hpp"

namespace tqm::compress {
namespace {

struct Names {
  std::string_view canonical, gguf;
};

constexpr std::array kWhole = {
    Names{"model.embed_tokens.weight", "token_embd.weight"},
    Names{"model.norm.weight", "output_norm.weight"},
    Names{"lm_head.weight", "output.weight"},
};

constexpr std::array kInBlock = {
    Names{"input_layernorm", "attn_norm"},    Names{"self_attn.q_proj", "attn_q"},
    Names{"self_attn.k_proj", "attn_k"},      Names{"self_attn.v_proj", "attn_v"},
    Names{"self_attn.q_norm", "attn_q_norm"}, Names{"self_attn.k_norm", "attn_k_norm"},
    Names{"self_attn.o_proj", "attn_output"}, Names{"post_attention_layernorm", "ffn_norm"},
    Names{"mlp.gate_proj", "ffn_gate"},       Names{"mlp.up_proj", "ffn_up"},
    Names{"mlp.down_proj", "ffn_down"},
};

constexpr std::string_view kCanonicalBlock = "model.layers.", kGgufBlock = "blk.";

// from_prefix N . middle . ending, the middle translated.
std::string translate(const std::string& name, std::string_view from_prefix, std::string_view to_prefix,
                      std::string_view Names::* from, std::string_view Names::* to) {
  for (const Names& row : kWhole)
    if (row.*from == name) return std::string(row.*to);
  if (!name.starts_with(from_prefix)) return {};
  const size_t number_end = name.find('.', from_prefix.size()), ending = name.rfind('.');
  if (number_end == std::string::npos || ending <= number_end) return {};
  const std::string number = name.substr(from_prefix.size(), number_end - from_prefix.size());
  if (number.empty() || number.find_first_not_of("0123456789") != std::string::npos) return {};
  const std::string_view middle = std::string_view(name).substr(number_end + 1, ending - number_end - 1);
  for (const Names& row : kInBlock)
    if (row.*from == middle) return std::string(to_prefix) + number + "." + std::string(row.*to) + name.substr(ending);
  return {};
}

}  // namespace

std::string gguf_name(const std::string& canonical) {
  return translate(canonical, kCanonicalBlock, kGgufBlock, &Names::canonical, &Names::gguf);
}

std::string canonical_name(const std::string& gguf) {
  return translate(gguf, kGgufBlock, kCanonicalBlock, &Names::gguf, &Names::canonical);
}

}  // namespace tqm::compress
