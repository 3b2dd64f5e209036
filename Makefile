# Petrel: one Makefile, not recursive. `make help` lists the targets.
#
# CFLAGS and LDFLAGS are the builder's; what the code needs to compile at all
# stands apart, so `make CFLAGS=-O0` drops nothing.

prefix  ?= /usr
sysconfdir ?= /etc
CC      ?= cc
CFLAGS  ?= -O2 -g
SHELL   := /bin/bash

VERSION := 0.1.0
SANITIZE ?=
STRICT  ?=

# SANITIZE=1 builds into a folder of its own.
B := build$(if $(SANITIZE),/sanitize)
# Programs stand directly below build/; objects in B/obj.

warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef -Wvla \
	-Wformat=2 -Wold-style-definition $(if $(STRICT),-Werror)
hardening := -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE \
	-fcf-protection -fstack-clash-protection
ifdef SANITIZE
hardening := -fPIE -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
endif
ldhard := -pie $(if $(SANITIZE),-fsanitize=address$(,)undefined,\
	-Wl$(,)-z$(,)relro -Wl$(,)-z$(,)now -Wl$(,)--as-needed)
, := ,
need_cflags := -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Iinclude -I. \
	-I$(B)/gen -DPETREL_VERSION='"$(VERSION)"' $(warnings) $(hardening)

# --- libraries, by pkg-config -------------------------------------------------
pkgs_base := zlib
pkgs_record := libprotobuf-c json-c
pkgs_platform := libnl-3.0 libnl-genl-3.0 libnl-route-3.0 hiredis json-c
pkgs_process := libcap-ng
pkgs_push := nanomsg
pkgs_collect := sqlite3
pkgs_test := cmocka
pkgs_all := $(sort $(pkgs_base) $(pkgs_record) $(pkgs_platform) \
	$(pkgs_process) $(pkgs_push) $(pkgs_collect) $(pkgs_test))
sensors_libs := -lsensors
need_cflags += $(shell pkg-config --cflags $(pkgs_all) 2>/dev/null)

libs_of = $(shell pkg-config --libs $(1) 2>/dev/null)

# --- sources, by program ------------------------------------------------------
# A folder is a stage; a program is made of stages.
in = $(sort $(foreach d,$(1),$(wildcard $(d)/*.c)))

base     := $(call in,agent/base)
config   := $(call in,agent/config)
record   := $(call in,agent/record)
platform := $(call in,platform platform/linux platform/sonic platform/module \
	platform/sim)
protos   := record local
gen_src  := $(protos:%=$(B)/gen/%.pb-c.c)
gen_hdr  := $(protos:%=$(B)/gen/%.pb-c.h)

petreld_src := agent/main.c $(base) $(config) $(record) $(platform) \
	$(call in,agent/process agent/sample agent/state agent/signature \
	agent/spool agent/push agent/query) $(gen_src)
petreld_libs = $(call libs_of,$(pkgs_base) $(pkgs_record) $(pkgs_platform) \
	$(pkgs_process) $(pkgs_push)) $(sensors_libs) -lm -pthread

petrel_src := $(base) $(config) $(record) \
	$(call in,agent/ctl agent/signature) $(gen_src)
petrel_libs = $(call libs_of,$(pkgs_base) $(pkgs_record)) -lm

petrel-collector_src := $(base) $(config) $(record) \
	$(call in,agent/collect) agent/push/transport.c $(gen_src)
petrel-collector_libs = $(call libs_of,$(pkgs_base) $(pkgs_record) \
	$(pkgs_push) $(pkgs_collect)) -lm -pthread

programs := petreld petrel petrel-collector

obj = $(patsubst %.c,$(B)/obj/%.o,$(patsubst $(B)/%,%,$(1)))
# Generated sources live below B/gen, their objects below B/obj/gen.

.PHONY: all help deps test run bench fuzz campaign style deb install clean \
	golden unit
.DELETE_ON_ERROR:
.SECONDARY:

all: $(programs:%=$(B)/%)

help:
	@echo 'all test run bench fuzz campaign soak style deb install clean'

define program_rule
$(B)/$(1): $$(call obj,$$($(1)_src))
	$$(CC) $$(ldhard) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$($(1)_libs)
endef
$(foreach p,$(programs),$(eval $(call program_rule,$(p))))

$(B)/gen/%.pb-c.c $(B)/gen/%.pb-c.h: include/petrel/%.proto
	@mkdir -p $(@D)
	protoc-c --proto_path=include/petrel --c_out=$(@D) $<

$(B)/obj/gen/%.o: $(B)/gen/%.c
	@mkdir -p $(@D)
	$(CC) $(filter-out -Wcast-qual -Wundef,$(need_cflags)) $(CFLAGS) -MMD -MP \
		-c -o $@ $<

$(B)/obj/%.o: %.c | $(gen_hdr)
	@mkdir -p $(@D)
	$(CC) $(need_cflags) $(CFLAGS) -MMD -MP -c -o $@ $<

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)

# --- unit tests: tests/unit/test_X.c links what needs_X lists -----------------
# A needs_X of its own for each; folders' variables may be used.
unit_tests := $(patsubst tests/unit/test_%.c,%,$(wildcard tests/unit/test_*.c))

needs_cursor  := agent/base/cursor.c
needs_number  := agent/base/number.c agent/base/diag.c
needs_loop    := agent/base/loop.c agent/base/clock.c
needs_names   := agent/base/names.c agent/base/finding.c agent/base/entity.c \
	agent/base/link.c agent/base/wire.c agent/base/cursor.c \
	agent/base/quantity.c
needs_wire    := agent/base/wire.c agent/base/cursor.c agent/base/names.c \
	tests/support/golden.c
needs_quantity := agent/base/quantity.c agent/base/entity.c \
	agent/base/names.c
ring_code     := agent/base/ring.c agent/base/ring_file.c \
	agent/base/ring_memory.c agent/base/ring_set.c agent/base/wire.c \
	agent/base/cursor.c agent/base/names.c agent/base/diag.c
encode_code   := agent/record/encoder.c agent/record/batch.c \
	agent/record/dictionary.c agent/record/columns.c \
	agent/record/lists.c agent/record/pack.c agent/base/cursor.c
decode_code   := agent/record/decode.c agent/record/decode_batch.c \
	agent/record/capped.c agent/record/index_map.c agent/record/array.c \
	agent/base/finding.c agent/base/names.c agent/base/diag.c \
	$(B)/gen/record.pb-c.c
needs_ring    := tests/support/ring_folder.c $(ring_code)
needs_ring_open := $(needs_ring)
needs_ring_kill := $(needs_ring) tests/support/samples.c
needs_relay   := agent/sample/relay.c agent/sample/relay_ring.c \
	agent/sample/relay_writer.c agent/sample/relay_reader.c agent/base/cursor.c \
	tests/support/samples.c
needs_encode  := tests/support/samples.c $(encode_code) $(decode_code)
needs_decode  := tests/support/golden.c $(needs_encode)
needs_decode_hostile := $(needs_encode)
needs_records := $(needs_decode)

bench_needs_record := $(sort tests/support/samples.c $(ring_code) \
	$(encode_code) $(decode_code))
fuzz_needs_wire   := agent/base/wire.c agent/base/cursor.c agent/base/names.c
fuzz_needs_batch  := $(decode_code) agent/base/cursor.c
fuzz_needs_unpack := $(fuzz_needs_batch)
fuzz_needs_ring   := $(ring_code)
fuzz_needs_relay  := agent/sample/relay_ring.c agent/sample/relay_reader.c \
	agent/base/cursor.c

define unit_rule
$(B)/tests/unit/test_$(1): $$(call obj,tests/unit/test_$(1).c $$(needs_$(1)))
	@mkdir -p $$(@D)
	$$(CC) $$(ldhard) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$^ \
		$$(call libs_of,$$(pkgs_all)) $$(sensors_libs) -lm -pthread
endef
$(foreach t,$(unit_tests),$(eval $(call unit_rule,$(t))))

unit: $(unit_tests:%=$(B)/tests/unit/test_%)

# Appends the rows of new quantities to the list that pins them (C1).
golden: $(B)/tests/unit/test_quantity
	$< --golden tests/data/quantity.golden

# --- install ------------------------------------------------------------------
install: all
	install -D -m 755 $(B)/petreld $(DESTDIR)$(prefix)/sbin/petreld
	install -D -m 755 $(B)/petrel $(DESTDIR)$(prefix)/bin/petrel
	install -D -m 755 $(B)/petrel-collector \
		$(DESTDIR)$(prefix)/sbin/petrel-collector

clean:
	rm -rf build
