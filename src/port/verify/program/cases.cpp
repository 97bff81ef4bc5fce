#include "port/verify/program/cases.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/random.hpp"
#include "port/ir/intrinsics.hpp"
#include "port/ir/walk.hpp"

namespace tqm::port {
namespace {

std::optional<Element> element_of(ir::Scalar scalar) {
  switch (scalar) {
    case ir::Scalar::boolean:
    case ir::Scalar::u8:
      return Element::u8;
    case ir::Scalar::i8:
      return Element::i8;
    case ir::Scalar::i16:
      return Element::i16;
    case ir::Scalar::u16:
      return Element::u16;
    case ir::Scalar::i32:
      return Element::i32;
    case ir::Scalar::u32:
      return Element::u32;
    case ir::Scalar::i64:
      return Element::i64;
    case ir::Scalar::u64:
      return Element::u64;
    case ir::Scalar::f16:
      return Element::f16;
    case ir::Scalar::bf16:
      return Element::bf16;
    case ir::Scalar::f32:
      return Element::f32;
    case ir::Scalar::f64:
      return Element::f64;
    case ir::Scalar::none:
      break;
  }
  return std::nullopt;
}

// The scalar that a type is made of: float of float4 and of arrays.
std::optional<Element> element_of(const ir::TypeRef& type) {
  if (ir::is_scalar(type)) return element_of(type->scalar);
  if (ir::is_array(type)) return element_of(type->element);
  if (!ir::is_record(type)) return std::nullopt;
  if (type->record->fields.empty()) return Element::u8;  // a tag: a byte that nobody reads
  const auto first = element_of(type->record->fields.front().type);
  for (const ir::Field& field : type->record->fields)
    if (element_of(field.type) != first) return std::nullopt;
  return first;
}

// As the original has it: the tree says float where the source says double.
std::optional<Element> original_element(const ir::VariableRef& parameter) {
  if (parameter->demoted) return Element::f64;
  return element_of(ir::is_pointer(parameter->type) ? parameter->type->element : parameter->type);
}

bool is_written(const ir::VariableRef& parameter) {
  return ir::is_pointer(parameter->type) && !parameter->type->element->constant;
}

// Whether the body may write through the parameter: it does so itself, or hands the pointer on.
bool may_write(const ir::Stmts& body, const ir::VariableRef& parameter) {
  const auto handed_on = [&](const ir::ExprRef& value) {
    return value && ir::is_pointer(value->type) && ir::uses(value, parameter);
  };
  const bool by_expression = ir::any_expr(body, [&](const ir::Expr& expr) {
    const bool steps =
        expr.kind == ir::Expr::Kind::unary && (expr.op == ir::Op::pre_increment || expr.op == ir::Op::pre_decrement ||
                                               expr.op == ir::Op::post_increment || expr.op == ir::Op::post_decrement);
    switch (expr.kind) {
      case ir::Expr::Kind::assign:
        return ir::uses(expr.args[0], parameter) || handed_on(expr.args[1]);
      case ir::Expr::Kind::call:
      case ir::Expr::Kind::aggregate:
        return std::any_of(expr.args.begin(), expr.args.end(), handed_on);
      case ir::Expr::Kind::intrinsic:
        return !expr.args.empty() && ir::uses(expr.args[0], parameter) && !ir::is_pure(expr.name);
      default:
        return steps && ir::uses(expr.args[0], parameter);
    }
  });
  return by_expression || ir::any_stmt(body, [&](const ir::Stmt& stmt) {
           return stmt.kind == ir::Stmt::Kind::declare && handed_on(stmt.value);
         });
}

// A demangled name begins with the result's type where it is of a template.
std::string side_name(const std::string& kernel) {
  return kernel.find('<') == std::string::npos ? kernel : "void " + kernel;
}

Result<KernelCases> harness_cases(HarnessKernel kernel, const Harness& harness, std::uint64_t seed) {
  kernel.name = side_name(kernel.name);
  KernelCases cases;
  cases.cases = TRY(prepare_all(kernel, seed));
  cases.remake = [kernel](const Sizes& sizes, Fill fill, std::uint64_t from) {
    return prepare(kernel, sizes, fill, from);
  };
  cases.least = kernel.least;
  cases.origin = "harness " + harness.file.filename().string();
  return cases;
}

Result<PreparedCase> recorded_case(const ir::Kernel& kernel, const std::filesystem::path& folder) {
  PreparedCase prepared;
  prepared.launch = TRY(read_case(folder));
  prepared.label = folder.filename().string();
  for (const Buffer& buffer : prepared.launch.buffers) {
    prepared.elements[buffer.name] = buffer.bytes % 4 == 0 ? Element::u32 : Element::u8;
    if (!buffer.initialised) continue;
    const std::string bytes = TRY(read_file(folder / (buffer.name + ".in")));
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
    prepared.contents[buffer.name].assign(data, data + bytes.size());
  }
  for (std::size_t i = 0; i < prepared.launch.arguments.size(); ++i) {
    const Argument& argument = prepared.launch.arguments[i];
    const auto element =
        i < kernel.entry->params.size() ? original_element(kernel.entry->params[i]) : std::optional<Element>{};
    prepared.argument_elements.push_back(argument.pointers.empty() ? element : std::nullopt);
    for (const auto& [at, to] : argument.pointers) {
      if (element) prepared.elements[to.buffer] = *element;
      const bool output = i < kernel.entry->params.size() && is_written(kernel.entry->params[i]) &&
                          may_write(kernel.entry->body, kernel.entry->params[i]);
      auto& outputs = prepared.outputs;
      if (output && std::find(outputs.begin(), outputs.end(), to.buffer) == outputs.end()) outputs.push_back(to.buffer);
    }
  }
  for (auto& [name, element] : prepared.elements) {
    const auto buffer = std::find_if(prepared.launch.buffers.begin(), prepared.launch.buffers.end(),
                                     [&, &wanted = name](const Buffer& one) { return one.name == wanted; });
    if (buffer->bytes % bytes_of(element) != 0) element = Element::u8;
  }
  return prepared;
}

// The launch once more, with other numbers in the outputs: what a program launches may find its outputs as it leaves
// them.
std::optional<PreparedCase> with_other_outputs(const PreparedCase& recorded, std::uint64_t seed) {
  PreparedCase other = recorded;
  Random random(seed);
  for (const std::string& name : other.outputs) {
    const Element element = other.elements.at(name);
    std::vector<std::byte>& content = other.contents[name];
    for (std::size_t at = 0; at + bytes_of(element) <= content.size(); at += bytes_of(element))
      put_value(element, is_floating(element) ? random.uniform() : static_cast<double>(random.below(2)),
                content.data() + at);
  }
  other.label += ", other outputs";
  return other.outputs.empty() ? std::nullopt : std::optional(other);
}

Result<KernelCases> recorded_cases(const ir::Kernel& kernel, const std::filesystem::path& recorded) {
  KernelCases cases;
  std::vector<std::filesystem::path> folders;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(recorded, error)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  for (const auto& folder : folders) {
    const LaunchCase launch = TRY(read_case(folder));
    if ((launch.kernel == kernel.entry->symbol || launch.kernel == kernel.entry->qualified) &&
        launch.arguments.size() == kernel.entry->params.size())
      cases.cases.push_back(TRY(recorded_case(kernel, folder)));
  }
  if (!cases.cases.empty())
    if (auto other = with_other_outputs(cases.cases.front(), 1)) cases.cases.push_back(std::move(*other));
  cases.origin = "recorded launches";
  return cases;
}

// Whether the kernel, or a function that it calls, asks for an index.
bool asks_for(const ir::Kernel& kernel, ir::Index first, ir::Index second) {
  const auto test = [&](const ir::Expr& expr) {
    return expr.kind == ir::Expr::Kind::index && (expr.index == first || expr.index == second);
  };
  return ir::any_expr(kernel.entry->body, test) ||
         std::any_of(kernel.functions.begin(), kernel.functions.end(),
                     [&](const ir::FunctionRef& function) { return ir::any_expr(function->body, test); });
}

bool has_dynamic_shared(const ir::Kernel& kernel) {
  const auto test = [](const ir::Expr& expr) {
    return expr.variable && expr.variable->storage == ir::Storage::dynamic_shared;
  };
  return ir::any_expr(kernel.entry->body, test) ||
         std::any_of(kernel.functions.begin(), kernel.functions.end(),
                     [&](const ir::FunctionRef& function) { return ir::any_expr(function->body, test); });
}

}  // namespace

Result<KernelCases> chosen_cases(const ir::Kernel& kernel, const CaseSources& sources) {
  if (sources.harness)
    for (const HarnessKernel& one : sources.harness->kernels)
      if (one.name == kernel.entry->qualified &&
          (one.source.empty() || one.source == std::filesystem::path(kernel.entry->file).filename()))
        return harness_cases(one, *sources.harness, sources.seed);
  if (!sources.recorded.empty()) {
    KernelCases cases = TRY(recorded_cases(kernel, sources.recorded));
    if (!cases.cases.empty()) return cases;
  }
  return Error{ErrorKind::not_found, "no launch of it is known", kernel.entry->qualified,
               "give a harness, or record its launches"};
}

Result<KernelCases> guessed_cases(const ir::Kernel& kernel, const Guess& from, std::uint64_t seed) {
  const auto refused = [&](const std::string& what) {
    return Error{ErrorKind::unsupported, what, kernel.entry->qualified,
                 "give a harness, or record the program's launches"};
  };
  if (!kernel.globals.empty())
    return refused("it reads the variable " + kernel.globals.front()->name + ", whose content is not known");
  HarnessKernel guess;
  guess.name = from.overloaded ? kernel.entry->symbol : side_name(kernel.entry->qualified);
  const auto formula = [](std::int64_t value) { return Formula{fmt::format("{}", value), "guess"}; };
  const bool flat = !asks_for(kernel, ir::Index::thread_y, ir::Index::block_dim_y);
  const bool flat_grid = !asks_for(kernel, ir::Index::block_y, ir::Index::grid_dim_y);
  guess.block = {formula(kernel.block_x > 0 ? kernel.block_x
                         : flat             ? from.threads
                                            : 16),
                 formula(kernel.block_y > 0 ? kernel.block_y
                         : flat             ? 1
                                            : 8),
                 formula(kernel.block_z > 0 ? kernel.block_z : 1)};
  guess.grid = {formula(4), formula(flat_grid ? 1 : 4), formula(1)};
  guess.shared_bytes = formula(has_dynamic_shared(kernel) ? from.shared : 0);
  for (const ir::VariableRef& parameter : kernel.entry->params) {
    const auto element = original_element(parameter);
    if (!element) return refused("the parameter " + parameter->name + " is a struct or points to one");
    guess.arguments.push_back(parameter->name);
    if (ir::is_pointer(parameter->type)) {
      HarnessBuffer buffer;
      buffer.element = *element;
      buffer.count = formula(static_cast<std::int64_t>(from.elements));
      buffer.output = is_written(parameter);
      if (!is_floating(*element)) buffer.range = HarnessRange{formula(0), formula(from.number - 1)};
      guess.buffers[parameter->name] = buffer;
    } else {
      HarnessScalar scalar;
      scalar.element = *element;
      if (is_floating(*element))
        scalar.range = HarnessRange{Formula{"0.25", "guess"}, Formula{"2", "guess"}};
      else
        scalar.value = formula(from.number);
      guess.scalars[parameter->name] = scalar;
    }
  }
  guess.sizes = {{}};
  guess.cases = {Fill::random, Fill::random, Fill::zeros, Fill::ones, Fill::not_finite};
  KernelCases cases;
  cases.cases = TRY(prepare_all(guess, seed));
  cases.origin = fmt::format("guessed: integers {}, buffers of {} elements", from.number, from.elements);
  return cases;
}

}  // namespace tqm::port
