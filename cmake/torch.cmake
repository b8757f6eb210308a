# Finds libtorch and gives the targets that see it one shared precompiled header.

include(${CMAKE_CURRENT_LIST_DIR}/find_torch.cmake)
file(GLOB lockstep_venv_torch ${PROJECT_SOURCE_DIR}/.deps/venv/lib/python3*/site-packages/torch)
if(NOT LOCKSTEP_TORCH_DIR AND DEFINED ENV{LOCKSTEP_TORCH_DIR})
  set(LOCKSTEP_TORCH_DIR $ENV{LOCKSTEP_TORCH_DIR})
endif()
lockstep_find_torch(HINTS ${LOCKSTEP_TORCH_DIR} FALLBACK ${lockstep_venv_torch})
if(NOT Torch_FOUND)
  message(FATAL_ERROR "libtorch was not found. Run tools/bootstrap, or set LOCKSTEP_TORCH_DIR or "
    "CMAKE_PREFIX_PATH to a libtorch, or build the torch-free core alone with -DLOCKSTEP_WITH_TORCH=OFF.")
endif()
message(STATUS "libtorch ${Torch_VERSION}: ${TORCH_INSTALL_PREFIX}")

# Compiling <torch/torch.h> takes half a minute and 1.4 GB; every target reuses this one result.
file(CONFIGURE OUTPUT torch_pch.cpp CONTENT "// Owner of the precompiled torch header.\n")
add_library(lockstep_torch_pch OBJECT ${PROJECT_BINARY_DIR}/torch_pch.cpp)
target_link_libraries(lockstep_torch_pch PRIVATE lockstep_flags torch)
target_precompile_headers(lockstep_torch_pch PRIVATE <torch/torch.h>)
target_compile_options(lockstep_torch_pch PRIVATE -fpch-preprocess)

# lockstep_use_torch(TARGET PUBLIC|PRIVATE)
function(lockstep_use_torch target scope)
  target_link_libraries(${target} ${scope} torch)
  target_precompile_headers(${target} REUSE_FROM lockstep_torch_pch)
  # A precompiled header only fits the exact flags it was made with: executables take -fPIC too, not -fPIE.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC -fpch-preprocess)
  # An installed program finds the same libtorch. INSTALL_RPATH_USE_LINK_PATH would not do: it leaves out folders
  # inside the source tree, and .deps is one.
  set_target_properties(${target} PROPERTIES INSTALL_RPATH $<TARGET_FILE_DIR:torch>)
endfunction()
