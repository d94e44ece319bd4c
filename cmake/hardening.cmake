# SLUICE_HARDEN: what makes memory errors harder to use, for every target of this build. It is for
# release builds: sanitizers find more, and do not mix with it. ARCHITECTURE.md has what it costs.
#
# Distributions set some of these flags themselves, and compilers have some by default. All are set
# here, so that a binary does not depend on who builds it; tests/hardening looks at the result.
option(SLUICE_HARDEN "Stack protector, FORTIFY, full RELRO, PIE, CET, checks of libstdc++" OFF)

if(SLUICE_HARDEN AND SLUICE_SANITIZE)
  message(FATAL_ERROR "SLUICE_HARDEN cannot be used with SLUICE_SANITIZE")
endif()

if(SLUICE_HARDEN)
  # What is loaded into other programs keeps -fPIC.
  set(loaded "$<IN_LIST:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY;SHARED_LIBRARY>")
  add_compile_options("$<$<NOT:${loaded}>:-fPIE>" -fstack-protector-strong)
  # The level that knows sizes at run time; older compilers take it for 2. With clang it is mem* and
  # str* of glibc that are checked, with g++ also read, recv and the like.
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  # Ends the program where an index or an iterator leaves its container.
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  # No function is entered by an indirect jump but at its beginning.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86|AMD64|i.86")
    add_compile_options(-fcf-protection=full)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    add_compile_options(-mbranch-protection=standard)
  endif()
  # Addresses are random, and no table of functions can be written to once the program runs.
  add_link_options("$<$<NOT:${loaded}>:-pie>" -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()
