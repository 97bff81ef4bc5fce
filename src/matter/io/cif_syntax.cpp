#include "matter/io/cif_syntax.hpp"

#include <exception>
#include <gemmi/cif.hpp>
#include <gemmi/symmetry.hpp>

namespace tqm::matter {
namespace {

namespace cif = gemmi::cif;

std::string plain(const std::string& value) {
  return cif::is_null(value) ? std::string() : cif::as_string(value);
}

std::vector<TabledOperator> tabled(const gemmi::GroupOps& group) {
  static_assert(gemmi::Op::DEN == kTabledUnit);
  std::vector<TabledOperator> operators;
  for (const gemmi::Op& each : group) {
    TabledOperator op;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) op.rotation[i][j] = each.rot[i][j];
      op.translation[i] = each.tran[i];
    }
    operators.push_back(op);
  }
  return operators;
}

}  // namespace

std::optional<std::vector<CifBlock>> parse_cif(const std::string& text, const std::string& name, std::string& error) {
  try {
    const cif::Document document = cif::read_memory(text.data(), text.size(), name.c_str());
    std::vector<CifBlock> blocks;
    for (const cif::Block& read : document.blocks) {
      CifBlock block;
      block.name = read.name;
      for (const cif::Item& item : read.items) {
        if (item.type == cif::ItemType::Pair) block.values[gemmi::to_lower(item.pair[0])] = {plain(item.pair[1])};
        if (item.type != cif::ItemType::Loop) continue;
        const std::size_t width = item.loop.tags.size();
        for (std::size_t column = 0; column < width; ++column) {
          std::vector<std::string>& values = block.values[gemmi::to_lower(item.loop.tags[column])];
          values.clear();
          for (std::size_t at = column; at < item.loop.values.size(); at += width)
            values.push_back(plain(item.loop.values[at]));
        }
      }
      blocks.push_back(std::move(block));
    }
    return blocks;
  } catch (const std::exception& caught) {
    error = caught.what();
    return {};
  }
}

std::optional<std::vector<TabledOperator>> operators_of_hall(const std::string& symbol) {
  try {
    return tabled(gemmi::symops_from_hall(symbol.c_str()));
  } catch (const std::exception&) {
    return {};
  }
}

std::optional<TabledGroup> group_of_name(const std::string& name, double alpha, double gamma) {
  try {
    const gemmi::SpaceGroup* group = gemmi::find_spacegroup_by_name(name, alpha, gamma);
    if (!group) return {};
    const bool unsaid = name.find(':') == std::string::npos;
    return TabledGroup{tabled(group->operations()), unsaid && (group->ext == '1' || group->ext == '2')};
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace tqm::matter
