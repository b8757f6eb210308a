#pragma once

// Saves a run while it goes on. begin() copies what this rank is to write and returns; a thread writes it. That a rank is
// done, or has failed, travels with the reduction that every step has anyway, so no rank ever waits for the disk of
// another inside a collective, and all of them know in the same step what has become of the checkpoint.
//
//   idle --begin()--> writing, all ranks --all done--> committing, rank 0 --done--> idle
//
// Every rank can read the whole state, so its files are dealt out, and those who write do so at the same time. Ranks that
// cannot write into rank 0's folder, being on another host without a common disk, get none.

#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/checkpoint_store.h"
#include "lockstep/communicator.h"
#include "snapshot/named_tensors.h"
#include "train/flags.h"

namespace lockstep::train {

struct SnapshotFile {
  std::string name;
  snapshot::NamedTensors tensors;  // live: they are copied before begin() returns
  bool is_divisible = false;       // ranks may write a part each
  bool is_rank_0s = false;         // ranks may differ in it, and what rank 0 has counts
};

// What is to be saved. The same on all ranks.
struct Snapshot {
  std::int64_t step = 0;
  std::optional<double> metric = {};                            // by which the best checkpoint is found
  std::vector<SnapshotFile> files;                              // of tensors
  std::vector<std::pair<std::string, std::string>> texts = {};  // file -> what is in it
};

class CheckpointSaver {
 public:
  // Collective. Makes the store's folder, and sweeps it. Throws what the disk makes it throw. `communicator` has to
  // outlive it.
  CheckpointSaver(Communicator& communicator, checkpoint::CheckpointStore store,
                  checkpoint::RetentionRules rules);
  ~CheckpointSaver();  // waits for its thread

  CheckpointSaver(const CheckpointSaver&) = delete;
  CheckpointSaver& operator=(const CheckpointSaver&) = delete;

  const checkpoint::CheckpointStore& store() const { return store_; }

  // The same on all ranks.
  bool is_idle() const { return phase_ == Phase::kIdle; }
  // Of the last one that is complete and on the disk; none when there was none.
  std::optional<std::int64_t> saved() const { return saved_; }

  // Collective, when idle. The tensors may change when it has returned.
  void begin(const Snapshot& snapshot);

  // Before and after the reduction of a step. The second throws on all ranks what has gone wrong on one of them; it is
  // idle then, and older checkpoints are as they were.
  void raise(Flags& flags);
  void advance(const Flags& flags);

  // Waits until it is idle. Collective, and while it waits in one, all ranks do: none runs into a deadline.
  void finish();

 private:
  enum class Phase { kIdle, kWriting, kCommitting };

  bool can_write_into(const std::string& folder) const;
  std::vector<int> find_writers() const;
  void take(const Snapshot& snapshot);
  void write(const std::string& folder);
  void require_complete(const checkpoint::Manifest& manifest) const;
  void commit(const checkpoint::Manifest& manifest);
  void run(std::function<void()> work);
  void poll();
  void give_up();

  Communicator& communicator_;
  checkpoint::CheckpointStore store_;
  checkpoint::RetentionRules rules_;
  std::vector<int> writers_;  // ranks, in their order
  Phase phase_ = Phase::kIdle;
  checkpoint::Manifest manifest_;  // of the one that is being saved
  std::optional<checkpoint::CheckpointWriter> writer_;
  std::map<std::string, checkpoint::FileImage> images_;     // of all files that this rank ever wrote
  std::vector<std::string> dealt_;                          // the files of tensors of this checkpoint
  std::vector<std::string> mine_;                           // those of them that this rank writes
  std::vector<std::pair<std::string, std::string>> texts_;  // likewise
  std::optional<std::int64_t> saved_;
  std::exception_ptr failure_;
  std::future<void> work_;  // the last member: its thread uses the others
};

}  // namespace lockstep::train
