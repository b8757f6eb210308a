# lockstep_test(NAME [TORCH] LABEL label SOURCES file... LIBRARIES target... [TIMEOUT seconds])
#
# A GoogleTest program whose every case is one ctest entry. LABEL is one of unit, multiprocess, parity, fault,
# slow. Each case runs in a process of its own and is ended at its TIMEOUT; one that starts ranks has the machine
# to itself, since ranks that wait for each other crawl when something else wants their cores.

find_package(GTest REQUIRED)
include(GoogleTest)

# Two seconds of every test file are GoogleTest's headers.
file(CONFIGURE OUTPUT test_pch.cpp CONTENT "// Owner of the precompiled header of the tests.\n")
add_library(lockstep_test_pch OBJECT ${PROJECT_BINARY_DIR}/test_pch.cpp)
target_link_libraries(lockstep_test_pch PRIVATE lockstep_flags GTest::gmock)
target_precompile_headers(lockstep_test_pch PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
# g++ 12 no longer knows that what comes out of a precompiled header is a system header, and warns about std::string.
set(lockstep_test_options -fpch-preprocess -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow)
if(LOCKSTEP_SANITIZE)
  # Optimising instrumented tests takes three times as long as compiling them (25 s a file, 8 s without), and the
  # code that is worth the speed is in the layers.
  list(APPEND lockstep_test_options -O0)
endif()
target_compile_options(lockstep_test_pch PRIVATE ${lockstep_test_options})

# lockstep_use_test_header(TARGET): the header only fits the exact flags it was made with, hence -fPIC.
function(lockstep_use_test_header target)
  target_precompile_headers(${target} REUSE_FROM lockstep_test_pch)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC ${lockstep_test_options})
endfunction()

function(lockstep_test name)
  cmake_parse_arguments(TEST "TORCH" "LABEL;TIMEOUT" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT TEST_LABEL MATCHES "^(unit|multiprocess|parity|fault|slow)$")
    message(FATAL_ERROR "lockstep_test(${name}): LABEL '${TEST_LABEL}' is not a label of this suite")
  endif()
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 60)
  endif()
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE lockstep_flags ${TEST_LIBRARIES} GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  if(TEST_TORCH)
    lockstep_use_torch(${name} PRIVATE)
  else()
    lockstep_use_test_header(${name})
  endif()
  set(processors 1)
  if(NOT TEST_LABEL STREQUAL unit)
    set(processors 2)
  endif()
  gtest_discover_tests(${name}
    DISCOVERY_MODE PRE_TEST
    NO_PRETTY_VALUES
    PROPERTIES LABELS ${TEST_LABEL} TIMEOUT ${TEST_TIMEOUT} PROCESSORS ${processors})
endfunction()
