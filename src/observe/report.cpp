#include "observe/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/duration_text.h"
#include "lockstep/version.h"
#include "observe/html_text.h"
#include "observe/metric_charts.h"
#include "observe/number_text.h"
#include "observe/report_assets.h"
#include "observe/settings_table.h"
#include "observe/step_times.h"

namespace lockstep {
namespace {

// Three ranks, side by side.
constexpr std::string_view kLogo =
    R"(<svg class="logo" viewBox="0 0 24 24" aria-hidden="true"><path d="M3 21V13M12 21V8M21 21V3"/></svg>)";

// The page may load nothing, and the browser enforces that.
constexpr std::string_view kPageHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E
  %3Cpath d='M3 21V13M12 21V8M21 21V3' stroke='%232268d8' stroke-width='4' stroke-linecap='round'/%3E%3C/svg%3E">
)";

constexpr std::string_view kNothingMeasured = R"(<section><div class="card empty">
<h2>Nothing was measured</h2>
<p>The run ended before its first metrics. What it was told to do, and where, is below.</p>
</div></section>
)";

struct StatusParts {
  std::string_view word;    // "failed"
  std::string_view reason;  // the text after the colon
  std::string_view kind;    // class of the style
  std::string_view sign;    // so that it does not depend on colour alone
};

StatusParts status_parts(std::string_view status) {
  const auto colon = status.find(':');
  const std::string_view word = status.substr(0, colon);
  std::string_view reason = colon == std::string_view::npos ? "" : status.substr(colon + 1);
  reason.remove_prefix(std::min(reason.find_first_not_of(' '), reason.size()));
  if (word == "finished") {
    return {word, reason, "good", "✓"};
  }
  return word == "failed" ? StatusParts{word, reason, "bad", "✕"} : StatusParts{word, reason, "open", "●"};
}

std::string seconds_of_run_text(double seconds) {
  constexpr double kLongest = 1e9;
  return duration_text(std::chrono::nanoseconds(std::llround(std::clamp(seconds, 0.0, kLongest) * 1e9)));
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("<span>{} {}{}</span>", grouped(count), noun, count == 1 ? "" : "s");
}

// The size of the run.
std::string facts(const ReportData& data) {
  std::string text;
  if (!data.rows.empty()) {
    std::int64_t steps = 0;
    double epochs = 0;
    double seconds = 0;
    for (const MetricRow& row : data.rows) {
      steps = std::max(steps, row.step);
      epochs = std::max(epochs, std::isfinite(row.epoch) ? row.epoch : 0);
      seconds = std::max(seconds, std::isfinite(row.seconds) ? row.seconds : 0);
    }
    text += counted(steps, "step") +
            fmt::format("<span>{:.3g} epoch{}</span>", epochs, epochs == 1 ? "" : "s") +
            fmt::format("<span>{}</span>", seconds_of_run_text(seconds));
  }
  if (!data.ranks.empty()) {
    text += counted(static_cast<std::int64_t>(data.ranks.size()), "rank");
  }
  return text.empty() ? "" : R"(<p class="facts">)" + text + "</p>\n";
}

std::string page_header(const ReportData& data) {
  const StatusParts status = status_parts(data.status);
  std::string text =
      fmt::format("<header>\n<p class=\"brand\">{}Lockstep <span>run report</span></p>\n", kLogo);
  text += fmt::format(R"(<div class="headline"><h1>{}</h1>)", html_escaped(data.title));
  if (!status.word.empty()) {
    text += fmt::format(R"(<p class="status {}"><i>{}</i>{}</p>)", status.kind, status.sign,
                        html_escaped(status.word));
  }
  text += "</div>\n" + facts(data);
  if (!status.reason.empty()) {
    text += fmt::format("<pre class=\"reason {}\">{}</pre>\n", status.kind, html_escaped(status.reason));
  }
  return text + "</header>\n";
}

// "98.1 %" with a smaller unit; other texts unchanged.
std::string tile_value(std::string_view value) {
  const auto space = value.find(' ');
  const bool is_number_and_unit = space != std::string_view::npos &&
                                  value.find(' ', space + 1) == std::string_view::npos &&
                                  value.find_first_of("0123456789") < space;
  if (!is_number_and_unit) {
    return html_escaped(value);
  }
  return fmt::format("{}<small> {}</small>", html_escaped(value.substr(0, space)),
                     html_escaped(value.substr(space + 1)));
}

std::string summary_tiles(const ReportEntries& summary) {
  if (summary.empty()) {
    return "";
  }
  std::string text = "<dl class=\"tiles\">\n";
  for (const auto& [name, value] : summary) {
    text += fmt::format("<div class=\"card\"><dt>{}</dt><dd>{}</dd></div>\n", html_escaped(name),
                        tile_value(value));
  }
  return text + "</dl>\n";
}

std::string section(std::string_view title, std::string_view content) {
  return content.empty() ? "" : fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", title, content);
}

std::string chart_grid(std::string_view kind, const std::vector<LineChart>& charts) {
  std::string text;
  for (const LineChart& chart : charts) {
    text += render_line_chart(chart);
  }
  return text.empty() ? "" : fmt::format("<div class=\"grid {}\">\n{}</div>\n", kind, text);
}

std::string chart_sections(const ReportData& data) {
  if (data.rows.empty()) {
    return std::string(kNothingMeasured);
  }
  const MetricCharts charts = metric_charts(data.rows);
  return section("Learning", chart_grid("outcome", charts.outcome)) +
         section("Running", chart_grid("machinery", charts.machinery));
}

std::string environment_table(const ReportEntries& environment) {
  if (environment.empty()) {
    return "";
  }
  std::string rows;
  for (const auto& [name, value] : environment) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", html_escaped(name),
                        html_escaped(value));
  }
  return "<div class=\"card table\"><h3>Environment</h3>\n<table class=\"environment\"><tbody>\n" + rows +
         "</tbody></table></div>\n";
}

std::string setup_section(const ReportData& data) {
  const std::string tables = render_settings(data.settings_json) + environment_table(data.environment);
  return section("Setup", tables.empty() ? "" : "<div class=\"grid tables\">\n" + tables + "</div>\n");
}

}  // namespace

std::string render_report(const ReportData& data) {
  std::string page(kPageHead);
  page += fmt::format("<title>{} · Lockstep</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n",
                      html_escaped(data.title), report_style());
  page += page_header(data) + summary_tiles(data.summary) + chart_sections(data);
  page += section("Where the time goes", render_step_times(data.ranks)) + setup_section(data);
  page += fmt::format("<footer>{}Lockstep {} · one file, nothing is loaded</footer>\n</main>\n", kLogo,
                      version());
  return page + fmt::format("<script>\n{}</script>\n</body>\n</html>\n", report_script());
}

}  // namespace lockstep
