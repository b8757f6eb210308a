#include "launch/backtrace.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace lockstep {
namespace {

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? text.get() : name;
}

std::string frame_text(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) {
    return fmt::format("{}", address);
  }
  const std::string_view path = info.dli_fname;
  const auto offset = static_cast<const char*>(address) - static_cast<const char*>(info.dli_fbase);
  const std::string place = fmt::format("{}+{:#x}", path.substr(path.rfind('/') + 1), offset);
  return info.dli_sname != nullptr ? fmt::format("{} ({})", demangled(info.dli_sname), place) : place;
}

}  // namespace

std::string backtrace_text(int skip) {
  std::array<void*, 64> frames{};
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  std::string text;
  for (int i = skip + 1; i < count; ++i) {  // +1 for this function
    text += fmt::format("#{} {}\n", i - skip - 1, frame_text(frames[static_cast<std::size_t>(i)]));
  }
  return text;
}

}  // namespace lockstep
