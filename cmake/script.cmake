# sluice_script(TARGET NAME HEADER FUNCTION part...)
#
# src/remote/scripts/PART.lua, one after the other, become the script NAME for Redis, embedded in
# TARGET as sluice_embed does it.
function(sluice_script target name header function)
  set(parts "")
  foreach(part IN LISTS ARGN)
    list(APPEND parts "${PROJECT_SOURCE_DIR}/src/remote/scripts/${part}.lua")
  endforeach()
  set(script "${PROJECT_BINARY_DIR}/scripts/${name}.lua")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/scripts")
  add_custom_command(
    OUTPUT "${script}"
    COMMAND "${CMAKE_COMMAND}" -E cat ${parts} > "${script}"
    DEPENDS ${parts}
    VERBATIM)
  sluice_embed(${target} "${script}" ${header} ${function})
endfunction()
