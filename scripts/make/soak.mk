# soak.mk - long runs, the thread sanitizer and valgrind; docs/robustness.md describes them. Part of the Makefile.

.PHONY: tsan valgrind run-valgrind soak

# Programs are much slower than usual, so the tests have more time.
tsan:
	@scripts/install-deps --test
	@TEST_LIMIT=3000 TEST_TIMEOUT=12000 TSAN_OPTIONS='$(or $(TSAN_OPTIONS),second_deadlock_stack=1)' \
	$(MAKE) $(ALL_CORES) --no-print-directory run-tests BUILD=$(BUILD)/tsan SANITIZE=thread \
	    CFLAGS='-O1 -g' CXXFLAGS='-O1 -g' TESTS='$(filter-out tests/build/% tests/golden/%,$(TESTS))'

valgrind:
	@scripts/install-deps --valgrind
	@$(MAKE) $(ALL_CORES) --no-print-directory run-valgrind

run-valgrind: $(PROGRAM) $(GOLDEN)/.stamp
	@scripts/soak/valgrind-runs $(PROGRAM) $(GOLDEN) $(VALGRIND_EVERY)

soak: $(PROGRAM) $(BUILD)/scripts/soak/signal_driver $(GOLDEN)/.stamp
	@scripts/soak/run $(PROGRAM) $(GOLDEN) $(BUILD)/scripts/soak/signal_driver $(BUILD)/soak $(SOAK)

$(BUILD)/scripts/soak/signal_driver: %: %.c.o
	$(SAY) 'LINK $@'
	$(Q)$(LINK) -o $@ $^
