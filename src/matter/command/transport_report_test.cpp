#include "matter/command/transport_report.hpp"

#include <gtest/gtest.h>

namespace tqm::matter {
namespace {

Transport at(double temperature, Standing standing, double sigma) {
  Transport t;
  t.temperature = temperature;
  t.standing = standing;
  t.files = {"run.xyz"};
  t.ions = 20;
  t.volume = 960;
  t.simulated_ps = 100;
  if (standing != Standing::value) t.reasons = {"a reason"};
  t.conductivity = {sigma, 0.8 * sigma, 1.2 * sigma};
  t.conductivity_upper = 1.3 * sigma;
  t.self.coefficient = {1e-3, 8e-4, 1.2e-3};
  t.self.effective = 150;
  t.haven = stats::Interval{0.5, 0.3, 0.9};
  t.ions_curve = {{0.1, 1, 10}, {0, 2, 20}, {0, 1, 15}, {0.1, 3, 25}};
  t.framework_curves = {{8, t.ions_curve}};
  return t;
}

TransportFindings findings(std::vector<Transport> temperatures) {
  TransportFindings found;
  found.temperatures = std::move(temperatures);
  std::vector<ArrheniusPoint> points;
  for (const Transport& t : found.temperatures) points.push_back(point_of(t));
  if (points.size() > 1) found.carried_on = arrhenius(points, 300).operator*();
  return found;
}

TEST(TransportReport, ShowsOnlyWhatMayBeSaid) {
  const TransportFindings found = findings({at(500, Standing::upper_bound, 0.01), at(600, Standing::flagged, 0.1),
                                            at(800, Standing::value, 0.2), at(1000, Standing::refused, 9)});
  const Json document = report::to_json(transport_report(found));
  const Json& rows = document["data"]["temperatures"];
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_TRUE(rows[0]["conductivity_s_per_cm"].is_null());
  EXPECT_NEAR(rows[0]["conductivity_upper_s_per_cm"].get<double>(), 0.013, 1e-12);
  EXPECT_NEAR(rows[1]["conductivity_s_per_cm"]["low"].get<double>(), 0.08, 1e-12);
  EXPECT_NEAR(rows[2]["diffusion_cm2_per_s"]["value"].get<double>(), 1e-4, 1e-12);
  EXPECT_TRUE(rows[3]["conductivity_s_per_cm"].is_null() && rows[3]["conductivity_upper_s_per_cm"].is_null());
  EXPECT_EQ(rows[3]["standing"], "refused");
  EXPECT_EQ(document["data"]["arrhenius"]["standing"], "flagged");
  const std::string text = transport_text(found);
  EXPECT_NE(text.find("below 13 mS/cm"), std::string::npos) << text;
  EXPECT_NE(text.find("100 (80 to 120) mS/cm"), std::string::npos) << text;
  EXPECT_EQ(text.find("9000"), std::string::npos) << text;
}

TEST(TransportReport, OneTemperatureHasNoLine) {
  const report::Report r = transport_report(findings({at(800, Standing::value, 0.2)}));
  EXPECT_EQ(r.sentence.en, "Li conducts 200 (160 to 240) mS/cm at 800 K (value).");
  EXPECT_TRUE(r.data["arrhenius"].is_null());
}

TEST(TransportReport, BoundsAloneGiveABound) {
  const TransportFindings found =
      findings({at(500, Standing::upper_bound, 0.01), at(600, Standing::upper_bound, 0.01)});
  EXPECT_EQ(transport_report(found).sentence.en, "Li conducts below 21.7 mS/cm at 300 K (upper bound).");
  EXPECT_TRUE(report::to_json(transport_report(found))["data"]["arrhenius"]["activation_energy_ev"].is_null());
}

TEST(TransportReport, NothingToSay) {
  const TransportFindings found = findings({at(500, Standing::refused, 1), at(600, Standing::refused, 1)});
  EXPECT_EQ(transport_report(found).sentence.en, "Li: 2 temperatures, none of which make a line.");
  EXPECT_NE(transport_text(found).find("a reason"), std::string::npos);
}

}  // namespace
}  // namespace tqm::matter
