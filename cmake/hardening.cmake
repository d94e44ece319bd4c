# SLUICE_HARDEN: compiler and linker flags that make memory errors harder to exploit, for every
# target of this build. Meant for release builds: sanitizers find more and do not combine with it.
# ARCHITECTURE.md lists the costs.
#
# Distributions set some of these flags themselves, and compilers enable some by default. All are
# set here, so that a binary does not depend on who builds it; tests/hardening checks the result.
option(SLUICE_HARDEN "Stack protector, FORTIFY, full RELRO, PIE, CET, checks of libstdc++" OFF)

if(SLUICE_HARDEN AND SLUICE_SANITIZE)
  message(FATAL_ERROR "SLUICE_HARDEN cannot be used with SLUICE_SANITIZE")
endif()

if(SLUICE_HARDEN)
  # Libraries that are loaded into other programs keep -fPIC.
  set(loaded "$<IN_LIST:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY;SHARED_LIBRARY>")
  add_compile_options("$<$<NOT:${loaded}>:-fPIE>" -fstack-protector-strong)
  # Level 3 also checks sizes that are known only at run time; older compilers treat it as 2. With
  # clang, glibc checks mem* and str*; with g++ also read, recv and the like.
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  # Aborts the program if an index or an iterator is out of range.
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  # Indirect jumps may only target the beginning of a function.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86|AMD64|i.86")
    add_compile_options(-fcf-protection=full)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    add_compile_options(-mbranch-protection=standard)
  endif()
  # Randomizes addresses and makes tables of function pointers read-only after startup.
  add_link_options("$<$<NOT:${loaded}>:-pie>" -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()
