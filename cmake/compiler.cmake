# Flags for our own code (never for dependencies), and ccache.

add_library(lockstep_flags INTERFACE)
target_compile_options(lockstep_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Werror
  # Identical bits on every machine: no fused multiply-add that the source did not ask for.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Collecting garbage from 128 MB on takes g++ a fourteenth of its time on files that include much.
  target_compile_options(lockstep_flags INTERFACE --param=ggc-min-heapsize=1048576)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(lockstep_flags INTERFACE -Wthread-safety -Wthread-safety-beta -Wreserved-identifier)
endif()
if(LOCKSTEP_SANITIZE)
  # Line numbers are all that a sanitizer's report needs of the debug information. -O1 halves what the checks cost at run
  # time, but with those of the address sanitizer g++ takes twice as long for it, which is more than the tests save.
  if(LOCKSTEP_SANITIZE MATCHES "thread")
    set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")
  else()
    set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
  endif()
  target_compile_options(lockstep_flags INTERFACE
    -fsanitize=${LOCKSTEP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(lockstep_flags INTERFACE -fsanitize=${LOCKSTEP_SANITIZE})
  target_compile_definitions(lockstep_flags INTERFACE LOCKSTEP_SANITIZED)
endif()

# The sloppiness lets ccache hit on files that use the precompiled torch header (70 s -> 4 s for a rebuild from
# scratch); the base directory lets a fresh clone hit what another one compiled. With the compiler's list of included
# files it need not preprocess what it has never seen, which took 0.3 s a file.
if(LOCKSTEP_CCACHE)
  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
      ${CCACHE_PROGRAM})
  endif()
endif()
