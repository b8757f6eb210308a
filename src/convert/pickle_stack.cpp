#include "convert/pickle_stack.h"

#include <utility>

namespace lockstep::convert {
namespace {

// A tensor takes some thirty.
constexpr std::size_t kMostValues = 2'000'000;
// Containers being filled; a tensor in a dict in a dict takes four.
constexpr std::size_t kMostMarks = 1000;

}  // namespace

void PickleStack::require_room(std::size_t count) const {
  if (count >= kMostValues) {
    throw tape_.exhausted(fmt::format("it has more than {} values", kMostValues));
  }
}

void PickleStack::push(PickledValue value) {
  require_room(pickle_.values.size());
  push_again(static_cast<ValueId>(pickle_.values.size()));
  pickle_.values.push_back(std::move(value));
}

void PickleStack::push_again(ValueId id) {
  require_room(stack_.size());
  stack_.push_back(id);
}

ValueId PickleStack::pop() {
  const ValueId id = top();
  stack_.pop_back();
  return id;
}

std::vector<ValueId> PickleStack::pop(std::size_t count) {
  if (reachable() < count) {
    throw tape_.corrupt(fmt::format("expected {} values on the stack, found {}", count, reachable()));
  }
  const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
  std::vector<ValueId> items(first, stack_.end());
  stack_.erase(first, stack_.end());
  return items;
}

ValueId PickleStack::top() const {
  if (reachable() == 0) {
    throw tape_.corrupt("expected a value on the stack, found none");
  }
  return stack_.back();
}

void PickleStack::mark() {
  if (marks_.size() >= kMostMarks) {
    throw tape_.exhausted(fmt::format("it is nested deeper than {} levels", kMostMarks));
  }
  marks_.push_back(stack_.size());
}

std::vector<ValueId> PickleStack::pop_to_mark() {
  if (marks_.empty()) {
    throw tape_.corrupt("expected a mark on the stack, found none");
  }
  std::vector<ValueId> items = pop(reachable());
  marks_.pop_back();
  return items;
}

void PickleStack::remember(std::uint32_t number) {
  require_room(memo_.size());
  memo_[number] = top();
}

void PickleStack::recall(std::uint32_t number) {
  const auto found = memo_.find(number);
  if (found == memo_.end()) {
    throw tape_.corrupt(fmt::format("expected a value that was remembered as {}, found none", number));
  }
  push_again(found->second);
}

Pickle PickleStack::take() {
  pickle_.root = pop();
  return std::move(pickle_);
}

}  // namespace lockstep::convert
