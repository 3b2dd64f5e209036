/* What a stranger may write to the query socket: any octets, in any pieces.
 * The first octet of the input chooses the size of the pieces.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/query/answer.h"
#include "agent/query/server.h"
#include "agent/query/verbs.h"
#include "petrel/local.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bed {
	char dir[32];
	int dir_fd;
	struct loop *loop;
	struct query_server *server;
};

static int verb_echo(void *context, const struct verb *verb,
		     struct query_client *client, const Petrel__Request *r,
		     struct answer *a)
{
	(void)context;
	(void)verb;
	(void)client;
	for (size_t i = 0; i < r->n_args; i++)
		answer_line(a, r->args[i]);
	answer_cursor(a, r->after);
	return EXIT_ANSWERED;
}

static const struct verb verbs[] = { { .name = "echo", .takes_ports = true,
				       .tables = { &shape_ports } },
				     { .name = NULL } };

static void bed_make(struct bed *b)
{
	struct query_env env = { .socket_name = "s", .read_all = true,
				 .switch_name = "leaf1",
				 .verbs = verbs, .answer = verb_echo };

	strcpy(b->dir, "/tmp/fuzz_request.XXXXXX");
	if (!mkdtemp(b->dir) || loop_new(8, 4, &b->loop) < 0)
		abort();
	b->dir_fd = open(b->dir, O_RDONLY | O_DIRECTORY);
	env.dir_fd = b->dir_fd;
	env.loop = b->loop;
	if (query_server_new(&env, &b->server, NULL) < 0)
		abort();
}

static int connected(const struct bed *b)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/s",
		       b->dir);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		abort();
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct bed bed;
	size_t piece, at = 0;
	int fd;

	if (!bed.loop)
		bed_make(&bed);
	if (size == 0)
		return 0;
	piece = data[0] ? data[0] * 16u : 1;
	data++;
	size--;
	fd = connected(&bed);
	(void)loop_once(bed.loop, 0);
	while (at < size) {
		size_t n = size - at < piece ? size - at : piece;

		if (send(fd, data + at, n, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			break;
		at += n;
		(void)loop_once(bed.loop, 0);
	}
	(void)close(fd);
	(void)loop_once(bed.loop, 0);
	return 0;
}
