# package.mk - the source tarball and the Debian packages; docs/packaging.md describes them. Part of the Makefile.

PACKAGE_DIR := $(BUILD)/dist
TARBALL     := $(PACKAGE_DIR)/dragoman-$(VERSION).tar.xz
# The releases of Debian with which the packages are tested; RELEASE=trixie selects one. scripts/package/in-debian takes
# it from the environment.
RELEASES    := $(or $(RELEASE),bookworm trixie)
in_releases  = $(Q)set -e; for RELEASE in $(RELEASES); do export RELEASE; echo "== Debian $$RELEASE"; $(1); done

.PHONY: dist deb container test-dist test-deb test-container print-loaded print-version release-check
dist:
	@command -v xz >/dev/null || scripts/install-deps --dist
	@scripts/package/make-tarball $(VERSION) $(TARBALL)

deb: dist
	@scripts/install-deps --package
	@scripts/package/make-deb $(VERSION) $(TARBALL) $(PACKAGE_DIR)$(RELEASE:%=/%)

# TESTS names some of the tests.
test-dist: dist
	@scripts/install-deps --package
	$(call in_releases,scripts/package/test-tarball $(TARBALL) $(TESTS))

test-deb: dist
	@scripts/install-deps --package
	$(call in_releases,scripts/package/make-deb $(VERSION) $(TARBALL) $(PACKAGE_DIR)/$$RELEASE; \
	    scripts/package/test-deb $(VERSION) $(TARBALL) $(PACKAGE_DIR)/$$RELEASE $(filter tests/cli/%.bats,$(TESTS)))

# The libraries that the program loads when it needs them.
print-loaded:
	@echo $(OPENBLAS_LIBRARY) $(CURL_LIBRARY) $(CRYPTO_LIBRARY) libcld2.so.0 libstemmer.so.0d

# podman or docker builds the image from the tarball.
container: dist
	@scripts/package/make-container $(VERSION) $(TARBALL)

test-container: dist
	@scripts/install-deps --package
	$(call in_releases,scripts/package/test-container $(TARBALL))

print-version:
	@echo $(VERSION)

# STEPS: some of the steps (scripts/package/release-check).
release-check:
	@scripts/install-deps --package
	@scripts/package/release-check $(VERSION) $(STEPS)
