#pragma once

// The name of a user's project, in the spellings that its files need.

#include <string>
#include <string_view>

namespace lockstep::cli {

class ProjectName {
 public:
  // Letters, digits, '_' and '-', starting with a letter. Throws Error{kInvalidArgument} for anything else, and for
  // names that CMake reserves for its own targets.
  explicit ProjectName(std::string name);

  const std::string& target() const { return name_; }  // as given: "my-net"
  std::string type() const;                            // "MyNet"
  std::string macro() const;                           // "MY_NET"

 private:
  std::string name_;
};

// Replaces each of the three spellings of one name in `text` by that of the other, where it is a word or, for types and
// macros, begins one.
std::string renamed(std::string_view text, const ProjectName& from, const ProjectName& to);

}  // namespace lockstep::cli
