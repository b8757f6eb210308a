#include "cli/bench/report_head.h"

#include <nlohmann/json.hpp>

#include "lockstep/version.h"

namespace lockstep::bench {

nlohmann::ordered_json report_head(const Machine& machine, const nlohmann::ordered_json& versions,
                                   const nlohmann::ordered_json& formula) {
  nlohmann::ordered_json where = machine_json(machine);
  where["versions"] = versions;
  return {{"format", 1}, {"lockstep", version()}, {"machine", where}, {"formula", formula}};
}

}  // namespace lockstep::bench
