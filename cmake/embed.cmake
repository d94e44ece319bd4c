# sluice_embed(TARGET FILE HEADER FUNCTION)
#
# Embeds the bytes of FILE in TARGET as the return value of `std::string_view sluice::FUNCTION()`,
# which HEADER declares. Whenever FILE changes, the build generates the source by running this
# script:
#
#   cmake -DINPUT=FILE -DOUTPUT=SOURCE -DHEADER=HEADER -DFUNCTION=FUNCTION -P embed.cmake

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${INPUT}" bytes HEX)
  # Sixteen bytes per line. Written as an array of characters, because string literals have a
  # maximum length.
  string(REGEX REPLACE "(................................)" "\\1\n    " bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  file(WRITE "${OUTPUT}"
       "#include \"${HEADER}\"\n\n"
       "namespace sluice {\nnamespace {\n\n"
       "constexpr char kBytes[] = {\n    ${bytes}\n};\n\n"
       "}  // namespace\n\n"
       "std::string_view ${FUNCTION}() { return {kBytes, sizeof(kBytes)}; }\n\n"
       "}  // namespace sluice\n")
  return()
endif()

set(SLUICE_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(sluice_embed target file header function)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE input)
  cmake_path(GET header STEM name)
  set(output "${PROJECT_BINARY_DIR}/embedded/${name}.cc")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DINPUT=${input}" "-DOUTPUT=${output}" "-DHEADER=${header}"
            "-DFUNCTION=${function}" -P "${SLUICE_EMBED_SCRIPT}"
    DEPENDS "${input}" "${SLUICE_EMBED_SCRIPT}"
    VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
