#pragma once

// The name of a user's project, in the spellings that its files need.

#include <string>
#include <string_view>

namespace lockstep::cli {

class ProjectName {
 public:
  // Letters, digits, '_' and '-', a letter first. Throws Error{kInvalidArgument} for anything else, and for names that CMake
  // keeps for its own targets.
  explicit ProjectName(std::string name);

  const std::string& target() const { return name_; }  // as given: "my-net"
  std::string type() const;                            // "MyNet"
  std::string macro() const;                           // "MY_NET"

 private:
  std::string name_;
};

// `text` with each of the three spellings of one name replaced by that of the other, where it stands as a word or, for
// types and macros, begins one.
std::string renamed(std::string_view text, const ProjectName& from, const ProjectName& to);

}  // namespace lockstep::cli
