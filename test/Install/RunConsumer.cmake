# Installs poly if TREE is install, configures, builds and runs the consumer
# against that tree, and compares what it prints with poly-opt's output.

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what} failed (${result}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(package "${POLY_BUILD}/lib/cmake/Poly")
if(TREE STREQUAL "install")
  run("install" "${CMAKE_COMMAND}" --install "${POLY_BUILD}" --prefix "${WORK}/prefix")
  # Moved after installing: nothing in it may depend on where it was put.
  file(RENAME "${WORK}/prefix" "${WORK}/moved")
  set(package "${WORK}/moved/${LIBDIR}/cmake/Poly")
  foreach(file "bin/poly-opt" "bin/poly-compile" "${LIBDIR}/poly-plugin.so"
          "include/poly/Transforms/Passes.h.inc")
    if(NOT EXISTS "${WORK}/moved/${file}")
      message(FATAL_ERROR "the install tree has no ${file}")
    endif()
  endforeach()
  file(READ "${package}/PolyTargets.cmake" targets)
  string(FIND "${targets}" "${POLY_BUILD}" leak)
  if(NOT leak EQUAL -1)
    message(FATAL_ERROR "the installed PolyTargets.cmake names the build folder")
  endif()
endif()

set(link_flags)
if(SANITIZE)
  set(link_flags "-DCMAKE_EXE_LINKER_FLAGS=-fsanitize=${SANITIZE}")
endif()
run("configure" "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${SOURCE}" -B "${WORK}/build"
  "-DPoly_DIR=${package}" "-DCMAKE_C_COMPILER=${C_COMPILER}"
  "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}" ${link_flags})
run("build" "${CMAKE_COMMAND}" --build "${WORK}/build")
run("run" "${WORK}/build/consumer" "${INPUT}")
string(STRIP "${output}" consumer)
run("poly-opt" "${POLY_OPT}" --canonicalize --poly-substitute=chip=sm_90 --cse "${INPUT}")
string(STRIP "${output}" output)
if(NOT consumer STREQUAL output)
  message(FATAL_ERROR "the consumer printed\n${consumer}\nbut poly-opt\n${output}")
endif()
if(consumer MATCHES "math.exp" OR NOT consumer MATCHES "llvm.call_intrinsic")
  message(FATAL_ERROR "the kernel was not substituted:\n${consumer}")
endif()
# A bad file is an error of the consumer, too.
execute_process(COMMAND "${WORK}/build/consumer" "${WORK}/missing.mlir"
  RESULT_VARIABLE result ERROR_QUIET)
if(result EQUAL 0)
  message(FATAL_ERROR "the consumer accepted a missing file")
endif()
