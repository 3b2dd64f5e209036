/* Any message of record.proto as JSON, by its own descriptor. */
#pragma once

#include <protobuf-c/protobuf-c.h>
#include <stdint.h>

struct json_object;

/* The object of a message: its fields by name, empty ones left out, octets
 * left out. NULL when out of memory; free with json_object_put().
 */
struct json_object *message_json(const ProtobufCMessage *m);

/* Adds an exact integer, with a twin <key>_str from 2^53 on. */
void json_add_integer(struct json_object *o, const char *key, int64_t value);

/* The same for a 64-bit pattern. */
void json_add_unsigned(struct json_object *o, const char *key, uint64_t value);
