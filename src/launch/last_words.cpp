#include "launch/last_words.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>

#include "base/write_guard.h"
#include "job/error_record.h"

namespace lockstep {
namespace {

// Prepared before the signal: the handler only fills in the rest and calls open() and write().
struct Prepared {
  std::string path;
  int rank = 0;
  bool (*claim)() = nullptr;
  std::array<char, 16384> json;
};

std::atomic<Prepared*> prepared_words = nullptr;

class JsonWriter {
 public:
  explicit JsonWriter(std::array<char, 16384>& room) : room_(room) {}

  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    const auto result = fmt::format_to_n(room_.data() + size_, room_.size() - size_, format,
                                         std::forward<Arguments>(arguments)...);
    size_ = std::min(room_.size(), size_ + result.size);
  }

  void add_text(std::string_view text) {
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        add("\\{}", c);
      } else {
        add("{}", static_cast<unsigned char>(c) < ' ' ? ' ' : c);
      }
    }
  }

  std::string_view text() const { return {room_.data(), size_}; }

 private:
  std::array<char, 16384>& room_;
  std::size_t size_ = 0;
};

void write_last_words(const char* text, std::size_t size) {
  Prepared* prepared = prepared_words;
  if (prepared == nullptr || !prepared->claim()) {
    return;
  }
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  JsonWriter json(prepared->json);
  json.add(R"({{"message": {{"message": ")");
  json.add_text({text, size});
  json.add(
      R"(", "extraInfo": {{"py_callstack": "", "timestamp": "{}", "lockstep": {{"timestamp_ns": {}{:09}, )",
      now.tv_sec, now.tv_sec, now.tv_nsec);
  json.add(R"("code": "{}", "rank": {}}}}}}}}})", kForbiddenWrite, prepared->rank);
  const int file = open(prepared->path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file >= 0) {
    [[maybe_unused]] const auto written = write(file, json.text().data(), json.text().size());
    close(file);
  }
}

}  // namespace

void report_forbidden_writes(int rank, bool (*claim)()) {
  const char* path = std::getenv(std::string(kErrorFileVariable).c_str());
  if (path == nullptr || *path == '\0' || prepared_words != nullptr) {
    return;
  }
  static Prepared prepared;  // set once: a handler may read it later
  prepared.path = path;
  prepared.rank = rank;
  prepared.claim = claim;
  prepared_words = &prepared;
  WriteGuard::set_witness(write_last_words);
}

}  // namespace lockstep
