// The report in a real browser: Chromium, without a window. What it makes of the page is its DOM after the scripts ran,
// and what it has to complain of is in its log.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/subprocess.h"
#include "base/temp_dir.h"
#include "observe/report.h"
#include "sample_run.h"

namespace lockstep {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

// How Chromium logs what a page writes to its console: errors of scripts, and what its policy forbids, included.
constexpr const char* kConsole = ":CONSOLE";

struct OpenedPage {
  std::string dom;
  std::string log;
};

class Browser : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string(LOCKSTEP_CHROMIUM).empty()) {
      GTEST_SKIP() << "there is no Chromium; tools/bootstrap --checks installs it";
    }
  }

  OpenedPage open(const std::string& html) const {
    const auto page = folder_.write("page.html", html);
    // As root, and in many containers, there is no sandbox to be had; the page is our own.
    SubprocessOptions options;
    options.environment["HOME"] = folder_.path().string();
    const auto browser = run_subprocess(
        {LOCKSTEP_CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--disable-breakpad", "--no-first-run", "--enable-logging=stderr", "--window-size=1280,2400",
         "--user-data-dir=" + (folder_.path() / "profile").string(), "--dump-dom", "file://" + page.string()},
        options, Deadline::after(90s));
    EXPECT_TRUE(browser.status.ok()) << browser.standard_error;
    return {browser.standard_output, browser.standard_error};
  }

 private:
  TempDir folder_;
};

// A pointer over the middle of the first chart.
std::string with_pointer(std::string html) {
  const std::string script = R"(<script>
addEventListener('load', () => {
  const plot = document.querySelector('.plot');
  const area = plot.getBoundingClientRect();
  document.body.dataset.size = area.width > 600 && area.height > 200 ? 'large' : `${area.width}x${area.height}`;
  plot.dispatchEvent(new PointerEvent('pointermove', {clientX: area.left + area.width / 2, clientY: area.top + 9}));
});
</script></body>)";
  return html.replace(html.find("</body>"), std::string("</body>").size(), script);
}

TEST_F(Browser, ShowsTheReportAndWhatIsUnderThePointer) {
  ReportData data = sample_run(2000);
  data.title = "<script>console.error('broke out')</script>";
  data.rows.front().values.push_back({"</script><script>console.error('broke out')</script>", 1});
  const OpenedPage page = open(with_pointer(render_report(data)));
  EXPECT_THAT(page.log, Not(HasSubstr(kConsole)));
  EXPECT_THAT(page.dom, HasSubstr("data-readout=\"ready\""));
  EXPECT_THAT(page.dom, HasSubstr("<h1>&lt;script&gt;console.error('broke out')&lt;/script&gt;</h1>"));
  EXPECT_THAT(page.dom, HasSubstr("Loss over steps 0 to 2000"));
  EXPECT_THAT(page.dom, HasSubstr("data-size=\"large\""));
  // 42.4 s in, halfway: the evaluation of the fifth epoch is there, and so is the training around it.
  EXPECT_THAT(page.dom, HasSubstr("<p class=\"\">step 1,000 · epoch 5</p>"));
  EXPECT_THAT(page.dom, HasSubstr("<i class=\"\"></i>eval<b class=\"\">0.1484</b>"));
}

TEST_F(Browser, WouldTellOfAPageThatIsBroken) {
  std::string html = render_report(sample_run(100));
  html.replace(html.find("</body>"), 7, "<script>nowhere.to.be.found()</script></body>");
  EXPECT_THAT(open(html).log, HasSubstr(kConsole));
}

}  // namespace
}  // namespace lockstep
