// SPDX-License-Identifier: MIT
#include "pipeline/slice_plan.h"

#include <string.h>

#include "analysis/registry.h"
#include "base/error.h"

/* ---- the tree ------------------------------------------------------------------------------------------------ */

static void save_tree(const struct tree_options *tree, struct saved_bytes *out)
{
	saved_put_text(out, tree->variant->name, strlen(tree->variant->name));
	saved_put(out, tree->r_depth);
	saved_put(out, tree->r_nodes);
	saved_put(out, tree->node_size);
	saved_put(out, tree->fan_out);
	saved_put(out, (uint64_t)tree->prefer);
	saved_put_signed(out, tree->start);
}

static enum histree_status load_tree(struct tree_options *tree, struct arena *arena, struct byte_reader *reader,
				     struct histree_error *error)
{
	size_t size;
	const char *name = saved_read_text(reader, &size);
	const struct histree_tree_options asked = {
		.variant = arena_copy(arena, name, size),
		.r_depth = (uint32_t)saved_read_below(reader, UINT32_MAX),
		.r_nodes = (uint32_t)saved_read_below(reader, UINT32_MAX),
		.node_size = (uint32_t)saved_read_below(reader, UINT32_MAX),
		.fan_out = (uint32_t)saved_read_below(reader, UINT32_MAX),
		.prefer = (enum histree_preference)saved_read_below(reader, HISTREE_PREFER_SPACE + 1),
		.threads = 1,
	};
	histree_time start = saved_read_signed(reader);
	if (asked.variant == NULL)
		return error_memory(error, "a slice of the trace");
	return reader->failed ? HISTREE_OK : tree_options_resolve(&asked, start, tree, error);
}

/* ---- all of it ----------------------------------------------------------------------------------------------- */

void slice_plan_save(const struct slice_plan *plan, struct saved_bytes *out)
{
	const struct slice_source *source = &plan->source;
	saved_put_text(out, source->analysis->name, strlen(source->analysis->name));
	saved_put(out, source->analysis->version);
	saved_put(out, source->trace_count);
	for (size_t i = 0; i < source->trace_count; i++)
		saved_put_text(out, source->traces[i], strlen(source->traces[i]));
	saved_put(out, source->ignores_gaps);
	saved_put(out, source->bytes);
	saved_put(out, source->file_count);
	saved_put_signed(out, plan->frame.log.start);
	saved_put(out, plan->frame.log.value_size_max);
	saved_put(out, plan->frame.log.bytes_max);
	saved_put(out, plan->has_packs);
	saved_put(out, plan->kept_max);
	if (plan->has_packs)
		save_tree(&plan->tree, out);
}

/* Returns false without memory.  An analysis that there is not, or not of this version, is NULL. */
static bool load_analysis(const struct analysis **out, struct arena *arena, struct byte_reader *reader)
{
	size_t size;
	const char *text = saved_read_text(reader, &size), *name = arena_copy(arena, text, size);
	const uint64_t version = read_varint(reader);
	*out = NULL;
	if (name == NULL)
		return false;
	const struct registry_entry *entry = reader->failed ? NULL : registry_find(name);
	if (entry != NULL && entry->analysis != NULL && entry->analysis->slices != NULL &&
	    entry->analysis->version == version)
		*out = entry->analysis;
	return true;
}

static bool load_traces(struct slice_source *source, struct arena *arena, struct byte_reader *reader)
{
	size_t count = saved_read_count(reader, 1);
	const char **traces = arena_allocate(arena, (count + 1) * sizeof(*traces), _Alignof(char *));
	for (size_t i = 0; traces != NULL && i < count; i++) {
		size_t size;
		const char *path = saved_read_text(reader, &size);
		traces[i] = arena_copy(arena, path, size);
		if (traces[i] == NULL)
			return false;
	}
	source->traces = traces;
	source->trace_count = count;
	return traces != NULL;
}

enum histree_status slice_plan_load(struct slice_plan *plan, struct arena *arena, struct byte_reader *reader,
				    struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	*plan = (struct slice_plan){ 0 };
	if (!load_analysis(&plan->source.analysis, arena, reader) || !load_traces(&plan->source, arena, reader))
		return error_memory(error, "a slice of the trace");
	plan->frame.analysis = plan->source.analysis;
	plan->source.ignores_gaps = saved_read_below(reader, 2) != 0;
	plan->source.bytes = read_varint(reader);
	plan->source.file_count = (size_t)saved_read_below(reader, UINT32_MAX);
	plan->frame.log.start = saved_read_signed(reader);
	plan->frame.log.value_size_max = (size_t)read_varint(reader);
	plan->frame.log.bytes_max = (size_t)read_varint(reader);
	plan->has_packs = saved_read_below(reader, 2) != 0;
	plan->kept_max = (size_t)read_varint(reader);
	if (plan->has_packs)
		status = load_tree(&plan->tree, arena, reader, error);
	if (status == HISTREE_OK && (reader->failed || byte_reader_left(reader) > 0 ||
				     plan->source.analysis == NULL || plan->source.trace_count == 0))
		status = error_set(error, HISTREE_ERR_FORMAT,
				   "how slices are to be read is said in a way that this histree does not know");
	return status;
}
