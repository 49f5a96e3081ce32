# SPDX-License-Identifier: MIT
# A door to Meson: `make`, `make check`, `make check-all`, `make demo`.  DEPS=no installs no packages.  OPTIONS are
# Meson's, as in OPTIONS=-Dserve=disabled.  The demo is compiled for itself, not optimised and without what it does not
# show, in half of the time.

BUILD ?= build
PREFIX ?= /usr/local
OPTIONS ?=
FUZZ_SECONDS ?= 60

# $(call dependencies,GROUP...): what is missing of the packages of those groups in scripts/install-deps.sh
dependencies = $(if $(filter no,$(DEPS)),:,scripts/install-deps.sh $(1))
build = scripts/build $(BUILD) --prefix=$(abspath $(PREFIX)) $(OPTIONS)
unseen = $(patsubst %,-D%=disabled,edit man mpi python serve sql symbols xml zlib zstd)

.PHONY: all check check-all demo install format fuzz picture clean

all:
	@$(call dependencies,core features)
	@$(build)

check:
	@$(call dependencies,core features check)
	@scripts/check quick

check-all:
	@$(call dependencies,core features check)
	@scripts/check full

demo:
	@echo 'histree keeps every state of a system trace on disk, and answers questions about them.'
	@echo 'What the demo needs is installed and compiled now, which takes a minute or two; then it records and asks.'
	@$(call dependencies,core demo)
	@TARGETS='src/cli/histree demo/burn' QUIET=yes scripts/build build-demo -Doptimization=0 $(unseen) $(OPTIONS)
	@HISTREE=build-demo/src/cli/histree BURN=build-demo/demo/burn demo/run

install: all
	@scripts/install $(BUILD) $(DESTDIR)

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

fuzz:
	@$(call dependencies,core features check)
	@scripts/fuzz $(FUZZ_SECONDS)

picture: all
	@scripts/picture $(BUILD)/src/cli/histree

clean:
	rm -rf $(BUILD) build-check build-demo build-fuzz demo/out
