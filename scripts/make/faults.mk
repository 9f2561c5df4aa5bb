# faults.mk - fault injection; tests/faults/README.md describes it. Part of the Makefile.

# It uses the objects of make sanitize. FAULTS="-k memory safetensors" runs a part.
FAULT_PROGRAM := $(BUILD)/tests/faults/run_faults
FAULT_OBJECTS := $(patsubst %,$(BUILD)/%.o,$(wildcard tests/faults/*.c tests/faults/*.cc))
FAULT_JOBS    := $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
FAULT_FILES   := $(BUILD)/faults/fixtures

.PHONY: faults faults-sample run-faults run-faults-sample
faults faults-sample:
	@scripts/install-deps --test
	@$(MAKE) $(ALL_CORES) --no-print-directory run-$@ BUILD=$(BUILD)/sanitize SANITIZE=address,undefined \
	    CFLAGS='-O1 -g' CXXFLAGS='-O1 -g'

run-faults-sample: SAMPLE := -s
run-faults run-faults-sample: $(FAULT_PROGRAM) $(FAULT_FILES)
	@$(FAULT_PROGRAM) -j $(FAULT_JOBS) $(SAMPLE) -g $(GOLDEN) -f $(FAULT_FILES) $(FAULTS)

$(FAULT_FILES): tests/faults/make_fixtures $(PROGRAM) $(GOLDEN)/.stamp
	$(SAY) 'FIXTURES $@'
	$(Q)$< $@ $(GOLDEN) $(PROGRAM)

# These run before the sanitizers are ready. With -O2, calls in the last place are jumps, so that the leak sanitizer sees
# which library allocates: it ignores the dynamic linker.
$(addprefix $(BUILD)/tests/faults/,fault_calls.c.o fault_injection.c.o): private ALL_CFLAGS += -O2 -fno-sanitize=all
$(BUILD)/tests/faults/fault_new.cc.o: private ALL_CXXFLAGS += -O2 -fno-sanitize=all

$(FAULT_PROGRAM): $(FAULT_OBJECTS) $(CLI_OBJECTS) $(LIBRARY)
	$(SAY) 'LINK $@'
	$(Q)$(LINK) -rdynamic -o $@ $(filter-out %/cli/main.c.o,$^) $(ALL_LIBS)
