# Makefile of dragoman.
#
#   make            ./dragoman, libdragoman.a
#   make demo       translates sample lines with the embedded model
#   make test       all tests
#   make bench      speed beside transformers
#   make install    PREFIX=/usr/local, DESTDIR for packagers
#
# Missing libraries are installed by scripts/install-deps (make demo, make
# test call it; make alone says what is missing).
# Options: CC, CXX, CFLAGS, WERROR=1, SANITIZE=address,undefined, BUILD=dir.

PREFIX   ?= /usr/local
BUILD    ?= build
CC       ?= cc
CXX      ?= c++
CFLAGS   ?= -O3 -g
CXXFLAGS ?= -O2 -g
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif

# SentencePiece calls abseil's string_view std::string_view, so C++17.
PACKAGES := openblas libcjson sentencepiece
PKG_CFLAGS := $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs openblas libcjson 2>/dev/null) -lsentencepiece

WARNINGS := -Wall -Wextra -Wshadow -Wpointer-arith -Wwrite-strings -Wvla -Wundef
C_WARNINGS := $(WARNINGS) -Wstrict-prototypes -Wmissing-prototypes
ifdef WERROR
WARNINGS += -Werror
endif
ifdef SANITIZE
SAN := -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif

ALL_CFLAGS   = -std=c11 -D_POSIX_C_SOURCE=200809L -ffp-contract=off -pthread $(C_WARNINGS) $(CFLAGS) $(SAN) $(PKG_CFLAGS)
ALL_CXXFLAGS = -std=c++17 -pthread $(WARNINGS) $(CXXFLAGS) $(SAN) $(PKG_CFLAGS)
LDLIBS_ALL   = $(PKG_LIBS) -lm -lstdc++ -pthread

# Who may include whom: one list a folder, so that a forbidden include does
# not compile (docs/architecture.md).
FOLDERS := base kernels weights model tokenizer translator cli
INC_base       := -Ibase
INC_kernels    := -Ikernels -Ibase
INC_weights    := -Iweights -Ikernels -Ibase
INC_model      := -Imodel -Iweights -Ikernels -Ibase
INC_tokenizer  := -Itokenizer -Ibase
INC_translator := -Itranslator -Itokenizer -Imodel -Ikernels -Ibase
INC_cli        := -Icli -Itranslator -Ibase
INC_tests      := $(addprefix -I,$(FOLDERS)) -Itests

LIB_FOLDERS := $(filter-out cli,$(FOLDERS))
LIB_SOURCES := $(foreach f,$(LIB_FOLDERS),$(wildcard $(f)/*.c $(f)/*.cc))
CLI_SOURCES := $(wildcard cli/*.c)
LIB_OBJECTS := $(patsubst %,$(BUILD)/%.o,$(LIB_SOURCES))
CLI_OBJECTS := $(patsubst %,$(BUILD)/%.o,$(CLI_SOURCES))
TESTS       := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/*.c tests/golden/*.c))

# A build in its own folder (BUILD=...) keeps its program there, too.
ifeq ($(BUILD),build)
PROGRAM := dragoman
LIBRARY := libdragoman.a
else
PROGRAM := $(BUILD)/dragoman
LIBRARY := $(BUILD)/libdragoman.a
endif

.PHONY: all deps demo test check bench install uninstall clean tests FORCE
.DELETE_ON_ERROR:
all: $(PROGRAM) $(LIBRARY)

$(PROGRAM): $(CLI_OBJECTS) $(LIBRARY)
	$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LDLIBS_ALL)

$(LIBRARY): $(LIB_OBJECTS)
	rm -f $@
	$(AR) rcs $@ $^

# Rebuilt when the compiler or its flags change.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CFLAGS) $(CXX) $(ALL_CXXFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS) $(CXX) $(ALL_CXXFLAGS)' > $@

define FOLDER_RULES
$(BUILD)/$(1)/%.c.o: $(1)/%.c $(BUILD)/flags
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_CFLAGS) $(INC_$(1)) -MMD -MP -c -o $$@ $$<
$(BUILD)/$(1)/%.cc.o: $(1)/%.cc $(BUILD)/flags
	@mkdir -p $$(@D)
	$$(CXX) $$(ALL_CXXFLAGS) $(INC_$(1)) -MMD -MP -c -o $$@ $$<
endef
$(foreach f,$(FOLDERS),$(eval $(call FOLDER_RULES,$(f))))

$(BUILD)/tests/%: tests/%.c $(LIBRARY) $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(INC_tests) -MMD -MP -o $@ $< $(LIBRARY) $(LDFLAGS) -lcmocka $(LDLIBS_ALL)

tests: $(TESTS)

clean:
	rm -rf build dragoman libdragoman.a

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
