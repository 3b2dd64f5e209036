/* Versatile diagnostics: TRANSCEIVER_VDM_REAL_VALUE has these names; so have
 * the tables of its thresholds, flags, their changes and the times of those,
 * four of each (one an edge). The quantity here is the flag's; enum facet leads
 * to the others. Types from 100 on, which some vendors have, SONiC leaves out.
 */
#include "platform/sonic/meaning/fields.h"

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

const struct fields fields_vdm = FIELDS(vdm);
