# sluice_warnings(TARGET): the project's warnings, for our own targets only, never for those who
# link them. Integer conversions matter most here: every count is 64 bits of units or nanoseconds.
function(sluice_warnings target)
  target_compile_options(
    ${target}
    PRIVATE -Wall
            -Wextra
            -Wpedantic
            -Wshadow
            -Wconversion
            -Wsign-conversion
            -Wold-style-cast
            -Wnon-virtual-dtor
            -Woverloaded-virtual
            -Wdouble-promotion
            # g++ 12 reports overlapping copies inside std::string's operator+ that cannot happen.
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
            $<$<BOOL:${SLUICE_WERROR}>:-Werror>
            # g++ reports null pointers that cannot be (a get_if on the only alternative left,
            # say) once it optimises, so it is clang that is asked, here and in clang-tidy.
            $<$<CXX_COMPILER_ID:Clang>:-Wnull-dereference>
            $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
endfunction()
