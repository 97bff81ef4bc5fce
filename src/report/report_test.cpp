#include "report/report.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <stdlib.h>

#include "base/file.hpp"
#include "report/complaints.hpp"
#include "report/sample_report.hpp"

namespace tqm::report {
namespace {

class Folder {
 public:
  Folder() {
    std::string name = "/tmp/report-test-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

size_t count(std::string_view text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

TEST(Report, ASampleWithEveryBlockFitsTheSchema) {
  EXPECT_EQ(complaints(dump_json(to_json(sample_report()))), "");
}

TEST(Report, AnEmptyReportFitsTheSchemaButForItsTimes) {
  Report report{.started = "2026-11-30T20:37:19Z", .finished = "2026-11-30T20:37:19.5Z"};
  EXPECT_EQ(complaints(dump_json(to_json(report))), "");
}

TEST(Report, TheSchemaRefusesWhatIsNotAReport) {
  const Json good = to_json(sample_report());
  auto refused = [&](auto change) {
    Json bad = good;
    change(bad);
    return !complaints(dump_json(bad)).empty();
  };
  EXPECT_TRUE(refused([](Json& r) { r["verdict"] = "excellent"; }));
  EXPECT_TRUE(refused([](Json& r) { r["schema_version"] = 2; }));
  EXPECT_TRUE(refused([](Json& r) { r.erase("data"); }));
  EXPECT_TRUE(refused([](Json& r) { r["surprise"] = 1; }));
  EXPECT_TRUE(refused([](Json& r) { r["started"] = "yesterday"; }));
  EXPECT_TRUE(refused([](Json& r) { r["attempt"] = 0; }));
  EXPECT_TRUE(refused([](Json& r) { r["title"] = "only a string"; }));
  EXPECT_TRUE(refused([](Json& r) { r["sections"][0]["blocks"][0]["type"] = "fact"; }));
  EXPECT_TRUE(refused([](Json& r) { r["sections"][0]["blocks"][1]["kind"] = "pie"; }));
  EXPECT_TRUE(refused([](Json& r) { r["sections"][1]["blocks"][0]["rows"][0][1] = Json::array(); }));
}

TEST(Report, VerdictsAreSpelledAsScriptsExpect) {
  EXPECT_EQ(name(Verdict::accepted), "accepted");
  EXPECT_EQ(name(Verdict::repaired), "repaired");
  EXPECT_EQ(name(Verdict::rolled_back), "rolled-back");
  EXPECT_EQ(name(Verdict::undecided), "undecided");
  EXPECT_EQ(name(Verdict::done), "done");
}

TEST(Report, NumbersThatAreNotFiniteAreNull) {
  Report report = sample_report();
  report.sections = {{.title = {"t"}, .blocks = {Facts{.facts = {{.name = {"n"}, .value = std::nan("")}}}}}};
  report.data["loss"] = std::numeric_limits<double>::infinity();
  std::string text = dump_json(to_json(report));
  EXPECT_EQ(complaints(text), "");
  Json read = parse_json(text, "report").take();
  EXPECT_TRUE(read["sections"][0]["blocks"][0]["facts"][0]["value"].is_null());
  EXPECT_TRUE(read["data"]["loss"].is_null());
}

TEST(Report, WriteLeavesBothFilesAndTheJsonInThePageIsTheSame) {
  Folder folder;
  std::filesystem::path at = folder.path() / "deep" / "report";
  ASSERT_TRUE(write(sample_report(), at).ok());
  Json json = read_json(at / "report.json").take();
  EXPECT_EQ(json["verdict"], "accepted");
  EXPECT_EQ(json["data"]["rounds"], 150);
  std::string page = read_file(at / "report.html").take();
  std::string open = "<script type=\"application/json\" id=\"document\">";
  size_t begin = page.find(open) + open.size();
  Json inside = parse_json(page.substr(begin, page.find("</script>", begin) - begin), "page").take();
  EXPECT_EQ(inside, json);
}

TEST(Report, WriteIntoAPlaceThatCannotHoldItSaysWhere) {
  Folder folder;
  ASSERT_TRUE(write_file_atomic(folder.path() / "file", "not a folder").ok());
  Status status = write(sample_report(), folder.path() / "file" / "report");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message().find((folder.path() / "file").string()), std::string::npos)
      << status.error().message();
}

TEST(Report, ThePageIsSelfContainedAndSmall) {
  std::string page = to_html(to_json(sample_report()));
  EXPECT_LT(page.size(), 1'500'000u);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const char* loader :
       {"<link", "<img", "<iframe", "<object", "<embed", " src=", "@import", "url(", "sourceMappingURL="}) {
    // The library builds some of these words at run time for features that the page doesn't use; outside it there are
    // none.
    size_t at = page.find("<script>\n/*\n* Licensed");
    if (at == std::string::npos) at = page.find("Licensed to the Apache");
    ASSERT_NE(at, std::string::npos);
    size_t end = page.find("</script>", at);
    EXPECT_EQ(count(page.substr(0, at), loader) + count(page.substr(end), loader), 0u) << loader;
  }
  EXPECT_EQ(count(page, "<script"), count(page, "</script>"));
}

TEST(Report, NothingInADocumentCanLeaveItsPlaceInThePage) {
  const std::string hostile =
      "</script><script>alert(1)</script><!--<script> @scripts@ @document@ </title> ]]> \" ' & \xff\xfe \x01";
  Report report = sample_report();
  const std::string plain = to_html(to_json(report));
  report.title = {hostile, hostile};
  report.sentence = {hostile, hostile};
  report.tool = hostile;
  report.command = {hostile};
  report.data = {{hostile, hostile}};
  report.inputs = {{.name = hostile, .path = hostile, .fingerprint = hostile, .bytes = 1}};
  report.sections.push_back(
      {.title = {hostile},
       .blocks = {Notice{Level::info, {hostile, hostile}},
                  Samples{.names = {{hostile}}, .samples = {{hostile, {hostile}}}},
                  Code{.sources = {{.title = {hostile}, .language = hostile, .text = hostile}}}}});
  std::string page = to_html(to_json(report));
  EXPECT_EQ(count(page, "<script"), count(plain, "<script"));
  EXPECT_EQ(count(page, "</script"), count(plain, "</script"));
  EXPECT_EQ(count(page, "<!--"), count(plain, "<!--"));
  EXPECT_EQ(count(page, "</title>"), count(plain, "</title>"));
  std::string open = "<script type=\"application/json\" id=\"document\">";
  size_t begin = page.find(open) + open.size();
  Json inside = parse_json(page.substr(begin, page.find("</script>", begin) - begin), "page").take();
  EXPECT_EQ(inside["title"]["zh"].get<std::string>().substr(0, 30), hostile.substr(0, 30));
}

}  // namespace
}  // namespace tqm::report
