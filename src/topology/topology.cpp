#include "topology/topology.h"

#include <hwloc.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <type_traits>

#include "lockstep/error.h"

namespace lockstep {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using TopologyHandle = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, Destroy>;

TopologyHandle make_topology() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) {
    throw Error::from_errno(errno, "hwloc_topology_init");
  }
  return TopologyHandle(topology);
}

void load(hwloc_topology_t topology) {
  if (hwloc_topology_load(topology) != 0) {
    throw Error::from_errno(errno, "hwloc_topology_load");
  }
}

hwloc_obj_t ancestor_of(hwloc_obj_t object, bool (*matches)(hwloc_obj_t)) {
  hwloc_obj_t outermost = nullptr;
  for (; object != nullptr; object = object->parent) {
    if (matches(object)) {
      outermost = object;
    }
  }
  return outermost;
}

// Numbers objects in the order in which they are met. A machine may not say which caches or packages it has: then all
// cores have the same.
class Numbers {
 public:
  int of(hwloc_obj_t object) {
    return numbers_.emplace(object, static_cast<int>(numbers_.size())).first->second;
  }

 private:
  std::map<hwloc_obj_t, int> numbers_;
};

std::vector<int> members(hwloc_const_bitmap_t bitmap) {
  std::vector<int> found;
  for (int i = hwloc_bitmap_first(bitmap); i != -1; i = hwloc_bitmap_next(bitmap, i)) {
    found.push_back(i);
  }
  return found;
}

Topology cores_of(hwloc_topology_t topology, hwloc_const_bitmap_t usable) {
  // A virtual machine may tell of hardware threads only.
  const auto type = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  Numbers caches;
  Numbers packages;
  Topology result;
  const Bitmap threads(hwloc_bitmap_alloc());
  for (hwloc_obj_t object = hwloc_get_next_obj_by_type(topology, type, nullptr); object != nullptr;
       object = hwloc_get_next_obj_by_type(topology, type, object)) {
    hwloc_bitmap_and(threads.get(), object->cpuset, usable);
    if (hwloc_bitmap_iszero(threads.get())) {
      continue;
    }
    const auto is_cache = [](hwloc_obj_t o) { return hwloc_obj_type_is_dcache(o->type) != 0; };
    const auto is_package = [](hwloc_obj_t o) { return o->type == HWLOC_OBJ_PACKAGE; };
    result.cores.push_back({.threads = members(threads.get()),
                            .cache = caches.of(ancestor_of(object, is_cache)),
                            .node = std::max(0, hwloc_bitmap_first(object->nodeset)),
                            .package = packages.of(ancestor_of(object, is_package))});
  }
  if (result.cores.empty()) {
    throw Error(ErrorCode::kSystem, "hwloc finds no processor core that this process may use");
  }
  return result;
}

}  // namespace

std::vector<int> Topology::threads() const {
  std::vector<int> all;
  for (const Core& core : cores) {
    all.insert(all.end(), core.threads.begin(), core.threads.end());
  }
  std::sort(all.begin(), all.end());
  return all;
}

Topology read_topology() {
  const TopologyHandle topology = make_topology();
  load(topology.get());
  const Bitmap usable(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(topology.get(), usable.get(), HWLOC_CPUBIND_THREAD) != 0) {
    throw Error::from_errno(errno, "hwloc_get_cpubind");
  }
  return cores_of(topology.get(), usable.get());
}

Topology read_topology(const std::filesystem::path& xml, const std::vector<int>& usable) {
  const TopologyHandle topology = make_topology();
  if (hwloc_topology_set_xml(topology.get(), xml.c_str()) != 0) {
    throw Error::from_errno(errno, "hwloc_topology_set_xml", xml.string());
  }
  load(topology.get());
  const Bitmap allowed(hwloc_bitmap_alloc());
  if (usable.empty()) {
    hwloc_bitmap_fill(allowed.get());
  }
  for (const int thread : usable) {
    hwloc_bitmap_set(allowed.get(), static_cast<unsigned>(thread));
  }
  return cores_of(topology.get(), allowed.get());
}

}  // namespace lockstep
