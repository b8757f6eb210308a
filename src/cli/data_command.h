#pragma once

// `lockstep data tokens`: makes token shards from text files. `lockstep data info`: shows what a shard holds and
// whether it is undamaged.

namespace lockstep::cli {

int run_data(int argc, const char* const* argv);

}  // namespace lockstep::cli
