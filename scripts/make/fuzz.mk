# fuzz.mk - the fuzzers; tests/fuzz/README.md describes them. Part of the Makefile.

FUZZ_PROGRAMS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_FOLDER   := $(BUILD)/fuzz
FUZZ_JOBS     := $(or $(JOBS),$(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN))
FUZZ_RUNS     ?= 2000
# HOURS, MINUTES and SECONDS as seconds of CPU time; bash sets SECONDS in its environment as well, which does not count.
FUZZ_TIME := $(strip $(if $(HOURS),$(HOURS)*3600) $(if $(MINUTES),$(MINUTES)*60) \
    $(if $(filter command%,$(origin SECONDS)),$(SECONDS)))
FUZZ = scripts/fuzz.py --folder $(FUZZ_FOLDER) --jobs $(FUZZ_JOBS) --targets '$(TARGETS)'

.PHONY: fuzz fuzz-programs fuzz-build fuzz-coverage-programs fuzz-check fuzz-coverage fuzz-seeds fuzz-record
fuzz: fuzz-build
	$(if $(FUZZ_TIME),@$(FUZZ) --seconds $$(python3 -c 'print($(firstword $(FUZZ_TIME)))') run)

fuzz-build:
	@scripts/install-deps --fuzz
	@$(MAKE) $(ALL_CORES) --no-print-directory fuzz-programs BUILD=$(FUZZ_FOLDER) CC='$(CCACHE)clang' CXX='$(CCACHE)clang++' \
	    SANITIZE=fuzzer-no-link,address,undefined CFLAGS='-O1 -g $(FUZZ_VISIBLE)' CXXFLAGS='-O1 -g $(FUZZ_VISIBLE)'

fuzz-coverage-programs:
	@$(MAKE) $(ALL_CORES) --no-print-directory fuzz-programs BUILD=$(FUZZ_FOLDER)/coverage CC='$(CCACHE)clang' CXX='$(CCACHE)clang++' \
	    SANITIZE=fuzzer-no-link CFLAGS='-O1 -g -fprofile-instr-generate -fcoverage-mapping $(FUZZ_VISIBLE)' CXXFLAGS='-O1 -g $(FUZZ_VISIBLE)' \
	    LDFLAGS=-fprofile-instr-generate

fuzz-check: fuzz-build
	@$(FUZZ) --runs $(FUZZ_RUNS) check

fuzz-coverage: fuzz-coverage-programs
fuzz-seeds: fuzz-build
fuzz-coverage fuzz-seeds fuzz-record: fuzz-%:
	@$(FUZZ) --source '$(SOURCE)' $*

# One program fuzzes all formats of documents, and another one the files of a model; their names say which one.
FUZZ_FORMATS = $(shell sed -n '/^extern const DocumentFormat document_/,/;/p' document/core/document_formats.h | grep -o 'document_[a-z]*' | cut -d_ -f2)

fuzz-programs: $(FUZZ_PROGRAMS) $(GOLDEN)/.stamp
	$(Q)for format in $(FUZZ_FORMATS); do ln -f $(BUILD)/tests/fuzz/fuzz_document $(BUILD)/tests/fuzz/fuzz_document_$$format; done
	$(Q)for kind in config vocabulary weights packed; do ln -f $(BUILD)/tests/fuzz/fuzz_model $(BUILD)/tests/fuzz/fuzz_model_$$kind; done

# All fuzzers share one library with the code under test, whose symbols are visible in this build.
FUZZ_VISIBLE := -fvisibility=default
FUZZ_LIBRARY := $(BUILD)/libfuzzed.so

# The parsers of dragoman-server that need no libmicrohttpd.
FUZZ_SERVER := $(addprefix $(BUILD)/server/,form.c.o server_limits.c.o)

$(FUZZ_LIBRARY): $(LIB_OBJECTS) $(CLI_OBJECTS) $(FUZZ_SERVER) $(BUILD)/objects
	$(SAY) 'LINK $@'
	$(Q)$(LINK) -shared -o $@ $(LIB_OBJECTS) $(filter-out %/cli/main.c.o,$(CLI_OBJECTS)) $(FUZZ_SERVER) $(ALL_LIBS)

$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.c.o $(FUZZ_LIBRARY)
	$(SAY) 'LINK $@'
	$(Q)$(LINK) -fsanitize=fuzzer -Wl,-rpath,'$$ORIGIN/../..' -o $@ $(filter %.o,$^) $(FUZZ_LIBRARY) $(ALL_LIBS)

# The other objects of single fuzzers.
$(BUILD)/tests/fuzz/fuzz_sentencepiece: $(BUILD)/tests/sp_library.cc.o
$(BUILD)/tests/fuzz/fuzz_sentencepiece $(BUILD)/tests/fuzz/fuzz_tokenizer: $(BUILD)/tests/fuzz/sp_recipe.c.o
