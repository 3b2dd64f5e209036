/* Launch power, sensitivity and the limits of monitors are near those of IEEE
 * 802.3 for DR4 (clause 124), FR4 and LR4-6 (clause 151 and the 100G Lambda
 * agreements, as vendors' data sheets give them: LR4 launches -2.7 to 5.1 dBm),
 * 800GBASE-DR8 (802.3df), SR8 (clause 138), 100GBASE-SR4 (clause 95) and LR4
 * (clause 88), and of OIF 400ZR (launch -10 to -6 dBm, receives -12 to 0 dBm,
 * corrects up to 1.25e-2). PAM4 needs 2.4e-4, RS(528,514) 5e-5. T0: 50 to 90 K
 * for lasers on InP, 120 K and more for VCSELs. Copper has no light: its
 * "loss" is what is left of COM's 3 dB. Chosen: share of noise that beats with
 * the signal, runs of errors, warmth, how many lanes share a laser.
 */
#include "tests/judge/c_media.h"

#define Q_PAM4 3.41		/* 2.4e-4 = 0.375 erfc(Q / sqrt 2) */
#define Q_NRZ 3.89		/* 5e-5 = 0.5 erfc(Q / sqrt 2) */
#define Q_QAM16 2.13		/* 1.25e-2, two polarisations */

static const struct c_media_row rows[C_MEDIUM_COUNT] = {
[C_DR4] = { "DR4", 4, 400000, FEC_RS544, Q_PAM4, 0.375,
	{ -0.8, 3 }, { 0.3, 2.4 }, { -5.6, -3.6 }, { 0.1, 0.3 }, { 45, 110 },
	{ 0.02, 0.15 }, 75, 25, 1310, 0, 2, -5.9, 4, -2.9, 4 },
[C_DR8] = { "DR8", 8, 800000, FEC_RS544, Q_PAM4, 0.375,
	{ -0.5, 3 }, { 0.3, 2.2 }, { -5.4, -3.6 }, { 0.1, 0.3 }, { 60, 130 },
	{ 0.02, 0.15 }, 75, 32, 1310, 0, 4, -5.9, 4, -2.9, 4 },
[C_FR4] = { "FR4", 4, 400000, FEC_RS544, Q_PAM4, 0.375,
	{ 0, 3.4 }, { 0.5, 3.2 }, { -6.2, -4.2 }, { 0.1, 0.3 }, { 40, 85 },
	{ 0.02, 0.15 }, 60, 27, 1271, 20, 1, -7.3, 3.5, -3.2, 3.5 },
[C_LR4] = { "LR4", 4, 400000, FEC_RS544, Q_PAM4, 0.375,
	{ 0.8, 4.4 }, { 2, 5.2 }, { -8, -6 }, { 0.1, 0.28 }, { 50, 95 },
	{ 0.02, 0.12 }, 62, 28, 1271, 20, 1, -9, 5.1, -2.7, 5.1 },
[C_SR8] = { "SR8", 8, 400000, FEC_RS544, Q_PAM4, 0.375,
	{ -2, 2 }, { 0.2, 1.6 }, { -7.6, -5.8 }, { 0.1, 0.28 }, { 5, 9.5 },
	{ 0.02, 0.2 }, 140, 21, 850, 0, 1, -8.4, 4, -6.5, 4 },
[C_SR4_100G] = { "SR4", 4, 100000, FEC_RS528, Q_NRZ, 0.5,
	{ -2.5, 1.5 }, { 0.2, 1.6 }, { -9.5, -7 }, { 0.03, 0.2 }, { 5, 8.5 },
	{ 0.002, 0.02 }, 150, 13, 850, 0, 1, -10.3, 2.4, -8.4, 2.4 },
[C_LR4_100G] = { "LR4", 4, 100000, FEC_RS528, Q_NRZ, 0.5,
	{ -0.5, 3.5 }, { 1.5, 5.5 }, { -11, -8.6 }, { 0.03, 0.2 }, { 30, 65 },
	{ 0.002, 0.02 }, 58, 16, 1295.6, 4.5, 1, -10.6, 4.5, -4.3, 4.5 },
[C_AOC] = { "AOC", 4, 200000, FEC_RS544, Q_PAM4, 0.375,
	{ -2, 1.5 }, { 0.2, 0.9 }, { -7.2, -5.6 }, { 0.1, 0.28 }, { 5, 9 },
	{ 0.02, 0.2 }, 145, 17, 850, 0, 1, -9, 4, -7, 4 },
[C_AEC] = { "AEC", 8, 800000, FEC_RS544, Q_PAM4, 0.375,
	{ 2.8, 6.4 }, { 0, 0 }, { 0, 0 }, { 0.02, 0.1 }, { 0, 0 },
	{ 0.05, 0.35 }, 0, 22, 0, 0, 0, 0, 0, 0, 0 },
[C_DAC] = { "DAC", 4, 400000, FEC_RS544, Q_PAM4, 0.375,
	{ 2.2, 6 }, { 0, 0 }, { 0, 0 }, { 0.02, 0.1 }, { 0, 0 },
	{ 0.1, 0.5 }, 0, 3, 0, 0, 0, 0, 0, 0, 0 },
[C_DAC_100G] = { "DAC", 4, 100000, FEC_RS528, Q_NRZ, 0.5,
	{ 3, 7 }, { 0, 0 }, { 0, 0 }, { 0.01, 0.1 }, { 0, 0 },
	{ 0.01, 0.06 }, 0, 2, 0, 0, 0, 0, 0, 0, 0 },
[C_ZR] = { "ZR", 1, 400000, FEC_RS544, Q_QAM16, 0.375,
	{ -9.5, -7.2 }, { 0.5, 3.5 }, { -14.6, -12.6 }, { 0.15, 0.35 },
	{ 120, 240 }, { 0.001, 0.01 }, 70, 34, 1548, 0, 1, -14, 0, -11, -6 },
};

/* As clusters are built: leaves of copper or light to hosts, rails, spines,
 * the edge towards other halls, and what is left of an older fabric.
 */
static const struct c_role roles[] = {
{ "rail leaf", { { C_DR4, 8, "gpu" }, { C_DR8, 8, "spine" } }, 8, 3, 2 },
{ "copper leaf", { { C_DAC, 5, "gpu" }, { C_AEC, 5, "gpu" },
		   { C_FR4, 4, "spine" }, { C_DR4, 2, "store" } }, 4, 4, 1 },
{ "spine", { { C_FR4, 8, "leaf" }, { C_DR4, 6, "leaf" },
	     { C_LR4, 2, "core" } }, 8, 4, 1 },
{ "short leaf", { { C_SR8, 6, "gpu" }, { C_AOC, 5, "store" },
		  { C_DR4, 5, "spine" } }, 16, 3, 1 },
{ "edge", { { C_ZR, 4, "hall" }, { C_LR4, 5, "hall" }, { C_FR4, 5, "spine" },
	    { C_DAC, 2, "router" } }, 4, 4, 1 },
{ "older leaf", { { C_SR4_100G, 5, "host" }, { C_DAC_100G, 4, "host" },
		  { C_LR4_100G, 4, "spine" }, { C_AOC, 3, "store" } },
	16, 3, 1 },
};

const struct c_media_row *c_media_row(enum c_medium medium)
{
	return &rows[medium];
}

const struct c_role *c_media_role(uint64_t turn)
{
	return &roles[turn % (sizeof(roles) / sizeof(roles[0]))];
}
