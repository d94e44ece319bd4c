# sluice_split_debug(TARGET): moves the debug information of a program to NAME.debug beside it.
# Debuggers and profilers find that file by the remaining link (.gnu_debuglink). The program becomes
# much smaller and executes the same instructions.
option(SLUICE_SPLIT_DEBUG "Move the debug information of programs to NAME.debug" OFF)

function(sluice_split_debug target)
  if(NOT SLUICE_SPLIT_DEBUG)
    return()
  endif()
  set(program "$<TARGET_FILE_NAME:${target}>")
  add_custom_command(
    TARGET ${target} POST_BUILD
    WORKING_DIRECTORY "$<TARGET_FILE_DIR:${target}>"
    COMMAND "${CMAKE_OBJCOPY}" --only-keep-debug ${program} ${program}.debug
    COMMAND "${CMAKE_OBJCOPY}" --strip-all --add-gnu-debuglink=${program}.debug ${program}
    VERBATIM)
endfunction()
