#pragma once

// Gathers the facts of the machine that this program runs on: its files, its limits, what its kernel lets us
// do, and what libtorch and the other backends say. Judges nothing.

#include "cli/doctor/facts.h"
#include "cli/doctor/host_files.h"

namespace lockstep::doctor {

// Starts helper programs and waits for them, each with a deadline; takes about a second with libtorch.
Facts gather_facts(const HostFiles& files);

// The parts of it that only read files.
ProcessorFacts read_processor(const HostFiles& files);
MemoryFacts read_memory(const HostFiles& files);

}  // namespace lockstep::doctor
