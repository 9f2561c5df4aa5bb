# arm64.mk - a build for arm64 and its tests on a machine with another processor, with Debian's cross-compiler and
# qemu-user. Part of the Makefile.

ARM64       := $(abspath $(BUILD))/arm64
ARM64_ROOT  := $(ARM64)/root
ARM64_TESTS ?= $(wildcard tests/unit/*.c tests/golden/*.c)
ARM64_MAKE   = PKG_CONFIG_SYSROOT_DIR=$(ARM64_ROOT) PKG_CONFIG_LIBDIR=$(ARM64_ROOT)/usr/lib/aarch64-linux-gnu/pkgconfig \
    $(MAKE) $(ALL_CORES) --no-print-directory BUILD=$(ARM64) EMULATOR='qemu-aarch64 -L $(ARM64_ROOT)' \
    CC='aarch64-linux-gnu-gcc --sysroot=$(ARM64_ROOT)' CXX='aarch64-linux-gnu-g++ --sysroot=$(ARM64_ROOT)' \
    OBJCOPY=aarch64-linux-gnu-objcopy AR=aarch64-linux-gnu-ar

.PHONY: arm64 test-arm64
arm64: $(ARM64)/root.stamp
	@$(ARM64_MAKE) all

test-arm64: $(ARM64)/root.stamp
	@scripts/install-deps --test
	@$(ARM64_MAKE) run-tests TESTS='$(ARM64_TESTS)'

$(ARM64)/root.stamp: scripts/package/cross-root
	@scripts/install-deps --arm64
	@rm -rf $(ARM64_ROOT)
	@scripts/package/cross-root arm64 $(ARM64_ROOT)
	@touch $@
