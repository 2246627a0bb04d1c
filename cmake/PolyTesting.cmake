# Helpers that register tests with ctest. Every test has one speed label, quick
# or slow, and one kind label: unit, lit, accuracy, ptx, format, layers, install.

set_property(GLOBAL PROPERTY POLY_TEST_DEPENDS "")

# What must be built before the tests of a check-poly target can run.
function(poly_test_depends)
  set_property(GLOBAL APPEND PROPERTY POLY_TEST_DEPENDS ${ARGN})
endfunction()

# poly_add_test(NAME KIND kind [SLOW] [TIMEOUT s] [COST s] COMMAND ...): any command.
function(poly_add_test name)
  cmake_parse_arguments(ARG "SLOW" "KIND;TIMEOUT;COST;WORKING_DIRECTORY" "COMMAND" ${ARGN})
  if(ARG_WORKING_DIRECTORY)
    set(where WORKING_DIRECTORY ${ARG_WORKING_DIRECTORY})
  endif()
  add_test(NAME ${name} COMMAND ${ARG_COMMAND} ${where})
  set(labels ${ARG_KIND})
  if(ARG_SLOW)
    list(APPEND labels slow)
  else()
    list(APPEND labels quick)
  endif()
  set_property(TEST ${name} PROPERTY LABELS ${labels})
  if(ARG_TIMEOUT)
    set_property(TEST ${name} PROPERTY TIMEOUT ${ARG_TIMEOUT})
  endif()
  # Without costs of an earlier run, a long test that starts last runs alone.
  if(ARG_COST)
    set_property(TEST ${name} PROPERTY COST ${ARG_COST})
  endif()
endfunction()

# poly_add_unit_test(Target SOURCES a.cpp LINK PolyProgram [KIND unit] [SLOW]
#                    [MLIR] [DEFINITIONS X=1]): a GoogleTest program, one ctest
# entry for each of its tests. MLIR: its sources include MLIR's headers.
function(poly_add_unit_test target)
  cmake_parse_arguments(ARG "SLOW;MLIR" "KIND" "SOURCES;LINK;DEFINITIONS" ${ARGN})
  if(NOT ARG_KIND)
    set(ARG_KIND unit)
  endif()
  add_executable(${target} ${ARG_SOURCES})
  _poly_common(${target})
  target_compile_definitions(${target} PRIVATE ${ARG_DEFINITIONS})
  if(ARG_MLIR)
    # With the precompiled headers and therefore with their options.
    poly_use_mlir(${target})
  else()
    # The time goes into compiling tests, not into running their own code.
    target_compile_options(${target} PRIVATE ${POLY_TEST_OPTIONS})
  endif()
  target_link_libraries(${target} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  poly_test_depends(${target})
  set(speed quick)
  set(cost 1)
  if(ARG_SLOW)
    set(speed slow)
    set(cost 10)
  endif()
  gtest_discover_tests(${target}
    TEST_PREFIX "${ARG_KIND}/"
    TEST_LIST ${target}_tests
    NO_PRETTY_VALUES
    DISCOVERY_TIMEOUT 60
    DISCOVERY_MODE PRE_TEST)
  # The discovery flattens lists, so a property with two labels is set after it.
  set(labels "${CMAKE_CURRENT_BINARY_DIR}/${target}-labels.cmake")
  file(WRITE "${labels}"
    "if(${target}_tests)\n"
    "  set_tests_properties(\${${target}_tests} PROPERTIES LABELS \"${ARG_KIND};${speed}\" COST ${cost})\n"
    "endif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${labels}")
endfunction()

# One ctest entry for each lit file below the current source folder.
function(poly_add_lit_tests)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}"
    *.mlir *.test *.ll)
  # Inputs hold data, Install and Scripts trees of their own.
  list(FILTER files EXCLUDE REGEX "(^|/)(Inputs|Install|unit|lib)/")
  foreach(file IN LISTS files)
    # fit.test searches again what the tables hold.
    set(cost 1)
    if(file STREQUAL "Fit/fit.test")
      set(cost 80)
    endif()
    poly_add_test("lit/${file}" KIND lit TIMEOUT 900 COST ${cost}
      COMMAND "${POLY_LIT}" -v --skip-test-time-recording
              "${CMAKE_CURRENT_BINARY_DIR}/${file}")
  endforeach()
endfunction()
