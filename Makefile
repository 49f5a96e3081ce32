# SPDX-License-Identifier: MIT
# A door to Meson: `make`, `make check`, `make check-all`, `make demo`.  DEPS=no installs nothing.

BUILD ?= build
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

# $(call dependencies,GROUP): what is missing of the packages of a group in scripts/install-deps.sh
dependencies = $(if $(filter no,$(DEPS)),:,scripts/install-deps.sh $(1))

.PHONY: all check check-all demo install format fuzz picture clean

all:
	@$(call dependencies,build)
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) --prefix=$(PREFIX)
	@ninja -C $(BUILD)

check:
	@$(call dependencies,check)
	@scripts/check quick

check-all:
	@$(call dependencies,check)
	@scripts/check full

demo:
	@$(call dependencies,demo) || $(call dependencies,build)
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) --prefix=$(PREFIX) >/dev/null
	@ninja -C $(BUILD) --quiet
	@HISTREE=$(BUILD)/src/cli/histree BURN=$(BUILD)/demo/burn demo/run

install: all
	@meson configure $(BUILD) --prefix=$(PREFIX)
	meson install -C $(BUILD) $(if $(DESTDIR),--destdir=$(abspath $(DESTDIR)))
	@test -n '$(DESTDIR)' || ldconfig 2>/dev/null || echo 'run ldconfig as root if the library is not found'

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

fuzz:
	@$(call dependencies,check)
	@scripts/fuzz $(FUZZ_SECONDS)

picture: all
	@scripts/picture $(BUILD)/src/cli/histree

clean:
	rm -rf $(BUILD) build-check build-fuzz demo/out
