#pragma once

// The names of an option on the command line and in the environment. All are derived from its name.

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/config_option.h"

namespace lockstep::config {

// The flags that every program has.
inline constexpr std::string_view kHelpFlag = "help";
inline constexpr char kHelpAlias = 'h';
inline constexpr std::string_view kConfigFlag = "config";
inline constexpr std::string_view kPrintConfigFlag = "print-config";

// Replaces every underscore by a dash.
std::string canonical_name(std::string_view name);

// A bool that is set by its flag alone: it has no value unless one follows a '='.
bool is_switch(const OptionSpec& spec);

// The long flags that switch it off: {"optim.no-nesterov", "no-optim.nesterov"}; none unless it is a switch.
std::vector<std::string> off_flags(const OptionSpec& spec);

// "LOCKSTEP_OPTIM_LR" from "LOCKSTEP" and "optim.lr"
std::string variable_name(std::string_view prefix, std::string_view name);

}  // namespace lockstep::config
