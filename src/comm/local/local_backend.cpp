#include "comm/local/local_backend.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "comm/label.h"
#include "comm/own_input.h"
#include "comm/task_pool.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

// A message from this rank to itself, kept until it is received.
struct Letter {
  Operation operation;  // its label points into `label`
  Label label;
  std::vector<std::byte> data;
};

class LocalBackend final : public Backend {
 public:
  std::string_view name() const override { return "local"; }
  int rank() const override { return 0; }
  int size() const override { return 1; }

  Task& start(const Request& request) override {
    if (aborted_) {
      throw with_context(*aborted_, request.operation);
    }
    LocalTask& task = tasks_.take();
    task.adopt(request);
    task.backend = this;
    task.out = request.out;
    task.delivered = false;
    if (request.operation.kind == OperationKind::kSend) {
      letters_.push_back(
          {task.operation(), task.label(), {request.in.data(), request.in.data() + request.in.bytes()}});
    }
    OwnInput(request).collect();
    if (request.operation.kind != OperationKind::kRecv) {
      copy(request);
      task.delivered = true;
    }
    return task;
  }

  SymmetricMemory allocate(std::size_t bytes, const Deadline&) override {
    // Not populated: what one rank alone never touches costs nothing.
    void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) {
      throw Error(ErrorCode::kResourceExhausted, fmt::format("cannot allocate {} bytes", bytes))
          .with_cause(std::make_exception_ptr(Error::from_errno(errno, "mmap")));
    }
    return {std::shared_ptr<std::byte>(static_cast<std::byte*>(address),
                                       [bytes](std::byte* data) { munmap(data, bytes); }),
            bytes};
  }

  // With nobody to share it with, both sides are the same mapping.
  SharedMemory allocate_shared(std::size_t bytes, const Deadline& deadline) override {
    const SymmetricMemory memory = allocate(bytes, deadline);
    const std::shared_ptr<std::byte> handle(std::make_shared<SymmetricMemory>(memory), memory.data());
    return {handle, handle, bytes};
  }
  bool shares_memory() const override { return true; }

  std::shared_ptr<Backend> split(const GroupPlace&, const Deadline&) override { return make_local_backend(); }

  void abort(std::string_view reason) noexcept override {
    if (!aborted_) {
      aborted_ =
          Error(ErrorCode::kAborted, fmt::format("rank 0 called the group off: {}", reason)).with_peer(0);
    }
  }

 private:
  struct LocalTask final : Task {
    bool poll() override {
      delivered = delivered || backend->deliver(*this);
      return delivered;
    }
    // With nobody else to send it, a message that is not there will never come.
    void wait() override {
      if (!poll()) {
        throw with_context(
            Error(ErrorCode::kTimeout, "nothing was sent, and there is no other rank to send it"),
            operation());
      }
    }
    void recycle() noexcept override { pool->give_back(*this); }

    TaskPool<LocalTask>* pool = nullptr;
    LocalBackend* backend = nullptr;
    Buffer out;
    bool delivered = false;
  };

  static Error with_context(const Error& error, const Operation& operation) {
    return Error(error)
        .with_operation(std::string(to_string(operation.kind)))
        .with_sequence(operation.sequence)
        .with_label(std::string(operation.label))
        .with_rank(0);
  }

  static void copy(const Request& request) {
    if (request.out.bytes() > 0 && request.in.data() != request.out.data()) {
      std::memcpy(request.out.data(), request.in.data(), request.out.bytes());
    }
  }

  bool deliver(LocalTask& task) {
    if (letters_.empty()) {
      return false;
    }
    const Letter& letter = letters_.front();
    const Operation& wanted = task.operation();
    if (letter.operation.dtype != wanted.dtype || letter.operation.count != wanted.count ||
        letter.label.bytes() != task.label().bytes()) {
      Operation sent = letter.operation;
      sent.label = letter.label.view();
      throw with_context(
          Error(ErrorCode::kMismatch, fmt::format("ranks disagree: rank 0 called {}; rank 0 called {}",
                                                  wanted.describe(), sent.describe())),
          wanted)
          .with_peer(0);
    }
    if (!letter.data.empty()) {  // an empty buffer may be a null pointer, which memcpy does not take
      std::memcpy(task.out.data(), letter.data.data(), letter.data.size());
    }
    letters_.pop_front();
    return true;
  }

  TaskPool<LocalTask> tasks_;
  std::deque<Letter> letters_;
  std::optional<Error> aborted_;
};

}  // namespace

std::shared_ptr<Backend> make_local_backend() {
  return std::make_shared<LocalBackend>();
}

}  // namespace lockstep
