#include "chips/catalogue.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "fleet/catalogue/quote.hpp"

namespace tqm::fleet {
namespace {
namespace fs = std::filesystem;

const fs::path kCatalogue = TQM_SOURCE_DIR "/catalog";

const std::vector<NodeType>& types() {
  static const std::vector<NodeType> loaded = load_node_types(kCatalogue).take();
  return loaded;
}
int64_t now() {
  return *parse_date_ms("2026-12-01");
}

std::string refusal(const std::string& content) {
  const TemporaryFolder folder = TemporaryFolder::make().take();
  const fs::path file = folder.path() / "x.toml";
  std::ofstream(file) << content;
  const auto type = load_node_type(file, kCatalogue);
  return type ? "accepted" : type.error().what;
}

TEST(NodeTypes, EveryChipOfTheCatalogueCanBeRented) {
  for (const chips::Chip& chip : chips::load_catalogue(kCatalogue).take())
    EXPECT_TRUE(std::any_of(types().begin(), types().end(), [&](const NodeType& type) { return type.chip == chip.id; }))
        << chip.id;
  EXPECT_TRUE(find_node_type(types(), "mlu370-x8.8")->domestic);
  EXPECT_FALSE(find_node_type(types(), "a100.8")->domestic);
  EXPECT_EQ(find_node_type(types(), "mlu370-x8.8")->resource, "mlu:mlu370-x8");
  EXPECT_EQ(find_node_type(types(), "a100").error().kind, ErrorKind::not_found);
}

TEST(NodeTypes, RefusesPricesWithoutASource) {
  const std::string head = "chip = \"a100\"\nchips = 8\n[[price]]\n";
  EXPECT_EQ(refusal(head + "from = \"2026-01-01\"\nhour = \"1.00\"\nassumed = true\n"), "accepted");
  EXPECT_EQ(refusal(head + "from = \"2026-01-01\"\nhour = \"1.00\"\n"), "a price has a source or is assumed, not both");
  EXPECT_EQ(refusal(head + "from = \"2026-02-30\"\nhour = \"1.00\"\nassumed = true\n"), "not a date");
  EXPECT_EQ(refusal(head + "from = \"2026-01-01\"\nhour = \"-1\"\nassumed = true\n"), "'hour': not an amount of money");
  EXPECT_EQ(refusal(head + "from = \"2026-01-01\"\nhour = 1.5\nassumed = true\n"),
            "the key 'hour' is missing or of the wrong type");
  EXPECT_EQ(refusal(head + "hours = \"1\"\n"), "unknown key 'hours'");
  EXPECT_EQ(refusal("chip = \"a100\"\nchips = 0\n"), "a node has 1 to 64 chips");
  EXPECT_EQ(refusal("chip = \"a100\"\nchips = 8\n"), "a node type without a price");
  EXPECT_EQ(refusal("chip = \"../x\"\nchips = 8\n"), "not the id of a chip");
  EXPECT_NE(refusal("chip = \"z80\"\nchips = 8\n"), "accepted");
  EXPECT_EQ(refusal(head + "from = \"2026-02-01\"\nhour = \"1.00\"\nassumed = true\n[[price]]\nfrom = "
                           "\"2026-02-01\"\nhour = \"2.00\"\nassumed = true\n"),
            "a price that does not begin after the one above it");
}

TEST(Prices, AreOnlyAppended) {
  NodeType type = find_node_type(types(), "cpu.1").take();
  const std::vector<PriceVersion> earlier = type.prices;
  PriceVersion next = earlier.back();
  next.from_ms += 1000;
  next.hour *= 2;
  type.prices.push_back(next);
  EXPECT_TRUE(check_appended(earlier, type.prices).ok());
  EXPECT_EQ(price_at(type, next.from_ms - 1)->hour, earlier.back().hour);
  EXPECT_EQ(price_at(type, next.from_ms)->hour, next.hour);
  EXPECT_EQ(price_at(type, 0).error().kind, ErrorKind::not_found);
  EXPECT_EQ(check_appended(type.prices, earlier).error().kind, ErrorKind::conflict);
  type.prices[0].hour += 1;
  EXPECT_EQ(check_appended(earlier, type.prices).error().kind, ErrorKind::conflict);
}

TEST(Quote, FreezesThePriceOfItsTime) {
  const NodeType type = find_node_type(types(), "mlu370-x8.8").take();
  const Quote quote = make_quote(type, 2, true, now()).take();
  EXPECT_EQ(quote.terms, (Terms{88 * kYuan, kDomesticPercent, kSectorPercent}));
  EXPECT_EQ(make_quote(find_node_type(types(), "a100.8").take(), 1, false, now())->terms, (Terms{80 * kYuan, 0, 0}));
  EXPECT_FALSE(make_quote(type, 0, false, now()).ok());
  EXPECT_FALSE(make_quote(type, 10'001, false, now()).ok());
  EXPECT_EQ(charge_of(committed(quote)->terms, 3600)->gross, 0);
}

TEST(Quote, AYearPaysFromSixTenthsOfItsHours) {
  EXPECT_DOUBLE_EQ(*commitment_pays_from_hours(price_at(types().front(), now()).take()), 0.6 * 8760);
  EXPECT_FALSE(commitment_pays_from_hours(PriceVersion{0, 1, {}, {}}).ok());
}

// Row A7: 82 % of the speed at 55 % of the price. The price of the work is 0.55 / 0.82 = 67.1 % of the A100's, with the
// subsidy 47.0 %; 38 % (0.55 x 0.7) is reached only where the longer time is left out.
TEST(Compare, ResNetOnImageNet) {
  const Scenario scenario = load_scenario(kCatalogue / "scenarios/resnet50-imagenet.toml", types()).take();
  const std::vector<Compared> rows = compare(scenario.work, scenario.candidates, false, now()).take();
  EXPECT_EQ(
      arithmetic(scenario.work, rows),
      "a100.8\n"
      "  time      115305030 / 7248.00 a second = 15909 s = 4.419 h  (rate: "
      "https://github.com/NVIDIA/DeepLearningExamples/blob/291f0d02e815b148fa5c2b81bf07aa3552142895/PyTorch/"
      "Classification/ConvNets/resnet50v1.5/README.md (TF32, DGX A100))\n"
      "  list      80.00 yuan an hour: 353.533333 yuan = 100.0 % of the first row  (price: "
      "https://www.zhitaoyun.cn/2153110.html, unverified)\n"
      "  total     353.533333 yuan = 100.0 % of the first row\n"
      "mlu370-x8.8\n"
      "  time      115305030 / 5943.36 a second = 19401 s = 5.389 h  (rate: claimed: 82 % of the A100's speed; not "
      "measured by us)\n"
      "  list      44.00 yuan an hour: 237.123333 yuan = 67.1 % of the first row  (price: assumed)\n"
      "  domestic  30 % of it: -71.136999 yuan\n"
      "  total     165.986334 yuan = 47.0 % of the first row\n");
  EXPECT_NEAR(compare(scenario.work, scenario.candidates, true, now())->at(1).net_share, 0.47, 0.001);
}

TEST(Compare, RefusesWorkWithoutAnEnd) {
  const Candidate candidate{types().front(), 1, 0, "x"};
  EXPECT_FALSE(compare(1, std::vector{candidate}, false, now()).ok());
  EXPECT_FALSE(compare(0, std::vector<Candidate>{}, false, now()).ok());
  EXPECT_FALSE(compare(1, std::vector<Candidate>{}, false, now()).ok());
}

}  // namespace
}  // namespace tqm::fleet
