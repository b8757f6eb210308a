# Used by our build and, installed, by LockstepConfig.cmake.

# lockstep_find_torch([HINTS dir...] [FALLBACK dir...]): find_package(Torch) without its noise.
# HINTS come before CMAKE_PREFIX_PATH, FALLBACK after it; both name folders with share/cmake/Torch.
macro(lockstep_find_torch)
  cmake_parse_arguments(LOCKSTEP_FIND_TORCH "" "" "HINTS;FALLBACK" ${ARGN})
  # The wheel's config warns about a missing static kineto, which nothing here links; problems worth knowing
  # come as Torch_FOUND.
  set(lockstep_log_level ${CMAKE_MESSAGE_LOG_LEVEL})
  set(CMAKE_MESSAGE_LOG_LEVEL ERROR)
  find_package(Torch QUIET CONFIG
    HINTS ${LOCKSTEP_FIND_TORCH_HINTS} PATHS ${LOCKSTEP_FIND_TORCH_FALLBACK})
  set(CMAKE_MESSAGE_LOG_LEVEL ${lockstep_log_level})
endmacro()
