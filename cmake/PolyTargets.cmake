# Helpers that give every poly target the same warnings, includes and exports.

set(POLY_WARNINGS -Wall -Wextra -Wno-unused-parameter -Wnon-virtual-dtor
    -Wimplicit-fallthrough)
if(POLY_WERROR)
  list(APPEND POLY_WARNINGS -Werror)
endif()

if(POLY_SANITIZE)
  # MLIR's own classes come from an uninstrumented library: no vptr check.
  add_compile_options(-fsanitize=${POLY_SANITIZE} -fno-sanitize=vptr -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${POLY_SANITIZE})
endif()

function(_poly_common target)
  target_compile_options(${target} PRIVATE ${POLY_WARNINGS} -fvisibility-inlines-hidden)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

function(_poly_export target)
  string(REGEX REPLACE "^Poly" "" short "${target}")
  set_target_properties(${target} PROPERTIES EXPORT_NAME "${short}")
  add_library(Poly::${short} ALIAS ${target})
  install(TARGETS ${target} EXPORT PolyTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# poly_add_library(PolyTarget SOURCES a.cpp LINK PolyOther): no MLIR, no LLVM.
function(poly_add_library target)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${target} STATIC ${ARG_SOURCES})
  _poly_common(${target})
  target_link_libraries(${target} PUBLIC ${ARG_LINK})
  _poly_export(${target})
endfunction()

# Adds LLVM's headers and shared library. A target that sets the property
# POLY_SYMBOLS_FROM_HOST gets the headers only: the plugin takes its symbols
# from the process that loads it.
function(_poly_link_shared target)
  foreach(library IN LISTS ARGN)
    target_link_libraries(${target} PUBLIC
      $<$<NOT:$<BOOL:$<TARGET_PROPERTY:POLY_SYMBOLS_FROM_HOST>>>:${library}>)
  endforeach()
  if(NOT LLVM_ENABLE_RTTI)
    target_compile_options(${target} PRIVATE -fno-rtti)
  endif()
endfunction()

function(poly_use_llvm target)
  target_include_directories(${target} SYSTEM PUBLIC
    $<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>)
  _poly_link_shared(${target} LLVM)
endfunction()

# The same with MLIR's headers and shared library.
function(poly_use_mlir target)
  target_include_directories(${target} SYSTEM PUBLIC
    "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS};${MLIR_INCLUDE_DIRS}>")
  _poly_link_shared(${target} MLIR LLVM)
  _poly_precompile_mlir(${target})
endfunction()

# Nearly all time of compiling against MLIR goes into reading its dialects'
# headers. They are compiled once, for all targets, which must have the same
# compiler options. A source still includes what it uses: with
# POLY_PRECOMPILED_HEADERS off it gets nothing else.
function(_poly_precompile_mlir target)
  if(NOT POLY_PRECOMPILED_HEADERS)
    return()
  endif()
  if(NOT TARGET PolyMlirHeaders)
    set(source "${PROJECT_BINARY_DIR}/PolyMlirHeaders.cpp")
    file(GENERATE OUTPUT "${source}" CONTENT "namespace poly {}\n")
    add_library(PolyMlirHeaders OBJECT "${source}")
    _poly_common(PolyMlirHeaders)
    target_include_directories(PolyMlirHeaders SYSTEM PRIVATE
      ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
    if(NOT LLVM_ENABLE_RTTI)
      target_compile_options(PolyMlirHeaders PRIVATE -fno-rtti)
    endif()
    target_precompile_headers(PolyMlirHeaders PRIVATE
      <mlir/Dialect/Arith/IR/Arith.h>
      <mlir/Dialect/ControlFlow/IR/ControlFlowOps.h>
      <mlir/Dialect/Func/IR/FuncOps.h>
      <mlir/Dialect/GPU/IR/GPUDialect.h>
      <mlir/Dialect/LLVMIR/LLVMDialect.h>
      <mlir/Dialect/LLVMIR/NVVMDialect.h>
      <mlir/Dialect/Math/IR/Math.h>
      <mlir/Dialect/MemRef/IR/MemRef.h>
      <mlir/Dialect/SCF/IR/SCF.h>
      <mlir/Dialect/Vector/IR/VectorOps.h>
      <mlir/IR/Matchers.h>
      <mlir/IR/PatternMatch.h>
      <mlir/Pass/Pass.h>)
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    # CMake would compile a program's sources with -fPIE.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM PolyMlirHeaders)
endfunction()

function(poly_add_mlir_library target)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  poly_add_library(${target} SOURCES ${ARG_SOURCES} LINK ${ARG_LINK})
  poly_use_mlir(${target})
  if(ARG_DEPENDS)
    add_dependencies(${target} ${ARG_DEPENDS})
  endif()
endfunction()

function(poly_add_executable target)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  _poly_common(${target})
  target_link_libraries(${target} PRIVATE ${ARG_LINK})
  install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
