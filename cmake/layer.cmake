# lockstep_layer(NAME [TORCH] [INTERNAL] [COLD] [HEADERS header...] SOURCES file... [DEPENDS layer...] [LIBRARIES target...])
#
# Declares the layer in this folder as the static library lockstep_NAME, usable as lockstep::NAME.
# HEADERS are its public headers, as users include them ("lockstep/error.h"). DEPENDS names the layers it
# stands on, LIBRARIES what it uses from outside. A layer without TORCH cannot see libtorch: neither its
# include path nor its targets. An INTERNAL layer is not installed. A COLD one runs outside of training
# steps and is compiled with -O1, which takes the compiler a quarter less. tools/check_layers reads these calls.
function(lockstep_layer name)
  cmake_parse_arguments(LAYER "TORCH;INTERNAL;COLD" "" "HEADERS;SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  set(target lockstep_${name})
  add_library(${target} STATIC ${LAYER_SOURCES})
  add_library(lockstep::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  list(TRANSFORM LAYER_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/include/)
  target_sources(${target} PUBLIC
    FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${LAYER_HEADERS})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  list(TRANSFORM LAYER_DEPENDS PREPEND lockstep_)
  target_link_libraries(${target} PUBLIC ${LAYER_DEPENDS} PRIVATE ${LAYER_LIBRARIES})
  # Not linked: users of the build tree would need it too.
  target_compile_options(${target} PRIVATE $<TARGET_PROPERTY:lockstep_flags,INTERFACE_COMPILE_OPTIONS>)
  target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:lockstep_flags,INTERFACE_COMPILE_DEFINITIONS>)
  if(LOCKSTEP_SANITIZE)
    target_link_options(${target} INTERFACE -fsanitize=${LOCKSTEP_SANITIZE})  # for whatever links it
  endif()
  if(LAYER_COLD)
    target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
  endif()
  if(LAYER_TORCH)
    lockstep_use_torch(${target} PUBLIC)
    lockstep_check_torch_headers(${target} ${LAYER_HEADERS})
  endif()
  if(LOCKSTEP_UNITY OR LAYER_TORCH)
    # All files as one, up to 32: that takes a third of the time, and a source with libtorch's headers takes eight
    # seconds before the first line of its own. The dev preset compiles each file of the torch-free layers by itself and
    # so shows a missing include.
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 32)
  endif()
  if(LAYER_INTERNAL)
    return()
  endif()
  if(LAYER_TORCH)
    set_property(GLOBAL APPEND PROPERTY LOCKSTEP_TORCH_LAYERS ${target})
  else()
    set_property(GLOBAL APPEND PROPERTY LOCKSTEP_CORE_LAYERS ${target})
  endif()
endfunction()
