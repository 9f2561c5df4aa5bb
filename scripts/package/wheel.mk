# wheel.mk - the Python wheel; included by the Makefile. scripts/package/python/build_wheel.py describes its contents.

WHEEL_FOLDER := scripts/package/python
WHEEL_VENV   := $(BUILD)/wheel-venv
WHEEL_OUT    := $(BUILD)/dist
# The Python that builds and tests the wheel; the wheel itself works with every later one from 3.9 on.
PYTHON       ?= python3

.PHONY: wheel run-wheel test-wheel

$(WHEEL_VENV)/installed: $(WHEEL_FOLDER)/requirements.txt
	$(SAY) 'VENV $(@D)'
	$(Q)$(PYTHON) -m venv --clear $(@D)
	$(Q)$(@D)/bin/pip install --quiet --requirement $<
	@cp $< $@

wheel:
	@scripts/install-deps --package
	@$(MAKE) $(ALL_CORES) --no-print-directory run-wheel

run-wheel: all $(WHEEL_VENV)/installed
	$(SAY) 'WHEEL $(WHEEL_OUT)'
	@rm -f $(WHEEL_OUT)/dragoman-*.whl
	$(Q)$(WHEEL_VENV)/bin/python $(WHEEL_FOLDER)/build_wheel.py --program $(PROGRAM) --library $(SHARED_LIBRARY) \
	    --models $(dir $(PROGRAM))models --cards models --work $(BUILD)/wheel --out $(WHEEL_OUT)

# tests/build/python.bats tests the module with the library that was built.
run-tests: $(if $(SAN),,$(SHARED_LIBRARY))

test-wheel: wheel
	$(Q)$(WHEEL_FOLDER)/test-wheel $(WHEEL_OUT)/dragoman-$(VERSION)-py3-none-*.whl $(BUILD) $(RELEASES)

# For make lint-shell.
SHELL_FILES += $(WHEEL_FOLDER)/test-wheel $(WHEEL_FOLDER)/test-installed-wheel
