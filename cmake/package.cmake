# Installation and the package that find_package(Lockstep) finds.

include(CMakePackageConfigHelpers)

get_property(core_layers GLOBAL PROPERTY LOCKSTEP_CORE_LAYERS)
add_library(lockstep_core INTERFACE)
add_library(lockstep::core ALIAS lockstep_core)
set_target_properties(lockstep_core PROPERTIES EXPORT_NAME core)
target_link_libraries(lockstep_core INTERFACE ${core_layers})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Lockstep)
install(TARGETS lockstep_core ${core_layers} EXPORT LockstepCore FILE_SET HEADERS)
install(EXPORT LockstepCore NAMESPACE lockstep:: DESTINATION ${package_dir})

if(LOCKSTEP_WITH_TORCH)
  get_property(torch_layers GLOBAL PROPERTY LOCKSTEP_TORCH_LAYERS)
  add_library(lockstep_lockstep INTERFACE)
  add_library(lockstep::lockstep ALIAS lockstep_lockstep)
  set_target_properties(lockstep_lockstep PROPERTIES EXPORT_NAME lockstep)
  target_link_libraries(lockstep_lockstep INTERFACE lockstep_core ${torch_layers})
  install(TARGETS lockstep_lockstep ${torch_layers} EXPORT LockstepTorch FILE_SET HEADERS)
  install(EXPORT LockstepTorch NAMESPACE lockstep:: DESTINATION ${package_dir})
endif()

configure_package_config_file(cmake/LockstepConfig.cmake.in LockstepConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(LockstepConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/LockstepConfig.cmake ${PROJECT_BINARY_DIR}/LockstepConfigVersion.cmake
  cmake/find_torch.cmake
  DESTINATION ${package_dir})

# The build tree is a prefix that find_package() takes as well: projects can be built before anything is installed.
export(EXPORT LockstepCore NAMESPACE lockstep:: FILE LockstepCore.cmake)
if(LOCKSTEP_WITH_TORCH)
  export(EXPORT LockstepTorch NAMESPACE lockstep:: FILE LockstepTorch.cmake)
endif()
file(COPY cmake/find_torch.cmake DESTINATION ${PROJECT_BINARY_DIR})
# In this project the targets are there already.
file(WRITE ${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/LockstepConfig.cmake "")

# `lockstep new` makes projects from these.
install(DIRECTORY examples/digits examples/own_loop DESTINATION ${CMAKE_INSTALL_DATADIR}/lockstep/examples)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/lockstep)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/examples ${PROJECT_BINARY_DIR}/share/lockstep/examples SYMBOLIC)

# Last: it sees all that was installed.
install(CODE "set(LOCKSTEP_STRIP \"${CMAKE_STRIP}\")")
install(SCRIPT cmake/strip_installed.cmake)
