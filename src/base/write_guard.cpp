#include "base/write_guard.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <functional>
#include <string_view>
#include <utility>

#include "base/code_place.h"
#include "base/mutex.h"
#include "lockstep/error.h"

namespace lockstep {

// Tables form a list that a signal handler can walk at any time. The handler takes no lock; removing a table waits
// until no handler is reading.
struct WriteGuard::Table {
  std::vector<Place> places;
  std::atomic<Table*> next = nullptr;

  static std::atomic<Table*> first;
  static std::atomic<int> readers;

  static const Place* find(const void* address) {
    const auto* wanted = static_cast<const std::byte*>(address);
    const std::less_equal<> not_after;
    for (const Table* table = first; table != nullptr; table = table->next) {
      for (const Place& place : table->places) {
        if (place.bytes > 0 && not_after(place.begin, wanted) &&
            not_after(wanted, place.begin + place.bytes - 1)) {
          return &place;
        }
      }
    }
    return nullptr;
  }

  static void handle(int number, siginfo_t* info, void* context);
};

std::atomic<WriteGuard::Table*> WriteGuard::Table::first = nullptr;
std::atomic<int> WriteGuard::Table::readers = 0;

namespace {

struct sigaction previous {};
std::atomic<WriteGuard::Witness> witness_of_writes = nullptr;

// The handler's message, written once per process.
struct LastWords {
  std::array<char, 4096> text;
  std::size_t size = 0;

  void add(std::string_view words) {
    const std::size_t count = std::min(words.size(), text.size() - size);
    std::copy_n(words.begin(), count, text.begin() + static_cast<std::ptrdiff_t>(size));
    size += count;
  }
};
LastWords last_words;
std::atomic<bool> is_speaking = false;

constexpr std::string_view kSpeaker = "lockstep: ";

void speak(const WriteGuard::Place& place, const void* context) {
  if (is_speaking.exchange(true)) {
    for (;;) {
      pause();  // another thread is handling it, and kills the process
    }
  }
  last_words.add(kSpeaker);
  last_words.add(place.message);
  std::array<char, 1024> code;
  const std::size_t size = describe_code_place(context, code.data(), code.size());
  last_words.add(size > 0 ? ", in " : "");
  last_words.add({code.data(), size});
  last_words.add(place.advice.empty() ? "" : ": ");
  last_words.add(place.advice);
  last_words.size = std::min(last_words.size, last_words.text.size() - 1);
  if (const WriteGuard::Witness witness = witness_of_writes) {
    witness(last_words.text.data() + kSpeaker.size(), last_words.size - kSpeaker.size());
  }
  last_words.add("\n");
  // Nothing can be done if the write fails.
  [[maybe_unused]] const auto written = write(STDERR_FILENO, last_words.text.data(), last_words.size);
}

// Guards may be destroyed after static objects.
Mutex& writers() {
  static auto* mutex = new Mutex;
  return *mutex;
}

// The faulting instruction is retried when the handler returns, and crashes the process where the fault happened.
void die_on_return() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(SIGSEGV, &action, nullptr);
}

void pass_on(int number, siginfo_t* info, void* context) {
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(number, info, context);
    return;
  }
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(number);
    return;
  }
  const bool sent = info->si_code <= 0;  // by kill(): there is no instruction that would fault again
  if (sent && previous.sa_handler == SIG_IGN) {
    return;
  }
  die_on_return();
  if (sent) {
    raise(number);
  }
}

bool install(void (*handler)(int, siginfo_t*, void*)) {
  sigaction(SIGSEGV, nullptr, &previous);
  struct sigaction action = previous;
  action.sa_sigaction = handler;
  action.sa_flags = (previous.sa_flags & SA_NODEFER) | SA_SIGINFO | SA_ONSTACK;
  if (sigaction(SIGSEGV, &action, nullptr) != 0) {
    throw Error::from_errno(errno, "sigaction(SIGSEGV)");
  }
  return true;
}

}  // namespace

void WriteGuard::Table::handle(int number, siginfo_t* info, void* context) {
  const int error_number = errno;
  ++readers;
  const Place* place = info->si_code == SEGV_ACCERR ? find(info->si_addr) : nullptr;
  if (place != nullptr) {
    speak(*place, context);
    die_on_return();
  }
  --readers;
  errno = error_number;
  if (place == nullptr) {
    pass_on(number, info, context);
  }
}

WriteGuard::WriteGuard(std::vector<Place> places) : table_(std::make_unique<Table>()) {
  [[maybe_unused]] static const bool installed = install(Table::handle);
  prepare_code_places();
  table_->places = std::move(places);
  const MutexLock lock(writers());
  table_->next = Table::first.load();
  Table::first = table_.get();
}

WriteGuard::~WriteGuard() {
  const MutexLock lock(writers());
  std::atomic<Table*>* link = &Table::first;
  while (*link != table_.get()) {
    link = &link->load()->next;
  }
  *link = table_->next.load();
  while (Table::readers > 0) {
    sched_yield();
  }
}

void WriteGuard::set_witness(Witness witness) {
  witness_of_writes = witness;
}

bool WriteGuard::covers(const void* address) {
  ++Table::readers;
  const bool covered = Table::find(address) != nullptr;
  --Table::readers;
  return covered;
}

}  // namespace lockstep
