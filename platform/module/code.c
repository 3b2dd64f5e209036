/* From SFF-8024 rev 4.14 of 2026-06-04, as far as two independent public
 * sources agree: OptiDiag's CmisCodeTables.cs and the sff-common-ext.c written
 * for ethtool (rev 4.13); else a CMIS tool's cmis_registers.py (4.14),
 * SFP_TOOL_CH341's SFF8024.cs (4.12), FreeBSD's net/sff8024.h (4.14), ethtool's
 * qsfp.c or SONiC's sff8024.py (4.8a).
 *
 * A table is a string: each code, its name and a NUL, in order of the codes.
 */
#include "platform/module/code.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* 4-1; 80h is SONiC's code for co-packaged optics */
static const char form_factors[] =
	"\x01" "GBIC\0" "\x02" "soldered\0" "\x03" "SFP\0"
	"\x04" "300-pin XBI\0" "\x05" "XENPAK\0" "\x06" "XFP\0" "\x07" "XFF\0"
	"\x08" "XFP-E\0" "\x09" "XPAK\0" "\x0a" "X2\0" "\x0b" "DWDM-SFP\0"
	"\x0c" "QSFP\0" "\x0d" "QSFP+\0" "\x0e" "CXP\0" "\x0f" "HD 4X\0"
	"\x10" "HD 8X\0" "\x11" "QSFP28\0" "\x12" "CXP2\0" "\x13" "CDFP\0"
	"\x14" "HD 4X fanout\0" "\x15" "HD 8X fanout\0" "\x16" "CDFP style 3\0"
	"\x17" "microQSFP\0" "\x18" "QSFP-DD\0" "\x19" "OSFP\0"
	"\x1a" "SFP-DD\0" "\x1b" "DSFP\0" "\x1c" "MiniLink x4\0"
	"\x1d" "MiniLink x8\0" "\x1e" "QSFP-CMIS\0" "\x1f" "SFP-DD-CMIS\0"
	"\x20" "SFP-CMIS\0" "\x21" "OSFP-XD\0" "\x22" "ELSFP\0"
	"\x23" "CDFP x4\0" "\x24" "CDFP x8\0" "\x25" "CDFP x16\0" "\x26" "XPO\0"
	"\x80" "CPO\0";

/* 4-3 */
static const char connectors[] =
	"\x01" "SC\0" "\x02" "FC style 1 copper\0" "\x03" "FC style 2 copper\0"
	"\x04" "BNC/TNC\0" "\x05" "FC coax\0" "\x06" "Fiberjack\0" "\x07" "LC\0"
	"\x08" "MT-RJ\0" "\x09" "MU\0" "\x0a" "SG\0" "\x0b" "optical pigtail\0"
	"\x0c" "MPO 1x12\0" "\x0d" "MPO 2x16\0" "\x20" "HSSDC II\0"
	"\x21" "copper pigtail\0" "\x22" "RJ45\0" "\x23" "not separable\0"
	"\x24" "MXC 2x16\0" "\x25" "CS\0" "\x26" "SN\0" "\x27" "MPO 2x12\0"
	"\x28" "MPO 1x16\0";

/* 4-4, with the meaning for modules of four lanes */
static const char compliances[] =
	"\x01" "100G AOC\0" "\x02" "100GBASE-SR4\0" "\x03" "100GBASE-LR4\0"
	"\x04" "100GBASE-ER4\0" "\x05" "100GBASE-SR10\0" "\x06" "100G-CWDM4\0"
	"\x07" "100G-PSM4\0" "\x08" "100G ACC\0"
	"\x09" "100G-CWDM4 (obsolete)\0" "\x0b" "100GBASE-CR4\0"
	"\x0c" "25GBASE-CR CA-S\0" "\x0d" "25GBASE-CR CA-N\0"
	"\x0e" "10M single-pair Ethernet\0" "\x10" "40GBASE-ER4\0"
	"\x11" "4x10GBASE-SR\0" "\x12" "40G-PSM4\0" "\x13" "P1I1-2D1\0"
	"\x14" "P1S1-2D2\0" "\x15" "P1L1-2D2\0" "\x16" "10GBASE-T\0"
	"\x17" "100G-CLR4\0" "\x18" "100G AOC\0" "\x19" "100G ACC\0"
	"\x1a" "100GE-DWDM2\0" "\x1b" "100G 1550 nm WDM\0" "\x1c" "10GBASE-T\0"
	"\x1d" "5GBASE-T\0" "\x1e" "2.5GBASE-T\0" "\x1f" "40G-SWDM4\0"
	"\x20" "100G-SWDM4\0" "\x21" "100G-BiDi\0" "\x22" "100G-4WDM-10\0"
	"\x23" "100G-4WDM-20\0" "\x24" "100G-4WDM-40\0" "\x25" "100GBASE-DR\0"
	"\x26" "100GBASE-FR1\0" "\x27" "100GBASE-LR1\0" "\x28" "100GBASE-SR1\0"
	"\x29" "100GBASE-SR1 or 400GBASE-SR4\0"
	"\x2a" "100GBASE-FR1 or 400GBASE-DR4-2\0" "\x2b" "100GBASE-LR1\0"
	"\x2c" "100G-LR1-20\0" "\x2d" "100G-ER1-30\0" "\x2e" "100G-ER1-40\0"
	"\x2f" "100G-LR1-20\0" "\x30" "200G ACC\0" "\x31" "200G AOC\0"
	"\x32" "200G ACC\0" "\x33" "200G AOC\0" "\x34" "100G-ER1-30\0"
	"\x35" "100G-ER1-40\0" "\x36" "100GBASE-VR1 or 400GBASE-VR4\0"
	"\x37" "10GBASE-BR\0" "\x38" "25GBASE-BR\0" "\x39" "50GBASE-BR\0"
	"\x3a" "100GBASE-VR1\0" "\x3f" "100GBASE-CR1 or 400GBASE-CR4\0"
	"\x40" "200GBASE-CR4\0" "\x41" "200GBASE-SR4\0" "\x42" "200GBASE-DR4\0"
	"\x43" "200GBASE-FR4\0" "\x44" "200G-PSM4\0" "\x45" "50GBASE-LR\0"
	"\x46" "200GBASE-LR4\0" "\x47" "400GBASE-DR4\0" "\x48" "400GBASE-FR4\0"
	"\x49" "400GBASE-LR4-6\0" "\x4a" "50GBASE-ER\0" "\x4b" "400G-LR4-10\0"
	"\x4c" "400GBASE-ZR\0" "\x50" "64GFC-EA\0" "\x51" "64GFC-SW\0"
	"\x52" "64GFC-LW\0" "\x53" "128GFC-EA\0" "\x54" "128GFC-SW\0"
	"\x55" "128GFC-LW\0" "\x7f" "256GFC-SW4\0" "\x80" "64GFC\0"
	"\x81" "128GFC\0";

/* The codes that have another meaning for one lane */
static const char compliances_of_one[] =
	"\x01" "25G AOC\0" "\x02" "25GBASE-SR\0" "\x03" "25GBASE-LR\0"
	"\x04" "25GBASE-ER\0" "\x08" "25G ACC\0" "\x0b" "25GBASE-CR CA-L\0"
	"\x18" "25G AOC\0" "\x19" "25G ACC\0" "\x29" "100GBASE-SR1\0"
	"\x2a" "100GBASE-FR1\0" "\x30" "50G ACC\0" "\x31" "50G AOC\0"
	"\x32" "50G ACC\0" "\x33" "50G AOC\0" "\x36" "100GBASE-VR1\0"
	"\x3f" "100GBASE-CR1\0" "\x40" "50GBASE-CR\0" "\x41" "50GBASE-SR\0"
	"\x42" "50GBASE-FR\0";

/* 4-5 */
static const char hosts[] =
	"\x01" "1000BASE-CX\0" "\x02" "XAUI\0" "\x03" "XFI\0" "\x04" "SFI\0"
	"\x05" "25GAUI\0" "\x06" "XLAUI\0" "\x07" "XLPPI\0" "\x08" "LAUI-2\0"
	"\x09" "50GAUI-2\0" "\x0a" "50GAUI-1\0" "\x0b" "CAUI-4\0"
	"\x0c" "100GAUI-4\0" "\x0d" "100GAUI-2\0" "\x0e" "200GAUI-8\0"
	"\x0f" "200GAUI-4\0" "\x10" "400GAUI-16\0" "\x11" "400GAUI-8\0"
	"\x13" "10GBASE-CX4\0" "\x14" "25GBASE-CR CA-L\0"
	"\x15" "25GBASE-CR CA-S\0" "\x16" "25GBASE-CR CA-N\0"
	"\x17" "40GBASE-CR4\0" "\x18" "50GBASE-CR\0" "\x19" "100GBASE-CR10\0"
	"\x1a" "100GBASE-CR4\0" "\x1b" "100GBASE-CR2\0" "\x1c" "200GBASE-CR4\0"
	"\x1d" "400G-CR8\0" "\x1e" "200GBASE-CR1\0" "\x1f" "400GBASE-CR2\0"
	"\x20" "LEI-100G-PAM4-1\0" "\x21" "LEI-200G-PAM4-2\0"
	"\x22" "LEI-400G-PAM4-4\0" "\x23" "LEI-800G-PAM4-8\0" "\x25" "8GFC\0"
	"\x26" "10GFC\0" "\x27" "16GFC\0" "\x28" "32GFC\0" "\x29" "64GFC\0"
	"\x2a" "128GFC (FC-PI-6P)\0" "\x2b" "256GFC\0" "\x2c" "IB SDR\0"
	"\x2d" "IB DDR\0" "\x2e" "IB QDR\0" "\x2f" "IB FDR\0" "\x30" "IB EDR\0"
	"\x31" "IB HDR\0" "\x32" "IB NDR\0" "\x33" "E.96\0" "\x34" "E.99\0"
	"\x35" "E.119\0" "\x36" "E.238\0" "\x37" "OTL3.4\0" "\x38" "OTL4.10\0"
	"\x39" "OTL4.4\0" "\x3a" "OTLC.4\0" "\x3b" "FOIC1.4-MFI\0"
	"\x3c" "FOIC1.2-MFI\0" "\x3d" "FOIC2.8-MFI\0" "\x3e" "FOIC2.4-MFI\0"
	"\x3f" "FOIC4.16-MFI\0" "\x40" "FOIC4.8-MFI\0" "\x41" "CAUI-4 no FEC\0"
	"\x42" "CAUI-4 RS-FEC\0" "\x43" "50GBASE-CR2 RS-FEC\0"
	"\x44" "50GBASE-CR2 BASE-R FEC\0" "\x45" "50GBASE-CR2 no FEC\0"
	"\x46" "100GBASE-CR1\0" "\x47" "200GBASE-CR2\0" "\x48" "400GBASE-CR4\0"
	"\x49" "800GBASE-CR8\0" "\x4a" "128GFC (FC-PI-8)\0"
	"\x4b" "100GAUI-1-S\0" "\x4c" "100GAUI-1-L\0" "\x4d" "200GAUI-2-S\0"
	"\x4e" "200GAUI-2-L\0" "\x4f" "400GAUI-4-S\0" "\x50" "400GAUI-4-L\0"
	"\x51" "800GAUI-8-S\0" "\x52" "800GAUI-8-L\0" "\x53" "OTL4.2\0"
	"\x55" "1.6TAUI-16-S\0" "\x56" "1.6TAUI-16-L\0" "\x57" "800GBASE-CR4\0"
	"\x58" "1.6TBASE-CR8\0" "\x70" "PCIe 4.0\0" "\x71" "PCIe 5.0\0"
	"\x72" "PCIe 6.0\0" "\x73" "PCIe 7.0\0" "\x74" "CEI-112G-LINEAR-PAM4\0"
	"\x80" "200GAUI-1\0" "\x81" "400GAUI-2\0" "\x82" "800GAUI-4\0"
	"\x83" "1.6TAUI-8\0" "\x90" "EEI-100G-RTLR-1-S\0"
	"\x91" "EEI-100G-RTLR-1-L\0" "\x92" "EEI-200G-RTLR-2-S\0"
	"\x93" "EEI-200G-RTLR-2-L\0" "\x94" "EEI-400G-RTLR-4-S\0"
	"\x95" "EEI-400G-RTLR-4-L\0" "\x96" "EEI-800G-RTLR-8-S\0"
	"\x97" "EEI-800G-RTLR-8-L\0" "\x98" "EEI-200G-RTLR-1\0"
	"\x99" "EEI-400G-RTLR-2\0" "\x9a" "EEI-800G-RTLR-4\0"
	"\x9b" "EEI-1.6T-RTLR-8\0" "\xa0" "IB XDR\0" "\xb0" "FOIC1.1-MFI\0"
	"\xb1" "FOIC4.4-MFI\0" "\xb2" "FOIC8.8-MFI\0" "\xb3" "FOIC1e.1-MFI\0"
	"\xb4" "FOIC4e.4-MFI\0" "\xb5" "FOIC1o.1-MFI\0" "\xb6" "FOIC4o.4-MFI\0"
	"\xb7" "G.9804.3\0";

/* 4-6 */
static const char media_mmf[] =
	"\x01" "10GBASE-SW\0" "\x02" "10GBASE-SR\0" "\x03" "25GBASE-SR\0"
	"\x04" "40GBASE-SR4\0" "\x05" "40GE-SWDM4\0" "\x06" "40GE-BiDi\0"
	"\x07" "50GBASE-SR\0" "\x08" "100GBASE-SR10\0" "\x09" "100GBASE-SR4\0"
	"\x0a" "100GE-SWDM4\0" "\x0b" "100GE-BiDi\0" "\x0c" "100GBASE-SR2\0"
	"\x0d" "100GBASE-SR1\0" "\x0e" "200GBASE-SR4\0" "\x0f" "400GBASE-SR16\0"
	"\x10" "400GBASE-SR8\0" "\x11" "400GBASE-SR4\0" "\x12" "800GBASE-SR8\0"
	"\x13" "8GFC-MM\0" "\x14" "10GFC-MM\0" "\x15" "16GFC-MM\0"
	"\x16" "32GFC-MM\0" "\x17" "64GFC-MM\0" "\x18" "128GFC-MM4\0"
	"\x19" "256GFC-MM4\0" "\x1a" "400GBASE-SR4.2\0" "\x1b" "200GBASE-SR2\0"
	"\x1c" "128GFC-MM\0" "\x1d" "100GBASE-VR1\0" "\x1e" "200GBASE-VR2\0"
	"\x1f" "400GBASE-VR4\0" "\x20" "800GBASE-VR8\0" "\x21" "800G-VR4.2\0"
	"\x22" "800G-SR4.2\0" "\x23" "1.6T-VR8.2\0" "\x24" "1.6T-SR8.2\0";

/* 4-7 */
static const char media_smf[] =
	"\x01" "10GBASE-LW\0" "\x02" "10GBASE-EW\0" "\x03" "10G-ZW\0"
	"\x04" "10GBASE-LR\0" "\x05" "10GBASE-ER\0" "\x06" "10G-ZR\0"
	"\x07" "25GBASE-LR\0" "\x08" "25GBASE-ER\0" "\x09" "40GBASE-LR4\0"
	"\x0a" "40GBASE-FR\0" "\x0b" "50GBASE-FR\0" "\x0c" "50GBASE-LR\0"
	"\x0d" "100GBASE-LR4\0" "\x0e" "100GBASE-ER4\0" "\x0f" "100G-PSM4\0"
	"\x10" "100G-CWDM4\0" "\x11" "100G-4WDM-10\0" "\x12" "100G-4WDM-20\0"
	"\x13" "100G-4WDM-40\0" "\x14" "100GBASE-DR\0" "\x15" "100GBASE-FR1\0"
	"\x16" "100GBASE-LR1\0" "\x17" "200GBASE-DR4\0" "\x18" "200GBASE-FR4\0"
	"\x19" "200GBASE-LR4\0" "\x1a" "400GBASE-FR8\0" "\x1b" "400GBASE-LR8\0"
	"\x1c" "400GBASE-DR4\0" "\x1d" "400GBASE-FR4\0" "\x1e" "400G-LR4-10\0"
	"\x1f" "8GFC-SM\0" "\x20" "10GFC-SM\0" "\x21" "16GFC-SM\0"
	"\x22" "32GFC-SM\0" "\x23" "64GFC-SM\0" "\x24" "128GFC-PSM4\0"
	"\x26" "128GFC-CWDM4\0" "\x2c" "4I1-9D1F\0" "\x2d" "4L1-9C1F\0"
	"\x2e" "4L1-9D1F\0" "\x2f" "C4S1-9D1F\0" "\x30" "C4S1-4D1F\0"
	"\x31" "4I1-4D1F\0" "\x32" "8R1-4D1F\0" "\x33" "8I1-4D1F\0"
	"\x34" "100G-CWDM4-OCP\0" "\x35" "ZR400-OFEC-16QAM-HA\0"
	"\x36" "ZR400-OFEC-16QAM-HB\0" "\x37" "ZR400-OFEC-8QAM-HA\0"
	"\x38" "10G-SR\0" "\x39" "10G-LR\0" "\x3a" "25G-SR\0" "\x3b" "25G-LR\0"
	"\x3c" "10G-LR-BiDi\0" "\x3d" "25G-LR-BiDi\0" "\x3e" "400ZR\0"
	"\x3f" "400ZR, unamplified\0" "\x40" "50GBASE-ER\0"
	"\x41" "200GBASE-ER4\0" "\x42" "400GBASE-ER8\0"
	"\x43" "400GBASE-LR4-6\0" "\x44" "100GBASE-ZR\0" "\x45" "128GFC-SM\0"
	"\x46" "ZR400-OFEC-16QAM\0" "\x47" "ZR300-OFEC-8QAM\0"
	"\x48" "ZR200-OFEC-QPSK\0" "\x49" "ZR100-OFEC-QPSK\0"
	"\x4a" "100G-LR1-20\0" "\x4b" "100G-ER1-30\0" "\x4c" "100G-ER1-40\0"
	"\x4d" "400GBASE-ZR\0" "\x4e" "10GBASE-BR\0" "\x4f" "25GBASE-BR\0"
	"\x50" "50GBASE-BR\0" "\x51" "FOIC1.4-DO\0" "\x52" "FOIC2.8-DO\0"
	"\x53" "FOIC4.8-DO\0" "\x54" "FOIC2.4-DO\0" "\x55" "400GBASE-DR4-2\0"
	"\x56" "800GBASE-DR8\0" "\x57" "800GBASE-DR8-2\0"
	"\x58" "ZR400-OFEC-8QAM-HB\0" "\x59" "ZR300-OFEC-8QAM-HA\0"
	"\x5a" "ZR300-OFEC-8QAM-HB\0" "\x5b" "ZR200-OFEC-QPSK-HA\0"
	"\x5c" "ZR200-OFEC-QPSK-HB\0" "\x5d" "ZR100-OFEC-QPSK-HA\0"
	"\x5e" "ZR100-OFEC-QPSK-HB\0" "\x5f" "FLEXO-4-DO-16QAM\0"
	"\x60" "FLEXO-3-DO-8QAM\0" "\x61" "FLEXO-2-DO-QPSK\0"
	"\x62" "FLEXO-2-DO-16QAM\0" "\x63" "FLEXO-1-DO-QPSK\0"
	"\x64" "FLEXO-4e-DO-QPSK\0" "\x65" "FLEXO-4-DO-QPSK\0"
	"\x66" "FLEXO-8e-DO-16QAM\0" "\x67" "FLEXO-8-DO-16QAM\0"
	"\x68" "FLEXO-8e-DPO-16QAM\0" "\x69" "FLEXO-8-DPO-16QAM\0"
	"\x6a" "FLEXO-6e-DPO-16QAM\0" "\x6b" "FLEXO-6-DPO-16QAM\0"
	"\x6c" "800ZR-A\0" "\x6d" "800ZR-B\0" "\x6e" "800ZR-C\0"
	"\x6f" "400G-ER4-30\0" "\x70" "1I1-5D1F\0" "\x71" "1R1-5D1F\0"
	"\x72" "FOIC1.1-RS\0" "\x73" "200GBASE-DR1\0" "\x74" "200GBASE-DR1-2\0"
	"\x75" "400GBASE-DR2\0" "\x76" "400GBASE-DR2-2\0"
	"\x77" "800GBASE-DR4\0" "\x78" "800GBASE-DR4-2\0"
	"\x79" "800GBASE-FR4-500\0" "\x7a" "800GBASE-FR4\0"
	"\x7b" "800GBASE-LR4\0" "\x7c" "800GBASE-LR1\0"
	"\x7d" "800GBASE-ER1-20\0" "\x7e" "800GBASE-ER1\0"
	"\x7f" "1.6TBASE-DR8\0" "\x80" "1.6TBASE-DR8-2\0" "\x81" "XR400-16QAM\0"
	"\x82" "XR300-8QAM\0" "\x83" "XR200-QPSK\0" "\x84" "XR200-16QAM\0"
	"\x85" "XR100-QPSK\0" "\x86" "XR100-16QAM\0" "\x87" "XR400-WS-16QAM\0"
	"\x88" "XR200-WS-QPSK\0" "\x89" "XR200-WS-16QAM\0"
	"\x8a" "XR100-WS-QPSK\0" "\x8b" "XR100-WS-16QAM\0"
	"\x8c" "XR200-WS-BIDI-16QAM\0" "\x8d" "XR100-WS-BIDI-QPSK\0"
	"\x8e" "XR100-WS-BIDI-16QAM\0" "\x8f" "100G-DR1-LPO\0"
	"\x90" "200G-DR2-LPO\0" "\x91" "400G-DR4-LPO\0" "\x92" "800G-DR8-LPO\0"
	"\x93" "400G-FR4-LPO\0";

/* 4-8 */
static const char media_copper[] =
	"\x01" "copper cable\0" "\xbf" "passive loopback\0"
	"\xc0" "linear active loopback\0";

/* 4-9 */
static const char media_active[] =
	"\x01" "active cable, BER 1e-12\0" "\x02" "active cable, BER 5e-5\0"
	"\x03" "active cable, BER 2.6e-4\0" "\x04" "active cable, BER 1e-6\0"
	"\xbf" "active loopback\0";

/* 4-10 */
static const char media_base_t[] =
	"\x01" "1000BASE-T\0" "\x02" "2.5GBASE-T\0" "\x03" "5GBASE-T\0"
	"\x04" "10GBASE-T\0" "\x05" "25GBASE-T\0" "\x06" "40GBASE-T\0"
	"\x07" "50GBASE-T\0";

/* From CMIS (00h:212) and SFF-8636 (00h:147, bits 7 to 4), not SFF-8024 */
static const char technologies[] =
	"\x00" "850 nm VCSEL\0" "\x01" "1310 nm VCSEL\0"
	"\x02" "1550 nm VCSEL\0" "\x03" "1310 nm FP\0" "\x04" "1310 nm DFB\0"
	"\x05" "1550 nm DFB\0" "\x06" "1310 nm EML\0" "\x07" "1550 nm EML\0"
	"\x08" "other\0" "\x09" "1490 nm DFB\0" "\x0a" "copper, unequalised\0"
	"\x0b" "copper, passive equaliser\0" "\x0c" "copper, both ends active\0"
	"\x0d" "copper, far end active\0" "\x0e" "copper, near end active\0"
	"\x0f" "copper, linear active\0" "\x10" "C-band tunable laser\0"
	"\x11" "L-band tunable laser\0"
	"\x12" "copper, both ends linear and active\0"
	"\x13" "copper, far end linear and active\0"
	"\x14" "copper, near end linear and active\0";

#define CODE_NONE 0x100
#define TABLE(names) names, sizeof(names) - 1

static const struct {
	const char *names;
	size_t len;
	unsigned vendors;	/* codes from here on are vendor-specific */
} tables[CODE_TABLE_COUNT] = {
	[CODE_FORM_FACTOR] = { TABLE(form_factors), 0x80 },
	[CODE_CONNECTOR] = { TABLE(connectors), 0x80 },
	[CODE_TECHNOLOGY] = { TABLE(technologies), CODE_NONE },
	[CODE_COMPLIANCE] = { TABLE(compliances), CODE_NONE },
	[CODE_COMPLIANCE_OF_ONE] = { TABLE(compliances_of_one), CODE_NONE },
	[CODE_HOST] = { TABLE(hosts), 0xc0 },
	[CODE_MEDIA_MMF] = { TABLE(media_mmf), 0xc0 },
	[CODE_MEDIA_SMF] = { TABLE(media_smf), 0xc0 },
	[CODE_MEDIA_COPPER] = { TABLE(media_copper), 0xc0 },
	[CODE_MEDIA_ACTIVE] = { TABLE(media_active), 0xc0 },
	[CODE_MEDIA_BASE_T] = { TABLE(media_base_t), 0xc0 },
};

const char *code_word(enum code_table table, unsigned code)
{
	const char *low, *high;

	if (table >= CODE_TABLE_COUNT)
		return NULL;
	low = tables[table].names;
	high = low + tables[table].len;
	if (!*low) {		/* else 0 is the end of a name */
		if (code == 0)
			return low + 1;
		low += 1 + strlen(low + 1) + 1;
	}
	while (low < high) {
		const char *at = low + (high - low) / 2;

		while (at > low && at[-1])
			at--;
		if ((uint8_t)*at == code)
			return at + 1;
		if ((uint8_t)*at > code)
			high = at;
		else
			low = at + 1 + strlen(at + 1) + 1;
	}
	return NULL;
}

static void word_put(const char *word, char ret[static CODE_TEXT_MAX])
{
	size_t len = strnlen(word, CODE_TEXT_MAX - 1);

	memcpy(ret, word, len);
	ret[len] = '\0';
}

void code_text(enum code_table table, unsigned code,
	       char ret[static CODE_TEXT_MAX])
{
	const char *word = code_word(table, code);
	bool is_vendors = table < CODE_TABLE_COUNT &&
			  code >= tables[table].vendors;

	if (word)
		word_put(word, ret);
	else if (!code)
		word_put("undefined", ret);
	else
		(void)snprintf(ret, CODE_TEXT_MAX, "%s (%02xh)",
			       is_vendors ? "vendor's own" : "unknown", code);
}

enum code_table code_media(int type)
{
	return type >= 1 && type <= CODE_MEDIA_BASE_T - CODE_MEDIA_MMF + 1 ?
	       CODE_MEDIA_MMF + (unsigned)type - 1 : CODE_TABLE_COUNT;
}

/* The text after the rate: 400G-, 1.6T-, 40GE-; "" if there is no rate. */
static const char *behind_rate(const char *name)
{
	size_t digits = strspn(name, "0123456789.");
	const char *at = name + digits;

	if (!digits || (*at != 'G' && *at != 'T'))
		return "";
	at += at[1] == 'E' ? 2 : 1;
	return *at == '-' ? at + 1 : "";
}

const char *code_media_short(const char *name)
{
	const char *base = strstr(name, "BASE-");
	const char *rest = base ? base + strlen("BASE-") : behind_rate(name);

	return rest[0] ? rest : name;
}
