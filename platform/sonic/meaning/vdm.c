#include "platform/sonic/meaning/vdm.h"

#include "petrel/module.h"
#include "platform/sonic/meaning/module_values.h"

#define E18 UINT64_C(1000000000000000000)
#define V(name, quantity, form, scale, lane)				\
	{ name, Q_VDM_##quantity##_FLAG, 0, lane, form, scale }
#define LANE(n)								\
	V("laser_temperature_media" #n, LASER_TEMP,			\
	  FIELD_SCALED, 1000, n),					\
	V("esnr_media_input" #n, SNR, FIELD_SCALED, 1000, n),		\
	V("esnr_host_input" #n, HOST_SNR, FIELD_SCALED, 1000, n),	\
	V("pam4_level_transition_media_input" #n, LTP,			\
	  FIELD_SCALED, 1000, n),					\
	V("pam4_level_transition_host_input" #n, HOST_LTP,		\
	  FIELD_SCALED, 1000, n),					\
	V("prefec_ber_min_media_input" #n, PRE_FEC_BER_MIN,		\
	  FIELD_RATIO, E18, n),						\
	V("prefec_ber_min_host_input" #n, HOST_PRE_FEC_BER_MIN,		\
	  FIELD_RATIO, E18, n),						\
	V("prefec_ber_max_media_input" #n, PRE_FEC_BER_MAX,		\
	  FIELD_RATIO, E18, n),						\
	V("prefec_ber_max_host_input" #n, HOST_PRE_FEC_BER_MAX,		\
	  FIELD_RATIO, E18, n),						\
	V("prefec_ber_avg_media_input" #n, PRE_FEC_BER_AVG,		\
	  FIELD_RATIO, E18, n),						\
	V("prefec_ber_avg_host_input" #n, HOST_PRE_FEC_BER_AVG,		\
	  FIELD_RATIO, E18, n),						\
	V("prefec_ber_curr_media_input" #n, PRE_FEC_BER,		\
	  FIELD_RATIO, E18, n),						\
	V("prefec_ber_curr_host_input" #n, HOST_PRE_FEC_BER,		\
	  FIELD_RATIO, E18, n),						\
	V("errored_frames_min_media_input" #n, FERC_MIN,		\
	  FIELD_SHARE, E18, n),						\
	V("errored_frames_min_host_input" #n, HOST_FERC_MIN,		\
	  FIELD_SHARE, E18, n),						\
	V("errored_frames_max_media_input" #n, FERC_MAX,		\
	  FIELD_SHARE, E18, n),						\
	V("errored_frames_max_host_input" #n, HOST_FERC_MAX,		\
	  FIELD_SHARE, E18, n),						\
	V("errored_frames_avg_media_input" #n, FERC_AVG,		\
	  FIELD_SHARE, E18, n),						\
	V("errored_frames_avg_host_input" #n, HOST_FERC_AVG,		\
	  FIELD_SHARE, E18, n),						\
	V("errored_frames_curr_media_input" #n, FERC,			\
	  FIELD_SHARE, E18, n),						\
	V("errored_frames_curr_host_input" #n, HOST_FERC,		\
	  FIELD_SHARE, E18, n),						\
	V("biasxi" #n, BIAS_XI, FIELD_SCALED, 10000, n),		\
	V("biasxq" #n, BIAS_XQ, FIELD_SCALED, 10000, n),		\
	V("biasxp" #n, BIAS_X_PHASE, FIELD_SCALED, 10000, n),		\
	V("biasyi" #n, BIAS_YI, FIELD_SCALED, 10000, n),		\
	V("biasyq" #n, BIAS_YQ, FIELD_SCALED, 10000, n),		\
	V("biasyp" #n, BIAS_Y_PHASE, FIELD_SCALED, 10000, n),		\
	V("cdshort" #n, CD_SHORT, FIELD_SCALED, 1, n),			\
	V("cdlong" #n, CD_LONG, FIELD_SCALED, 1, n),			\
	V("dgd" #n, DGD, FIELD_SCALED, 1000, n),			\
	V("sopmd" #n, SOPMD, FIELD_SCALED, 1000000, n),			\
	V("soproc" #n, SOP_ROC, FIELD_SCALED, 1, n),			\
	V("pdl" #n, PDL, FIELD_SCALED, 1000, n),			\
	V("osnr" #n, OSNR, FIELD_SCALED, 1000, n),			\
	V("esnr" #n, ESNR, FIELD_SCALED, 1000, n),			\
	V("cfo" #n, CFO, FIELD_SCALED, 1, n),				\
	V("txcurrpower" #n, TX_POWER, FIELD_DBM, 1, n),			\
	V("rxtotpower" #n, RX_TOTAL_POWER, FIELD_DBM, 1, n),		\
	V("rxsigpower" #n, RX_SIGNAL_POWER, FIELD_DBM, 1, n)

_Static_assert(Q_VDM_MER_FLAG - Q_VDM_LASER_AGE_FLAG == 147 - 1,
	       "flags stand by type: enum facet counts on it");

static const struct field vdm[] = {
	FIELD_UPDATED,
	FIELD_LANES_OF(LANE),
};

/* Four tables of each kind, one an edge, in the order of Petrel's index. */
#define VDM(name_, source_, age_, facet_, edge_)			\
	{ MODULE(name_, source_, age_), FIELDS(vdm), .facet = (facet_),	\
	  .edge = (edge_), .whole = true, .optional = true,		\
	  .sparse = true, .take = module_values_row }
#define VDM_EDGES(name_, source_, age_, facet_)				\
	VDM("TRANSCEIVER_VDM_HALARM_" name_, source_, age_, facet_, 0),	\
	VDM("TRANSCEIVER_VDM_LALARM_" name_, source_, age_, facet_, 1),	\
	VDM("TRANSCEIVER_VDM_HWARN_" name_, source_, age_, facet_, 2),	\
	VDM("TRANSCEIVER_VDM_LWARN_" name_, source_, age_, facet_, 3)
#define VDM_VALUES(name_)						\
	{ MODULE(name_, SONIC_VDM, AGE_ROW), FIELDS(vdm),		\
	  .facet = FACET_VDM_VALUES, .judged = 1 + READING_OF_VDM,	\
	  .whole = true, .optional = true, .sparse = true,		\
	  .take = module_values_row }

static const struct table tables[] = {
	/* Images of 2024 keep them with the readings. */
	VDM_VALUES("TRANSCEIVER_DOM_SENSOR"),
	VDM_VALUES("TRANSCEIVER_VDM_REAL_VALUE"),
	VDM_EDGES("FLAG", SONIC_VDM, AGE_ROW, FACET_VDM_FLAGS),
	VDM_EDGES("THRESHOLD", SONIC_THRESHOLDS, AGE_CHANGE,
		  FACET_VDM_THRESHOLDS),
	VDM_EDGES("FLAG_CHANGE_COUNT", SONIC_FLAG_CHANGES, AGE_CHANGE,
		  FACET_VDM_CHANGES),
	VDM_EDGES("FLAG_SET_TIME", SONIC_FLAG_CHANGES, AGE_CHANGE,
		  FACET_VDM_SET_TIMES),
	VDM_EDGES("FLAG_CLEAR_TIME", SONIC_FLAG_CHANGES, AGE_CHANGE,
		  FACET_VDM_CLEAR_TIMES),
};

const struct table_list vdm_tables = TABLE_LIST(tables);
