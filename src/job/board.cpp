#include "job/board.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "lockstep/error.h"

namespace lockstep {

// Shared by programs that may have been built separately: the magic number changes with the layout.
struct Board::Page {
  static constexpr std::uint64_t kMagic = 0x4c4b5354'424f4132;  // "LKSTBOA2"

  std::uint64_t magic;
  std::array<char, 64> token;  // NUL-terminated
  std::atomic<std::uint32_t> is_ours;
  std::atomic<JoinStage> stage;
  std::atomic<std::int32_t> world_size;
  std::array<char, 16> backend;  // NUL-terminated; written before the stage is kJoining
  std::atomic<std::uint64_t> steps;
};

namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

void* map_page(int fd) {
  void* memory = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return memory != MAP_FAILED ? memory : nullptr;
}

// Whether reading a mapping of `fd` can neither fault nor show another file.
bool is_sealed_page(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && status.st_size == static_cast<off_t>(kPageBytes) &&
         fcntl(fd, F_GET_SEALS) == kSeals;
}

// Read by note_process_step() in the thread that finishes a step, whichever that is.
std::atomic<Board*> process_board = nullptr;

}  // namespace

Board Board::create(std::string_view token) {
  LOCKSTEP_CHECK(token.size() < sizeof(Page::token));
  static_assert(sizeof(Page) <= kPageBytes);
  UniqueFd fd(memfd_create("lockstep-board", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd || ftruncate(fd.get(), kPageBytes) != 0 || fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0) {
    throw Error::from_errno(errno, "memfd_create");
  }
  void* memory = map_page(fd.get());
  if (memory == nullptr) {
    throw Error::from_errno(errno, "mmap");
  }
  auto* page = new (memory) Page{.magic = Page::kMagic,
                                 .token = {},
                                 .is_ours = 0,
                                 .stage = JoinStage::kNone,
                                 .world_size = 0,
                                 .backend = {},
                                 .steps = 0};
  token.copy(page->token.data(), token.size());
  Board board(page);
  board.fd_ = std::move(fd);
  return board;
}

std::optional<Board> Board::open(int fd) {
  if (!is_sealed_page(fd)) {
    return std::nullopt;
  }
  void* memory = map_page(fd);
  if (memory == nullptr) {
    return std::nullopt;
  }
  Board board(static_cast<Page*>(memory));
  return board.page_->magic == Page::kMagic ? std::optional(std::move(board)) : std::nullopt;
}

std::optional<Board> Board::find(const std::map<std::string, std::string>& environment) {
  const auto variable = environment.find(std::string(kBoardVariable));
  if (variable == environment.end()) {
    return std::nullopt;
  }
  const std::string& text = variable->second;
  int fd = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fd);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number ? open(fd) : std::nullopt;
}

Board::Board(Board&& other) noexcept
    : page_(std::exchange(other.page_, nullptr)), fd_(std::move(other.fd_)) {}

Board& Board::operator=(Board&& other) noexcept {
  std::swap(page_, other.page_);
  std::swap(fd_, other.fd_);
  return *this;
}

Board::~Board() {
  if (page_ != nullptr) {
    munmap(page_, kPageBytes);
  }
}

std::string Board::token() const {
  return {page_->token.data(), strnlen(page_->token.data(), page_->token.size())};
}

void Board::note_program() {
  page_->is_ours.store(1, std::memory_order_relaxed);
}

void Board::note_stage(JoinStage stage) {
  page_->stage.store(stage, std::memory_order_release);  // pairs with stage()
}

void Board::note_joining(int world_size, std::string_view backend) {
  page_->backend.fill('\0');
  backend.copy(page_->backend.data(), page_->backend.size() - 1);
  page_->world_size.store(world_size, std::memory_order_relaxed);
  note_stage(JoinStage::kJoining);
}

void Board::note_step() {
  page_->steps.fetch_add(1, std::memory_order_relaxed);
}

bool Board::is_ours() const {
  return page_->is_ours.load(std::memory_order_relaxed) != 0;
}

JoinStage Board::stage(int world_size) const {
  const JoinStage stage = page_->stage.load(std::memory_order_acquire);  // pairs with note_stage()
  return page_->world_size.load(std::memory_order_relaxed) == world_size ? stage : JoinStage::kNone;
}

std::string Board::backend() const {
  return {page_->backend.data(), strnlen(page_->backend.data(), page_->backend.size())};
}

std::uint64_t Board::steps() const {
  return page_->steps.load(std::memory_order_relaxed);
}

void set_process_board(Board board) {
  // Lives as long as the process: another thread may be noting a step right now.
  static Board kept = std::move(board);
  process_board.store(&kept, std::memory_order_release);
}

void note_process_stage(JoinStage stage) {
  if (Board* board = process_board.load(std::memory_order_acquire)) {
    board->note_stage(stage);
  }
}

void note_process_step() {
  if (Board* board = process_board.load(std::memory_order_acquire)) {
    board->note_step();
  }
}

}  // namespace lockstep
