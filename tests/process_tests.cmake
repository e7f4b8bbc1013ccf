# Runs one scenario of the program `process` and compares all that it prints (both streams) and its exit code with what
# is expected: cmake -DPROGRAM=... -DSCENARIO=... -DEXPECTED=... -DCODE=... [-DTHREADS=...] [-DSTALL=...]
# -P process_tests.cmake
if(DEFINED THREADS)
  set(ENV{DOZER_THREADS} "${THREADS}")
else()
  unset(ENV{DOZER_THREADS})
endif()
if(DEFINED STALL)
  set(ENV{DOZER_STALL} "${STALL}")
else()
  unset(ENV{DOZER_STALL})
endif()
# After fork() LeakSanitizer still counts on the stacks of threads that the child does not have; it says itself that its
# leaks may be false then. Everything else that AddressSanitizer checks stays on.
if(SCENARIO MATCHES "^fork_")
  set(ENV{ASAN_OPTIONS} "detect_leaks=0")
endif()
execute_process(COMMAND ${PROGRAM} ${SCENARIO}
  OUTPUT_VARIABLE printed ERROR_VARIABLE warned RESULT_VARIABLE code)
set(printed "${printed}${warned}")
string(REPLACE "|" "\n" EXPECTED "${EXPECTED}")
string(STRIP "${printed}" printed)
string(STRIP "${EXPECTED}" EXPECTED)
if(NOT code STREQUAL CODE)
  message(FATAL_ERROR "exit code ${code} instead of ${CODE}; printed:\n${printed}")
endif()
if(NOT printed STREQUAL EXPECTED)
  message(FATAL_ERROR "printed:\n${printed}\ninstead of:\n${EXPECTED}")
endif()
