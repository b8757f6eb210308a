// Uses the whole of Lockstep as an installed package, beside libtorch itself.

#include <ATen/ATen.h>
#include <lockstep/error.h>
#include <lockstep/torch_info.h>

#include <iostream>

int main() {
  const auto sum = at::ones({2, 3}).sum().item<double>();
  if (sum != 6.0) {
    throw lockstep::Error(lockstep::ErrorCode::kInternal, "libtorch cannot add");
  }
  std::cout << "lockstep with libtorch " << lockstep::inspect_torch().version << "\n";
}
