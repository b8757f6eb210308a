#include "comm/mesh/roster.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <sstream>
#include <thread>

#include "comm/mesh/join_report.h"
#include "comm/rank_list.h"
#include "lockstep/error.h"

namespace lockstep::mesh {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{1};
constexpr milliseconds kLongestPause{20};

std::string entry_key(int rank) {
  return fmt::format("joined/{}", rank);
}

std::string encode(const RosterEntry& entry) {
  return fmt::format("{} {} {} {} {} {}", entry.size, entry.host.empty() ? "?" : entry.host, entry.pid,
                     entry.address, entry.port, entry.cookie);
}

RosterEntry decode(int rank, const std::string& text) {
  RosterEntry entry;
  std::istringstream in(text);
  in >> entry.size >> entry.host >> entry.pid >> entry.address >> entry.port >> entry.cookie;
  if (!in || entry.port <= 0 || entry.port > 65535) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("rank {} wrote '{}' into the store, which makes no sense", rank, text));
  }
  return entry;
}

class Filling {
 public:
  Filling(KeyStore& store, const RosterOptions& options, const Deadline& deadline)
      : store_(store),
        options_(options),
        deadline_(deadline),
        report_(options.report_every, deadline),
        entries_(static_cast<std::size_t>(options.size)) {}

  std::vector<RosterEntry> fill(const RosterEntry& mine) {
    try {
      enter(mine);
      milliseconds pause = kFirstPause;
      while (!look_for_others()) {
        report_.tick([this] { return waiting_text(); });
        if (deadline_.expired()) {
          refuse(ErrorCode::kTimeout, waiting_text());
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, kLongestPause);
      }
    } catch (const Error& error) {
      throw Error(error).with_operation("join").with_rank(options_.rank).with_elapsed(deadline_.elapsed());
    }
    return collected();
  }

 private:
  void enter(const RosterEntry& mine) {
    if (store_.add(fmt::format("claims/{}", options_.rank), 1) > 1) {
      refuse(ErrorCode::kMismatch, fmt::format("two processes say that they are rank {}", options_.rank));
    }
    store_.set(entry_key(options_.rank), encode(mine));
  }

  // True when all are there.
  bool look_for_others() {
    obey_refusal();
    for (int rank = 0; rank < options_.size; ++rank) {
      auto& entry = entries_[static_cast<std::size_t>(rank)];
      if (entry) {
        continue;
      }
      if (const auto text = store_.get(entry_key(rank))) {
        entry = decode(rank, *text);
        compare_sizes(rank, entry->size);
      }
    }
    return missing().empty();
  }

  void compare_sizes(int other, int size) {
    if (size != options_.size) {
      const bool first = options_.rank < other;
      refuse(ErrorCode::kMismatch, fmt::format("rank {} expects a world of {}, rank {} one of {}",
                                               std::max(options_.rank, other), first ? size : options_.size,
                                               std::min(options_.rank, other), first ? options_.size : size));
    }
  }

  void obey_refusal() {
    if (const auto refusal = store_.get("refusal")) {
      std::istringstream in(*refusal);
      int code = 0;
      in >> code;
      in.ignore();
      std::string reason;
      std::getline(in, reason);
      leave(static_cast<ErrorCode>(code), reason);
    }
  }

  // Calls the joining off for everybody.
  [[noreturn]] void refuse(ErrorCode code, const std::string& reason) {
    store_.set("refusal", fmt::format("{} {}", static_cast<int>(code), reason));
    leave(code, reason);
  }

  [[noreturn]] void leave(ErrorCode code, const std::string& reason) {
    std::int64_t informed = store_.add("informed", 1);
    const auto here = static_cast<std::int64_t>(entries_.size() - missing().size());
    const Deadline moment = Deadline::after(std::chrono::seconds(1));
    while (options_.holds_store && informed < here && !moment.expired()) {
      std::this_thread::sleep_for(kFirstPause);
      informed = store_.add("informed", 0);
    }
    throw Error(code, reason);
  }

  std::vector<int> missing() const {
    std::vector<int> ranks;
    for (int rank = 0; rank < options_.size; ++rank) {
      if (!entries_[static_cast<std::size_t>(rank)]) {
        ranks.push_back(rank);
      }
    }
    return ranks;
  }

  std::string waiting_text() const {
    const auto ranks = missing();
    return fmt::format("{} of {} ranks are here, {} missing: {}",
                       options_.size - static_cast<int>(ranks.size()), options_.size,
                       ranks.size() == 1 ? "one is" : fmt::format("{} are", ranks.size()), rank_list(ranks));
  }

  std::vector<RosterEntry> collected() const {
    std::vector<RosterEntry> all;
    all.reserve(entries_.size());
    for (const auto& entry : entries_) {
      all.push_back(entry.value());
    }
    return all;
  }

  KeyStore& store_;
  const RosterOptions& options_;
  const Deadline& deadline_;
  JoinReport report_;
  std::vector<std::optional<RosterEntry>> entries_;
};

}  // namespace

std::string RosterEntry::describe(int rank) const {
  return fmt::format("rank {} (process {} on {})", rank, pid, host);
}

std::string make_cookie() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error::from_errno(errno, "getrandom");
  }
  std::string text;
  for (const unsigned char byte : bytes) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

std::vector<RosterEntry> fill_roster(KeyStore& store, const RosterOptions& options, const RosterEntry& mine,
                                     const Deadline& deadline) {
  return Filling(store, options, deadline).fill(mine);
}

}  // namespace lockstep::mesh
