#include "bench_worker/worker.h"

#include <fmt/format.h>

#include <exception>
#include <iostream>

#include "bench_worker/packet_link.h"
#include "bench_worker/pinning.h"
#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

Answer try_to_carry_out(Duty& duty, const std::string& order) {
  Answer answer;
  try {
    answer = duty.carry_out(parse_order(order));
  } catch (const std::exception& error) {
    answer = {};
    answer.error = error.what();
  }
  return answer;
}

}  // namespace

void run_worker(const WorkerOptions& options, Duty& duty) {
  pin_to_core(options.rank);
  PacketLink coordinator = PacketLink::connect(options.socket);
  coordinator.send(
      to_text(Hello{.rank = options.rank, .invitation = options.rank == 0 ? duty.invite() : ""}));
  try {
    while (const auto order = coordinator.receive()) {
      coordinator.send(to_text(try_to_carry_out(duty, *order)));
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kPeerLost) {
      throw;
    }
    // The coordinator exited before the answer: this worker exits too.
  }
}

int worker_main(const std::function<void()>& body) noexcept {
  try {
    body();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << fmt::format("worker of the benchmark: {}\n", error.what());
    return 1;
  }
}

}  // namespace lockstep::bench
