# SLUICE_SANITIZE (address,undefined,leak | thread | ...) applies to every target of this build,
# because mixing instrumented and plain code hides errors. The first report ends the program.
if(SLUICE_SANITIZE)
  add_compile_options(-fsanitize=${SLUICE_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SLUICE_SANITIZE})
endif()
