#include <algorithm>
#include <array>
#include <clang/AST/RecordLayout.h>
#include <clang/Basic/SourceManager.h>
#include <string_view>

#include "port/frontend/lowering.hpp"
#include "port/frontend/places.hpp"

namespace tqm::port {

using ir::Scalar;

namespace {

constexpr std::array kHalf{"__half", "half", "__half_raw"};
constexpr std::array kBfloat{"__nv_bfloat16", "nv_bfloat16", "__nv_bfloat16_raw"};

// Names of the emitted language and of what we print around the user's code.
constexpr std::array kReserved{"half",        "taskId",       "taskIdX",
                               "taskIdY",     "taskIdZ",      "taskDim",
                               "taskDimX",    "taskDimY",     "taskDimZ",
                               "coreId",      "coreDim",      "clusterId",
                               "clusterDim",  "bfloat16_t",   "GDRAM2NRAM",
                               "NRAM2GDRAM",  "NRAM2NRAM",    "int8_t",
                               "threadIdx",   "blockIdx",     "blockDim",
                               "gridDim",     "warpSize",     "restrict",
                               "grid_width",  "grid_rows",    "grid_row",
                               "tile_size",   "tiles_a_row",  "tile_first",
                               "tile_count",  "tile_share",   "tile_part",
                               "kTile",       "kMostThreads", "kBlockX",
                               "kBlockY",     "kBlockZ",      "kDynamicSharedBytes",
                               "NRAM2LDRAM",  "thread",       "block",
                               "t",           "grid_x",       "grid_y",
                               "grid_z",      "block_x",      "block_y",
                               "block_z",     "threads",      "thread_x",
                               "thread_y",    "thread_z",     "block_dim_x",
                               "block_dim_y", "block_dim_z"};

template <std::size_t N>
bool one_of(const std::array<const char*, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string words_of(std::string text) {
  std::string name;
  for (const char c : text) {
    const bool good = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (good)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

// A field that is float where it was double moves what follows it.
void lay_out(ir::Record& record) {
  std::int64_t bytes = 0, alignment = 1;
  for (const auto& field : record.fields) {
    ir::TypeRef type = field.type;
    while (ir::is_array(type)) type = type->element;
    const std::int64_t own =
        std::max<std::int64_t>(1, ir::is_record(type) ? type->record->alignment : ir::size_of(type));
    alignment = std::max(alignment, own);
    bytes = record.is_union ? std::max(bytes, ir::size_of(field.type))
                            : (bytes + own - 1) / own * own + ir::size_of(field.type);
  }
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (bytes >= record.bytes) return;
  record.bytes = std::max<std::int64_t>(1, bytes);
  record.alignment = alignment;
}

}  // namespace

std::string legal_name(const std::string& name) {
  if (one_of(kReserved, name)) return name + "_";
  if (name.starts_with("__")) return "own" + name;
  return name;
}

bool is_stateless(clang::QualType type) {
  const auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record != nullptr && record->hasDefinition() && record->isEmpty() && !record->isLambda() &&
         !record->isInvalidDecl();
}

bool is_foreign(const clang::ASTContext& context, const clang::Decl* decl) {
  const auto& sources = context.getSourceManager();
  const auto where = sources.getExpansionLoc(decl->getLocation());
  return where.isInvalid() || sources.isInSystemHeader(where);
}

ir::TypeRef Lowering::demoted(clang::SourceLocation where) {
  remark(ir::Remark::Severity::warning, 2101, where, "double is computed as float: the chip has no double");
  return ir::float_type();
}

ir::TypeRef Lowering::builtin(const clang::BuiltinType* type, clang::SourceLocation where) {
  using clang::BuiltinType;
  switch (type->getKind()) {
    case BuiltinType::Void:
      return ir::void_type();
    case BuiltinType::Bool:
      return ir::bool_type();
    case BuiltinType::Char_S:
    case BuiltinType::SChar:
      return ir::scalar_type(Scalar::i8);
    case BuiltinType::Char_U:
    case BuiltinType::UChar:
    case BuiltinType::Char8:
      return ir::scalar_type(Scalar::u8);
    case BuiltinType::Short:
      return ir::scalar_type(Scalar::i16);
    case BuiltinType::UShort:
    case BuiltinType::Char16:
      return ir::scalar_type(Scalar::u16);
    case BuiltinType::Int:
    case BuiltinType::WChar_S:
      return ir::int_type();
    case BuiltinType::UInt:
    case BuiltinType::Char32:
      return ir::uint_type();
    case BuiltinType::Long:
    case BuiltinType::LongLong:
      return ir::scalar_type(Scalar::i64);
    case BuiltinType::ULong:
    case BuiltinType::ULongLong:
      return ir::scalar_type(Scalar::u64);
    case BuiltinType::Float16:
    case BuiltinType::Half:
      return ir::scalar_type(Scalar::f16);
    case BuiltinType::BFloat16:
      return ir::scalar_type(Scalar::bf16);
    case BuiltinType::Float:
      return ir::float_type();
    case BuiltinType::Double:
      return demoted(where);
    case BuiltinType::NullPtr:
      return ir::pointer_to(ir::void_type());
    default:
      refuse(2013, where, "the type " + clang::QualType(type, 0).getAsString() + " has no counterpart on the chip");
      return ir::int_type();
  }
}

std::string Lowering::record_name(const clang::RecordDecl* decl) {
  std::string name = clang::QualType(decl->getTypeForDecl(), 0).getAsString(context_.getPrintingPolicy());
  for (const char* prefix : {"struct ", "class ", "union "})
    if (name.starts_with(prefix)) name = name.substr(std::string_view(prefix).size());
  if (name.find("(unnamed") != std::string::npos || name.find("(anonymous") != std::string::npos ||
      name.find("(lambda") != std::string::npos)
    name = decl->isLambda() ? "Lambda" : "Unnamed";
  name = legal_name(words_of(name));
  if (is_fragment(decl) && is_foreign(context_, decl))
    name = name.find("accumulator") != std::string::npos ? "SumFragment" : "Fragment";
  const std::string base = name;
  for (int n = 2; !record_names_.insert(name).second; ++n) name = base + "_" + std::to_string(n);
  return name;
}

ir::TypeRef Lowering::record(const clang::RecordDecl* decl, clang::SourceLocation where) {
  const clang::RecordDecl* definition = decl->getDefinition();
  const std::string plain = decl->getNameAsString();
  const bool foreign = is_foreign(context_, decl);
  if (foreign && one_of(kHalf, plain)) return ir::scalar_type(Scalar::f16);
  if (foreign && one_of(kBfloat, plain)) return ir::scalar_type(Scalar::bf16);
  if (definition == nullptr || definition->isInvalidDecl()) {
    refuse(2013, where, "the type " + plain + " is not known: its definition is missing");
    return ir::int_type();
  }
  if (const auto known = records_.find(definition); known != records_.end()) return ir::record_type(known->second);
  auto made = std::make_shared<ir::Record>();
  made->name = record_name(definition);
  made->line = foreign ? 0 : line(definition->getLocation());
  made->is_union = definition->isUnion();
  records_[definition] = made;  // before its fields: a list's node points to its own kind
  const auto& layout = context_.getASTRecordLayout(definition);
  made->bytes = layout.getSize().getQuantity();
  made->alignment = layout.getAlignment().getQuantity();
  if (const auto* cxx = llvm::dyn_cast<clang::CXXRecordDecl>(definition)) {
    if (cxx->isPolymorphic()) refuse(2006, where, plain + " has virtual functions");
    int number = 0;
    for (const auto& base : cxx->bases())
      made->fields.push_back(
          {"base" + (number++ == 0 ? std::string() : std::to_string(number)), type(base.getType(), where)});
  }
  int unnamed = 0;
  for (const auto* field : definition->fields()) {
    if (field->isBitField()) refuse(2013, where, "the bit field " + plain + "::" + field->getNameAsString());
    std::string name = field->getNameAsString();
    if (name.empty()) name = "field_" + std::to_string(unnamed++);
    made->fields.push_back({legal_name(name), type(field->getType(), where)});
  }
  if (std::any_of(definition->field_begin(), definition->field_end(), [](const clang::FieldDecl* field) {
        return field->getType().getCanonicalType()->isSpecificBuiltinType(clang::BuiltinType::Double);
      }))
    lay_out(*made);
  if (foreign && plain.find("texture") != std::string::npos) refuse(2009, where, "textures have no counterpart");
  kernel_.records.push_back(made);
  return ir::record_type(made);
}

ir::TypeRef Lowering::type(clang::QualType given, clang::SourceLocation where) {
  const clang::QualType canonical = given.getNonReferenceType().getCanonicalType();
  ir::TypeRef result;
  if (given->isReferenceType()) return ir::pointer_to(type(given.getNonReferenceType(), where));
  const clang::Type* bare = canonical.getTypePtr();
  if (const auto* simple = llvm::dyn_cast<clang::BuiltinType>(bare)) {
    result = builtin(simple, where);
  } else if (const auto* pointer = llvm::dyn_cast<clang::PointerType>(bare)) {
    if (pointer->getPointeeType()->isFunctionType()) {
      refuse(2006, where, "a function pointer");
      return ir::int_type();
    }
    result = ir::pointer_to(type(pointer->getPointeeType(), where));
  } else if (const auto* array = context_.getAsConstantArrayType(canonical)) {
    result =
        ir::array_of(type(array->getElementType(), where), static_cast<std::int64_t>(array->getSize().getZExtValue()));
  } else if (const auto* open = context_.getAsIncompleteArrayType(canonical)) {
    result = ir::array_of(type(open->getElementType(), where), 0);
  } else if (const auto* tagged = llvm::dyn_cast<clang::RecordType>(bare)) {
    result = record(tagged->getDecl(), where);
  } else if (const auto* named = llvm::dyn_cast<clang::EnumType>(bare)) {
    result =
        type(named->getDecl()->getIntegerType().isNull() ? context_.IntTy : named->getDecl()->getIntegerType(), where);
  } else {
    refuse(2013, where, "the type " + given.getAsString() + " has no counterpart on the chip");
    return ir::int_type();
  }
  if (canonical.isConstQualified()) result = ir::with_constant(result, true);
  if (canonical.isVolatileQualified()) {
    ir::Type copy = *result;
    copy.is_volatile = true;
    result = std::make_shared<const ir::Type>(copy);
  }
  return result;
}

}  // namespace tqm::port
