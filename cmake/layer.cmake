# lockstep_layer(NAME [TORCH] SOURCES file... [DEPENDS layer...] [LIBRARIES target...])
#
# Declares the layer in this folder as the static library lockstep_NAME, usable as lockstep::NAME.
# DEPENDS names the layers below it, LIBRARIES what it uses from outside. A layer without TORCH cannot
# see libtorch: neither its include path nor its targets.
function(lockstep_layer name)
  cmake_parse_arguments(LAYER "TORCH" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  set(target lockstep_${name})
  add_library(${target} STATIC ${LAYER_SOURCES})
  add_library(lockstep::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  list(TRANSFORM LAYER_DEPENDS PREPEND lockstep_)
  target_link_libraries(${target}
    PUBLIC ${LAYER_DEPENDS}
    PRIVATE $<BUILD_INTERFACE:lockstep_flags> ${LAYER_LIBRARIES})
  if(LAYER_TORCH)
    lockstep_use_torch(${target} PUBLIC)
    set_property(GLOBAL APPEND PROPERTY LOCKSTEP_TORCH_LAYERS ${target})
  else()
    set_property(GLOBAL APPEND PROPERTY LOCKSTEP_CORE_LAYERS ${target})
  endif()
endfunction()
