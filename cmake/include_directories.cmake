# SPDX-License-Identifier: Apache-2.0
#
# drop_missing_include_directories()
#
# Remove include directories that don't exist from every imported target of this directory.
# The ROS 2 wheels on PyPI export a few targets that name directories of the machine which built
# them (/opt/python/...), and CMake's generate step refuses an imported target with a missing
# include directory. With a ROS 2 distribution nothing is missing and nothing changes.
function(drop_missing_include_directories)
  get_property(imported_targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS imported_targets)
    get_target_property(directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
    if(NOT directories)
      continue()
    endif()
    set(present "")
    foreach(directory IN LISTS directories)
      # A generator expression can't be checked here, so it stays.
      if(directory MATCHES "\\$<" OR EXISTS "${directory}")
        list(APPEND present "${directory}")
      endif()
    endforeach()
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${present}")
  endforeach()
endfunction()

# keep_include_directories_private(TARGET)
#
# Let only this build, and not the exported TARGET, name include directories by absolute path: Python's
# and numpy's are somewhere else for who uses the package, and CMake refuses to export paths inside
# the source folder, where the environment of `make setup` is.
function(keep_include_directories_private target)
  get_target_property(directories ${target} INTERFACE_INCLUDE_DIRECTORIES)
  set(kept "")
  foreach(directory IN LISTS directories)
    if(IS_ABSOLUTE "${directory}")
      set(directory "$<BUILD_INTERFACE:${directory}>")
    endif()
    list(APPEND kept "${directory}")
  endforeach()
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${kept}")
endfunction()
