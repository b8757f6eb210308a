#pragma once

// Failing as one job: what goes wrong on a rank is said once, by that rank, and the others know that it was said.

#include <functional>
#include <string_view>

#include "lockstep/communicator.h"
#include "lockstep/error.h"

namespace lockstep::train {

// Runs `part` and waits for the other ranks to have done so. When it throws anywhere, it throws everywhere: its own
// exception on the first rank that failed, Error{kAborted} with that rank as the peer on the others. Collective. Where
// `part` is collective too and fails on one rank only, that one throws its exception and the others what the collective
// they wait in makes of it.
void run_together(Communicator& communicator, std::string_view what, const std::function<void()>& part);

// The same for a part that waits for a disk, and is not collective. It runs in a thread, and the ranks ask each other again
// and again whether all are done: each of these operations is short, so none runs into a deadline however long the disk of
// another takes. Ends when all are.
void wait_together(Communicator& communicator, std::string_view what, const std::function<void()>& part);

// Throws `error`, which all ranks have come to alike, on rank 0, and Error{kAborted} on the others.
[[noreturn]] void fail_together(const Communicator& communicator, const Error& error);

// Whether it is this rank that should say it.
bool is_mine_to_say(const std::exception_ptr& exception, int rank);

}  // namespace lockstep::train
