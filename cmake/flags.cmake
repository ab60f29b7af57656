# Compiler flags, in one place.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# No fused multiply-add, so that results are the same bits with every compiler and on every host; no errno from
# libm, which nobody reads. Nothing that changes arithmetic, such as -ffast-math, ever goes here.
set(numeric_flags -ffp-contract=off -fno-math-errno)

# Except in the copies of the innermost loops of cables that are for processors which have it: there the last digits
# are those of the processor and the compiler.
function(capstan_fused)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -ffp-contract=fast)
endfunction()

# Loops that gain by it (bench/README.md) are optimised harder in releases.
function(capstan_hot)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
endfunction()

# Code that meets bytes of others - readers, writers, the tool - checks its stack and its copies in releases. Solvers and
# kernels, which see numbers only, go without.
set(guard_flags $<$<CONFIG:Release>:-fstack-protector-strong> $<$<CONFIG:Release>:-U_FORTIFY_SOURCE>
  $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2>)
function(capstan_guarded)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS ${guard_flags})
endfunction()

# Of gcc's warnings, two would object to what is meant: a variable with the name of its type (`const law *law`), and
# text that is cut where it does not fit.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set(compiler_flags -Wshadow=local -Wno-format-truncation)
else()
  set(compiler_flags -Wshadow)
endif()
set(warning_flags -Wall -Wextra -Wpedantic -Wvla -Wundef -Wfloat-conversion -Wwrite-strings ${compiler_flags})
set(strict_flags -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition)

set(sanitize_flags)
if(CAPSTAN_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "CAPSTAN_FUZZ needs clang: use the preset `fuzz`, or set CMAKE_C_COMPILER=clang")
  endif()
  set(CAPSTAN_SANITIZE ON)
  list(APPEND sanitize_flags -fsanitize=fuzzer-no-link)
endif()
# Four checks are left to the address sanitizer, which sees the same faults when they do harm: they cost half of the time to
# compile the kernels and a third of the time to run them.
if(CAPSTAN_SANITIZE)
  list(APPEND sanitize_flags -fsanitize=address,undefined,float-cast-overflow
    -fno-sanitize=null,alignment,object-size,pointer-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # What gcc finds uninitialised among its own checks is not: the release build looks for that.
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    set(warning_flags ${warning_flags} -Wno-maybe-uninitialized -Wno-psabi)
  endif()
endif()
if(CAPSTAN_SANITIZE_THREADS)
  list(APPEND sanitize_flags -fsanitize=thread)
endif()

# Compiles a target as Capstan's code is compiled; STRICT adds the warnings that only concern library and tool.
function(capstan_flags target)
  target_compile_options(${target} PRIVATE ${numeric_flags} ${warning_flags} ${sanitize_flags})
  if("STRICT" IN_LIST ARGN)
    target_compile_options(${target} PRIVATE ${strict_flags})
  endif()
  if(CAPSTAN_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  capstan_link_flags(${target})
endfunction()

# All addresses are resolved at the start, and their table is read-only then (full RELRO).
set(elf TRUE)
if(WIN32 OR APPLE)
  set(elf FALSE)
endif()
function(capstan_link_flags target)
  target_link_options(${target} PRIVATE ${sanitize_flags})
  if(elf)
    target_link_options(${target} PRIVATE -Wl,-z,relro,-z,now)
  endif()
endfunction()
