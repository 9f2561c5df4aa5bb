# package.mk - the source tarball and the Debian packages; docs/packaging.md describes them. Part of the Makefile.

PACKAGE_DIR := $(BUILD)/dist
TARBALL     := $(PACKAGE_DIR)/dragoman-$(VERSION).tar.xz

.PHONY: dist deb test-dist test-deb release-check
dist:
	@scripts/package/make-tarball $(VERSION) $(TARBALL)

deb: dist
	@scripts/install-deps --package
	@scripts/package/make-deb $(VERSION) $(TARBALL) $(PACKAGE_DIR)

test-dist: dist
	@scripts/install-deps --package
	@scripts/package/test-tarball $(TARBALL)

test-deb: deb
	@scripts/package/test-deb $(VERSION) $(TARBALL) $(PACKAGE_DIR)

release-check:
	@scripts/package/release-check $(VERSION)
