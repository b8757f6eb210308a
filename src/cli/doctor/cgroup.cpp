#include "cli/doctor/cgroup.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::doctor {
namespace {

// One group on the way up: the folder of its files, and its name.
struct Group {
  std::string folder;
  std::string name;
};

// Version 1 writes "no limit" as the largest page-aligned number; no real limit comes near half of it.
constexpr std::uint64_t kVersion1Unlimited = std::uint64_t{1} << 62;
constexpr int kDeepest = 64;  // bounds the walk, whatever the files say

bool contains(const std::vector<std::string_view>& list, std::string_view wanted) {
  return std::find(list.begin(), list.end(), wanted) != list.end();
}

// mountinfo writes space, tab, newline and backslash as \ooo.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 3 < text.size() &&
                        std::all_of(text.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                    text.begin() + static_cast<std::ptrdiff_t>(i) + 4,
                                    [](char c) { return c >= '0' && c <= '7'; });
    if (escape) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// This process's path in the hierarchy of `controller`; the hierarchy of version 2 has an empty controller.
// Lines read "4:cpu,cpuacct:/path".
std::optional<std::string> group_path(std::string_view self_cgroup, std::string_view controller) {
  for (const std::string_view line : split(self_cgroup, '\n')) {
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) {
      continue;
    }
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : contains(split(controllers, ','), controller)) {
      return std::string(line.substr(second + 1));
    }
  }
  return std::nullopt;
}

struct Mount {
  std::string root;   // the group that the mount point shows
  std::string point;  // the mount point
};

// Lines read "30 24 0:26 /group /point options [tags] - type source options"; version 1 lists its controllers in the
// last options.
std::optional<Mount> find_mount(std::string_view mountinfo, std::string_view controller) {
  for (const std::string_view line : split(mountinfo, '\n')) {
    const auto dash = line.find(" - ");
    if (dash == std::string_view::npos) {
      continue;
    }
    const auto before = split(line.substr(0, dash), ' ');
    const auto after = split(line.substr(dash + 3), ' ');
    if (before.size() < 5 || after.size() < 3) {
      continue;
    }
    const bool match = controller.empty()
                           ? after[0] == "cgroup2"
                           : after[0] == "cgroup" && contains(split(after[2], ','), controller);
    if (match) {
      return Mount{unescaped(before[3]), unescaped(before[4])};
    }
  }
  return std::nullopt;
}

// `path` below the mount's root; the root itself if the path is outside the mounted part.
std::string visible_path(const std::string& path, const std::string& root) {
  if (path.find("/..") != std::string::npos) {
    return "/";
  }
  if (root == "/") {
    return path;
  }
  const bool below = path.rfind(root, 0) == 0 && (path.size() == root.size() || path[root.size()] == '/');
  return below && path.size() > root.size() ? path.substr(root.size()) : "/";
}

// From this process's group up to the top of the mounted hierarchy.
std::vector<Group> groups_upward(const HostFiles& files, std::string_view controller) {
  const auto path = group_path(files.read("/proc/self/cgroup").value_or(""), controller);
  const auto mount = find_mount(files.read("/proc/self/mountinfo").value_or(""), controller);
  if (!path || !mount) {
    return {};
  }
  std::vector<Group> groups;
  std::string at = visible_path(*path, mount->root);
  for (int depth = 0; depth < kDeepest; ++depth) {
    const bool top = at.empty() || at == "/";
    const std::string shown_root = mount->root == "/" ? "" : mount->root;
    const std::string name = shown_root + (top ? "" : at);
    groups.push_back({mount->point + (top ? "" : at), name.empty() ? "/" : name});
    if (top) {
      break;
    }
    at.resize(at.rfind('/') == std::string::npos ? 0 : at.rfind('/'));
  }
  return groups;
}

// "50000 100000" is half a core; "max 100000" is no limit.
std::optional<double> cores_of(std::string_view quota_us, std::string_view period_us) {
  const auto quota = parse_number(quota_us);
  const auto period = parse_number(period_us);
  if (!quota || !period || *quota == 0 || *period == 0) {
    return std::nullopt;
  }
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

void tighten_cpu(CgroupLimits& limits, std::optional<double> cores, const Group& group) {
  if (cores && (!limits.cpu_cores || *cores < *limits.cpu_cores)) {
    limits.cpu_cores = cores;
    limits.cpu_group = group.name;
  }
}

void read_cpu(const HostFiles& files, CgroupLimits& limits) {
  for (const Group& group : groups_upward(files, "cpu")) {
    tighten_cpu(limits,
                cores_of(files.read_word(group.folder + "/cpu.cfs_quota_us"),
                         files.read_word(group.folder + "/cpu.cfs_period_us")),
                group);
  }
  for (const Group& group : groups_upward(files, "")) {
    const std::string text = files.read_word(group.folder + "/cpu.max");
    const auto parts = split(text, ' ');
    if (parts.size() == 2) {
      tighten_cpu(limits, cores_of(parts[0], parts[1]), group);
    }
  }
}

struct MemoryFileNames {
  std::string_view limit;
  std::string_view used;
  std::string_view droppable_cache;  // a key of memory.stat
};

void read_memory(const HostFiles& files, const std::vector<Group>& groups, const MemoryFileNames& names,
                 CgroupLimits& limits) {
  const auto file = [](const Group& group, std::string_view name) {
    return group.folder + "/" + std::string(name);
  };
  for (const Group& group : groups) {
    const auto limit = parse_number(files.read_word(file(group, names.limit)));
    if (!limit || *limit >= kVersion1Unlimited || (limits.memory_bytes && *limit >= *limits.memory_bytes)) {
      continue;
    }
    const auto used = parse_number(files.read_word(file(group, names.used))).value_or(0);
    const auto cache_text =
        line_value(files.read(file(group, "memory.stat")).value_or(""), names.droppable_cache, ' ');
    const auto cache = parse_number(cache_text.value_or("")).value_or(0);
    limits.memory_bytes = limit;
    limits.memory_used_bytes = used - std::min(used, cache);
    limits.memory_group = group.name;
  }
}

void read_processes(const HostFiles& files, const std::vector<Group>& groups, CgroupLimits& limits) {
  for (const Group& group : groups) {
    const auto limit = parse_number(files.read_word(group.folder + "/pids.max"));
    if (limit && (!limits.processes || *limit < *limits.processes)) {
      limits.processes = limit;
      limits.processes_group = group.name;
    }
  }
}

}  // namespace

CgroupLimits read_cgroup_limits(const HostFiles& files) {
  CgroupLimits limits;
  read_cpu(files, limits);
  read_memory(files, groups_upward(files, "memory"),
              {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}, limits);
  read_memory(files, groups_upward(files, ""), {"memory.max", "memory.current", "inactive_file"}, limits);
  read_processes(files, groups_upward(files, "pids"), limits);
  read_processes(files, groups_upward(files, ""), limits);
  return limits;
}

std::optional<std::uint64_t> read_memory_kills(const HostFiles& files) {
  struct Place {
    std::string_view controller;
    std::string_view file;
  };
  for (const Place& place : {Place{"memory", "/memory.oom_control"}, Place{"", "/memory.events"}}) {
    const auto groups = groups_upward(files, place.controller);
    if (groups.empty()) {
      continue;
    }
    const auto text = files.read(groups.front().folder + std::string(place.file)).value_or("");
    if (const auto kills = parse_number(line_value(text, "oom_kill", ' ').value_or(""))) {
      return kills;
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::doctor
