/* What a collector answers over HTTP: /api/v1/VERB, with the same arguments and
 * the same answers as petrel's, as JSON, or packed as petrel itself asks for
 * them.
 */
#pragma once

#include <stdio.h>
#include "agent/collect/fabric_answer.h"

struct http_request;

#define API_PREFIX "/api/v1/"
#define API_PACKED "application/x-protobuf"

/* A page: its verb stands behind the prefix. Returns the status. */
unsigned api_page(const struct fabric_desk *desk, struct answer *a,
		  const struct http_request *rq, FILE *out,
		  const char **ret_type);
