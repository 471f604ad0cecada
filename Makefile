# The everyday commands. Each is a thin layer over CMake presets (CMakePresets.json), which also work
# on their own.

PREFIX ?= /usr/local
VENV ?= build/venv
JOBS ?= $(shell nproc)
FUZZER ?= $(notdir $(basename $(wildcard src/*/*_fuzz.cpp)))

PRESETS := release portable clang debug asan tsan
CPP_FILES = git ls-files -z --cached --others --exclude-standard '*.hpp' '*.cpp'
# Without tests and benchmarks, which would double the time of the slowest check.
TIDY_FILES := /oscbo_([a-z]+|in_context)\.dir/Unity/
heading = @printf '\n== %s ==\n' $(1)

.DEFAULT_GOAL := help
.PHONY: help build python venv demo test test-all test-slow test-instructions format lint bench study fuzz package install clean \
  $(PRESETS:%=test-%)

help:  ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

build:  ## build the library and the program: build/release/oscbo
	@scripts/install-packages build
	$(call heading,"build")
	cmake --preset release
	cmake --build --preset release --target oscbo_cli

python:  ## build the Python package: build/python
	@scripts/install-packages python
	$(call heading,"python")
	cmake --preset release -DOSCBO_PYTHON=ON
	cmake --build --preset release --target oscbo_python
	rm -rf build/python
	cmake --install build/release --component python --prefix build/python

venv:  ## install the Python package into a virtual environment: build/venv, or VENV=DIR
	@scripts/install-packages python
	$(call heading,"venv")
	/usr/bin/python3 -m venv --system-site-packages "$(VENV)"
	"$(VENV)/bin/pip" install --quiet --disable-pip-version-check --no-build-isolation .
	@echo "installed; try: $(VENV)/bin/python -c 'import oscbo; help(oscbo)'"

demo: build  ## build, then optimise Hartmann-6 and draw the run
	build/release/oscbo demo

test: test-release  ## build and run all but the slow tests

# Builds everything with a preset and runs its tests.
$(PRESETS:%=test-%): test-%:
	@scripts/install-packages $(if $(filter release portable debug,$*),test,all)
	$(call heading,"test: $*")
	cmake --preset $* -DOSCBO_PYTHON=ON \
	  -DCMAKE_REQUIRE_FIND_PACKAGE_GTest=ON -DCMAKE_REQUIRE_FIND_PACKAGE_benchmark=ON
	cmake --build --preset $*
	ctest --preset $* -j $(JOBS)

# The benchmarks are not run, but they must compile, and so must each public header on its own.
test-slow:
	@scripts/install-packages test
	$(call heading,"test: slow")
	cmake --preset release
	cmake --build --preset release --target all benchmarks all_verify_interface_header_sets
	ctest --preset slow -j $(JOBS)

fuzz:  ## feed a million inputs to each parser, or to FUZZER=NAME, with sanitizers
	@scripts/install-packages all
	$(call heading,"fuzz")
	cmake --preset asan
	cmake --build --preset asan --target $(FUZZER)
	rm -rf build/fuzz-seeds && scripts/fuzz-seeds build/fuzz-seeds
	@$(MAKE) --no-print-directory $(FUZZER:%=run-%)

# Weight files are large, but must not make the program take much memory: an allocation of a megabyte is
# an error. The sanitizer holds back little of the memory that was freed.
FUZZ_OPTIONS = -max_len=400
run-safetensors_fuzz: FUZZ_OPTIONS = -max_len=70000 -entropic=0 -malloc_limit_mb=1 -rss_limit_mb=256 \
  -seed_inputs=$$(ls build/fuzz-seeds/* | paste -sd,)
run-%_fuzz:
	@fuzzer=build/asan/fuzz/$*_fuzz; echo "$$fuzzer"; \
	ASAN_OPTIONS=quarantine_size_mb=1:thread_local_quarantine_size_kb=256:malloc_context_size=4 \
	  nice "$$fuzzer" -runs=1000000 $(FUZZ_OPTIONS) -artifact_prefix="$$fuzzer-" > "$$fuzzer.log" 2>&1 || \
	  { tail -n 30 "$$fuzzer.log"; exit 1; }; tail -n 1 "$$fuzzer.log"

# Instruction counts do not depend on the load of the machine; seconds do.
test-instructions:
	@scripts/install-packages all
	$(call heading,"test: instructions")
	scripts/check-instructions --jobs $(JOBS)

# The stages run in this order regardless of -j: they share two cores, and the cheap ones fail first.
test-all:  ## everything: g++, clang with sanitizers, slow tests, instructions, lint
	@scripts/install-packages all
	@$(MAKE) --no-print-directory test-release
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory test-asan
	@$(MAKE) --no-print-directory test-tsan
	@$(MAKE) --no-print-directory test-slow
	@$(MAKE) --no-print-directory test-instructions
	$(call heading,"everything passed")

format:  ## format the C++ files with clang-format
	@scripts/install-packages all
	$(CPP_FILES) | xargs -0 clang-format-16 -i

lint:  ## check formatting, layers, documents and clang-tidy
	@scripts/install-packages all
	$(call heading,"lint: formatting")
	$(CPP_FILES) | xargs -0 clang-format-16 --dry-run -Werror
	$(call heading,"lint: layers")
	scripts/check-layers
	$(call heading,"lint: documents")
	scripts/check-docs
	$(call heading,"lint: clang-tidy")
	cmake --preset tidy -DOSCBO_PYTHON=ON
	run-clang-tidy-16 -quiet -p build/tidy -j $(JOBS) '$(TIDY_FILES)'

bench:  ## build and run the benchmarks
	@scripts/install-packages test
	$(call heading,"bench")
	cmake --preset release -DCMAKE_REQUIRE_FIND_PACKAGE_benchmark=ON
	cmake --build --preset release --target benchmarks
	scripts/random-weights build/release/weights.safetensors
	@set -e; export OSCBO_IN_CONTEXT_WEIGHTS=build/release/weights.safetensors; \
	for bench in build/release/bench/*; do "$$bench"; done

# 400 seeds for the comparison of regrets: the few runs that miss the best hill dominate the means.
study: build  ## measure batches, failures, limits and noise: docs/research/spaces.md
	cmake --build --preset release --target space_study
	build/release/studies/space_study 400 > build/release/studies/spaces.md
	mv build/release/studies/spaces.md docs/research/spaces.md

package:  ## make a Debian package and an archive: build/package/dist
	@scripts/install-packages build
	$(call heading,"package")
	cmake --preset package
	cmake --build build/package
	cpack --config build/package/CPackConfig.cmake -B build/package/dist

install: build  ## install into PREFIX (/usr/local)
	cmake --build --preset release --target oscbo_printed
	cmake --install build/release --prefix "$(PREFIX)"

clean:  ## remove everything that was built
	rm -rf build
