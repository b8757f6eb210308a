#include "cli/run/stream_choice.h"

#include <charconv>

namespace lockstep::run {
namespace {

std::optional<int> parse_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && number >= 0 ? std::optional(number) : std::nullopt;
}

std::optional<Streams> parse_streams(std::string_view text) {
  const auto number = parse_number(text);
  if (!number || *number > 3) {
    return std::nullopt;
  }
  return Streams{.out = (*number & 1) != 0, .err = (*number & 2) != 0};
}

}  // namespace

std::optional<StreamChoice> StreamChoice::parse(std::string_view text) {
  StreamChoice choice;
  if (const auto streams = parse_streams(text)) {
    choice.others_ = *streams;
    return choice;
  }
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    const std::string_view entry = text.substr(0, comma);
    const auto colon = entry.find(':');
    const auto rank = parse_number(entry.substr(0, colon));
    const auto streams =
        colon != std::string_view::npos ? parse_streams(entry.substr(colon + 1)) : std::nullopt;
    if (!rank || !streams) {
      return std::nullopt;
    }
    choice.by_rank_[*rank] = *streams;
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());
  }
  return choice;
}

StreamChoice StreamChoice::all() {
  StreamChoice choice;
  choice.others_ = {.out = true, .err = true};
  return choice;
}

Streams StreamChoice::of(int local_rank) const {
  const auto found = by_rank_.find(local_rank);
  return found != by_rank_.end() ? found->second : others_;
}

}  // namespace lockstep::run
