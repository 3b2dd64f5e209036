/* C13: the local query. A unix stream socket; each message is a u32 length
 * (big endian) and that many octets of local.proto. One request per
 * connection; answers follow until one has more = false.
 */
#pragma once

#define LOCAL_SOCKET_DEFAULT "/run/petrel/petrel.sock"
/* In the socket's folder while petreld is not running: one line with the time
 * when it ended (wall, ns), and one with the reason, which completes the
 * sentence "petreld ended, …".
 */
#define LOCAL_LAST_WORDS "last_words"
/* In the same folder: one line with the folder of the coarser tiers of the
 * history, as petreld sees it.
 */
#define LOCAL_TIERS "tiers"
/* Version of local.proto, in each request and answer: 2 has tables by column,
 * and the verb record, which was trace.
 */
#define LOCAL_VERSION 2u
/* Cursors for the requests of petrel record. */
#define LOCAL_CURSOR_PORTS "ports"
#define LOCAL_CURSOR_SAMPLES "samples"
/* In a mark of a TableColumn: the value is a 64-bit pattern of 2^63 or more. */
#define LOCAL_MARK_PATTERN 256u
#define LOCAL_REQUEST_MAX 4096u
#define LOCAL_ANSWER_MAX (4u << 20)

/* Exit codes of petrel (fixed). */
enum exit_code {
	EXIT_ANSWERED = 0,
	EXIT_DIFFERS = 1,		/* compare only: settings differ */
	EXIT_HEALTH_WARN = 1,		/* health only */
	EXIT_HEALTH_CRITICAL = 2,	/* health only */
	EXIT_AGENT_DOWN = 3,		/* answer from the rings */
	EXIT_USAGE = 64,		/* EX_USAGE of sysexits.h, and so on */
	EXIT_BAD_DATA = 65,		/* a file of another kind */
	EXIT_NO_SUCH = 66,
	EXIT_UNREACHABLE = 69,
	EXIT_INCOMPLETE = 75,
	EXIT_NOT_PERMITTED = 77,
};

/* How to read a cell of an answer: decides text and JSON keys. */
enum cell_unit {
	CELL_TEXT,
	CELL_INTEGER,	/* exact; JSON adds <key>_str from 2^53 on */
	CELL_UNSIGNED,	/* a 64-bit pattern */
	CELL_BOOL,
	CELL_MBPS,	/* text 400G */
	CELL_PPM,	/* text per cent */
	CELL_PW,	/* text dBm; JSON <key>_dbm and <key>_mw */
	CELL_MC,	/* text 48.2; JSON <key>_c */
	CELL_UV,	/* JSON <key>_v */
	CELL_UA,	/* text mA; JSON <key>_ma */
	CELL_MDB,	/* text 1.4; JSON <key>_db */
	CELL_E18,	/* text 5.4e-09; JSON <key> and <key>_e18 */
	CELL_AGE_NS,	/* text 3s, 2m, 4h; JSON <key>_s */
	CELL_WALL_NS,	/* text local, with zone; JSON RFC 3339 and <key>_ns */
	CELL_OCTETS,	/* text 1.2M */
	CELL_BPS,	/* text 1.2G; JSON <key>_bps */
	CELL_NS,	/* a short time: text 1.2us; JSON <key>_ns */
	CELL_MW,	/* pW, text mW; JSON has the CELL_PW beside it */
	CELL_PEER,	/* text switch:port; the end stays if truncated */
	CELL_MILLI,	/* thousandths: text 0.4; JSON <key>_milli */
	CELL_UW,	/* text W; JSON <key>_w */
	CELL_UNIT_COUNT,
};
