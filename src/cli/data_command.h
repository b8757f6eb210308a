#pragma once

// `lockstep data tokens`: creates token shards from text files. `lockstep data info`: shows the contents of a shard and
// whether it is undamaged.

namespace lockstep::cli {

int run_data(int argc, const char* const* argv);

}  // namespace lockstep::cli
