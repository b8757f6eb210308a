#include "cli/doctor/page.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "base/color.h"
#include "lockstep/version.h"

namespace lockstep::doctor {
namespace {

constexpr std::size_t kStatusColumn = 2;
constexpr std::size_t kStatusWidth = 9;  // "problem" and two spaces

constexpr const char* kBold = "1";
constexpr const char* kDim = "2";

const char* color_of(Status status) {
  switch (status) {
    case Status::kOk:
      return "32";
    case Status::kWarning:
      return "33";
    case Status::kProblem:
      return "1;31";
  }
  return kDim;
}

// Writes one page; widths are computed without colour codes, so colours never shift a column.
class PageWriter {
 public:
  PageWriter(const Report& report, const PageStyle& style) : report_(report), style_(style) {
    std::size_t longest = 0;
    for (const Check& check : report.checks) {
      longest = std::max(longest, check.name.size());
    }
    text_column_ = kStatusColumn + kStatusWidth + longest + 2;
  }

  std::string write() {
    page_ = colored(fmt::format("lockstep {}: is this machine fit for multi-process training?", version()),
                    kBold);
    page_ += '\n';
    const std::string* section = nullptr;
    for (const Check& check : report_.checks) {
      if (section == nullptr || *section != check.section) {
        section = &check.section;
        page_ += fmt::format("\n{}\n", colored(check.section, kBold));
      }
      write_check(check);
    }
    page_ += fmt::format("\n{}\n", colored(report_.verdict(), verdict_color()));
    return std::move(page_);
  }

 private:
  std::string colored(std::string_view text, const char* code) const {
    return style_.color ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
  }

  const char* verdict_color() const {
    return report_.fit() ? color_of(report_.count(Status::kWarning) > 0 ? Status::kWarning : Status::kOk)
                         : color_of(Status::kProblem);
  }

  void write_check(const Check& check) {
    const std::string_view status = to_string(check.status);
    const std::string indent(text_column_, ' ');
    page_ +=
        fmt::format("{:{}}{}{:{}}{:{}}", "", kStatusColumn, colored(status, color_of(check.status)), "",
                    kStatusWidth - status.size(), check.name, text_column_ - kStatusColumn - kStatusWidth);
    page_ +=
        fmt::format("{}\n", fmt::join(wrap_text(check.seen, style_.width - text_column_), "\n" + indent));
    constexpr std::string_view kArrow = "-> ";
    std::string_view lead = kArrow;
    for (const std::string& line : wrap_text(check.advice, style_.width - text_column_ - kArrow.size())) {
      page_ +=
          fmt::format("{}{}\n", indent, colored(fmt::format("{}{}", lead, line), color_of(check.status)));
      lead = "   ";
    }
  }

  const Report& report_;
  PageStyle style_;
  std::size_t text_column_ = 0;
  std::string page_;
};

}  // namespace

PageStyle PageStyle::of_standard_output() {
  PageStyle style;
  style.color = takes_color(STDOUT_FILENO);
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {  // fails if it is not a terminal
    style.width = std::clamp<std::size_t>(size.ws_col, 72, 110);
  }
  return style;
}

std::string render_page(const Report& report, const PageStyle& style) {
  return PageWriter(report, style).write();
}

std::vector<std::string> wrap_text(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string word;
  const auto end_word = [&] {
    if (word.empty()) {
      return;
    }
    if (!lines.empty() && lines.back().size() + 1 + word.size() <= width) {
      lines.back() += ' ' + word;
    } else {
      lines.push_back(word);
    }
    word.clear();
  };
  for (const char character : text) {
    if (static_cast<unsigned char>(character) <= ' ' || character == '\x7f') {
      end_word();
    } else {
      word += character;
    }
  }
  end_word();
  return lines;
}

}  // namespace lockstep::doctor
