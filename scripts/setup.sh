#!/usr/bin/env bash
# Installs what poly needs to build and test on Debian 12, if it is missing.
# Part of the poly project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: scripts/setup.sh [--with-cuda-tools] [--check]

Installs LLVM and MLIR 22, a C++ compiler, CMake, Ninja and GoogleTest with apt.
Needs root or sudo only if something is missing. No CUDA is needed.

  --with-cuda-tools  also put ptxas, nvdisasm, cuobjdump and libdevice into
                     build/cuda-tools with pip; the tests that need them are
                     skipped otherwise
  --check            install nothing; exit 1 if something is missing
TEXT
}

root="$(cd "$(dirname "$0")/.." && pwd)"
with_cuda=0
check=0
for argument in "$@"; do
  case "$argument" in
    --with-cuda-tools) with_cuda=1 ;;
    --check) check=1 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "setup.sh: unknown option '$argument'" >&2; usage >&2; exit 2 ;;
  esac
done

say() { echo "setup: $*"; }
fail() { echo "setup: error: $*" >&2; exit 1; }

# Package, and a file or command that shows it is there already, so that other
# sources than apt (a toolchain built by hand) are respected.
required=(
  "g++ command:c++"
  "cmake command:cmake"
  "ninja-build command:ninja"
  "git command:git"
  "python3 command:python3"
  "libgtest-dev file:/usr/include/gtest/gtest.h"
  "libmpfr-dev file:/usr/include/mpfr.h"
  "llvm-22-dev file:/usr/lib/llvm-22/lib/cmake/llvm/LLVMConfig.cmake"
  "libmlir-22-dev file:/usr/lib/llvm-22/lib/cmake/mlir/MLIRConfig.cmake"
  "mlir-22-tools file:/usr/lib/llvm-22/bin/mlir-opt"
  "llvm-22-tools file:/usr/lib/llvm-22/bin/FileCheck"
)
# Only the format check needs it; that check is skipped without it.
optional=("clang-format-22 command:clang-format-22")

missing() {
  local entry package probe
  for entry in "$@"; do
    package="${entry%% *}"
    probe="${entry#* }"
    case "$probe" in
      command:*) command -v "${probe#command:}" >/dev/null || echo "$package" ;;
      file:*) [ -e "${probe#file:}" ] || echo "$package" ;;
    esac
  done
}

mapfile -t need < <(missing "${required[@]}")
mapfile -t want < <(missing "${optional[@]}")

if [ "$check" = 1 ]; then
  [ "${#need[@]}" = 0 ] || fail "missing: ${need[*]}; run scripts/setup.sh"
  say "everything required is installed"
  exit 0
fi

if [ "${#need[@]}" != 0 ] || [ "${#want[@]}" != 0 ]; then
  command -v apt-get >/dev/null ||
    fail "this script knows apt only; install by hand: ${need[*]}"
  as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      fail "missing ${need[*]}; run this script as root, or install sudo"
    as_root=(sudo)
  fi
  say "installing: ${need[*]} ${want[*]}"
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get update -qq || say "apt-get update failed; trying with the old lists"
  unknown=()
  for package in "${need[@]}"; do
    apt-cache show "$package" >/dev/null 2>&1 || unknown+=("$package")
  done
  if [ "${#unknown[@]}" != 0 ]; then
    fail "apt does not know ${unknown[*]}.
  Debian 12 has LLVM 22 in its security archive (suite bookworm-security); check
  that /etc/apt/sources.list* names it. Otherwise add LLVM's own repository:
    deb http://apt.llvm.org/bookworm/ llvm-toolchain-bookworm-22 main
  (https://apt.llvm.org tells how to add its key), then run this script again."
  fi
  for package in "${want[@]}"; do
    if apt-cache show "$package" >/dev/null 2>&1; then
      need+=("$package")
    else
      say "$package is not available; the checks that use it will be skipped"
    fi
  done
  if [ "${#need[@]}" != 0 ]; then
    "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${need[@]}" </dev/null >/dev/null ||
      fail "apt-get could not install ${need[*]}"
  fi
  mapfile -t need < <(missing "${required[@]}")
  [ "${#need[@]}" = 0 ] || fail "still missing after installing: ${need[*]}"
fi

cmake_version="$(cmake --version | sed -n '1s/[^0-9]*//p')"
if [ "$(printf '%s\n3.25\n' "$cmake_version" | sort -V | head -1)" != 3.25 ]; then
  fail "CMake $cmake_version is too old; 3.25 or newer is needed"
fi

if [ "$with_cuda" = 1 ]; then
  venv="$root/build/cuda-tools"
  if compgen -G "$venv/lib/python3*/site-packages/nvidia/cu*/bin/nvdisasm" >/dev/null; then
    say "CUDA's tools are in build/cuda-tools"
  else
    if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
      as_root=()
      [ "$(id -u)" = 0 ] || as_root=(sudo)
      "${as_root[@]}" apt-get install -y -qq --no-install-recommends python3-venv </dev/null >/dev/null ||
        fail "python3-venv is needed for --with-cuda-tools"
    fi
    mkdir -p "$root/build"
    python3 -m venv "$venv"
    # Only the tools themselves: their dependencies are for compiling CUDA C++.
    # Fixed versions, so that machine code is the same from one day to the next:
    # the assembler is the one whose code the documented measurements ran.
    "$venv/bin/pip" install -q --disable-pip-version-check --no-deps \
      nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 \
      nvidia-cuda-nvdisasm==13.5.37 nvidia-cuda-cuobjdump==13.5.37 ||
      { rm -rf "$venv"; fail "pip could not install CUDA's tools"; }
    say "put CUDA's tools into build/cuda-tools"
  fi
fi
say "ready"
