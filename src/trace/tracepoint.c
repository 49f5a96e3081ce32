// SPDX-License-Identifier: MIT
#include "trace/tracepoint.h"

#include <event-parse.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Descriptions are a few kB; one of the kernel is less than a page of 64 kB. */
enum { DESCRIPTION_SIZE_MAX = 64 << 10, FIELDS_MAX = 1024 };

struct tracepoint_parser {
	struct tep_handle *handle;
};

/* The parser of libtraceevent keeps its place in a text in variables of its own. */
static pthread_mutex_t parsing = PTHREAD_MUTEX_INITIALIZER;

struct tracepoint_parser *tracepoint_parser_create(bool is_big)
{
	struct tracepoint_parser *parser = calloc(1, sizeof(*parser));
	if (parser == NULL)
		return NULL;
	parser->handle = tep_alloc();
	if (parser->handle == NULL) {
		free(parser);
		return NULL;
	}
	tep_set_file_bigendian(parser->handle, is_big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_loglevel(TEP_LOG_NONE);
	return parser;
}

void tracepoint_parser_free(struct tracepoint_parser *parser)
{
	if (parser == NULL)
		return;
	tep_free(parser->handle);
	free(parser);
}

static enum tracepoint_field_kind kind_of(const struct tep_format_field *field)
{
	unsigned long flags = field->flags;
	bool is_text = (flags & TEP_FIELD_IS_STRING) != 0;
	if ((flags & TEP_FIELD_IS_DYNAMIC) != 0) {
		if (!is_text || field->size != 4)
			return TRACEPOINT_OTHER;
		return (flags & TEP_FIELD_IS_RELATIVE) != 0 ? TRACEPOINT_RELATIVE_TEXT : TRACEPOINT_DISTANT_TEXT;
	}
	if ((flags & TEP_FIELD_IS_ARRAY) != 0)
		return is_text ? TRACEPOINT_TEXT : TRACEPOINT_OTHER;
	bool is_number = field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8;
	return is_number ? TRACEPOINT_INTEGER : TRACEPOINT_OTHER;
}

static bool copy_fields(const struct tep_format_field *from, struct tracepoint_field *fields, uint32_t *count,
			struct arena *memory)
{
	for (; from != NULL && *count < FIELDS_MAX; from = from->next) {
		const char *name = arena_copy(memory, from->name, strlen(from->name));
		if (name == NULL)
			return false;
		fields[(*count)++] = (struct tracepoint_field){
			.name = name,
			.kind = from->offset < 0 || from->size < 0 ? TRACEPOINT_OTHER : kind_of(from),
			.is_signed = (from->flags & TEP_FIELD_IS_SIGNED) != 0,
			.offset = (uint32_t)from->offset,
			.size = (uint32_t)from->size,
		};
	}
	return true;
}

/* Returns NULL when memory is out. */
static const struct tracepoint *copy_event(const struct tep_event *event, const char *system, struct arena *memory)
{
	struct tracepoint_field *fields = calloc(FIELDS_MAX, sizeof(*fields));
	struct tracepoint *copy = arena_allocate(memory, sizeof(*copy), alignof(struct tracepoint));
	uint32_t count = 0;
	bool is_copied = fields != NULL && copy != NULL &&
			 copy_fields(event->format.common_fields, fields, &count, memory) &&
			 copy_fields(event->format.fields, fields, &count, memory);
	struct tracepoint_field *kept =
		is_copied ? arena_allocate(memory, (count + 1) * sizeof(*kept), alignof(struct tracepoint_field))
			  : NULL;
	const char *name = kept == NULL ? NULL : arena_copy(memory, event->name, strlen(event->name));
	if (name != NULL) {
		memcpy(kept, fields, count * sizeof(*kept));
		*copy = (struct tracepoint){
			.system = system,
			.name = name,
			.id = (uint32_t)event->id,
			.field_count = count,
			.fields = kept,
		};
	}
	free(fields);
	return name == NULL ? NULL : copy;
}

/*
 * What is behind the fields says how to print them, in a language of its own: it is not wanted, and what is not
 * looked at can do no harm.  Returns NULL when memory is out.
 */
static char *without_print(const char *text, size_t size)
{
	static const char mark[] = "\nprint fmt:", empty[] = "\nprint fmt: \"\"\n";
	const char *end = memmem(text, size, mark, sizeof(mark) - 1);
	size_t kept = end == NULL ? size : (size_t)(end - text);
	char *copy = malloc(kept + sizeof(empty));
	if (copy != NULL) {
		memcpy(copy, text, kept);
		memcpy(copy + kept, empty, sizeof(empty));
	}
	return copy;
}

enum histree_status tracepoint_parse(struct tracepoint_parser *parser, const char *text, size_t size,
				     const char *system, struct arena *memory, const struct tracepoint **out,
				     struct histree_error *error)
{
	struct tep_event *event = NULL;
	*out = NULL;
	if (size > DESCRIPTION_SIZE_MAX)
		return HISTREE_OK;
	char *copy = without_print(text, size);
	if (copy == NULL)
		return error_memory(error, "the description of a tracepoint");
	pthread_mutex_lock(&parsing);
	enum tep_errno problem = tep_parse_format(parser->handle, &event, copy, strlen(copy), system);
	pthread_mutex_unlock(&parsing);
	free(copy);
	if (problem != 0 || event == NULL || event->name == NULL)
		return HISTREE_OK;
	*out = copy_event(event, system, memory);
	return *out == NULL ? error_memory(error, "the description of a tracepoint") : HISTREE_OK;
}
