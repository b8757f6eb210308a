#include "dataset/sample_error.h"

#include <c10/util/Exception.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <new>
#include <string>
#include <string_view>

namespace lockstep {
namespace {

constexpr std::size_t kNamedSamples = 8;

struct Reason {
  ErrorCode code;
  std::string text;
};

Reason reason_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return {error.code(), error.message()};
  } catch (const std::bad_alloc&) {
    return {ErrorCode::kResourceExhausted, "out of memory"};
  } catch (const c10::Error& error) {
    return {ErrorCode::kCorrupt, error.what_without_backtrace()};
  } catch (const std::exception& error) {
    return {ErrorCode::kCorrupt, error.what()};
  } catch (...) {
    return {ErrorCode::kCorrupt, "unknown exception"};
  }
}

Error error_about(const std::string& what, const std::exception_ptr& thrown) {
  const Reason reason = reason_of(thrown);
  const std::string first_line = reason.text.substr(0, reason.text.find('\n'));
  return Error(reason.code, what + " of the data set: " + first_line).with_cause(thrown);
}

}  // namespace

void require_sample(std::uint64_t index, std::uint64_t size) {
  if (index >= size) {
    throw Error(ErrorCode::kInvalidArgument, c10::str("there is no sample ", index, " of ", size));
  }
}

Error sample_error(std::uint64_t index, const std::exception_ptr& thrown) {
  return error_about(c10::str("sample ", index), thrown);
}

Error batch_error(std::span<const std::uint64_t> indices, const std::exception_ptr& thrown) {
  std::string names;
  for (const std::uint64_t index : indices.first(std::min(indices.size(), kNamedSamples))) {
    names += (names.empty() ? "" : ", ") + std::to_string(index);
  }
  const std::size_t others = indices.size() - std::min(indices.size(), kNamedSamples);
  return error_about(others == 0 ? c10::str("one of the samples ", names)
                                 : c10::str("one of the samples ", names, " and ", others, " others"),
                     thrown);
}

}  // namespace lockstep
