#include "lockstep/operation.h"

#include <fmt/format.h>

namespace lockstep {

std::string_view to_string(OperationKind kind) {
  switch (kind) {
    case OperationKind::kBarrier:
      return "barrier";
    case OperationKind::kBroadcast:
      return "broadcast";
    case OperationKind::kReduce:
      return "reduce";
    case OperationKind::kAllReduce:
      return "all_reduce";
    case OperationKind::kReduceScatter:
      return "reduce_scatter";
    case OperationKind::kAllGather:
      return "all_gather";
    case OperationKind::kGather:
      return "gather";
    case OperationKind::kScatter:
      return "scatter";
    case OperationKind::kAllToAll:
      return "all_to_all";
    case OperationKind::kAllToAllV:
      return "all_to_all_v";
    case OperationKind::kSend:
      return "send";
    case OperationKind::kRecv:
      return "recv";
  }
  return "unknown operation";
}

std::string Operation::describe() const {
  std::string text = fmt::format("{} #{}", to_string(kind), sequence);
  const bool reduces = kind == OperationKind::kReduce || kind == OperationKind::kAllReduce ||
                       kind == OperationKind::kReduceScatter;
  if (kind != OperationKind::kBarrier) {
    text += fmt::format(" of {} x {}", count, to_string(dtype));
  }
  if (reduces) {
    text += fmt::format(", {}", to_string(op));
  }
  if (root >= 0) {
    const bool between_two = kind == OperationKind::kSend || kind == OperationKind::kRecv;
    text += fmt::format(", {} {}", between_two ? "peer" : "root", root);
  }
  if (!label.empty()) {
    text += fmt::format(", '{}'", label);
  }
  return text;
}

}  // namespace lockstep
