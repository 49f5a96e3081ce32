// SPDX-License-Identifier: MIT
/*
 * What integers of CTF 1.8 mean: it follows from what they are called and where (CTF 1.8, sections 5 and 6).
 */
#include <string.h>

#include "trace/ctf/ctf_schema.h"

struct name_of_role {
	const char *name;
	enum ctf_role role;
};

static const struct name_of_role of_header[] = {
	{ "magic", CTF_ROLE_MAGIC },
	{ "stream_id", CTF_ROLE_STREAM },
	{ "stream_instance_id", CTF_ROLE_INSTANCE },
};

static const struct name_of_role of_context[] = {
	{ "packet_size", CTF_ROLE_PACKET_SIZE },
	{ "content_size", CTF_ROLE_CONTENT_SIZE },
	{ "timestamp_begin", CTF_ROLE_BEGIN },
	{ "timestamp_end", CTF_ROLE_END },
	{ "events_discarded", CTF_ROLE_DISCARDED },
	{ "packet_seq_num", CTF_ROLE_SEQUENCE },
	{ "cpu_id", CTF_ROLE_CPU },
};

/* The first member of a name has a role, if it is an integer. */
static void give(const struct ctf_type *structure, const struct name_of_role *names, size_t count)
{
	for (size_t name = 0; structure != NULL && name < count; name++)
		for (size_t i = 0; i < structure->member_count; i++) {
			struct ctf_member *member = &structure->members[i];
			if (strcmp(member->name, names[name].name) != 0)
				continue;
			if (member->type->kind == CTF_INTEGER)
				member->roles |= 1u << names[name].role;
			break;
		}
}

/* Integers of a name have a role, at any depth. */
static void give_all(const struct ctf_type *type, const char *name, enum ctf_role role)
{
	while (type != NULL && (type->kind == CTF_ARRAY || type->kind == CTF_SEQUENCE))
		type = type->element;
	if (type == NULL || !ctf_type_is_compound(type))
		return;
	for (size_t i = 0; i < type->member_count; i++) {
		struct ctf_member *member = &type->members[i];
		if (member->type->kind == CTF_INTEGER && strcmp(member->name, name) == 0)
			member->roles |= 1u << role;
		give_all(member->type, name, role);
	}
}

/* Each array of bytes of this name is the UUID; which of them is at a constant place, the decoder finds. */
static void give_uuid(const struct ctf_type *structure)
{
	for (size_t i = 0; structure != NULL && i < structure->member_count; i++)
		if (strcmp(structure->members[i].name, "uuid") == 0)
			structure->members[i].roles |= 1u << CTF_ROLE_UUID;
}

void ctf_roles_imply(const struct ctf_schema *schema)
{
	give(schema->packet_header, of_header, sizeof(of_header) / sizeof(of_header[0]));
	give_uuid(schema->packet_header);
	for (size_t i = schema->linked_streams; i < schema->stream_count; i++) {
		const struct ctf_stream_type *stream = schema->streams[i];
		give(stream->packet_context, of_context, sizeof(of_context) / sizeof(of_context[0]));
		give_all(stream->packet_context, "timestamp_end", CTF_ROLE_END);
		give_all(stream->event_header, "id", CTF_ROLE_EVENT);
	}
}
