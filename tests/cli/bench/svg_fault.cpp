#include "cli/bench/svg_fault.h"

#include <vector>

namespace lockstep::bench {

std::string svg_fault(std::string_view svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != std::string_view::npos; at = svg.find('<', at + 1)) {
    const std::size_t end = svg.find('>', at);
    if (end == std::string_view::npos) {
      return "a tag without end";
    }
    const std::string_view tag = svg.substr(at + 1, end - at - 1);
    const std::string name(tag.substr(0, tag.find_first_of(" /", 1)));
    if (tag.starts_with('/')) {
      if (open.empty() || "/" + open.back() != tag) {
        return "unexpected <" + std::string(tag) + ">";
      }
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

}  // namespace lockstep::bench
