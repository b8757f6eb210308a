#pragma once

// The memory of the machine that executes a pickle: a stack of values with marks, and a memo of numbered values. All of
// it is bounded, and anything an instruction does not find is an error with its place.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "convert/pickle_tape.h"
#include "convert/pickle_value.h"

namespace lockstep::convert {

class PickleStack {
 public:
  // `tape` is for errors, and must outlive the stack.
  explicit PickleStack(const PickleTape& tape) : tape_(tape) {}

  void push(PickledValue value);
  // A value that exists already.
  void push_again(ValueId id);
  ValueId pop();
  std::vector<ValueId> pop(std::size_t count);
  ValueId top() const;

  void mark();
  std::vector<ValueId> pop_to_mark();

  // Stores the top under that number.
  void remember(std::uint32_t number);
  void recall(std::uint32_t number);

  // A value of that type; `expected` describes it for the error.
  template <class T>
  T& get(ValueId id, std::string_view expected) {
    if (T* value = std::get_if<T>(&pickle_.values[id])) {
      return *value;
    }
    throw tape_.corrupt(fmt::format("expected {}, found {}", expected, kind_of(pickle_.values[id])));
  }

  // The top is the result. The stack cannot be used afterwards.
  Pickle take();

 private:
  // Values below the last mark belong to a container that is not filled yet.
  std::size_t reachable() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }
  void require_room(std::size_t count) const;

  const PickleTape& tape_;
  Pickle pickle_;
  std::vector<ValueId> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint32_t, ValueId> memo_;
};

}  // namespace lockstep::convert
