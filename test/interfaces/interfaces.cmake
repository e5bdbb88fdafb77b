# SPDX-License-Identifier: Apache-2.0
#
# Build the messages of the including package, without their C++ side; `dependencies` are the packages
# that they need. What the wheels lack and the bridges read: the tests send it.

find_package(ament_cmake REQUIRED)
find_package(rosidl_default_generators REQUIRED)
foreach(dependency IN LISTS dependencies)
  find_package(${dependency} REQUIRED)
endforeach()
list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "_cpp:")

file(GLOB interfaces
  RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
  CONFIGURE_DEPENDS
  "${CMAKE_CURRENT_SOURCE_DIR}/msg/*.msg"
  "${CMAKE_CURRENT_SOURCE_DIR}/action/*.action"
)
rosidl_generate_interfaces(${PROJECT_NAME} ${interfaces} DEPENDENCIES ${dependencies})

include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/include_directories.cmake")
drop_missing_include_directories()
keep_include_directories_private(${PROJECT_NAME}__rosidl_generator_py)

ament_package()
