#include "base/exception_text.h"

#include "lockstep/error.h"

namespace lockstep {
namespace {

constexpr std::string_view kCausedBy = "\n  caused by: ";

bool is_of_stack(std::string_view line) {
  return line.starts_with("Exception raised from ") || line.starts_with("frame #");
}

// The text of an exception without its causes; what() of an Error appends them.
std::string without_cause(const Error& error) {
  const std::string text = error.what();
  const std::string cause = std::string(kCausedBy) + describe_exception(error.cause());
  return text.ends_with(cause) ? text.substr(0, text.size() - cause.size()) : text;
}

std::string with_cause(const std::string& text, const std::exception_ptr& cause) {
  return cause ? text + std::string(kCausedBy) + describe_exception_in_full(cause) : text;
}

}  // namespace

std::string without_frames(std::string_view text) {
  std::string kept;
  bool in_stack = false;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    in_stack = is_of_stack(line) || (in_stack && line.empty());
    if (!in_stack) {
      kept += line;
      kept += end == std::string_view::npos ? "" : "\n";
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (in_stack && text.empty() && kept.ends_with('\n')) {
      kept.pop_back();
    }
  }
  return kept;
}

std::string describe_exception_in_full(const std::exception_ptr& exception) {
  if (!exception) {
    return "no exception";
  }
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    return with_cause(without_cause(error), error.cause());
  } catch (const std::exception& error) {
    const auto* nested = dynamic_cast<const std::nested_exception*>(&error);
    return with_cause(error.what(), nested != nullptr ? nested->nested_ptr() : nullptr);
  } catch (...) {
    return "unknown exception";
  }
}

}  // namespace lockstep
