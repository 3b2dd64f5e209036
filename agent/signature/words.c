#include "agent/signature/words.h"

#include "agent/base/names.h"

#define FEC "FEC counters of the port, or the module's own bit error ratio"
#define LIGHT "received power of each lane"

static const struct signature_words rows[SIGNATURE_COUNT] = {
[SIGNATURE_FEC_TREND] = {
	SIGNATURE_FEC_TREND, ABOUT_LINK,
	"Errors before FEC grow, or stepped up and stay, and no other "
	"signature explains them.",
	"the bit error ratio leaves what is normal for the port at that "
	"temperature, while light is steady or not read",
	FEC, "without light and temperature, loss, heat and electronics cannot "
	"be told apart", { 0 }, NULL,
	{ { SIGNATURE_FAR_LASER, "the power that the far module sends" },
	  { SIGNATURE_CONTAMINATION, "received power of each lane, or "
	    "cleaning: a reflection does not show in power" } } },
[SIGNATURE_FEC_UNCORRECTABLE] = {
	SIGNATURE_FEC_UNCORRECTABLE, ABOUT_LINK,
	"FEC cannot correct codewords, and no growth of errors explains it: "
	"they come in bursts; or the port has no Reed-Solomon FEC, and "
	"received frames have errors.",
	"uncorrectable codewords although the bit error ratio is too low for "
	"them; without FEC, wrong checksums of frames in three windows of ten "
	"seconds in an hour, more than one in 1e12 bits",
	FEC "; its uncorrectable codewords; without FEC, frames with a wrong "
	"checksum, or all received frames with errors",
	"bursts that lose no codeword are missed; without FEC, errors are "
	"seen only while frames come, and frames of a wrong length, or that "
	"the peer passed on damaged, may count too", { SIGNATURE_FEC_TREND },
	"the mean error ratio does not explain frames lost in bursts",
	{ { 0, NULL } } },
[SIGNATURE_CONTAMINATION] = {
	SIGNATURE_CONTAMINATION, ABOUT_LINK,
	"A connector is dirty or not fully seated.",
	"received power fell in one step, often when somebody plugged, and is "
	"steady since, on one or a few lanes or evenly on all; errors rose as "
	"the loss explains; or, at watch, received power is below the module's "
	"own low warning, and no fall was seen",
	LIGHT, "with one lane, dirt and a bend look more alike",
	{ SIGNATURE_FEC_TREND, SIGNATURE_FEC_UNCORRECTABLE,
	  SIGNATURE_LANE_IMBALANCE }, "the loss explains the errors",
	{ { SIGNATURE_BENT_FIBRE, "lanes of different wavelengths, or light "
	    "that does not settle" },
	  { SIGNATURE_FAR_LASER, "the power that the far module sends: dirt "
	    "that grows slowly looks like a laser that fades" } } },
[SIGNATURE_BENT_FIBRE] = {
	SIGNATURE_BENT_FIBRE, ABOUT_LINK,
	"The fibre is bent, pinched or under tension.",
	"received power fell at once on all lanes, more at longer wavelengths "
	"or from one fibre of a row to the next, and is less steady since",
	LIGHT, "with one lane, or lanes of one wavelength, only unsteadiness "
	       "shows it",
	{ SIGNATURE_FEC_TREND, SIGNATURE_FEC_UNCORRECTABLE,
	  SIGNATURE_LANE_IMBALANCE }, "the loss explains the errors",
	{ { 0, NULL } } },
[SIGNATURE_FAR_LASER] = {
	SIGNATURE_FAR_LASER, ABOUT_LINK,
	"The transmitter at the far end fades.",
	"received power falls slowly and does not recover; errors rise as the "
	"loss explains", LIGHT,
	"the power that the far module sends is not read here",
	{ SIGNATURE_FEC_TREND, SIGNATURE_LANE_IMBALANCE },
	"the loss explains the errors",
	{ { SIGNATURE_LANE_IMBALANCE, "the power that the far module sends, or "
	    "a longer observation" } } },
[SIGNATURE_TX_DECAY] = {
	SIGNATURE_TX_DECAY, ABOUT_MODULE,
	"A laser of this module ages.",
	"its bias current rises, or the power that it sends falls, more than "
	"its temperature explains; while the link is down by a laser that sends "
	"nothing, link_down says so",
	"bias current and sent power of each lane; module temperature",
	"without temperature it is not judged: heat has the same effect",
	{ SIGNATURE_LANE_IMBALANCE }, "the laser's own readings show it",
	{ { 0, NULL } } },
[SIGNATURE_THERMAL_FEC] = {
	SIGNATURE_THERMAL_FEC, ABOUT_MODULE,
	"The module is too warm, and its errors follow the temperature.",
	"the module is much warmer than usual, and others are not; errors rise "
	"as much as its own slope predicts, and light is steady; or it is so "
	"much warmer that its cooling must be at fault, or above its own high "
	"alarm",
	FEC "; module temperature",
	"until the slope is learned, a typical one is used",
	{ SIGNATURE_FEC_TREND }, "heat explains the errors",
	{ { SIGNATURE_ENVIRONMENT, "sensors of the switch, or other modules "
	    "that warm up too" } } },
[SIGNATURE_LOOSE_MODULE] = {
	SIGNATURE_LOOSE_MODULE, ABOUT_MODULE,
	"The module has bad contact in its cage.",
	"errors that jump for some seconds, lose codewords and end by "
	"themselves, twice, or once while a reading of the module fails; or "
	"codewords lost in bursts, and readings of the module fail or the "
	"link falls with them, or now and then as many codewords are lost as "
	"come in microseconds or more; or the link falls again and again, and "
	"while it is up readings of the module fail, or the module gives no "
	"signal though it gets light, or it is out of its cage for a moment",
	FEC, "if counters are read each minute, short jumps are mostly missed",
	{ SIGNATURE_FEC_TREND, SIGNATURE_FEC_UNCORRECTABLE,
	  SIGNATURE_FLAP_BURST, SIGNATURE_SENSOR_FAULT },
	"one bad contact explains all of them",
	{ { SIGNATURE_FEC_UNCORRECTABLE, "touching the module, or failed "
	    "readings from it" },
	  { SIGNATURE_FLAP_BURST, "errors around the falls" } } },
[SIGNATURE_COPPER_DEGRADE] = {
	SIGNATURE_COPPER_DEGRADE, ABOUT_LINK,
	"A copper cable or its contacts wear.",
	"on copper, errors grow, or stepped up and stay", FEC,
	"a passive cable has no readings: the end is not known",
	{ SIGNATURE_FEC_TREND, SIGNATURE_FEC_UNCORRECTABLE },
	"copper has no light that could explain it",
	{ { SIGNATURE_LOOSE_MODULE, "errors that end by themselves" } } },
[SIGNATURE_LANE_IMBALANCE] = {
	SIGNATURE_LANE_IMBALANCE, ABOUT_MODULE,
	"One lane of the module is far below the others.",
	"one lane gets far less light than the others, or it alone has more "
	"errors or a lower signal-to-noise ratio; on one fibre with all "
	"wavelengths, only one wavelength fell",
	LIGHT "; errors and signal to noise of each lane",
	"with one lane there is nothing to compare",
	{ SIGNATURE_FEC_TREND, SIGNATURE_FEC_UNCORRECTABLE,
	  SIGNATURE_FLAP_BURST },
	"one lane explains the errors of the port",
	{ { SIGNATURE_CONTAMINATION, "cleaning, or the moment when the lane "
	    "fell" } } },
[SIGNATURE_FLAP_BURST] = {
	SIGNATURE_FLAP_BURST, ABOUT_LINK,
	"The link falls and comes up again and again.",
	"several falls in minutes; or, at watch, four or more in hours or days",
	"the link's state; the driver's count of falls",
	"without a count, falls between two readings are missed",
	{ SIGNATURE_LINK_DOWN }, "each fall is one of many",
	{ { 0, NULL } } },
[SIGNATURE_LINK_DOWN] = {
	SIGNATURE_LINK_DOWN, ABOUT_LINK,
	"The link is down but should be up.",
	"it was up, or something is plugged in, and it stays down; the cause "
	"says why: no module, no light, a transmitter that fails or is off, "
	"remote or local fault, FEC without lock, training that does not end, "
	"or a peer that is down; another link to the same switch that is up "
	"excludes a restart there; without light a peer may be switched off: "
	"at watch for 12 hours, or 4 if its other links are up and it is a "
	"switch",
	"the link's state", "without a reason from the driver, only light and "
	"the module's state are known", { 0 }, NULL, { { 0, NULL } } },
[SIGNATURE_SHARED_COMPONENT] = {
	SIGNATURE_SHARED_COMPONENT, ABOUT_GROUP,
	"Something that several ports share is failing: a core of the chip, a "
	"gearbox, a retimer, a supply rail, a module of several ports.",
	"ports of one group got worse at the same time while their light is "
	"steady, more than chance allows and more than elsewhere, or errors of "
	"them jump at the same moments; or all links of the group, to more "
	"than one peer, fell at once, or fall together again and again",
	FEC " of several ports; which of them share what",
	"if it is not known what ports share, it is not reported",
	{ SIGNATURE_FEC_TREND, SIGNATURE_FEC_UNCORRECTABLE,
	  SIGNATURE_COPPER_DEGRADE, SIGNATURE_LOOSE_MODULE,
	  SIGNATURE_FLAP_BURST, SIGNATURE_LINK_DOWN, SIGNATURE_THERMAL_FEC },
	"one cause for many ports is more likely than many at once",
	{ { 0, NULL } } },
[SIGNATURE_ENVIRONMENT] = {
	SIGNATURE_ENVIRONMENT, ABOUT_SWITCH,
	"A fan, a power supply or the cooling air of the switch fails, or a "
	"sensor is beyond its limit.",
	"the sensor itself, twice in a row; or the modules of a zone warm up "
	"together while others do not; errors that begin when the power of "
	"their zone goes bad are part of it",
	"sensors of the switch; temperature of modules",
	"without sensors, only modules that warm up together show it; if zones "
	"are not known, or all ports are in one, only when some get much "
	"warmer than the rest, or most get 12 K warmer than usual",
	{ SIGNATURE_THERMAL_FEC, SIGNATURE_FEC_TREND, SIGNATURE_LINK_DOWN,
	  SIGNATURE_SHARED_COMPONENT }, "what heats or feeds the ports is the "
	"cause",
	{ { 0, NULL } } },
[SIGNATURE_MICROBURST] = {
	SIGNATURE_MICROBURST, ABOUT_QUEUE,
	"A queue fills for microseconds, again and again.",
	"watermarks and ECN marks are high while the mean load is not",
	"watermarks of queues; ECN marks", "without watermarks, marks "
	"alone are weak", { 0 }, NULL,
	{ { SIGNATURE_CONGESTION, "a shorter interval of the watermarks" } } },
[SIGNATURE_CONGESTION] = {
	SIGNATURE_CONGESTION, ABOUT_QUEUE,
	"A port gets more traffic than it can send, for a long time.",
	"load near the line's rate with ECN marks, drops or pauses",
	"octets of the port; ECN marks; drops",
	"without ECN marks it is seen when frames are lost",
	{ SIGNATURE_MICROBURST }, "a lasting load is not a burst",
	{ { 0, NULL } } },
[SIGNATURE_LOSSLESS_DROP] = {
	SIGNATURE_LOSSLESS_DROP, ABOUT_QUEUE,
	"Frames are dropped from a lossless queue.",
	"drops of a queue or priority group that PFC protects",
	"drops of queues and priority groups; which of them are lossless",
	"if it is not known which are lossless, 3 and 4 are assumed",
	{ SIGNATURE_CONGESTION, SIGNATURE_MICROBURST },
	"the loss is the real harm", { { 0, NULL } } },
[SIGNATURE_PFC_STORM] = {
	SIGNATURE_PFC_STORM, ABOUT_QUEUE,
	"A neighbour keeps a priority paused.",
	"pauses for most of the time while a queue holds frames and sends none",
	"pause time or pause frames of each priority; frames sent by queues",
	"with pause frames alone the time is estimated",
	{ SIGNATURE_CONGESTION, SIGNATURE_LOSSLESS_DROP,
	  SIGNATURE_MICROBURST }, "the pause explains the full queue",
	{ { 0, NULL } } },
[SIGNATURE_UPLINK_IMBALANCE] = {
	SIGNATURE_UPLINK_IMBALANCE, ABOUT_GROUP,
	"Links that should carry equal load do not.",
	"loads of the members of a LAG, an ECMP group or a rail differ for a "
	"long time", "octets of the ports; which of them belong together",
	"without groups there is nothing to compare", { 0 }, NULL,
	{ { 0, NULL } } },
[SIGNATURE_RHYTHM_CHANGE] = {
	SIGNATURE_RHYTHM_CHANGE, ABOUT_LINK,
	"The traffic of a job lost its rhythm.",
	"the period or the shape of the load changed while the job goes on",
	"octets of the port, each second or more often",
	"with a longer interval, only slow rhythms are seen", { 0 }, NULL,
	{ { 0, NULL } } },
[SIGNATURE_CONFIG_MISMATCH] = {
	SIGNATURE_CONFIG_MISMATCH, ABOUT_LINK,
	"Both ends of a link, or a port and its siblings, are set differently.",
	"speed, FEC, MTU, PFC or ECN settings that contradict each other",
	"the configuration; what the peer reports about itself",
	"without data from the peer, sibling ports are compared",
	{ SIGNATURE_LINK_DOWN }, "the settings explain why it is down",
	{ { 0, NULL } } },
[SIGNATURE_SENSOR_FAULT] = {
	SIGNATURE_SENSOR_FAULT, ABOUT_MODULE,
	"Readings of a module are implausible, missing or always the same: "
	"its bus or its monitors fail.",
	"implausible readings, again and again, also of light that is lost "
	"while errors stay as they were; readings that fail, or no longer "
	"change, while those of other modules do",
	"the module's monitors",
	"with few modules, a silent one cannot be told from a stalled source; "
	"monitors that seldom change take long",
	{ 0 }, NULL,
	{ { SIGNATURE_LOOSE_MODULE, "errors at the same moments" } } },
[SIGNATURE_MODULE_CHANGED] = {
	SIGNATURE_MODULE_CHANGED, ABOUT_MODULE,
	"Another module is in the cage: the baseline is learned again.",
	"another serial number", "serial number of the module",
	"without serial numbers a change is not seen",
	{ SIGNATURE_LINK_DOWN }, "a new module needs minutes to start",
	{ { 0, NULL } } },
[SIGNATURE_SWITCH_SILENT] = {
	SIGNATURE_SWITCH_SILENT, ABOUT_SWITCH,
	"The collector hears nothing from the switch.",
	"no frame of its agent for three heartbeats (silent_after)",
	"a collector", "the switch itself cannot tell", { 0 }, NULL,
	{ { 0, NULL } } },
};

const struct signature_words *signature_words(enum signature signature)
{
	return (unsigned)signature < SIGNATURE_COUNT &&
	       rows[signature].means ? &rows[signature] : NULL;
}

const char *about_name(enum about about)
{
	static const char *const names[ABOUT_COUNT] = {
		[ABOUT_LINK] = "link",
		[ABOUT_MODULE] = "module",
		[ABOUT_QUEUE] = "queue",
		[ABOUT_SWITCH] = "switch",
		[ABOUT_GROUP] = "group",
	};

	return names_get(names, ABOUT_COUNT, about);
}
