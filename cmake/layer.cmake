# sluice_layer(NAME [LINKS layer-or-target...] [USES target...])
#
# Defines the static library sluice_NAME, alias sluice::NAME, from every .cc below src/NAME except
# main.cc.
#
# src/ is on no include path. Each layer has its own folder, BUILD/layers/NAME, which contains only
# the link NAME -> src/NAME and is the layer's include directory. So #include "core/limit/limit.h"
# works only in a target that links sluice::core, and a forbidden include does not compile. LINKS
# and includes are checked against tools/lint/layers.txt.
#
# Targets in USES are visible only to the layer's own sources. They are third-party libraries, whose
# headers are not subject to our warnings.
#
# A layer without sources is skipped, and so are links to it.
#
# With SLUICE_PRECOMPILE all layers share a precompiled header of the standard headers that most
# files include, which saves a third of the compile time of a file. It hides missing includes, so it
# is off by default; the presets with sanitizers enable it.

set(SLUICE_LAYERS_FILE "${PROJECT_SOURCE_DIR}/tools/lint/layers.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${SLUICE_LAYERS_FILE}")

set(SLUICE_PRECOMPILED <algorithm> <array> <chrono> <functional> <memory> <optional> <span> <string>
                       <string_view> <unordered_map> <utility> <variant> <vector>)

# sluice_precompile(TARGET header...): precompiles the headers for TARGET. The first target of a
# folder builds the precompiled header, and the others reuse it.
function(sluice_precompile target)
  # Without this, ccache cannot tell which precompiled header was used.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  get_property(maker DIRECTORY PROPERTY sluice_precompiled_by)
  if(maker)
    target_precompile_headers(${target} REUSE_FROM ${maker})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(DIRECTORY PROPERTY sluice_precompiled_by ${target})
  endif()
endfunction()

function(sluice_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINKS;USES")

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cc")
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  if(NOT sources)
    message(STATUS "layer ${name}: no sources yet, skipped")
    return()
  endif()

  file(STRINGS "${SLUICE_LAYERS_FILE}" row REGEX "^${name}:")
  if(NOT row)
    message(FATAL_ERROR "layer ${name} has no row in ${SLUICE_LAYERS_FILE}")
  endif()
  string(REGEX REPLACE "^${name}: *" "" allowed "${row}")
  separate_arguments(allowed)

  add_library(sluice_${name} STATIC ${sources})
  add_library(sluice::${name} ALIAS sluice_${name})
  set_target_properties(sluice_${name} PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(sluice_${name} PUBLIC sluice::api)
  sluice_warnings(sluice_${name})

  set(include_dir "${PROJECT_BINARY_DIR}/layers/${name}")
  file(MAKE_DIRECTORY "${include_dir}")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/src/${name}" "${include_dir}/${name}" SYMBOLIC)
  target_include_directories(sluice_${name} PUBLIC "$<BUILD_INTERFACE:${include_dir}>")

  foreach(link IN LISTS arg_LINKS)
    if(link MATCHES "::")
      target_link_libraries(sluice_${name} PUBLIC ${link})
    elseif(NOT link IN_LIST allowed AND NOT allowed STREQUAL "*")
      message(FATAL_ERROR "layer ${name} may not link ${link}: see ${SLUICE_LAYERS_FILE}")
    elseif(TARGET sluice_${link})
      target_link_libraries(sluice_${name} PUBLIC sluice::${link})
    else()
      message(STATUS "layer ${name}: ${link} is not there yet, not linked")
    endif()
  endforeach()
  target_link_libraries(sluice_${name} PRIVATE ${arg_USES})
  if(SLUICE_PRECOMPILE)
    sluice_precompile(sluice_${name} ${SLUICE_PRECOMPILED})
  endif()
  set_property(GLOBAL APPEND PROPERTY SLUICE_LAYERS ${name})
endfunction()
