/* The question that petrel record asks. */
#include "agent/query/verbs.h"

#include <stdio.h>
#include <string.h>

#include "agent/query/answer.h"
#include "agent/query/choice.h"
#include "agent/query/follow.h"
#include "agent/query/trace.h"
#include "petrel/local.h"

int verbs_trace(void *context, struct query_client *client,
		const Petrel__Request *request, struct answer *a)
{
	struct query_context *ctx = context;
	const char *ports = request->n_args ? request->args[0] : "";
	struct choice wanted;
	struct waiting *w;
	int code;

	(void)context_begin(ctx, a);
	if (strlen(ports) >= FOLLOW_PORTS_MAX)
		return answer_error(a, EXIT_USAGE, "a port pattern of %zu "
				    "octets; at most %d", strlen(ports),
				    FOLLOW_PORTS_MAX - 1);
	code = choice_take(ctx, request, a, &wanted);
	if (code != EXIT_ANSWERED)
		return code;
	answer_cursor(a, TRACE_CURSOR_PORTS);
	if (trace_ports(ctx, a, &wanted) == 0)
		return answer_error(a, EXIT_NO_SUCH, "no port matches '%s'",
				    ports);
	w = follow_new(ctx, FOLLOW_TRACE, client);
	if (!w)
		return answer_error(a, EXIT_INCOMPLETE, "too many clients "
				    "follow already; at most %d",
				    QUERY_CLIENTS_MAX);
	(void)snprintf(w->ports, sizeof(w->ports), "%s", ports);
	(void)query_answer(client, a, true);
	return QUERY_LATER;
}
