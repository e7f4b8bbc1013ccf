# Everything starts here. The two commands of the README are `make run` and `make test`.
SHELL := /bin/bash
.PHONY: help run test test-all verify mutants-changed bench format check-format clean

help: ## what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: ## install what is missing, build release, run the tour
	@tools/setup run
	@cmake --preset run > /dev/null
	@cmake --build --preset run
	@build/run/examples/tour

test: ## install what is missing, build and test: GCC release, GCC tsan, Clang asan+ubsan, the model checker
	@tools/setup test
	@tools/test release tsan clang-asan model

test-all: ## the full product of compilers and sanitizers
	@tools/setup test
	@tools/test release debug asan tsan clang-release clang-debug clang-asan clang-tsan model

verify: ## the model checker at its full bounds, all mutants, the Promela models; up to two hours, goes on after an interruption
	@tools/setup test
	@tools/verify

mutants-changed: ## all generated mutants of the files that differ from a commit: make mutants-changed SINCE=main~3
	@tools/setup test
	@tools/mutants-changed $(SINCE)

bench: ## install what is missing, run the benchmarks side by side, write docs/benchmarks.md
	@tools/setup bench
	@bench/run $(BENCH)

format: ## rewrite all sources in the project's style
	@git ls-files '*.hpp' '*.cpp' | xargs clang-format -i

check-format: ## say which sources are not in it
	@git ls-files '*.hpp' '*.cpp' | xargs clang-format --dry-run --Werror

clean: ## remove all builds
	@rm -rf build
