#pragma once

/* What is done to the switch, so that its effects are no fault of a link. In a
 * reboot no new finding of a link is raised. While traffic is shifted away
 * somebody may work on the switch: falls of links are no findings, and others
 * are at watch, as no traffic is hurt.
 */
enum engine_context {
	ENGINE_TSA = 1,			/* traffic is shifted away */
	ENGINE_WARM_REBOOT = 2,		/* or a fast one */
};
