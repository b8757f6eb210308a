#pragma once

// The work of a C++ worker of `lockstep bench step` and `lockstep bench scaling`: trains one model, alone or in step
// with the other ranks, and times every step.

#include <memory>

#include "bench_worker/training_case.h"
#include "bench_worker/training_method.h"
#include "bench_worker/worker.h"
#include "lockstep/config.h"

namespace lockstep::bench {

struct StepWorkerOptions {
  WorkerOptions worker;
  TrainingCase training;
  Method method = Method::kAlone;

  void describe(config::Description& d) {
    worker.describe(d);
    d.option("model", training.model, "what to train")
        .choices({{"mlp", Model::kMlp},
                  {"gpt", Model::kGpt},
                  {"resnet18", Model::kResNet18},
                  {"mlp-tiny", Model::kMlpTiny}});
    d.option("batch", training.batch, "samples per rank and step").range(1, kLargestBatch);
    d.option("width", training.width, "of the hidden layers of an mlp; 0: 1024").range(0, kLargestWidth);
    d.option("method", method, "how to train it")
        .choices({{"compute", Method::kCompute},
                  {"alone", Method::kAlone},
                  {"ddp", Method::kDdp},
                  {"sharded", Method::kSharded},
                  {"sharded-shared", Method::kSharedParameters}});
  }
};

std::unique_ptr<Duty> make_step_duty(const StepWorkerOptions& options);

}  // namespace lockstep::bench
