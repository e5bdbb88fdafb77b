# SPDX-License-Identifier: Apache-2.0
#
# Build the interfaces of any other package with the ROS 2 wheels, without their C++ side:
#     colcon build ... --cmake-args -DCMAKE_PROJECT_INCLUDE=/path/to/fcp_ros/cmake/python_messages.cmake
# CMake includes this file behind the package's project().

cmake_minimum_required(VERSION 3.22)
find_package(ament_cmake REQUIRED)
find_package(rosidl_default_generators REQUIRED)
list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "_cpp:")

include("${CMAKE_CURRENT_LIST_DIR}/include_directories.cmake")
cmake_language(DEFER CALL drop_missing_include_directories)

# Their many small files include the same large headers.
function(unite_generated_files)
  foreach(generated rosidl_typesupport_fastrtps_c rosidl_generator_py)
    set_target_properties(${PROJECT_NAME}__${generated} PROPERTIES
      UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endforeach()
endfunction()
cmake_language(DEFER CALL unite_generated_files)
