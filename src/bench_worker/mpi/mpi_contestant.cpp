#include "bench_worker/mpi/mpi_contestant.h"

#include <mpi.h>

#include <array>
#include <string_view>

#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

void require_success(int code, const char* call) {
  if (code == MPI_SUCCESS) {
    return;
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error(ErrorCode::kSystem, std::string(call) + ": " + text.data());
}

// "Open MPI v4.1.4" from "Open MPI v4.1.4, package: ..., 2022".
std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  require_success(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  const std::string_view whole(text.data());
  return std::string(whole.substr(0, whole.find_first_of(",\n")));
}

class MpiContestant final : public Contestant {
 public:
  MpiContestant() = default;
  MpiContestant(const MpiContestant&) = delete;
  MpiContestant& operator=(const MpiContestant&) = delete;
  ~MpiContestant() override {
    if (joined_) {
      MPI_Finalize();
    }
  }

  std::string invite() override { return {}; }  // ranks find each other through mpirun

  std::string join(const std::string& /*invitation*/, std::size_t buffer_bytes) override {
    require_success(MPI_Init(nullptr, nullptr), "MPI_Init");
    joined_ = true;
    require_success(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    bucket_.resize(buffer_bytes / sizeof(float));
    return library_version();
  }

  std::span<float> buffer() override { return bucket_; }

  void barrier() override { require_success(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier"); }

  void all_reduce(std::span<float> part) override {
    require_success(MPI_Allreduce(MPI_IN_PLACE, part.data(), static_cast<int>(part.size()), MPI_FLOAT,
                                  MPI_SUM, MPI_COMM_WORLD),
                    "MPI_Allreduce");
  }

 private:
  bool joined_ = false;
  std::vector<float> bucket_;
};

}  // namespace

std::unique_ptr<Contestant> make_mpi_contestant() {
  return std::make_unique<MpiContestant>();
}

}  // namespace lockstep::bench
