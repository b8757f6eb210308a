#include "cli/run/reserved_port.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <set>
#include <vector>

namespace lockstep::run {
namespace {

UniqueFd tcp_socket(bool reuse) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = reuse ? 1 : 0;
  EXPECT_EQ(setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
  return fd;
}

bool bind_to(const UniqueFd& fd, in_addr_t address, int port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(address);
  name.sin_port = htons(static_cast<in_port_t>(port));
  return bind(fd.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
}

int port_of(const UniqueFd& fd) {
  sockaddr_in name{};
  socklen_t length = sizeof name;
  EXPECT_EQ(getsockname(fd.get(), reinterpret_cast<sockaddr*>(&name), &length), 0);
  return ntohs(name.sin_port);
}

// As TCPStore does, on all addresses, and as our own gloo backend does, on one.
TEST(ReservedPort, CanBeListenedOnByWhoeverAsksForItByNumber) {
  for (const in_addr_t address : {INADDR_ANY, INADDR_LOOPBACK}) {
    const ReservedPort port;
    const UniqueFd server = tcp_socket(true);
    EXPECT_TRUE(bind_to(server, address, port.number()));
    EXPECT_EQ(listen(server.get(), 1), 0);
  }
}

TEST(ReservedPort, IsNotTakenByWhoeverDoesNotShare) {
  const ReservedPort port;
  EXPECT_FALSE(bind_to(tcp_socket(false), INADDR_ANY, port.number()));
}

TEST(ReservedPort, IsGivenToNobodyElse) {
  std::vector<ReservedPort> ports(50);
  std::set<int> numbers;
  for (const ReservedPort& port : ports) {
    EXPECT_GT(port.number(), 0);
    EXPECT_TRUE(numbers.insert(port.number()).second);
  }
  for (int i = 0; i < 2000; ++i) {
    const UniqueFd other = tcp_socket(i % 2 == 0);
    ASSERT_TRUE(bind_to(other, i % 4 < 2 ? INADDR_ANY : INADDR_LOOPBACK, 0));
    EXPECT_EQ(numbers.count(port_of(other)), 0U);
  }
}

}  // namespace
}  // namespace lockstep::run
