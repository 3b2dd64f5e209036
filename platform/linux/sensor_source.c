#include "platform/linux/sensor_source.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sensors/error.h>
#include <sensors/sensors.h>
#include "agent/base/path.h"
#include "platform/linux/linux_source.h"

#define SENSORS_MAX 512u
#define RESCAN_NS (60 * NS_PER_S)
/* Chip drivers cache their answers for up to two seconds. */
#define CACHE_NS (2 * NS_PER_S)
#define NOT_THERE (-1)
#define THRESHOLDS 3u		/* critical, maximum, minimum: the index */
#define VALUE_MAX 9e18		/* the largest that fits an int64_t */

/* What is read from a kind of sensor. Source: lm-sensors, sensors.h; the
 * library gives degrees, volts, amperes, watts.
 */
static const struct feature_kind {
	sensors_feature_type feature;
	sensors_subfeature_type input, other_input, fault;
	enum quantity quantity;
	double scale;
} kinds[] = {
	{ SENSORS_FEATURE_TEMP, SENSORS_SUBFEATURE_TEMP_INPUT,
	  SENSORS_SUBFEATURE_UNKNOWN, SENSORS_SUBFEATURE_TEMP_FAULT,
	  Q_SENSOR_TEMP_MC, 1e3 },
	{ SENSORS_FEATURE_FAN, SENSORS_SUBFEATURE_FAN_INPUT,
	  SENSORS_SUBFEATURE_UNKNOWN, SENSORS_SUBFEATURE_FAN_FAULT,
	  Q_SENSOR_FAN_RPM, 1 },
	{ SENSORS_FEATURE_IN, SENSORS_SUBFEATURE_IN_INPUT,
	  SENSORS_SUBFEATURE_UNKNOWN, SENSORS_SUBFEATURE_UNKNOWN,
	  Q_SENSOR_VOLTAGE_UV, 1e6 },
	{ SENSORS_FEATURE_CURR, SENSORS_SUBFEATURE_CURR_INPUT,
	  SENSORS_SUBFEATURE_UNKNOWN, SENSORS_SUBFEATURE_UNKNOWN,
	  Q_SENSOR_CURRENT_UA, 1e6 },
	{ SENSORS_FEATURE_POWER, SENSORS_SUBFEATURE_POWER_INPUT,
	  SENSORS_SUBFEATURE_POWER_AVERAGE, SENSORS_SUBFEATURE_UNKNOWN,
	  Q_SENSOR_POWER_UW, 1e6 },
};

static const sensors_subfeature_type threshold_types[THRESHOLDS] = {
	SENSORS_SUBFEATURE_TEMP_CRIT,
	SENSORS_SUBFEATURE_TEMP_MAX,
	SENSORS_SUBFEATURE_TEMP_MIN,
};

/* Subfeatures are numbers of the library, NOT_THERE if there is none. */
struct hwmon_sensor {
	char name[ENTITY_NAME_MAX];	/* chip/feature */
	uint32_t handle;
	const struct feature_kind *kind;
	const sensors_chip_name *chip;	/* the library's, until its next init */
	int input, fault, threshold[THRESHOLDS];
	bool seen;			/* by the current scan */
};

struct sensor_source {
	const struct platform_host *host;	/* borrowed */
	bool is_own_root;
	bool is_open;			/* the library is open */
	struct mono scan_due;
	size_t count;
	struct hwmon_sensor sensor[SENSORS_MAX];
};

int sensor_source_new(int root_fd, const struct platform_host *host,
		      struct sensor_source **ret, struct diag *d)
{
	struct sensor_source *s = calloc(1, sizeof(*s));

	if (!s)
		return diag_set(d, -ENOMEM, "no memory for %u sensors",
				SENSORS_MAX);
	s->host = host;
	s->is_own_root = path_is_own_root(root_fd);
	*ret = s;
	return 0;
}

static void library_close(struct sensor_source *s)
{
	if (s->is_open)
		sensors_cleanup();
	s->is_open = false;
}

void sensor_source_free(struct sensor_source *s)
{
	if (!s)
		return;
	library_close(s);
	free(s);
}

static const struct feature_kind *kind_of(sensors_feature_type type)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].feature == type)
			return &kinds[i];
	return NULL;
}

/* The number of a readable subfeature. */
static int subfeature_of(const sensors_chip_name *chip,
			 const sensors_feature *feature,
			 sensors_subfeature_type type)
{
	const sensors_subfeature *sub;

	if (type == SENSORS_SUBFEATURE_UNKNOWN)
		return NOT_THERE;
	sub = sensors_get_subfeature(chip, feature, type);
	return sub && sub->flags & SENSORS_MODE_R ? sub->number : NOT_THERE;
}

/* The sensor of that name, reported to the host if new; NULL if there is no
 * room.
 */
static struct hwmon_sensor *sensor_get(struct sensor_source *s,
				       const char *name)
{
	const struct platform_host *h = s->host;
	struct entity_key key = { .kind = ENTITY_SENSOR };
	struct hwmon_sensor *new = &s->sensor[s->count];

	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->sensor[i].name, name) == 0)
			return &s->sensor[i];
	if (s->count == SENSORS_MAX)
		return NULL;
	memset(new, 0, sizeof(*new));
	(void)snprintf(new->name, sizeof(new->name), "%s", name);
	memcpy(key.name, new->name, sizeof(key.name));
	if (h->entity(h->context, &key, &new->handle) < 0)
		return NULL;
	s->count++;
	return new;
}

static void feature_add(struct sensor_source *s, const sensors_chip_name *chip,
			const char *chip_name, const sensors_feature *feature)
{
	const struct platform_host *h = s->host;
	const struct feature_kind *kind = kind_of(feature->type);
	char whole[2 * NAME_MAX + 2], name[ENTITY_NAME_MAX];
	struct hwmon_sensor *one;
	char *label;
	int input;

	if (!kind)
		return;
	input = subfeature_of(chip, feature, kind->input);
	if (input == NOT_THERE)
		input = subfeature_of(chip, feature, kind->other_input);
	if (input == NOT_THERE)
		return;
	(void)snprintf(whole, sizeof(whole), "%s/%s", chip_name,
		       feature->name);
	entity_name_fit(name, whole, strlen(whole));
	one = sensor_get(s, name);
	if (!one)
		return;
	one->kind = kind;
	one->chip = chip;
	one->input = input;
	one->fault = subfeature_of(chip, feature, kind->fault);
	one->seen = true;
	for (unsigned i = 0; i < THRESHOLDS; i++)
		one->threshold[i] =
			feature->type != SENSORS_FEATURE_TEMP ? NOT_THERE :
			subfeature_of(chip, feature, threshold_types[i]);
	label = sensors_get_label(chip, feature);
	h->attribute(h->context, one->handle, ATTRIBUTE_LABEL, label);
	free(label);
}

static void chip_add(struct sensor_source *s, const sensors_chip_name *chip)
{
	const sensors_feature *feature;
	char name[NAME_MAX + 1];
	int len = sensors_snprintf_chip_name(name, sizeof(name), chip);
	int nr = 0;

	if (len < 0 || (size_t)len >= sizeof(name))
		return;
	while ((feature = sensors_get_features(chip, &nr)) != NULL)
		feature_add(s, chip, name, feature);
}

static void unseen_drop(struct sensor_source *s)
{
	const struct platform_host *h = s->host;
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (s->sensor[i].seen)
			s->sensor[kept++] = s->sensor[i];
		else
			h->gone(h->context, s->sensor[i].handle);
	}
	s->count = kept;
}

static int no_chip(struct diag *d)
{
	return diag_set(d, -ENODATA, "no hwmon chip with a sensor in "
			"/sys/class/hwmon");
}

int sensor_source_scan(struct sensor_source *s, struct mono now,
		       struct diag *d)
{
	const sensors_chip_name *chip;
	int nr = 0, rc;

	if (!s->is_own_root)
		return diag_set(d, -EOPNOTSUPP, "libsensors reads the /sys of "
				"this machine; sensors below another root are "
				"not supported");
	library_close(s);
	for (size_t i = 0; i < s->count; i++)
		s->sensor[i].seen = false;
	rc = sensors_init(NULL);
	s->is_open = rc == 0;
	s->scan_due.ns = now.ns + RESCAN_NS;
	while (rc == 0 && (chip = sensors_get_detected_chips(NULL, &nr)))
		chip_add(s, chip);
	unseen_drop(s);
	if (rc != 0)
		return diag_set(d, -ENODATA, "libsensors: %s",
				sensors_strerror(rc));
	return s->count > 0 ? 0 : no_chip(d);
}

/* A value in the unit of its row; false if it cannot be read now. */
static bool value_read(const struct hwmon_sensor *one, int subfeature,
		       double scale, int64_t *ret)
{
	double value;

	if (subfeature == NOT_THERE ||
	    sensors_get_value(one->chip, subfeature, &value) < 0)
		return false;
	value *= scale;
	if (!isfinite(value) || fabs(value) > VALUE_MAX)
		return false;
	*ret = llround(value);
	return true;
}

/* True if it gave its value; a sensor that reports a fault gives none. */
static bool sensor_read(const struct sensor_source *s,
			const struct hwmon_sensor *one)
{
	const struct platform_host *h = s->host;
	struct read_group age = { .taken = clock_mono_now(),
				  .uncertainty_ns = CACHE_NS / 2 };
	int64_t value, fault = 0;
	bool ok;

	age.taken.ns -= CACHE_NS / 2;
	ok = value_read(one, one->input, one->kind->scale, &value);
	(void)value_read(one, one->fault, 1, &fault);
	ok = ok && fault == 0;
	h->group(h->context, LINUX_SENSORS, one->handle, &age);
	if (ok)
		h->sample(h->context, one->kind->quantity, 0, value,
			  QUALITY_GOOD);
	for (unsigned i = 0; i < THRESHOLDS; i++)
		if (value_read(one, one->threshold[i], one->kind->scale,
			       &value))
			h->sample(h->context, Q_SENSOR_TEMP_THRESHOLD_MC, i,
				  value, QUALITY_GOOD);
	return ok;
}

int sensor_source_read(struct sensor_source *s, struct mono now,
		       struct diag *d)
{
	size_t told = 0;
	int rc = 0;

	if (!s->is_open || mono_diff_ns(now, s->scan_due) >= 0)
		rc = sensor_source_scan(s, now, d);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < s->count; i++)
		told += sensor_read(s, &s->sensor[i]);
	if (s->count == 0)
		return no_chip(d);
	if (told == 0)
		return diag_set(d, -EIO, "none of %zu sensors can be read",
				s->count);
	return 0;
}
