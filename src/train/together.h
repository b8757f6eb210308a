#pragma once

// Fails as one job: a failure is reported once, by the rank on which it occurred, and the other ranks know that it was.

#include <functional>
#include <string_view>

#include "lockstep/communicator.h"
#include "lockstep/error.h"

namespace lockstep::train {

// Runs `part` on every rank, and waits for all. When it throws on any rank, this throws on all of them: the original
// exception on the first rank that failed, Error{kAborted} with that rank as the peer on the others. Collective. If
// `part` is itself collective and fails on one rank only, that rank throws its exception, and the others throw the
// error of the collective they wait in.
void run_together(Communicator& communicator, std::string_view what, const std::function<void()>& part);

// The same for a part that waits for a disk and is not collective. It runs in a thread while the ranks poll each other
// until all are done. Each poll is short, so no rank hits a deadline, however long another rank's disk takes.
void wait_together(Communicator& communicator, std::string_view what, const std::function<void()>& part);

// For an `error` that all ranks have: throws it on rank 0, and Error{kAborted} on the others.
[[noreturn]] void fail_together(const Communicator& communicator, const Error& error);

// Whether this rank should report the exception.
bool is_mine_to_say(const std::exception_ptr& exception, int rank);

}  // namespace lockstep::train
