// However a step runs, its result is the same: to the bit for any numbers, and equal to an oracle for integers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "reduce/shm_ranks.h"

namespace lockstep::testing {
namespace {

constexpr int kWorldSize = 3;
constexpr int kSteps = 100;

class Schedules : public ::testing::TestWithParam<RankMode> {};

std::mt19937 random_for(unsigned seed, int rank, int step, std::size_t gradient) {
  std::seed_seq sequence{seed, static_cast<unsigned>(rank), static_cast<unsigned>(step),
                         static_cast<unsigned>(gradient)};
  return std::mt19937(sequence);
}

std::vector<std::size_t> shuffled(std::size_t count, std::mt19937& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

void dawdle(GradientSync& sync, std::mt19937& random) {
  switch (random() % 4) {
    case 0:
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 100));
      break;
    case 1:
      sync.poll();
      break;
    case 2:
      std::this_thread::yield();
      break;
    default:
      break;
  }
}

struct Schedule {
  std::vector<std::size_t> caps;
  Progress progress = Progress::kInline;
  bool follow_arrival_order = true;
  unsigned seed = 0;
};

std::vector<GradientSpec> specs_of_all_types() {
  constexpr DType kTypes[] = {DType::kF32, DType::kF32, DType::kF64, DType::kF16, DType::kF32, DType::kBF16};
  std::vector<GradientSpec> specs;
  for (std::size_t i = 0; i < 12; ++i) {
    specs.push_back({.name = "g" + std::to_string(i), .count = 1 + 37 * i, .dtype = kTypes[i % 6]});
  }
  return specs;
}

// Any bits that are a number of moderate size: the exponents are those of the type's middle.
void put_random(const Buffer& buffer, std::mt19937& random) {
  std::normal_distribution<double> normal(0.0, 10.0);
  for (std::size_t i = 0; i < buffer.count(); ++i) {
    switch (buffer.dtype()) {
      case DType::kF64:
        reinterpret_cast<double*>(buffer.data())[i] = normal(random);
        break;
      case DType::kF32:
        reinterpret_cast<float*>(buffer.data())[i] = static_cast<float>(normal(random));
        break;
      default:  // f16 and bf16: 1 to 2 with either sign
        reinterpret_cast<std::uint16_t*>(buffer.data())[i] = static_cast<std::uint16_t>(
            (buffer.dtype() == DType::kF16 ? 0x3c00U : 0x3f80U) | (random() & 0x807fU));
        break;
    }
  }
}

// A number that stands for all bits of all gradients in all steps.
std::string run_schedule(Communicator& communicator, int rank, const Schedule& schedule) {
  GradientSync sync(communicator, specs_of_all_types(),
                    {.bucket_caps = schedule.caps,
                     .progress = schedule.progress,
                     .follow_arrival_order = schedule.follow_arrival_order});
  std::mt19937 random = random_for(schedule.seed, rank, 0, 0);
  std::uint64_t digest = 0;
  for (int step = 0; step < kSteps; ++step) {
    for (const std::size_t index : shuffled(sync.size(), random)) {
      std::mt19937 values = random_for(1, rank, step, index);
      put_random(sync.gradient(index), values);
      sync.mark_ready(index);
      dawdle(sync, random);
    }
    sync.finish();
    for (std::size_t index = 0; index < sync.size(); ++index) {
      const Buffer gradient = sync.gradient(index);
      const std::string_view bytes(reinterpret_cast<const char*>(gradient.data()), gradient.bytes());
      digest = digest * 31 + std::hash<std::string_view>()(bytes);
    }
  }
  return std::to_string(digest);
}

TEST_P(Schedules, DoNotChangeABit) {
  const std::vector<Schedule> schedules = {
      {.caps = {1 << 20}, .follow_arrival_order = false, .seed = 10},
      {.caps = {1}, .seed = 11},
      {.caps = {512, 2048}, .seed = 12},
      {.caps = {512, 2048}, .progress = Progress::kThread, .seed = 13},
      {.caps = {1}, .progress = Progress::kThread, .follow_arrival_order = false, .seed = 14},
  };
  std::set<std::string> seen;
  for (const Schedule& schedule : schedules) {
    const auto results = run_with_communicator(kWorldSize, GetParam(),
                                               [&schedule](Communicator& communicator, RankContext& rank) {
                                                 return run_schedule(communicator, rank.rank(), schedule);
                                               });
    results.expect_all_ok();
    for (const RankResult& result : results) {
      seen.insert(result.value);
    }
    ASSERT_EQ(seen.size(), 1U) << "schedule " << schedule.seed;
  }
}

// What a rank does with a gradient in a step, and with which integer; every rank can compute it for all others.
struct Deed {
  enum { kNothing, kMark, kInclude } kind = kNothing;
  int base = 0;
};

Deed deed_of(int rank, int step, std::size_t gradient) {
  std::mt19937 random = random_for(2, rank, step, gradient);
  Deed deed;
  deed.kind = random() % 8 == 0 ? Deed::kNothing : random() % 8 == 0 ? Deed::kInclude : Deed::kMark;
  deed.base = static_cast<int>(random() % 2000) - 1000;
  return deed;
}

// Thrice an integer, so that the mean of three ranks is one.
template <class T>
T element(const Deed& deed, std::size_t k) {
  return deed.kind == Deed::kNothing ? T{0} : static_cast<T>(3 * (deed.base + static_cast<int>(k % 11)));
}

template <class T>
void put(const GradientSync& sync, std::size_t index, const Deed& deed) {
  const auto values = sync.values<T>(index);
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = element<T>(deed, k);
  }
}

template <class T>
void expect_mean(const GradientSync& sync, std::size_t index, int step) {
  std::vector<Deed> deeds;
  bool used = false;
  for (int rank = 0; rank < kWorldSize; ++rank) {
    deeds.push_back(deed_of(rank, step, index));
    used = used || deeds.back().kind != Deed::kNothing;
  }
  EXPECT_EQ(sync.used_anywhere(index), used);
  const auto values = sync.values<T>(index);
  for (std::size_t k = 0; k < values.size(); ++k) {
    T sum = 0;
    for (const Deed& deed : deeds) {
      sum += element<T>(deed, k);
    }
    ASSERT_EQ(values[k], sum / kWorldSize) << "gradient " << index << " element " << k << " step " << step;
  }
}

template <class Call>
void with_type(const GradientSync& sync, std::size_t index, Call call) {
  if (sync.spec(index).dtype == DType::kF64) {
    call(double{});
  } else {
    call(float{});
  }
}

TEST_P(Schedules, EqualAnOracleInIntegers) {
  for (const Progress progress : {Progress::kInline, Progress::kThread}) {
    std::mt19937 sizes(37);
    std::vector<GradientSpec> specs;
    for (int i = 0; i < 37; ++i) {
      specs.push_back({.name = "g" + std::to_string(i),
                       .count = sizes() % (1U << (sizes() % 11)),
                       .dtype = i % 5 == 3 ? DType::kF64 : DType::kF32});
    }
    run_with_communicator(
        kWorldSize, GetParam(),
        [&, progress](Communicator& communicator, RankContext& rank) {
          GradientSync sync(communicator, specs, {.bucket_caps = {600, 3000}, .progress = progress});
          std::mt19937 random = random_for(3, rank.rank(), 0, 0);
          for (int step = 0; step < kSteps; ++step) {
            for (const std::size_t index : shuffled(sync.size(), random)) {
              const Deed deed = deed_of(rank.rank(), step, index);
              with_type(sync, index, [&](auto type) { put<decltype(type)>(sync, index, deed); });
              if (deed.kind == Deed::kMark) {
                sync.mark_ready(index);
              } else if (deed.kind == Deed::kInclude) {
                sync.include(index);
              }
              dawdle(sync, random);
            }
            sync.finish();
            for (std::size_t index = 0; index < sync.size(); ++index) {
              with_type(sync, index, [&](auto type) { expect_mean<decltype(type)>(sync, index, step); });
            }
          }
          EXPECT_EQ(sync.generation(), 1U);
        })
        .expect_all_ok();
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Schedules, ::testing::ValuesIn(kRankModes), rank_mode_name);

}  // namespace
}  // namespace lockstep::testing
