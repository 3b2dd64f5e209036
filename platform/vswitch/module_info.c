#include "platform/vswitch/module_info.h"

#include <stdio.h>
#include <string.h>

#include "platform/vswitch/box.h"
#include "platform/vswitch/coherent.h"

#define NA "N/A"
#define APPLICATIONS_MAX 320

/* Python's repr() of a dictionary is what these tables hold for some. */
struct form_info {
	const char *type, *abbreviation, *encoding, *power, *rate_select;
	const char *host;		/* electrical interface */
};

static const struct form_info infos[] = {
	[FORM_CMIS] = { "QSFP-DD Double Density 8X Pluggable Transceiver",
			"QSFP-DD", NA, "Power Class 6 (12.0W Max)", NA,
			"C2M (Annex 120E)" },
	[FORM_CMIS_COPPER] = {
		"QSFP-DD Double Density 8X Pluggable Transceiver", "QSFP-DD",
		NA, "Power Class 1 (1.5W Max)", NA, "CR (Clause 162)" },
	[FORM_QSFP28] = { "QSFP28 or later", "QSFP28", "64B/66B",
			  "Power Class 4 Module (3.5W max.), CDR present in "
			  "TX, CDR present in RX",
			  "QSFP+ Rate Select Version 1", NULL },
	[FORM_QSFP28_COPPER] = { "QSFP28 or later", "QSFP28", "Unspecified",
				 "Power Class 1 Module (1.5W max.)",
				 "QSFP+ Rate Select Version 1", NULL },
	[FORM_SFP] = { "SFP/SFP+/SFP28", "SFP", "64B/66B",
		       "GBIC/SFP defined by two-wire interface ID",
		       "Unspecified", NULL },
};

static bool is_copper(const struct box_port *p)
{
	return !p->facts.optical;
}

static bool is_multimode(const struct box_port *p)
{
	return p->facts.media[0] == 'S' || p->facts.media[0] == 'A';
}

static unsigned cage_gbps(const struct box_port *p)
{
	return (unsigned)(p->facts.speed_bps / 1000000000) *
	       (p->cage_lanes / p->facts.lanes);
}

/* The medium's interface, by the words of SFF-8024. */
static void media_text(const struct box_port *p, char *ret, size_t cap)
{
	if (strcmp(p->facts.media, "AEC") == 0)
		(void)snprintf(ret, cap, "Active copper cable (AEC)");
	else if (is_copper(p))
		(void)snprintf(ret, cap, "Copper cable");
	else if (strcmp(p->facts.media, "AOC") == 0)
		(void)snprintf(ret, cap, "Active Cable assembly (AOC)");
	else if (p->facts.coherent)
		(void)snprintf(ret, cap, "400ZR, DWDM, amplified");
	else
		(void)snprintf(ret, cap, "%uGBASE-%s", cage_gbps(p),
			       p->facts.media);
}

static unsigned media_lanes(const struct box_port *p)
{
	return p->facts.coherent ? 1 : p->cage_lanes;
}

static void applications_text(const struct box_port *p,
			      const struct form_info *f,
			      char ret[APPLICATIONS_MAX])
{
	char media[64];

	media_text(p, media, sizeof(media));
	(void)snprintf(ret, APPLICATIONS_MAX,
		       "{1: {'host_electrical_interface_id': '%uGAUI-%u %s', "
		       "'module_media_interface_id': '%s', "
		       "'media_lane_count': %u, 'host_lane_count': %u, "
		       "'host_lane_assignment_options': 1, "
		       "'media_lane_assignment_options': 1}}",
		       cage_gbps(p), p->cage_lanes, f->host, media,
		       media_lanes(p), p->cage_lanes);
}

static const char *cmis_compliance(const struct box_port *p)
{
	if (strcmp(p->facts.media, "AEC") == 0)
		return "active_cable_media_interface";
	if (is_copper(p))
		return "passive_copper_media_interface";
	return is_multimode(p) ? "nm_850_media_interface" :
				 "sm_media_interface";
}

static const char *technology(const struct box_port *p)
{
	if (strcmp(p->facts.media, "AEC") == 0)
		return "Copper cable, linear active equalizers";
	if (is_copper(p))
		return "Copper cable, unequalized";
	if (p->facts.coherent)
		return "C-band tunable laser";
	return is_multimode(p) ? "850 nm VCSEL" : "1310 nm EML";
}

static void cmis_fields(struct out *o, const struct box_port *p,
			const struct form_info *f)
{
	char applications[APPLICATIONS_MAX], field[40];

	applications_text(p, f, applications);
	out_text(o, "application_advertisement", applications);
	out_text(o, "specification_compliance", cmis_compliance(p));
	out_text(o, "nominal_bit_rate", "0");
	out_u64(o, "host_lane_count", p->cage_lanes);
	out_u64(o, "media_lane_count", media_lanes(p));
	out_text(o, "media_interface_technology", technology(p));
	out_text(o, "cmis_rev", "5.0");
	out_text(o, "vdm_supported", p->form == FORM_CMIS ? "True" : "False");
	for (unsigned i = 1; i <= PLANT_LANES_MAX; i++) {
		(void)snprintf(field, sizeof(field),
			       "active_apsel_hostlane%u", i);
		out_text(o, field, i <= p->cage_lanes ? "1" : NA);
	}
	if (p->facts.coherent)
		coherent_info_fields(o);
}

static void sff_fields(struct out *o, const struct box_port *p)
{
	char compliance[160], media[64];

	media_text(p, media, sizeof(media));
	if (is_copper(p))
		(void)snprintf(media, sizeof(media), "%uGBASE-CR%u",
			       cage_gbps(p), p->cage_lanes);
	(void)snprintf(compliance, sizeof(compliance),
		       "{'10/40G Ethernet Compliance Code': 'Extended', "
		       "'Extended Specification Compliance': '%s'}", media);
	out_text(o, "application_advertisement", NA);
	out_text(o, "specification_compliance", compliance);
	out_u64(o, "nominal_bit_rate", cage_gbps(p) * 10 / p->cage_lanes);
}

/* SFF strings keep their trailing blanks. */
static void vendor_fields(struct out *o, const struct box_port *p)
{
	const char *pad = p->form == FORM_CMIS || p->form == FORM_CMIS_COPPER ?
			  "" : "      ";
	char text[40];

	(void)snprintf(text, sizeof(text), "%s%s", p->facts.vendor, pad);
	out_text(o, "manufacturer", text);
	(void)snprintf(text, sizeof(text), "%s%s", p->facts.part, pad);
	out_text(o, "model", text);
	out_text(o, "serial", p->now.serial);
	out_text(o, "vendor_oui", "02-70-74");
	out_text(o, "vendor_date", "2026-01-05 ");
	out_text(o, "vendor_rev", "A1");
	out_text(o, "hardware_rev", "A1");
}

void module_info_row(struct out *o, const struct box_port *p)
{
	const struct form_info *f = &infos[p->form];
	bool cmis = f->host != NULL;

	out_row(o, STATE_DB, "TRANSCEIVER_INFO", p->facts.name);
	out_text(o, "type", f->type);
	out_text(o, "type_abbrv_name", f->abbreviation);
	vendor_fields(o, p);
	out_text(o, "connector", is_copper(p) ? "No separable connector" :
		 media_lanes(p) > 1 && cmis ? "MPO 1x12" : "LC");
	out_text(o, "encoding", f->encoding);
	out_text(o, "ext_identifier", p->facts.coherent ?
		 "Power Class 8 (20.0W Max)" : f->power);
	out_text(o, "ext_rateselect_compliance", f->rate_select);
	out_text(o, "cable_type", is_copper(p) ? "Length Cable Assembly(m)" :
						 "Length SMF (m)");
	out_text(o, "cable_length", is_copper(p) ? "2.0" : "500.0");
	out_text(o, "is_replaceable", "True");
	if (cmis)
		cmis_fields(o, p, f);
	else
		sff_fields(o, p);
	out_row_end(o);
	out_row(o, STATE_DB, "TRANSCEIVER_FIRMWARE_INFO", p->facts.name);
	out_text(o, "active_firmware", cmis ? "1.4.0" : NA);
	out_text(o, "inactive_firmware", cmis ? "1.3.2" : NA);
	out_row_end(o);
}
