# sluice_warnings(TARGET): enables the project's warnings, for our own targets and not for those
# that link them. Integer conversions matter most here, because every count is 64 bits of units or
# nanoseconds.
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
            # g++ 12 reports impossible overlapping copies inside std::string's operator+.
            $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
            $<$<BOOL:${SLUICE_WERROR}>:-Werror>
            # When it optimizes, g++ reports impossible null pointers (for example a get_if on the
            # only remaining alternative), so only clang checks them, here and in clang-tidy.
            $<$<CXX_COMPILER_ID:Clang>:-Wnull-dereference>
            $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
endfunction()
