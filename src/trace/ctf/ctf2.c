// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf2.h"

#include <stdlib.h>
#include <string.h>

#include "trace/ctf/ctf2_reader.h"

static bool is_blank(const char *text, size_t size)
{
	size_t at = 0;
	while (at < size && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n'))
		at++;
	return at == size;
}

/* Read the texts between separators; RFC 7464 lets some be empty. */
static bool read_all(struct ctf2_reader *reader, const char *text)
{
	struct ctf2_value all = { .reader = reader };
	const char *end = text + strlen(text);
	while (*text == CTF2_SEPARATOR) {
		text++;
		const char *next = memchr(text, CTF2_SEPARATOR, (size_t)(end - text));
		size_t size = (size_t)((next != NULL ? next : end) - text);
		if (!is_blank(text, size)) {
			reader->fragment++;
			json_t *json = ctf2_json(reader, text, size);
			bool ok = json != NULL && ctf2_fragment(reader, json);
			json_decref(json);
			if (!ok)
				return false;
		}
		text += size;
	}
	if (!reader->has_preamble)
		return ctf2_fail(&all, "the metadata have no preamble");
	return reader->schema->stream_count > 0 ||
	       ctf2_fail(&all, "it is the last, and no data stream class was declared");
}

enum histree_status ctf2_read(struct ctf_schema *schema, const char *text, struct histree_error *error)
{
	struct histree_error own;
	struct ctf2_reader reader = { .schema = schema, .error = error != NULL ? error : &own };
	schema->version = 2;
	schema->order = CTF_LITTLE; /* each field says its own */
	enum histree_status status =
		read_all(&reader, text) ? ctf_schema_link(schema, reader.error) : reader.error->status;
	intern_release(&reader.alias_names);
	free((void *)reader.aliases);
	id_map_release(&reader.streams);
	return status;
}
