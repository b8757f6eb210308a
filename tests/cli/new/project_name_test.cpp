#include "cli/new/project_name.h"

#include <gtest/gtest.h>

#include <string>

#include "lockstep/error.h"

namespace lockstep::cli {
namespace {

TEST(ProjectName, HasTheSpellingsOfTargetsTypesAndMacros) {
  const ProjectName name("my-small_net2");
  EXPECT_EQ(name.target(), "my-small_net2");
  EXPECT_EQ(name.type(), "MySmallNet2");
  EXPECT_EQ(name.macro(), "MY_SMALL_NET2");
}

TEST(ProjectName, RefusesWhatCannotNameAProgram) {
  for (const std::string name :
       {"", "2nd", "_net", "-net", "my net", "a/b", "ner\n", "n\303\244t", "..", "$x"}) {
    EXPECT_THROW(ProjectName{name}, Error) << name;
  }
  for (const std::string name : {"test", "all", "data", "install"}) {
    EXPECT_THROW(ProjectName{name}, Error) << name;
  }
}

TEST(ProjectName, IsReplacedInEverySpelling) {
  EXPECT_EQ(renamed("add_executable(digits digits.cpp) # Digits, DIGITS_DATA, DigitsTask",
                    ProjectName("digits"), ProjectName("my-net")),
            "add_executable(my-net my-net.cpp) # MyNet, MY_NET_DATA, MyNetTask");
}

TEST(ProjectName, IsNotReplacedWithinOtherWords) {
  EXPECT_EQ(renamed("digitsize mydigits _DIGITS aDigits", ProjectName("digits"), ProjectName("net")),
            "digitsize mydigits _DIGITS aDigits");
}

TEST(ProjectName, MayContainTheNameItReplaces) {
  EXPECT_EQ(renamed("digits digits", ProjectName("digits"), ProjectName("digits-2")), "digits-2 digits-2");
}

}  // namespace
}  // namespace lockstep::cli
