#pragma once

// What a C++ worker of `lockstep bench step` does: train one model, alone or in step with the other ranks, and time
// every step.

#include <memory>

#include "bench_worker/training_case.h"
#include "bench_worker/worker.h"
#include "lockstep/config.h"

namespace lockstep::bench {

struct StepWorkerOptions {
  WorkerOptions worker;
  TrainingCase training;
  bool ddp = false;  // otherwise every rank trains for itself

  void describe(config::Description& d) {
    worker.describe(d);
    d.option("model", training.model, "what to train")
        .choices({{"mlp", Model::kMlp},
                  {"gpt", Model::kGpt},
                  {"resnet18", Model::kResNet18},
                  {"mlp-tiny", Model::kMlpTiny}});
    d.option("batch", training.batch, "samples per rank and step").range(1, kLargestBatch);
    d.option("ddp", ddp, "average the gradients with DistributedDataParallel");
  }
};

std::unique_ptr<Duty> make_step_duty(const StepWorkerOptions& options);

}  // namespace lockstep::bench
