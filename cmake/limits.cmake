# Limits of tests. None is in real time: a test must not fail because the machine is busy. tests/limited.cpp says what each
# limit proves.

add_executable(limited ${PROJECT_SOURCE_DIR}/tests/limited.cpp)
set_target_properties(limited PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_compile_features(limited PRIVATE cxx_std_20)
target_link_libraries(limited PRIVATE dozer_warnings)
target_compile_options(limited PRIVATE -fno-sanitize=all)  # it starts with every test
target_link_options(limited PRIVATE -fno-sanitize=all)

set(DOZER_LIMITED ${PROJECT_BINARY_DIR}/limited)
set(DOZER_TEST_CPU 300)  # seconds of processor time; every test ends by itself with far less
set(DOZER_TEST_REAL 86400)  # proves nothing; without it ctest ends what takes 1500 s on a busy machine

# add_limited_test(name [CPU seconds] COMMAND ...): add_test with limits
function(add_limited_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "CPU" "COMMAND")
  if(NOT ARG_CPU)
    set(ARG_CPU ${DOZER_TEST_CPU})
  endif()
  list(GET ARG_COMMAND 0 program)
  if(TARGET ${program})
    list(REMOVE_AT ARG_COMMAND 0)
    list(PREPEND ARG_COMMAND $<TARGET_FILE:${program}>)
  endif()
  add_test(NAME ${name} COMMAND limited --cpu ${ARG_CPU} ${ARG_COMMAND})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${DOZER_TEST_REAL})
endfunction()
