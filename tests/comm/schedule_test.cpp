#include "comm/schedule.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep {
namespace {

// Runs the schedule of every rank, round by round, on made-up memory with elements of one byte, and notes any
// byte that one rank writes while another touches it in the same round. Sums are modulo 256.
class Machine {
 public:
  // Each rank's buffers lie in one block of memory, at these offsets; in place they overlap.
  struct Layout {
    std::size_t input = 0;
    std::size_t output = 0;
    std::size_t bytes = 0;
  };

  Machine(const Plan& plan, std::vector<Layout> layouts) : plan_(plan), layouts_(std::move(layouts)) {
    for (const auto& layout : layouts_) {
      memory_.emplace_back(layout.bytes + kStagingBuffers * plan.staging_bytes);
      touches_.emplace_back(memory_.back().size());
    }
  }

  std::uint8_t& at(Area area, int rank, std::size_t offset) {
    return memory_[static_cast<std::size_t>(rank)].at(position(area, rank, offset));
  }

  void run() {
    announced_ = memory_;
    std::vector<Action> actions;
    for (round_ = 0; round_ < plan_.rounds(); ++round_) {
      for (auto& touches : touches_) {
        touches.assign(touches.size(), {});
      }
      for (int rank = 0; rank < plan_.ranks; ++rank) {
        actions.clear();
        append_actions(plan_, rank, round_, actions);
        for (const auto& action : actions) {
          execute(action, rank);
        }
      }
    }
  }

  const std::optional<std::string>& race() const { return race_; }

 private:
  struct Touch {
    int writer = -1;
    int reader = -1;
    bool several_readers = false;
  };

  std::size_t position(Area area, int rank, std::size_t offset) const {
    const Layout& layout = layouts_[static_cast<std::size_t>(rank)];
    switch (area) {
      case Area::kInput:
      case Area::kInline:
        return layout.input + offset;
      case Area::kOutput:
        return layout.output + offset;
      case Area::kStaging:
        return layout.bytes + offset;
    }
    return 0;
  }

  void note_race(int rank, const char* what, int other) {
    race_ =
        "round " + std::to_string(round_) + ": rank " + std::to_string(rank) + what + std::to_string(other);
  }

  std::uint8_t read(const Place& place, std::size_t index, int rank) {
    const std::size_t where = position(place.area, place.rank, place.offset + index);
    if (place.area == Area::kInline) {  // a copy that came with the announcement; nobody writes to it
      return announced_[static_cast<std::size_t>(place.rank)].at(where);
    }
    Touch& touch = touches_[static_cast<std::size_t>(place.rank)].at(where);
    if (touch.writer != -1 && touch.writer != rank) {
      note_race(rank, " reads what is written by rank ", touch.writer);
    }
    touch.several_readers |= touch.reader != -1 && touch.reader != rank;
    touch.reader = rank;
    return memory_[static_cast<std::size_t>(place.rank)].at(where);
  }

  void write(const Place& place, std::size_t index, int rank, std::uint8_t value) {
    const std::size_t where = position(place.area, place.rank, place.offset + index);
    Touch& touch = touches_[static_cast<std::size_t>(place.rank)].at(where);
    if (touch.writer != -1 && touch.writer != rank) {
      note_race(rank, " writes what is written by rank ", touch.writer);
    }
    if (touch.several_readers || (touch.reader != -1 && touch.reader != rank)) {
      note_race(rank, " writes what is read by rank ", touch.reader);
    }
    touch.writer = rank;
    memory_[static_cast<std::size_t>(place.rank)].at(where) = value;
  }

  void execute(const Action& action, int rank) {
    for (std::size_t i = 0; i < action.bytes; ++i) {
      std::uint8_t value = 0;
      for (int source = 0; source < plan_.ranks; ++source) {
        if (action.kind == Action::Kind::kReduce || source == action.from.rank) {
          value = static_cast<std::uint8_t>(value +
                                            read({action.from.area, source, action.from.offset}, i, rank));
        }
      }
      for (int target = 0; target < plan_.ranks; ++target) {
        if (action.target == Action::Target::kAll || target == action.to.rank) {
          write({action.to.area, target, action.to.offset}, i, rank, value);
        }
      }
    }
  }

  Plan plan_;
  std::vector<Layout> layouts_;
  std::vector<std::vector<std::uint8_t>> memory_;
  std::vector<std::vector<std::uint8_t>> announced_;
  std::vector<std::vector<Touch>> touches_;
  std::size_t round_ = 0;
  std::optional<std::string> race_;
};

std::uint8_t value_of(int rank, std::size_t index) {
  return static_cast<std::uint8_t>(static_cast<std::size_t>(rank) * 31 + index * 7 + index / 251);
}

struct Case {
  OperationKind kind;
  Path path;
  int ranks;
  std::size_t part;  // bytes of one part, or of the whole where there are no parts
  bool in_place;

  std::string describe() const {
    static const char* const kPaths[] = {"inline", "direct", "staged"};
    return std::string(to_string(kind)) + " " + kPaths[static_cast<int>(path)] + ", " +
           std::to_string(ranks) + " ranks, " + std::to_string(part) + " bytes" +
           (in_place ? ", in place" : "");
  }

  int root() const { return ranks - 1; }
  std::size_t whole() const { return part * static_cast<std::size_t>(ranks); }
  bool input_has_parts() const {
    return kind == OperationKind::kReduceScatter || kind == OperationKind::kScatter ||
           kind == OperationKind::kAllToAll;
  }

  Machine::Layout layout(int rank) const {
    const std::size_t own = static_cast<std::size_t>(rank) * part;
    if (!in_place) {
      return {.input = 0, .output = whole(), .bytes = 2 * whole()};
    }
    return {.input = kind == OperationKind::kAllGather ? own : 0,
            .output = kind == OperationKind::kReduceScatter ? own : 0,
            .bytes = whole()};
  }

  std::uint8_t sum(std::size_t index) const {
    std::uint8_t result = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      result = static_cast<std::uint8_t>(result + value_of(rank, index));
    }
    return result;
  }

  // What rank's output holds in the end; nothing where it does not matter.
  std::vector<std::uint8_t> expected(int rank) const {
    std::vector<std::uint8_t> bytes;
    const std::size_t own = static_cast<std::size_t>(rank) * part;
    const auto fill = [&](std::size_t count, auto byte_at) {
      for (std::size_t i = 0; i < count; ++i) {
        bytes.push_back(byte_at(i));
      }
    };
    switch (kind) {
      case OperationKind::kAllReduce:
        fill(part, [&](std::size_t i) { return sum(i); });
        break;
      case OperationKind::kReduce:
        fill(rank == root() ? part : 0, [&](std::size_t i) { return sum(i); });
        break;
      case OperationKind::kReduceScatter:
        fill(part, [&](std::size_t i) { return sum(own + i); });
        break;
      case OperationKind::kBroadcast:
        fill(rank == root() ? 0 : part, [&](std::size_t i) { return value_of(root(), i); });
        break;
      case OperationKind::kScatter:
        fill(part, [&](std::size_t i) { return value_of(root(), own + i); });
        break;
      case OperationKind::kGather:
      case OperationKind::kAllGather:
        fill(kind == OperationKind::kAllGather || rank == root() ? whole() : 0,
             [&](std::size_t i) { return value_of(static_cast<int>(i / part), i % part); });
        break;
      case OperationKind::kAllToAll:
        fill(whole(), [&](std::size_t i) { return value_of(static_cast<int>(i / part), own + i % part); });
        break;
      default:
        break;
    }
    return bytes;
  }
};

void check(const Case& c) {
  SCOPED_TRACE(c.describe());
  const Plan plan{.kind = c.kind,
                  .path = c.path,
                  .ranks = c.ranks,
                  .root = c.root(),
                  .element_bytes = 1,
                  .bytes = c.input_has_parts() ? c.whole() : c.part,
                  .staging_bytes = 512,
                  .matrix = {}};
  std::vector<Machine::Layout> layouts;
  for (int rank = 0; rank < c.ranks; ++rank) {
    layouts.push_back(c.layout(rank));
  }
  Machine machine(plan, layouts);
  for (int rank = 0; rank < c.ranks; ++rank) {
    for (std::size_t i = 0; i < plan.bytes; ++i) {
      machine.at(Area::kInput, rank, i) = value_of(rank, i);
    }
  }
  machine.run();
  ASSERT_FALSE(machine.race()) << *machine.race();
  for (int rank = 0; rank < c.ranks; ++rank) {
    const auto expected = c.expected(rank);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(machine.at(Area::kOutput, rank, i), expected[i]) << "rank " << rank << ", byte " << i;
    }
  }
}

class Schedule : public ::testing::TestWithParam<OperationKind> {};

TEST_P(Schedule, MovesEveryByteToItsPlaceWithoutARace) {
  const OperationKind kind = GetParam();
  const bool has_in_place_form = kind == OperationKind::kReduce || kind == OperationKind::kAllReduce ||
                                 kind == OperationKind::kReduceScatter || kind == OperationKind::kAllGather ||
                                 kind == OperationKind::kAllToAll;
  for (const auto path : {Path::kInline, Path::kDirect, Path::kStaged}) {
    for (const int ranks : {1, 2, 3, 4, 7}) {
      for (const std::size_t part : {1UL, 64UL, 449UL, 1500UL}) {
        check({kind, path, ranks, part, false});
        const bool never_direct = kind == OperationKind::kAllToAll && path == Path::kDirect;
        if (has_in_place_form && !never_direct) {
          check({kind, path, ranks, part, true});
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Schedule,
                         ::testing::Values(OperationKind::kBroadcast, OperationKind::kReduce,
                                           OperationKind::kAllReduce, OperationKind::kReduceScatter,
                                           OperationKind::kAllGather, OperationKind::kGather,
                                           OperationKind::kScatter, OperationKind::kAllToAll),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST(ScheduleOfAllToAllV, MovesPartsOfDifferentSizes) {
  constexpr int kRanks = 3;
  const std::vector<std::size_t> matrix = {5, 0, 700, 1, 2, 3, 0, 900, 64};  // from row to column
  for (const auto path : {Path::kDirect, Path::kStaged}) {
    const Plan plan{.kind = OperationKind::kAllToAllV,
                    .path = path,
                    .ranks = kRanks,
                    .root = -1,
                    .element_bytes = 1,
                    .bytes = 0,
                    .staging_bytes = 512,
                    .matrix = matrix};
    Machine machine(plan, std::vector<Machine::Layout>(kRanks, {.input = 0, .output = 2000, .bytes = 4000}));
    for (int rank = 0; rank < kRanks; ++rank) {
      for (std::size_t i = 0; i < 2000; ++i) {
        machine.at(Area::kInput, rank, i) = value_of(rank, i);
      }
    }
    machine.run();
    ASSERT_FALSE(machine.race()) << *machine.race();
    for (int to = 0; to < kRanks; ++to) {
      std::size_t out = 0;
      for (int from = 0; from < kRanks; ++from) {
        std::size_t in = 0;
        for (int before = 0; before < to; ++before) {
          in += matrix[static_cast<std::size_t>(from * kRanks + before)];
        }
        for (std::size_t i = 0; i < matrix[static_cast<std::size_t>(from * kRanks + to)]; ++i) {
          ASSERT_EQ(machine.at(Area::kOutput, to, out++), value_of(from, in + i)) << from << " to " << to;
        }
      }
    }
  }
}

TEST(ScheduleRounds, OverlapChunksInsteadOfAddingStages) {
  Plan plan{.kind = OperationKind::kAllReduce,
            .path = Path::kStaged,
            .ranks = 2,
            .root = -1,
            .element_bytes = 4,
            .bytes = 5120,
            .staging_bytes = 512,
            .matrix = {}};
  EXPECT_EQ(plan.rounds(), 12U) << "ten chunks, three stages";
  plan.kind = OperationKind::kAllGather;
  EXPECT_EQ(plan.rounds(), 11U) << "ten chunks, two stages";
  plan.path = Path::kDirect;
  EXPECT_EQ(plan.rounds(), 1U);
}

}  // namespace
}  // namespace lockstep
