#pragma once

// The mapped segments of all ranks of a group, and where things are in them.

#include <cstddef>
#include <memory>
#include <vector>

#include "base/unique_fd.h"
#include "comm/shm/control_block.h"
#include "comm/shm/memory_file.h"

namespace lockstep {

struct SegmentLayout {
  int ranks = 1;
  std::size_t staging_bytes = 0;  // of one staging area

  std::size_t mailboxes_offset() const { return sizeof(ControlBlock); }
  std::size_t staging_offset() const;
  std::size_t total_bytes() const;
};

class Segments {
 public:
  // Maps what the ranks exchanged; files[i] belongs to rank i.
  Segments(const SegmentLayout& layout, const std::vector<UniqueFd>& files);

  int ranks() const { return layout_.ranks; }
  ControlBlock& control(int rank) const;
  Mailbox& mailbox(int from, int to) const;
  std::byte* staging(int rank) const;
  std::size_t staging_bytes() const { return layout_.staging_bytes; }

 private:
  SegmentLayout layout_;
  std::vector<std::shared_ptr<std::byte>> mappings_;
};

}  // namespace lockstep
