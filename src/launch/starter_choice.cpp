#include "launch/starter_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "config/near_miss.h"
#include "config/printable.h"
#include "launch/name_list.h"

namespace lockstep {
namespace {

using Starters = std::vector<const Starter*>;

bool was_here(const Starter& starter, const EnvironmentReader& reader) {
  return std::any_of(starter.signs.begin(), starter.signs.end(),
                     [&](std::string_view sign) { return reader.has(sign); });
}

// The required variables, split by whether they are set. A single rank only needs to know that it is the only one.
struct RequiredVariables {
  std::vector<std::string> set;
  std::vector<std::string> missing;
};

RequiredVariables find_required(const Starter& starter, const EnvironmentReader& reader) {
  const bool only_rank = reader.text(starter.size) == "1" && reader.text(starter.rank).value_or("0") == "0";
  RequiredVariables required;
  for (const std::string_view name : starter.required) {
    if (reader.has(name)) {
      required.set.emplace_back(name);
    } else if (!only_rank) {
      required.missing.emplace_back(name);
    }
  }
  return required;
}

bool is_complete(const Starter& starter, const EnvironmentReader& reader) {
  return find_required(starter, reader).missing.empty();
}

// Whether `outer` may contradict `inner` because it started not the ranks but the program that started them. The shell
// of an allocation runs in a Slurm step of one task.
bool may_enclose(const Starter& outer, const Starter& inner, const EnvironmentReader& reader) {
  if (inner.kind == StarterKind::kTorchrun && reader.has("TORCHELASTIC_RUN_ID")) {
    return true;
  }
  return outer.kind == StarterKind::kSlurm && (inner.is_mpi() || reader.text(outer.size) == "1");
}

void report_contradictions(const Starter& chosen, const Starter& other, EnvironmentReader& reader) {
  for (const auto& [mine, theirs] :
       {std::pair(chosen.rank, other.rank), std::pair(chosen.size, other.size)}) {
    const auto my_value = reader.text(mine);
    const auto their_value = reader.text(theirs);
    if (my_value && their_value && *my_value != *their_value) {
      reader.problem(fmt::format("{}'s {}={} contradicts {}'s {}={}; say {}={} or {}={}, whichever is right",
                                 chosen.owner, mine, config::printable(*my_value), other.owner, theirs,
                                 config::printable(*their_value), kForcedStarter, chosen.choice,
                                 kForcedStarter, other.choice));
    }
  }
}

// "; Slurm's were there too"
std::string rest_of_reason(const Starters& present, const Starter* chosen) {
  std::vector<std::string> others;
  for (const Starter* starter : present) {
    if (starter != chosen) {
      others.push_back(fmt::format("{}'s", starter->owner));
    }
  }
  const std::string_view noun = chosen == nullptr ? " variables" : "";
  return others.empty() ? "" : fmt::format("; {}{} were there too", name_list(others), noun);
}

StarterChoice choose_forced(std::string_view choice, const Starters& present, EnvironmentReader& reader) {
  if (choice == kPlainChoice) {
    return {.starter = nullptr,
            .complete = true,
            .reason = fmt::format("{}={}{}", kForcedStarter, choice, rest_of_reason(present, nullptr))};
  }
  const auto found = std::find_if(starters().begin(), starters().end(),
                                  [&](const Starter& starter) { return starter.choice == choice; });
  if (found == starters().end()) {
    const auto choices = starter_choices();
    reader.problem(fmt::format("{}={} is none of {}{}", kForcedStarter, config::in_quotes(choice),
                               fmt::join(choices, ", "),
                               config::suggestion(config::nearest_name(choice, choices))));
    return {};
  }
  const auto missing = find_required(*found, reader).missing;
  if (!missing.empty()) {
    reader.problem(fmt::format("{}={}, but {} not set; {} sets all that is needed on each rank",
                               kForcedStarter, choice, name_list_is(missing), found->program));
  }
  return {.starter = &*found,
          .complete = missing.empty(),
          .reason = fmt::format("{}'s {} variables, as {}={} wants it{}", found->owner, found->variables,
                                kForcedStarter, choice, rest_of_reason(present, &*found))};
}

// This is how a batch script looks that should have started its program with srun and did not.
std::string reason_for_none(const EnvironmentReader& reader) {
  const auto tasks = reader.text("SLURM_NTASKS");
  return reader.has("SLURM_JOB_ID") && tasks && tasks != "1"
             ? fmt::format("this Slurm job has SLURM_NTASKS={}, but no srun started this process",
                           config::printable(*tasks))
             : "no launcher has set its variables";
}

StarterChoice choose_first_complete(const Starters& present, EnvironmentReader& reader) {
  const auto found = std::find_if(present.begin(), present.end(),
                                  [&](const Starter* starter) { return is_complete(*starter, reader); });
  if (found == present.end()) {
    for (const Starter* starter : present) {
      const auto [set, missing] = find_required(*starter, reader);
      reader.problem(fmt::format("{} set, but {} not; {} sets all of them on each rank", name_list_is(set),
                                 name_list_is(missing), starter->program));
    }
    return {.starter = present.front(), .complete = false, .reason = {}};
  }
  const Starter& chosen = **found;
  for (const Starter* other : present) {
    if (other != &chosen && !may_enclose(*other, chosen, reader)) {
      report_contradictions(chosen, *other, reader);
    }
  }
  return {.starter = &chosen,
          .complete = true,
          .reason = fmt::format("{}'s {} variables{}", chosen.owner, chosen.variables,
                                rest_of_reason(present, &chosen))};
}

}  // namespace

StarterChoice choose_starter(EnvironmentReader& reader) {
  Starters present;
  for (const Starter& starter : starters()) {
    if (was_here(starter, reader)) {
      present.push_back(&starter);
    }
  }
  if (const auto forced = reader.text(kForcedStarter)) {
    return choose_forced(*forced, present, reader);
  }
  if (present.empty()) {
    return {.starter = nullptr, .complete = true, .reason = reason_for_none(reader)};
  }
  return choose_first_complete(present, reader);
}

}  // namespace lockstep
