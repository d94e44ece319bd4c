# sluice_script(TARGET NAME HEADER FUNCTION part...)
#
# Concatenates src/remote/script/scripts/PART.lua to the script NAME and embeds it in TARGET
# (sluice_embed).
function(sluice_script target name header function)
  set(parts "")
  foreach(part IN LISTS ARGN)
    list(APPEND parts "${PROJECT_SOURCE_DIR}/src/remote/script/scripts/${part}.lua")
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
