#pragma once

// One rank of a group, and its operations with the other ranks.
//
//   std::vector<float> loss = {0.5F};
//   communicator.all_reduce(loss, ReduceOp::kAvg, {.label = "loss"});
//
// Every operation is collective: all ranks of the group make the same calls, in the same order, with the same type,
// count, root and label (send and recv concern two ranks only). Any difference is an Error{kMismatch} on every rank,
// which shows both sides. The result of a reduction has the same bits on every rank and in every run.
//
// `name` blocks until the result is available; `start_name` returns a Work at once, and several may be in flight.
// Overloads with one buffer work in place. Otherwise input and output must not overlap.
//
// When a rank dies, aborts or stalls, the others fail with an Error that names it. After an error the communicator
// refuses every call with that first error.
//
// Threads that share a communicator, or communicators split from it, take turns; all ranks must still see the same
// order of operations. Where ranks are threads of one process, each has its own communicator.
//
// A communicator belongs to the process that created it. A forked child may destroy its inherited copy and exit as it
// likes without affecting the job; any other call in the child is Error{kInvalidArgument}.

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
  std::string_view label = {};                           // appears in errors and traces
  std::optional<std::chrono::nanoseconds> timeout = {};  // unset: the communicator's
};

class Communicator {
 public:
  // For backend implementations; users get a communicator from World or from split().
  explicit Communicator(std::shared_ptr<Backend> backend);
  Communicator(Communicator&&) noexcept;
  Communicator& operator=(Communicator&&) noexcept;
  ~Communicator();

  int rank() const;
  int size() const;
  std::string_view backend_name() const;  // "local", "shm", "gloo"

  // The timeout of operations whose CallOptions set none.
  void set_timeout(std::chrono::nanoseconds timeout);
  void attach(std::shared_ptr<OperationObserver> observer);

  // Allocates `bytes` on every rank; collective.
  SymmetricMemory allocate(std::size_t bytes);
  // Allocates `bytes` that all ranks share; collective. Throws Error{kUnsupported} unless shares_memory().
  SharedMemory allocate_shared(std::size_t bytes);
  // Whether the ranks can share memory: true for ranks of one host on the shm backend, and on the local one.
  bool shares_memory() const;
  // Ranks with the same color form a new group, ordered by (key, rank); collective. A rank with a negative color joins
  // no group and gets nothing.
  std::optional<Communicator> split(int color, int key);
  // Aborts the group: every other rank fails its operation with Error{kAborted} and this reason.
  void abort(std::string_view reason);

  void barrier(CallOptions options = {});
  void broadcast(Buffer buffer, int root, CallOptions options = {});
  void reduce(ConstBuffer in, Buffer out, ReduceOp op, int root, CallOptions options = {});
  void reduce(Buffer buffer, ReduceOp op, int root, CallOptions options = {});
  void all_reduce(ConstBuffer in, Buffer out, ReduceOp op, CallOptions options = {});
  void all_reduce(Buffer buffer, ReduceOp op, CallOptions options = {});
  // `in` is size() equal slices; `out` gets this rank's slice, reduced. In place: the slice stays where it is.
  void reduce_scatter(ConstBuffer in, Buffer out, ReduceOp op, CallOptions options = {});
  void reduce_scatter(Buffer buffer, ReduceOp op, CallOptions options = {});
  // In place, but this rank's contribution to its own slice is read from `own` where `own` covers it. The pieces are in
  // order and do not overlap. They and the list must stay valid until the work is done.
  void reduce_scatter(Buffer buffer, ReduceOp op, std::span<const InputPiece> own, CallOptions options = {});
  // `out` is size() equal slices. In place: this rank's slice is already where it belongs.
  void all_gather(ConstBuffer in, Buffer out, CallOptions options = {});
  void all_gather(Buffer buffer, CallOptions options = {});
  // gather uses `out` on the root only and `in` everywhere; scatter the reverse.
  void gather(ConstBuffer in, Buffer out, int root, CallOptions options = {});
  void scatter(ConstBuffer in, Buffer out, int root, CallOptions options = {});
  // Slice i of `in` goes to rank i; slice i of `out` comes from rank i.
  void all_to_all(ConstBuffer in, Buffer out, CallOptions options = {});
  void all_to_all(Buffer buffer, CallOptions options = {});
  // The same with slices of different sizes, counted in elements and stored contiguously.
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
