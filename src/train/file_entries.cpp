#include "train/file_entries.h"

#include <c10/util/StringUtil.h>

#include <sstream>
#include <string>

#include "train/text_exchange.h"

namespace lockstep::train {
namespace {

// One line per file. Names contain no spaces: see checkpoint::is_file_name().
std::string to_lines(const std::vector<checkpoint::FileEntry>& files) {
  std::string text;
  for (const checkpoint::FileEntry& file : files) {
    text += c10::str(file.name, " ", file.bytes, " ", file.checksum, "\n");
  }
  return text;
}

checkpoint::FileEntry entry_of(const std::string& line) {
  checkpoint::FileEntry entry;
  std::istringstream(line) >> entry.name >> entry.bytes >> entry.checksum;
  return entry;
}

}  // namespace

std::vector<checkpoint::FileEntry> gather_entries(const std::vector<checkpoint::FileEntry>& mine,
                                                  Communicator& communicator) {
  std::vector<checkpoint::FileEntry> entries;
  for (const std::string& text : gather_texts(to_lines(mine), "files of the checkpoint", communicator)) {
    for (const std::string& line : lines_of(text)) {
      entries.push_back(entry_of(line));
    }
  }
  return entries;
}

}  // namespace lockstep::train
