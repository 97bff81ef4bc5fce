# The two commands of the README, and what belongs to them. What is really done stands in tools/setup and CMakeLists.txt.
.DEFAULT_GOAL := help
.PHONY: help setup build demo test check bench clean
jobs ?= $(shell nproc)

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 14

setup: ## Debian packages, LibTorch, sample model and evaluation text (once)
	@tools/setup build sample

build: ## the programs, into build/bin
	@tools/setup build
	@tools/build programs $(jobs)

demo: ## sets up, builds, and runs the main job: a model is compressed, checked, and kept or rolled back
	@tools/setup build sample
	@tools/build programs $(jobs)
	@tools/demo

test: ## sets up, builds and tests everything
	@tools/setup build test sample peers
	@tools/check
	@tools/build everything $(jobs)
	@tools/test $(jobs)

check: ## format, the rules of the house, shell scripts
	@tools/check

bench: ## lists the benches
	@ls bench

clean: ## removes what was built; build/deps stays
	@find build -mindepth 1 -maxdepth 1 ! -name deps -exec rm -rf {} +
