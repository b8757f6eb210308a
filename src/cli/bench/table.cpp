#include "cli/bench/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/duration_text.h"
#include "cli/doctor/size_text.h"

namespace lockstep::bench {
namespace {

constexpr int kSizeWidth = 9;
constexpr int kTimeWidth = 9;
constexpr int kRateWidth = 7;
constexpr int kImplementationWidth = 2 * kTimeWidth + kRateWidth;
constexpr int kRatioWidth = 11;
constexpr const char* kGap = "   ";

std::string time_text(double time_us) {
  return duration_text(std::chrono::nanoseconds(static_cast<std::int64_t>(time_us * 1e3)));
}

// At least two digits: "0.003", "0.31", "4.2", "17", "230".
std::string short_number(double number) {
  const int decimals = number < 0.1 ? 3 : number < 1 ? 2 : number < 10 ? 1 : 0;
  return fmt::format("{:.{}f}", number, decimals);
}

bool compares(const Report& report, Implementation implementation) {
  const auto contenders = report.contenders();
  return std::find(contenders.begin(), contenders.end(), implementation) != contenders.end();
}

// The implementations that lockstep is compared with; none if it took no part.
std::vector<Implementation> others(const Report& report) {
  if (!compares(report, Implementation::kLockstep)) {
    return {};
  }
  std::vector<Implementation> found = report.contenders();
  found.erase(std::remove(found.begin(), found.end(), Implementation::kLockstep), found.end());
  return found;
}

std::string headings(const Report& report) {
  std::string names(kSizeWidth, ' ');
  std::string columns = fmt::format("{:>{}}", "size", kSizeWidth);
  for (const Implementation implementation : report.contenders()) {
    names +=
        fmt::format("{}{:-^{}}", kGap, fmt::format(" {} ", to_string(implementation)), kImplementationWidth);
    columns += fmt::format("{}{:>{}}{:>{}}{:>{}}", kGap, "median", kTimeWidth, "p95", kTimeWidth, "GB/s",
                           kRateWidth);
  }
  for (const Implementation other : others(report)) {
    columns += fmt::format("{:>{}}", fmt::format("x {}", to_string(other)), kRatioWidth);
  }
  columns += fmt::format("{:>{}}", "bound", kRatioWidth);
  if (compares(report, Implementation::kLockstep)) {
    columns += fmt::format("{:>{}}", "of bound", kRatioWidth);
  }
  return names + "\n" + columns + "\n";
}

std::string measured_cells(const Result* result) {
  if (result == nullptr) {
    return std::string(kImplementationWidth, ' ');
  }
  return fmt::format("{:>{}}{:>{}}{:>{}}", time_text(result->median_us), kTimeWidth,
                     time_text(result->p95_us), kTimeWidth, short_number(result->busbw_gbs), kRateWidth);
}

std::string row(const Report& report, const Point& point) {
  std::string text = fmt::format("{:>{}}", doctor::size_text(point.bytes), kSizeWidth);
  for (const Implementation implementation : report.contenders()) {
    text += kGap + measured_cells(report.find(point, implementation));
  }
  for (const Implementation other : others(report)) {
    if (const auto ratio = report.times_as_long(point, other)) {
      text += fmt::format("{:>{}}", short_number(*ratio), kRatioWidth);
    }
  }
  if (const Bound* bound = report.find_bound(point)) {
    text += fmt::format("{:>{}}", time_text(bound->bound_us), kRatioWidth);
    text +=
        bound->share ? fmt::format("{:>{}}", fmt::format("{:.0f} %", *bound->share * 100), kRatioWidth) : "";
  }
  return text + "\n";
}

std::string versions_line(const Report& report) {
  std::string versions;
  for (const auto& [implementation, version] : report.versions) {
    versions += fmt::format("{}{}", versions.empty() ? "" : ", ", version);
  }
  return fmt::format("versions   {}\n", versions);
}

}  // namespace

std::string render_table(const Report& report) {
  std::string text = "all-reduce: the sum of float32 buffers, in place, times of the slowest rank\n";
  for (const int ranks : report.rank_counts()) {
    text += fmt::format("\n{} rank{} on {}\n", ranks, ranks == 1 ? "" : "s", cores_text(report.machine));
    text += headings(report);
    for (const Point& point : report.points(ranks)) {
      text += row(report, point);
    }
  }
  text += "\nGB/s       bus bandwidth, 2 (p - 1) / p x size / median\n";
  text += "x NAME     how many times as long as lockstep it takes\n";
  text += "bound      the kernel alone on private memory, all ranks at once, and two flags\n";
  text += machine_lines(report.machine) + versions_line(report) + ping_pong_line(report.ping_pong);
  return text + left_out_lines(report.left_out);
}

}  // namespace lockstep::bench
