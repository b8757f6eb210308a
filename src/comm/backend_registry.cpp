#include "comm/backend_registry.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/mutex.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

class Registry {
 public:
  void add(std::string_view name, BackendFactory factory) {
    const MutexLock lock(mutex_);
    factories_.insert_or_assign(std::string(name), std::move(factory));
  }

  BackendFactory find(std::string_view name) {
    const MutexLock lock(mutex_);
    const auto found = factories_.find(name);
    if (found != factories_.end()) {
      return found->second;
    }
    std::string known;
    for (const auto& [other, factory] : factories_) {
      known += (known.empty() ? "" : ", ") + other;
    }
    throw Error(ErrorCode::kUnsupported,
                fmt::format("this program has no backend '{}'; it has: {}{}", name, known,
                            name == "gloo" ? ". Link lockstep::lockstep, not lockstep::core alone" : ""));
  }

 private:
  Mutex mutex_;
  std::map<std::string, BackendFactory, std::less<>> factories_ LOCKSTEP_GUARDED_BY(mutex_);
};

Registry& registry() {
  static auto* instance = new Registry;  // never destroyed: worlds may be joined while the process exits
  return *instance;
}

}  // namespace

bool register_backend(std::string_view name, BackendFactory factory) {
  registry().add(name, std::move(factory));
  return true;
}

std::shared_ptr<Backend> make_backend(std::string_view name, const BackendContext& context,
                                      const Deadline& deadline) {
  return registry().find(name)(context, deadline);
}

}  // namespace lockstep
