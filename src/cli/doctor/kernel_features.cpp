#include "cli/doctor/kernel_features.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>

#include "base/unique_fd.h"
#include "lockstep/error.h"

namespace lockstep::doctor {
namespace {

constexpr std::size_t kBytes = 4096;

void require(bool succeeded, const char* call) {
  if (!succeeded) {
    throw Error::from_errno(errno, call);
  }
}

void require_truth(bool truth, const char* otherwise) {
  if (!truth) {
    throw Error(ErrorCode::kUnsupported, otherwise);
  }
}

Trial attempt(const std::function<void()>& experiment) {
  try {
    experiment();
    return {.works = true, .trouble = {}};
  } catch (const Error& error) {
    return {.works = false, .trouble = error.message()};
  }
}

UniqueFd create_memory() {
  UniqueFd memory(memfd_create("lockstep-doctor", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  require(static_cast<bool>(memory), "memfd_create");
  require(ftruncate(memory.get(), kBytes) == 0, "ftruncate");
  return memory;
}

class SharedMapping {
 public:
  explicit SharedMapping(const UniqueFd& memory)
      : address_(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0)) {
    require(address_ != MAP_FAILED, "mmap");
  }
  ~SharedMapping() { munmap(address_, kBytes); }
  SharedMapping(const SharedMapping&) = delete;
  SharedMapping& operator=(const SharedMapping&) = delete;

  // Fresh memory from the kernel, so the word starts as zero.
  std::atomic<std::uint32_t>& word() const { return *static_cast<std::atomic<std::uint32_t>*>(address_); }

 private:
  void* address_;
};

int64_t futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  return syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

struct SocketPair {
  UniqueFd listener;
  UniqueFd client;
  UniqueFd server;
};

// Binding without a name makes the kernel choose a free abstract one.
SocketPair connect_through_abstract_name() {
  SocketPair sockets;
  sockets.listener.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  require(static_cast<bool>(sockets.listener), "socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  require(bind(sockets.listener.get(), generic, sizeof(sa_family_t)) == 0, "bind");
  require(listen(sockets.listener.get(), 1) == 0, "listen");
  socklen_t length = sizeof address;
  require(getsockname(sockets.listener.get(), generic, &length) == 0, "getsockname");
  sockets.client.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  require(static_cast<bool>(sockets.client), "socket");
  require(connect(sockets.client.get(), generic, length) == 0, "connect");
  sockets.server.reset(accept4(sockets.listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  require(static_cast<bool>(sockets.server), "accept4");
  return sockets;
}

// A one-byte message with room for one descriptor. The header points into the object: do not move it.
class DescriptorMessage {
 public:
  DescriptorMessage() {
    header_.msg_iov = &part_;
    header_.msg_iovlen = 1;
    header_.msg_control = control_.data();
    header_.msg_controllen = control_.size();
  }
  DescriptorMessage(const DescriptorMessage&) = delete;
  DescriptorMessage& operator=(const DescriptorMessage&) = delete;

  void send(const UniqueFd& through, int descriptor) {
    cmsghdr* control = CMSG_FIRSTHDR(&header_);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
    require(sendmsg(through.get(), &header_, MSG_NOSIGNAL) == 1, "sendmsg");
  }

  UniqueFd receive(const UniqueFd& from) {
    require(recvmsg(from.get(), &header_, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) == 1, "recvmsg");
    const cmsghdr* control = CMSG_FIRSTHDR(&header_);
    require_truth(control != nullptr && control->cmsg_type == SCM_RIGHTS, "the descriptor did not arrive");
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(control), sizeof descriptor);
    return UniqueFd(descriptor);
  }

 private:
  char byte_ = 0;
  iovec part_{.iov_base = &byte_, .iov_len = 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control_{};
  msghdr header_{};
};

}  // namespace

Trial try_sealed_memory() {
  return attempt([] {
    const UniqueFd memory = create_memory();
    constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    require(fcntl(memory.get(), F_ADD_SEALS, kSeals) == 0, "fcntl F_ADD_SEALS");
    require_truth(fcntl(memory.get(), F_GET_SEALS) == kSeals, "the seals are not there after F_ADD_SEALS");
    require_truth(ftruncate(memory.get(), 0) != 0, "sealed memory could still be shrunk");
    require_truth(ftruncate(memory.get(), 2 * kBytes) != 0, "sealed memory could still be grown");
  });
}

Trial try_shared_mapping() {
  return attempt([] {
    const UniqueFd memory = create_memory();
    const SharedMapping one(memory);
    const SharedMapping other(memory);
    one.word().store(42, std::memory_order_release);
    require_truth(other.word().load(std::memory_order_acquire) == 42, "two mappings of one memfd differ");
    require(futex(other.word(), FUTEX_WAKE, 1) == 0, "futex FUTEX_WAKE");
    // Waiting for an outdated value must return at once.
    require_truth(futex(other.word(), FUTEX_WAIT, 41) == -1 && errno == EAGAIN,
                  "a futex in shared memory did not see its word");
  });
}

Trial try_process_descriptors() {
  return attempt([] {
    const UniqueFd self(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
    require(static_cast<bool>(self), "pidfd_open");
    pollfd ended{.fd = self.get(), .events = POLLIN, .revents = 0};
    require_truth(poll(&ended, 1, 0) == 0, "a pidfd says that a living process has ended");
  });
}

Trial try_unix_sockets() {
  return attempt([] {
    const SocketPair sockets = connect_through_abstract_name();
    ucred peer{};
    socklen_t length = sizeof peer;
    require(getsockopt(sockets.server.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0,
            "getsockopt SO_PEERCRED");
    require_truth(peer.pid == getpid() && peer.uid == geteuid(), "SO_PEERCRED names another process");
    const UniqueFd memory = create_memory();
    DescriptorMessage sent;
    sent.send(sockets.client, memory.get());
    DescriptorMessage received;
    const UniqueFd arrived = received.receive(sockets.server);
    require(fcntl(arrived.get(), F_GET_SEALS) >= 0, "fcntl F_GET_SEALS");
  });
}

}  // namespace lockstep::doctor
