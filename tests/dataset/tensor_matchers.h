#pragma once

// What the tests of data sets compare: tensors by all that belongs to them, and batches with their samples.

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "lockstep/dataset.h"

namespace lockstep {

inline void expect_same(const torch::Tensor& found, const torch::Tensor& expected) {
  EXPECT_EQ(found.scalar_type(), expected.scalar_type());
  EXPECT_TRUE(torch::equal(found, expected)) << "found " << found << "\nexpected " << expected;
}

inline void expect_same(const Tensors& found, const Tensors& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    expect_same(found[i], expected[i]);
  }
}

inline Tensors sample_of(const Dataset& data, std::uint64_t index, const BatchKey& key = {}) {
  SampleRandom random({.seed = key.seed, .epoch = key.epoch, .index = index});
  return data.get(index, random);
}

// What every data set owes: a batch is its samples, stacked, and nothing that it gives out is its own memory.
inline void expect_honours_contract(const Dataset& data, const std::vector<std::uint64_t>& indices) {
  const BatchKey key{.seed = 3, .epoch = 2};
  std::vector<Tensors> columns;
  for (const std::uint64_t index : indices) {
    const Tensors sample = sample_of(data, index, key);
    columns.resize(sample.size());
    for (std::size_t i = 0; i < sample.size(); ++i) {
      columns[i].push_back(sample[i]);
    }
  }
  Tensors expected;
  for (const Tensors& column : columns) {
    expected.push_back(torch::stack(column));
  }
  Tensors batch = data.get_batch(indices, key);
  expect_same(batch, expected);
  EXPECT_TRUE(data.get_batch({}, key).empty());
  for (Tensors& given : std::vector<Tensors>{batch, sample_of(data, indices.front(), key)}) {
    for (torch::Tensor& tensor : given) {
      tensor.fill_(99);
    }
  }
  expect_same(data.get_batch(indices, key), expected);
  for (std::size_t i = 0; i + 1 < batch.size(); ++i) {
    EXPECT_FALSE(batch[i].is_alias_of(batch[i + 1]));
  }
}

}  // namespace lockstep
