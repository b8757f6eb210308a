#include "cli/doctor/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/version.h"

namespace lockstep::doctor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Report example() {
  return {{
      {.section = "processor",
       .name = "cores",
       .status = Status::kOk,
       .seen = "8, all of them usable",
       .advice = {}},
      {.section = "processor",
       .name = "cpu quota",
       .status = Status::kWarning,
       .seen = "0.5 cores for 8 cores (control group /a/rather/long/name/of/a/group)",
       .advice = "When it is used up, the kernel stops every rank for the rest of the period."},
      {.section = "kernel",
       .name = "pidfd",
       .status = Status::kProblem,
       .seen = "pidfd_open: Function not implemented",
       .advice = "Use a newer kernel."},
  }};
}

TEST(Page, AlignsColumnsAndWrapsLongText) {
  const std::string expected = std::string("lockstep ") + version() +
                               ": is this machine fit for multi-process training?\n"
                               "\n"
                               "processor\n"
                               "  ok       cores      8, all of them usable\n"
                               "  warning  cpu quota  0.5 cores for 8 cores (control group\n"
                               "                      /a/rather/long/name/of/a/group)\n"
                               "                      -> When it is used up, the kernel\n"
                               "                         stops every rank for the rest of\n"
                               "                         the period.\n"
                               "\n"
                               "kernel\n"
                               "  problem  pidfd      pidfd_open: Function not implemented\n"
                               "                      -> Use a newer kernel.\n"
                               "\n"
                               "this machine is not fit: 1 problem, 1 ok, 1 warning\n";
  EXPECT_EQ(render_page(example(), {.width = 58, .color = false}), expected);
}

TEST(Page, KeepsToItsWidth) {
  for (const std::size_t width : {72U, 80U, 100U}) {
    const std::string page = render_page(example(), {.width = width, .color = false});
    std::size_t start = 0;
    for (auto end = page.find('\n'); end != std::string::npos; end = page.find('\n', start)) {
      EXPECT_LE(end - start, width) << page.substr(start, end - start);
      start = end + 1;
    }
  }
}

TEST(Page, ColoursOnlyWhenAsked) {
  const std::string plain = render_page(example(), {.width = 100, .color = false});
  std::string colored = render_page(example(), {.width = 100, .color = true});
  EXPECT_EQ(plain.find('\033'), std::string::npos);
  EXPECT_NE(colored.find("\033[32mok\033[0m       cores"), std::string::npos) << colored;
  EXPECT_NE(colored.find("\033[33mwarning\033[0m  cpu quota"), std::string::npos) << colored;
  EXPECT_NE(colored.find("\033[1;31mproblem\033[0m  pidfd"), std::string::npos) << colored;
  for (auto start = colored.find('\033'); start != std::string::npos; start = colored.find('\033')) {
    colored.erase(start, colored.find('m', start) - start + 1);
  }
  EXPECT_EQ(colored, plain);
}

TEST(Page, ShowsACheckThatSawNothing) {
  const Report report{{{.section = "s", .name = "n", .status = Status::kOk, .seen = "", .advice = ""}}};
  EXPECT_NE(render_page(report, {}).find("  ok       n  \n"), std::string::npos);
}

TEST(PageStyle, IsPlainForAFile) {
  testing::internal::CaptureStdout();  // makes standard output a file
  const PageStyle style = PageStyle::of_standard_output();
  testing::internal::GetCapturedStdout();
  EXPECT_FALSE(style.color);
  EXPECT_EQ(style.width, 100U);
}

TEST(WrapText, BreaksAtSpaces) {
  EXPECT_THAT(wrap_text("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap_text("one two three", 6), ElementsAre("one", "two", "three"));
  EXPECT_THAT(wrap_text("one two", 100), ElementsAre("one two"));
}

TEST(WrapText, LeavesALongWordWhole) {
  EXPECT_THAT(wrap_text("a enormous b", 4), ElementsAre("a", "enormous", "b"));
}

TEST(WrapText, TurnsControlCharactersIntoSpaces) {
  EXPECT_THAT(wrap_text(" a\n\tb\033[31mc ", 100), ElementsAre("a b [31mc"));
}

TEST(WrapText, MakesNoLinesOfNothing) {
  EXPECT_THAT(wrap_text("", 10), IsEmpty());
  EXPECT_THAT(wrap_text(" \n ", 10), IsEmpty());
}

}  // namespace
}  // namespace lockstep::doctor
