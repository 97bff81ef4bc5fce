// The one WeightSource: a table of tensors, each with a function that loads it. Every file form fills one.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "compress/model/model.hpp"

namespace tqm::compress {

class TensorTable final : public WeightSource {
 public:
  struct Entry {
    TensorInfo info;
    std::function<Result<Weight>()> load;
    std::function<BlockWeight()> load_blocks = {};  // may be empty
    std::function<void()> release;
  };

  // The entries that config asks for, in its order, shapes checked. where: the file or folder, for messages. Missing
  // tensors, wrong shapes and tensors that the family has no use for are refused by name.
  static Result<std::shared_ptr<WeightSource>> make(const ModelConfig& config, std::vector<Entry> entries,
                                                    const std::string& where);

  const std::vector<TensorInfo>& tensors() const override { return infos_; }
  bool has(const std::string& name) const override { return index_.contains(name); }
  Result<Weight> load(const std::string& name) const override;
  Result<std::optional<BlockWeight>> load_blocks(const std::string& name) const override;
  void release(const std::string& name) const override;

 private:
  std::string where_;
  std::vector<TensorInfo> infos_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, size_t> index_;
};

// Whether every value is finite; integer types always are.
bool all_finite(const tensor::HostTensor& tensor);

// Rows of one head in pair order (0, 1 of the first pair, then of the second, …) put into rotate-half order (all
// firsts, then all seconds); width bytes a row. from and to don't overlap. GGUF's llama and llama2.c keep q and k in
// pair order.
void to_rotate_half(const std::byte* from, std::byte* to, int64_t heads, int64_t head_dim, size_t width);
void to_pair_order(const std::byte* from, std::byte* to, int64_t heads, int64_t head_dim, size_t width);

}  // namespace tqm::compress
