#pragma once

// Selects output streams of ranks: torchrun's notation for --redirects and --tee.

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::run {

struct Streams {
  bool out = false;
  bool err = false;

  bool operator==(const Streams&) const = default;
};

class StreamChoice {
 public:
  // "0" none, "1" standard output, "2" standard error, "3" both, for every rank; or "0:3,1:1" by local rank, none for
  // the others. Nothing if malformed.
  static std::optional<StreamChoice> parse(std::string_view text);
  static StreamChoice all();

  Streams of(int local_rank) const;

 private:
  Streams others_;
  std::map<int, Streams> by_rank_;
};

}  // namespace lockstep::run
