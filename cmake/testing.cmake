# lockstep_test(NAME [TORCH] LABEL label SOURCES file... LIBRARIES target... [TIMEOUT seconds])
#
# A GoogleTest program whose every case is one ctest entry. LABEL is one of unit, multiprocess, parity, fault,
# slow. Each case runs in a process of its own and is ended at its TIMEOUT; one that starts ranks has the machine
# to itself, since ranks that wait for each other crawl when something else wants their cores.

find_package(GTest REQUIRED)
include(GoogleTest)

# Tests are compiled without optimisation and with line numbers only: that takes a third of the time under a sanitizer
# and less than half with libtorch (25 s a file to 11), and the code that is worth the speed is in the layers.
# g++ 12 no longer knows that what comes out of a precompiled header is a system header, and warns about std::string.
set(lockstep_test_options -fPIC -fpch-preprocess -O0 -g1 -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow)

# lockstep_test_header(NAME header...): a precompiled header for tests, as the object library NAME. Two seconds of every
# test file are GoogleTest's headers, and half a minute libtorch's.
function(lockstep_test_header name)
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "// Owner of a precompiled header of the tests.\n")
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE lockstep_flags GTest::gmock)
  target_precompile_headers(${name} PRIVATE ${ARGN})
  target_compile_options(${name} PRIVATE ${lockstep_test_options})
  set_source_files_properties(${PROJECT_BINARY_DIR}/${name}.cpp PROPERTIES COMPILE_OPTIONS -E)  # see cmake/torch.cmake
endfunction()

# lockstep_use_test_header(TARGET NAME): the header only fits the exact flags it was made with, hence no -fPIE.
function(lockstep_use_test_header target name)
  target_precompile_headers(${target} REUSE_FROM ${name})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE ${lockstep_test_options})
endfunction()

# lockstep_join_test_files(TARGET): most of what a test file takes is spent on headers and on what they instantiate, so
# with LOCKSTEP_UNITY the files of a target are compiled as one, up to two dozen.
function(lockstep_join_test_files target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${LOCKSTEP_UNITY} UNITY_BUILD_BATCH_SIZE 24)
endfunction()

lockstep_test_header(lockstep_test_pch <gmock/gmock.h> <gtest/gtest.h>)
if(LOCKSTEP_WITH_TORCH)
  lockstep_test_header(lockstep_torch_test_pch <torch/torch.h> <gmock/gmock.h> <gtest/gtest.h>)
  target_link_libraries(lockstep_torch_test_pch PRIVATE torch)
endif()

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
    target_link_libraries(${name} PRIVATE torch)
    lockstep_use_test_header(${name} lockstep_torch_test_pch)
  else()
    lockstep_use_test_header(${name} lockstep_test_pch)
  endif()
  lockstep_join_test_files(${name})
  set(processors 1)
  if(NOT TEST_LABEL STREQUAL unit)
    set(processors 2)
  endif()
  # A program that is asked for its tests has to load libtorch first, and builds go on beside it: CMake's 5 s may not do.
  gtest_discover_tests(${name}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    NO_PRETTY_VALUES
    PROPERTIES LABELS ${TEST_LABEL} TIMEOUT ${TEST_TIMEOUT} PROCESSORS ${processors})
endfunction()
