#pragma once

// The elements of the benchmarks' pictures, and the colours they share.

#include <string>
#include <string_view>

namespace lockstep::bench::svg {

inline constexpr std::string_view kInk = "#1f2933";
inline constexpr std::string_view kFaint = "#66717d";
inline constexpr std::string_view kBorder = "#c3cad1";
inline constexpr std::string_view kGrid = "#dfe4e9";
inline constexpr std::string_view kFaintGrid = "#eceff2";

// Around all elements of a picture.
std::string opening(std::string_view title, double width, double height);
std::string closing();

struct TextStyle {
  double size = 12;
  std::string_view color = kFaint;
  std::string_view anchor = "start";
  std::string_view weight = "normal";
};

inline constexpr TextStyle kPanelTitle{.size = 14, .color = kInk, .anchor = "middle", .weight = "600"};

// Any text: XML's special characters are escaped.
std::string text_at(double x, double y, std::string_view text, const TextStyle& style);
std::string line(double x1, double y1, double x2, double y2, std::string_view color);
// A point of a curve, set off from its background.
std::string dot(double x, double y, double radius, std::string_view color);
// An exceptional point.
std::string ring(double x, double y, double radius, std::string_view color);

}  // namespace lockstep::bench::svg
