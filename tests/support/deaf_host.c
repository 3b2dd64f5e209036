#include "tests/support/deaf_host.h"

static int on_entity(void *context, const struct entity_key *key,
		     uint32_t *ret_handle)
{
	(void)context;
	(void)key;
	*ret_handle = 1;
	return 0;
}

static void on_attribute(void *context, uint32_t handle, enum attribute which,
			 const char *text)
{
	(void)context;
	(void)handle;
	(void)which;
	(void)text;
}

static void on_gone(void *context, uint32_t handle)
{
	(void)context;
	(void)handle;
}

static void on_group(void *context, unsigned source, uint32_t handle,
		     const struct read_group *age)
{
	(void)context;
	(void)source;
	(void)handle;
	(void)age;
}

static void on_sample(void *context, enum quantity quantity, unsigned index,
		      int64_t value, enum sample_quality quality)
{
	(void)context;
	(void)quantity;
	(void)index;
	(void)value;
	(void)quality;
}

static void on_event(void *context, uint32_t handle, enum platform_event what,
		     int64_t value, struct mono when, const char *text)
{
	(void)context;
	(void)handle;
	(void)what;
	(void)value;
	(void)when;
	(void)text;
}

static void on_source(void *context, unsigned source, enum source_state state,
		      int64_t interval_ns, const char *reason)
{
	(void)context;
	(void)source;
	(void)state;
	(void)interval_ns;
	(void)reason;
}

struct platform_host deaf_host(void *context)
{
	return (struct platform_host){
		.abi = PLATFORM_ABI,
		.size = sizeof(struct platform_host),
		.context = context,
		.entity = on_entity,
		.attribute = on_attribute,
		.gone = on_gone,
		.group = on_group,
		.sample = on_sample,
		.event = on_event,
		.source = on_source,
	};
}
