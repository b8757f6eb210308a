# Runs at the end of an installation: debug information is nine tenths of what was installed, and few need it.
# LOCKSTEP_INSTALL_DEBUG in the environment keeps it.
if(NOT DEFINED ENV{LOCKSTEP_INSTALL_DEBUG} AND LOCKSTEP_STRIP)
  foreach(file ${CMAKE_INSTALL_MANIFEST_FILES})
    if(file MATCHES "\\.a$|/lockstep(-[a-z-]+)?$")
      execute_process(COMMAND ${LOCKSTEP_STRIP} --strip-debug $ENV{DESTDIR}${file} COMMAND_ERROR_IS_FATAL ANY)
    endif()
  endforeach()
endif()
