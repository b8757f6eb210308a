#include "ddp/plain_backward.h"

#include <torch/csrc/autograd/graph_task.h>

namespace lockstep {

bool in_plain_backward() {
  const auto* selected = torch::autograd::get_current_graph_task_exec_info();
  return selected == nullptr || selected->empty();
}

}  // namespace lockstep
