# ptool: see README.md.  make V=1 shows the commands; config.mk holds local overrides.
#   make demo          installs what is missing, builds, shows ptool on a real trace;
#                      DEPS=no: only names it, here and below
#   make check         installs what tests need, builds, runs every test
#                      SAN=1: under ASan and UBSan; VALGRIND=1: under memcheck;
#                      TSAN=1: the tests of threads under ThreadSanitizer;
#                      UPDATE=1: rewrites the expected outputs; LONG=1: tries all inputs
#   make check-fast    before each commit: units and the quick ones of each area, a minute
#   make check-browser installs Chromium, and checks the page of ptool report in it
#   make bench-compare REV=COMMIT   the working tree beside that commit
#   make lint fuzz bench coverage format install uninstall dist clean
#   make deb           a package of Debian, in build/deb; ARCH=arm64: of another machine
#   make static        one program without libraries, in build-static-MACHINE
#   make wheel         a wheel around it, in build-static-MACHINE
#   make check-packages   installs, upgrades, removes and runs all of these; PARTS=deb: one
-include config.mk

VERSION = 0.2.0
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share
# Of the compiler: x86_64, aarch64.
MACHINE = $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
BUILD ?= build$(if $(SAN),-san)$(if $(TSAN),-tsan)$(if $(STATIC),-static-$(MACHINE))
CC ?= cc
AR ?= ar
INSTALL ?= install
PKG_CONFIG ?= pkg-config
CLANG_FORMAT ?= clang-format-14
CLANG_TIDY ?= clang-tidy-14
# Written by the program that was built: where that cannot run here, a folder with these
# three files, or RUN_PTOOL=PROGRAM, the same ptool for this machine.
COMPLETIONS ?= $(BUILD)/completions
RUN_PTOOL ?= $(BUILD)/ptool
# -O2 takes twice as long to compile with a sanitizer; -g1 names functions and lines.
CFLAGS ?= $(if $(SAN)$(TSAN),-O1 -g1,-O2 -g)
TIME ?= 60
PKGS = sqlite3 zlib libpcre2-8 libarchive libzstd ncursesw

# What to build, in a fixed order, so that the same sources give the same program.
SRCS := $(sort $(wildcard src/*/*.c src/*/*/*.c))
HEADERS := $(sort $(wildcard src/*/*.h src/*/*/*.h tests/*/*.h))
# The page's one script and one style, in this order; app.js starts what the others offer.
PAGE_JS := $(patsubst %,src/report/assets/%.js,base table chart) \
	$(sort $(wildcard src/report/assets/timeline*.js src/report/assets/flame*.js)) \
	src/report/assets/app.js
PAGE_CSS := src/report/assets/style.css $(sort $(filter-out %/style.css %/svg_flame.css,$(wildcard src/report/assets/*.css)))
ASSETS := $(sort $(wildcard src/*/*.sql src/query/views/*.sql) \
	$(filter-out $(PAGE_JS) $(PAGE_CSS),$(wildcard src/report/assets/*)))
JOINED := $(addprefix $(BUILD)/gen/report/,page.js page.css)
GEN := $(patsubst src/%,$(BUILD)/gen/%.c,$(ASSETS)) $(JOINED:=.gz.c) $(JOINED:=.hash.c)
OBJS := $(patsubst src/%.c,$(BUILD)/obj/%.o,$(SRCS)) $(GEN:.c=.o)
# Columns of the store's tables, for C.
COLUMNS := $(BUILD)/gen/store/columns.h
# What tells this program from one of other sources: it is in the keys of the cache.
SOURCES := $(BUILD)/gen/store/sources.h
UNIT_SRCS := $(sort $(wildcard tests/unit/*.c))
UNIT := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(filter tests/unit/test_%,$(UNIT_SRCS)))
UNIT_SHARED := $(patsubst tests/%.c,$(BUILD)/tests/%.o,$(filter-out tests/unit/test_%,$(UNIT_SRCS)))
# Programs that check_*.py scripts drive.
TOOLS := $(patsubst tests/%.c,$(BUILD)/%,$(sort $(wildcard tests/tools/*.c)))
# Those that make check TSAN=1 runs, with the check_*.py that say the same.
THREADED := $(patsubst tests/%.c,$(BUILD)/%,$(shell grep -il 'under tsan' $(UNIT_SRCS)))
FUZZ_SRCS := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SHARED_OBJS := $(patsubst %,$(BUILD)/tests/%.o,unit/recording_sink unit/btree_rows \
	$(addprefix fuzz/,small_recordings small_store damaged_store run_command))
# A library, so that a target has of ptool what it tests: libFuzzer's counters of the rest
# would cost it time with each input.
FUZZ_SHARED := $(BUILD)/fuzz/libshared.a
DRIVER := $(BUILD)/tests/fuzz/driver.o $(BUILD)/tests/fuzz/random_trace.o
BENCH := $(patsubst tests/%.c,$(BUILD)/tests/%.o,$(sort $(wildcard tests/bench/*.c)))
FUZZ := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(FUZZ_SRCS))
REPLAY := $(patsubst tests/fuzz/fuzz_%.c,$(BUILD)/fuzz/replay_%,$(FUZZ_SRCS))
TEST_OBJS := $(patsubst tests/%.c,$(BUILD)/tests/%.o,$(UNIT_SRCS) \
	$(wildcard tests/fuzz/*.c tests/bench/*.c tests/tools/*.c))
C_FILES := $(wildcard src/main.c) $(SRCS) $(UNIT_SRCS) $(sort $(wildcard tests/fuzz/*.c tests/bench/*.c tests/tools/*.c))
SCRIPTS := $(wildcard scripts/*.sh tests/bench/*.sh) tests/packages/run .ci/run
PAGES := $(sort $(wildcard man/*.[1-8]))
PAGES1 := $(filter %.1,$(PAGES))
PAGES5 := $(filter %.5,$(PAGES))
PAGES7 := $(filter %.7,$(PAGES))
COMPLETED = $(addprefix $(COMPLETIONS)/ptool.,bash zsh fish)
INSTALLED = $(BINDIR)/ptool $(PAGES1:man/%=$(MANDIR)/man1/%) $(PAGES5:man/%=$(MANDIR)/man5/%) \
	$(PAGES7:man/%=$(MANDIR)/man7/%) \
	$(DATADIR)/bash-completion/completions/ptool $(DATADIR)/zsh/site-functions/_ptool \
	$(DATADIR)/fish/vendor_completions.d/ptool.fish

# How: OWN_* are ours, CFLAGS, CPPFLAGS and LDFLAGS the packager's.  probe.mk adds
# what the compiler and the libraries of this machine need (scripts/probe.sh).
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes \
	-Wold-style-definition -Wmissing-prototypes -Wredundant-decls -Wvla -Wundef \
	-Wwrite-strings -Wcast-qual -Wpointer-arith -Wformat=2 -Wswitch-enum \
	-Wimplicit-fallthrough -Wnull-dereference -Wdouble-promotion -Wdate-time -Walloca \
	$(if $(DEV),-Werror)
SANITIZE = $(if $(SAN),-fsanitize=address$(COMMA)undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer) $(if $(TSAN),-fsanitize=thread -fno-omit-frame-pointer) \
	$(if $(FUZZING),-fsanitize=fuzzer-no-link)
# glibc's checks need optimization and get in the way of the sanitizers'.  ASan's and UBSan's
# records of places need 380,000 relocations in a program that can lie anywhere: 10 ms a start.
PIE = $(if $(SAN),no-)pie
HARDEN = -fstack-protector-strong -f$(PIE) $(if $(SAN)$(TSAN),,$(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),\
	-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
COMMA = ,
CPP_OWN = -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
	-DPTOOL_VERSION='"$(VERSION)"' -Isrc -I$(BUILD)/gen -include base/banned.h $(PKG_CFLAGS)
OWN_CFLAGS = $(CPP_OWN) $(WARN) $(TUNE) -fno-common -pthread $(HARDEN) $(SANITIZE) \
	-ffile-prefix-map=$(CURDIR)=. -MMD -MP
OWN_LDFLAGS = -pthread $(if $(STATIC),-static-pie -s,-$(PIE)) -Wl,-z,relro,-z,now $(SANITIZE)
LIBS = $(PKG_LIBS) -lm

# Where little time is spent and much code is: a packager may want it small.
COLD_CFLAGS ?=
# Not what reads traces or samples, nor most views that go through all slices.
HOT_READERS := $(patsubst %,src/ingest/%.c,arrow batch blocks chrome event event_known event_list facts \
	json json_text kineto kineto_args layout phase shapes unpadded)
COLD := $(filter $(patsubst %,src/%/%,cli screen remote report $(addprefix query/,advise calls comm compile \
	devices diff gate graphs kernels lines memory overview ranks roofline samples stats steps summary timeline top trend)),$(SRCS)) \
	$(filter-out $(patsubst %,src/trace/%.c,opname opstat optree),$(wildcard src/trace/*.c)) \
	$(patsubst %,src/base/%.c,bars demangle drawn_ascii ini machine python_repr regex units) \
	$(wildcard src/query/*.c) $(patsubst %,src/query/gaps/%.c,gap_cause gap_clocks gap_list gap_notes gap_profile \
	gap_ranks gap_root gap_stored gap_table) $(patsubst %,src/query/slices/%.c,event_rows slice_list slices_by_name) \
	$(filter-out $(HOT_READERS),$(wildcard src/ingest/*.c)) \
	$(wildcard $(patsubst %,src/store/%.c,annotation axes_find cache fleet health import* merge \
	merge_source merge_tables publish schema_check split split_workers sql steps store tree_*))
$(patsubst src/%.c,$(BUILD)/obj/%.o,$(COLD)): CFLAGS += $(COLD_CFLAGS)

Q = $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$(2)')
compile = $(CC) $(OWN_CFLAGS) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
link = $(CC) $(CFLAGS) $(OWN_LDFLAGS) $(LDFLAGS) -o $@
# Another make on all cores, unless this one was told how many to use.
SUBMAKE = $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

all: $(BUILD)/ptool $(COMPLETED)

# Goals that compile nothing themselves must work before the libraries are there.
NO_PROBE = demo check check-fast check-browser lint fuzz bench bench-compare coverage format uninstall dist clean \
	deb static wheel check-packages
ifneq ($(filter-out $(NO_PROBE),$(or $(MAKECMDGOALS),all)),)
include $(BUILD)/probe.mk
endif
# Asked every time, written only when the answer or the flags are new: then all is rebuilt.
$(BUILD)/probe.mk: FORCE
	@mkdir -p $(@D)
	@CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' STATIC='$(STATIC)' scripts/probe.sh $(PKGS) >$@.$$$$ && \
	echo '# $(subst ','\'',$(VERSION) $(CC) $(OWN_LDFLAGS) $(HARDEN) $(DEV) $(CPPFLAGS) $(CFLAGS) $(COLD_CFLAGS) $(LDFLAGS))' \
		>>$@.$$$$ && if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi || \
	{ rm -f $@.$$$$; false; }

$(BUILD)/libptool.a: $(OBJS)
$(FUZZ_SHARED): $(FUZZ_SHARED_OBJS)
$(BUILD)/libptool.a $(FUZZ_SHARED):
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
$(BUILD)/ptool: $(BUILD)/obj/main.o $(BUILD)/libptool.a
	$(call say,LINK,$@)
	$(Q)$(link) $^ $(LIBS)
# Asked every time, written only when it is new, as probe.mk is.
$(SOURCES): FORCE
	@mkdir -p $(@D)
	@cat $(SRCS) $(filter src/%,$(HEADERS)) $(ASSETS) | sha256sum | \
		sed 's/^\(.\{16\}\).*/#define PTOOL_SOURCES "\1"/' >$@.$$$$ && \
	if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi
$(COLUMNS): src/store/schema.sql scripts/columns.sh
	$(call say,COLUMNS,$<)
	@mkdir -p $(@D)
	$(Q)scripts/columns.sh $< >$@.new && mv $@.new $@
$(BUILD)/completions/ptool.%: $(BUILD)/ptool
	@mkdir -p $(@D)
	$(Q)$(RUN_PTOOL) help --$* >$@.new && mv $@.new $@
$(BUILD)/obj/%.o: src/%.c $(BUILD)/probe.mk | $(COLUMNS) $(SOURCES)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(compile)
$(BUILD)/gen/%.c: src/% scripts/embed.sh
	$(call say,EMBED,$<)
	@mkdir -p $(@D)
	$(Q)scripts/embed.sh $< asset_$(subst .,_,$(subst /,_,$*)) >$@.new && mv $@.new $@
$(BUILD)/gen/report/page.js: $(PAGE_JS)
$(BUILD)/gen/report/page.css: $(PAGE_CSS)
$(JOINED):
	@mkdir -p $(@D)
	$(Q)cat $^ >$@.new && mv $@.new $@
$(JOINED:=.hash): %.hash: % scripts/hash.sh
	$(Q)scripts/hash.sh $< >$@.new && mv $@.new $@
# The two take 160 KB as they are, and only a report needs them.
$(JOINED:=.gz): %.gz: %
	$(Q)gzip -9nc $< >$@.new && mv $@.new $@
$(JOINED:=.gz.c) $(JOINED:=.hash.c): %.c: % scripts/embed.sh
	$(Q)scripts/embed.sh $< asset_report_$(subst .,_,$(notdir $<)) >$@.new && mv $@.new $@
$(BUILD)/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/probe.mk
	$(Q)$(compile)
$(BUILD)/tests/%.o: tests/%.c $(BUILD)/probe.mk | $(COLUMNS) $(SOURCES)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(compile)
$(BUILD)/unit/%: $(BUILD)/tests/unit/%.o $(UNIT_SHARED) $(BUILD)/libptool.a
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(link) $^ -lcmocka -larchive $(LIBS)
$(BUILD)/tools/%: $(BUILD)/tests/tools/%.o $(BUILD)/libptool.a
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(link) $^ $(LIBS)
$(BUILD)/tests/valgrind/mremap.so: tests/valgrind/mremap.c
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 -shared -fPIC -o $@ $<
$(BUILD)/fuzz/replay_%: $(BUILD)/tests/fuzz/fuzz_%.o $(DRIVER) $(FUZZ_SHARED) $(BUILD)/libptool.a
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(link) $^ $(LIBS)
$(BUILD)/fuzz/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(FUZZ_SHARED) $(BUILD)/libptool.a
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(link) -fsanitize=fuzzer $^ $(LIBS)

demo:
	@DEPS='$(DEPS)' scripts/deps.sh build
	@$(SUBMAKE) $(BUILD)/ptool
	@scripts/demo.sh $(BUILD)/ptool

check:
	@DEPS='$(DEPS)' scripts/deps.sh build test $(if $(VALGRIND),valgrind)
	@$(SUBMAKE) $(if $(TSAN),threaded,everything) $(if $(VALGRIND),$(BUILD)/tests/valgrind/mremap.so)
	@SAN='$(SAN)' TSAN='$(TSAN)' VALGRIND='$(VALGRIND)' UPDATE='$(UPDATE)' FAST='$(FAST)' LONG='$(LONG)' ONLY='$(ONLY)' \
		tests/run $(BUILD)
check-fast:
	@$(MAKE) --no-print-directory check FAST=1
# The page of ptool report, in Chromium.
check-browser:
	@DEPS='$(DEPS)' scripts/deps.sh build test browser
	@$(SUBMAKE) $(BUILD)/ptool
	@BROWSER=1 tests/run $(BUILD)
objects: $(BUILD)/ptool $(TEST_OBJS)
threaded: $(BUILD)/ptool $(TOOLS) $(THREADED)
everything: $(BUILD)/ptool $(COMPLETED) $(UNIT) $(TOOLS) $(REPLAY) $(BENCH)

# Fuzz each target for TIME seconds.
fuzz:
	@DEPS='$(DEPS)' scripts/deps.sh build fuzz
	@$(SUBMAKE) BUILD=$(BUILD)-fuzz CC=clang CFLAGS='-O1 -g' SAN=1 FUZZING=1 fuzz-targets
	@scripts/fuzz.sh $(BUILD)-fuzz $(TIME)
fuzz-targets: $(FUZZ)

bench:
	@DEPS='$(DEPS)' scripts/deps.sh build bench
	@$(SUBMAKE) $(BUILD)/ptool $(BUILD)/tools/diff_power
	@CC='$(CC)' tests/bench/bench.py $(BUILD)/ptool $(BUILD)/bench
	@$(BUILD)/tools/diff_power
	@tests/bench/gates.py $(BUILD)/ptool $(BUILD)/bench
	@[ -z "$$(command -v chromedriver)" ] || \
		tests/bench/page.py $(BUILD)/ptool $$(ls $(BUILD)/bench/gpu-*.json $(BUILD)/bench/recorded-*.json 2>/dev/null)

# The working tree beside the commit REV: BENCH_BYTES, BENCH_KINDS, BENCH_PAIRS.
bench-compare:
	@[ -n '$(REV)' ] || { echo 'usage: make bench-compare REV=COMMIT' >&2; exit 2; }
	@DEPS='$(DEPS)' scripts/deps.sh build bench valgrind
	@$(SUBMAKE) $(BUILD)/ptool
	@CC='$(CC)' CFLAGS='$(CFLAGS)' tests/bench/compare.py '$(REV)' $(BUILD)/ptool $(BUILD)/bench

coverage:
	@DEPS='$(DEPS)' scripts/deps.sh build test coverage
	@$(SUBMAKE) BUILD=$(BUILD)-cov CFLAGS='-O0 -g --coverage' everything
	@find $(BUILD)-cov -name '*.gcda' -delete
	@tests/run $(BUILD)-cov
	@gcovr -r . --object-directory $(BUILD)-cov -f src/ --txt - --html-details $(BUILD)-cov/coverage.html

lint:
	@DEPS='$(DEPS)' scripts/deps.sh build test lint
	@$(SUBMAKE) BUILD=$(BUILD)-gcc CC=gcc DEV=1 objects
	@$(SUBMAKE) -k BUILD=$(BUILD)-clang CC=clang lint-format lint-layers lint-tidy lint-cppcheck \
		lint-scripts lint-assets lint-man
	@scripts/check-docs.sh $(BUILD)-gcc/ptool
	@echo 'lint: nothing to complain about'
lint-format:
	$(call say,FORMAT)
	@bad=; for f in $(C_FILES) $(HEADERS); do $(CLANG_FORMAT) "$$f" | \
	diff -u --label "$$f" --label "$$f, formatted" "$$f" - || bad=1; done; [ -z "$$bad" ]
lint-layers:
	$(call say,LAYERS)
	@CC='$(CC)' scripts/check-layers.sh $(CPP_OWN)
# clang's warnings too.  Slow, so each file has a stamp and is checked again only after
# a change, and the analyzer gives a function up after so many states (one in seven of
# its own limit, a sixth of the time) unless DEEP=1.
TIDY_STATES = $(if $(DEEP),,-Xclang -analyzer-config -Xclang max-nodes=30000)
lint-tidy: $(C_FILES:%.c=$(BUILD)/tidy/%.ok)
$(BUILD)/tidy/%.ok: %.c $(HEADERS) $(COLUMNS) .clang-tidy $(BUILD)/probe.mk | $(SOURCES)
	$(call say,TIDY,$<)
	@mkdir -p $(@D)
	@$(CLANG_TIDY) --quiet $< -- $(CPP_OWN) $(WARN) $(TIDY_STATES) >$@.log 2>&1 || { cat $@.log; false; }
	@touch $@
lint-cppcheck: $(COLUMNS) $(SOURCES)
	$(call say,CPPCHECK)
	@cppcheck -q --std=c11 --enable=warning,performance,portability --error-exitcode=1 \
		--inline-suppr --suppress=missingIncludeSystem -Isrc -I$(BUILD)/gen $(C_FILES)
lint-scripts:
	$(call say,SHELL)
	@shellcheck $(SCRIPTS)
lint-assets:
	$(call say,ASSETS)
	@scripts/check-assets.sh
lint-man:
	$(call say,MANDOC)
	@$(if $(PAGES),mandoc -T lint -W warning $(PAGES))

format:
	$(CLANG_FORMAT) -i $(C_FILES) $(HEADERS)

# Runs nothing that was built.
install: $(BUILD)/ptool $(COMPLETED)
	$(INSTALL) -d $(sort $(dir $(INSTALLED:%=$(DESTDIR)%)))
	$(INSTALL) -m 755 $(BUILD)/ptool $(DESTDIR)$(BINDIR)/ptool
	$(if $(PAGES1),$(INSTALL) -m 644 $(PAGES1) $(DESTDIR)$(MANDIR)/man1)
	$(if $(PAGES5),$(INSTALL) -m 644 $(PAGES5) $(DESTDIR)$(MANDIR)/man5)
	$(if $(PAGES7),$(INSTALL) -m 644 $(PAGES7) $(DESTDIR)$(MANDIR)/man7)
	$(INSTALL) -m 644 $(COMPLETIONS)/ptool.bash $(DESTDIR)$(DATADIR)/bash-completion/completions/ptool
	$(INSTALL) -m 644 $(COMPLETIONS)/ptool.zsh $(DESTDIR)$(DATADIR)/zsh/site-functions/_ptool
	$(INSTALL) -m 644 $(COMPLETIONS)/ptool.fish $(DESTDIR)$(DATADIR)/fish/vendor_completions.d/ptool.fish
uninstall:
	rm -f $(INSTALLED:%=$(DESTDIR)%)

# The same bytes for the same commit, wherever and whenever.
dist:
	git -c tar.umask=0022 archive --format=tar --prefix=ptool-$(VERSION)/ HEAD | \
		gzip -9n >ptool-$(VERSION).tar.gz
# In a copy, as dpkg-buildpackage writes into the folder above.
deb:
	@DEPS='$(DEPS)' scripts/deps.sh $(if $(ARCH),,build) deb
	rm -rf $(BUILD)/deb && mkdir -p $(BUILD)/deb/ptool-$(VERSION)
	tar -c --exclude='./build*' --exclude=./.git . | tar -x -C $(BUILD)/deb/ptool-$(VERSION)
	cd $(BUILD)/deb/ptool-$(VERSION) && dpkg-buildpackage -us -uc -b -j$(shell nproc) $(if $(ARCH),-a$(ARCH))
	rm -rf $(BUILD)/deb/ptool-$(VERSION)
static:
	@DEPS='$(DEPS)' scripts/deps.sh build static
	@$(SUBMAKE) STATIC=1 BUILD=build-static-$(MACHINE) build-static-$(MACHINE)/ptool
wheel: static
	python3 scripts/wheel.py $(VERSION) $(MACHINE) build-static-$(MACHINE)/ptool build-static-$(MACHINE)
check-packages:
	@tests/packages/run $(PARTS)
clean:
	rm -rf build build-* $(BUILD) $(BUILD)-*

.PHONY: all demo check check-fast check-browser everything objects threaded fuzz fuzz-targets bench bench-compare coverage lint \
	lint-format lint-layers \
	lint-tidy lint-cppcheck lint-scripts lint-assets lint-man format install uninstall dist deb static \
	wheel check-packages clean FORCE
.DELETE_ON_ERROR:
# Keep the objects between a test's source and its program.
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
