// SPDX-License-Identifier: MIT
#include "segment/segment_overviews.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "segment/duration_parts.h"
#include "segment/segment_backend.h"
#include "segment/segment_summary.h"

char *segment_overview_path(const char *store, uint32_t number)
{
	size_t size = strlen(store) + sizeof(".overview4294967295");
	char *path = malloc(size);
	if (path != NULL)
		snprintf(path, size, "%s.overview%" PRIu32, store, number);
	return path;
}

/* ---- whose an overview is ------------------------------------------------------------------------------ */

/* The text is part of the format. */
void segment_overview_provider(const struct segment_overview_name *name, char room[SEGMENT_OVERVIEW_PROVIDER_SIZE])
{
	int size = snprintf(room, SEGMENT_OVERVIEW_PROVIDER_SIZE,
			    "summaries of %" PRIu64 " segments, store %016" PRIx64 ", by cells of 2^%u ns",
			    name->segments, name->identity, name->width_log2);
	if (name->field != SEGMENT_OVERVIEWS_TOGETHER)
		size += snprintf(room + size, SEGMENT_OVERVIEW_PROVIDER_SIZE - (size_t)size, " and field %zu",
				 name->field);
	if (name->parts_log2 > 0)
		snprintf(room + size, SEGMENT_OVERVIEW_PROVIDER_SIZE - (size_t)size, " in 2^%u parts",
			 name->parts_log2);
}

/* What is no such text is not printed again as it was. */
static bool read_provider(const char *provider, struct segment_overview_name *out)
{
	char again[SEGMENT_OVERVIEW_PROVIDER_SIZE];
	unsigned field;
	int found = sscanf(provider,
			   "summaries of %" SCNu64 " segments, store %" SCNx64 ", by cells of 2^%u ns and field %u",
			   &out->segments, &out->identity, &out->width_log2, &field);
	const char *parts = strstr(provider, " in 2^");
	out->field = found == 4 ? field : SEGMENT_OVERVIEWS_TOGETHER;
	out->parts_log2 = 0;
	if (found < 3 || (parts != NULL && sscanf(parts, " in 2^%u parts", &out->parts_log2) != 1))
		return false;
	segment_overview_provider(out, again);
	return strcmp(provider, again) == 0;
}

static bool has_fields(const struct histree_segment_schema *schema, enum histree_type value)
{
	struct histree_segment_field fields[SUMMARY_FIELD_COUNT];
	segment_summary_fields(value, fields);
	bool same = schema->field_count == SUMMARY_FIELD_COUNT;
	for (size_t i = 0; same && i < SUMMARY_FIELD_COUNT; i++)
		same = schema->fields[i].type == fields[i].type &&
		       strcmp(schema->fields[i].name, fields[i].name) == 0;
	return same;
}

static bool is_of(const struct histree_segment_store_info *info, const struct histree_segment_store_info *of,
		  struct segment_overview_name *name)
{
	if (info->schema.provider_version != SEGMENT_OVERVIEW_VERSION ||
	    !read_provider(info->schema.provider, name) || name->identity != of->identity ||
	    name->segments != of->segment_count || name->width_log2 > 63 ||
	    name->parts_log2 > DURATION_PARTS_LOG2_MAX ||
	    (name->parts_log2 > 0 && name->width_log2 != SEGMENT_OVERVIEW_OF_ALL))
		return false;
	bool together = name->field == SEGMENT_OVERVIEWS_TOGETHER;
	return (together || name->field < of->schema.field_count) &&
	       has_fields(&info->schema, together ? HISTREE_INT : of->schema.fields[name->field].type);
}

/* ---- opening --------------------------------------------------------------------------------------------- */

enum histree_status segment_overview_open(const struct io *io, const char *path,
					  const struct histree_segment_store_info *of, size_t cache_bytes,
					  struct segment_overview *out, size_t *field, struct histree_error *error)
{
	const struct histree_segment_open_options options = { .cache_bytes = cache_bytes,
							      .tables = HISTREE_TABLES_NEVER,
							      .no_overviews = true };
	struct segment_overview_name name;
	*out = (struct segment_overview){ 0 };
	enum histree_status status = segment_store_open(io, path, &options, &out->store, error);
	if (status != HISTREE_OK)
		return status;
	if (!is_of(&out->store->info, of, &name)) {
		histree_segment_store_close(out->store);
		out->store = NULL;
		return error_set(error, HISTREE_ERR_FORMAT, "'%s' is of another store", path);
	}
	out->width_log2 = name.width_log2;
	out->parts_log2 = name.parts_log2;
	*field = name.field;
	return HISTREE_OK;
}

/* Cells lie in those of the next overview, which tells the same values apart; that of parts tells none. */
static bool follows(const struct segment_overviews *overviews, const struct segment_overview *next, size_t field)
{
	uint32_t count = overviews->count;
	if (next->parts_log2 > 0)
		return count > 0 && field == SEGMENT_OVERVIEWS_TOGETHER;
	return count == 0 ||
	       (field == overviews->field && next->width_log2 > overviews->overviews[count - 1].width_log2);
}

struct segment_overviews *segment_overviews_open(const struct io *io, const char *path,
						 const struct histree_segment_store_info *of, size_t cache_bytes)
{
	struct segment_overviews *overviews = calloc(1, sizeof(*overviews));
	enum histree_status status = overviews != NULL ? HISTREE_OK : HISTREE_ERR_MEMORY;
	while (status == HISTREE_OK && overviews->count < SEGMENT_OVERVIEWS_MAX) {
		struct segment_overview next;
		char *name = segment_overview_path(path, overviews->count + 1);
		size_t field;
		status = name != NULL ? segment_overview_open(io, name, of, cache_bytes, &next, &field, NULL)
				      : HISTREE_ERR_MEMORY;
		free(name);
		if (status != HISTREE_OK)
			break;
		if (!follows(overviews, &next, field)) {
			histree_segment_store_close(next.store);
			break;
		}
		if (next.parts_log2 > 0) {
			overviews->parts = next;
			break;
		}
		overviews->field = field;
		overviews->overviews[overviews->count++] = next;
	}
	return overviews;
}

void segment_overviews_close(struct segment_overviews *overviews)
{
	if (overviews == NULL)
		return;
	histree_segment_store_close(overviews->parts.store);
	while (overviews->count > 0)
		histree_segment_store_close(overviews->overviews[--overviews->count].store);
	free(overviews);
}
