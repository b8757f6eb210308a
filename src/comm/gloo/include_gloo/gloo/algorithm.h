#pragma once

// libtorch contains Gloo but its packages come without Gloo's headers, which c10d's ProcessGroupGloo.hpp includes.
// This folder declares the little that header needs, and nothing is called through these declarations but
// Context::setTimeout(). The definitions are those inside libtorch_cpu; another libgloo must not be linked.
