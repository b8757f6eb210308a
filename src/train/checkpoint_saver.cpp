#include "train/checkpoint_saver.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "lockstep/error.h"
#include "lockstep/log.h"
#include "snapshot/tensor_file.h"
#include "train/file_dealing.h"
#include "train/file_entries.h"
#include "train/text_exchange.h"
#include "train/together.h"

namespace lockstep::train {
namespace {

using checkpoint::FileEntry;

// How often idle ranks ask each other whether all are done.
constexpr std::chrono::milliseconds kPollInterval{2};

std::vector<SizedFile> sizes_of(const std::vector<SnapshotFile>& files) {
  std::vector<SizedFile> sizes;
  for (const SnapshotFile& file : files) {
    sizes.push_back({.name = file.name,
                     .bytes = {},
                     .is_divisible = file.is_divisible,
                     .writer = file.is_rank_0s ? std::optional<std::size_t>(0) : std::nullopt});
    for (const snapshot::NamedTensor& item : file.tensors) {
      sizes.back().bytes.push_back(item.tensor.nbytes());
    }
  }
  return sizes;
}

snapshot::NamedTensors chosen(const snapshot::NamedTensors& tensors, const std::vector<std::size_t>& which) {
  snapshot::NamedTensors some;
  for (const std::size_t i : which) {
    some.push_back(tensors[i]);
  }
  return some;
}

}  // namespace

CheckpointSaver::CheckpointSaver(Communicator& communicator, checkpoint::CheckpointStore store,
                                 checkpoint::RetentionRules rules)
    : communicator_(communicator), store_(std::move(store)), rules_(rules), writers_(find_writers()) {}

CheckpointSaver::~CheckpointSaver() {
  if (work_.valid()) {
    work_.wait();
  }
}

// Whether this rank can write to a checkpoint that rank 0 has begun: it sees the folder and may create files in it.
bool CheckpointSaver::can_write_into(const std::string& folder) const {
  try {
    store_.join(folder).add(c10::str("rank-", communicator_.rank()), std::span<const std::byte>());
  } catch (const Error&) {
    return false;
  }
  return true;
}

// Begins a checkpoint that is never committed, to find out which ranks can write to it.
std::vector<int> CheckpointSaver::find_writers() const {
  constexpr const char* kWhat = "opening the folder of checkpoints";
  std::optional<checkpoint::CheckpointWriter> probe;
  wait_together(communicator_, kWhat, [&] {
    if (communicator_.rank() == 0) {
      store_.settle();
      store_.sweep();
      probe.emplace(store_.begin(0));
    }
  });
  const std::string folder = broadcast_text(probe ? probe->name() : "", kWhat, communicator_);
  bool can_write = true;
  wait_together(communicator_, kWhat, [&] { can_write = probe || can_write_into(folder); });
  wait_together(communicator_, kWhat, [&] { probe.reset(); });
  std::vector<std::int32_t> answers(static_cast<std::size_t>(communicator_.size()));
  answers[static_cast<std::size_t>(communicator_.rank())] = can_write ? 1 : 0;
  communicator_.all_gather(answers, {.label = "who writes checkpoints"});
  std::vector<int> writers;
  for (int rank = 0; rank < communicator_.size(); ++rank) {
    if (answers[static_cast<std::size_t>(rank)] != 0) {
      writers.push_back(rank);
    }
  }
  return writers;
}

void CheckpointSaver::begin(const Snapshot& snapshot) {
  constexpr const char* kWhat = "beginning a checkpoint";
  run_together(communicator_, kWhat, [&] { take(snapshot); });
  wait_together(communicator_, kWhat, [&] {
    if (communicator_.rank() == 0) {
      writer_.emplace(store_.begin(snapshot.step));
    }
  });
  const std::string folder = broadcast_text(writer_ ? writer_->name() : "", kWhat, communicator_);
  manifest_ = {.step = snapshot.step, .world_size = communicator_.size(), .metric = snapshot.metric};
  phase_ = Phase::kWriting;
  if (!mine_.empty() || !texts_.empty()) {
    run([this, folder] { write(folder); });
  }
}

// Copies the files assigned to this rank. Rank 0, always the first writer, writes the text files.
void CheckpointSaver::take(const Snapshot& snapshot) {
  dealt_.clear();
  mine_.clear();
  for (const DealtFile& file : deal(sizes_of(snapshot.files), writers_.size())) {
    dealt_.push_back(file.name);
    if (writers_[file.writer] == communicator_.rank()) {
      checkpoint::FileImage& image = images_[file.name];
      image.clear();
      snapshot::write_tensors(image, chosen(snapshot.files[file.source].tensors, file.tensors));
      mine_.push_back(file.name);
    }
  }
  if (communicator_.rank() == 0) {
    texts_ = snapshot.texts;
  }
}

void CheckpointSaver::write(const std::string& folder) {
  if (!writer_) {
    writer_.emplace(store_.join(folder));
  }
  for (const std::string& file : mine_) {
    writer_->add(file, images_.at(file));
  }
  for (const auto& [file, text] : texts_) {
    writer_->add(file, std::as_bytes(std::span(text)));
  }
}

// Ranks whose tensors differ in size would assign files differently, so a file could be written twice or not at all.
void CheckpointSaver::require_complete(const checkpoint::Manifest& manifest) const {
  const auto is_missing = [&](const std::string& name) { return manifest.find(name) == nullptr; };
  const auto missing = std::find_if(dealt_.begin(), dealt_.end(), is_missing);
  if (missing != dealt_.end() || manifest.files.size() != dealt_.size() + texts_.size()) {
    throw Error(ErrorCode::kMismatch,
                c10::str("ranks have not saved the same files",
                         missing != dealt_.end() ? c10::str(", and '", *missing, "' is missing") : "",
                         ": the tensors of the model or of its optimizer have other sizes on some of them"));
  }
}

// Failing to remove older checkpoints is no reason to fail a run whose newest checkpoint is on disk.
void CheckpointSaver::commit(const checkpoint::Manifest& manifest) {
  require_complete(manifest);
  writer_->commit(manifest);
  try {
    store_.prune(rules_, manifest.step);
  } catch (const Error& error) {
    LOCKSTEP_LOG(kWarning) << "step " << manifest.step
                           << " is saved, but older checkpoints could not be removed: " << error.message();
  }
}

void CheckpointSaver::run(std::function<void()> work) {
  work_ = std::async(std::launch::async, std::move(work));
}

// Checks whether the thread has finished, and whether it failed.
void CheckpointSaver::poll() {
  if (work_.valid() && work_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    try {
      work_.get();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
}

void CheckpointSaver::raise(Flags& flags) {
  poll();
  const bool is_asked =
      phase_ == Phase::kWriting || (phase_ == Phase::kCommitting && communicator_.rank() == 0);
  flags.raise(Flag::kSaveFailed, failure_ != nullptr);
  flags.raise(Flag::kSaved, is_asked && !work_.valid() && failure_ == nullptr);
}

// Removes the folder only when no rank writes to it any more. A rank that found it missing would report that, instead
// of the original failure.
void CheckpointSaver::give_up() {
  const std::string what = c10::str("saving step ", manifest_.step);
  wait_together(communicator_, what, [this] {
    if (work_.valid()) {
      work_.wait();
    }
  });
  poll();
  phase_ = Phase::kIdle;
  wait_together(communicator_, what, [this] {
    writer_.reset();
    if (failure_) {
      std::rethrow_exception(std::exchange(failure_, nullptr));
    }
  });
}

void CheckpointSaver::advance(const Flags& flags) {
  if (flags.any(Flag::kSaveFailed)) {
    give_up();
  }
  if (phase_ == Phase::kWriting && flags.count(Flag::kSaved) == communicator_.size()) {
    phase_ = Phase::kCommitting;
    checkpoint::Manifest manifest = manifest_;
    manifest.files = gather_entries(writer_ ? writer_->files() : std::vector<FileEntry>(), communicator_);
    if (communicator_.rank() == 0) {
      run([this, manifest = std::move(manifest)] { commit(manifest); });
    }
  } else if (phase_ == Phase::kCommitting && flags.any(Flag::kSaved)) {
    phase_ = Phase::kIdle;
    writer_.reset();
    saved_ = manifest_.step;
  }
}

void CheckpointSaver::finish() {
  while (!is_idle()) {
    if (work_.valid()) {
      work_.wait_for(kPollInterval);
    } else {
      std::this_thread::sleep_for(kPollInterval);
    }
    Flags flags;
    raise(flags);
    communicator_.all_reduce(flags.counts(), ReduceOp::kSum, {.label = "waiting for a checkpoint"});
    advance(flags);
  }
}

}  // namespace lockstep::train
