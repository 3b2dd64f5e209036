#include "agent/collect/api.h"

#include <stdlib.h>
#include <string.h>

#include "agent/base/number.h"
#include "agent/ctl/render.h"
#include "agent/http/http_server.h"
#include "agent/query/answer.h"
#include "agent/query/message.h"
#include "agent/query/verb_table.h"
#include "petrel/local.h"

#define ROWS_MAX 1000000u

/* The one value of an argument; "": it is not there. */
static const char *value_of(const struct http_request *rq, const char *name)
{
	const char *value = "";

	return http_request_values(rq, name, &value, 1) ? value : "";
}

/* protobuf-c wants char *; it only reads them. */
static char *borrowed(const char *text)
{
	return (char *)(uintptr_t)text;
}

/* A request in the words of an address. Returns 0 or an exit code, told in a.
 */
static int request_of(const struct http_request *rq,
		      const char *args[static ARGUMENTS_MAX],
		      Petrel__Request *ret, struct answer *a)
{
	const char *top = value_of(rq, "top"), *since = value_of(rq, "since");
	uint64_t rows = 0;

	petrel__request__init(ret);
	ret->version = LOCAL_VERSION;
	ret->verb = borrowed(http_request_path(rq));
	ret->sort = borrowed(value_of(rq, "sort"));
	ret->asic = borrowed(value_of(rq, "asic"));
	ret->all = strcmp(value_of(rq, "all"), "1") == 0;
	ret->n_args = http_request_values(rq, "arg", args, ARGUMENTS_MAX);
	ret->args = (char **)(uintptr_t)args;
	if (ret->n_args > ARGUMENTS_MAX)
		return answer_error(a, EXIT_USAGE, "%zu arguments; at most %u",
				    ret->n_args, ARGUMENTS_MAX);
	if (top[0] && number_parse(top, 1, ROWS_MAX, &rows) < 0)
		return answer_error(a, EXIT_USAGE, "top=%.32s; expected a "
				    "number of rows from 1 to %u", top,
				    ROWS_MAX);
	if (since[0] && number_parse_duration(since, &ret->since_ns) < 0)
		return answer_error(a, EXIT_USAGE, "since=%.32s; expected a "
				    "time with its unit, such as 2h", since);
	ret->top = (uint32_t)rows;
	return EXIT_ANSWERED;
}

static unsigned status_of(unsigned code)
{
	switch (code) {
	case EXIT_ANSWERED:
		return 200;
	case EXIT_USAGE:
		return 400;
	case EXIT_NO_SUCH:
		return 404;
	default:
		return 503;
	}
}

static void packed_write(FILE *out, const Petrel__Answer *m)
{
	size_t len = petrel__answer__get_packed_size(m);
	uint8_t *octets = malloc(len ? len : 1);

	if (octets)
		(void)fwrite(octets, petrel__answer__pack(m, octets), 1, out);
	free(octets);
}

unsigned api_page(const struct fabric_desk *desk, struct answer *a,
		  const struct http_request *rq, FILE *out,
		  const char **ret_type)
{
	const char *accept = http_request_field(rq, "Accept");
	const struct verb *verb = verb_find(verb_table, http_request_path(rq));
	struct render_how how = { .command = verb ? verb->name : "none",
				  .json = true,
				  .has_findings = verb && verb->has_findings };
	const char *args[ARGUMENTS_MAX];
	const Petrel__Answer *m;
	Petrel__Request request;
	unsigned status;
	int code;

	answer_clear(a);
	code = request_of(rq, args, &request, a);
	if (code == EXIT_ANSWERED)
		code = fabric_answer(desk, &request, value_of(rq, "switch"),
				     a);
	answer_message(a)->code = (uint32_t)code;
	m = answer_message(a);
	if (accept && strcmp(accept, API_PACKED) == 0) {
		*ret_type = API_PACKED;
		packed_write(out, m);
	} else {
		*ret_type = HTTP_TYPE_JSON;
		(void)render_json(out, &how, m);	/* the server looks */
	}
	status = status_of(m->code);
	answer_release(a);
	answer_release(desk->one);
	return status;
}
