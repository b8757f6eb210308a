#pragma once

// One rank of a group, and everything it can do with the others.
//
//   std::vector<float> loss = {0.5F};
//   communicator.all_reduce(loss, ReduceOp::kAvg, {.label = "loss"});
//
// Every operation is collective: all ranks of the group call the same ones, in the same order, with the same
// type, count, root and label (send and recv concern two ranks only). A difference is an Error{kMismatch} on
// every rank that shows both sides. The result of a reduction has the same bits on every rank and in every run.
//
// `name` blocks until the result is there; `start_name` returns a Work at once, and several may be in flight.
// The forms with one buffer work in place. Input and output may otherwise not overlap.
//
// A rank that dies, aborts or stalls makes the others leave with an Error that names it. After an error the
// communicator refuses every call with that first error.
//
// Threads that share a communicator, or those split from it, take turns; all ranks must still see one order of
// operations. Where ranks are threads of one process, each has its own communicator.
//
// A communicator belongs to the process that made it. A child forked from that may destroy what it has inherited and exit
// as it likes, which nobody notices; calls in it are Error{kInvalidArgument}.

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lockstep/buffer.h"
#include "lockstep/dtype.h"
#include "lockstep/input_piece.h"
#include "lockstep/operation.h"
#include "lockstep/shared_memory.h"
#include "lockstep/symmetric_memory.h"
#include "lockstep/work.h"

namespace lockstep {

class Backend;
class CommunicatorState;

struct CallOptions {
  std::string_view label = {};                           // goes into errors and traces
  std::optional<std::chrono::nanoseconds> timeout = {};  // unset: the communicator's
};

class Communicator {
 public:
  // For those who make backends; users get a communicator from World or from split().
  explicit Communicator(std::shared_ptr<Backend> backend);
  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;
  ~Communicator();

  int rank() const;
  int size() const;
  std::string_view backend_name() const;  // "local", "shm", "gloo"

  // How long an operation may take when its call does not say.
  void set_timeout(std::chrono::nanoseconds timeout);
  void attach(std::shared_ptr<OperationObserver> observer);

  // Memory of `bytes` on every rank; collective.
  SymmetricMemory allocate(std::size_t bytes);
  // Memory of `bytes` that all ranks have in common; collective. Throws Error{kUnsupported} unless shares_memory().
  SharedMemory allocate_shared(std::size_t bytes);
  // Whether the ranks can have memory in common: those of one host over shared memory, and one alone.
  bool shares_memory() const;
  // The ranks that gave the same color form a new group, ordered by (key, rank); collective. A negative color
  // joins none and gets nothing.
  std::optional<Communicator> split(int color, int key);
  // Calls the group off: every other rank leaves its operation with Error{kAborted} and this reason.
  void abort(std::string_view reason);

  void barrier(CallOptions options = {});
  void broadcast(Buffer buffer, int root, CallOptions options = {});
  void reduce(ConstBuffer in, Buffer out, ReduceOp op, int root, CallOptions options = {});
  void reduce(Buffer buffer, ReduceOp op, int root, CallOptions options = {});
  void all_reduce(ConstBuffer in, Buffer out, ReduceOp op, CallOptions options = {});
  void all_reduce(Buffer buffer, ReduceOp op, CallOptions options = {});
  // `in` is size() parts; `out` gets the combined part of this rank. In place: the part is left where it was.
  void reduce_scatter(ConstBuffer in, Buffer out, ReduceOp op, CallOptions options = {});
  void reduce_scatter(Buffer buffer, ReduceOp op, CallOptions options = {});
  // In place, but what this rank adds to its own part is read from `own` as far as that has it. The pieces are in
  // order and do not overlap; they and the list of them must stay until the work is done.
  void reduce_scatter(Buffer buffer, ReduceOp op, std::span<const InputPiece> own, CallOptions options = {});
  // `out` is size() parts. In place: this rank's part is already in its place.
  void all_gather(ConstBuffer in, Buffer out, CallOptions options = {});
  void all_gather(Buffer buffer, CallOptions options = {});
  // `out` matters on the root, `in` everywhere; scatter the other way round.
  void gather(ConstBuffer in, Buffer out, int root, CallOptions options = {});
  void scatter(ConstBuffer in, Buffer out, int root, CallOptions options = {});
  // Part i of `in` goes to rank i; part i of `out` comes from rank i.
  void all_to_all(ConstBuffer in, Buffer out, CallOptions options = {});
  void all_to_all(Buffer buffer, CallOptions options = {});
  // The same with parts of different sizes, in elements, one after the other.
  void all_to_all_v(ConstBuffer in, std::span<const std::size_t> in_counts, Buffer out,
                    std::span<const std::size_t> out_counts, CallOptions options = {});
  void send(ConstBuffer in, int peer, CallOptions options = {});
  void recv(Buffer out, int peer, CallOptions options = {});

  Work start_barrier(CallOptions options = {});
  Work start_broadcast(Buffer buffer, int root, CallOptions options = {});
  Work start_reduce(ConstBuffer in, Buffer out, ReduceOp op, int root, CallOptions options = {});
  Work start_reduce(Buffer buffer, ReduceOp op, int root, CallOptions options = {});
  Work start_all_reduce(ConstBuffer in, Buffer out, ReduceOp op, CallOptions options = {});
  Work start_all_reduce(Buffer buffer, ReduceOp op, CallOptions options = {});
  Work start_reduce_scatter(ConstBuffer in, Buffer out, ReduceOp op, CallOptions options = {});
  Work start_reduce_scatter(Buffer buffer, ReduceOp op, CallOptions options = {});
  Work start_reduce_scatter(Buffer buffer, ReduceOp op, std::span<const InputPiece> own,
                            CallOptions options = {});
  Work start_all_gather(ConstBuffer in, Buffer out, CallOptions options = {});
  Work start_all_gather(Buffer buffer, CallOptions options = {});
  Work start_gather(ConstBuffer in, Buffer out, int root, CallOptions options = {});
  Work start_scatter(ConstBuffer in, Buffer out, int root, CallOptions options = {});
  Work start_all_to_all(ConstBuffer in, Buffer out, CallOptions options = {});
  Work start_all_to_all(Buffer buffer, CallOptions options = {});
  Work start_all_to_all_v(ConstBuffer in, std::span<const std::size_t> in_counts, Buffer out,
                          std::span<const std::size_t> out_counts, CallOptions options = {});
  Work start_send(ConstBuffer in, int peer, CallOptions options = {});
  Work start_recv(Buffer out, int peer, CallOptions options = {});

 private:
  explicit Communicator(std::shared_ptr<CommunicatorState> state);

  std::shared_ptr<CommunicatorState> state_;
};

}  // namespace lockstep
