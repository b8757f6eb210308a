#include "comm/conformance/conformance.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "comm/conformance/pattern.h"
#include "lockstep/error.h"

namespace lockstep::testing {
namespace {

std::vector<DType> types(const ConformanceSizes& sizes) {
  if (!sizes.every_type) {
    return {DType::kF32, DType::kBF16, DType::kI8};
  }
  return {DType::kF16, DType::kBF16, DType::kF32, DType::kF64,
          DType::kU8,  DType::kI8,   DType::kI32, DType::kI64};
}

// A buffer in ordinary or in symmetric memory. Symmetric ones come from one allocation, since allocating is slow.
class Memory {
 public:
  Memory(Communicator& communicator, std::size_t most_bytes)
      : bytes_(most_bytes), symmetric_(communicator.allocate(2 * round_up(most_bytes))) {}

  Buffer input(bool symmetric, std::size_t count, DType dtype) {
    return buffer(symmetric, 0, ordinary_[0], count, dtype);
  }
  Buffer output(bool symmetric, std::size_t count, DType dtype) {
    return buffer(symmetric, round_up(bytes_), ordinary_[1], count, dtype);
  }

 private:
  static std::size_t round_up(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

  Buffer buffer(bool symmetric, std::size_t offset, std::vector<std::byte>& ordinary, std::size_t count,
                DType dtype) {
    if (symmetric) {
      return {symmetric_.data() + offset, count, dtype};
    }
    ordinary.resize(bytes_ + 8);
    return {ordinary.data() + 8, count, dtype};  // aligned to its elements, and to nothing more
  }

  std::size_t bytes_;
  SymmetricMemory symmetric_;
  std::vector<std::byte> ordinary_[2];
};

void fill(const Buffer& buffer, const std::vector<std::byte>& bytes) {
  if (!bytes.empty()) {
    std::memcpy(buffer.data(), bytes.data(), bytes.size());
  }
}

std::string trace(const Communicator& communicator, std::string_view what, DType dtype, std::size_t length,
                  bool symmetric, bool in_place) {
  return std::string(what) + " of " + std::to_string(length) + " x " + std::string(to_string(dtype)) +
         " on rank " + std::to_string(communicator.rank()) + " of " + std::to_string(communicator.size()) +
         (symmetric ? ", symmetric" : "") + (in_place ? ", in place" : "");
}

// Calls `check(length, dtype, symmetric, in_place)` for every combination.
void for_each_case(const ConformanceSizes& sizes,
                   const std::function<void(std::size_t, DType, bool symmetric, bool in_place)>& check) {
  for (const std::size_t length : sizes.lengths) {
    for (const DType dtype : types(sizes)) {
      for (const bool symmetric : {false, true}) {
        for (const bool in_place : {false, true}) {
          check(length, dtype, symmetric, in_place);
        }
      }
    }
  }
}

std::size_t longest(const ConformanceSizes& sizes) {
  return *std::max_element(sizes.lengths.begin(), sizes.lengths.end());
}

}  // namespace

namespace {

// The three reductions over one set of data, in one kind of memory.
struct ReductionCase {
  std::size_t length;
  DType dtype;
  ReduceOp op;
  const std::vector<std::byte>& mine;
  const std::vector<std::byte>& combined;
};

void check_reduction(Communicator& c, Memory& memory, const ReductionCase& test, bool symmetric,
                     bool in_place) {
  const auto& [length, dtype, op, mine, combined] = test;
  SCOPED_TRACE(trace(c, to_string(op), dtype, length, symmetric, in_place));
  const int root = c.size() / 2;
  const Buffer in = memory.input(symmetric, length, dtype);
  const Buffer out = in_place ? in : memory.output(symmetric, length, dtype);

  fill(in, mine);
  in_place ? c.all_reduce(in, op) : c.all_reduce(in, out, op);
  expect_bytes(out.data(), combined, dtype);

  fill(in, mine);
  in_place ? c.reduce(in, op, root) : c.reduce(in, out, op, root);
  if (c.rank() == root) {
    expect_bytes(out.data(), combined, dtype);
  }
  expect_bytes(in.data(), in_place && c.rank() == root ? combined : mine, dtype);

  fill(in, mine);
  const std::size_t part = length / static_cast<std::size_t>(c.size());
  const std::size_t own = static_cast<std::size_t>(c.rank()) * part;
  const Buffer whole = in.part(0, part * static_cast<std::size_t>(c.size()));
  in_place ? c.reduce_scatter(whole, op) : c.reduce_scatter(whole, out.part(0, part), op);
  const auto* first = combined.data() + own * size_of(dtype);
  expect_bytes(in_place ? in.part(own, part).data() : out.data(), {first, first + part * size_of(dtype)},
               dtype);
}

// A rank's own part, of which the buffer has the beginning and the end: two pieces that touch have what is between.
void check_pieces(Communicator& c, Memory& memory, const ReductionCase& test, bool symmetric) {
  const auto& [length, dtype, op, mine, combined] = test;
  SCOPED_TRACE(trace(c, "pieces", dtype, length, symmetric, true));
  const std::size_t part = length / static_cast<std::size_t>(c.size());
  const std::size_t own = static_cast<std::size_t>(c.rank()) * part;
  const Buffer whole = memory.input(symmetric, part * static_cast<std::size_t>(c.size()), dtype);
  const ConstBuffer elsewhere = ConstBuffer(mine.data(), length, dtype).part(own, part);
  const std::size_t cuts[] = {part / 5, part / 2, part - part / 4};
  const InputPiece pieces[] = {
      {.first = cuts[0], .values = elsewhere.part(cuts[0], cuts[1] - cuts[0])},
      {.first = cuts[1], .values = elsewhere.part(cuts[1], cuts[2] - cuts[1])},
  };
  fill(whole, {mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(whole.bytes())});
  const Buffer lent = whole.part(own + cuts[0], cuts[2] - cuts[0]);
  fill(lent, std::vector<std::byte>(lent.bytes(), std::byte{0x55}));
  c.reduce_scatter(whole, op, pieces);
  const auto* first = combined.data() + own * size_of(dtype);
  expect_bytes(whole.part(own, part).data(), {first, first + part * size_of(dtype)}, dtype);
}

}  // namespace

void check_reductions(Communicator& c, const ConformanceSizes& sizes) {
  Memory memory(c, longest(sizes) * 8);
  for (const std::size_t length : sizes.lengths) {
    for (int index = 0; index < kReduceOpCount; ++index) {
      const auto op = static_cast<ReduceOp>(index);
      const Combined everyones(c.size(), 0, length, op);
      for (const DType dtype : types(sizes)) {
        const auto mine = pattern_bytes(c.rank(), 0, length, dtype, op);
        const auto combined = everyones.bytes(dtype);
        for (const bool symmetric : {false, true}) {
          for (const bool in_place : {false, true}) {
            check_reduction(c, memory, {length, dtype, op, mine, combined}, symmetric, in_place);
          }
          if (op == ReduceOp::kAvg) {
            check_pieces(c, memory, {length, dtype, op, mine, combined}, symmetric);
          }
        }
      }
    }
  }
}

void check_data_movement(Communicator& c, const ConformanceSizes& sizes) {
  const int ranks = c.size();
  const auto parts = static_cast<std::size_t>(ranks);
  const int root = ranks - 1;
  Memory memory(c, longest(sizes) * 8 * parts);
  for_each_case(sizes, [&](std::size_t length, DType dtype, bool symmetric, bool in_place) {
    SCOPED_TRACE(trace(c, "data movement", dtype, length, symmetric, in_place));
    const std::size_t whole = length * parts;
    const auto own = static_cast<std::size_t>(c.rank()) * length;
    const auto mine = pattern_bytes(c.rank(), 0, length, dtype);
    std::vector<std::byte> everything;
    std::vector<std::byte> exchanged;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto theirs = pattern_bytes(rank, 0, length, dtype);
      const auto for_me = pattern_bytes(rank, own, length, dtype);
      everything.insert(everything.end(), theirs.begin(), theirs.end());
      exchanged.insert(exchanged.end(), for_me.begin(), for_me.end());
    }

    const Buffer in = memory.input(symmetric, whole, dtype);
    const Buffer out = memory.output(symmetric, whole, dtype);

    fill(in, pattern_bytes(c.rank(), 5, length, dtype));
    c.broadcast(in.part(0, length), root);
    expect_bytes(in.data(), pattern_bytes(root, 5, length, dtype), dtype);

    if (in_place) {
      fill(in.part(own, length), mine);
      c.all_gather(in);
      expect_bytes(in.data(), everything, dtype);
    } else {
      fill(in, mine);
      c.all_gather(in.part(0, length), out);
      expect_bytes(out.data(), everything, dtype);
      fill(out, std::vector<std::byte>(whole * size_of(dtype)));
      c.gather(in.part(0, length), out, root);
      if (c.rank() == root) {
        expect_bytes(out.data(), everything, dtype);
      }
      fill(in, pattern_bytes(c.rank(), 0, whole, dtype));
      c.scatter(in, out.part(0, length), root);
      expect_bytes(out.data(), pattern_bytes(root, own, length, dtype), dtype);
    }

    fill(in, pattern_bytes(c.rank(), 0, whole, dtype));
    in_place ? c.all_to_all(in) : c.all_to_all(in, out);
    expect_bytes(in_place ? in.data() : out.data(), exchanged, dtype);
  });
  c.barrier();
}

// Rank i sends (i * 7 + j * 1001) % 3000 elements to rank j, some of them none.
void check_all_to_all_v(Communicator& c) {
  const int ranks = c.size();
  const auto count = [](int from, int to) {
    return static_cast<std::size_t>((from * 7 + to * 1001 + 2993) % 3000);
  };
  std::vector<std::size_t> in_counts;
  std::vector<std::size_t> out_counts;
  std::vector<std::byte> expected;
  for (int peer = 0; peer < ranks; ++peer) {
    std::size_t before = 0;
    for (int other = 0; other < c.rank(); ++other) {
      before += count(peer, other);
    }
    const auto theirs = pattern_bytes(peer, before, count(peer, c.rank()), DType::kI32);
    expected.insert(expected.end(), theirs.begin(), theirs.end());
    in_counts.push_back(count(c.rank(), peer));
    out_counts.push_back(count(peer, c.rank()));
  }
  const std::size_t sent = std::accumulate(in_counts.begin(), in_counts.end(), std::size_t{0});
  const std::size_t received = std::accumulate(out_counts.begin(), out_counts.end(), std::size_t{0});
  Memory memory(c, 3000 * sizeof(std::int32_t) * static_cast<std::size_t>(ranks));
  for (const bool symmetric : {false, true}) {
    const Buffer in = memory.input(symmetric, sent, DType::kI32);
    const Buffer out = memory.output(symmetric, received, DType::kI32);
    fill(in, pattern_bytes(c.rank(), 0, sent, DType::kI32));
    c.all_to_all_v(in, in_counts, out, out_counts);
    expect_bytes(out.data(), expected, DType::kI32);
  }
}

void check_messages(Communicator& c) {
  const int next = (c.rank() + 1) % c.size();
  const int previous = (c.rank() + c.size() - 1) % c.size();
  for (const std::size_t length : {0UL, 1UL, 15UL, 4097UL, 100'003UL}) {
    const auto outgoing = pattern_bytes(c.rank(), length, length, DType::kF64);
    std::vector<std::byte> incoming(outgoing.size());
    const ConstBuffer from(outgoing.data(), length, DType::kF64);
    Work send = c.start_send(from, next, {.label = "around"});
    c.recv(Buffer(incoming.data(), length, DType::kF64), previous, {.label = "around"});
    send.wait();
    expect_bytes(incoming.data(), pattern_bytes(previous, length, length, DType::kF64), DType::kF64);
  }
  // Messages between two ranks arrive in order, however many are under way.
  std::vector<std::vector<std::int32_t>> numbers(20, std::vector<std::int32_t>(1000));
  std::vector<Work> sends;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i].assign(1000, static_cast<std::int32_t>(i));
    sends.push_back(c.start_send(numbers[i], next));
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::vector<std::int32_t> received(1000);
    c.recv(received, previous);
    EXPECT_EQ(received, std::vector<std::int32_t>(1000, static_cast<std::int32_t>(i)));
  }
  for (auto& send : sends) {
    send.wait();
  }
}

void check_shared_memory(Communicator& c) {
  if (!c.shares_memory()) {
    try {
      c.allocate_shared(64);
      ADD_FAILURE() << "memory in common on the " << c.backend_name() << " backend";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
      EXPECT_EQ(error.message(),
                "ranks of the " + std::string(c.backend_name()) + " backend have no memory in common");
    }
    c.barrier();  // it has not failed for that
    return;
  }
  constexpr std::size_t kEach = 5000;
  const auto size = static_cast<std::size_t>(c.size());
  SharedMemory one = c.allocate_shared(kEach * size);
  const SharedMemory other = c.allocate_shared(kEach * size);
  EXPECT_EQ(one.bytes(), kEach * size);
  for (int round = 1; round <= 3; ++round) {
    const auto value = [&](std::size_t rank) { return static_cast<int>(rank) * 3 + round; };
    std::memset(one.writable() + kEach * static_cast<std::size_t>(c.rank()),
                value(static_cast<std::size_t>(c.rank())), kEach);
    c.barrier();
    for (std::size_t i = 0; i < one.bytes(); ++i) {
      ASSERT_EQ(static_cast<int>(one.data()[i]), value(i / kEach)) << "byte " << i << " in round " << round;
      ASSERT_EQ(static_cast<int>(other.data()[i]), 0);
    }
    c.barrier();
  }
  if (c.rank() == 0) {
    one = {};  // the others keep it
  }
  c.barrier();
  if (c.rank() == 1) {
    EXPECT_EQ(static_cast<int>(one.data()[0]), 3);
  }
}

void check_several_in_flight(Communicator& c) {
  constexpr std::size_t kWorks = 24;
  SymmetricMemory symmetric = c.allocate(kWorks * 5000 * sizeof(float));
  std::vector<std::vector<float>> ordinary(kWorks, std::vector<float>(5000));
  for (int round = 0; round < 3; ++round) {
    std::vector<Buffer> buffers;
    std::vector<Work> works;
    for (std::size_t i = 0; i < kWorks; ++i) {
      const std::size_t length = i % 5 == 0 ? 10 : 5000 - i;
      const Buffer place =
          i % 2 == 0 ? Buffer(symmetric.as<float>().subspan(i * 5000, 5000)) : Buffer(ordinary[i]);
      buffers.push_back(place.part(0, length));
      fill(buffers.back(), pattern_bytes(c.rank(), i, length, DType::kF32));
      works.push_back(
          c.start_all_reduce(buffers.back(), ReduceOp::kSum, {.label = "bucket " + std::to_string(i)}));
    }
    // Finished in another order on every rank, by polling and by waiting.
    for (std::size_t i = 0; i < kWorks; ++i) {
      const std::size_t next = (i * 7 + static_cast<std::size_t>(c.rank() + round)) % kWorks;
      if (i % 3 == 0) {
        while (!works[next].poll()) {
        }
      }
      works[next].wait();
      expect_bytes(buffers[next].data(),
                   Combined(c.size(), next, buffers[next].count(), ReduceOp::kSum).bytes(DType::kF32),
                   DType::kF32);
    }
  }
  // More than any bound on what may be in flight.
  std::vector<float> values(300, 1.0F);
  std::vector<Work> works;
  for (auto& value : values) {
    works.push_back(c.start_all_reduce(std::span(&value, 1), ReduceOp::kSum));
  }
  works.clear();  // waits
  EXPECT_EQ(values, std::vector<float>(300, static_cast<float>(c.size())));
}

void check_groups(Communicator& c) {
  // Odd and even ranks in reverse order; each group does something else at the same time as the other.
  auto part = c.split(c.rank() % 2, -c.rank());
  ASSERT_TRUE(part);
  const int members = (c.size() + 1 - c.rank() % 2) / 2;
  EXPECT_EQ(part->size(), members);
  EXPECT_EQ(part->rank(), members - 1 - c.rank() / 2);
  std::vector<float> all(static_cast<std::size_t>(members));
  for (int i = 0; i < 20; ++i) {
    if (c.rank() % 2 == 0) {
      part->all_gather(std::vector<float>{static_cast<float>(c.rank())}, all);
      for (int member = 0; member < members; ++member) {
        EXPECT_EQ(all[static_cast<std::size_t>(member)], static_cast<float>(2 * (members - 1 - member)));
      }
    } else {
      std::vector<std::int64_t> sum(2000, c.rank());
      part->all_reduce(sum, ReduceOp::kMax);
      EXPECT_EQ(sum[1999], 2 * members - 1);
    }
  }
  // A rank that waits in one group still does its part in another.
  std::vector<float> in_whole(3000, 1.0F);
  std::vector<float> in_part(3000, 1.0F);
  {
    Work whole = c.start_all_reduce(in_whole, ReduceOp::kSum);
    Work partial = part->start_all_reduce(in_part, ReduceOp::kSum);
    if (c.rank() % 2 == 0) {
      whole.wait();
      partial.wait();
    } else {
      partial.wait();
      whole.wait();
    }
  }
  EXPECT_EQ(in_whole[2999], static_cast<float>(c.size()));
  EXPECT_EQ(in_part[2999], static_cast<float>(members));
  EXPECT_FALSE(c.split(-1, 0)) << "a negative color joins no group";
  auto again = c.split(0, c.rank());
  ASSERT_TRUE(again);
  again->barrier();
}

namespace {

void expect_refused(const std::string& text, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << "accepted: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

}  // namespace

// Mistakes that concern one rank alone are refused there, and the communicator goes on.
void check_arguments(Communicator& c) {
  std::vector<float> floats(static_cast<std::size_t>(c.size()) * 4);
  std::vector<double> doubles(floats.size());
  const std::span<float> all(floats);
  expect_refused("root 99 is not a rank of this group", [&] { c.broadcast(floats, 99); });
  expect_refused("root -1 is not a rank", [&] { c.reduce(floats, ReduceOp::kSum, -1); });
  expect_refused("peer 99 is not a rank", [&] { c.send(floats, 99); });
  expect_refused("the input has type f32, the output f64",
                 [&] { c.all_reduce(floats, doubles, ReduceOp::kSum); });
  expect_refused("elements are not",
                 [&] { c.all_gather(all.subspan(0, 3), doubles.empty() ? Buffer() : Buffer(floats)); });
  if (c.size() > 1) {
    expect_refused("cannot be divided among", [&] { c.reduce_scatter(all.subspan(0, 1), ReduceOp::kSum); });
  }
  const auto reduce_with = [&](std::vector<InputPiece> pieces) {
    c.reduce_scatter(all, ReduceOp::kSum, pieces);
  };
  const std::vector<float> apart(4);
  expect_refused("the input has type f64, the output f32", [&] { reduce_with({{0, doubles}}); });
  expect_refused("a piece ends at element 5 of a part of 4", [&] { reduce_with({{1, apart}}); });
  expect_refused("a piece begins at element 1, before the end of the one before it at 4", [&] {
    reduce_with({{0, apart}, {1, std::span(apart).first(2)}});
  });
  expect_refused("a piece overlaps the part it is a piece of", [&] {
    reduce_with({{0, all.subspan(4 * static_cast<std::size_t>(c.rank()), 4)}});
  });
  expect_refused("overlap; pass one buffer to work in place",
                 [&] { c.all_reduce(all.subspan(0, 3), all.subspan(1, 3), ReduceOp::kSum); });
  auto* between = reinterpret_cast<std::byte*>(floats.data()) + 1;
  expect_refused("not aligned to its 4-byte elements",
                 [&] { c.all_reduce(Buffer(between, 3, DType::kF32), ReduceOp::kSum); });
  const std::vector<std::size_t> wrong_counts(static_cast<std::size_t>(c.size()), 1);
  expect_refused("counts add up to", [&] { c.all_to_all_v(floats, wrong_counts, floats, wrong_counts); });
  c.barrier();
}

namespace {

struct Recorder : OperationObserver {
  void on_start(const Operation& operation) override { log += "start " + operation.describe() + "\n"; }
  void on_finish(const Operation& operation, std::chrono::nanoseconds, const Error* error) override {
    log += (error == nullptr ? "finish " : "fail ") + operation.describe() + "\n";
  }
  std::string log;
};

}  // namespace

void check_observers(Communicator& c) {
  auto part = c.split(0, c.rank());  // numbers start over
  ASSERT_TRUE(part);
  const auto recorder = std::make_shared<Recorder>();
  part->attach(recorder);
  std::vector<float> values(3);
  part->all_reduce(values, ReduceOp::kAvg, {.label = "loss"});
  part->barrier();
  part->broadcast(values, 0);
  EXPECT_EQ(recorder->log,
            "start all_reduce #0 of 3 x f32, avg, 'loss'\nfinish all_reduce #0 of 3 x f32, avg, 'loss'\n"
            "start barrier #1\nfinish barrier #1\n"
            "start broadcast #2 of 3 x f32, root 0\nfinish broadcast #2 of 3 x f32, root 0\n");
}

}  // namespace lockstep::testing
