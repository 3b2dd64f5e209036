/* Any message of record.proto as JSON, by its own descriptor. */
#pragma once

#include <protobuf-c/protobuf-c.h>

struct json_object;

/* The object of a message: its fields by name, empty ones left out, octets
 * left out. NULL when out of memory; free with json_object_put().
 */
struct json_object *message_json(const ProtobufCMessage *m);
