/* How often: CorrOpt (SIGCOMM 2017, table 2) has dirt 17 to 57 %, bent fibre 14
 * to 48 %, loose or bad modules 6 to 45 %, shared parts 10 to 26 %, fading
 * transmitters below 1 %; here all names come alike. How large:
 *  - dirt takes 0.2 to above 4 dB a connector (IEC 61300-3-35's zones;
 *    Berdinskikh, OFC 2006), and steps when it is plugged;
 *  - bends lose by exp(-c R / wavelength) (Marcuse 1976): more at long waves,
 *    from 0.1 dB a turn of 10 mm (ITU-T G.657.A1) to 6 dB of a pinch;
 *  - lasers end at bias + 50 % or power - 2 dB (the ends of life of
 *    GR-468-CORE), or at once (dark lines: Ueda; Herrick);
 *  - modules may be at 70 degrees; blocked air brings 10 to 25 K, one of
 *    several fans 6 to 16 K (chosen, from the margins of OSFP's and QSFP-DD's
 *    thermal papers);
 *  - contacts fret from milliohms up: at 5 A 3.3 V sags by 0.15 V at 30
 *    (EIA-364-23); vibration opens them for moments (EIA-364-28);
 *  - reflections cost 0.2 to 2.5 dB, by phases (bhatt_3cu, 802.3cu MPI).
 * Months of growth are pressed into the case. Rates of falls and of bursts are
 * chosen so that a case has several.
 */
#include "tests/judge/d_world.h"

#define FAULT(SIGNATURE, END, ACTION) SIGNATURE_##SIGNATURE, END_##END, \
	ACTION_##ACTION, D_FAULT
#define STRANGER 0, 0, 0, D_STRANGE
#define BENIGN 0, 0, 0, D_BENIGN
#define OC (D_OPTICAL | D_CODED)
#define MC (D_MONITORS | D_CODED)
#define LOSS(LOW, HIGH) .size[D_LOSS] = { LOW, HIGH }
#define NOISE(LOW, HIGH) .size[D_NOISE] = { LOW, HIGH }
#define TX(LOW, HIGH) .size[D_TX] = { LOW, HIGH }
#define BIAS(LOW, HIGH) .size[D_BIAS] = { LOW, HIGH }
#define HEAT(LOW, HIGH) .size[D_HEAT] = { LOW, HIGH }
#define SAG(LOW, HIGH) .size[D_SAG] = { LOW, HIGH }
#define BURSTS(LOW, HIGH) .size[D_BURSTS] = { LOW, HIGH }
#define ERRORS(LOW, HIGH) .size[D_ERRORS] = { LOW, HIGH }
#define MISSES(LOW, HIGH) .size[D_MISSES] = { LOW, HIGH }
#define FALLS(LOW, HIGH) .size[D_FALLS] = { LOW, HIGH }
#define DOWN(LOW, HIGH) .size[D_DOWN] = { LOW, HIGH }

static const struct d_kind rows[] = {
	{ "noise of the receiver grows", FAULT(FEC_TREND, NEAR, REPLACE_NEAR),
	  OC, .course = D_GROW, NOISE(0.75, 1.5) },
	{ "reflections interfere", FAULT(FEC_TREND, PATH, CLEAN_NEAR),
	  OC | D_WDM, .acts = D_JITTER, NOISE(0.8, 2.5) },
	{ "equaliser of a lane is off", FAULT(FEC_TREND, NEAR, RESEAT_NEAR),
	  OC, .lanes = D_ONE, NOISE(0.8, 3) },
	{ "clock of the module slips",
	  FAULT(FEC_UNCORRECTABLE, NEAR, REPLACE_NEAR), D_CODED,
	  BURSTS(0.003, 0.3) },
	{ "surges reach the module",
	  FAULT(FEC_UNCORRECTABLE, NEAR, REPLACE_NEAR), D_CODED,
	  .course = D_SPELLS, BURSTS(0.02, 1) },
	{ "dirt goes in with the plug", FAULT(CONTAMINATION, PATH, CLEAN_NEAR),
	  D_OPTICAL, .lanes = D_SOME, .acts = D_TOUCHED, LOSS(0.9, 4.5) },
	{ "dirt settles", FAULT(CONTAMINATION, PATH, CLEAN_NEAR),
	  D_OPTICAL | D_WDM, .course = D_GROW, LOSS(0.75, 1.5) },
	{ "dirt that is cleaned", FAULT(CONTAMINATION, PATH, CLEAN_NEAR),
	  D_OPTICAL, .acts = D_TOUCHED | D_REPAIRED, LOSS(0.9, 4.5) },
	{ "oil creeps over a ferrule", FAULT(CONTAMINATION, PATH, CLEAN_NEAR),
	  D_OPTICAL | D_PARALLEL, .lanes = D_EDGE, .course = D_GROW,
	  LOSS(0.75, 1.5) },
	{ "fibre pinched at work", FAULT(BENT_FIBRE, PATH, REPLACE_CABLE),
	  D_OPTICAL, .lanes = D_RED, .acts = D_WORK, LOSS(0.9, 6) },
	{ "fibre under growing tension",
	  FAULT(BENT_FIBRE, PATH, REPLACE_CABLE), D_OPTICAL, .lanes = D_RED,
	  .course = D_GROW, LOSS(0.75, 1.5) },
	{ "a door bends the fibre", FAULT(BENT_FIBRE, PATH, REPLACE_CABLE),
	  D_OPTICAL, .lanes = D_RED, .course = D_SPELLS, LOSS(1, 6) },
	{ "far laser fades", FAULT(FAR_LASER, FAR, REPLACE_FAR), D_OPTICAL,
	  .lanes = D_ONE, .course = D_GROW, LOSS(0.75, 1.5) },
	{ "far laser of all lanes fades", FAULT(FAR_LASER, FAR, REPLACE_FAR),
	  D_OPTICAL | D_ONE_LASER, .course = D_GROW, LOSS(0.75, 1.5) },
	{ "far laser is unsteady", FAULT(FAR_LASER, FAR, REPLACE_FAR),
	  D_OPTICAL, .lanes = D_ONE, .acts = D_JITTER, LOSS(1, 3.5) },
	{ "laser ages, power held", FAULT(TX_DECAY, NEAR, REPLACE_NEAR),
	  D_OPTICAL, .lanes = D_ONE, .course = D_GROW, .acts = D_LATE,
	  BIAS(0.2, 0.6), TX(1.5, 5) },
	{ "laser ages, bias held", FAULT(TX_DECAY, NEAR, REPLACE_NEAR),
	  D_OPTICAL, .lanes = D_ONE, .course = D_GROW, TX(1.5, 5) },
	{ "laser darkens at once", FAULT(TX_DECAY, NEAR, REPLACE_NEAR),
	  D_OPTICAL, .lanes = D_ONE, TX(1, 4), BIAS(0.02, 0.3) },
	{ "air of a cage is blocked", FAULT(THERMAL_FEC, NEAR, FIX_AIRFLOW),
	  MC, .course = D_SETTLE, HEAT(10, 25), NOISE(0.6, 2) },
	{ "cooler of the laser fails", FAULT(THERMAL_FEC, NEAR, REPLACE_NEAR),
	  OC, .course = D_GROW, HEAT(6, 18), NOISE(0.6, 1.2),
	  BIAS(0.03, 0.2) },
	{ "heat sink sits badly", FAULT(THERMAL_FEC, NEAR, RESEAT_NEAR), MC,
	  .course = D_LOAD, HEAT(12, 28), NOISE(0.6, 2.5) },
	{ "heat of the neighbour", FAULT(THERMAL_FEC, NEAR, FIX_AIRFLOW), MC,
	  .scope = D_PAIR, .course = D_SETTLE, HEAT(8, 20), NOISE(0.5, 1.6) },
	{ "contacts shake", FAULT(LOOSE_MODULE, NEAR, RESEAT_NEAR), MC,
	  .course = D_SPELLS, BURSTS(0.02, 0.5), MISSES(0.1, 0.5),
	  SAG(0.01, 0.06), FALLS(2, 20), DOWN(1, 12),
	  .reason = DOWN_FEC_SYNC_LOSS },
	{ "contacts fret", FAULT(LOOSE_MODULE, NEAR, RESEAT_NEAR), MC,
	  .course = D_GROW, NOISE(0.5, 1.1), SAG(0.03, 0.15),
	  MISSES(0.05, 0.4), BURSTS(0.003, 0.05) },
	{ "module is not latched", FAULT(LOOSE_MODULE, NEAR, RESEAT_NEAR),
	  D_MONITORS, .acts = D_TOUCHED, MISSES(0.2, 0.6), FALLS(4, 30),
	  DOWN(1, 20), .reason = DOWN_SIGNAL_LOCAL },
	{ "copper contact wears", FAULT(COPPER_DEGRADE, PATH, REPLACE_CABLE),
	  D_COPPER, .course = D_GROW, NOISE(0.75, 1.5) },
	{ "copper cable is kinked", FAULT(COPPER_DEGRADE, PATH, REPLACE_CABLE),
	  D_COPPER, .lanes = D_SOME, .acts = D_WORK, NOISE(1, 4) },
	{ "copper pair opens and closes",
	  FAULT(COPPER_DEGRADE, PATH, REPLACE_CABLE), D_COPPER, .lanes = D_ONE,
	  .course = D_SPELLS, NOISE(1.5, 6) },
	{ "lens of a lane slips", FAULT(LANE_IMBALANCE, NEAR, REPLACE_NEAR),
	  D_OPTICAL, .lanes = D_ONE, LOSS(2, 7) },
	{ "photodiode of a lane goes",
	  FAULT(LANE_IMBALANCE, NEAR, REPLACE_NEAR), D_OPTICAL, .lanes = D_ONE,
	  .course = D_SETTLE, LOSS(1.5, 5), NOISE(0.5, 2) },
	{ "port of the peer resets", FAULT(FLAP_BURST, FAR, CHECK_PEER), 0,
	  .course = D_SPELLS, FALLS(6, 60), DOWN(1, 20),
	  .reason = DOWN_MAC_REMOTE_FAULT },
	{ "processor of the module starts anew",
	  FAULT(FLAP_BURST, NEAR, REPLACE_NEAR), D_OPTICAL, .course = D_SPELLS,
	  FALLS(4, 40), DOWN(4, 40), .reason = DOWN_FEC_ALIGNMENT_LOSS },
	{ "training fails again and again",
	  FAULT(FLAP_BURST, PATH, REPLACE_CABLE), D_COPPER, FALLS(4, 40),
	  DOWN(2, 30), .reason = DOWN_TRAINING },
	{ "fibre is cut", FAULT(LINK_DOWN, PATH, REPLACE_CABLE), D_OPTICAL,
	  .reason = DOWN_RX_LOS },
	{ "own transmitter fails", FAULT(LINK_DOWN, NEAR, REPLACE_NEAR),
	  D_OPTICAL, .reason = DOWN_TX_FAULT },
	{ "peer tells a fault", FAULT(LINK_DOWN, FAR, CHECK_PEER), 0,
	  .reason = DOWN_MAC_REMOTE_FAULT },
	{ "module falls out", FAULT(LINK_DOWN, NEAR, RESEAT_NEAR), D_MONITORS,
	  .reason = DOWN_NO_MODULE },
	{ "training does not end", FAULT(LINK_DOWN, PATH, REPLACE_CABLE),
	  D_COPPER, .reason = DOWN_TRAINING },
	{ "codewords are not found", FAULT(LINK_DOWN, NEAR, REPLACE_NEAR), OC,
	  .reason = DOWN_FEC_SYNC_LOSS },
	{ "laser was left off", FAULT(LINK_DOWN, NEAR, FIX_CONFIG), D_OPTICAL,
	  .reason = DOWN_TX_DISABLED },
	{ "lanes do not align", FAULT(LINK_DOWN, NEAR, REPLACE_NEAR), OC,
	  .reason = DOWN_MAC_LOCAL_FAULT },
	{ "far end of a cable is out", FAULT(LINK_DOWN, FAR, RESEAT_FAR),
	  D_COPPER, .reason = DOWN_NO_CARRIER },
	{ "clock of a core is noisy",
	  FAULT(SHARED_COMPONENT, NEAR, REPLACE_NEAR), D_CODED,
	  .scope = D_GROUP, NOISE(0.6, 2) },
	{ "gearbox resets", FAULT(SHARED_COMPONENT, NEAR, REPLACE_NEAR), 0,
	  .scope = D_GROUP, .course = D_SPELLS, FALLS(3, 20), DOWN(2, 30),
	  .reason = DOWN_SIGNAL_LOCAL },
	{ "rail of a card sags", FAULT(SHARED_COMPONENT, NEAR, REPLACE_NEAR),
	  D_CODED, .scope = D_GROUP, .course = D_SETTLE, .acts = D_JITTER,
	  NOISE(0.6, 2), SAG(0.05, 0.2) },
	{ "card has bad contact", FAULT(SHARED_COMPONENT, NEAR, REPLACE_NEAR),
	  D_CODED, .scope = D_GROUP, .course = D_SPELLS, BURSTS(0.02, 0.5) },
	{ "fan wears", FAULT(ENVIRONMENT, NEAR, FIX_AIRFLOW), 0,
	  .scope = D_ZONE, .course = D_GROW, .acts = D_FAN, HEAT(6, 16) },
	{ "fan stops", FAULT(ENVIRONMENT, NEAR, FIX_AIRFLOW), 0,
	  .scope = D_ZONE, .course = D_SETTLE, .acts = D_FAN, HEAT(6, 16) },
	{ "supply fails", FAULT(ENVIRONMENT, NEAR, REPLACE_NEAR), 0,
	  .scope = D_ZONE, .acts = D_SUPPLY, SAG(0.01, 0.05) },
	{ "hot air comes back", FAULT(ENVIRONMENT, NEAR, FIX_AIRFLOW), 0,
	  .scope = D_ZONE, .course = D_SETTLE, HEAT(15, 28) },
	{ "monitors tell what cannot be",
	  FAULT(SENSOR_FAULT, NEAR, REPLACE_NEAR), D_MONITORS,
	  .course = D_SPELLS, .acts = D_GARBAGE, MISSES(0.02, 0.2) },
	{ "bus of a module hangs", FAULT(SENSOR_FAULT, NEAR, RESEAT_NEAR),
	  D_MONITORS, .course = D_SPELLS, MISSES(0.9, 1) },
	{ "monitor of light jumps", FAULT(SENSOR_FAULT, NEAR, REPLACE_NEAR),
	  D_OPTICAL, .acts = D_JUMPS },
	{ "crosstalk of traffic nearby", STRANGER, D_CODED, .course = D_LOAD,
	  NOISE(0.6, 2.5) },
	{ "frames come damaged", STRANGER, 0, ERRORS(0.01, 30) },
	{ "module tunes itself every few minutes", STRANGER, OC,
	  .acts = D_PULSES, NOISE(0.8, 2.5) },
	{ "polarisation wanders", STRANGER, OC, .course = D_SPELLS,
	  .acts = D_JITTER, NOISE(0.8, 3) },
	{ "amplifier of the line grows noisy", STRANGER, D_COHERENT,
	  .course = D_GROW, NOISE(0.75, 1.5) },
	{ "FEC counters stand still", STRANGER, D_CODED, .acts = D_STUCK },
	{ "far power control hunts", STRANGER, D_OPTICAL, .acts = D_PULSES,
	  LOSS(0.6, 2.5) },
	{ "a job begins", BENIGN, 0, .scope = D_SWITCH, .course = D_SETTLE,
	  .acts = D_BUSY, HEAT(2, 7), DOWN(600, 20000) },
	{ "warm-up", BENIGN, 0, .scope = D_SWITCH, .acts = D_COLD, HEAT(8, 22),
	  DOWN(900, 2400) },
	{ "reboot", BENIGN, 0, .scope = D_SWITCH, .acts = D_REBOOT,
	  DOWN(90, 300), .reason = DOWN_NO_CARRIER },
	{ "counters cleared", BENIGN, 0, .scope = D_SWITCH, .acts = D_CLEAR },
	{ "clock steps", BENIGN, 0, .scope = D_SWITCH, .acts = D_CLOCK },
	{ "monitors stand still", BENIGN, 0, .scope = D_SWITCH,
	  .acts = D_STALL, DOWN(120, 3600) },
	{ "a hot day", BENIGN, 0, .scope = D_SWITCH, .course = D_SETTLE,
	  HEAT(3, 8), DOWN(1200, 40000) },
	{ "configuration loaded", BENIGN, 0, .scope = D_SWITCH,
	  .acts = D_RELOAD, DOWN(20, 90), .reason = DOWN_NO_CARRIER },
	{ "traffic drained", BENIGN, 0, .scope = D_SWITCH, .acts = D_DRAIN,
	  DOWN(300, 7200) },
	{ "maintenance of a peer", BENIGN, 0, .scope = D_PEERS,
	  DOWN(240, 1800), .reason = DOWN_MAC_REMOTE_FAULT },
	{ "a rack without power", BENIGN, 0, .scope = D_PEERS, DOWN(240, 3600),
	  .reason = DOWN_RX_LOS },
	{ "port shut", BENIGN, 0, DOWN(120, 7200), .reason = DOWN_ADMIN },
	{ "another module", SIGNATURE_MODULE_CHANGED, 0, 0, D_BENIGN,
	  D_MONITORS, .acts = D_SWAP, DOWN(30, 240),
	  .reason = DOWN_NO_MODULE },
	{ "a single fall", BENIGN, 0, DOWN(1, 20),
	  .reason = DOWN_MAC_REMOTE_FAULT },
	{ "light drifts", BENIGN, D_OPTICAL,
	  .course = D_SETTLE, LOSS(0.03, 0.15) },
	{ "plugged anew", BENIGN, D_OPTICAL, .acts = D_TOUCHED,
	  LOSS(0.02, 0.2) },
};

size_t d_kinds(const struct d_kind **ret)
{
	*ret = rows;
	return sizeof(rows) / sizeof(rows[0]);
}
