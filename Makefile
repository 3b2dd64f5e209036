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
SANITIZE ?=
STRICT  ?=

# SANITIZE=1 builds into a folder of its own; so does B=build/other.
B := build$(if $(SANITIZE),/sanitize)
# Programs stand directly below build/; objects in B/obj.

, := ,
warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef -Wvla \
	-Wformat=2 -Wold-style-definition \
	-Wno-missing-field-initializers $(if $(STRICT),-Werror)
hardening := -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE \
	-fcf-protection -fstack-clash-protection
# What nobody calls is left out, and no tables for unwinding C++ exceptions
# are loaded: the package is small. SMALL=1 makes it smaller still: all that is
# not on the way of a sample is built for size.
sections := -ffunction-sections -fdata-sections \
	-fno-asynchronous-unwind-tables -fno-unwind-tables
SMALL ?=
hot := agent/record/% agent/sample/% agent/signature/% agent/state/% \
	agent/base/cursor agent/base/number agent/base/ring%
cold := $(addprefix agent/,record/json record/dictionary record/capped \
	state/inventory state/history state/series base/ring_file \
	base/ring_set)
small = $(if $(SMALL),$(if $(filter-out $(cold),$(filter $(hot),$*)),,-Oz))
ifneq ($(SANITIZE),)
hardening := -fPIE -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
endif
ldhard := -pie $(if $(SANITIZE),-fsanitize=address$(,)undefined,\
	-Wl$(,)-z$(,)relro -Wl$(,)-z$(,)now -Wl$(,)--as-needed \
	-Wl$(,)--gc-sections)
language := -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Iinclude -I. \
	-I$(B)/gen -DPETREL_VERSION='"$(VERSION)"'
need_cflags = $(language) $(warnings) $(hardening) $(sections) \
	$(pkg_cflags)

# --- libraries, by pkg-config -------------------------------------------------
pkgs_base := zlib
pkgs_record := libprotobuf-c json-c
pkgs_platform := libnl-3.0 libnl-genl-3.0 libnl-route-3.0 hiredis json-c \
	yaml-0.1
pkgs_process := libcap-ng libseccomp
pkgs_push := nanomsg
pkgs_collect := sqlite3
pkgs_test := cmocka
pkgs_code := $(sort $(pkgs_base) $(pkgs_record) $(pkgs_platform) \
	$(pkgs_process) $(pkgs_push) $(pkgs_collect))
pkgs_all := $(pkgs_code) $(pkgs_test)
sensors_libs := -lsensors

# Asked by a recipe, not when this file is read: `make run` may only just have
# installed it. The compiler's flags are asked for once.
lacks = $(error $(1) is missing; `make deps` installs what Petrel needs)
pkg = $(strip $(shell pkg-config $(1))$(if $(filter-out 0,$(.SHELLSTATUS)),\
	$(call lacks,a library)))
protoc_c = $(or $(shell command -v protoc-c),$(call lacks,protoc-c))
pkg_cflags = $(eval \
	pkg_cflags := $$(call pkg,--cflags $(pkgs_code)))$(pkg_cflags)
libs_of = $(call pkg,--libs $(1))
test_libs = $(eval test_libs := $$(call libs_of,$(pkgs_all)) \
	$(sensors_libs) -lm -pthread)$(test_libs)

# --- what a fresh Debian 12 lacks ---------------------------------------------
deps_build := gcc libc6-dev pkg-config protobuf-c-compiler libprotobuf-c-dev \
	zlib1g-dev libjson-c-dev libnl-3-dev libnl-genl-3-dev \
	libnl-route-3-dev libhiredis-dev libcap-ng-dev libnanomsg-dev \
	libsqlite3-dev libsensors-dev libyaml-dev libseccomp-dev
deps_test := libcmocka-dev python3 redis-server iproute2 ethtool strace \
	valgrind libc6-dbg clang clang-tidy libclang-rt-dev cppcheck \
	universal-ctags mandoc build-essential debhelper dpkg-dev lintian \
	libyang2-tools python3-click jq systemd-container debootstrap runc \
	golang-github-containers-common

# --- sources, by program ------------------------------------------------------
# A folder is a stage; a program is made of stages.
in = $(sort $(foreach d,$(1),$(wildcard $(d)/*.c)))

base     := $(call in,agent/base)
diag     := agent/base/diag.c agent/base/clean.c
config   := $(call in,agent/config)
record   := $(call in,agent/record)
platform := $(call in,platform platform/linux platform/sonic platform/module \
	platform/bus platform/sim)
protos   := record local
gen_src  := $(protos:%=$(B)/gen/%.pb-c.c)
gen_hdr  := $(protos:%=$(B)/gen/%.pb-c.h)

petreld_src := agent/main.c $(base) $(config) $(record) $(platform) \
	$(call in,agent/process agent/sample agent/state agent/signature \
	agent/spool agent/push agent/query) $(gen_src)
petreld_libs = $(call libs_of,$(pkgs_base) $(pkgs_record) $(pkgs_platform) \
	$(pkgs_process) $(pkgs_push)) $(sensors_libs) -lm -pthread

# petrel makes the agent's own answers from the rings when the agent is down:
# hence the state, and all of query but the verbs of a living agent alone.
petrel_src := $(base) $(config) $(record) $(call in,platform/module) \
	$(call in,agent/ctl agent/signature agent/state) \
	$(filter-out $(addprefix agent/query/,verbs.c verbs_status.c \
	shapes.c),$(call in,agent/query)) agent/process/control.c $(gen_src)
petrel_libs = $(call libs_of,$(pkgs_base) $(pkgs_record)) -lm

petrel-collector_src := $(base) $(config) $(record) \
	$(call in,agent/collect) agent/push/transport.c $(gen_src)
petrel-collector_libs = $(call libs_of,$(pkgs_base) $(pkgs_record) \
	$(pkgs_push) $(pkgs_collect)) -lm -pthread

# The plant's physics, and not the sim driver; nothing of platform/sonic.
plant_src := $(addprefix platform/sim/,cage.c counters.c draw.c eye.c faults.c \
	coherent.c fec.c measure.c media.c optics.c plant.c plant_file.c \
	scenario.c \
	scenario_keys.c stress.c thermal.c traffic.c values.c where.c \
	words.c) \
	$(addprefix agent/base/,number.c diag.c clean.c nearest.c)
eeprom_src := $(addprefix platform/sim/,eeprom.c eeprom_page.c eeprom_cmis.c \
	eeprom_coherent.c eeprom_sff8636.c eeprom_sff8472.c eeprom_plant.c)
petrel-vswitch_src := $(call in,platform/vswitch) $(plant_src) $(eeprom_src) \
	$(addprefix agent/base/,clock.c log.c loop.c)
petrel-vswitch_libs = $(call libs_of,hiredis) -lm

programs := petreld petrel petrel-collector petrel-vswitch

obj = $(patsubst %.c,$(B)/obj/%.o,$(patsubst $(B)/%,%,$(1)))
# Generated sources live below B/gen, their objects below B/obj/gen.

.PHONY: all help deps deps-build deps-test run test bench bench_programs \
	fuzz fuzz_programs campaign score soak style deb install clean unit \
	tidy objects cppcheck
.PHONY: golden manuals
.DELETE_ON_ERROR:
.SECONDARY:

all: $(programs:%=$(B)/%)

help:
	@echo 'all        petreld petrel petrel-collector petrel-vswitch'
	@echo 'run        the agent on a simulated switch, with its collector'
	@echo 'test       tests; GROUPS="unit style" some; T=PATTERN by name'
	@echo 'style      the figures and rules of the house style'
	@echo 'fuzz       each parser of foreign bytes, FUZZ_SECONDS=60 each'
	@echo 'campaign   the long tests; C=PATTERN some of them'
	@echo 'score      faults found, named, foretold; SCORE="--seeds 8"'
	@echo 'soak       findings on healthy switches; SOAK_YEARS=300'
	@echo 'bench      the figures of the design, measured'
	@echo 'deb        Debian packages, in build/deb'
	@echo 'install    below DESTDIR, with prefix and sysconfdir'
	@echo 'deps       what run and test install: Debian packages'
	@echo 'clean      rm -r build'

define program_rule
$(B)/$(1): $$(call obj,$$($(1)_src))
	$$(say)$$(CC) $$(ldhard) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$($(1)_libs)
endef
$(foreach p,$(programs),$(eval $(call program_rule,$(p))))

$(B)/gen/%.pb-c.c $(B)/gen/%.pb-c.h: include/petrel/%.proto
	@mkdir -p $(@D)
	$(say)$(protoc_c) --proto_path=include/petrel --c_out=$(@D) $<

$(B)/obj/gen/%.o: $(B)/gen/%.c
	@mkdir -p $(@D)
	$(say)$(CC) $(filter-out -Wcast-qual -Wundef,$(need_cflags)) \
		$(filter-out -fanalyzer,$(CFLAGS)) -MMD -MP -c -o $@ $<

$(B)/obj/%.o: %.c | $(gen_hdr)
	@mkdir -p $(@D)
	$(say)$(CC) $(need_cflags) $(CFLAGS) $(small) -MMD -MP -c -o $@ $<

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

# --- unit tests: tests/unit/test_X.c links what needs_X lists -----------------
# A needs_X of its own for each; folders' variables may be used. Those in
# tests/contract/ are built the same way.
unit_tests := $(patsubst tests/unit/test_%.c,%,$(wildcard tests/unit/test_*.c))
contract_tests := $(patsubst tests/contract/test_%.c,%,\
	$(wildcard tests/contract/test_*.c))

needs_diag    := $(diag)
needs_log     := agent/base/log.c
needs_folder  := agent/base/folder.c $(diag)
needs_disk    := agent/spool/disk.c tests/support/power_disk.c
needs_keep    := $(call in,agent/spool) agent/base/folder.c $(diag)
needs_remember := agent/process/remember.c agent/process/control.c \
	$(base) $(config) $(call in,agent/spool agent/signature)
needs_cursor  := agent/base/cursor.c
needs_number  := agent/base/number.c $(diag)
needs_loop    := agent/base/loop.c agent/base/clock.c
needs_names   := $(base)
needs_finding := $(addprefix agent/base/,finding.c cause.c names.c)
needs_path    := agent/base/path.c $(diag)
needs_event   := $(base)
needs_wire    := agent/base/wire.c agent/base/cursor.c
needs_config  := $(base) $(config)
needs_state   := $(base) $(call in,agent/state) \
	$(addprefix agent/signature/,inputs.c sensor.c)
needs_series  := agent/state/series.c
needs_ages    := agent/state/ages.c
needs_sketch  := agent/base/sketch.c
needs_budget  := agent/process/budget.c
needs_identity := agent/process/identity.c $(base)
needs_control := agent/process/control.c $(base) $(config)
needs_cost    := agent/query/cost.c
needs_detect  := agent/process/detect.c $(base) \
	$(call in,agent/state agent/signature)
needs_chassis_label := platform/linux/chassis_label.c $(base)
needs_service := agent/process/service.c agent/process/control.c $(base) \
	$(config)
needs_sampler := agent/sample/sampler.c $(base)

# push and the collector
needs_push := agent/push/push.c agent/push/packer.c agent/push/window.c \
	agent/push/debt.c \
	agent/base/wire.c agent/base/cursor.c agent/base/names.c \
	agent/base/clean.c

needs_probe := agent/push/probe.c agent/base/clean.c
needs_peers := agent/collect/peers.c agent/base/number.c $(diag)

spool_code := agent/collect/store.c agent/collect/follow.c \
	agent/base/folder.c \
	agent/collect/entry.c agent/base/cursor.c agent/base/number.c \
	agent/base/wire.c agent/base/names.c $(diag)
intake_code = agent/collect/intake.c agent/collect/ledger.c \
	agent/collect/dictionary.c agent/base/finding.c agent/base/cause.c \
	$(spool_code) $(encode_code)
sink_code = $(call in,agent/collect) $(base) $(record) \
	agent/push/transport.c $(config) $(gen_src)
needs_store = $(spool_code)
needs_intake = $(sort $(intake_code))
needs_sink = $(filter-out agent/collect/main.c,$(sink_code))
needs_newest = $(needs_sink)

bench_needs_push := agent/push/transport.c agent/base/wire.c \
	agent/base/cursor.c agent/base/names.c $(diag) \
	agent/base/clock.c
fuzz_needs_intake = $(needs_intake)
fuzz_needs_spool = $(needs_intake)
fuzz_needs_push = $(needs_push)

# An agent's stand-in for tests of delivery: the real rings and sender.
$(B)/tests/support/feeder: $(call obj,tests/support/feeder.c \
		$(addprefix agent/process/,sender.c control.c remember.c) \
		$(call in,agent/push agent/spool agent/signature) $(base) \
		$(config) $(record) $(gen_src))
	@mkdir -p $(@D)
	$(CC) $(ldhard) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(test_libs)
unit: $(B)/tests/support/feeder

# A stand-in for SONiC's own library, which Debian does not have.
$(B)/tests/support/libswsscommon.so.0: tests/support/swss_events.c
	@mkdir -p $(@D)
	$(say)$(CC) $(warnings) -shared -fPIC $(CFLAGS) $(LDFLAGS) -o $@ $<
unit: $(B)/tests/support/libswsscommon.so.0

# Clocks that run faster, for campaigns that would take hours.
$(B)/tests/support/fast_clock.so: tests/support/fast_clock.c
	@mkdir -p $(@D)
	$(say)$(CC) -D_GNU_SOURCE $(warnings) -shared -fPIC $(CFLAGS) \
		$(LDFLAGS) -o $@ $<
unit: $(B)/tests/support/fast_clock.so
needs_wire    := agent/base/wire.c agent/base/cursor.c agent/base/names.c \
	tests/support/golden.c
needs_quantity := agent/base/quantity.c agent/base/entity.c \
	agent/base/names.c
ring_code     := agent/base/ring.c agent/base/ring_file.c \
	agent/base/ring_memory.c agent/base/ring_set.c agent/base/wire.c \
	agent/base/cursor.c agent/base/names.c $(diag)
encode_code   := agent/record/encoder.c agent/record/batch.c \
	agent/record/dictionary.c agent/record/columns.c \
	agent/record/lists.c agent/record/pack.c \
	agent/record/choice.c agent/record/rice.c agent/base/cursor.c
decode_code   := agent/record/decode.c agent/record/decode_batch.c \
	agent/record/decode_values.c agent/record/rice.c \
	agent/record/capped.c agent/record/index_map.c agent/record/array.c \
	agent/base/finding.c agent/base/cause.c agent/base/event.c \
	agent/base/names.c $(diag) \
	$(B)/gen/record.pb-c.c
needs_ring    := tests/support/ring_folder.c $(ring_code)
needs_ring_open := $(needs_ring)
needs_ring_kill := $(needs_ring) tests/support/samples.c
needs_relay   := agent/sample/relay.c agent/sample/relay_ring.c \
	agent/sample/relay_writer.c agent/sample/relay_reader.c \
	agent/base/cursor.c \
	tests/support/samples.c
needs_encode  := tests/support/samples.c $(encode_code) $(decode_code)
needs_decode  := tests/support/golden.c $(needs_encode)
needs_decode_hostile := $(needs_encode)
needs_rice    := tests/support/golden.c $(needs_encode)
needs_records := $(needs_decode)

bench_needs_record := $(sort tests/support/samples.c $(ring_code) \
	$(encode_code) $(decode_code))
bench_needs_wire := $(base) $(record) $(platform) \
	$(call in,agent/state) $(gen_src)
fuzz_needs_wire   := agent/base/wire.c agent/base/cursor.c agent/base/names.c
fuzz_needs_batch  := $(decode_code) agent/base/cursor.c
fuzz_needs_unpack := $(fuzz_needs_batch)
fuzz_needs_ring   := $(ring_code)
fuzz_needs_relay  := agent/sample/relay_ring.c agent/sample/relay_reader.c \
	agent/base/cursor.c

# platform/linux
netlink_bytes := tests/support/netlink_bytes.c tests/support/fake_kernel.c
needs_link_message := platform/linux/link_message.c $(netlink_bytes)
needs_link_stats := platform/linux/link_stats.c $(netlink_bytes)
needs_ethtool_message := platform/linux/ethtool_message.c $(netlink_bytes) \
	agent/base/link.c agent/base/names.c
needs_link_follow := $(base) platform/linux/link_follow.c \
	platform/linux/link_message.c platform/linux/port_table.c \
	platform/linux/dump.c platform/linux/netlink.c $(netlink_bytes) \
	tests/support/recording_host.c
needs_counter_source := $(needs_link_follow) platform/linux/link_stats.c \
	platform/linux/counter_source.c
fuzz_needs_linux_netlink := platform/linux/link_message.c \
	platform/linux/link_stats.c platform/linux/ethtool_message.c \
	agent/base/link.c agent/base/names.c
needs_ethtool_source := $(needs_link_follow) platform/linux/ethtool_message.c \
	platform/linux/ethtool_source.c
needs_recording_host := $(base) tests/support/recording_host.c
bench_needs_netlink := $(base) $(platform) tests/support/deaf_host.c

# platform/bus
bus_code := $(addprefix platform/bus/,bus.c access_log.c file.c pages.c \
	ethtool.c i2c.c) platform/linux/netlink.c \
	platform/linux/ethtool_message.c $(base)
needs_bus := $(bus_code)
needs_bus_map := platform/bus/map.c platform/bus/owner.c $(bus_code)

needs_module_driver = $(sort $(call in,platform/bus platform/module) \
	$(bus_code) $(eeprom_src) $(plant_src) tests/support/recording_host.c)

needs_crew = $(sort platform/bus/crew.c platform/bus/cage.c \
	platform/bus/readings.c $(call in,platform/module) $(eeprom_src) \
	$(plant_src) $(base) tests/support/deaf_host.c)
bench_needs_module_bus = $(sort $(call in,platform/module) \
	platform/bus/readings.c $(eeprom_src) $(plant_src) $(base))

# --- the simulated switch, and traces straight from it ------------------------
needs_scenario := $(plant_src)
needs_physics  := $(plant_src)
needs_scenario_manual := $(plant_src) tests/support/scenario_manual.c
needs_plant    := $(plant_src)
needs_coherent := $(plant_src)
needs_plant_cost := $(plant_src)
needs_eeprom := $(eeprom_src) $(plant_src)
needs_sim      = $(sort $(call in,platform/sim platform/bus platform/module) \
	$(bus_code) $(base) tests/support/recording_host.c)
fuzz_needs_scenario := $(plant_src)

# The judge's plant: of platform/sim the pure physics alone.
plant_a_src := tests/judge/plant_a.c $(wildcard tests/judge/a_*.c) \
	$(addprefix platform/sim/,draw.c eye.c fec.c)
needs_plant_a := $(plant_a_src) agent/base/finding.c agent/base/cause.c \
	agent/base/names.c

$(B)/tests/support/plant_trace: $(call obj,tests/support/plant_trace.c \
		$(plant_src))
	@mkdir -p $(@D)
	$(CC) $(ldhard) $(CFLAGS) $(LDFLAGS) -o $@ $^ \
		$(call libs_of,json-c) -lm

$(B)/tests/support/eeprom_make: $(call obj,tests/support/eeprom_make.c \
		$(eeprom_src) $(plant_src))
	@mkdir -p $(@D)
	$(CC) $(ldhard) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

unit: $(B)/tests/support/plant_trace $(B)/tests/support/eeprom_make

# Without a system call, as under a filter.
$(B)/tests/support/without_call: $(call obj,tests/support/without_call.c)
	@mkdir -p $(@D)
	$(CC) $(ldhard) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(call libs_of,libseccomp)

unit: $(B)/tests/support/without_call

# petrel-vswitch
vswitch_code := $(filter-out platform/vswitch/main.c,$(petrel-vswitch_src))
needs_vswitch_text := platform/vswitch/text.c agent/base/number.c
needs_vswitch_rows := $(vswitch_code)
needs_vswitch_control := platform/vswitch/control.c agent/base/nearest.c \
	$(diag)

# query and petrel
message_code  := agent/query/message.c agent/record/pack.c \
	agent/record/capped.c \
	agent/base/cursor.c $(gen_src)
query_code    := $(call in,agent/query) $(base) $(record) \
	$(call in,agent/state agent/signature) agent/process/control.c \
	$(config) $(gen_src)
ctl_code      := $(filter-out agent/ctl/main.c,$(call in,agent/ctl)) \
	$(call in,platform/module) \
	$(filter-out agent/process/control.c,$(query_code))
needs_pattern := agent/query/pattern.c agent/base/number.c $(diag)
needs_answer  := agent/query/answer.c $(message_code) $(decode_code)
needs_turns   := agent/query/turns.c
needs_server  := agent/query/server.c agent/query/turns.c \
	agent/query/place.c \
	agent/query/peer.c \
	agent/query/answer.c $(message_code) $(base)
needs_verbs   := $(query_code)
needs_render  := $(ctl_code) agent/process/control.c
needs_options := $(needs_render)
needs_manual  := $(base) $(config) tests/support/manual_page.c
needs_json_manual := $(ctl_code) agent/process/control.c \
	tests/support/json_manual.c tests/support/manual_page.c
needs_redact  := agent/ctl/redact.c agent/ctl/pseudonym.c
needs_tables  := $(query_code)
needs_json_out := agent/ctl/json_out.c
fuzz_needs_request := $(needs_server)
fuzz_needs_pattern := $(needs_pattern)
fuzz_needs_answer  := $(needs_render)
fuzz_needs_redact  := $(needs_redact)

# modules' registers
module_code := $(call in,platform/module) $(addprefix agent/base/,names.c \
	quantity.c entity.c number.c diag.c clean.c cursor.c)
module_twins := $(module_code) tests/support/module_twin.c
needs_module_code := $(module_twins)
needs_module_decode := $(module_twins)
needs_module_judge := $(module_twins) platform/bus/readings.c
needs_module_options := $(module_twins)
needs_module_plan := $(module_twins)
needs_module_file := $(module_twins)
needs_words := $(base) $(call in,agent/signature) \
	tests/support/signature_manual.c tests/support/manual_page.c
needs_registers := $(module_twins) tests/support/register_manual.c \
	tests/support/manual_page.c
plant_b_code := tests/judge/plant_b.c $(sort $(wildcard tests/judge/b_*.c))
needs_plant_b := $(plant_b_code) tests/support/world_span.c
needs_plant_b_truth := $(needs_plant_b)
needs_plant_c := tests/judge/plant_c.c $(sort $(wildcard tests/judge/c_*.c))
fuzz_needs_module_cmis := $(module_code) agent/base/module.c \
	tests/support/fuzz_module.c
fuzz_needs_module_sff8636 := $(fuzz_needs_module_cmis)
fuzz_needs_module_sff8472 := $(fuzz_needs_module_cmis)
fuzz_needs_module_file := $(module_code)
bench_needs_module := $(module_twins)

# signature and replay
needs_counter  := agent/base/counter.c
needs_fec      := agent/signature/fec.c
needs_histogram := agent/signature/histogram.c agent/signature/fec.c
needs_trend    := agent/signature/trend.c
needs_cliff    := agent/signature/cliff.c agent/signature/fec.c
needs_baseline := agent/signature/baseline.c
play_code      := tests/support/port_play.c $(base) \
	$(call in,agent/signature)
needs_front      := agent/signature/front.c agent/base/counter.c
needs_hypothesis := $(play_code)
needs_module_faults := $(play_code)
needs_light      := agent/signature/light.c agent/signature/front.c \
	agent/signature/fec.c agent/base/counter.c
needs_engine     := $(play_code)
needs_ask        := $(play_code)
needs_site       := $(play_code)
needs_life       := $(play_code)
needs_memory     := $(play_code)
needs_fec_trend  := $(play_code)
needs_flap_burst := $(play_code)
needs_link_down  := $(play_code)
needs_light_loss := $(play_code)
needs_wide       := $(base) $(call in,agent/signature)
needs_json       := agent/record/json.c $(base)
trace_code       := $(addprefix agent/ctl/,scan.c trace.c trace_port.c \
	timeline.c) agent/signature/inputs.c agent/signature/sensor.c $(base)
needs_trace      := $(trace_code)
needs_timeline   := $(trace_code)

define unit_rule
$(B)/tests/$(1)/test_$(2): $$(call obj,tests/$(1)/test_$(2).c $$(needs_$(2)))
	@mkdir -p $$(@D)
	$$(say)$$(CC) $$(ldhard) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$(test_libs)
endef

$(B)/tests/judge/plant_b_dump: $(call obj,tests/judge/plant_b_dump.c \
		$(plant_b_code) agent/base/number.c)
	@mkdir -p $(@D)
	$(say)$(CC) $(ldhard) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

unit: $(B)/tests/judge/plant_b_dump
unit: $(unit_tests:%=$(B)/tests/unit/test_%) \
	$(contract_tests:%=$(B)/tests/contract/test_%)

# --- fuzz targets: tests/fuzz/fuzz_X.c links what fuzz_needs_X lists ----------
fuzz_targets := $(patsubst tests/fuzz/fuzz_%.c,%,\
	$(wildcard tests/fuzz/fuzz_*.c))
# SWIFT=1 builds them for millions of executions: comparisons are not traced,
# which took two thirds of the time.
SWIFT ?=
fuzz_flags := -g $(if $(SWIFT),-O2 -fno-sanitize-coverage=trace-cmp,-O1) \
	-fno-omit-frame-pointer -fno-sanitize-recover=all
fuzz_obj = $(patsubst %.c,$(B)/fuzz/obj/%.o,$(patsubst $(B)/%,%,$(1)))
FUZZ_SECONDS ?= 60

$(B)/fuzz/obj/gen/%.o: $(B)/gen/%.c
	@mkdir -p $(@D)
	$(say)$(CLANG) $(language) $(pkg_cflags) $(fuzz_flags) \
		-fsanitize=fuzzer-no-link,address,undefined -MMD -MP -c -o $@ $<

$(B)/fuzz/obj/%.o: %.c | $(gen_hdr)
	@mkdir -p $(@D)
	$(say)$(CLANG) $(language) $(pkg_cflags) $(fuzz_flags) \
		-fsanitize=fuzzer-no-link,address,undefined -MMD -MP -c -o $@ $<

-include $(shell find $(B)/fuzz/obj -name '*.d' 2>/dev/null)

fuzz_needs_memory := $(play_code)
fuzz_needs_trace := $(sort $(trace_code) $(call in,agent/signature))

define fuzz_rule
$(B)/fuzz/fuzz_$(1): $$(call fuzz_obj,tests/fuzz/fuzz_$(1).c \
		$$(fuzz_needs_$(1)))
	$$(say)$$(CLANG) $$(fuzz_flags) \
		-fsanitize=fuzzer,address,undefined -o $$@ \
		$$^ $$(test_libs)
endef

fuzz_programs: $(fuzz_targets:%=$(B)/fuzz/fuzz_%)

fuzz: fuzz_programs
	@tests/support/fuzz $(B)/fuzz $(FUZZ_SECONDS) $(sort $(fuzz_targets))

# --- benchmarks: tests/bench/bench_X.c links what bench_needs_X lists ---------
benches := $(patsubst tests/bench/bench_%.c,%,$(wildcard tests/bench/bench_*.c))

bench_needs_engine := $(base) $(call in,agent/signature) \
	tests/support/port_noise.c
bench_needs_core := agent/process/journal.c agent/process/detect.c $(base) \
	$(record) $(call in,agent/state agent/signature) $(gen_src)

define bench_rule
$(B)/tests/bench/bench_$(1): $$(call obj,tests/bench/bench_$(1).c \
		$$(bench_needs_$(1)))
	@mkdir -p $$(@D)
	$$(say)$$(CC) $$(ldhard) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$(test_libs)
endef

bench_programs: $(benches:%=$(B)/tests/bench/bench_%) $(B)/tests/fetch_sonic

# --- set-up, then the work ----------------------------------------------------
# run, test, bench and campaign install what is missing, then call make once
# more, so that the build follows the set-up whatever -j says.
again = $(MAKE) --no-print-directory \
	$(if $(filter -j%,$(MAKEFLAGS)),,-j$$(nproc))

deps: deps-build deps-test
deps-build:
	@tests/support/deps build/deps-build $(deps_build)
deps-test: deps-build
	@tests/support/deps build/deps-test $(deps_test)

run: deps-build
	@$(again) all
	@tests/support/demo

test: deps-test
	@tests/support/run_tests $(GROUPS) $(T:%=--only '%')

campaign: deps-test
	@$(again) all unit bench_programs
	@tests/support/run_campaign $(C)

bench: deps-test
	@$(again) all bench_programs
	@tests/support/run_bench $(benches:%=$(B)/tests/bench/bench_%)

# Seeds come from the revision, so that nobody picks them.
head = $(or $(shell git rev-parse HEAD 2>/dev/null),00000001)
score: deps-test
	@$(again) $(B)/tests/judge/score
	@$(B)/tests/judge/score --head $(head) --seed-from $(head) \
		--log tests/judge/score.log $(SCORE)

# Healthy switches for so many port-years; SOAK="--hard" and the like.
SOAK_YEARS ?= 300
soak: deps-test
	@$(again) $(B)/tests/judge/soak
	@$(B)/tests/judge/soak --head $(head) --seed-from $(head) \
		--years $(SOAK_YEARS) $(SOAK)

style:
	@tests/style/check

# Every object of every program, without linking: for another compiler.
objects: $(foreach p,$(programs),$(call obj,$($(p)_src)))

# Leaks and values never set are held by -fanalyzer, clang's analyzer and
# valgrind; cppcheck loses sight of mmap and of what a struct owns. readdir()
# of glibc is safe on a DIR of one thread.
cppcheck:
	@mkdir -p $(B)/cppcheck
	$(say)cppcheck -q -j2 --std=c11 --language=c --error-exitcode=1 \
		--enable=warning,performance,portability --inline-suppr \
		--cppcheck-build-dir=$(B)/cppcheck -Iinclude -I. -I$(B)/gen \
		--suppress='*:$(B)/gen/*' --suppress=missingIncludeSystem \
		--suppress=memleak --suppress=uninitvar \
		--suppress=readdirCalled \
		--library=posix --library=gnu -D_GNU_SOURCE \
		-DPETREL_VERSION='"$(VERSION)"' $(tidy_src)

# One file a stamp, after its object and so after each header it includes.
# clang's analyzer gives a function up after so many states; its own bound of
# 225,000 takes four times as long, and is tests/campaign/analyze's.
TIDY_STATES ?= 50000
tidy_src = $(filter-out $(B)/gen/%,$(sort $(foreach p,$(programs),$($(p)_src))))
tidy_done = $(B)/tidy-$(TIDY_STATES)
tidy: $(patsubst %.c,$(tidy_done)/%.ok,$(tidy_src))

$(tidy_done)/%.ok: $(B)/obj/%.o .clang-tidy
	@mkdir -p $(@D)
	$(say)clang-tidy --quiet $*.c -- $(language) $(pkg_cflags) \
		-Xclang -analyzer-config -Xclang max-nodes=$(TIDY_STATES)
	@touch $@

# --- contract suite (C7) ------------------------------------------------------
contract_src := $(addprefix tests/contract/,contract_driver.c contract_run.c) \
	tests/support/recording_host.c $(base) $(platform)

$(B)/tests/contract/contract_driver: $(call obj,$(contract_src))
	@mkdir -p $(@D)
	$(say)$(CC) $(ldhard) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(test_libs)

unit: $(B)/tests/contract/contract_driver $(B)/tests/driver_dump \
	$(B)/tests/fetch_sonic

# --- signature: replay alone, for its tests and campaigns ---------------------
signature_code := $(base) $(call in,agent/signature)
replay_code := $(signature_code) $(config) agent/record/json.c \
	$(addprefix agent/ctl/,scan.c trace.c trace_port.c timeline.c replay.c)

$(B)/tests/support/replay: $(call obj,tests/support/replay_main.c \
		$(replay_code))
	@mkdir -p $(@D)
	$(say)$(CC) $(ldhard) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(test_libs)

# What is foretold against laws that are known: for campaigns.
loss_trials_code := agent/signature/histogram.c agent/signature/fec.c \
	platform/sim/draw.c $(base)
arl_trials_code := agent/signature/trend.c platform/sim/draw.c $(base)
cliff_trials_code := agent/signature/cliff.c agent/signature/fec.c \
	platform/sim/draw.c $(base)
trials := loss arl cliff
define trials_rule
$(B)/tests/support/$(1)_trials: $$(call obj,tests/support/$(1)_trials.c \
		$$($(1)_trials_code))
	@mkdir -p $$(@D)
	$$(say)$$(CC) $$(ldhard) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$(test_libs)
endef
$(foreach t,$(trials),$(eval $(call trials_rule,$(t))))

unit: $(B)/tests/support/replay $(trials:%=$(B)/tests/support/%_trials)

# --- the judge: the engine on plants, in process ------------------------------
# A plant is plant_X.c with files of its own; what is not there is not linked.
# Of platform/sim plant_a has the pure physics alone.
judge_programs := score soak
judge_code = $(sort $(filter-out $(judge_programs:%=tests/judge/%.c) \
	tests/judge/%_dump.c,$(call in,tests/judge)) $(signature_code) \
	$(if $(wildcard tests/judge/plant_a.c),$(addprefix platform/sim/,\
	draw.c eye.c fec.c)))
needs_judge = $(judge_code)
needs_judge_rules = $(judge_code)
needs_restart = $(judge_code)

$(judge_programs:%=$(B)/tests/judge/%): $(B)/tests/judge/%: \
		$(B)/obj/tests/judge/%.o $(call obj,$(judge_code))
	@mkdir -p $(@D)
	$(say)$(CC) $(ldhard) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(test_libs)

unit: $(judge_programs:%=$(B)/tests/judge/%)

# --- the sonic driver's tests, and what all drivers' tests share --------------
hft_sockets := $(addprefix platform/linux/,netlink.c netns.c)
sonic_src := $(call in,platform/sonic) $(hft_sockets) $(base)
sonic_rows := $(addprefix platform/sonic/,reply.c field.c tables.c database.c \
	document.c lanes.c words.c text.c judge.c) \
	$(wildcard platform/sonic/fields_*.c) $(base)
needs_sonic_text := platform/sonic/text.c $(base)
needs_sonic_reply := $(sonic_rows)
needs_sonic_tables := $(sonic_rows)
needs_sonic_judge := $(sonic_rows) agent/base/module.c
needs_sonic_database := $(addprefix platform/sonic/,database.c document.c) \
	$(base)
needs_sonic_channel := $(addprefix platform/sonic/,channel.c commands.c \
	greeting.c reply.c database.c document.c text.c) $(base)
needs_sonic_greeting := platform/sonic/greeting.c $(base)
needs_sonic_topology := $(addprefix platform/sonic/,topology.c cages.c \
	names.c tables.c) $(wildcard platform/sonic/fields_*.c) $(base)
needs_sonic_rows := $(addprefix platform/sonic/,rows.c text.c) $(base)
needs_sonic_followed := platform/sonic/followed.c $(base)
needs_sonic_namespaces := $(addprefix platform/sonic/,namespaces.c \
	document.c) $(base)
needs_history := agent/state/history.c $(base)
needs_sort    := agent/base/sort.c
needs_clean   := agent/base/clean.c tests/support/text_judge.c
fuzz_needs_clean := $(needs_clean)
fuzz_needs_sonic_rows := $(needs_sonic_rows)
fuzz_needs_sonic_namespaces := $(needs_sonic_namespaces)
fuzz_needs_sonic_reply := $(sonic_rows)
fuzz_needs_sonic_thresholds := $(sonic_src)
needs_sonic_age := $(sonic_src)
needs_sonic_late := $(sonic_src) $(addprefix tests/support/,deaf_host.c \
	odd_redis.c odd_switch.c)
fuzz_needs_sonic_server := $(needs_sonic_late)
ipfix_bytes := tests/support/ipfix_bytes.c
hft_template := $(addprefix platform/sonic/,hft_template.c hft_templates.c \
	hft_time.c hft_ids.c hft_ipfix.c hft_backlog.c hft_delay.c delay.c \
	topology.c cages.c names.c) $(sonic_rows)
needs_ipfix := platform/sonic/hft_ipfix.c agent/base/cursor.c $(ipfix_bytes)
needs_delay := platform/sonic/delay.c agent/base/sketch.c
needs_hft_ids := platform/sonic/hft_ids.c $(sonic_rows)
needs_hft_template := $(hft_template) $(ipfix_bytes)
needs_hft_netlink := platform/sonic/hft_netlink.c $(hft_sockets) \
	$(netlink_bytes)
needs_hft_labels := platform/sonic/hft_labels.c $(base)
needs_hft_settings := platform/sonic/hft_settings.c $(base)
fuzz_needs_ipfix := $(hft_template)
fuzz_needs_hft_row := $(addprefix platform/sonic/,hft_ids.c hft_labels.c \
	hft_settings.c hft_netlink.c) $(hft_sockets) $(sonic_rows)
bench_needs_ipfix := $(hft_template) $(ipfix_bytes)
needs_sonic_lanes := $(addprefix platform/sonic/,lanes.c words.c text.c) $(base)
fuzz_needs_sonic_lanes := $(needs_sonic_lanes)
fuzz_needs_sonic_database := $(needs_sonic_database)
driver_dump_src := tests/contract/driver_dump.c tests/support/recorder.c \
	$(platform) $(base)
# What tests/bench/bench_sonic.py runs beside a real redis.
fetch_sonic_src := tests/bench/fetch_sonic.c tests/support/deaf_host.c \
	$(sonic_src)
$(B)/tests/driver_dump: $(call obj,$(driver_dump_src))
	@mkdir -p $(@D)
	$(CC) $(ldhard) $(CFLAGS) $(LDFLAGS) -o $@ $^ \
		$(call libs_of,$(pkgs_base) $(pkgs_platform) json-c) \
		$(sensors_libs) -lm \
		-pthread
$(B)/tests/fetch_sonic: $(call obj,$(fetch_sonic_src))
	@mkdir -p $(@D)
	$(CC) $(ldhard) $(CFLAGS) $(LDFLAGS) -o $@ $^ \
		$(call libs_of,$(pkgs_base) $(pkgs_platform) json-c) \
		$(sensors_libs) -lm -pthread

# Appends the rows of new quantities to the list that pins them (C1).
golden: $(B)/tests/unit/test_quantity
	$< --golden tests/data/quantity.golden

# Writes the tables that the code prints into the manual pages.
manuals: $(addprefix $(B)/tests/unit/test_,manual json_manual registers words)
	tests/support/print_manuals $(B)

# What only whoever builds the container's image needs, in this tree.
image_only := $(addprefix packaging/sonic/,Dockerfile supervisord.conf \
	rsyslog.conf critical_processes)

# --- install ------------------------------------------------------------------
install: all
	install -D -m 755 $(B)/petreld $(DESTDIR)$(prefix)/sbin/petreld
	install -D -m 755 $(B)/petrel $(DESTDIR)$(prefix)/bin/petrel
	install -D -m 755 $(B)/petrel-collector \
		$(DESTDIR)$(prefix)/sbin/petrel-collector
	install -D -m 755 $(B)/petrel-vswitch \
		$(DESTDIR)$(prefix)/bin/petrel-vswitch
	for page in $(wildcard packaging/man/*.[1-8]); do \
		install -D -m 644 $$page \
		$(DESTDIR)$(mandir)/man$${page##*.}/$${page##*/} || exit 1; \
	done
	for file in $(wildcard packaging/etc/*.conf); do \
		install -D -m 644 $$file \
		$(DESTDIR)$(sysconfdir)/petrel/$${file##*/} || exit 1; \
	done
	for unit in $(wildcard packaging/systemd/*.service); do \
		install -D -m 644 $$unit \
		$(DESTDIR)/lib/systemd/system/$${unit##*/} && \
		sed -i 's,=/usr/\(s\?bin\)/,=$(prefix)/\1/,' \
		$(DESTDIR)/lib/systemd/system/$${unit##*/} || exit 1; \
	done
	for file in $(wildcard packaging/systemd/*.conf); do \
		install -D -m 644 $$file \
		$(DESTDIR)$(prefix)/share/petrel/systemd/$${file##*/} || \
		exit 1; \
	done
	for file in $(filter-out $(image_only),$(wildcard packaging/sonic/*)); \
	do \
		mode=644; [ ! -x $$file ] || mode=755; \
		install -D -m $$mode $$file \
		$(DESTDIR)$(prefix)/share/petrel/sonic/$${file##*/} || exit 1; \
	done
	for file in $(wildcard packaging/completion/*); do \
		install -D -m 644 $$file $(DESTDIR)$(prefix)/share/\
	bash-completion/completions/$${file##*/} || exit 1; \
	done

# --- Debian packages, in build/deb --------------------------------------------
# The same octets from the same tree: times come from the changelog. Its own
# copy, as whoever calls make; DEB_VERSION for a rebuild.
DEB_VERSION ?= $(VERSION)
deb_dir := build/deb/petrel-$(DEB_VERSION)
deb_changelog := packaging/debian/changelog

deb:
	@rm -rf $(deb_dir)
	@mkdir -p $(deb_dir)
	@cp -r agent include packaging platform Makefile LICENSE README.md \
		$(deb_dir)
	@cp -r packaging/debian $(deb_dir)/debian
	@sed '1s/([^)]*)/($(DEB_VERSION))/' $(deb_changelog) \
		>$(deb_dir)/debian/changelog
	$(say)cd $(deb_dir) && env -u MAKEFLAGS -u MAKELEVEL \
		DEB_BUILD_OPTIONS="nocheck parallel=2" \
		dpkg-buildpackage -b -us -uc >../build.log 2>&1 || \
		{ tail -n 40 ../build.log; exit 1; }
	@cd build/deb && ls *_$(DEB_VERSION)_*.*deb

clean:
	rm -rf build

# Rules made from lists that stand all over this file: last, when all are known.
$(foreach t,$(unit_tests),$(eval $(call unit_rule,unit,$(t))))
$(foreach t,$(contract_tests),$(eval $(call unit_rule,contract,$(t))))
$(foreach t,$(fuzz_targets),$(eval $(call fuzz_rule,$(t))))
$(foreach t,$(benches),$(eval $(call bench_rule,$(t))))
