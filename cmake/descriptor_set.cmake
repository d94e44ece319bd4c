# sluice_descriptor_set(OUT)
#
# Sets OUT to the path of a file that protoc generates during the build: the descriptors of every
# .proto file below proto/ and of their imports, without comments.

function(sluice_descriptor_set out)
  set(folder "${PROJECT_SOURCE_DIR}/proto")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE "${folder}" "${folder}/*.proto")
  list(TRANSFORM sources PREPEND "${folder}/" OUTPUT_VARIABLE inputs)
  set(output "${PROJECT_BINARY_DIR}/descriptor_set.pb")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${SLUICE_PROTOC}" "--proto_path=${folder}" --include_imports
            "--descriptor_set_out=${output}" ${sources}
    DEPENDS ${inputs}
    VERBATIM)
  set(${out} "${output}" PARENT_SCOPE)
endfunction()
