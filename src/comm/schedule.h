#pragma once

// What each rank does in a collective, as plain data. Backends between hosts use the inline path, shared memory
// all three.
//
// A collective runs in rounds. In a round every rank does its own actions, copies and reductions; a round
// begins when all ranks have finished the one before. No byte that one rank writes in a round is touched by
// another rank in the same round; tests/comm/schedule_test.cpp holds every schedule to that.
//
// There are three ways to do the same collective:
//   inline   a few KiB: the data came along with the announcement of the collective, so nobody waits twice;
//   direct   the buffers lie in symmetric memory: one round, every rank reads and writes the others' buffers;
//   staged   any memory: chunks go through a staging area of each rank. Round i copies chunk i in while chunk
//            i - 1 is combined and chunk i - 2 is copied out, so one wait per round keeps three areas busy.
//
// A reduction of N bytes in p ranks moves 2N bytes per rank when direct (every rank combines its slice and
// pushes it to all), the least possible, and 6N when staged.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/operation.h"

namespace lockstep {

enum class Path : std::uint8_t { kInline, kDirect, kStaged };

// Where bytes are. Every rank has one of each area; `rank` says whose.
enum class Area : std::uint8_t { kInput, kOutput, kInline, kStaging };

struct Place {
  Area area = Area::kInput;
  int rank = 0;
  std::size_t offset = 0;
};

struct Action {
  enum class Kind : std::uint8_t { kCopy, kReduce };
  // Where a reduction goes: to one place, or to the same place on every rank.
  enum class Target : std::uint8_t { kOne, kAll };

  Kind kind = Kind::kCopy;
  Target target = Target::kOne;
  Place from;  // kReduce: the same area and offset on every rank; `rank` is not used
  Place to;
  std::size_t bytes = 0;  // kReduce: a whole number of elements
};

inline constexpr int kStagingBuffers = 3;

// One collective, the same on every rank.
struct Plan {
  OperationKind kind = OperationKind::kBarrier;
  Path path = Path::kStaged;
  int ranks = 1;
  int root = -1;
  std::size_t element_bytes = 1;
  std::size_t bytes = 0;          // what each rank contributes: Operation::count elements
  std::size_t staging_bytes = 0;  // of one of the kStagingBuffers areas of each rank
  // all_to_all_v: bytes from rank i to rank j at [i * ranks + j]
  std::span<const std::size_t> matrix = {};

  // How many rounds there are. kInline has one, which waits for the announcements only.
  std::size_t rounds() const;
  // Whether the last round touches other ranks' buffers, so that none may return before all are through.
  bool closes_together() const { return path == Path::kDirect; }
};

// What `rank` does in a round. Appends to `actions`.
void append_actions(const Plan& plan, int rank, std::size_t round, std::vector<Action>& actions);

// The bytes of its input that `rank` announces inline; nothing for a rank whose input does not matter.
std::size_t inline_bytes(const Plan& plan, int rank);

}  // namespace lockstep
