#include "observe/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "not_finite.h"
#include "observe/html_text.h"
#include "observe/metric_charts.h"
#include "observe/number_text.h"
#include "observe/settings_table.h"
#include "observe/step_times.h"
#include "sample_run.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

std::vector<std::string> titles_of(const std::vector<LineChart>& charts) {
  std::vector<std::string> titles;
  for (const LineChart& chart : charts) {
    titles.push_back(chart.title);
  }
  return titles;
}

std::vector<std::string> curves_of(const LineChart& chart) {
  std::vector<std::string> names;
  for (const Curve& curve : chart.curves) {
    names.push_back(curve.name);
  }
  return names;
}

std::vector<MetricRow> rows_of(const std::string& name, const std::vector<double>& values) {
  std::vector<MetricRow> rows;
  for (const double value : values) {
    rows.push_back(
        {.phase = "train", .step = static_cast<std::int64_t>(rows.size()), .values = {{name, value}}});
  }
  return rows;
}

std::string chart_html(const std::string& name, const std::vector<double>& values) {
  const MetricCharts charts = metric_charts(rows_of(name, values));
  return render_line_chart(charts.outcome.empty() ? charts.machinery.at(0) : charts.outcome.at(0));
}

TEST(NumberText, IsShortAndReadable) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(-123), "-123");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(value_text(0.12344), "0.1234");
  EXPECT_EQ(value_text(1.5), "1.500");
  EXPECT_EQ(value_text(-12.345), "-12.35");
  EXPECT_EQ(value_text(7), "7");
  EXPECT_EQ(value_text(23456.7), "23,457");
  EXPECT_EQ(value_text(1.234e-5), "1.23e-05");
  EXPECT_EQ(value_text(2.5e9), "2.5e+09");
  EXPECT_EQ(value_text(-kNan), "nan");
  EXPECT_EQ(value_text(-kInf), "-inf");
  EXPECT_EQ(speed_text(12345.4), "12,345 samples/s");
  EXPECT_EQ(speed_text(0.25), "0.25 samples/s");
  EXPECT_EQ(speed_text(kInf), "inf samples/s");
}

TEST(HtmlText, CannotEndWhatItStandsIn) {
  EXPECT_EQ(html_escaped(R"(<a href="x" id='y'>&</a>)"),
            "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;&lt;/a&gt;");
  EXPECT_EQ(script_escaped(R"("</script>")"), R"("\u003c/script>")");
}

TEST(MetricCharts, ComeInAnOrderThatMakesSense) {
  ReportData data = sample_run(200);
  data.rows[0].values.insert(data.rows[0].values.begin(), {"top5_accuracy", 0.5});
  const MetricCharts charts = metric_charts(data.rows);
  EXPECT_THAT(titles_of(charts.outcome), ElementsAre("Loss", "Accuracy", "Top5 accuracy"));
  EXPECT_THAT(titles_of(charts.machinery), ElementsAre("Learning rate", "Throughput", "Time in communication",
                                                       "Time waiting for data", "Gradient norm"));
  EXPECT_THAT(curves_of(charts.outcome[0]), ElementsAre("train", "train, smoothed", "eval"));
  EXPECT_EQ(charts.outcome[0].reading, "eval 0.0869");
  EXPECT_EQ(charts.outcome[0].curves[1].style, CurveStyle::kLine);
  EXPECT_EQ(charts.outcome[0].curves[2].style, CurveStyle::kDots);
  EXPECT_THAT(curves_of(charts.machinery[0]), ElementsAre("train")) << "a learning rate has no noise";
}

TEST(MetricCharts, ShowSharesInPercent) {
  const MetricCharts charts = metric_charts(rows_of("data_share", {0.25, 0.5}));
  EXPECT_EQ(charts.machinery.at(0).unit, "%");
  EXPECT_EQ(charts.machinery.at(0).curves.at(0).points.at(1).value, 50);
}

TEST(MetricCharts, ShowSkippedStepsOnlyWhenThereAreAny) {
  EXPECT_THAT(metric_charts(rows_of("skipped_steps", {0, 0, 0})).machinery, IsEmpty());
  EXPECT_THAT(titles_of(metric_charts(rows_of("skipped_steps", {0, 0, 1})).machinery),
              ElementsAre("Skipped steps"));
}

TEST(MetricCharts, BoundTheLengthOfCurves) {
  std::vector<double> values(50'000, 0.5);
  values[1234] = 9;
  const MetricCharts charts = metric_charts(rows_of("loss", values));
  for (const Curve& curve : charts.outcome.at(0).curves) {
    EXPECT_LE(curve.points.size(), 2000U);
  }
  const CurvePoints& raw = charts.outcome[0].curves[0].points;
  EXPECT_TRUE(std::any_of(raw.begin(), raw.end(), [](const CurvePoint& point) { return point.value == 9; }));
}

TEST(MetricCharts, PutTheRowsOfAResumedRunInOrder) {
  std::vector<MetricRow> rows = rows_of("loss", {3, 2, 1});
  rows.push_back({.phase = "train", .step = 1, .values = {{"loss", 7}}});
  EXPECT_THAT(
      metric_charts(rows).outcome.at(0).curves.at(0).points,
      ElementsAre(CurvePoint{0, 0, 3}, CurvePoint{1, 0, 2}, CurvePoint{1, 0, 7}, CurvePoint{2, 0, 1}));
}

TEST(MetricCharts, OfNothingAreNone) {
  EXPECT_THAT(metric_charts({}).outcome, IsEmpty());
  EXPECT_THAT(metric_charts({{.phase = "train"}}).outcome, IsEmpty());
}

TEST(LineChart, IsLogarithmicForALossOfMoreThanTwoDecades) {
  EXPECT_THAT(chart_html("loss", {5, 0.04}), HasSubstr("log scale"));
  EXPECT_THAT(chart_html("loss", {5, 0.05}), Not(HasSubstr("log scale")));
  EXPECT_THAT(chart_html("loss", {5, 0.04, 0}), Not(HasSubstr("log scale")));
  EXPECT_THAT(chart_html("accuracy", {5, 0.04}), Not(HasSubstr("log scale")));
}

TEST(LineChart, DrawsWhatItIsGiven) {
  const std::string html = chart_html("loss", {0, 2, 1});
  EXPECT_THAT(html, HasSubstr(R"(<path class="line c0" d="M0.0 1000.0h0L500.0 0.0L1000.0 500.0"/>)"));
  EXPECT_THAT(html, HasSubstr(R"("x":[0,1,2],"epoch":[0,0,0],"y":[0,2,1])"));
  EXPECT_THAT(html, HasSubstr("Loss over steps 0 to 2, from 0 to 2"));
  EXPECT_THAT(html, HasSubstr(R"(<span class="y" style="top:50.00%">1.0</span>)"));
}

TEST(LineChart, IsInterruptedWhereAValueIsNotFinite) {
  const std::string html = chart_html("loss", {0, 2, kNan, 1, kInf, -1e308});
  EXPECT_THAT(html, HasSubstr("d=\"M0.0 1000.0h0L200.0 0.0M600.0 500.0h0\""));
  EXPECT_THAT(html, HasSubstr("3 values are not finite, the first at step 2"));
  EXPECT_THAT(html, HasSubstr(R"("y":[0,2,1])"));
  EXPECT_THAT(chart_html("loss", {1, kNan}), HasSubstr("1 value is not finite, at step 1"));
}

TEST(LineChart, WithNothingToDrawSaysWhy) {
  const std::string html = chart_html("loss", {kNan, kNan});
  EXPECT_THAT(html, HasSubstr("2 values are not finite, the first at step 0"));
  EXPECT_THAT(html, Not(HasSubstr("<svg")));
}

TEST(LineChart, NeverHasANumberThatIsNone) {
  for (const auto& values : std::vector<std::vector<double>>{
           {1}, {0, 0}, {-1e299, 1e299}, {5e-324, 5e-324}, {5e-324, 1}, {1e-320, 1e299}, {-0.0, 0.0}}) {
    for (const char* name : {"loss", "learning_rate", "mine"}) {
      const std::string html = chart_html(name, values);
      EXPECT_THAT(html, Not(HasSubstr("nan"))) << values[0];
      EXPECT_THAT(html, Not(HasSubstr("inf"))) << values[0];
      EXPECT_THAT(html, HasSubstr("<svg")) << values[0];
    }
  }
}

TEST(SettingsTable, ShowsEachValueAndWhereItCameFrom) {
  const std::string html = render_settings(kSampleSettings);
  EXPECT_THAT(html, HasSubstr("<tr class=\"changed\"><th scope=\"row\">optim.lr</th><td>0.003</td>"
                              "<td class=\"source\">file run.toml:7</td></tr>"));
  EXPECT_THAT(html, HasSubstr("<tr><th scope=\"row\">optim.warmup.steps</th><td>100</td>"
                              "<td class=\"source\">default</td></tr>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">early-stop.patience</th><td>none</td>"));
  EXPECT_THAT(html, HasSubstr("<td>[0.5,0.75]</td>"));
  EXPECT_THAT(html, HasSubstr("4 of 15 not at their default"));
}

TEST(SettingsTable, ShowsWhatIsNoConfigurationAsItIs) {
  EXPECT_EQ(render_settings(""), "");
  for (const char* text : {"{<", "[]", "3", "{}", R"({"values": 3})"}) {
    EXPECT_THAT(render_settings(text), HasSubstr("<pre>" + html_escaped(text) + "</pre>"));
  }
  EXPECT_THAT(render_settings(R"({"values": {"a": "<b>"}, "sources": 3})"), HasSubstr("<td>&lt;b&gt;</td>"));
}

TEST(StepTimes, HaveABarForEachRank) {
  const std::string html = render_step_times(
      {{.rank = 0, .host = "a<b", .seconds = {{"forward", 0.001}, {"mine", 0.003}}},
       {.rank = 1, .host = "c", .seconds = {{"forward", 0.002}, {"mine", kNan}, {"other", -1}}}});
  EXPECT_EQ(count_of(html, "<li><span class=\"who\">"), 2U);
  EXPECT_THAT(html, HasSubstr("<rect class=\"part-forward\" x=\"0.00\" width=\"250.00\""));
  EXPECT_THAT(html, HasSubstr("<rect class=\"part-own\" x=\"250.00\" width=\"750.00\""));
  EXPECT_THAT(html, HasSubstr("<title>mine: 3.0 ms</title>"));
  EXPECT_THAT(html, HasSubstr("forward <b>1.5 ms</b>")) << "the mean over ranks";
  EXPECT_THAT(html, HasSubstr("rank 0<small>a&lt;b</small>"));
  EXPECT_THAT(html, Not(HasSubstr("nan")));
  EXPECT_EQ(render_step_times({}), "");
}

TEST(StepTimes, OfManyRanksAreThoseOfTheSlowest) {
  std::vector<RankTimes> ranks;
  for (int rank = 0; rank < 100; ++rank) {
    ranks.push_back({.rank = rank, .seconds = {{"forward", 0.001 * rank}}});
  }
  const std::string html = render_step_times(ranks);
  EXPECT_EQ(count_of(html, "<li><span class=\"who\">"), 32U);
  EXPECT_THAT(html, HasSubstr("rank 99<"));
  EXPECT_THAT(html, HasSubstr("the 32 slowest of 100 ranks"));
}

TEST(Report, HasEverythingAboutARun) {
  const std::string html = render_report(sample_run());
  for (const char* part :
       {"<h1>digits</h1>", "<p class=\"status good\"><i>✓</i>finished</p>", "<span>2,250 steps</span>",
        "<span>10 epochs</span>", "<span>42.40 s</span>", "<span>4 ranks</span>",
        "<dt>test accuracy</dt><dd>98.3<small> %</small></dd>", "<dt>best at</dt><dd>epoch 9</dd>", ">Loss<",
        ">Accuracy<", ">Learning rate<", ">Throughput<", ">Time of a step<", ">Configuration ",
        ">Environment<", "<th scope=\"row\">processor</th><td>AMD EPYC 7763, 4 cores</td>"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
  EXPECT_EQ(count_of(html, "<figure class=\"card chart\">"), 7U);
}

TEST(Report, LoadsNothingFromAnywhere) {
  const std::string html = render_report(sample_run());
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  for (const char* part : {"src=", "@import", "url(", "https:", "<iframe"}) {
    EXPECT_THAT(html, Not(HasSubstr(part)));
  }
  EXPECT_EQ(count_of(html, "http:"), count_of(html, "http://www.w3.org/2000/svg"))
      << "a name, not an address";
}

TEST(Report, SaysWhyARunFailed) {
  const std::string html =
      render_report({.title = "gpt", .status = "failed: rank 3: peer lost\n  caused by: <x>"});
  EXPECT_THAT(html, HasSubstr("<p class=\"status bad\"><i>✕</i>failed</p>"));
  EXPECT_THAT(html, HasSubstr("<pre class=\"reason bad\">rank 3: peer lost\n  caused by: &lt;x&gt;</pre>"));
}

TEST(Report, OfARunWithoutNumbersSaysSo) {
  const std::string html = render_report({.title = "gpt", .status = "running"});
  EXPECT_THAT(html, HasSubstr("Nothing was measured"));
  EXPECT_THAT(html, HasSubstr("<p class=\"status open\"><i>●</i>running</p>"));
  EXPECT_THAT(html, Not(HasSubstr("<figure")));
  EXPECT_THAT(html, Not(HasSubstr("class=\"tiles\"")));
  EXPECT_THAT(render_report({}), HasSubstr("</html>"));
}

TEST(Report, EscapesEveryText) {
  const std::string attack = "<script>alert('\"x')</script>";
  const ReportData data{.title = attack,
                        .status = attack + ": " + attack,
                        .summary = {{attack, attack}, {attack, "1 " + attack}},
                        .rows = {{.phase = attack, .step = 1, .values = {{attack, 1}}},
                                 {.phase = "eval", .step = 1, .values = {{attack, 1}}}},
                        .ranks = {{.rank = 0, .host = attack, .seconds = {{attack, 1}}}},
                        .settings_json =
                            R"({"values": {"<script>alert('x')</script>": "<script>alert('x')</script>"},)"
                            R"("sources": {"<script>alert('x')</script>": "<script>alert('x')</script>"}})",
                        .environment = {{attack, attack}}};
  const std::string html = render_report(data);
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_EQ(count_of(html, "<script"), 2U) << "the data of the one chart, and the script of the page";
  EXPECT_EQ(count_of(html, "</script"), 2U);
}

TEST(Report, BearsNumbersThatAreNone) {
  const std::string html = render_report({.title = "t",
                                          .status = "finished",
                                          .rows = {{.phase = "train",
                                                    .step = 1,
                                                    .epoch = kNan,
                                                    .seconds = kInf,
                                                    .values = {{"loss", kNan}, {"accuracy", 0.5}}}}});
  EXPECT_THAT(html, HasSubstr("<span>1 step</span><span>0 epochs</span><span>0 ns</span>"));
  EXPECT_THAT(html, HasSubstr("1 value is not finite, at step 1"));
}

}  // namespace
}  // namespace lockstep
