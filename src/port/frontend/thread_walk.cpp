#include "port/frontend/thread_walk.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>

#include "port/frontend/places.hpp"
#include "port/frontend/walker.hpp"

namespace tqm::port {
namespace {

// What a type, or one that it is made of, stands for.
void features_of_type(clang::QualType type, std::vector<std::pair<Feature, std::string>>& found, int depth) {
  if (type.isNull() || depth > 6) return;
  const clang::Type* at = type.getTypePtr();
  if (at->isPointerType() || at->isReferenceType()) return features_of_type(at->getPointeeType(), found, depth + 1);
  if (const clang::Type* element = at->getArrayElementTypeNoTypeQual())
    return features_of_type(clang::QualType(element, 0), found, depth + 1);
  if (const auto* alias = at->getAs<clang::TypedefType>()) {
    const std::string word = alias->getDecl()->getNameAsString();
    if (const auto feature = feature_of_word(word)) found.emplace_back(*feature, word);
    return features_of_type(alias->desugar(), found, depth + 1);
  }
  if (const auto* special = at->getAs<clang::TemplateSpecializationType>()) {
    if (const auto* made = special->getTemplateName().getAsTemplateDecl()) {
      const std::string word = made->getNameAsString();
      if (const auto feature = feature_of_word(word)) found.emplace_back(*feature, word);
    }
    for (const clang::TemplateArgument& argument : special->template_arguments())
      if (argument.getKind() == clang::TemplateArgument::Type) features_of_type(argument.getAsType(), found, depth + 1);
  }
  const clang::QualType canonical = type.getCanonicalType();
  if (canonical->isSpecificBuiltinType(clang::BuiltinType::Double)) {
    found.emplace_back(Feature::double_type, "double");
  } else if (canonical->isSpecificBuiltinType(clang::BuiltinType::Half) ||
             canonical->isSpecificBuiltinType(clang::BuiltinType::Float16)) {
    found.emplace_back(Feature::half_type, "half");
  } else if (canonical->isSpecificBuiltinType(clang::BuiltinType::BFloat16)) {
    found.emplace_back(Feature::bfloat16_type, "bfloat16");
  } else if (const clang::TagDecl* record = canonical->getAsTagDecl(); record && record->getIdentifier()) {
    const std::string word = record->getNameAsString();
    if (const auto feature = feature_of_word(word)) found.emplace_back(*feature, word);
    for (const clang::DeclContext* outer = record->getDeclContext(); outer; outer = outer->getParent())
      if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(outer)) {
        const auto feature = feature_of_word(space->getName());
        if (feature) found.emplace_back(*feature, space->getNameAsString() + "::" + word);
      }
  }
}

}  // namespace

Walker::Walker(const clang::FunctionDecl& kernel)
    : kernel_(kernel),
      sources_(kernel.getASTContext().getSourceManager()),
      file_(place_of(sources_, kernel.getLocation()).file) {}

KernelWalk Walker::walk() {
  Frame top;
  top.function = &kernel_;
  frames_.push_back(&top);
  noting_ = true;
  for (const clang::ParmVarDecl* parameter : kernel_.parameters()) {
    note_type(parameter->getType(), parameter->getLocation());
    top.values[parameter] = {};
    const clang::QualType type = parameter->getType();
    if (type->isPointerType() && type->getPointeeType()->isFunctionType())
      note(Feature::function_pointer, parameter->getLocation(), parameter->getName());
  }
  if (const auto* bounds = kernel_.getAttr<clang::CUDALaunchBoundsAttr>())
    note(Feature::launch_bounds, bounds->getLocation());
  if (kernel_.getTemplatedKind() != clang::FunctionDecl::TK_NonTemplate)
    note(Feature::template_, kernel_.getLocation());
  frames_.pop_back();
  stack_.push_back(kernel_.getCanonicalDecl());
  bodies_.insert(&kernel_);
  walk_function(top);
  KernelWalk done;
  add_facts(done.facts, facts_);  // sorts
  done.followed.assign(bodies_.begin(), bodies_.end());
  return done;
}

bool Walker::in_users_file(clang::SourceLocation where) const {
  return where.isValid() && !sources_.isInSystemHeader(sources_.getExpansionLoc(where));
}

void Walker::note(Feature feature, clang::SourceLocation where, llvm::StringRef detail) {
  if (!noting_) return;
  Place place = place_of(sources_, where);
  if (place.file == file_) place.file.clear();
  if (noted_.emplace(feature, place.file, place.line).second)
    facts_.features.push_back({feature, place.line, detail.str(), place.file});
}

void Walker::note_word(llvm::StringRef word, clang::SourceLocation where) {
  if (!noting_) return;
  if (const auto feature = feature_of_word(word)) note(*feature, where, word);
}

void Walker::note_type(clang::QualType type, clang::SourceLocation where) {
  if (!noting_ || type.isNull()) return;
  const auto [at, fresh] = types_.try_emplace(type.getAsOpaquePtr());
  if (fresh) features_of_type(type, at->second, 0);
  for (const auto& [feature, detail] : at->second) note(feature, where, detail);
}

KernelWalk walk_kernel(const clang::FunctionDecl& kernel) {
  return Walker(kernel).walk();
}

void add_facts(KernelFacts& a, const KernelFacts& b) {
  for (const FeatureUse& use : b.features) {
    const bool known = std::any_of(a.features.begin(), a.features.end(), [&](const FeatureUse& other) {
      return other.feature == use.feature && other.line == use.line && other.file == use.file;
    });
    if (!known) a.features.push_back(use);
  }
  std::stable_sort(a.features.begin(), a.features.end(), [](const FeatureUse& x, const FeatureUse& y) {
    return std::tie(x.file, x.line, x.feature) < std::tie(y.file, y.line, y.feature);
  });
  for (const auto& [pattern, count] : b.reads) a.reads[pattern] = std::max(a.reads[pattern], count);
  for (const auto& [pattern, count] : b.writes) a.writes[pattern] = std::max(a.writes[pattern], count);
  a.loops = std::max(a.loops, b.loops);
  a.deepest_loop = std::max(a.deepest_loop, b.deepest_loop);
  a.thread_dependent_loop |= b.thread_dependent_loop;
  a.multiply_add_loop |= b.multiply_add_loop;
  a.loop_carried_sum |= b.loop_carried_sum;
  a.exponential |= b.exponential;
  a.root |= b.root;
}

}  // namespace tqm::port
