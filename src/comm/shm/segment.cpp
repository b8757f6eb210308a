#include "comm/shm/segment.h"

#include "comm/schedule.h"

namespace lockstep {

std::size_t SegmentLayout::staging_offset() const {
  return mailboxes_offset() + static_cast<std::size_t>(ranks) * sizeof(Mailbox);
}

std::size_t SegmentLayout::total_bytes() const {
  return staging_offset() + kStagingBuffers * staging_bytes;
}

Segments::Segments(const SegmentLayout& layout, const std::vector<UniqueFd>& files) : layout_(layout) {
  mappings_.reserve(files.size());
  for (const auto& file : files) {
    // Not populated: most of it is mailboxes that nobody may ever use.
    mappings_.push_back(map_memory_file(file.get(), layout.total_bytes(), Populate::kOnTouch));
  }
}

// A fresh memory file is all zeros, which is the initial state of every field: nothing has to be constructed,
// and a rank that maps it later than another has begun to write finds nothing changed back.
ControlBlock& Segments::control(int rank) const {
  return *reinterpret_cast<ControlBlock*>(mappings_[static_cast<std::size_t>(rank)].get());
}

Mailbox& Segments::mailbox(int from, int to) const {
  std::byte* boxes = mappings_[static_cast<std::size_t>(from)].get() + layout_.mailboxes_offset();
  return reinterpret_cast<Mailbox*>(boxes)[to];
}

std::byte* Segments::staging(int rank) const {
  return mappings_[static_cast<std::size_t>(rank)].get() + layout_.staging_offset();
}

}  // namespace lockstep
