# The Python package: the module oscbo._core, and the files of python/oscbo beside it.
#
#   cmake --build build/release --target oscbo_python              importable from build/release/python
#   cmake --install build/release --component python --prefix DIR  copied to DIR/oscbo

# Use the Python of the distribution, which has NumPy, even if another one comes first on the path.
if(NOT DEFINED Python_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(pybind11 2.10 REQUIRED)

# A client of the public headers: it sees include/ and its own directory, not the rest of src/.
oscbo_room_sources(python "" sources)
pybind11_add_module(oscbo_python MODULE NO_EXTRAS ${sources})
set_source_files_properties(${sources} PROPERTIES UNITY_GROUP python)
set(package "${PROJECT_BINARY_DIR}/python/oscbo")
set_target_properties(oscbo_python PROPERTIES UNITY_BUILD_MODE GROUP
  OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY "${package}" CXX_VISIBILITY_PRESET hidden)
target_include_directories(oscbo_python PRIVATE src/python)
target_link_libraries(oscbo_python PRIVATE oscbo::oscbo oscbo_flags)
target_compile_options(oscbo_python PRIVATE ${OSCBO_TEXT_OPTIONS})
# Hide the symbols of the libraries inside it: the process may have its own copies.
target_link_options(oscbo_python PRIVATE LINKER:--exclude-libs,ALL)

file(GLOB files RELATIVE "${PROJECT_SOURCE_DIR}/python/oscbo" CONFIGURE_DEPENDS python/oscbo/*)
list(FILTER files EXCLUDE REGEX "^(__pycache__|\\.)")
file(MAKE_DIRECTORY "${package}")
foreach(file IN LISTS files)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/python/oscbo/${file}" "${package}/${file}" SYMBOLIC)
  install(FILES "python/oscbo/${file}" DESTINATION oscbo COMPONENT python EXCLUDE_FROM_ALL)
endforeach()
install(TARGETS oscbo_python DESTINATION oscbo COMPONENT python EXCLUDE_FROM_ALL)
