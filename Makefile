# Petrel: one Makefile, not recursive. `make help` lists the targets.
#
# CFLAGS and LDFLAGS are the builder's; what the code needs to compile at all
# stands apart, so `make CFLAGS=-O0` drops nothing.

prefix     ?= /usr
sysconfdir ?= /etc
mandir     ?= $(prefix)/share/man
CC         ?= cc
CLANG      ?= clang
CFLAGS     ?= -O2 -g
SHELL      := /bin/bash

# V=1 shows the commands whole.
say = $(if $(V),,@echo "  $@";)

VERSION := 0.2.0
# SANITIZE=1 builds into a folder of its own, as B=build/other does.
B := build$(if $(SANITIZE),/sanitize)
# Programs stand in B itself, objects in B/obj, what is generated in B/gen.

warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef -Wvla \
	-Wformat=2 -Wold-style-definition \
	-Wno-missing-field-initializers $(if $(STRICT),-Werror)
hardening := -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE \
	-fcf-protection -fstack-clash-protection
# What nobody calls is left out, as are tables for unwinding C++ exceptions.
# SMALL=1, the package's: all that is off a sample's way is built for size.
sections := -ffunction-sections -fdata-sections \
	-fno-asynchronous-unwind-tables -fno-unwind-tables
hot := $(addprefix agent/,sample/sampler base/cursor base/ring state/slots \
	state/state state/port_reading record/% signature/ask signature/ber \
	signature/engine signature/front)
small = $(if $(SMALL),$(if $(filter $(hot),$*),,-Oz))
brisk = $(if $(filter tests/unit/% tests/contract/%,$*),$(BRISK)) # of tests
ldhard := -pie -Wl,-z,relro -Wl,-z,now -Wl,--as-needed -Wl,--gc-sections
ifneq ($(SANITIZE)$(FUZZ),)
hardening := -fPIE -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
ldhard := -pie -fsanitize=address,undefined
endif
# For fuzz targets; SWIFT=1 traces no comparisons: in a third of the time.
ifneq ($(FUZZ),)
CC := $(CLANG)
CFLAGS := -g1 $(if $(SWIFT),-O2 -fno-sanitize-coverage=trace-cmp,-O1)
hardening += -fsanitize=fuzzer-no-link
warnings += -Wno-missing-prototypes
ldhard += -fsanitize=fuzzer
endif
language := -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Iinclude -I. \
	-I$(B)/gen -DPETREL_VERSION='"$(VERSION)"'
need_cflags = $(language) $(warnings) $(hardening) $(sections) $(pkg_cflags)

# --- libraries, by pkg-config -------------------------------------------------
pkgs := libdeflate libprotobuf-c json-c libnl-genl-3.0 libnl-route-3.0 \
	hiredis yaml-0.1 libcap-ng libseccomp nanomsg sqlite3 libsodium libcurl

# Asked by a recipe, not when this file is read: `make run` may only just have
# installed it. The compiler's flags are asked for once.
lacks = $(error $(1) is missing; `make deps` installs what Petrel needs)
pkg = $(strip $(shell pkg-config $(1))$(if $(filter-out 0,$(.SHELLSTATUS)),\
	$(call lacks,a library)))
protoc_c = $(or $(shell command -v protoc-c),$(call lacks,protoc-c))
pkg_cflags = $(eval \
	pkg_cflags := $$(call pkg,--cflags $(pkgs)))$(pkg_cflags)
code_libs = $(eval code_libs := $$(call pkg,--libs $(pkgs)) -lsensors -lm \
	-lsnappy -pthread)$(code_libs)
test_libs = $(code_libs) -lcmocka

# --- what a fresh Debian 12 lacks ---------------------------------------------
deps_build := gcc libc6-dev $(shell sed -n '/^Build-Depends:/,/^Standards/ \
	s/^ \([a-z0-9-]*\),*$$/\1/p' packaging/debian/control)
deps_test := $(shell sed 's/\#.*//' tests/support/packages)

# --- sources ------------------------------------------------------------------
# All code but the programs' main()s is one archive; a program, and a test, is
# linked with what it calls of it, and with no library that it does not call.
in = $(sort $(foreach d,$(1),$(wildcard $(d)/*.c)))

base     := $(call in,agent/base)
gen_src  := $(addprefix $(B)/gen/,record.pb-c.c local.pb-c.c)
gen_hdr  := $(gen_src:.c=.h)
mains := $(addprefix agent/,main.c ctl/main.c collect/main.c)
code := $(filter-out $(mains),$(call in,$(wildcard agent/*) platform \
	$(filter-out platform/vswitch,$(wildcard platform/*)) \
	$(wildcard platform/sonic/*))) $(gen_src)

# The plant's physics, and not the sim driver; nothing of platform/sonic.
eeprom_src := $(wildcard platform/sim/eeprom*.c)
plant_src := $(filter-out $(eeprom_src) $(addprefix platform/sim/,dom.c \
	published.c sim.c sim_clock.c sim_publish.c),$(call in,platform/sim)) \
	$(addprefix agent/base/,number.c diag.c clean.c names.c)
vswitch_src := $(call in,platform/vswitch) $(plant_src) $(eeprom_src) \
	platform/sim/published.c platform/sonic/redis/resp.c \
	$(addprefix agent/base/,clock.c log.c loop.c)
product_src := $(sort $(mains) $(filter-out $(gen_src),$(code)) $(vswitch_src))

programs := petreld petrel petrel-collector petrel-vswitch
obj = $(patsubst %.c,$(B)/obj/%.o,$(patsubst $(B)/%,%,$(1)))

.PHONY: all help deps deps-build deps-test run test bench bench_programs \
	fuzz fuzz_programs campaign score soak style deb install clean unit \
	helpers tidy analyzed unfuzzed_objects cppcheck golden manuals
.DELETE_ON_ERROR:
.SECONDARY:

all: $(programs:%=$(B)/%) ## petreld petrel petrel-collector petrel-vswitch

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

$(B)/petreld: $(call obj,agent/main.c)
$(B)/petrel: $(call obj,agent/ctl/main.c)
$(B)/petrel-collector: $(call obj,agent/collect/main.c)
$(filter-out %-vswitch,$(programs:%=$(B)/%)): $(B)/code.a
$(B)/petrel-vswitch: $(call obj,$(vswitch_src))
$(programs:%=$(B)/%):
	$(say)$(CC) $(ldhard) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(code_libs)

# What petrel runs; it looks beside itself first.
$(B)/petrel: | $(B)/bugreport
$(B)/bugreport: packaging/lib/bugreport
	$(say)install -m 755 $< $@

$(B)/code.a: $(call obj,$(code))
	$(say)rm -f $@ && ar rcsT $@ $^

$(B)/gen/%.pb-c.c $(B)/gen/%.pb-c.h: include/petrel/%.proto
	@mkdir -p $(@D)
	$(say)$(protoc_c) --proto_path=include/petrel --c_out=$(@D) $<

# ANALYZE=1, the tests': gcc's analyzer reads what it compiles; where it finds
# fault, the object is made without it and without an .ok: `analyzed` tells.
quiet = $(if $(filter gen/%,$*),-Wno-cast-qual -Wno-undef)
compile = $(CC) $(need_cflags) $(quiet) $(CFLAGS) $(small) $(brisk) -c
analyze = -Werror $(if $(quiet),,-fanalyzer -Wno-analyzer-malloc-leak)
define object
@mkdir -p $(@D)
$(say)$(if $(ANALYZE),$(if $(filter $(analyzed),$@),$(compile) $(analyze) \
	-MMD -MP -o $@ $< && touch $(@:o=ok) ||)) $(compile) -MMD -MP -o $@ $<
endef
$(B)/obj/%.o: $(B)/%.c; $(object)
$(B)/obj/%.o: %.c | $(gen_hdr); $(object)
$(B)/obj/%.ok: $(B)/obj/%.o
	$(say)$(compile) $(analyze) -o $@ $(wildcard $*.c $(B)/$*.c)
-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

# --- tests, benches, fuzz targets: a source each, a program each --------------
# alone_X is what X is linked with instead of the archive, where that proves
# that a module needs no more, or that a plant not in the tree is not missed.
alone_programs := feeder kill_at_call plant_trace eeprom_make without_call \
	loss_trials arl_trials cliff_trials
shared := $(filter-out $(patsubst %,tests/support/%.c,$(alone_programs) \
	swss_events fast_clock bad_disk example_driver), \
	$(call in,tests/support)) tests/contract/contract_run.c

signature_code := $(base) $(call in,agent/signature)
plant_code = $(wildcard tests/judge/plant_$(1).c tests/judge/$(1)_*.c)
judge_programs := score soak
judge_code := $(filter-out $(judge_programs:%=tests/judge/%.c) \
	tests/judge/%_dump.c,$(call in,tests/judge)) $(signature_code) \
	$(addprefix platform/sim/,codewords.c draw.c)

$(foreach t,$(addprefix test_,scenario plant coherent plant_cost physics) \
	plant_trace,$(eval alone_$(t) := $(plant_src) tests/support/measure.c))
$(foreach t,test_eeprom eeprom_make,\
	$(eval alone_$(t) := $(eeprom_src) $(plant_src)))
alone_without_call := tests/support/without_call.c
$(foreach t,text rows control,$(eval alone_test_vswitch_$(t) := \
	$(filter-out platform/vswitch/main.c,$(vswitch_src))))
alone_test_module_decode := tests/support/module_twin.c \
	$(call in,platform/module) $(addprefix agent/base/,names.c quantity.c \
	entity.c number.c diag.c clean.c cursor.c)
alone_test_engine := $(signature_code) tests/support/port_play.c
alone_test_plant_a := $(call plant_code,a) $(addprefix platform/sim/, \
	codewords.c draw.c) $(addprefix agent/base/,finding.c cause.c names.c)
alone_test_plant_b := $(call plant_code,b) tests/support/world_span.c
alone_test_plant_b_truth := $(alone_test_plant_b)
$(foreach p,c d e f g,$(eval alone_test_plant_$p := $(call plant_code,$p) \
	$(if $(filter-out c f g,$p),platform/sim/draw.c)))
alone_plant_b_dump := $(call plant_code,b) agent/base/number.c
$(foreach t,test_judge test_judge_rules test_restart $(judge_programs), \
	$(eval alone_$(t) := $(judge_code)))

$(B)/tests/shared.a: $(call obj,$(shared))
	@mkdir -p $(@D)
	$(say)rm -f $@ && ar rcsT $@ $^

# Below B/tests, and the source below tests where it is called otherwise.
define linked
$(B)/tests/$(1): $$(call obj,$$(sort tests/$(or $(2),$(1)).c \
		$$(alone_$(notdir $(1))))) \
		$$(if $$(alone_$(notdir $(1))),,$$(B)/tests/shared.a \
		$$(B)/code.a)
	@mkdir -p $$(@D)
	$$(say)$$(CC) $$(ldhard) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$(test_libs)
endef
programs_in = $(patsubst tests/%.c,%,$(wildcard tests/$(1)_*.c))
benches := $(call programs_in,bench/bench)
unit_programs := $(call programs_in,unit/test) \
	$(call programs_in,contract/test) contract/contract_driver \
	$(addprefix judge/,plant_b_dump $(judge_programs)) \
	$(addprefix support/,$(alone_programs))
$(foreach t,$(unit_programs) $(benches),$(eval $(call linked,$(t))))
$(eval $(call linked,driver_dump,contract/driver_dump))
$(eval $(call linked,fetch_sonic,bench/fetch_sonic))

# A stand-in for SONiC's own library; clocks that run faster; others' driver.
preloaded := $(addprefix $(B)/tests/support/,libswsscommon.so.0 fast_clock.so \
	bad_disk.so example.so)
$(B)/tests/support/libswsscommon.so.0: tests/support/swss_events.c
$(addprefix $(B)/tests/support/,fast_clock.so bad_disk.so): $(B)/%.so: %.c
$(B)/tests/support/example.so: tests/support/example_driver.c
$(preloaded):
	@mkdir -p $(@D)
	$(say)$(CC) -D_GNU_SOURCE -Iinclude $(warnings) -shared -fPIC \
		$(CFLAGS) $(LDFLAGS) -o $@ $<

helpers: $(addprefix $(B)/tests/,$(filter-out unit/%,$(unit_programs)) \
	driver_dump fetch_sonic) $(preloaded)	# what scripts run
unit: helpers $(unit_programs:%=$(B)/tests/%)
bench_programs: $(benches:%=$(B)/tests/%) $(B)/tests/fetch_sonic

FUZZ_SECONDS ?= 60
fuzz_targets := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/*.c))
fuzz_programs:
	+@$(MAKE) --no-print-directory FUZZ=1 STRICT=1 B=$(B)/fuzz \
		$(fuzz_targets:%=$(B)/fuzz/fuzz_%)

$(B)/fuzz_%: $(B)/obj/tests/fuzz/fuzz_%.o $(B)/tests/shared.a $(B)/code.a
	$(say)$(CC) $(ldhard) $(CFLAGS) -o $@ $^ $(test_libs)

fuzz: fuzz_programs ## each parser of foreign bytes, FUZZ_SECONDS=60 each
	@tests/support/fuzz $(B)/fuzz $(FUZZ_SECONDS) $(sort $(fuzz_targets))

# --- set-up, then the work ----------------------------------------------------
# run, test, bench and campaign install what is missing, then call make once
# more, so that the build follows the set-up whatever -j says.
again = $(MAKE) --no-print-directory \
	$(if $(filter -j%,$(MAKEFLAGS)),,-j$$(nproc))

deps: deps-build deps-test ## what run and test install: Debian packages
deps-build:
	@tests/support/deps build/deps-build $(deps_build)
deps-test: deps-build
	@tests/support/deps build/deps-test $(deps_test)

run: deps-build ## the agent on a simulated switch, with its collector
	@$(again) all
	@tests/support/demo

test: deps-test ## tests; GROUPS="unit style" some; T=PATTERN by name
	@tests/support/run_tests $(GROUPS) $(T:%=--only '%')

campaign: deps-test ## the long tests; C=PATTERN some of them
	@$(again) all unit bench_programs
	@tests/support/run_campaign $(C)

bench: deps-test ## the figures of the design, measured
	@$(again) all bench_programs
	@tests/support/run_bench $(benches:%=$(B)/tests/%)

# Seeds come from the revision, so that nobody picks them.
head = $(or $(shell git rev-parse HEAD 2>/dev/null),00000001)
score: deps-test ## faults found, named, foretold; SCORE="--seeds 8"
	@$(again) $(B)/tests/judge/score
	@$(B)/tests/judge/score --head $(head) --seed-from $(head) \
		--log tests/judge/score.log $(SCORE)

# Healthy switches for so many port-years; SOAK="--hard" and the like.
SOAK_YEARS ?= 300
soak: deps-test ## findings on healthy switches; SOAK_YEARS=300
	@$(again) $(B)/tests/judge/soak
	@$(B)/tests/judge/soak --head $(head) --seed-from $(head) \
		--years $(SOAK_YEARS) $(SOAK)

style: ## the figures and rules of the house style
	@tests/style/check

# What gcc's analyzer passes, and the objects that no fuzz target has compiled.
analyzed := $(if $(SANITIZE)$(FUZZ),,$(call obj,$(product_src) $(gen_src)))
analyzed: $(analyzed:o=ok)
unfuzzed_objects: $(call obj,$(filter-out $(code) $(shared),$(product_src) \
	$(unit_programs:%=tests/%.c) $(call in,tests/contract tests/judge)))

cppcheck:
	@mkdir -p $(B)/cpp
	$(say)cppcheck -q -j2 --std=c11 --error-exitcode=1 --inline-suppr \
		--enable=warning,performance,portability --library=posix,gnu \
		--include=$(lastword $(wildcard /usr/include/*/sys/queue.h)) \
		--cppcheck-build-dir=$(B)/cpp $(filter -D% -I%,$(language)) \
		--suppressions-list=tests/style/cppcheck $(product_src)

# After its object and so after each header it includes. clang's analyzer gives
# a function up after so many states; tests/campaign/analyze has its own bound.
TIDY_STATES ?= 15000
tidy_done = $(B)/tidy-$(TIDY_STATES)
tidy: $(patsubst %.c,$(tidy_done)/%.ok,$(product_src))

$(tidy_done)/%.ok: $(B)/obj/%.o .clang-tidy
	@mkdir -p $(@D)
	$(say)clang-tidy --quiet $*.c -- $(language) $(pkg_cflags) \
		-Xclang -analyzer-config -Xclang max-nodes=$(TIDY_STATES)
	@touch $@

# Appends the rows of new quantities to the list that pins them (C1).
golden: $(B)/tests/unit/test_quantity
	$< --golden tests/data/quantity.golden

# Writes the tables that the code prints into the manual pages.
manuals: $(addprefix $(B)/tests/unit/test_,manual json_manual registers words \
	metrics_manual)
	tests/support/print_manuals $(B)

# --- install ------------------------------------------------------------------
# Files, their mode, and the folder below DESTDIR; not what only whoever builds
# the container's image needs.
image_only := $(addprefix packaging/sonic/,Dockerfile supervisord.conf \
	rsyslog.conf critical_processes)
put = for file in $(1); do install -D -m $(strip $(2)) $$file \
	$(DESTDIR)$(strip $(3))/$$(basename $$file) || exit 1; done
units := $(wildcard packaging/systemd/*.service)
as_it_is = $$(test -x $$file && echo 755 || echo 644)

install: all ## below DESTDIR, with prefix and sysconfdir
	$(call put,$(B)/petreld $(B)/petrel-collector,755,$(prefix)/sbin)
	$(call put,$(B)/petrel $(B)/petrel-vswitch,755,$(prefix)/bin)
	$(call put,$(wildcard packaging/lib/*),755,$(prefix)/lib/petrel)
	$(foreach n,1 5 7 8,$(call put,$(wildcard packaging/man/*.$(n)),644,\
		$(mandir)/man$(n)) &&) true
	$(call put,$(wildcard packaging/etc/*.conf),644,$(sysconfdir)/petrel)
	$(call put,$(units),644,/lib/systemd/system)
	sed -i 's,=/usr/\(s\?bin\|lib\)/,=$(prefix)/\1/,' \
		$(units:packaging/systemd/%=$(DESTDIR)/lib/systemd/system/%)
	$(call put,$(wildcard packaging/systemd/*.conf),644,\
		$(prefix)/share/petrel/systemd)
	$(call put,$(filter-out $(image_only),$(wildcard packaging/sonic/*)),\
		$(as_it_is),$(prefix)/share/petrel/sonic)
	$(foreach d,grafana prometheus,$(call put,$(wildcard packaging/$d/*),\
		644,$(prefix)/share/petrel/$d) &&) true
	$(call put,$(wildcard packaging/completion/*),644,\
		$(prefix)/share/bash-completion/completions)

deb: ## Debian packages, in build/deb; DEB_VERSION of a rebuild
	@tests/support/build_deb $(or $(DEB_VERSION),$(VERSION))

clean: ## rm -r build
	rm -rf build
