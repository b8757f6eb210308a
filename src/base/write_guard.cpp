#include "base/write_guard.h"

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <functional>
#include <utility>

#include "base/mutex.h"
#include "lockstep/error.h"

namespace lockstep {

// Tables form a list that a signal handler can walk at any time: it takes no lock, and whoever takes a table out waits
// until nobody is looking.
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

// Guards may go after static objects have.
Mutex& writers() {
  static auto* mutex = new Mutex;
  return *mutex;
}

// The instruction that faulted is tried again when the handler returns, and ends the process where it happened.
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
    // Nothing is left to do when it cannot be written.
    [[maybe_unused]] const auto written = write(STDERR_FILENO, place->message.data(), place->message.size());
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
  for (Place& place : places) {
    place.message += '\n';
  }
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

bool WriteGuard::covers(const void* address) {
  ++Table::readers;
  const bool covered = Table::find(address) != nullptr;
  --Table::readers;
  return covered;
}

}  // namespace lockstep
