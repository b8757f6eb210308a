# Used by our build and, installed, by LockstepConfig.cmake.

# lockstep_find_torch([FALLBACK dir...]): find_package(Torch) without its noise.
#
# LOCKSTEP_TORCH_DIR, a variable of CMake or of the environment, names a folder with share/cmake/Torch. It wins, also over
# what this build found before, and when it holds no libtorch none is found. Without it Torch_DIR, CMAKE_PREFIX_PATH and
# the other places of find_package() come first, FALLBACK last. When none is found, lockstep_torch_reason says why.
macro(lockstep_find_torch)
  cmake_parse_arguments(LOCKSTEP_FIND_TORCH "" "" "FALLBACK" ${ARGN})
  if(NOT LOCKSTEP_TORCH_DIR AND DEFINED ENV{LOCKSTEP_TORCH_DIR})
    set(LOCKSTEP_TORCH_DIR $ENV{LOCKSTEP_TORCH_DIR})
  endif()
  set(lockstep_prefix_path ${CMAKE_PREFIX_PATH})
  set(lockstep_torch_places PATHS ${LOCKSTEP_FIND_TORCH_FALLBACK})
  set(lockstep_torch_reason "libtorch was not found; set LOCKSTEP_TORCH_DIR or CMAKE_PREFIX_PATH")
  if(LOCKSTEP_TORCH_DIR)
    lockstep_take_torch(${LOCKSTEP_TORCH_DIR})
    set(lockstep_torch_places NO_DEFAULT_PATH)
    set(lockstep_torch_reason "LOCKSTEP_TORCH_DIR=${LOCKSTEP_TORCH_DIR} has no libtorch that CMake can use")
  endif()
  # The wheel's config warns about a missing static kineto, which nothing here links; problems worth knowing
  # come as Torch_FOUND.
  set(lockstep_log_level ${CMAKE_MESSAGE_LOG_LEVEL})
  set(CMAKE_MESSAGE_LOG_LEVEL ERROR)
  find_package(Torch QUIET CONFIG ${lockstep_torch_places})
  set(CMAKE_MESSAGE_LOG_LEVEL ${lockstep_log_level})
  set(CMAKE_PREFIX_PATH ${lockstep_prefix_path})
endmacro()

# What find_package() found once stays in the cache and is not looked for again. TorchConfig.cmake finds its targets, as
# the package Caffe2, and its libraries in the same way: without this they would still be those of another libtorch.
macro(lockstep_take_torch dir)
  get_filename_component(lockstep_torch_root "${dir}" ABSOLUTE)
  unset(Torch_DIR)
  set(Torch_DIR ${lockstep_torch_root}/share/cmake/Torch CACHE PATH "Follows LOCKSTEP_TORCH_DIR" FORCE)
  foreach(lockstep_found Caffe2_DIR TORCH_LIBRARY c10_LIBRARY kineto_LIBRARY)
    unset(${lockstep_found} CACHE)
  endforeach()
  list(PREPEND CMAKE_PREFIX_PATH ${lockstep_torch_root})
endmacro()
