#include "train/run_setup.h"

#include <c10/util/StringUtil.h>
#include <torch/types.h>

#include "lockstep/error.h"
#include "reduce/agreement.h"
#include "train/seeding.h"
#include "train/together.h"

namespace lockstep::train {
namespace {

void require_data(const TaskData& data, const Options& options) {
  if (data.train == nullptr) {
    throw Error(ErrorCode::kInvalidConfig, "the task has no data set to train with");
  }
  const std::uint64_t size = data.train->size();
  if (size == 0) {
    throw Error(ErrorCode::kInvalidConfig, "the data set to train with is empty");
  }
  if (options.last_batch == LastBatch::kDrop && size < options.batch_size) {
    throw Error(
        ErrorCode::kInvalidConfig,
        c10::str("the data set has ", size, " samples, less than one batch of ", options.batch_size,
                 ", and an incomplete batch is dropped; use a smaller --batch-size, or --last-batch uneven"));
  }
}

std::string size_text(const std::shared_ptr<const Dataset>& data) {
  return data == nullptr ? "no samples" : c10::str(data->size(), " samples");
}

}  // namespace

RunSetup set_up(Task& task, const Options& options, World& world) {
  RunSetup setup;
  run_together(world.communicator(), "preparing to train", [&] {
    setup.plan = plan_batches(options.batch_size, world.size(), options.micro_batch);
    seed_libtorch(options.seed, 0);  // the same weights everywhere, before rank 0's are broadcast
    setup.data = task.data();
    require_data(setup.data, options);
    setup.model = task.model();
    if (setup.model == nullptr) {
      throw Error(ErrorCode::kInvalidConfig, "the task has no model");
    }
    seed_libtorch(options.seed, world.rank());  // dropout differs from rank to rank
  });
  require_equal_lines(
      world.communicator(), "data set",
      {"to train with: " + size_text(setup.data.train), "to evaluate with: " + size_text(setup.data.eval)});
  return setup;
}

}  // namespace lockstep::train
