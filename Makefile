# Makefile of dragoman.
#
#   make                build ./dragoman, the models in models, build/libdragoman.a and build/libdragoman.so.0; with
#                       libmicrohttpd, also ./dragoman-server
#   make demo           translate sample lines with the embedded model
#   make test           run all tests, or those named: TESTS="tests/unit/test_json.c ..."
#   make test-spark     test scripts/spark_translate.py with pyspark, which is installed below BUILD; needs Java
#   make sanitize       run the tests with the address and undefined behaviour sanitizers
#   make faults         make each allocation, read, write, thread start and the like fail in turn, which takes hours;
#                       make faults-sample tries only the first and last of the calls with the same callers, in minutes
#   make tsan           run the tests of units and of the command line with the thread sanitizer
#   make valgrind       translate with every kind of model under valgrind; VALGRIND_EVERY=4 takes every fourth run
#   make soak           translate ten million lines, and end thousands of processes by signals: some hours;
#                       SOAK="lines signals" runs parts (scripts/soak/run lists them)
#   make fuzz           build the fuzzers with clang; HOURS=n, MINUTES=n or SECONDS=n of CPU time also runs them, or
#                       those named: TARGETS="zip_file torch"; tests/fuzz/README.md describes these and the next three
#   make fuzz-check     run each fuzzer on its seeds and FUZZ_RUNS=2000 mutations of them
#   make fuzz-coverage, make fuzz-seeds, make fuzz-record
#                       print what TARGETS do not reach; keep what they found as seeds; record the runs
#   make lint           check the format, and run the static analysers on what has changed; make lint-all on everything
#   make bench          compare the speed with other programs; BENCH="--quick speed" runs a part
#   make bench-kernels  measure the int8 matmul kernels
#   make dist           make the source tarball of the last commit, in build/dist
#   make deb            build the Debian packages, in build/dist; RELEASE=trixie: for Debian 13, in a bare Debian, as root
#   make wheel          build the Python wheel, in build/dist; needs Debian and, the first time, a network
#   make container      build the container image with podman, docker or buildah
#   make test-dist, make test-deb, make test-wheel, make test-container
#                       test them in a bare Debian 12 and 13, or the RELEASE; root is needed
#   make arm64          build for arm64, in build/arm64; make test-arm64 runs the unit and golden tests in qemu
#   make release-check  run every check that a release must pass
#   make install        install below PREFIX (default: /usr/local); DESTDIR is for packagers
#   make uninstall      remove what make install has installed
#   make clean          remove everything that was built
#
# make demo, test, sanitize, faults, tsan, valgrind, lint, fuzz and the packages first install what is missing
# (scripts/install-deps); plain make only names it. All of these but the packages, and test-spark, use all cores unless
# -j is given.
# Variables: CC, CXX, CFLAGS, CXXFLAGS, LDFLAGS, WERROR=1, SANITIZE=address,undefined, BUILD=FOLDER,
# OPENBLAS_LIBRARY=NAME (the file name of OpenBLAS, which is loaded when a CPU needs it), CURL_LIBRARY=NAME and
# CRYPTO_LIBRARY=NAME (those of libcurl and libcrypto, which the command get loads), V=1 (print the commands),
# SANDBOX=no (on Linux, build without libseccomp; the program then has no sandbox),
# SPARK_PACKAGES="pyspark[sql]==4.*" (what make test-spark installs), PYTHON=python3 (what builds and tests the wheel),
# LIBDIR=lib (the folder of the libraries below PREFIX), EMULATOR=COMMAND (runs the programs of a build for another
# processor).

PREFIX   ?= /usr/local
BUILD    ?= build
LIBDIR   ?= lib
CFLAGS   ?= -O3 -g
CXXFLAGS ?= -O2 -g
# ccache, if it is installed, keeps objects and shares them between folders; their debug information then names the
# folder in which they were compiled. Packages are made without it.
CCACHE := $(if $(shell command -v ccache 2>/dev/null),ccache )
export CCACHE_NOHASHDIR := 1
ifeq ($(origin CC),default)
CC := $(CCACHE)gcc
endif
ifeq ($(origin CXX),default)
CXX := $(CCACHE)g++
endif

# Each rule prints one short line; make -s prints nothing.
ifeq ($(V),1)
Q   :=
SAY := @:
else
Q   := @
SAY := $(if $(findstring s,$(firstword -$(MAKEFLAGS))),@:,@echo)
endif

# The -j option of a make started by this one: all cores, unless this one was started with -j.
ALL_CORES = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN))

PACKAGES := openblas libcjson sentencepiece icu-i18n icu-uc yaml-0.1 zlib libzstd expat libpcre2-8
PROGRAM_PACKAGES :=
# The sandbox of the program (cli/sandbox.c). Builds with sanitizers have none, because the sanitizers need what it
# forbids: the leak checker starts a process that traces the others.
BUILD_TARGET := $(shell $(CC) -dumpmachine 2>/dev/null)
SANDBOX      ?= yes
ifeq ($(SANDBOX) $(findstring linux,$(BUILD_TARGET)) $(SANITIZE),yes linux )
PROGRAM_PACKAGES += libseccomp
SANDBOX_DEFINE   := -DSANDBOX_SECCOMP
endif
PKG_CFLAGS := $(shell pkg-config --cflags $(PACKAGES) $(PROGRAM_PACKAGES) 2>/dev/null)
# dragoman does not train SentencePiece models, and it loads OpenBLAS itself when a CPU needs it (kernels/gemm.c).
PKG_LIBS   := $(filter-out -lsentencepiece_train,$(shell pkg-config --libs $(filter-out openblas,$(PACKAGES)) 2>/dev/null)) -ldl
PROGRAM_LIBS := $(shell pkg-config --libs $(PROGRAM_PACKAGES) 2>/dev/null)
# dragoman-server is built if the library is there.
SERVER_PACKAGES := libmicrohttpd
HAS_SERVER      := $(shell pkg-config --exists $(SERVER_PACKAGES) 2>/dev/null && echo yes)
SERVER_LIBS     := $(shell pkg-config --libs $(SERVER_PACKAGES) 2>/dev/null)
PKG_CFLAGS      += $(shell pkg-config --cflags $(SERVER_PACKAGES) 2>/dev/null)

# Loaded at run time by the command get (hub/get/), which alone uses the network.
LOADED_PACKAGES := libcurl libcrypto
PKG_CFLAGS += $(shell pkg-config --cflags $(LOADED_PACKAGES) 2>/dev/null)

# The names under which the linker records libraries that are loaded at run time in a program that is linked with them.
ifndef OPENBLAS_LIBRARY
OPENBLAS_LIBRARY := $(shell scripts/library-name '$(CC)' $$(pkg-config --libs openblas 2>/dev/null) 2>/dev/null)
endif
export OPENBLAS_LIBRARY
ifndef CURL_LIBRARY
CURL_LIBRARY := $(shell scripts/library-name '$(CC)' $$(pkg-config --libs libcurl 2>/dev/null) 2>/dev/null)
endif
ifndef CRYPTO_LIBRARY
CRYPTO_LIBRARY := $(shell scripts/library-name '$(CC)' $$(pkg-config --libs libcrypto 2>/dev/null) 2>/dev/null)
endif
export CURL_LIBRARY CRYPTO_LIBRARY
# What `dragoman --version` says about libraries that do not tell their version, and about the system.
SENTENCEPIECE_VERSION := $(shell pkg-config --modversion sentencepiece 2>/dev/null)
OPENBLAS_VERSION      := $(shell pkg-config --modversion openblas 2>/dev/null)
BUILD_DEFINES := $(foreach v,SENTENCEPIECE_VERSION OPENBLAS_VERSION BUILD_TARGET,-D$(v)='"$($(v))"')
# -g1: line numbers, but no variables, which would take a quarter of the time that compiling takes.
DEFINES_kernels = $(if $(filter -g,$(CFLAGS)),-g1) -DOPENBLAS_LIBRARY='"$(OPENBLAS_LIBRARY)"'
DEFINES_hub     = -DCURL_LIBRARY='"$(CURL_LIBRARY)"' -DCRYPTO_LIBRARY='"$(CRYPTO_LIBRARY)"'
DEFINES_cli     = $(SANDBOX_DEFINE)

WARNINGS := -Wall -Wextra -Wshadow -Wpointer-arith -Wwrite-strings -Wvla -Wundef
C_WARNINGS := $(WARNINGS) -Wstrict-prototypes -Wmissing-prototypes
# kernels/rows/rows.h passes vectors only between functions that are always inlined, so the ABI does not matter.
C_WARNINGS += -Wno-psabi
ifdef WERROR
WARNINGS += -Werror
C_WARNINGS += -Werror
endif
ifdef SANITIZE
SAN := -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif

# $(call accepted,FLAGS) expands to FLAGS if the compiler accepts them, else to nothing.
accepted = $(shell $(CC) $(1) -Werror -x c -c -o /dev/null /dev/null >/dev/null 2>&1 && echo '$(1)')

# Threads have small stacks (base/thread.c). A large stack frame is therefore an error, and every frame probes the
# guard page. The limit is off without optimization and with the sanitizers, where frames are larger.
STACK_FLAGS := $(call accepted,-fstack-clash-protection)
OPTIMIZED   := $(filter-out -O0,$(filter -O%,$(CFLAGS)))
FRAME_FLAGS := $(if $(SANITIZE),,$(if $(OPTIMIZED),$(or $(call accepted,-Werror=frame-larger-than=16384),\
    $(call accepted,-Wframe-larger-than=16384 -Werror=frame-larger-than))))

# The program and both libraries share one set of objects: since the symbols are hidden, the library's code is as
# fast as that of a position-independent executable.
SHARED_FLAGS := -fPIC -fvisibility=hidden
C_BASE        = -std=c11 -D_POSIX_C_SOURCE=200809L -ffp-contract=off -pthread $(SHARED_FLAGS)
ALL_CFLAGS    = $(C_BASE) $(C_WARNINGS) $(STACK_FLAGS) $(CFLAGS) $(SAN) $(PKG_CFLAGS)
# C++17, because SentencePiece's header then uses std::string_view.
CXX_BASE      = -std=c++17 -pthread $(SHARED_FLAGS) -fvisibility-inlines-hidden
ALL_CXXFLAGS  = $(CXX_BASE) $(WARNINGS) $(STACK_FLAGS) $(CXXFLAGS) $(SAN) $(PKG_CFLAGS)
# Link with the C++ driver, which adds the C++ runtime library.
LINK          = $(CXX) -pthread $(SAN)
LIBRARY_LIBS  = $(LDFLAGS) $(PKG_LIBS) -lm
ALL_LIBS      = $(LIBRARY_LIBS) $(PROGRAM_LIBS)

# The folders whose headers each folder may include (docs/architecture.md). Any other include fails to compile;
# tests/build/include_rules.bats checks it. Sub-folders share the list of their folder.
FOLDERS := base store kernels weights search model tokenizer document translator hub job cli server
paths_of     = $(1) $(patsubst %/,%,$(wildcard $(1)/*/))
include_list = $(foreach f,$(1),$(addprefix -I,$(call paths_of,$(f))))
INC_base       := $(call include_list,base)
INC_store      := $(call include_list,store base)
INC_kernels    := $(call include_list,kernels base)
INC_weights    := $(call include_list,weights kernels store base)
INC_search     := $(call include_list,search kernels store base)
INC_model      := $(call include_list,model search weights kernels store base)
INC_tokenizer  := $(call include_list,tokenizer store base)
INC_document   := $(call include_list,document store base)
INC_translator := $(call include_list,translator document tokenizer model search kernels store base)
INC_hub        := $(call include_list,hub translator tokenizer store base)
INC_job        := $(call include_list,job hub translator document base)
INC_cli        := $(call include_list,cli base) -Ijob -Ihub -Itranslator # for the public headers, which are there
INC_server     := $(call include_list,server cli base) -Ijob -Ihub -Itranslator # as above
INC_tests      := $(call include_list,$(FOLDERS)) -Itests
INC_scripts    := $(call include_list,kernels base)

$(foreach f,$(FOLDERS),$(eval FRAMES_$(f) := $$(FRAME_FLAGS)))
# In the fuzzers, the kernels have the address sanitizer alone: they parse nothing, and the others would triple the time
# that compiling takes. make sanitize has all.
SAN_kernels := $(if $(findstring fuzzer,$(SANITIZE)),-fno-sanitize=undefined -fno-sanitize=fuzzer-no-link)

# tests/golden is stored compressed and without duplicates (tests/golden/README.md). The tests read it from here.
GOLDEN       := $(BUILD)/golden
GOLDEN_FILES := $(shell find tests/golden ! -name '*.c' ! -name README.md 2>/dev/null)
DEFINES_tests = -DGOLDEN_ROOT='"$(GOLDEN)"'

LIB_FOLDERS := $(filter-out cli server,$(FOLDERS))
LIB_PATHS   := $(foreach f,$(LIB_FOLDERS),$(call paths_of,$(f)))
CLI_PATHS   := $(call paths_of,cli)
LIB_SOURCES := $(wildcard $(LIB_PATHS:%=%/*.c) $(LIB_PATHS:%=%/*.cc))
HEADERS     := $(wildcard $(LIB_PATHS:%=%/*.h) $(CLI_PATHS:%=%/*.h) server/*.h)
CLI_SOURCES := $(wildcard $(CLI_PATHS:%=%/*.c))
SERVER_SOURCES := $(wildcard server/*.c)
# Texts that become strings of the program: the page of `dragoman explain` (cli/explain/explain.c), the help of commands
# and topics, the man page and the completion scripts (cli/options/help.c); and of the library: lists in document/ and
# the models that can be downloaded (hub/get/catalog.c).
CLI_TEXTS   := $(wildcard $(addprefix cli/explain/*.,html css js) cli/options/texts/*)
LIB_TEXTS   := $(wildcard document/*.txt document/*/*.txt hub/*.tsv)
SERVER_TEXTS := $(wildcard server/*.html)
TEXT_FILES  := $(CLI_TEXTS) $(LIB_TEXTS) $(SERVER_TEXTS)
LIB_OBJECTS := $(LIB_SOURCES:%=$(BUILD)/%.o) $(LIB_TEXTS:%=$(BUILD)/%.o)
CLI_OBJECTS := $(CLI_SOURCES:%=$(BUILD)/%.o) $(CLI_TEXTS:%=$(BUILD)/%.o)
SERVER_OBJECTS := $(SERVER_SOURCES:%=$(BUILD)/%.o) $(SERVER_TEXTS:%=$(BUILD)/%.o)
INSTALLED_OBJECTS := $(LIB_OBJECTS)

# The C files in tests/unit and tests/golden are tests; code that several of them share is in tests/. Those that take
# seconds come first, so that the last ones end together.
TESTS         ?= $(wildcard tests/golden/*.c tests/build/*.bats tests/server/*.bats tests/cli/*.bats tests/unit/*.c)
TEST_SOURCES  := $(filter tests/unit/%.c tests/golden/%.c,$(TESTS))
TEST_SCRIPTS  := $(filter %.bats,$(TESTS))
UNKNOWN_TESTS := $(filter-out $(wildcard $(TEST_SOURCES) $(TEST_SCRIPTS)),$(TESTS))
$(if $(UNKNOWN_TESTS),$(error TESTS: no such test: $(UNKNOWN_TESTS)))

# The tests of a folder are one program, which runs the file that its argument names (tests/test_program.c). Files that
# replace functions of the library or of the system, as they say by including a header, are programs of their own.
TEST_PROGRAM_NAMES := unit/tests unit/tests_with_fakes unit/tests_with_hooks golden/tests
tests_including     = $(shell grep -lE '^.include "($(1))\.h"' /dev/null $(TEST_SOURCES))
FILES_unit/tests_with_fakes := $(call tests_including,fake_engine|fake_model|scheduler_bench)
FILES_unit/tests_with_hooks := $(call tests_including,system_hooks)
FILES_unit/tests   := $(filter-out $(FILES_unit/tests_with_fakes) $(FILES_unit/tests_with_hooks),$(filter tests/unit/%,$(TEST_SOURCES)))
FILES_golden/tests := $(filter tests/golden/%,$(TEST_SOURCES))
SUPPORT_unit/tests := tests/sp_library.cc server/form.c
SUPPORT_unit/tests_with_fakes := $(wildcard tests/fake_*.c)
SUPPORT_unit/tests_with_hooks := tests/system_hooks.c
# A file of the library with a function that a fake replaces may be linked for its other functions: the first one counts.
LINK_unit/tests_with_fakes := -Wl,-z,muldefs
TEST_PROGRAMS := $(foreach p,$(TEST_PROGRAM_NAMES),$(if $(FILES_$(p)),$(BUILD)/tests/$(p)))
# The files of each program: scripts/run-tests finds the program of a file there.
TEST_LISTS    := $(TEST_PROGRAM_NAMES:%=$(BUILD)/tests/%.files)

# With another BUILD folder, the program is built there as well.
PROGRAM := $(if $(filter build,$(BUILD)),,$(BUILD)/)dragoman
SERVER  := $(if $(HAS_SERVER),$(PROGRAM)-server)

# The program and the tests link the internal library, which is not installed. The installed libraries export only the
# functions in dragoman.h. SONAME changes when programs compiled with an older dragoman.h no longer work.
LIBRARY        := $(BUILD)/libdragoman-internal.a
STATIC_LIBRARY := $(BUILD)/libdragoman.a
# The files of cli/ for the unit tests, which have a main function of their own.
CLI_LIBRARY    := $(BUILD)/libdragoman-cli.a
SONAME         := libdragoman.so.0
SHARED_LIBRARY := $(BUILD)/$(SONAME)
OBJCOPY        ?= objcopy
# The program as a command: the shell would look up a name without a folder in $PATH.
RUN := $(EMULATOR) $(if $(filter /%,$(PROGRAM)),,./)$(PROGRAM)

# The embedded models: models/NAME/model.safetensors is a packed file; it is copied to models/NAME.safetensors beside
# the program.
MODEL_NAMES := $(patsubst models/%/model.safetensors,%,$(wildcard models/*/model.safetensors))
MODELS      := $(MODEL_NAMES:%=$(dir $(PROGRAM))models/%.safetensors)

.PHONY: all demo test test-spark run-tests tests sanitize lint bench bench-kernels install uninstall clean deps print-includes FORCE
.DELETE_ON_ERROR:
.SECONDARY:
all: $(PROGRAM) $(SERVER) $(STATIC_LIBRARY) $(SHARED_LIBRARY) $(MODELS)

$(MODELS): $(dir $(PROGRAM))models/%.safetensors: models/%/model.safetensors
	@mkdir -p $(@D)
	$(SAY) 'COPY $@'
	$(Q)cp $< $@

# With -rdynamic, OpenBLAS finds the functions of cli/openblas_start.c.
$(PROGRAM): $(CLI_OBJECTS) $(LIBRARY) $(BUILD)/objects
	$(SAY) 'LINK $@'
	$(Q)$(LINK) -rdynamic -o $@ $(CLI_OBJECTS) $(LIBRARY) $(ALL_LIBS)

# Shares files of cli/ with the program: options, output formats, messages, the sandbox.
$(PROGRAM)-server: $(SERVER_OBJECTS) $(BUILD)/cli/openblas_start.c.o $(CLI_LIBRARY) $(LIBRARY) $(BUILD)/objects
	$(SAY) 'LINK $@'
	$(Q)$(LINK) -rdynamic -o $@ $(filter-out $(BUILD)/objects,$^) $(ALL_LIBS) $(SERVER_LIBS)

$(LIBRARY): $(LIB_OBJECTS) $(BUILD)/objects
	$(SAY) 'AR $@'
	@rm -f $@
	$(Q)$(AR) rcs $@ $(LIB_OBJECTS)

$(CLI_LIBRARY): $(CLI_OBJECTS) $(BUILD)/objects
	$(SAY) 'AR $@'
	@rm -f $@
	$(Q)$(AR) rcs $@ $(filter-out %/main.c.o,$(CLI_OBJECTS))

# One relocatable object in which every symbol except dragoman_* is local. COMDAT groups are resolved: otherwise a
# program that instantiates the same C++ template would discard the library's copy, which is local and still needed.
# With -flto, it contains machine code: symbols of GCC's bytecode cannot be made local.
RELOCATABLE = -r -nostdlib -Wl,--force-group-allocation $(shell \
    $(CXX) -r -nostdlib -flinker-output=nolto-rel -x c++ -o /dev/null /dev/null >/dev/null 2>&1 && echo -flinker-output=nolto-rel)
$(STATIC_LIBRARY): $(INSTALLED_OBJECTS) $(BUILD)/objects
	$(SAY) 'AR $@'
	@rm -f $@
	$(Q)$(CXX) $(RELOCATABLE) -o $(BUILD)/libdragoman.o $(INSTALLED_OBJECTS)
	$(Q)$(OBJCOPY) --wildcard --keep-global-symbol='dragoman_*' $(BUILD)/libdragoman.o
	$(Q)$(AR) rcs $@ $(BUILD)/libdragoman.o

$(SHARED_LIBRARY): $(INSTALLED_OBJECTS) $(BUILD)/objects translator/libdragoman.map
	$(SAY) 'LINK $@'
	$(Q)$(LINK) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=translator/libdragoman.map $(if $(SAN),,-Wl,-z,defs) \
	    -o $@ $(INSTALLED_OBJECTS) $(LIBRARY_LIBS)

# Updated when the compiler or its flags change. Every object depends on this file, so missing dependencies are
# reported before anything is compiled.
$(BUILD)/flags: LINE = $(CC) $(ALL_CFLAGS) $(FRAME_FLAGS) $(OPENBLAS_LIBRARY) $(CURL_LIBRARY) $(CRYPTO_LIBRARY) $(SANDBOX_DEFINE) $(CXX) $(ALL_CXXFLAGS) $(SENTENCEPIECE_VERSION) $(OPENBLAS_VERSION) $(BUILD_TARGET)
# Updated when source files are added or removed, or the linker's flags change, so that everything is linked again.
$(BUILD)/objects: LINE = $(LINK) $(ALL_LIBS) $(SERVER_LIBS) $(LIB_OBJECTS) $(CLI_OBJECTS) $(SERVER_OBJECTS)
$(BUILD)/flags $(BUILD)/objects: FORCE | deps
	@mkdir -p $(@D)
	@echo '$(LINE)' | cmp -s - $@ || echo '$(LINE)' > $@

deps:
	@scripts/install-deps --check

define FOLDER_RULES
$(BUILD)/$(1)/%.c.o: $(1)/%.c $(BUILD)/flags
	@mkdir -p $$(@D)
	$(SAY) 'CC $$<'
	$(Q)$$(CC) $$(ALL_CFLAGS) $(SAN_$(1)) $(FRAMES_$(1)) $(INC_$(1)) $$(DEFINES_$(1)) -MMD -MP -c -o $$@ $$<
$(BUILD)/$(1)/%.cc.o: $(1)/%.cc $(BUILD)/flags
	@mkdir -p $$(@D)
	$(SAY) 'CXX $$<'
	$(Q)$$(CXX) $$(ALL_CXXFLAGS) $(INC_$(1)) -MMD -MP -c -o $$@ $$<
endef
$(foreach f,$(FOLDERS) tests scripts,$(eval $(call FOLDER_RULES,$(f))))
# page_main.js becomes the constant page_main_js, with a string for each line.
$(TEXT_FILES:%=$(BUILD)/%.c): text_name = $(subst .,_,$(notdir $<))
$(TEXT_FILES:%=$(BUILD)/%.c): $(BUILD)/%.c: %
	@mkdir -p $(@D)
	$(Q){ echo '#include <stddef.h>'; echo 'extern const char $(text_name)[];'; echo 'extern const size_t $(text_name)_size;'; \
	    echo 'const char $(text_name)[] ='; sed 's/[\\"]/\\&/g; s/^/"/; s/$$/\\n"/' $<; echo ';'; \
	    echo 'const size_t $(text_name)_size = sizeof $(text_name) - 1;'; } > $@
$(TEXT_FILES:%=$(BUILD)/%.o): $(BUILD)/%.o: $(BUILD)/%.c $(BUILD)/flags
	$(SAY) 'CC $*'
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# Compiling the tests takes longer than running them, so they have no optimization, which _FORTIFY_SOURCE would need.
# DEFINES come after CFLAGS, so this -O counts.
$(BUILD)/tests/unit/%.c.o $(BUILD)/tests/golden/%.c.o: DEFINES_tests += -O0 -U_FORTIFY_SOURCE

$(BUILD)/translator/tools.c.o $(BUILD)/tidy/translator/tools.c.ok: DEFINES_translator = $(BUILD_DEFINES)

# Before clang 16, arm_neon.h has Arm's dot products only in files that are compiled for them, with a flag. Compilers
# that do without it get none, because gcc warns if -march contradicts a -mcpu in CFLAGS.
ifneq ($(findstring aarch64,$(BUILD_TARGET)),)
DOTPROD_FILE  := kernels/panels/panels_s8_dotprod.c
DOTPROD_FLAGS := -march=armv8.2-a+dotprod
$(BUILD)/tidy/$(DOTPROD_FILE).ok: DEFINES_kernels += $(DOTPROD_FLAGS)
$(BUILD)/$(DOTPROD_FILE).o: DEFINES_kernels += $(shell \
    $(CC) $(C_BASE) $(CFLAGS) $(INC_kernels) -fsyntax-only $(DOTPROD_FILE) >/dev/null 2>&1 || echo '$(DOTPROD_FLAGS)')
endif

$(foreach p,$(TEST_PROGRAM_NAMES),$(eval $(BUILD)/tests/$(p): $(patsubst %,$(BUILD)/%.o,$(FILES_$(p)) $(SUPPORT_$(p)))))
# The linker takes a file from a library only for a function that is still undefined, so the fakes replace those of the
# library.
$(TEST_PROGRAM_NAMES:%=$(BUILD)/tests/%): %: %.files $(BUILD)/tests/test_program.c.o $(CLI_LIBRARY) $(LIBRARY)
	$(SAY) 'LINK $@'
	$(Q)$(LINK) $(LINK_$(@:$(BUILD)/tests/%=%)) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(ALL_LIBS) -lcmocka

# Updated when the list changes, so that the program is linked again.
$(TEST_LISTS): $(BUILD)/tests/%.files: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(FILES_$*) | cmp -s - $@ || printf '%s\n' $(FILES_$*) > $@

# The stamp has the time at which the script started. GOLDEN_FILES also lists folders, because removing a file
# changes the time of its folder only.
$(GOLDEN)/.stamp: scripts/assemble-golden $(GOLDEN_FILES)
	$(SAY) 'GOLDEN $(GOLDEN)'
	@mkdir -p $(@D)
	$(Q)scripts/assemble-golden tests/golden $(GOLDEN)

tests: $(TEST_PROGRAMS)

# The dependencies are installed first: the make started here then finds the libraries.
demo:
	@scripts/install-deps
	@$(MAKE) $(ALL_CORES) --no-print-directory all
	@scripts/demo $(RUN)

test:
	@scripts/install-deps --test
	@$(MAKE) $(ALL_CORES) --no-print-directory run-tests

# pyspark 3.5 does not work with the newest versions of the packages that it uses.
SPARK_PACKAGES ?= pyspark==3.5.* pandas<3 pyarrow<20 numpy<2 setuptools<81
SPARK_VENV     := $(abspath $(BUILD))/spark

test-spark: export SPARK_PACKAGES := $(SPARK_PACKAGES)
test-spark:
	@scripts/install-deps --test --venv
	@mkdir -p '$(SPARK_VENV)'
	@echo "$$SPARK_PACKAGES" | cmp -s - '$(SPARK_VENV)/installed' || { python3 -m venv --clear '$(SPARK_VENV)' && \
	    set -f && '$(SPARK_VENV)/bin/pip' install --quiet $$SPARK_PACKAGES && echo "$$SPARK_PACKAGES" > '$(SPARK_VENV)/installed'; }
	@SPARK_PYTHON='$(SPARK_VENV)/bin/python' $(MAKE) $(ALL_CORES) --no-print-directory run-tests TESTS="tests/cli/spark.bats tests/cli/scale.bats"

run-tests: $(PROGRAM) $(SERVER) $(LIBRARY) $(MODELS) $(TEST_PROGRAMS) $(TEST_LISTS) $(GOLDEN)/.stamp
	@DRAGOMAN='$(abspath $(PROGRAM))' GOLDEN_ROOT='$(abspath $(GOLDEN))' EMULATOR='$(EMULATOR)' scripts/run-tests $(BUILD)/tests $(TEST_SOURCES) $(TEST_SCRIPTS)

sanitize:
	@scripts/install-deps --test
	@ASAN_OPTIONS=$(or $(ASAN_OPTIONS),detect_stack_use_after_return=1:strict_string_checks=1) \
	UBSAN_OPTIONS=$(or $(UBSAN_OPTIONS),print_stacktrace=1) \
	$(MAKE) $(ALL_CORES) --no-print-directory run-tests BUILD=$(BUILD)/sanitize SANITIZE=address,undefined \
	    CFLAGS='-O1 -g' CXXFLAGS='-O1 -g' TESTS='$(filter-out tests/build/%,$(TESTS))'

bench: all $(BUILD)/scripts/bench/machine_limits $(GOLDEN)/.stamp
	@GOLDEN_ROOT='$(abspath $(GOLDEN))' scripts/bench/run $(RUN) $(BUILD)/scripts/bench/machine_limits $(BENCH)

bench-kernels: $(BUILD)/scripts/bench/kernel_timer
	@$<

$(BUILD)/scripts/bench/kernel_timer $(BUILD)/scripts/bench/machine_limits: %: %.c.o $(BUILD)/scripts/bench/peaks.c.o $(LIBRARY)
	$(SAY) 'LINK $@'
	$(Q)$(LINK) -o $@ $^ $(ALL_LIBS)

# --- Static checks ---------------------------------------------------------
C_FILES     := $(filter %.c,$(LIB_SOURCES)) $(CLI_SOURCES) $(SERVER_SOURCES)
LINT_FILES  := $(LIB_SOURCES) $(CLI_SOURCES) $(SERVER_SOURCES) $(HEADERS) $(wildcard tests/*.[ch] tests/unit/*.[ch] tests/golden/*.[ch] \
    tests/build/*.c tests/fuzz/*.[ch] tests/faults/*.[ch] tests/faults/*.cc scripts/bench/*.[ch] scripts/soak/*.c)
SHELL_FILES := $(wildcard .ci/run scripts/install-deps scripts/install-files scripts/run-tests scripts/assemble-golden scripts/library-name scripts/lint-size scripts/lint-files scripts/source-files \
    scripts/demo scripts/translate-array scripts/update-model-list scripts/bench/run scripts/soak/run scripts/soak/flat scripts/soak/graph scripts/soak/valgrind-runs $(wildcard scripts/package/*-* scripts/package/debian/*-packages scripts/package/debian/*.postrm) \
    tests/fuzz/make_seeds $(wildcard tests/fuzz/seeds/*.sh) tests/faults/make_fixtures $(TEST_SCRIPTS) tests/cli/*.bash tests/server/*.bash)
# clang-tidy, cppcheck and the compilation of single headers are slow. They check LINT_CHECKED: in make lint the files that
# have changed and those that include them (scripts/lint-files), in make lint-all all files.
LINT_CHECKED = $(C_FILES) $(HEADERS)
TIDY_STAMPS  = $(patsubst %,$(BUILD)/tidy/%.ok,$(filter $(C_FILES),$(LINT_CHECKED)))
# Headers that no file includes first would otherwise hide what they need. *_tile.h need macros of the file that includes
# them, and panels_s8_128.h has the vectors of Arm.
HEADER_STAMPS = $(patsubst %,$(BUILD)/tidy/%.ok,$(filter-out %_tile.h %/panels_s8_128.h,$(filter $(HEADERS),$(LINT_CHECKED))))

lint:
	@scripts/install-deps --lint
	@files=$$(scripts/lint-files) && $(MAKE) $(ALL_CORES) --no-print-directory lint-run LINT_CHECKED="$$(echo $$files)"

lint-all:
	@scripts/install-deps --lint
	@$(MAKE) $(ALL_CORES) --no-print-directory lint-run
	@[ ! -e .git ] || [ -n "$$(git status --porcelain)" ] || { git rev-parse HEAD >scripts/lint-base && \
	    echo 'scripts/lint-base: now names the last commit; commit this file'; }

.PHONY: lint-all lint-run lint-format lint-shell lint-size lint-cppcheck lint-clang
lint-run: lint-format lint-shell lint-size lint-cppcheck lint-clang $(TIDY_STAMPS) $(HEADER_STAMPS)

lint-format:
	$(SAY) 'LINT clang-format'
	$(Q)clang-format --dry-run -Werror $(LINT_FILES)
lint-shell:
	$(SAY) 'LINT shellcheck'
	$(Q)shellcheck -x $(SHELL_FILES)
lint-size:
	$(SAY) 'LINT sizes and names'
	$(Q)scripts/lint-size
lint-cppcheck: CPPCHECK_FILES = $(filter $(C_FILES),$(LINT_CHECKED))
lint-cppcheck:
	$(SAY) 'LINT cppcheck, $(words $(CPPCHECK_FILES)) files'
	$(Q)$(if $(CPPCHECK_FILES),cppcheck --quiet --std=c11 --language=c --enable=warning --enable=performance \
	    --enable=portability --inline-suppr --error-exitcode=1 --suppress=missingIncludeSystem \
	    --suppress=arrayIndexThenCheck -D__x86_64__ -D_POSIX_C_SOURCE=200809L $(INC_tests) $(CPPCHECK_FILES))
# The build of the fuzzers gives clang's warnings for the library and the program.
lint-clang:
	$(SAY) 'LINT clang'
	$(Q)clang -fsyntax-only -Werror $(C_BASE) $(C_WARNINGS) $(PKG_CFLAGS) $(INC_tests) $(DEFINES_tests) \
	    $(wildcard tests/*.c tests/unit/*.c tests/golden/*.c)

$(BUILD)/tidy/%.c.ok: %.c .clang-tidy $(HEADERS)
	@mkdir -p $(@D)
	$(SAY) 'TIDY $<'
	$(Q)clang-tidy --quiet --warnings-as-errors='*' $< -- $(C_BASE) \
	    $(PKG_CFLAGS:-I%=-isystem%) $(INC_$(firstword $(subst /, ,$<))) $(DEFINES_$(firstword $(subst /, ,$<))) \
	    >$@.log 2>&1 \
	    || { cat $@.log >&2; exit 1; }
	@touch $@

# Compiles a header alone, with the macros that those of kernels need.
$(BUILD)/tidy/%.h.ok: %.h $(HEADERS)
	@mkdir -p $(@D)
	$(SAY) 'HEADER $<'
	$(Q)printf '#include "%s"\nint main(void) { return 0; }\n' '$(<F)' | $(CC) -x c -fsyntax-only $(C_BASE) $(PKG_CFLAGS) \
	    $(INC_$(firstword $(subst /, ,$<))) -DLANES_BYTES=16 '-DPANELS_INLINE=static inline' -
	@touch $@

# Prints the compiler flags of each folder for tests/build/include_rules.bats.
print-includes:
	@$(foreach f,$(FOLDERS),echo '$(f) $(C_BASE) $(PKG_CFLAGS) $(INC_$(f))';)

# --- Installation ----------------------------------------------------------
# The documents and the files that they link to, installed in the same layout.
DOCUMENTS    := $(wildcard *.md LICENSE docs/*.md docs/images/* models/*/README.md \
    scripts/export_tutorial.py scripts/unpack_model.py $(addprefix scripts/train/,*.md *.py *.txt lists/*/*.tsv written/*))
PUBLIC_HEADERS := job/dragoman_job.h hub/dragoman_hub.h $(addprefix translator/,dragoman.h dragoman_settings.h dragoman_tools.h settings.def)
VERSION      := $(shell sed -n 's/.*DRAGOMAN_VERSION "\(.*\)".*/\1/p' translator/dragoman.h)

# The installed files as MODE:FILE:NAME; NAME is relative to $(DESTDIR)$(PREFIX).
INSTALLED = 755:$(PROGRAM):bin/dragoman $(if $(SERVER),755:$(SERVER):bin/dragoman-server) 644:$(STATIC_LIBRARY):$(LIBDIR)/libdragoman.a \
    755:$(SHARED_LIBRARY):$(LIBDIR)/$(SONAME) link:$(SONAME):$(LIBDIR)/libdragoman.so 644:$(BUILD)/dragoman.pc:$(LIBDIR)/pkgconfig/dragoman.pc \
    $(foreach p,$(MAN_PAGES),644:$(p):share/man/man1/$(notdir $(p))) \
    644:$(BUILD)/completion.bash:share/bash-completion/completions/dragoman \
    644:$(BUILD)/completion.zsh:share/zsh/site-functions/_dragoman \
    644:$(BUILD)/completion.fish:share/fish/vendor_completions.d/dragoman.fish \
    $(foreach f,$(PUBLIC_HEADERS),644:$(f):include/dragoman/$(notdir $(f))) \
    $(foreach f,scripts/translate-array scripts/spark_translate.py,755:$(f):share/dragoman/$(f)) \
    $(foreach f,$(DOCUMENTS),644:$(f):share/doc/dragoman/$(f)) \
    $(foreach m,$(MODELS),644:$(m):share/dragoman/models/$(notdir $(m))) \
    $(foreach n,$(MODEL_NAMES),644:models/$(n)/README.md:share/dragoman/models/$(n).md)

# The files below are removed first: `sudo make install` may have made them as root.
MAN_PAGES := $(patsubst %,$(BUILD)/%.1,$(notdir $(PROGRAM) $(SERVER)))
$(MAN_PAGES): $(BUILD)/%.1: $(PROGRAM:%dragoman=%)%
	$(SAY) 'MAN $@'
	$(Q)rm -f $@ && $(RUN)$(*:dragoman%=%) --help-man > $@

COMPLETIONS := $(addprefix $(BUILD)/completion.,bash zsh fish)
$(COMPLETIONS): $(BUILD)/completion.%: $(PROGRAM)
	$(SAY) 'COMPLETION $@'
	$(Q)rm -f $@ && $(RUN) completion $* > $@

# Libs.private lists the libraries that only a statically linked program has to name.
$(BUILD)/dragoman.pc: translator/dragoman.h $(BUILD)/flags FORCE
	@rm -f $@ && printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$${prefix}/$(LIBDIR)' 'includedir=$${prefix}/include/dragoman' '' \
	    'Name: dragoman' 'Description: Translates text with neural models' 'Version: $(VERSION)' \
	    'Cflags: -I"$${includedir}"' \
	    'Libs: -L"$${libdir}" -ldragoman' 'Libs.private: $(PKG_LIBS) -lm -lstdc++ -pthread' > $@

install: $(PROGRAM) $(SERVER) $(STATIC_LIBRARY) $(SHARED_LIBRARY) $(MODELS) $(MAN_PAGES) $(COMPLETIONS) \
    $(BUILD)/dragoman.pc
	$(SAY) 'INSTALL' "$$ROOT"
	$(Q)scripts/install-files install $(INSTALLED)

uninstall:
	$(SAY) 'UNINSTALL' "$$ROOT"
	$(Q)scripts/install-files uninstall $(INSTALLED)

# Passed in the environment, so that the shell does not expand special characters in the name.
install uninstall: export ROOT = $(DESTDIR)$(PREFIX)

include scripts/make/fuzz.mk scripts/make/faults.mk scripts/make/soak.mk \
    scripts/package/package.mk scripts/package/wheel.mk scripts/package/arm64.mk

clean:
	rm -rf $(BUILD) $(PROGRAM) $(PROGRAM)-server $(MODELS)

-include $(shell find $(patsubst %,$(BUILD)/%,$(FOLDERS) tests scripts) -type f -name '*.d' 2>/dev/null)
