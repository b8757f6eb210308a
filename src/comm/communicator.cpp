// The facade: checks what can be checked on one rank and turns each call into a Request. The order of the
// methods is that of the header.

#include "lockstep/communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "comm/argument_checks.h"
#include "comm/backend.h"
#include "comm/communicator_state.h"
#include "comm/group_split.h"

namespace lockstep {
namespace {

Operation make_operation(OperationKind kind, DType dtype, std::size_t count) {
  return {.kind = kind, .dtype = dtype, .count = count};
}

Operation make_rooted(OperationKind kind, DType dtype, std::size_t count, int root) {
  Operation operation = make_operation(kind, dtype, count);
  operation.root = root;
  return operation;
}

Operation make_reduction(OperationKind kind, DType dtype, std::size_t count, ReduceOp op) {
  Operation operation = make_operation(kind, dtype, count);
  operation.op = op;
  return operation;
}

}  // namespace

Communicator::Communicator(std::shared_ptr<Backend> backend)
    : Communicator(std::make_shared<CommunicatorState>(std::move(backend))) {}
Communicator::Communicator(std::shared_ptr<CommunicatorState> state) : state_(std::move(state)) {}
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;
Communicator::~Communicator() = default;

int Communicator::rank() const {
  return state_->backend().rank();
}
int Communicator::size() const {
  return state_->backend().size();
}
std::string_view Communicator::backend_name() const {
  return state_->backend().name();
}
void Communicator::set_timeout(std::chrono::nanoseconds timeout) {
  state_->timeout = timeout;
}
void Communicator::attach(std::shared_ptr<OperationObserver> observer) {
  state_->observers.push_back(std::move(observer));
}

SymmetricMemory Communicator::allocate(std::size_t bytes) {
  // A barrier that carries the size: all ranks are here, and want the same.
  state_->start(make_operation(OperationKind::kBarrier, DType::kU8, bytes), {}, {}, {.label = "allocate"})
      .wait();
  return state_->guard("allocate", [&] {
    return state_->backend().allocate(std::max<std::size_t>(bytes, 1), state_->deadline({}));
  });
}

SharedMemory Communicator::allocate_shared(std::size_t bytes) {
  if (!shares_memory()) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("ranks of the {} backend have no memory in common", backend_name()));
  }
  state_
      ->start(make_operation(OperationKind::kBarrier, DType::kU8, bytes), {}, {},
              {.label = "allocate shared"})
      .wait();
  return state_->guard("allocate_shared", [&] {
    return state_->backend().allocate_shared(std::max<std::size_t>(bytes, 1), state_->deadline({}));
  });
}

bool Communicator::shares_memory() const {
  return state_->backend().shares_memory();
}

std::optional<Communicator> Communicator::split(int color, int key) {
  std::vector<std::int32_t> wishes(2 * static_cast<std::size_t>(size()));
  const std::int32_t mine[2] = {color, key};
  all_gather(mine, wishes, {.label = "split"});
  const auto place = place_in_split(wishes, rank(), state_->splits++);
  if (!place) {
    return std::nullopt;
  }
  auto backend =
      state_->guard("split", [&] { return state_->backend().split(*place, state_->deadline({})); });
  Communicator part(std::make_shared<CommunicatorState>(std::move(backend), state_->turns()));
  part.set_timeout(state_->timeout);
  part.state_->observers = state_->observers;
  return part;
}

void Communicator::abort(std::string_view reason) {
  state_->require_own("abort");
  state_->backend().abort(reason);
}

Work Communicator::start_barrier(CallOptions options) {
  return state_->start(make_operation(OperationKind::kBarrier, DType::kU8, 0), {}, {}, options);
}

Work Communicator::start_broadcast(Buffer buffer, int root, CallOptions options) {
  require_rank(OperationKind::kBroadcast, "root", root, size());
  const Operation operation = make_rooted(OperationKind::kBroadcast, buffer.dtype(), buffer.count(), root);
  return rank() == root ? state_->start(operation, buffer, {}, options)
                        : state_->start(operation, {}, buffer, options);
}

Work Communicator::start_reduce(ConstBuffer in, Buffer out, ReduceOp op, int root, CallOptions options) {
  require_rank(OperationKind::kReduce, "root", root, size());
  Operation operation = make_reduction(OperationKind::kReduce, in.dtype(), in.count(), op);
  operation.root = root;
  if (rank() != root) {
    return state_->start(operation, in, {}, options);
  }
  require_same_type(OperationKind::kReduce, in, out);
  require_parts(OperationKind::kReduce, out.count(), in.count(), 1);
  require_apart(OperationKind::kReduce, in, out);
  return state_->start(operation, in, out, options);
}

Work Communicator::start_reduce(Buffer buffer, ReduceOp op, int root, CallOptions options) {
  require_rank(OperationKind::kReduce, "root", root, size());
  Operation operation = make_reduction(OperationKind::kReduce, buffer.dtype(), buffer.count(), op);
  operation.root = root;
  return state_->start(operation, buffer, rank() == root ? buffer : Buffer(), options);
}

Work Communicator::start_all_reduce(ConstBuffer in, Buffer out, ReduceOp op, CallOptions options) {
  require_same_type(OperationKind::kAllReduce, in, out);
  require_parts(OperationKind::kAllReduce, out.count(), in.count(), 1);
  require_apart(OperationKind::kAllReduce, in, out);
  return state_->start(make_reduction(OperationKind::kAllReduce, in.dtype(), in.count(), op), in, out,
                       options);
}

Work Communicator::start_all_reduce(Buffer buffer, ReduceOp op, CallOptions options) {
  return state_->start(make_reduction(OperationKind::kAllReduce, buffer.dtype(), buffer.count(), op), buffer,
                       buffer, options);
}

Work Communicator::start_reduce_scatter(ConstBuffer in, Buffer out, ReduceOp op, CallOptions options) {
  require_same_type(OperationKind::kReduceScatter, in, out);
  require_parts(OperationKind::kReduceScatter, in.count(), out.count(), size());
  require_apart(OperationKind::kReduceScatter, in, out);
  return state_->start(make_reduction(OperationKind::kReduceScatter, in.dtype(), in.count(), op), in, out,
                       options);
}

Work Communicator::start_reduce_scatter(Buffer buffer, ReduceOp op, CallOptions options) {
  return start_reduce_scatter(buffer, op, std::span<const InputPiece>(), options);
}

Work Communicator::start_reduce_scatter(Buffer buffer, ReduceOp op, std::span<const InputPiece> own,
                                        CallOptions options) {
  require_divisible(OperationKind::kReduceScatter, buffer.count(), size());
  const std::size_t part = buffer.count() / static_cast<std::size_t>(size());
  const Buffer own_part = buffer.part(part * static_cast<std::size_t>(rank()), part);
  require_pieces(OperationKind::kReduceScatter, own, own_part);
  return state_->start(make_reduction(OperationKind::kReduceScatter, buffer.dtype(), buffer.count(), op),
                       buffer, own_part, options, {}, {}, own);
}

Work Communicator::start_all_gather(ConstBuffer in, Buffer out, CallOptions options) {
  require_same_type(OperationKind::kAllGather, in, out);
  require_parts(OperationKind::kAllGather, out.count(), in.count(), size());
  require_apart(OperationKind::kAllGather, in, out);
  return state_->start(make_operation(OperationKind::kAllGather, in.dtype(), in.count()), in, out, options);
}

Work Communicator::start_all_gather(Buffer buffer, CallOptions options) {
  require_divisible(OperationKind::kAllGather, buffer.count(), size());
  const std::size_t part = buffer.count() / static_cast<std::size_t>(size());
  return state_->start(make_operation(OperationKind::kAllGather, buffer.dtype(), part),
                       buffer.part(part * static_cast<std::size_t>(rank()), part), buffer, options);
}

Work Communicator::start_gather(ConstBuffer in, Buffer out, int root, CallOptions options) {
  require_rank(OperationKind::kGather, "root", root, size());
  const Operation operation = make_rooted(OperationKind::kGather, in.dtype(), in.count(), root);
  if (rank() != root) {
    return state_->start(operation, in, {}, options);
  }
  require_same_type(OperationKind::kGather, in, out);
  require_parts(OperationKind::kGather, out.count(), in.count(), size());
  require_apart(OperationKind::kGather, in, out);
  return state_->start(operation, in, out, options);
}

Work Communicator::start_scatter(ConstBuffer in, Buffer out, int root, CallOptions options) {
  require_rank(OperationKind::kScatter, "root", root, size());
  const std::size_t whole = out.count() * static_cast<std::size_t>(size());
  const Operation operation = make_rooted(OperationKind::kScatter, out.dtype(), whole, root);
  if (rank() != root) {
    return state_->start(operation, {}, out, options);
  }
  require_same_type(OperationKind::kScatter, in, out);
  require_parts(OperationKind::kScatter, in.count(), out.count(), size());
  require_apart(OperationKind::kScatter, in, out);
  return state_->start(operation, in, out, options);
}

Work Communicator::start_all_to_all(ConstBuffer in, Buffer out, CallOptions options) {
  require_same_type(OperationKind::kAllToAll, in, out);
  require_parts(OperationKind::kAllToAll, out.count(), in.count(), 1);
  require_divisible(OperationKind::kAllToAll, in.count(), size());
  require_apart(OperationKind::kAllToAll, in, out);
  return state_->start(make_operation(OperationKind::kAllToAll, in.dtype(), in.count()), in, out, options);
}

Work Communicator::start_all_to_all(Buffer buffer, CallOptions options) {
  require_divisible(OperationKind::kAllToAll, buffer.count(), size());
  return state_->start(make_operation(OperationKind::kAllToAll, buffer.dtype(), buffer.count()), buffer,
                       buffer, options);
}

Work Communicator::start_all_to_all_v(ConstBuffer in, std::span<const std::size_t> in_counts, Buffer out,
                                      std::span<const std::size_t> out_counts, CallOptions options) {
  require_same_type(OperationKind::kAllToAllV, in, out);
  require_counts(OperationKind::kAllToAllV, "input", in_counts, in.count(), size());
  require_counts(OperationKind::kAllToAllV, "output", out_counts, out.count(), size());
  require_apart(OperationKind::kAllToAllV, in, out);
  return state_->start(make_operation(OperationKind::kAllToAllV, in.dtype(), in.count()), in, out, options,
                       in_counts, out_counts);
}

Work Communicator::start_send(ConstBuffer in, int peer, CallOptions options) {
  require_rank(OperationKind::kSend, "peer", peer, size());
  return state_->start(make_rooted(OperationKind::kSend, in.dtype(), in.count(), peer), in, {}, options);
}

Work Communicator::start_recv(Buffer out, int peer, CallOptions options) {
  require_rank(OperationKind::kRecv, "peer", peer, size());
  return state_->start(make_rooted(OperationKind::kRecv, out.dtype(), out.count(), peer), {}, out, options);
}

void Communicator::barrier(CallOptions options) {
  start_barrier(options).wait();
}
void Communicator::broadcast(Buffer buffer, int root, CallOptions options) {
  start_broadcast(buffer, root, options).wait();
}
void Communicator::reduce(ConstBuffer in, Buffer out, ReduceOp op, int root, CallOptions options) {
  start_reduce(in, out, op, root, options).wait();
}
void Communicator::reduce(Buffer buffer, ReduceOp op, int root, CallOptions options) {
  start_reduce(buffer, op, root, options).wait();
}
void Communicator::all_reduce(ConstBuffer in, Buffer out, ReduceOp op, CallOptions options) {
  start_all_reduce(in, out, op, options).wait();
}
void Communicator::all_reduce(Buffer buffer, ReduceOp op, CallOptions options) {
  start_all_reduce(buffer, op, options).wait();
}
void Communicator::reduce_scatter(ConstBuffer in, Buffer out, ReduceOp op, CallOptions options) {
  start_reduce_scatter(in, out, op, options).wait();
}
void Communicator::reduce_scatter(Buffer buffer, ReduceOp op, CallOptions options) {
  start_reduce_scatter(buffer, op, options).wait();
}
void Communicator::reduce_scatter(Buffer buffer, ReduceOp op, std::span<const InputPiece> own,
                                  CallOptions options) {
  start_reduce_scatter(buffer, op, own, options).wait();
}
void Communicator::all_gather(ConstBuffer in, Buffer out, CallOptions options) {
  start_all_gather(in, out, options).wait();
}
void Communicator::all_gather(Buffer buffer, CallOptions options) {
  start_all_gather(buffer, options).wait();
}
void Communicator::gather(ConstBuffer in, Buffer out, int root, CallOptions options) {
  start_gather(in, out, root, options).wait();
}
void Communicator::scatter(ConstBuffer in, Buffer out, int root, CallOptions options) {
  start_scatter(in, out, root, options).wait();
}
void Communicator::all_to_all(ConstBuffer in, Buffer out, CallOptions options) {
  start_all_to_all(in, out, options).wait();
}
void Communicator::all_to_all(Buffer buffer, CallOptions options) {
  start_all_to_all(buffer, options).wait();
}
void Communicator::all_to_all_v(ConstBuffer in, std::span<const std::size_t> in_counts, Buffer out,
                                std::span<const std::size_t> out_counts, CallOptions options) {
  start_all_to_all_v(in, in_counts, out, out_counts, options).wait();
}
void Communicator::send(ConstBuffer in, int peer, CallOptions options) {
  start_send(in, peer, options).wait();
}
void Communicator::recv(Buffer out, int peer, CallOptions options) {
  start_recv(out, peer, options).wait();
}

}  // namespace lockstep
