// SPDX-License-Identifier: MIT
/*
 * The section of tracing data, which perf has in common with trace-cmd (trace-cmd.dat.v6(5), up to the formats of
 * events): a head, the layout of pages, and the descriptions of tracepoints, system by system.
 */
#include "base/error.h"
#include "trace/perf/perf_file.h"

struct tracing {
	const uint8_t *at;
	size_t left;
	bool is_big;
	struct perf_file *file;
	struct tracepoint_parser *parser;
};

static const uint8_t *take(struct tracing *tracing, uint64_t size)
{
	const uint8_t *bytes = tracing->at;
	if (size > tracing->left)
		return NULL;
	tracing->at += size;
	tracing->left -= (size_t)size;
	return bytes;
}

/* Returns a text that ends with a zero, NULL if there is none. */
static const char *take_text(struct tracing *tracing)
{
	const uint8_t *zero = tracing->left == 0 ? NULL : memchr(tracing->at, 0, tracing->left);
	return zero == NULL ? NULL : (const char *)take(tracing, (uint64_t)(zero - tracing->at) + 1);
}

static bool take_u32(struct tracing *tracing, uint32_t *out)
{
	const uint8_t *bytes = take(tracing, 4);
	if (bytes != NULL)
		*out = perf_u32(bytes, tracing->is_big);
	return bytes != NULL;
}

/* A block is a size of 64 bits, and so many bytes. */
static const uint8_t *take_block(struct tracing *tracing, uint64_t *size)
{
	const uint8_t *bytes = take(tracing, 8);
	if (bytes == NULL)
		return NULL;
	*size = perf_u64(bytes, tracing->is_big);
	return take(tracing, *size);
}

static bool skip_named_block(struct tracing *tracing)
{
	uint64_t size;
	return take_text(tracing) != NULL && take_block(tracing, &size) != NULL;
}

/* Step over what is before the systems: "\27\8Dtracing", version, byte order, size of a long and of a page. */
static bool skip_head(struct tracing *tracing)
{
	static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	const uint8_t *bytes = take(tracing, sizeof(magic));
	if (bytes == NULL || memcmp(bytes, magic, sizeof(magic)) != 0 || take_text(tracing) == NULL)
		return false;
	const uint8_t *order = take(tracing, 1);
	if (order == NULL || take(tracing, 1 + 4) == NULL)
		return false;
	tracing->is_big = *order != 0;
	if (!skip_named_block(tracing) || !skip_named_block(tracing)) /* "header_page", "header_event" */
		return false;
	uint32_t count;
	if (!take_u32(tracing, &count))
		return false;
	for (uint64_t size; count > 0; count--) /* events of ftrace itself */
		if (take_block(tracing, &size) == NULL)
			return false;
	return true;
}

static enum histree_status read_tracepoint(struct tracing *tracing, const char *system, struct histree_error *error)
{
	struct perf_file *file = tracing->file;
	const struct tracepoint *tracepoint;
	uint64_t size;
	const uint8_t *text = take_block(tracing, &size);
	if (text == NULL)
		return HISTREE_END;
	enum histree_status status = tracepoint_parse(tracing->parser, (const char *)text, (size_t)size, system,
						      &file->memory, &tracepoint, error);
	if (status != HISTREE_OK || tracepoint == NULL || id_map_find(&file->tracepoints, tracepoint->id) != NULL)
		return status;
	union {
		const struct tracepoint *is;
		void *kept; /* an id_map hands out what it was given */
	} record = { .is = tracepoint };
	return id_map_add(&file->tracepoints, tracepoint->id, record.kept)
		       ? HISTREE_OK
		       : error_memory(error, "the tracepoints of a trace");
}

static enum histree_status read_systems(struct tracing *tracing, struct histree_error *error)
{
	uint32_t systems, count;
	enum histree_status status = HISTREE_OK;
	if (!take_u32(tracing, &systems))
		return HISTREE_OK;
	for (; systems > 0 && status == HISTREE_OK; systems--) {
		const char *name = take_text(tracing);
		if (name == NULL || !take_u32(tracing, &count))
			return HISTREE_OK;
		const char *system = arena_copy(&tracing->file->memory, name, strlen(name));
		if (system == NULL)
			return error_memory(error, "the tracepoints of a trace");
		for (; count > 0 && status == HISTREE_OK; count--)
			status = read_tracepoint(tracing, system, error);
	}
	return status < 0 ? status : HISTREE_OK;
}

enum histree_status perf_tracing_read(struct perf_file *file, const uint8_t *bytes, size_t size,
				      struct histree_error *error)
{
	struct tracing tracing = { .at = bytes, .left = size, .is_big = file->is_big, .file = file };
	if (!skip_head(&tracing))
		return HISTREE_OK;
	tracing.parser = tracepoint_parser_create(tracing.is_big);
	if (tracing.parser == NULL)
		return error_memory(error, "the tracepoints of a trace");
	enum histree_status status = read_systems(&tracing, error);
	tracepoint_parser_free(tracing.parser);
	return status;
}
