# Finds libtorch, gives the targets that see it one shared precompiled header, and checks the public headers that do.

include(${CMAKE_CURRENT_LIST_DIR}/find_torch.cmake)
file(GLOB lockstep_venv_torch ${PROJECT_SOURCE_DIR}/.deps/venv/lib/python3*/site-packages/torch)
lockstep_find_torch(FALLBACK ${lockstep_venv_torch})
if(NOT Torch_FOUND)
  message(FATAL_ERROR "${lockstep_torch_reason}. Or run tools/bootstrap, which installs one, "
    "or build the torch-free core alone with -DLOCKSTEP_WITH_TORCH=OFF.")
endif()
message(STATUS "libtorch ${Torch_VERSION}: ${TORCH_INSTALL_PREFIX}")

# What all layers with libtorch include takes half a minute and 1.7 GB to compile; every target reuses this one result.
# With all of <torch/torch.h> it takes a third longer, and every file that uses it four seconds more.
file(CONFIGURE OUTPUT torch_pch.cpp CONTENT "// Owner of the precompiled torch header.\n")
add_library(lockstep_torch_pch OBJECT ${PROJECT_BINARY_DIR}/torch_pch.cpp)
target_link_libraries(lockstep_torch_pch PRIVATE lockstep_flags torch)
target_precompile_headers(lockstep_torch_pch PRIVATE
  <torch/types.h> <torch/nn/module.h> <torch/optim/optimizer.h> <torch/utils.h>)
target_compile_options(lockstep_torch_pch PRIVATE -fpch-preprocess)
# Whatever uses the header instantiates again what libtorch left for the end of a file, for 6 s; but nothing links the
# owner, so it need not get beyond the preprocessor.
set_source_files_properties(${PROJECT_BINARY_DIR}/torch_pch.cpp PROPERTIES COMPILE_OPTIONS -E)

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

# lockstep_check_torch_headers(TARGET header...): compiles each by itself, as the target lockstep_torch_headers.
#
# CMake's own way takes no options and no precompiled header: 19 s each. Most of that is <torch/types.h>, which
# <torch/nn/module.h> includes too. A header that includes one of the two, itself or through others of ours, finds
# nothing in a precompiled <torch/types.h> that it does not bring along; a header that does not goes without.
add_custom_target(lockstep_torch_headers)
set(lockstep_header_options -fPIC -fpch-preprocess -O0 -g0)
file(CONFIGURE OUTPUT torch_types_pch.cpp CONTENT "// Owner of the precompiled header for checks of headers.\n")
add_library(lockstep_torch_types_pch OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/torch_types_pch.cpp)
target_link_libraries(lockstep_torch_types_pch PRIVATE lockstep_flags torch)
target_precompile_headers(lockstep_torch_types_pch PRIVATE <torch/types.h>)
target_compile_options(lockstep_torch_types_pch PRIVATE ${lockstep_header_options})

function(lockstep_check_torch_headers target)
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS OFF)
  set(sources)
  foreach(header ${ARGN})
    cmake_path(GET header FILENAME file)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${file}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"lockstep/${file}\"\n")
    list(APPEND sources ${source})
    lockstep_brings_torch_types(${header} brings)
    if(NOT brings)
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  if(sources)
    add_library(${target}_headers OBJECT EXCLUDE_FROM_ALL ${sources})
    target_link_libraries(${target}_headers PRIVATE lockstep_flags ${target})
    set_target_properties(${target}_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_precompile_headers(${target}_headers REUSE_FROM lockstep_torch_types_pch)
    target_compile_options(${target}_headers PRIVATE ${lockstep_header_options})
    add_dependencies(lockstep_torch_headers ${target}_headers)
  endif()
endfunction()

# lockstep_brings_torch_types(header result): whether whoever includes the public header has <torch/types.h> as well.
function(lockstep_brings_torch_types header result)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(STRINGS ${header} includes REGEX "^#include ")
  set(brings FALSE)
  foreach(include ${includes})
    if(include MATCHES "<torch/(types|nn/module)\\.h>")
      set(brings TRUE)
    elseif(NOT brings AND include MATCHES "\"(lockstep/.+)\"")
      lockstep_brings_torch_types(${PROJECT_SOURCE_DIR}/include/${CMAKE_MATCH_1} brings)
    endif()
  endforeach()
  set(${result} ${brings} PARENT_SCOPE)
endfunction()
