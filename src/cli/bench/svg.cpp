#include "cli/bench/svg.h"

#include <fmt/format.h>

namespace lockstep::bench::svg {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

struct CircleColors {
  std::string_view fill;
  std::string_view stroke;
};

std::string circle(double x, double y, double radius, const CircleColors& colors) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" stroke=\"{}\"/>\n", x, y,
                     radius, colors.fill, colors.stroke);
}

}  // namespace

std::string opening(std::string_view title, double width, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"Inter, 'DejaVu Sans', Helvetica, Arial, sans-serif\">\n"
      "<title>{2}</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fafbfc\"/>\n",
      width, height, escaped(title));
}

std::string closing() {
  return "</svg>\n";
}

std::string text_at(double x, double y, std::string_view text, const TextStyle& style) {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\" "
      "font-weight=\"{}\">{}</text>\n",
      x, y, style.size, style.color, style.anchor, style.weight, escaped(text));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view color) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1,
                     y1, x2, y2, color);
}

std::string dot(double x, double y, double radius, std::string_view color) {
  return circle(x, y, radius, {.fill = color, .stroke = "#ffffff"});
}

std::string ring(double x, double y, double radius, std::string_view color) {
  return circle(x, y, radius, {.fill = "#ffffff", .stroke = color});
}

}  // namespace lockstep::bench::svg
