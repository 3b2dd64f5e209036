/* From SFF-8024 rev 4.8a as SONiC's codes/public/sff8024.py has it, and newer
 * codes that images of real modules bear out (their lane counts agree).
 */
#include "platform/module/code.h"

#include <stdio.h>
#include <string.h>

#include "agent/base/names.h"

static const char *const form_factors[] = {
	[0x01] = "GBIC", [0x02] = "soldered", [0x03] = "SFP",
	[0x06] = "XFP", [0x0b] = "DWDM-SFP", [0x0c] = "QSFP",
	[0x0d] = "QSFP+", [0x0e] = "CXP", [0x11] = "QSFP28",
	[0x12] = "CXP2", [0x17] = "microQSFP", [0x18] = "QSFP-DD",
	[0x19] = "OSFP", [0x1a] = "SFP-DD", [0x1b] = "DSFP",
	[0x1e] = "QSFP-CMIS", [0x1f] = "SFP-DD-CMIS", [0x20] = "SFP-CMIS",
	[0x21] = "OSFP-XD", [0x80] = "CPO",
};

static const char *const connectors[] = {
	[0x01] = "SC", [0x02] = "FC style 1 copper",
	[0x03] = "FC style 2 copper", [0x04] = "BNC/TNC",
	[0x05] = "FC coax", [0x06] = "Fiberjack", [0x07] = "LC",
	[0x08] = "MT-RJ", [0x09] = "MU",
	[0x0a] = "SG", [0x0b] = "optical pigtail", [0x0c] = "MPO 1x12",
	[0x0d] = "MPO 2x16", [0x20] = "HSSDC II", [0x21] = "copper pigtail",
	[0x22] = "RJ45", [0x23] = "not separable", [0x24] = "MXC 2x16",
	[0x25] = "CS", [0x26] = "SN", [0x27] = "MPO 2x12", [0x28] = "MPO 1x16",
};

static const char *const technologies[] = {
	[0x00] = "850 nm VCSEL", [0x01] = "1310 nm VCSEL",
	[0x02] = "1550 nm VCSEL", [0x03] = "1310 nm FP",
	[0x04] = "1310 nm DFB", [0x05] = "1550 nm DFB",
	[0x06] = "1310 nm EML", [0x07] = "1550 nm EML", [0x08] = "other",
	[0x09] = "1490 nm DFB", [0x0a] = "copper, unequalised",
	[0x0b] = "copper, passive equaliser",
	[0x0c] = "copper, both ends active", [0x0d] = "copper, far end active",
	[0x0e] = "copper, near end active", [0x0f] = "copper, linear active",
	[0x10] = "C-band tunable laser", [0x11] = "L-band tunable laser",
	[0x12] = "copper, both ends linear and active",
	[0x13] = "copper, far end linear and active",
	[0x14] = "copper, near end linear and active",
};

static const char *const compliances[] = {
	/* of four lanes */
	[0x01] = "100G AOC", [0x02] = "100GBASE-SR4", [0x03] = "100GBASE-LR4",
	[0x04] = "100GBASE-ER4", [0x05] = "100GBASE-SR10",
	[0x06] = "100G-CWDM4", [0x07] = "100G-PSM4", [0x08] = "100G ACC",
	[0x0b] = "100GBASE-CR4", [0x0c] = "25GBASE-CR CA-S",
	[0x0d] = "25GBASE-CR CA-N", [0x10] = "40GBASE-ER4",
	[0x11] = "4x10GBASE-SR", [0x12] = "40G-PSM4", [0x16] = "10GBASE-T",
	[0x17] = "100G-CLR4", [0x18] = "100G AOC", [0x19] = "100G ACC",
	[0x1a] = "100GE-DWDM2", [0x1b] = "100G 1550 nm WDM",
	[0x1c] = "10GBASE-T", [0x1d] = "5GBASE-T", [0x1e] = "2.5GBASE-T",
	[0x1f] = "40G-SWDM4", [0x20] = "100G-SWDM4", [0x21] = "100G-BiDi",
	[0x22] = "100G-4WDM-10", [0x23] = "100G-4WDM-20",
	[0x24] = "100G-4WDM-40", [0x25] = "100GBASE-DR",
	[0x26] = "100GBASE-FR1", [0x27] = "100GBASE-LR1",
	[0x28] = "100GBASE-SR1", [0x29] = "100GBASE-SR1",
	[0x2a] = "100GBASE-FR1", [0x2b] = "100GBASE-LR1",
	[0x2c] = "100G-LR1-20", [0x2d] = "100G-ER1-30",
	[0x2e] = "100G-ER1-40", [0x2f] = "100G-LR1-20", [0x30] = "200G ACC",
	[0x31] = "200G AOC", [0x32] = "200G ACC", [0x33] = "200G AOC",
	[0x34] = "100G-ER1-30", [0x35] = "100G-ER1-40",
	[0x36] = "100GBASE-VR1", [0x37] = "10GBASE-BR",
	[0x38] = "25GBASE-BR", [0x39] = "50GBASE-BR",
	[0x3a] = "100GBASE-VR1", [0x3f] = "100GBASE-CR1",
	[0x40] = "200GBASE-CR4", [0x41] = "200GBASE-SR4",
	[0x42] = "200GBASE-DR4", [0x43] = "200GBASE-FR4",
	[0x44] = "200G-PSM4", [0x45] = "50GBASE-LR", [0x46] = "200GBASE-LR4",
	[0x47] = "400GBASE-DR4", [0x48] = "400GBASE-FR4",
	[0x49] = "400GBASE-LR4-6", [0x4a] = "50GBASE-ER",
	[0x4b] = "400G-LR4-10", [0x4c] = "400GBASE-ZR", [0x50] = "64GFC-EA",
	[0x51] = "64GFC-SW", [0x52] = "64GFC-LW", [0x53] = "128GFC-EA",
	[0x54] = "128GFC-SW", [0x55] = "128GFC-LW", [0x7f] = "256GFC-SW4",
	[0x80] = "64GFC", [0x81] = "128GFC",
};

/* The same codes of a module of one lane, where they mean another thing. */
static const char *const compliances_of_one[] = {
	[0x01] = "25G AOC", [0x02] = "25GBASE-SR", [0x03] = "25GBASE-LR",
	[0x04] = "25GBASE-ER", [0x08] = "25G ACC",
	[0x0b] = "25GBASE-CR CA-L", [0x18] = "25G AOC", [0x19] = "25G ACC",
	[0x30] = "50G ACC", [0x31] = "50G AOC", [0x32] = "50G ACC",
	[0x33] = "50G AOC", [0x40] = "50GBASE-CR", [0x41] = "50GBASE-SR",
	[0x42] = "50GBASE-FR",
};

static const char *const hosts[] = {
	[0x01] = "1000BASE-CX", [0x02] = "XAUI", [0x03] = "XFI",
	[0x04] = "SFI", [0x05] = "25GAUI", [0x06] = "XLAUI",
	[0x07] = "XLPPI", [0x08] = "LAUI-2", [0x09] = "50GAUI-2",
	[0x0a] = "50GAUI-1", [0x0b] = "CAUI-4", [0x0c] = "100GAUI-4",
	[0x0d] = "100GAUI-2", [0x0e] = "200GAUI-8", [0x0f] = "200GAUI-4",
	[0x10] = "400GAUI-16", [0x11] = "400GAUI-8", [0x13] = "10GBASE-CX4",
	[0x14] = "25GBASE-CR CA-L", [0x15] = "25GBASE-CR CA-S",
	[0x16] = "25GBASE-CR CA-N", [0x17] = "40GBASE-CR4",
	[0x18] = "50GBASE-CR", [0x19] = "100GBASE-CR10",
	[0x1a] = "100GBASE-CR4", [0x1b] = "100GBASE-CR2",
	[0x1c] = "200GBASE-CR4", [0x1d] = "400G-CR8", [0x1e] = "1000BASE-T",
	[0x1f] = "2.5GBASE-T", [0x20] = "5GBASE-T", [0x21] = "10GBASE-T",
	[0x22] = "25GBASE-T", [0x23] = "40GBASE-T", [0x24] = "50GBASE-T",
	[0x25] = "8GFC", [0x26] = "10GFC", [0x27] = "16GFC",
	[0x28] = "32GFC", [0x29] = "64GFC", [0x2a] = "128GFC",
	[0x2b] = "256GFC", [0x2c] = "IB SDR", [0x2d] = "IB DDR",
	[0x2e] = "IB QDR", [0x2f] = "IB FDR", [0x30] = "IB EDR",
	[0x31] = "IB HDR", [0x32] = "IB NDR", [0x33] = "E.96",
	[0x34] = "E.99", [0x35] = "E.119", [0x36] = "E.238",
	[0x37] = "OTL3.4", [0x38] = "OTL4.10", [0x39] = "OTL4.4",
	[0x3a] = "OTLC.4", [0x3b] = "FOIC1.4", [0x3c] = "FOIC1.2",
	[0x3d] = "FOIC2.8", [0x3e] = "FOIC2.4", [0x3f] = "FOIC4.16",
	[0x40] = "FOIC4.8", [0x41] = "CAUI-4 no FEC",
	[0x42] = "CAUI-4 RS-FEC", [0x46] = "100GBASE-CR1",
	[0x47] = "200GBASE-CR2", [0x48] = "400GBASE-CR4",
	[0x49] = "800G-ETC-CR8", [0x4b] = "100GAUI-1-S",
	[0x4c] = "100GAUI-1-L", [0x4d] = "200GAUI-2-S",
	[0x4e] = "200GAUI-2-L", [0x4f] = "400GAUI-4-S",
	[0x50] = "400GAUI-4-L", [0x51] = "800GAUI-8-S",
	[0x52] = "800GAUI-8-L", [0x80] = "200GAUI-1", [0x81] = "400GAUI-2",
	[0x82] = "800GAUI-4", [0x83] = "1.6TAUI-8",
};

static const char *const media_mmf[] = {
	[0x01] = "10GBASE-SW", [0x02] = "10GBASE-SR", [0x03] = "25GBASE-SR",
	[0x04] = "40GBASE-SR4", [0x05] = "40GE-SWDM4", [0x06] = "40GE-BiDi",
	[0x07] = "50GBASE-SR", [0x08] = "100GBASE-SR10",
	[0x09] = "100GBASE-SR4", [0x0a] = "100GE-SWDM4",
	[0x0b] = "100GE-BiDi", [0x0c] = "100GBASE-SR2",
	[0x0d] = "100GBASE-SR1", [0x0e] = "200GBASE-SR4",
	[0x0f] = "400GBASE-SR16", [0x10] = "400GBASE-SR8",
	[0x11] = "400GBASE-SR4", [0x12] = "800GBASE-SR8",
	[0x13] = "8GFC-MM", [0x14] = "10GFC-MM", [0x15] = "16GFC-MM",
	[0x16] = "32GFC-MM", [0x17] = "64GFC-MM", [0x18] = "128GFC-MM4",
	[0x19] = "256GFC-MM4", [0x1a] = "400GBASE-SR4.2", [0x1b] = "200GBASE-SR2",
	[0x1d] = "100GBASE-VR1", [0x1e] = "200GBASE-VR2",
	[0x1f] = "400GBASE-VR4", [0x20] = "800GBASE-VR8",
};

static const char *const media_smf[] = {
	[0x01] = "10GBASE-LW", [0x02] = "10GBASE-EW", [0x03] = "10G-ZW",
	[0x04] = "10GBASE-LR", [0x05] = "10GBASE-ER", [0x06] = "10G-ZR",
	[0x07] = "25GBASE-LR", [0x08] = "25GBASE-ER", [0x09] = "40GBASE-LR4",
	[0x0a] = "40GBASE-FR", [0x0b] = "50GBASE-FR", [0x0c] = "50GBASE-LR",
	[0x0d] = "100GBASE-LR4", [0x0e] = "100GBASE-ER4",
	[0x0f] = "100G-PSM4", [0x10] = "100G-CWDM4", [0x11] = "100G-4WDM-10",
	[0x12] = "100G-4WDM-20", [0x13] = "100G-4WDM-40",
	[0x14] = "100GBASE-DR", [0x15] = "100GBASE-FR1",
	[0x16] = "100GBASE-LR1", [0x17] = "200GBASE-DR4",
	[0x18] = "200GBASE-FR4", [0x19] = "200GBASE-LR4",
	[0x1a] = "400GBASE-FR8", [0x1b] = "400GBASE-LR8",
	[0x1c] = "400GBASE-DR4", [0x1d] = "400GBASE-FR4",
	[0x1e] = "400G-LR4-10", [0x1f] = "8GFC-SM", [0x20] = "10GFC-SM",
	[0x21] = "16GFC-SM", [0x22] = "32GFC-SM", [0x23] = "64GFC-SM",
	[0x24] = "128GFC-PSM4", [0x25] = "256GFC-PSM4",
	[0x26] = "128GFC-CWDM4", [0x27] = "256GFC-CWDM4",
	[0x2c] = "4I1-9D1F", [0x2d] = "4L1-9C1F", [0x2e] = "4L1-9D1F",
	[0x2f] = "C4S1-9D1F", [0x30] = "C4S1-4D1F", [0x31] = "4I1-4D1F",
	[0x32] = "8R1-4D1F", [0x33] = "8I1-4D1F", [0x34] = "100G-CWDM4-OCP",
	[0x38] = "10G-SR",
	[0x39] = "10G-LR", [0x3a] = "25G-SR", [0x3b] = "25G-LR",
	[0x3c] = "10G-LR-BiDi", [0x3d] = "25G-LR-BiDi", [0x3e] = "400ZR",
	[0x3f] = "400ZR, unamplified", [0x41] = "400GBASE-LR4-6",
	[0x46] = "ZR400-OFEC-16QAM", [0x47] = "ZR300-OFEC-8QAM",
	[0x48] = "ZR200-OFEC-QPSK", [0x49] = "ZR100-OFEC-QPSK",
	[0x55] = "400GBASE-DR4-2", [0x56] = "800GBASE-DR8",
	[0x57] = "800GBASE-DR8-2", [0x73] = "200GBASE-DR1",
	[0x75] = "400GBASE-DR2", [0x77] = "800GBASE-DR4",
};

static const char *const media_copper[] = {
	[0x01] = "copper cable", [0x02] = "passive loopback",
};

static const char *const media_active[] = {
	[0x01] = "active cable, BER 1e-12", [0x02] = "active cable, BER 5e-5",
	[0x03] = "active cable, BER 2.6e-4", [0x04] = "active cable, BER 1e-6",
	[0xbf] = "active loopback",
};

static const char *const media_base_t[] = {
	[0x01] = "1000BASE-T", [0x02] = "2.5GBASE-T", [0x03] = "5GBASE-T",
	[0x04] = "10GBASE-T",
};

#define TABLE(names) { names, sizeof(names) / sizeof(names[0]) }

static const struct {
	const char *const *names;
	size_t count;
} tables[CODE_TABLE_COUNT] = {
	[CODE_FORM_FACTOR] = TABLE(form_factors),
	[CODE_CONNECTOR] = TABLE(connectors),
	[CODE_TECHNOLOGY] = TABLE(technologies),
	[CODE_COMPLIANCE] = TABLE(compliances),
	[CODE_COMPLIANCE_OF_ONE] = TABLE(compliances_of_one),
	[CODE_HOST] = TABLE(hosts),
	[CODE_MEDIA_MMF] = TABLE(media_mmf),
	[CODE_MEDIA_SMF] = TABLE(media_smf),
	[CODE_MEDIA_COPPER] = TABLE(media_copper),
	[CODE_MEDIA_ACTIVE] = TABLE(media_active),
	[CODE_MEDIA_BASE_T] = TABLE(media_base_t),
};

const char *code_word(enum code_table table, unsigned code)
{
	return names_get(tables[table].names, tables[table].count, code);
}

void code_text(enum code_table table, unsigned code,
	       char ret[static CODE_TEXT_MAX])
{
	const char *word = code_word(table, code);

	if (word)
		(void)snprintf(ret, CODE_TEXT_MAX, "%s", word);
	else if (!code)
		(void)snprintf(ret, CODE_TEXT_MAX, "undefined");
	else
		(void)snprintf(ret, CODE_TEXT_MAX, "0x%02x", code);
}

void code_media(int type, unsigned code, char ret[static CODE_TEXT_MAX])
{
	if (type >= 1 && type <= CODE_MEDIA_BASE_T - CODE_MEDIA_MMF + 1)
		code_text(CODE_MEDIA_MMF + (unsigned)type - 1, code, ret);
	else
		(void)snprintf(ret, CODE_TEXT_MAX, "0x%02x", code);
}

const char *code_media_short(const char *name)
{
	const char *base = strstr(name, "BASE-");
	const char *dash = strchr(name, '-');

	if (base)
		return base + strlen("BASE-");
	return dash && strncmp(name, "ZR", 2) != 0 ? dash + 1 : name;
}
