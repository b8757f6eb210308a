#include "cli/diff/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "config/printable.h"

namespace lockstep::diff {
namespace {

constexpr std::size_t kSummaryNames = 5;
constexpr std::size_t kLongestValue = 60;

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string cut(std::string text) {
  if (text.size() <= kLongestValue) {
    return text;
  }
  const std::string_view kept(text.data(), kLongestValue);
  return std::string(kept.substr(0, config::utf8_prefix(kept))) + "...";
}

std::string value_text(const std::optional<std::string>& value) {
  return value ? cut(config::printable(*value)) : "(absent)";
}

std::string joined(const std::vector<std::string>& names, Detail detail) {
  const std::size_t shown = detail == Detail::kAll ? names.size() : std::min(names.size(), kSummaryNames);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    text += (i > 0 ? ", " : "") + config::printable(names[i]);
  }
  return shown < names.size() ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

std::string spot_text(const Spot& spot, const TensorDifference& tensor) {
  return fmt::format("{}: {} -> {}", index_text(spot.index, tensor.shape), spot.a, spot.b);
}

// The tensor with the largest `size`, the first of equals; null if none has it.
template <class Size>
const TensorDifference* largest_of(const std::vector<TensorDifference>& tensors, const Size& size) {
  const TensorDifference* found = nullptr;
  for (const TensorDifference& tensor : tensors) {
    if (size(tensor) && (found == nullptr || *size(tensor) > *size(*found))) {
      found = &tensor;
    }
  }
  return found;
}

std::optional<double> absolute_of(const TensorDifference& tensor) {
  return tensor.absolute ? std::optional(tensor.absolute->difference) : std::nullopt;
}

std::optional<double> relative_of(const TensorDifference& tensor) {
  return tensor.relative ? std::optional(tensor.relative->difference) : std::nullopt;
}

class Page {
 public:
  explicit Page(Detail detail) : detail_(detail) {}

  void add_side(std::string_view label, const Side& side) {
    text_ += fmt::format("{}  {}", label, config::printable(side.path));
    if (side.manifest) {
      text_ += fmt::format(": step {}, {}", side.manifest->step,
                           counted(static_cast<std::uint64_t>(side.manifest->world_size), "rank"));
    }
    text_ += '\n';
  }

  void add(const CheckpointDifference& difference) {
    if (difference.empty()) {
      text_ += "no difference\n";
      return;
    }
    add_values("", difference.manifest);
    add_names("only in a", difference.only_a);
    add_names("only in b", difference.only_b);
    for (const TensorFileDifference& file : difference.tensor_files) {
      add_tensor_file(file);
    }
    for (const JsonFileDifference& file : difference.json_files) {
      text_ += fmt::format("{}: {} differ{}\n", file.file, counted(file.values.size(), "value"),
                           file.values.size() == 1 ? "s" : "");
      add_values("  ", file.values);
    }
    add_names("other bytes", difference.other_files);
    add_names("equal", difference.equal);
  }

  std::string take() { return std::move(text_); }

 private:
  void add_names(std::string_view label, const std::vector<std::string>& names) {
    if (!names.empty()) {
      text_ += fmt::format("{}: {}\n", label, joined(names, detail_));
    }
  }

  void add_values(std::string_view indent, const std::vector<config::Difference>& values) {
    for (const auto& [name, a, b] : values) {
      text_ += fmt::format("{}{}: {} -> {}\n", indent, config::printable(name), value_text(a), value_text(b));
    }
  }

  void add_tensor_file(const TensorFileDifference& file) {
    text_ += fmt::format("{}: {} of {} differ, in {} of {}\n", file.file, file.tensors.size(),
                         counted(file.compared, "tensor"), file.differing_elements(),
                         counted(file.elements, "element"));
    add_names("  only in a", file.only_a);
    add_names("  only in b", file.only_b);
    for (const auto& [name, a, b] : file.forms) {
      text_ += fmt::format("  {}: {} -> {}\n", config::printable(name), a, b);
    }
    add_values("  metadata ", file.metadata);
    add_summary(file.tensors);
    if (detail_ == Detail::kAll) {
      for (const TensorDifference& tensor : file.tensors) {
        add_tensor(tensor);
      }
    }
  }

  void add_summary(const std::vector<TensorDifference>& tensors) {
    if (tensors.empty()) {
      return;
    }
    add_spot("first", tensors.front(), tensors.front().first);
    if (const TensorDifference* tensor = largest_of(tensors, absolute_of)) {
      add_spot("largest", *tensor, tensor->absolute->at,
               fmt::format(", by {:.6g}", tensor->absolute->difference));
    }
    if (const TensorDifference* tensor = largest_of(tensors, relative_of)) {
      add_spot("relative", *tensor, tensor->relative->at,
               fmt::format(", by {:.3g} %", 100 * tensor->relative->difference));
    }
    if (const auto* tensor = largest_of(tensors, [](const TensorDifference& each) { return each.ulps; })) {
      text_ += fmt::format("  ulps      {}: up to {}\n", config::printable(tensor->name), *tensor->ulps);
    }
    const auto with_nan = std::count_if(tensors.begin(), tensors.end(), [](const TensorDifference& tensor) {
      return tensor.nan_on_one_side > 0;
    });
    if (with_nan > 0) {
      text_ += fmt::format("  nan       on one side, in {}\n",
                           counted(static_cast<std::uint64_t>(with_nan), "tensor"));
    }
  }

  void add_spot(std::string_view label, const TensorDifference& tensor, const Spot& spot,
                std::string_view end = "") {
    text_ +=
        fmt::format("  {:8}  {} {}{}\n", label, config::printable(tensor.name), spot_text(spot, tensor), end);
  }

  void add_tensor(const TensorDifference& tensor) {
    text_ += fmt::format("  {}  {} [{}]: {} of {}, first {}", config::printable(tensor.name),
                         checkpoint::to_string(tensor.type), fmt::join(tensor.shape, ", "), tensor.differing,
                         counted(tensor.elements, "element"), spot_text(tensor.first, tensor));
    if (tensor.absolute && tensor.relative) {
      text_ +=
          fmt::format("; by up to {:.6g} at {}, {:.3g} % at {}", tensor.absolute->difference,
                      index_text(tensor.absolute->at.index, tensor.shape), 100 * tensor.relative->difference,
                      index_text(tensor.relative->at.index, tensor.shape));
    }
    if (tensor.ulps) {
      text_ += fmt::format(", {}", counted(*tensor.ulps, "ulp"));
    }
    if (tensor.nan_on_one_side > 0) {
      text_ += fmt::format("; nan on one side of {}", counted(tensor.nan_on_one_side, "element"));
    }
    text_ += '\n';
  }

  Detail detail_;
  std::string text_;
};

}  // namespace

std::string render_page(const Side& a, const Side& b, const CheckpointDifference& difference, Detail detail) {
  Page page(detail);
  page.add_side("a", a);
  page.add_side("b", b);
  page.add(difference);
  return page.take();
}

}  // namespace lockstep::diff
