#include "cli/data_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/progress.h"
#include "cli/command.h"
#include "cli/data/text_files.h"
#include "cli/data/token_folder.h"
#include "cli/doctor/size_text.h"
#include "config/printable.h"
#include "config/usage.h"
#include "data/byte_source.h"
#include "lockstep/config.h"
#include "lockstep/error.h"
#include "lockstep/token_shard.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using config::ByteSize;
using doctor::size_text;

constexpr const char* kDataHelp =
    "usage: lockstep data tokens --output FOLDER [OPTION]... FILE|FOLDER...\n"
    "       lockstep data info SHARD...\n"
    "\n"
    "tokens makes token shards from text files; info shows what a shard holds and whether it is undamaged. "
    "Run\n"
    "one of them with --help for its options.\n";

struct TokensOptions {
  fs::path output;
  ByteSize shard_size = ByteSize::mib(256);
  std::vector<std::string> extension = {"txt"};
  bool separator = true;

  void describe(config::Description& d) {
    d.option("output", output, "the folder to make; the shards in it are 00000.tokens, 00001.tokens, ...")
        .required();
    d.option("shard-size", shard_size,
             "bytes of tokens per shard, two per token; the last shard may be smaller")
        .range(ByteSize(2), ByteSize::gib(1024));
    d.option("extension", extension, "file name extensions to read from folders");
    d.option("separator", separator, "append token 256 to each file");
  }
};

// Shows how much has been read, file by file and within large ones.
class ReadingProgress {
 public:
  explicit ReadingProgress(const std::vector<TextFile>& files) : files_(files.size()) {
    for (const TextFile& file : files) {
      total_bytes_ += file.bytes;
    }
  }

  void begin_file() { ++file_; }
  void advance(std::size_t bytes) {
    bytes_ += bytes;
    line_.show(
        fmt::format("file {} of {}, {} of {}", file_, files_, size_text(bytes_), size_text(total_bytes_)));
  }
  void wipe() { line_.show(""); }
  std::uint64_t bytes() const { return bytes_; }

 private:
  bench::Progress line_;
  std::size_t files_;
  std::size_t file_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t total_bytes_ = 0;
};

void append_file(const TextFile& file, const TokensOptions& options, TokenFolder& folder,
                 ReadingProgress& progress) {
  constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
  const auto source = open_file(file.path);
  std::vector<std::byte> bytes(kPieceBytes);
  std::vector<std::uint32_t> tokens;
  progress.begin_file();
  for (std::uint64_t offset = 0;;) {
    const std::size_t count = source->read_at(offset, bytes);
    tokens.resize(count);
    std::transform(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count), tokens.begin(),
                   [](std::byte byte) { return std::to_integer<std::uint32_t>(byte); });
    folder.append(tokens);
    progress.advance(count);
    offset += count;
    if (count < bytes.size()) {
      break;
    }
  }
  if (options.separator) {
    folder.append(std::vector<std::uint32_t>{kEndOfDocument});
  }
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

int run_tokens(int argc, const char* const* argv) {
  const config::Usage usage{
      .name = "lockstep data tokens",
      .about =
          "Makes token shards from text files. A byte is a token, 0 to 255, and token 256 stands behind each "
          "file: a vocabulary of 257. Folders are searched to any depth, in the order of names. The output "
          "appears when it is complete.",
      .arguments = "FILE|FOLDER...",
      .expected = "a file or folder to read"};
  TokensOptions options;
  std::vector<std::string> inputs;
  if (const auto exit_code = config::parse_usage(options, argc, argv, usage, inputs)) {
    return *exit_code;
  }
  const std::vector<TextFile> files = find_text_files(inputs, options.extension);
  TokenFolder folder(options.output,
                     options.shard_size.bytes() / static_cast<std::uint64_t>(kByteTokens.width));
  ReadingProgress progress(files);
  for (const TextFile& file : files) {
    append_file(file, options, folder, progress);
  }
  progress.wipe();
  if (folder.tokens() == 0) {
    throw Error(ErrorCode::kInvalidArgument, "there is no text in what was to be read");
  }
  folder.commit();
  std::cout << fmt::format("{}: {} in {}, from {} ({})\n", config::printable(options.output.string()),
                           counted(folder.tokens(), "token"), counted(folder.shards(), "shard"),
                           counted(files.size(), "file"), size_text(progress.bytes()));
  return kExitOk;
}

// Returns whether it is undamaged.
bool show_shard(const std::string& path) {
  const TokenShard shard = TokenShard::open(path);
  const TokenHeader& header = shard.header();
  std::cout << fmt::format(
      "{}\n  tokens      {}\n  token size  {} bytes\n  vocabulary  {}\n  checksum    {:016x}\n", shard.name(),
      header.count, static_cast<int>(header.width), header.vocabulary, header.checksum);
  try {
    shard.verify();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kCorrupt) {
      throw;
    }
    std::cout << fmt::format("  damaged     {}\n", error.message());
    return false;
  }
  std::cout << "  undamaged\n";
  return true;
}

int run_info(int argc, const char* const* argv) {
  const config::Usage usage{
      .name = "lockstep data info",
      .about =
          "Shows what token shards hold, and reads all of each to see whether it is undamaged. Exits with 1 "
          "when one is not.",
      .arguments = "SHARD...",
      .expected = "a token shard to look at"};
  config::NoOptions options;
  std::vector<std::string> paths;
  if (const auto exit_code = config::parse_usage(options, argc, argv, usage, paths)) {
    return *exit_code;
  }
  bool undamaged = true;
  for (const std::string& path : paths) {
    undamaged = show_shard(path) && undamaged;
  }
  return undamaged ? kExitOk : kExitFound;
}

}  // namespace

int run_data(int argc, const char* const* argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "tokens") {
    return run_tokens(argc - 1, argv + 1);
  }
  if (name == "info") {
    return run_info(argc - 1, argv + 1);
  }
  if (name == "--help" || name == "-h") {
    std::cout << kDataHelp;
    return kExitOk;
  }
  if (name.empty()) {
    std::cerr << kDataHelp;
  } else {
    std::cerr << fmt::format("lockstep data: unknown action {}; there are 'tokens' and 'info'\n",
                             config::in_quotes(name));
  }
  return kExitTrouble;
}

}  // namespace lockstep::cli
