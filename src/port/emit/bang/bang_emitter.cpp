#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "port/emit/bang/bang_printer.hpp"
#include "port/emit/bang/fragments.hpp"
#include "port/emit/bang/tier.hpp"
#include "port/emit/bang/vectorise.hpp"
#include "port/emit/emitter.hpp"
#include "port/ir/build.hpp"
#include "port/ir/walk.hpp"
#include "port/passes/task_form.hpp"

namespace tqm::port::emit {

using ir::Storage;
using ir::VariableRef;

namespace {

constexpr int kHandOver = 2105;  // blocks that hand work to each other

constexpr std::int64_t kReservedNram = 128 * 1024;  // the convention of mlu-ops' guide: for the compiler's own use
constexpr std::int64_t kDynamicShared = 48 * 1024;  // what a CUDA launch may ask for without opting in
constexpr int kMostThreads = 1024;                  // of a block on CUDA
constexpr double kMostOfTheWork = 0.95;             // what tiers A and B ask for
constexpr double kWorthVectors = 0.5;               // share of the work in vector calls from which they pay
constexpr std::int64_t kMostTile = 16384;           // elements: longer ones gain nothing
constexpr std::int64_t kLeastTile = 64;             // lanes: shorter ones are no vectors

struct Figures {
  std::int64_t nram_bytes = 0;
  int cores = 0;
};

std::string comment_lines(const std::vector<std::string>& comments, const std::string& indent = "") {
  std::string out;
  for (const auto& comment : comments) out += indent + "// " + comment + "\n";
  return out;
}

std::string record_text(const ir::Record& record) {
  std::string out = record.is_union ? "union " : "struct ";
  std::int64_t natural = 1;
  for (const auto& field : record.fields) {
    ir::TypeRef type = field.type;
    while (ir::is_array(type)) type = type->element;
    natural = std::max(natural, ir::is_record(type) ? type->record->alignment : ir::size_of(type));
  }
  if (record.alignment > natural) out += "__attribute__((aligned(" + std::to_string(record.alignment) + "))) ";
  out += record.name + " {\n";
  for (const auto& field : record.fields)
    out += "  " + ir::declarator(ir::with_constant(field.type, false), field.name) + ";\n";
  return out + "};\n\n";
}

std::string function_text(const ir::Function& function, std::set<std::string>& helpers,
                          std::vector<ir::Remark>& refusals) {
  const Spaces spaces(function);
  BangPrinter printer({}, &spaces);
  std::string out =
      comment_lines(function.comments) + "__mlu_func__ " + ir::declarator(function.result, function.name) + "(";
  bool first = true;
  for (const auto& param : function.params) {
    out += (first ? "" : ", ") + ir::declarator(param->type, param->name);
    first = false;
  }
  out += ") {\n";
  printer.stmts(function.body, 1, out);
  helpers.insert(printer.helpers().begin(), printer.helpers().end());
  refusals.insert(refusals.end(), printer.refusals().begin(), printer.refusals().end());
  return out + "}\n\n";
}

bool mentions(const std::string& text, const std::string& word) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const bool before = at > 0 && part(text[at - 1]);
    const std::size_t end = at + word.size();
    if (!before && (end >= text.size() || !part(text[end]))) return true;
  }
  return false;
}

// Everything of a kernel that stands in the file before it, and the kernel.
struct Parts {
  EmittedKernel kernel;
  std::vector<std::string> records, functions, tables;
  std::set<std::string> helpers;
  std::string text;
};

class KernelEmitter {
 public:
  KernelEmitter(ir::Kernel kernel, const Figures& figures) : kernel_(std::move(kernel)), figures_(figures) {}

  Parts run() {
    const ir::Function& entry = *kernel_.entry;
    parts_.kernel.name = entry.name;
    parts_.kernel.qualified = entry.qualified;
    parts_.kernel.file = entry.file;
    parts_.kernel.line = entry.line;
    if (!kernel_.refused()) translate();
    parts_.kernel.refused = kernel_.refused();
    parts_.kernel.remarks = kernel_.remarks;
    std::stable_sort(parts_.kernel.remarks.begin(), parts_.kernel.remarks.end(),
                     [](const ir::Remark& a, const ir::Remark& b) { return a.line < b.line; });
    if (parts_.kernel.refused) parts_.text.clear();
    parts_.kernel.text = parts_.text;
    return std::move(parts_);
  }

 private:
  void refuse(int number, int line, std::string text) {
    kernel_.remarks.push_back({number, ir::Remark::Severity::refusal, line, std::move(text)});
  }

  // The kernel in vectors, where they do most of its work.
  void try_vectors() {
    ir::Kernel copy = kernel_;
    passes::TaskForm form = passes::task_form(copy, true);
    if (copy.refused()) return;
    auto vectors = vectorise(form, shape_.flat, shape_.x);
    if (vectors && vectors->merged && in_one_task_) vectors.reset();
    if (vectors && !room_for(*vectors, form)) vectors.reset();
    const double share = vectors ? tier_of(vectors->entry).share : 0;
    // A thread's own loops: where lanes find too little to do, or would gather what lies apart.
    if (!vectors || share < kMostOfTheWork || copies_apart(vectors->entry)) {
      auto loops = vectorise_loops(form, shape_.flat);
      if (loops && room_for(*loops, form)) {
        const double own = tier_of(loops->entry).share;
        if (own >= kMostOfTheWork || own > share) vectors = std::move(loops);
      }
    }
    if (!vectors || tier_of(vectors->entry).share < kWorthVectors) return;
    form_ = std::move(form);
    form_.entry = vectors->entry;
    form_.shared.insert(form_.shared.end(), vectors->arrays.begin(), vectors->arrays.end());
    vectors_ = std::move(vectors);
  }

  // Copies from or to the card's memory of single elements that lie apart, in a loop.
  static bool copies_apart(const ir::Function& entry) {
    return ir::any_stmt(entry.body, [](const ir::Stmt& stmt) {
      const bool loop = stmt.kind == ir::Stmt::Kind::for_loop || stmt.kind == ir::Stmt::Kind::while_loop;
      return loop && ir::any_expr(stmt.body, [](const ir::Expr& node) {
               return node.kind == ir::Expr::Kind::intrinsic && node.name == "bang.__memcpy" && node.args.size() > 4 &&
                      node.args[3]->kind == ir::Expr::Kind::variable && node.args[3]->variable->name != "NRAM2NRAM";
             });
    });
  }

  // At least kLeastTile lanes of every vector, or those of a whole block.
  bool room_for(const VectorForm& vectors, const passes::TaskForm& form) const {
    std::int64_t lane_bytes = 0, bytes = 0;
    for (const auto& lanes : vectors.lanes) lane_bytes += ir::size_of(lanes->type->element) * rows_of(*lanes);
    if (vectors.merged) return lane_bytes * kLeastTile <= figures_.nram_bytes - kReservedNram;
    const std::int64_t threads = most_threads();
    if (vectors.chunked) lane_bytes = lane_bytes * kLeastTile / threads + 1;
    for (const auto& variable : form.shared)
      if (variable->storage != Storage::dynamic_shared) bytes += ir::size_of(variable->type);
    for (const auto& variable : form.thread_arrays) bytes += ir::size_of(variable->type) * threads;
    for (const auto& variable : vectors.arrays) bytes += ir::size_of(variable->type);
    return bytes + lane_bytes * threads <= figures_.nram_bytes - kReservedNram;
  }

  // An array of a thread as vectors: one for each of its elements.
  static std::int64_t rows_of(const ir::Variable& lanes) {
    return ir::is_array(lanes.type->element) ? lanes.type->count : 1;
  }

  int most_threads() const {
    if (shape_.x > 0 && (shape_.flat || (shape_.y > 0 && shape_.z > 0)))
      return shape_.flat ? shape_.x : shape_.x * shape_.y * shape_.z;
    return kernel_.entry->launch_bound > 0 ? kernel_.entry->launch_bound : kMostThreads;
  }

  void translate() {
    in_one_task_ = std::any_of(kernel_.remarks.begin(), kernel_.remarks.end(),
                               [](const ir::Remark& remark) { return remark.number == kHandOver; });
    form_ = passes::task_form(kernel_);
    if (kernel_.refused()) return;
    shape_ = {kernel_.one_dimensional_blocks, kernel_.block_x, kernel_.block_y, kernel_.block_z};
    try_vectors();
    const ir::Function& entry = form_.entry;
    shape_ = {kernel_.one_dimensional_blocks, kernel_.block_x, kernel_.block_y, kernel_.block_z};
    most_threads_ = most_threads();
    const bool fixed = shape_.x > 0 && (shape_.flat || (shape_.y > 0 && shape_.z > 0));
    if (form_.shared.empty() && form_.thread_arrays.empty() && !fixed && !vectors_) most_threads_ = kMostThreads;
    const Spaces spaces(entry);
    BangPrinter printer(shape_, &spaces);
    std::string body;
    printer.stmts(entry.body, 2, body);
    const std::string storage = on_chip_arrays(body);
    if (kernel_.refused()) return;
    parts_.helpers = printer.helpers();
    for (const auto& refusal : printer.refusals()) kernel_.remarks.push_back(refusal);
    for (const auto& function : used_functions(entry))
      parts_.functions.push_back(function_text(*function, parts_.helpers, kernel_.remarks));
    for (const auto& record : kernel_.records) parts_.records.push_back(record_text(*record));
    if (kernel_.refused()) return;
    const Tier tier = tier_of(entry);
    parts_.kernel.tier = tier.letter;
    parts_.kernel.tier_reason = tier.reason;
    assemble(storage, body);
  }

  // Device functions that are still called, callees first.
  std::vector<ir::FunctionRef> used_functions(const ir::Function& entry) const {
    std::set<const ir::Function*> used;
    const std::function<void(const ir::Stmts&)> visit = [&](const ir::Stmts& stmts) {
      ir::for_each_expr(stmts, [&](const ir::Expr& expr) {
        if (expr.kind == ir::Expr::Kind::call && used.insert(expr.function.get()).second) visit(expr.function->body);
      });
    };
    visit(entry.body);
    std::vector<ir::FunctionRef> result;
    for (const auto& function : kernel_.functions)
      if (used.contains(function.get())) result.push_back(function);
    return result;
  }

  std::string on_chip_arrays(const std::string& body) {
    std::string out;
    std::int64_t bytes = 0;
    const std::string threads = "[" + threads_name() + "]";
    bool dynamic = false;
    for (const auto& variable : form_.shared) {
      if (variable->storage == Storage::dynamic_shared) {
        dynamic = true;
        const std::string element = ir::type_text(ir::with_constant(variable->type->element, false));
        out += "  " + element + "* " + variable->name + " = (" + element + "*)dynamic_shared;\n";
        continue;
      }
      bytes += std::max<std::int64_t>(ir::size_of(variable->type), 1);
      out += "  __nram__ " + ir::declarator(ir::with_constant(variable->type, false), variable->name) + ";\n";
    }
    for (const auto& variable : form_.thread_arrays) {
      bytes += ir::size_of(variable->type) * most_threads_;
      out += "  __nram__ " + ir::declarator(variable->type, variable->name + threads) + ";\n";
    }
    std::int64_t lane_bytes = 0;
    if (vectors_) {
      const bool tiled = vectors_->merged || vectors_->chunked;
      const std::string length = tiled ? "[kTile]" : threads;
      for (const auto& lanes : vectors_->lanes) {
        if (!mentions(body, lanes->name)) continue;
        const std::int64_t rows = rows_of(*lanes);
        const bool array = ir::is_array(lanes->type->element);
        const ir::TypeRef& element = array ? lanes->type->element->element : lanes->type->element;
        lane_bytes += ir::size_of(element) * rows;
        const std::string many = array ? "[" + std::to_string(rows) + "]" : "";
        out += "  __nram__ " + ir::declarator(element, lanes->name + many + length) + ";\n";
      }
      if (!tiled) bytes += lane_bytes * most_threads_;
    }
    if (mentions(body, "fragment_space")) {
      bytes += kFragmentSpace;
      out += "  __nram__ int8_t fragment_space[" + std::to_string(kFragmentSpace) + "];\n";
    }
    if (mentions(body, "fragment_weights")) out += "  __wram__ half fragment_weights[64 * 64];\n";
    const std::int64_t room = figures_.nram_bytes - kReservedNram - bytes;
    if (vectors_ && (vectors_->merged || vectors_->chunked))
      tile_ = lane_bytes > 0 ? std::min(kMostTile, room / lane_bytes / 64 * 64) : kMostTile;
    if (dynamic) {
      const std::int64_t offered = std::min(kDynamicShared, room / 1024 * 1024);
      if (offered <= 0) {
        refuse(2015, kernel_.entry->line, "its arrays leave no NRAM for dynamic shared memory");
        return "";
      }
      parts_.kernel.dynamic_shared_bytes = offered;
      out = "  __nram__ int8_t dynamic_shared[kDynamicSharedBytes];\n" + out;
    } else if (room < 0) {
      refuse(2015, kernel_.entry->line,
             "its shared memory and the values that live across barriers need " + std::to_string(bytes / 1024) +
                 " KiB of NRAM for " + std::to_string(most_threads_) + " threads; the core has " +
                 std::to_string((figures_.nram_bytes - kReservedNram) / 1024));
      return "";
    }
    return out;
  }

  // The loop over tiles of the grid's width, each a task's.
  std::string tile_loop(const std::string& body) const {
    const bool flat = shape_.flat && kernel_.one_dimensional_grid;
    const std::string block = shape_.x > 0 ? "kBlockX" : "block_dim_x";
    std::string out = "  const uint32_t grid_width = grid_dim_x * " + block + ";  // threads along x\n";
    if (flat) {
      out +=
          "  // Each task takes tiles of the width, short enough that all tasks have some.\n"
          "  const uint32_t tile_share = ((grid_width + taskDim - 1) / taskDim + 63) / 64 * 64;\n"
          "  const uint32_t tile_size = tile_share < kTile ? tile_share : kTile;\n"
          "  for (uint32_t tile_first = taskId * tile_size; tile_first < grid_width; tile_first += taskDim * "
          "tile_size) {\n";
    } else {
      const std::string y = shape_.flat ? "1u" : shape_.y > 0 ? "kBlockY" : "block_dim_y";
      const std::string z = shape_.flat ? "1u" : shape_.z > 0 ? "kBlockZ" : "block_dim_z";
      const std::string grid_y = kernel_.one_dimensional_grid ? "1u" : "grid_dim_y";
      const std::string grid_z = kernel_.one_dimensional_grid ? "1u" : "grid_dim_z";
      out +=
          "  const uint32_t tile_size = grid_width < kTile ? grid_width : kTile;\n"
          "  const uint32_t tiles_a_row = (grid_width + tile_size - 1) / tile_size;\n"
          "  const uint32_t grid_rows = " +
          grid_y + " * " + y + " * " + grid_z + " * " + z +
          ";\n"
          "  // One tile of one row of the grid's threads after the other, shared out among the tasks.\n"
          "  for (uint32_t tile_part = taskId; tile_part < tiles_a_row * grid_rows; tile_part += taskDim) {\n"
          "    const uint32_t tile_first = tile_part % tiles_a_row * tile_size;\n"
          "    const uint32_t grid_row = tile_part / tiles_a_row;\n";
      const auto index = [&](const std::string& name, const std::string& value) {
        if (mentions(body, name)) out += "    const uint32_t " + name + " = " + value + ";\n";
      };
      index("thread_y", "grid_row % " + y);
      index("block_y", "grid_row / " + y + " % " + grid_y);
      index("thread_z", "grid_row / " + y + " / " + grid_y + " % " + z);
      index("block_z", "grid_row / " + y + " / " + grid_y + " / " + z);
    }
    return out +
           "    const int tile_count = (int)(grid_width - tile_first < tile_size ? grid_width - tile_first : "
           "tile_size);\n" +
           body + "  }\n";
  }

  static std::string threads_name() { return "kMostThreads"; }

  void assemble(const std::string& storage, const std::string& body) {
    const ir::Function& entry = form_.entry;
    const bool flat_grid = kernel_.one_dimensional_grid;
    std::string constants, inner = body;
    const auto constant = [&](const std::string& name, std::int64_t value, const std::string& why) {
      constants += "  constexpr int " + name + " = " + std::to_string(value) + ";  // " + why + "\n";
    };
    const bool arrays = mentions(storage, "kMostThreads");
    if (arrays) {
      const std::string why = kernel_.block_x > 0      ? "threads of a block, as launched"
                              : entry.launch_bound > 0 ? "__launch_bounds__"
                                                       : "threads of a block: what CUDA allows";
      constant("kMostThreads", most_threads_, why);
    }
    // Sizes that every launch in the source shares are part of the text.
    const char* axes[3] = {"kBlockX", "kBlockY", "kBlockZ"};
    const int sizes[3] = {shape_.x, shape_.flat ? 0 : shape_.y, shape_.flat ? 0 : shape_.z};
    for (int axis = 0; axis < 3; ++axis) {
      if (sizes[axis] == 0) continue;
      parts_.kernel.fixed_block[axis] = sizes[axis];
      if (mentions(body, axes[axis]) || (vectors_ && vectors_->merged)) {
        constants += std::string("  constexpr uint32_t ") + axes[axis] + " = " + std::to_string(sizes[axis]) +
                     ";  // block size of the launches in the source\n";
      }
    }
    if (shape_.flat) parts_.kernel.fixed_block[1] = parts_.kernel.fixed_block[2] = 1;
    parts_.kernel.most_threads = most_threads_;
    if (parts_.kernel.dynamic_shared_bytes > 0)
      constant("kDynamicSharedBytes", parts_.kernel.dynamic_shared_bytes, "what a launch may ask for at most");

    std::string loop;
    const std::string total = flat_grid ? "grid_dim_x" : "grid_dim_x * grid_dim_y * grid_dim_z";
    if (in_one_task_) {
      loop += "  if (taskId != 0) return;\n  // Blocks wait for what others leave: one after the other, in one task.\n";
      loop += "  for (uint32_t block = 0; block < " + total + "; ++block) {\n";
    } else {
      loop += "  // One block of the CUDA grid after the other, shared out among the tasks.\n";
      loop += "  for (uint32_t block = taskId; block < " + total + "; block += taskDim) {\n";
    }
    const auto index = [&](const std::string& name, const std::string& value) {
      if (mentions(body, name)) loop += "    const uint32_t " + name + " = " + value + ";\n";
    };
    index("block_x", flat_grid ? "block" : "block % grid_dim_x");
    index("block_y", flat_grid ? "0" : "block / grid_dim_x % grid_dim_y");
    index("block_z", flat_grid ? "0" : "block / grid_dim_x / grid_dim_y");
    loop += body + "  }\n";
    if (vectors_ && vectors_->merged) loop = tile_loop(body);
    if (vectors_ && (vectors_->merged || vectors_->chunked))
      constant("kTile", tile_, "lanes of a vector: what NRAM holds of all " + std::string("vectors of the kernel"));
    std::string fixed_grid;
    for (const char* axis : {"grid_dim_y", "grid_dim_z"})
      if (flat_grid && mentions(body, axis)) fixed_grid += std::string("  constexpr uint32_t ") + axis + " = 1;\n";

    std::string params;
    for (const auto& param : entry.params)
      params += (params.empty() ? "" : ", ") + ir::declarator(param->type, param->name);
    const auto extra = [&](Extra::Kind kind, const std::string& type, const std::string& name) {
      if (!mentions(loop, name) || mentions(fixed_grid, name)) return;
      params += (params.empty() ? "" : ", ") + type + " " + name;
      parts_.kernel.extras.push_back({kind, {}});
    };
    extra(Extra::Kind::grid_x, "uint32_t", "grid_dim_x");
    extra(Extra::Kind::grid_y, "uint32_t", "grid_dim_y");
    extra(Extra::Kind::grid_z, "uint32_t", "grid_dim_z");
    extra(Extra::Kind::block_x, "uint32_t", "block_dim_x");
    extra(Extra::Kind::block_y, "uint32_t", "block_dim_y");
    extra(Extra::Kind::block_z, "uint32_t", "block_dim_z");
    std::string tables;  // constants of the source
    for (const auto& global : kernel_.globals) {
      if (!mentions(body, global->name)) continue;
      if (global->symbol.empty()) {
        BangPrinter printer(shape_, nullptr);
        tables += "  " + printer.declaration(*ir::declare(global, global->initial)) + ";\n";
        continue;
      }
      ir::TypeRef pointee = global->type;
      if (ir::is_array(pointee)) pointee = pointee->element;
      params += (params.empty() ? "" : ", ") + ir::declarator(ir::pointer_to(pointee), global->name);
      parts_.kernel.extras.push_back({Extra::Kind::symbol, global->symbol});
    }

    std::string out = comment_lines(entry.comments);
    out += "__mlu_entry__ void " + entry.name + "(" + params + ") {\n";
    out += "  if (__is_mpu()) return;\n";
    out += constants + fixed_grid + tables + storage;
    if (mentions(body, "atomic_old")) out += "  __nram__ uint32_t atomic_old[32];\n";
    out += loop + "}\n\n";
    parts_.text = out;
    for (std::size_t i = 0; i < entry.params.size(); ++i)
      if (kernel_.entry->params[i]->demoted) parts_.kernel.demoted_params.push_back(static_cast<int>(i));
  }

  ir::Kernel kernel_;
  const Figures& figures_;
  passes::TaskForm form_;
  std::optional<VectorForm> vectors_;
  std::int64_t tile_ = 0;
  BlockShape shape_;
  bool in_one_task_ = false;
  int most_threads_ = kMostThreads;
  Parts parts_;
};

class BangEmitter : public Emitter {
 public:
  BangEmitter(std::string chip, Figures figures) : chip_(std::move(chip)), figures_(figures) {}
  std::string file_extension() const override { return ".mlu"; }

  EmittedFile emit(const std::vector<ir::Kernel>& kernels, const std::string& source) const override {
    EmittedFile file;
    std::vector<std::string> before;  // records and functions, each text once
    std::set<std::string> helpers;
    std::string text;
    std::vector<std::string> records;
    for (const auto& kernel : kernels) {
      Parts parts = KernelEmitter(kernel, figures_).run();
      file.kernels.push_back(parts.kernel);
      if (parts.kernel.refused) continue;
      helpers.insert(parts.helpers.begin(), parts.helpers.end());
      add(records, parts.records);
      add(before, parts.functions);
      text += parts.text;
    }
    file.text = "// BANG C for " + chip_ + ", translated from " + source + " by torquetum port.\n" +
                "// What was changed and what is left to do: PORTING.md.\n#include <bang.h>\n\n";
    for (const auto& record : records) file.text += record;
    file.text += helper_text(helpers);
    for (const auto& function : before) file.text += function;
    file.text += text;
    while (file.text.size() > 1 && file.text[file.text.size() - 2] == '\n') file.text.pop_back();
    return file;
  }

 private:
  static void add(std::vector<std::string>& all, const std::vector<std::string>& more) {
    for (const auto& one : more)
      if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
  std::string chip_;
  Figures figures_;
};

}  // namespace

Result<std::unique_ptr<Emitter>> bang_emitter(const chips::Chip& chip) {
  Figures figures;
  for (const auto& memory : chip.on_chip)
    if (memory.name == "nram") figures.nram_bytes = static_cast<std::int64_t>(memory.bytes.value);
  if (figures.nram_bytes == 0)
    return Error{ErrorKind::unsupported, chip.name + " has no BANG C", "--chip",
                 "name an MLU370: mlu370-x4, mlu370-x8, mlu370-s4"};
  if (chip.cores) figures.cores = static_cast<int>(chip.cores->value);
  return std::unique_ptr<Emitter>(std::make_unique<BangEmitter>(chip.name, figures));
}

}  // namespace tqm::port::emit
