#pragma once

// Saves a run while it trains. begin() copies this rank's part and returns; a thread writes it. Whether a rank is done
// or has failed travels with the reduction that every step does anyway. So no rank waits inside a collective for
// another rank's disk, and all ranks learn the outcome of the checkpoint in the same step.
//
//   idle --begin()--> writing, all ranks --all done--> committing, rank 0 --done--> idle
//
// Every rank can read the whole state, so the files are distributed over the ranks and written in parallel. Ranks that
// cannot write to rank 0's folder, because they are on another host without a shared disk, get none.

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
  snapshot::NamedTensors tensors;  // live: copied before begin() returns
  bool is_divisible = false;       // several ranks may each write a part
  bool is_rank_0s = false;         // ranks may differ in it; rank 0's counts
};

// What to save. The same on all ranks.
struct Snapshot {
  std::int64_t step = 0;
  std::optional<double> metric = {};                            // selects the best checkpoint
  std::vector<SnapshotFile> files;                              // of tensors
  std::vector<std::pair<std::string, std::string>> texts = {};  // file -> contents
};

class CheckpointSaver {
 public:
  // Collective. Creates the store's folder and removes leftovers from it. Propagates errors of the disk. `communicator`
  // must outlive the saver.
  CheckpointSaver(Communicator& communicator, checkpoint::CheckpointStore store,
                  checkpoint::RetentionRules rules);
  ~CheckpointSaver();  // waits for its thread

  CheckpointSaver(const CheckpointSaver&) = delete;
  CheckpointSaver& operator=(const CheckpointSaver&) = delete;

  const checkpoint::CheckpointStore& store() const { return store_; }

  // The same on all ranks.
  bool is_idle() const { return phase_ == Phase::kIdle; }
  // The step of the last checkpoint that is complete and on disk, if any.
  std::optional<std::int64_t> saved() const { return saved_; }

  // Collective; requires an idle saver. The tensors may change once it has returned.
  void begin(const Snapshot& snapshot);

  // Called before and after the reduction of a step. If saving failed on any rank, advance() throws on all ranks. The
  // saver is idle then, and older checkpoints are unchanged.
  void raise(Flags& flags);
  void advance(const Flags& flags);

  // Waits until the saver is idle. Collective. All ranks wait in the same short collectives, so none hits a deadline.
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
  std::vector<int> writers_;  // ranks, in ascending order
  Phase phase_ = Phase::kIdle;
  checkpoint::Manifest manifest_;  // of the checkpoint in flight
  std::optional<checkpoint::CheckpointWriter> writer_;
  std::map<std::string, checkpoint::FileImage> images_;     // of every file this rank has written
  std::vector<std::string> dealt_;                          // tensor files of this checkpoint
  std::vector<std::string> mine_;                           // the ones this rank writes
  std::vector<std::pair<std::string, std::string>> texts_;  // text files of this checkpoint
  std::optional<std::int64_t> saved_;
  std::exception_ptr failure_;
  std::future<void> work_;  // the last member: its thread uses the others
};

}  // namespace lockstep::train
