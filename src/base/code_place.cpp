#include "base/code_place.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <link.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

namespace lockstep {
namespace {

// Libraries that only execute what the user's code asks for.
constexpr std::array<std::string_view, 14> kLibraries = {
    "libtorch", "libc10",  "liblockstep", "libgomp", "libiomp", "libomp", "libmkl",
    "libdnnl",  "libc.so", "libc-",       "libm.so", "libstdc", "libgcc", "ld-linux"};
// Their namespaces, for code linked into the program itself.
constexpr std::array<std::string_view, 8> kNamespaces = {
    "_ZN8lockstep", "_ZNK8lockstep", "_ZN2at", "_ZNK2at", "_ZN5torch", "_ZNK5torch", "_ZN3c10", "_ZNK3c10"};

std::string_view file_name(const char* path) {
  const std::string_view whole = path;
  return whole.substr(whole.rfind('/') + 1);
}

template <std::size_t kCount>
bool starts_with_any(std::string_view text, const std::array<std::string_view, kCount>& starts) {
  return std::any_of(starts.begin(), starts.end(), [text](auto start) { return text.starts_with(start); });
}

const void* interrupted_instruction(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return std::bit_cast<const void*>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return std::bit_cast<const void*>(machine.pc);
#else
  static_cast<void>(machine);
  return nullptr;
#endif
}

// The frames from the interrupted function on; those before it belong to the handler.
std::span<void* const> frames_from(const void* instruction, std::span<void* const> frames) {
  const auto found = std::find(frames.begin(), frames.end(), instruction);
  return found == frames.end() ? frames.last(0)
                               : frames.subspan(static_cast<std::size_t>(found - frames.begin()));
}

// The offset for addr2line: programs at a fixed address count from 0.
std::uintptr_t offset_in(const Dl_info& info, const void* address) {
  const bool is_fixed = static_cast<const ElfW(Ehdr)*>(info.dli_fbase)->e_type == ET_EXEC;
  return reinterpret_cast<std::uintptr_t>(address) -
         (is_fixed ? 0 : reinterpret_cast<std::uintptr_t>(info.dli_fbase));
}

std::size_t write_place(const Dl_info& info, const void* address, char* text, std::size_t capacity) {
  char* readable =
      info.dli_sname != nullptr ? abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, nullptr) : nullptr;
  const char* name = readable != nullptr ? readable : info.dli_sname;
  const std::uintptr_t offset = offset_in(info, address);
  const auto result = fmt::format_to_n(text, capacity, "{}{}{}+{:#x} (addr2line -e {} {:#x} has the line)",
                                       name != nullptr ? name : "", name != nullptr ? ", " : "",
                                       file_name(info.dli_fname), offset, info.dli_fname, offset);
  std::free(readable);
  return std::min(result.size, capacity);
}

}  // namespace

void prepare_code_places() {
  std::array<void*, 1> frame{};
  backtrace(frame.data(), 1);
}

std::size_t describe_code_place(const void* context, char* text, std::size_t capacity) {
  std::array<void*, 128> all{};
  const int count = backtrace(all.data(), static_cast<int>(all.size()));
  const void* instruction = interrupted_instruction(context);
  for (void* frame : frames_from(instruction, std::span(all).first(static_cast<std::size_t>(count)))) {
    // A return address may lie just past the end of a function.
    const void* address = frame == instruction ? frame : static_cast<const char*>(frame) - 1;
    Dl_info info{};
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) {
      continue;
    }
    const bool is_library = starts_with_any(file_name(info.dli_fname), kLibraries) ||
                            (info.dli_sname != nullptr && starts_with_any(info.dli_sname, kNamespaces));
    if (!is_library) {
      return write_place(info, address, text, capacity);
    }
  }
  return 0;
}

}  // namespace lockstep
