# Configuration of poly's lit tests. Started through the build folder's
# lit.site.cfg.py, which sets the paths.

import os
import shutil

import lit.formats
import lit.util

config.name = "poly"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".ll"]
# Inputs hold data; the others are built and run by CMake.
config.excludes = ["Inputs", "Install", "unit", "lib"]

if not hasattr(config, "poly_bin_dir"):
    raise SystemExit(
        "lit must be started on the build folder, e.g. "
        "`lit -v build/dev/test/Transforms/Raise/sigmoid.mlir`: "
        "the tools' paths are in its lit.site.cfg.py"
    )

config.test_source_root = config.poly_test_source_dir
config.test_exec_root = config.poly_test_build_dir

# First ours, then LLVM's FileCheck, not, split-file, llc, mlir-opt, ..., then
# the CUDA tools that CMake found, so that all tests use the same ones.
path = [config.poly_bin_dir, config.llvm_tools_dir]
path += [os.path.dirname(tool) for tool in (config.ptxas, config.nvdisasm) if tool]
config.environment["PATH"] = os.pathsep.join(path + [os.environ.get("PATH", "")])
for name in ("CUDA_HOME", "CUDA_PATH", "TMPDIR", "ASAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions += [
    ("%poly_plugin", config.poly_plugin),
    ("%poly_bin", config.poly_bin_dir),
    ("%kernels", os.path.join(config.poly_source_dir, "kernels")),
    ("%poly_src", config.poly_source_dir),
    ("%mlir_opt", config.mlir_opt),
    ("%python", config.python),
    ("%ptxas", config.ptxas or "ptxas-not-found"),
    ("%nvdisasm", config.nvdisasm or "nvdisasm-not-found"),
]

if config.ptxas:
    config.available_features.add("ptxas")
if config.nvdisasm:
    config.available_features.add("nvdisasm")
if config.sanitize:
    # Stock mlir-opt cannot load an instrumented plugin.
    config.available_features.add("sanitizer")
if os.path.exists("/dev/nvidiactl"):
    config.available_features.add("gpu")
if os.geteuid() == 0:
    config.available_features.add("root")  # Permission bits do not stop root.
if shutil.which("llc", path=config.environment["PATH"]):
    config.available_features.add("llc")
