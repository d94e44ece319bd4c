# The two commands to know are `make run` and `make test`; `make help` lists the rest.
# Every target that builds first installs what is missing (tools/setup.sh).

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help setup setup-all build run test test-all bench instructions fuzz mutants lint tidy \
        format clean

# A recipe is one whole build; running several at once would only contend for the same tree.
.NOTPARALLEL:

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# For each target.
FUZZ_SECONDS ?= 600

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' Makefile | while IFS='|' read -r name text; do \
	  printf '  make %-12s %s\n' "$$name" "$$text"; done

setup: ## install the missing packages of tools/packages.txt
	@tools/setup.sh

setup-all: setup ## that, and the clients and proxies of the integration tests
	@tools/setup.sh tools/packages-integration.txt
	@tests/integration/setup.sh

build: setup ## optimised build: build/release/sluice
	cmake --preset release
	cmake --build --preset release --target sluice -j $(JOBS)

try = {"domain":"api","attributes":{"user":"42","path":"/v1/posts","method":"POST"}}
run: build ## the service on examples/rules, and a line to try it with
	@echo "Try this three times in another terminal; the third is refused:"
	@echo "  curl -i --json '$(subst ",\",$(try))' http://127.0.0.1:8080/v1/check"
	@exec build/release/sluice serve --rules examples/rules --callers-loopback

test: setup ## what every change must pass: all but the slow tests, asan and tsan included
	@tools/test.sh plain asan tsan

test-all: setup-all ## make test, real clients and proxies, slow tests, more under asan, clang-tidy
	@tools/test.sh dev asan tsan integration slow
	cmake --build --preset asan --target property_test -j $(JOBS)
	ctest --test-dir build/asan -L property -j $(JOBS) --output-on-failure
	@$(MAKE) --no-print-directory tidy

bench: setup ## build and run the benchmarks
	@tools/setup.sh tools/packages-integration.txt
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target sluice benchmarks
	build/release/sluice_rules_bench
	python3 bench/service.py build/release/sluice
	python3 bench/redis_store.py build/release/sluice_redis_bench
	build/release/sluice_bench

# BASE is an older binary to compare with.
instructions: setup ## instructions per request under callgrind; BASE=BINARY compares
	@tools/setup.sh tools/packages-integration.txt
	cmake --preset release
	cmake --build --preset release --target sluice -j $(JOBS)
	python3 bench/instructions.py $(if $(BASE),--against $(BASE)) build/release/sluice

fuzz: setup ## fuzz each target of fuzz/ under asan for FUZZ_SECONDS (600)
	@tools/fuzz.sh $(FUZZ_SECONDS)

# ONLY is a layer or one mutant, MUTANTS a file of rules.
mutants: setup ## break the code on purpose; the tests must notice. ONLY=core, MUTANTS=FILE
	python3 tools/mutants --jobs $(JOBS) $(ONLY) $(MUTANTS)

lint: setup ## house lint and formatting, without a build
	python3 tools/lint
	python3 tools/mutants --check
	tools/format.sh --check

tidy: setup ## clang-tidy on src/ and include/
	cmake --preset dev
	tools/tidy.sh $(JOBS)

format: setup ## clang-format, in place
	tools/format.sh

clean: ## remove build/
	rm -rf build
