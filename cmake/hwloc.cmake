# hwloc as the target hwloc::hwloc; it comes without a file for CMake.
find_path(HWLOC_INCLUDE_DIR hwloc.h REQUIRED)
find_library(HWLOC_LIBRARY hwloc REQUIRED)
add_library(hwloc::hwloc UNKNOWN IMPORTED)
set_target_properties(hwloc::hwloc PROPERTIES
  IMPORTED_LOCATION ${HWLOC_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${HWLOC_INCLUDE_DIR})
