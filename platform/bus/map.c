#include "platform/bus/map.h"

#include <dirent.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agent/base/number.h"
#include "agent/base/path.h"

#define FILE_MAX_LEN (64u << 10)
#define CAGE_NUMBER_MAX 65535u
#define NAME_LEN 64u
#define WORD_BREAKS " \t\r"

/* Finds a word of a line and moves *at past it. Empty at the end. */
static size_t word_next(const char **at, const char **ret)
{
	size_t len;

	*at += strspn(*at, WORD_BREAKS);
	len = strcspn(*at, WORD_BREAKS "\n#");
	*ret = *at;
	*at += len;
	return len;
}

static bool word_copy(const char *word, size_t len, char *ret, size_t room)
{
	if (len == 0 || len >= room)
		return false;
	memcpy(ret, word, len);
	ret[len] = '\0';
	return true;
}

/* The cage with that number, added if new; NULL without room. */
static struct map_cage *cage_add(struct map *m, uint32_t number)
{
	struct map_cage *c;
	size_t at = 0;

	while (at < m->count && m->cage[at].number < number)
		at++;
	if (at < m->count && m->cage[at].number == number)
		return &m->cage[at];
	if (m->count == MAP_CAGES_MAX)
		return NULL;
	c = realloc(m->cage, (m->count + 1) * sizeof(*c));
	if (!c)
		return NULL;
	m->cage = c;
	memmove(&c[at + 1], &c[at], (m->count - at) * sizeof(*c));
	memset(&c[at], 0, sizeof(*c));
	c[at].number = number;
	m->count++;
	return &c[at];
}

static int kind_find(const char *word, size_t len, enum bus_kind *ret)
{
	for (int k = 0; k < BUS_KIND_COUNT; k++) {
		const char *name = bus_kind_name((enum bus_kind)k);

		if (strlen(name) != len || memcmp(name, word, len) != 0)
			continue;
		*ret = (enum bus_kind)k;
		return 0;
	}
	return -EINVAL;
}

static int ports_parse(const char *at, struct map_cage *c, struct diag *d)
{
	const char *word;
	size_t len;

	while ((len = word_next(&at, &word)) > 0) {
		if (c->port_count == MAP_PORTS_MAX)
			return diag_set(d, -EINVAL, "more than %u ports on "
					"one cage", MAP_PORTS_MAX);
		if (!word_copy(word, len, c->port[c->port_count],
			       sizeof(c->port[0])))
			return diag_set(d, -EINVAL, "'%.*s' is too long for a "
					"port", (int)len, word);
		c->port_count++;
	}
	return 0;
}

static int line_parse(struct map *m, const char *line, struct diag *d)
{
	const char *at = line, *word;
	size_t len = word_next(&at, &word);
	enum bus_kind kind;
	struct map_cage *c;
	uint64_t number;

	if (len == 0)
		return 0;
	if (number_parse_n(word, len, 0, CAGE_NUMBER_MAX, &number) < 0)
		return diag_set(d, -EINVAL, "'%.*s' is not a cage; expected a "
				"number up to %u", (int)len, word,
				CAGE_NUMBER_MAX);
	len = word_next(&at, &word);
	if (kind_find(word, len, &kind) < 0)
		return diag_set(d, -EINVAL, "'%.*s' is not a kind of bus; "
				"expected file, pages, ethtool or i2c",
				(int)len, word);
	c = cage_add(m, (uint32_t)number);
	if (!c)
		return diag_set(d, -ENOMEM, "no room for more than %u cages",
				MAP_CAGES_MAX);
	if (c->place.where[0])
		return diag_set(d, -EINVAL, "cage %u is there twice",
				c->number);
	c->place.kind = kind;
	len = word_next(&at, &word);
	if (!word_copy(word, len, c->place.where, sizeof(c->place.where)))
		return diag_set(d, -EINVAL, "cage %u: expected a path, an "
				"interface or the number of a bus of at most "
				"%u octets", c->number, BUS_WHERE_MAX - 1);
	return ports_parse(at, c, d);
}

int map_parse(const char *text, const char *name, struct map *ret,
	      struct diag *d)
{
	struct map m = { 0 };
	struct diag line;
	unsigned number = 1;

	for (const char *at = text; *at; number++) {
		int rc = line_parse(&m, at, &line);

		if (rc < 0) {
			map_fini(&m);
			return diag_set(d, rc, "%s:%u: %s", name, number,
					line.text);
		}
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	if (m.count == 0)
		return diag_set(d, -ENODATA, "%s names no cage", name);
	*ret = m;
	return 0;
}

void map_fini(struct map *m)
{
	free(m->cage);
	*m = (struct map){ 0 };
}

/* --- finding cages ------------------------------------------------------- */

/* Digits at the end of a name, or after its prefix. */
static bool number_of(const char *text, uint64_t *ret)
{
	size_t end = strlen(text), begin = end;

	while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9')
		begin--;
	return number_parse_n(text + begin, end - begin, 0, CAGE_NUMBER_MAX,
			      ret) == 0;
}

/* One word of a small file; false if there is none. */
static bool word_read(int root_fd, const char *path, char ret[static NAME_LEN])
{
	char line[NAME_LEN];

	return path_line(root_fd, path, line, sizeof(line)) &&
	       word_copy(line, strlen(line), ret, NAME_LEN);
}

static bool is_there(int root_fd, const char *path)
{
	struct stat st;

	return path_stat(root_fd, path, &st);
}

typedef void entry_fn(int root_fd, struct map *m, const char *name);

struct entry_walk {
	int root_fd;
	struct map *map;
	entry_fn *fn;
};

static int entry_take(void *context, int dir_fd, const char *name)
{
	const struct entry_walk *w = context;

	(void)dir_fd;	/* the link's target is below the root */
	if (strlen(name) < NAME_LEN)
		w->fn(w->root_fd, w->map, name);
	return 0;
}

/* Calls fn for each name in a folder; does nothing if it is missing. */
static void folder_walk(int root_fd, const char *path, struct map *m,
			entry_fn *fn)
{
	struct entry_walk w = { root_fd, m, fn };

	(void)path_each(root_fd, path, entry_take, &w);
}

static void place_add(struct map *m, uint64_t number, enum bus_kind kind,
		      const char *where)
{
	struct map_cage *c = cage_add(m, (uint32_t)number);

	if (!c || c->place.where[0])
		return;		/* the first of two wins */
	c->place.kind = kind;
	(void)snprintf(c->place.where, sizeof(c->place.where), "%s", where);
}

#define SX_CORE "/sys/module/sx_core/asic0"
#define S3IP "/sys_switch/transceiver"
#define I2C_DEVICES "/sys/bus/i2c/devices"
#define NETDEVS "/sys/class/net"

/* module0 is the cage that SONiC calls 1. */
static void sx_core_entry(int root_fd, struct map *m, const char *name)
{
	char where[BUS_WHERE_MAX];
	uint64_t number;

	(void)root_fd;
	if (strncmp(name, "module", 6) != 0 || !number_of(name, &number))
		return;
	(void)snprintf(where, sizeof(where), SX_CORE "/%s", name);
	place_add(m, number + 1, BUS_PAGES, where);
}

static void s3ip_entry(int root_fd, struct map *m, const char *name)
{
	char where[BUS_WHERE_MAX];
	uint64_t number;

	if (strncmp(name, "eth", 3) != 0 || !number_of(name, &number))
		return;
	(void)snprintf(where, sizeof(where), S3IP "/%s/eeprom", name);
	if (is_there(root_fd, where))
		place_add(m, number, BUS_FILE, where);
}

/* The platform's start-up writes port_name: port7, sfp7, Ethernet24. */
static void optoe_entry(int root_fd, struct map *m, const char *name)
{
	char path[BUS_WHERE_MAX], label[NAME_LEN];
	uint64_t number;

	(void)snprintf(path, sizeof(path), I2C_DEVICES "/%s/port_name", name);
	if (!word_read(root_fd, path, label) || !number_of(label, &number))
		return;
	(void)snprintf(path, sizeof(path), I2C_DEVICES "/%s/eeprom", name);
	if (is_there(root_fd, path))
		place_add(m, number, BUS_FILE, path);
}

/* phys_port_name p5s1 is the second port of cage 5 (devlink); if a driver has
 * none, the digits of the interface's name are the cage.
 */
static bool netdev_cage(int root_fd, const char *name, uint64_t *ret)
{
	char path[BUS_WHERE_MAX], label[NAME_LEN];
	size_t digits;

	(void)snprintf(path, sizeof(path), NETDEVS "/%s/phys_port_name", name);
	if (!word_read(root_fd, path, label) || label[0] != 'p')
		return number_of(name, ret);
	digits = strspn(label + 1, "0123456789");
	return number_parse_n(label + 1, digits, 0, CAGE_NUMBER_MAX,
			      ret) == 0;
}

static void netdev_entry(int root_fd, struct map *m, const char *name)
{
	char path[BUS_WHERE_MAX];
	struct map_cage *c;
	uint64_t number;

	(void)snprintf(path, sizeof(path), NETDEVS "/%s/device", name);
	if (!is_there(root_fd, path) || !netdev_cage(root_fd, name, &number))
		return;
	place_add(m, number, BUS_ETHTOOL, name);
	c = cage_add(m, (uint32_t)number);
	if (c && c->port_count < MAP_PORTS_MAX)
		(void)snprintf(c->port[c->port_count++], sizeof(c->port[0]),
			       "%s", name);
}

static int port_order(const void *a, const void *b)
{
	return strverscmp(a, b);
}

int map_read(int root_fd, const char *file, struct map *ret, struct diag *d)
{
	struct map m = { 0 };
	char *text;
	size_t len;
	int rc;

	if (file) {
		rc = path_read(root_fd, file, FILE_MAX_LEN, &text, &len);
		if (rc < 0)
			return diag_prefix(d, path_diag(d, root_fd, file, rc),
					   "[Module] map");
		rc = map_parse(text, file, ret, d);
		free(text);
		return rc;
	}
	folder_walk(root_fd, SX_CORE, &m, sx_core_entry);
	folder_walk(root_fd, S3IP, &m, s3ip_entry);
	folder_walk(root_fd, I2C_DEVICES, &m, optoe_entry);
	/* Interfaces are those of this kernel, whatever the root. */
	if (m.count == 0 && path_is_own_root(root_fd))
		folder_walk(root_fd, NETDEVS, &m, netdev_entry);
	if (m.count == 0)
		return diag_set(d, -ENODATA, "no module can be reached: no "
				"sx_core, S3IP, optoe with port_name, or "
				"interface of a device; see [Module] map");
	for (size_t i = 0; i < m.count; i++)
		qsort(m.cage[i].port, m.cage[i].port_count,
		      sizeof(m.cage[i].port[0]), port_order);
	*ret = m;
	return 0;
}
