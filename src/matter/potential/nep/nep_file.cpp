#include "matter/potential/nep/nep_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/file.hpp"
#include "base/text.hpp"
#include "matter/potential/nep/zbl_radius.hpp"
#include "matter/structure/element.hpp"

namespace tqm::matter::nep {
namespace {

constexpr int kMostFunctions = 24, kMostNeurons = 1000, kMostTypes = 118;

// Words of the file, line by line.
class Reader {
 public:
  Reader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  Result<std::vector<std::string_view>> line(std::string_view key) {
    const std::vector<std::string_view> words = next_line();
    if (words.empty() || words[0] != key) {
      return error(std::string(key) + " … should stand here" + (words.empty() ? "" : ", not " + std::string(words[0])));
    }
    return words;
  }
  std::vector<std::string_view> next_line() {
    std::vector<std::string_view> words;
    if (at_ >= text_.size()) return words;
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view rest = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++number_;
    for (;;) {
      const size_t begin = rest.find_first_not_of(" \t\r");
      if (begin == std::string_view::npos) return words;
      const size_t stop = std::min(rest.find_first_of(" \t\r", begin), rest.size());
      words.push_back(rest.substr(begin, stop - begin));
      rest = rest.substr(stop);
    }
  }
  Result<double> number(std::string_view word) const {
    if (!word.empty() && word[0] == '+') word.remove_prefix(1);
    double value = 0;
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (fault != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) {
      return error("\"" + shorten(word, 40) + "\" is no number");
    }
    return value;
  }
  Result<int> count(std::string_view word, int least, int most) const {
    const double value = TRY(number(word));
    if (value != std::floor(value) || value < least || value > most) {
      return error("\"" + shorten(word, 40) + "\" should be a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most));
    }
    return static_cast<int>(value);
  }
  // The next parameter: one number a line.
  Result<double> parameter() {
    const std::vector<std::string_view> words = next_line();
    if (words.size() != 1)
      return error(words.empty() ? "the file ends before its parameters do" : "one number should stand here");
    return number(words[0]);
  }
  // Can this many numbers of one line each still follow?
  bool may_hold(size_t numbers) const { return text_.size() - std::min(at_, text_.size()) + 1 >= 2 * numbers; }
  bool at_end() {
    return text_.substr(std::min(at_, text_.size())).find_first_not_of(" \t\r\n") == std::string_view::npos;
  }
  Error error(std::string what) const {
    return {ErrorKind::bad_input, std::move(what), where_ + ":" + std::to_string(number_),
            "this is no whole nep.txt of versions 3 to 5; fetch it anew"};
  }

 private:
  std::string_view text_;
  std::string where_;
  size_t at_ = 0;
  int number_ = 0;
};

struct Header {
  int version = 0;
  bool zbl = false, flexible = false;
  double zbl_inner = 0, zbl_outer = 0, zbl_factor = 0;  // factor 0: outer is the same for all pairs
  std::vector<int> known;
  std::vector<double> radial_cutoff, angular_cutoff;  // of each known type
};

Result<Header> read_first_line(Reader& reader, const std::string& where) {
  Header header;
  const auto words = reader.next_line();
  const std::string kind = words.empty() ? "" : std::string(words[0]);
  if (kind.rfind("nep", 0) != 0) return reader.error("a nep.txt begins with nep3, nep4 or nep5");
  std::string rest = kind.substr(3);
  const std::string digits = rest.substr(0, rest.find('_'));
  rest = rest.find('_') == std::string::npos ? "" : rest.substr(rest.find('_'));
  if (rest.rfind("_zbl", 0) == 0) {
    header.zbl = true;
    rest = rest.substr(4);
  }
  if (!rest.empty() || (digits != "3" && digits != "4" && digits != "5")) {
    return Error{ErrorKind::unsupported, "the model is of kind " + shorten(kind, 60), where,
                 "nep3, nep4 and nep5 with or without _zbl are known; models of charge, dipole, polarizability, "
                 "temperature and spin are not"};
  }
  header.version = digits[0] - '0';
  if (words.size() < 2) return reader.error("the number of elements is missing");
  const int types = TRY(reader.count(words[1], 1, kMostTypes));
  if (words.size() != static_cast<size_t>(types) + 2)
    return reader.error("as many elements should stand here as the line says");
  for (size_t t = 2; t < words.size(); ++t) {
    const auto element = element_by_symbol(words[t]);
    if (!element || std::count(header.known.begin(), header.known.end(), *element)) {
      return reader.error("\"" + shorten(words[t], 20) + "\" is no element, or stands here twice");
    }
    header.known.push_back(*element);
  }
  return header;
}

Status read_zbl_line(Reader& reader, Header& header) {
  const auto words = TRY(reader.line("zbl"));
  if (words.size() != 3 && words.size() != 4)
    return reader.error("zbl has an inner and an outer cutoff, and perhaps a factor");
  header.zbl_inner = TRY(reader.number(words[1]));
  header.zbl_outer = TRY(reader.number(words[2]));
  header.flexible = header.zbl_inner == 0 && header.zbl_outer == 0;
  if (words.size() == 4 && !header.flexible) header.zbl_factor = TRY(reader.number(words[3]));
  if (!header.flexible && (header.zbl_inner < 0 || header.zbl_outer <= header.zbl_inner || header.zbl_outer > 20)) {
    return reader.error("the cutoffs of zbl should rise from 0 or more to 20 Å at most");
  }
  return {};
}

Status read_cutoff_line(Reader& reader, Header& header) {
  const auto words = TRY(reader.line("cutoff"));
  const size_t types = header.known.size();
  if (words.size() != 5 && words.size() != 2 * types + 3) {
    return reader.error("cutoff has two lengths for all elements or two for each, and two counts of neighbours");
  }
  for (size_t t = 0; t < types; ++t) {
    const size_t at = words.size() == 5 ? 1 : 1 + 2 * t;
    header.radial_cutoff.push_back(TRY(reader.number(words[at])));
    header.angular_cutoff.push_back(TRY(reader.number(words[at + 1])));
    const double radial = header.radial_cutoff.back(), angular = header.angular_cutoff.back();
    if (!(angular > 0 && radial >= angular && radial <= 100)) {
      return reader.error("cutoffs should be positive, the angular one not the longer, and none above 100 Å");
    }
  }
  return {};
}

Status read_shape(Reader& reader, View& view, int& neurons) {
  const auto functions = TRY(reader.line("n_max"));
  if (functions.size() != 3) return reader.error("n_max has two numbers");
  view.radial_functions = TRY(reader.count(functions[1], 0, kMostFunctions - 1)) + 1;
  view.angular_functions = TRY(reader.count(functions[2], 0, kMostFunctions - 1)) + 1;
  const auto basis = TRY(reader.line("basis_size"));
  if (basis.size() != 3) return reader.error("basis_size has two numbers");
  view.radial_basis = TRY(reader.count(basis[1], 0, kMostFunctions - 1)) + 1;
  view.angular_basis = TRY(reader.count(basis[2], 0, kMostFunctions - 1)) + 1;
  const auto l = TRY(reader.line("l_max"));
  if (l.size() < 2 || l.size() > 8) return reader.error("l_max has one to seven numbers");
  view.most_l = TRY(reader.count(l[1], 0, 8));
  if (l.size() > 2) view.has_222 = TRY(reader.count(l[2], 0, 2)) > 0;
  if (l.size() > 3) view.has_1111 = TRY(reader.count(l[3], 0, 1)) > 0;
  for (size_t more = 4; more < l.size(); ++more) {
    if (TRY(reader.count(l[more], 0, 1)) != 0) {
      constexpr const char* kNames[] = {"112", "123", "233", "134"};
      Error error = reader.error(std::string("the model has descriptors of the kind q_") + kNames[more - 4]);
      error.kind = ErrorKind::unsupported;
      error.next = "of more than three bodies q_222 and q_1111 are known";
      return error;
    }
  }
  if (view.has_222 && view.most_l < 2) return reader.error("q_222 needs l up to 2");
  if (view.has_1111 && view.most_l < 1) return reader.error("q_1111 needs l up to 1");
  const auto network = TRY(reader.line("ANN"));
  if (network.size() != 3 || network[2] != "0") return reader.error("ANN should have a number of neurons and 0");
  neurons = TRY(reader.count(network[1], 1, kMostNeurons));
  view.neurons = (neurons + kPadding - 1) / kPadding * kPadding;
  view.dimension =
      view.radial_functions + view.angular_functions * (view.most_l + (view.has_222 ? 1 : 0) + (view.has_1111 ? 1 : 0));
  return {};
}

// Weights of each element, then the shift that all share. kept: the place of a known type among those kept, or −1.
Status read_networks(Reader& reader, const Header& header, const std::vector<int>& kept, int neurons, View& view) {
  const auto types = static_cast<size_t>(view.types), width = static_cast<size_t>(view.neurons),
             dimension = static_cast<size_t>(view.dimension);
  view.hidden.assign(types * dimension * width, 0);
  view.hidden_bias.assign(types * width, 0);
  view.output.assign(types * width, 0);
  view.shift.assign(types, 0);
  const size_t networks = header.version == 3 ? 1 : kept.size();
  for (size_t t = 0; t < networks; ++t) {
    std::vector<size_t> into;  // types kept that this network is for
    for (size_t k = 0; k < types; ++k) {
      if (header.version == 3 || kept[t] == static_cast<int>(k)) into.push_back(k);
    }
    for (size_t n = 0; n < static_cast<size_t>(neurons); ++n) {
      for (size_t d = 0; d < dimension; ++d) {
        const double weight = TRY(reader.parameter());
        for (const size_t k : into) view.hidden[(k * dimension + d) * width + n] = weight;
      }
    }
    for (auto* table : {&view.hidden_bias, &view.output}) {
      for (size_t n = 0; n < static_cast<size_t>(neurons); ++n) {
        const double value = TRY(reader.parameter());
        for (const size_t k : into) (*table)[k * width + n] = value;
      }
    }
    if (header.version == 5) {
      const double value = TRY(reader.parameter());
      for (const size_t k : into) view.shift[k] = value;
    }
  }
  const double shift = TRY(reader.parameter());
  for (double& s : view.shift) s += shift;
  return {};
}

// c_nk of every pair of types, in the file with the pair running fastest.
Status read_coefficients(Reader& reader, const std::vector<int>& kept, int functions, int basis, int types,
                         std::vector<double>& out) {
  const auto each = static_cast<size_t>(functions * basis);
  out.assign(static_cast<size_t>(types * types) * each, 0);
  for (size_t nk = 0; nk < each; ++nk) {
    for (const int t1 : kept) {
      for (const int t2 : kept) {
        const double value = TRY(reader.parameter());
        if (t1 >= 0 && t2 >= 0) out[static_cast<size_t>(t1 * types + t2) * each + nk] = value;
      }
    }
  }
  return {};
}

Status read_repulsion(Reader& reader, const Header& header, const std::vector<int>& kept,
                      const std::vector<int>& species, View& view) {
  if (!header.zbl) return {};
  const auto types = static_cast<size_t>(view.types);
  view.zbl.assign(types * types, {});
  for (size_t a = 0; a < types; ++a) {
    for (size_t b = 0; b < types; ++b) {
      View::Zbl& zbl = view.zbl[a * types + b];
      zbl = {.strength = 14.399645 * species[a] * species[b],
             .per_length = (std::pow(species[a], 0.23) + std::pow(species[b], 0.23)) * 2.134563,
             .inner = header.zbl_inner,
             .outer = header.zbl_outer,
             .height = {0.18175, 0.50986, 0.28022, 0.02817},
             .decay = {3.1998, 0.94229, 0.4029, 0.20162}};
      if (header.zbl_factor > 0) {
        zbl.inner = 0;
        zbl.outer = std::min(zbl.outer, header.zbl_factor * (zbl_radius(species[a]) + zbl_radius(species[b])));
      }
    }
  }
  if (!header.flexible) return {};
  for (size_t t1 = 0; t1 < kept.size(); ++t1) {
    for (size_t t2 = t1; t2 < kept.size(); ++t2) {
      double p[10];
      for (double& value : p) value = TRY(reader.parameter());
      if (kept[t1] < 0 || kept[t2] < 0) continue;
      const auto a = static_cast<size_t>(kept[t1]), b = static_cast<size_t>(kept[t2]);
      for (View::Zbl* zbl : {&view.zbl[a * types + b], &view.zbl[b * types + a]}) {
        zbl->inner = p[0], zbl->outer = p[1];
        for (int k = 0; k < 4; ++k) zbl->height[k] = p[2 + 2 * k], zbl->decay[k] = p[3 + 2 * k];
      }
    }
  }
  return {};
}

}  // namespace

Result<Model> parse_nep(std::string_view text, const std::string& where, std::vector<int> species) {
  Reader reader(text, where);
  Header header = TRY(read_first_line(reader, where));
  if (header.zbl) TRY(read_zbl_line(reader, header));
  TRY(read_cutoff_line(reader, header));
  Model model;
  View& view = model.view;
  int neurons = 0;
  TRY(read_shape(reader, view, neurons));

  if (species.empty()) species = header.known;
  std::sort(species.begin(), species.end());
  species.erase(std::unique(species.begin(), species.end()), species.end());
  std::vector<int> kept(header.known.size(), -1);
  for (size_t k = 0; k < species.size(); ++k) {
    const auto at = std::find(header.known.begin(), header.known.end(), species[k]);
    if (at == header.known.end()) {
      std::vector<std::string> names;
      for (const int number : header.known) names.emplace_back(symbol(number));
      return Error{ErrorKind::unsupported, "the potential does not know " + std::string(symbol(species[k])), where,
                   "it knows " + join(names, " ")};
    }
    kept[static_cast<size_t>(at - header.known.begin())] = static_cast<int>(k);
  }
  model.version = header.version;
  model.known = header.known;
  model.species = species;
  view.types = static_cast<int>(species.size());

  const size_t networks = header.version == 3 ? 1 : kept.size();
  const auto dimension = static_cast<size_t>(view.dimension);
  if (!reader.may_hold(networks * (dimension + 2) * static_cast<size_t>(neurons) + dimension)) {
    return reader.error("the file ends before its parameters do");
  }
  TRY(read_networks(reader, header, kept, neurons, view));
  TRY(read_coefficients(reader, kept, view.radial_functions, view.radial_basis, view.types, view.radial));
  TRY(read_coefficients(reader, kept, view.angular_functions, view.angular_basis, view.types, view.angular));
  for (size_t d = 0; d < static_cast<size_t>(view.dimension); ++d) {
    const double scale = TRY(reader.parameter());
    for (size_t t = 0; t < species.size(); ++t) {
      double* row = &view.hidden[(t * static_cast<size_t>(view.dimension) + d) * static_cast<size_t>(view.neurons)];
      for (int n = 0; n < view.neurons; ++n) row[n] *= scale;
    }
  }
  TRY(read_repulsion(reader, header, kept, species, view));
  if (!reader.at_end()) return reader.error("more follows after the last parameter");

  for (size_t a = 0; a < species.size(); ++a) {
    for (size_t b = 0; b < species.size(); ++b) {
      const auto of = [&](const std::vector<double>& cutoffs, size_t type) {
        return cutoffs[static_cast<size_t>(std::find(kept.begin(), kept.end(), static_cast<int>(type)) - kept.begin())];
      };
      view.radial_cutoff.push_back(0.5 * (of(header.radial_cutoff, a) + of(header.radial_cutoff, b)));
      view.angular_cutoff.push_back(0.5 * (of(header.angular_cutoff, a) + of(header.angular_cutoff, b)));
      view.longest_radial = std::max(view.longest_radial, view.radial_cutoff.back());
      view.longest_angular = std::max(view.longest_angular, view.angular_cutoff.back());
    }
  }
  return model;
}

Result<Model> read_nep(const std::filesystem::path& path, std::vector<int> species) {
  const MappedFile file = TRY(MappedFile::open(path));
  const auto bytes = file.bytes();
  return parse_nep({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string(), std::move(species));
}

}  // namespace tqm::matter::nep
