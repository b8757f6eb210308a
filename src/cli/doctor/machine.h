#pragma once

// Gathers the facts about this machine: its files, its limits, which kernel features work, and what libtorch and the
// other backends report. Judges nothing.

#include "cli/doctor/facts.h"
#include "cli/doctor/host_files.h"

namespace lockstep::doctor {

// Runs helper programs, each with a deadline; takes about a second with libtorch.
Facts gather_facts(const HostFiles& files);

// The parts that only read files.
ProcessorFacts read_processor(const HostFiles& files);
MemoryFacts read_memory(const HostFiles& files);

}  // namespace lockstep::doctor
