// Opens the sample report in Chromium: the verdict and every chart stand on the page, no script complains, and a
// phone's width holds it without sideways scrolling. The page stays in build/report-sample for whoever wants to look at
// it.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/file.hpp"
#include "report/sample_report.hpp"

namespace tqm::report {
namespace {

const std::filesystem::path kSample = std::filesystem::path(TQM_BIN_DIR).parent_path() / "report-sample";

struct Seen {
  int status = 0;
  std::string dom;
  std::string log;
};

std::string browser() {
  for (const char* name : {"chromium-headless-shell", "chromium"}) {
    if (::system((std::string("command -v ") + name + " >/dev/null").c_str()) == 0) return name;
  }
  return {};
}

// The page as it stands after its scripts have run, and what the browser logged.
Seen open(const std::filesystem::path& page, const std::string& hash, int width) {
  std::string folder = "/tmp/report-browser-XXXXXX";
  EXPECT_NE(::mkdtemp(folder.data()), nullptr);
  std::string command = browser() +
                        " --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync"
                        " --disable-background-networking --disable-component-update --disable-dev-shm-usage"
                        " --enable-logging=stderr --virtual-time-budget=3000 --user-data-dir=" +
                        folder + "/profile --window-size=" + std::to_string(width) + ",900 --dump-dom 'file://" +
                        page.string() + hash + "' >" + folder + "/dom 2>" + folder + "/log";
  Seen seen;
  seen.status = ::system(command.c_str());
  seen.dom = read_file(std::filesystem::path(folder) / "dom").take();
  seen.log = read_file(std::filesystem::path(folder) / "log").take();
  std::filesystem::remove_all(folder);
  return seen;
}

size_t count(std::string_view text, std::string_view part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

class ReportInABrowser : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(browser(), "") << "install chromium-headless-shell (make test does)";
    ASSERT_TRUE(write(sample_report(), kSample).ok());
  }
};

TEST_F(ReportInABrowser, DrawsTheVerdictAndEveryChart) {
  Seen seen = open(kSample / "report.html", "#lang=en&theme=light", 1200);
  ASSERT_EQ(seen.status, 0) << seen.log;
  EXPECT_EQ(count(seen.log, "CONSOLE"), 0u) << seen.log;
  EXPECT_NE(seen.dom.find("data-drawn=\"6\""), std::string::npos);
  EXPECT_EQ(count(seen.dom, "class=\"chart\""), 6u);
  EXPECT_GE(count(seen.dom, "<path"), 60u);
  EXPECT_NE(seen.dom.find("class=\"verdict accepted\""), std::string::npos);
  EXPECT_NE(seen.dom.find("Accepted</p>"), std::string::npos);
  EXPECT_NE(seen.dom.find("data-theme=\"light\""), std::string::npos);
  EXPECT_NE(seen.dom.find("[0.62, 1.08]"), std::string::npos);
  // What the model said is text: its tags show and do nothing.
  EXPECT_NE(seen.dom.find("&lt;script&gt;document.title = 'hello'&lt;/script&gt;"), std::string::npos);
  EXPECT_EQ(seen.dom.find("<title>hello"), std::string::npos);
}

TEST_F(ReportInABrowser, SpeaksChineseInTheDark) {
  Seen seen = open(kSample / "report.html", "#lang=zh&theme=dark", 1200);
  ASSERT_EQ(seen.status, 0) << seen.log;
  EXPECT_EQ(count(seen.log, "CONSOLE"), 0u) << seen.log;
  EXPECT_NE(seen.dom.find("lang=\"zh-CN\""), std::string::npos);
  EXPECT_NE(seen.dom.find("data-theme=\"dark\""), std::string::npos);
  EXPECT_NE(seen.dom.find("通过</p>"), std::string::npos);
}

TEST_F(ReportInABrowser, NothingIsLessThanNothing) {
  Report report = sample_report();
  Facts facts;
  facts.facts = {{{"Near nothing", "近零"}, -1e-7, {Format::Kind::percent, 2, ""}, {}, {}},
                 {{"Below it", "低于零"}, -0.0123, {Format::Kind::percent, 2, ""}, {}, {}}};
  report.sections = {{{"Signs", "符号"}, {facts}}};
  const std::filesystem::path folder = kSample / "signs";
  ASSERT_TRUE(write(report, folder).ok());
  const Seen seen = open(folder / "report.html", "#lang=en", 1200);
  ASSERT_EQ(seen.status, 0) << seen.log;
  EXPECT_NE(seen.dom.find("0.00&nbsp;%"), std::string::npos);
  EXPECT_NE(seen.dom.find("\u22121.23&nbsp;%"), std::string::npos);
  EXPECT_EQ(seen.dom.find("\u22120.00"), std::string::npos);
}

TEST_F(ReportInABrowser, FitsAPhone) {
  // A frame of a phone's width around the page itself, which then says how wide it became.
  std::string page = read_file(kSample / "report.html").take();
  page.replace(page.rfind("</body>"), 7,
               "<script>document.documentElement.dataset.wide ="
               " `${innerWidth} ${document.documentElement.scrollWidth}`;</script></body>");
  ASSERT_TRUE(write_file_atomic(kSample / "measured.html", page).ok());
  Seen seen = open(kSample / "measured.html", "#lang=en", 360);
  ASSERT_EQ(seen.status, 0) << seen.log;
  size_t at = seen.dom.find("data-wide=\"");
  ASSERT_NE(at, std::string::npos);
  std::string wide = seen.dom.substr(at + 11, seen.dom.find('"', at + 11) - at - 11);
  int inner = std::stoi(wide);
  EXPECT_LE(std::stoi(wide.substr(wide.find(' '))), inner) << wide;
  EXPECT_LE(inner, 500) << wide;
}

}  // namespace
}  // namespace tqm::report
