# The front door. Every target works on a fresh machine: tools/bootstrap sets up what is missing.
#
#   PRESET=dev make build       another kind of build (see CMakePresets.json)
#   SUITES=release make test    without the sanitizer builds
#   TESTS=regex make test       only the tests whose names match

PRESET ?= release
PREFIX ?= /usr/local
SUITES ?= release tsan asan
BUILD := build/$(PRESET)

.DEFAULT_GOAL := help
.PHONY: help demo test build format bench install install-debug clean bootstrap

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: bootstrap ## set up, build, and train examples/digits on all cores
	@tools/build $(PRESET) lockstep digits
	$(BUILD)/bin/lockstep run $(BUILD)/bin/digits

test: ## set up, build, and run the whole test suite
	@tools/bootstrap --checks
	@tools/run_suite $(SUITES)

build: bootstrap ## set up and build the programs and libraries
	@tools/build $(PRESET)

format: ## format every C++ file
	@tools/bootstrap --checks
	@tools/check_format --fix

bench: bootstrap ## run the benchmarks
	@tools/build $(PRESET) all bench/all
	@tools/run_benchmarks $(BUILD)

install: build ## install to PREFIX (default /usr/local), without debug information
	@cmake --install $(BUILD) --prefix $(PREFIX) >/dev/null
	@echo "installed to $(PREFIX)"

install-debug: build ## install to PREFIX with debug information
	@LOCKSTEP_INSTALL_DEBUG=1 cmake --install $(BUILD) --prefix $(PREFIX) >/dev/null
	@echo "installed to $(PREFIX), with debug information"

clean: ## remove all builds (keeps .deps)
	rm -rf build

bootstrap:
	@tools/bootstrap
