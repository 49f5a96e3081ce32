// SPDX-License-Identifier: MIT
/*
 * segment_overviews.c - the overviews of a segment store: made, found, and verified.
 *
 * An overview is verified by making its summaries again.
 */
#include "segment/segment_overviews.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "histree/segments.h"
#include "item/value.h"
#include "segment/segment_memory.h"
#include "segment/segment_summary.h"
#include "store/overview_faults.h"

/* ---- segment overviews --------------------------------------------------------------------------------------- */

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

/*
 * Cells lie in cells of the next overview, which distinguishes the same values; the overview of parts distinguishes
 * none.
 */
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
		assert(overviews->count < SEGMENT_OVERVIEWS_MAX && next.width_log2 <= 63);
		overviews->overviews[overviews->count++] = next;
	}
	return overviews;
}

/* ---- segment overviews check --------------------------------------------------------------------------------- */

enum { SLICE_SUMMARIES = 1 << 16 };

/* What an overview says of some segments, and what they are; both have a count of 0 until there is something. */
struct checked_cell {
	struct segment_summary said, found;
	uint64_t time;
	size_t bucket;
};

struct check {
	const struct segment_overview *overview, *below;
	struct histree_segment_store *segments;
	size_t field;
	struct duration_parts parts;
	struct arena values; /* of the slice */
	struct checked_cell *cells;
	size_t count, capacity;
	struct hash_index index; /* of cells */
	struct histree_error *error;
};

static uint64_t hash_of_value(const struct histree_value *value)
{
	switch (value->type) {
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		return hash_bytes(value->bytes, value->size);
	case HISTREE_INT:
		return (uint64_t)value->int32;
	case HISTREE_LONG:
		return (uint64_t)value->int64;
	case HISTREE_DOUBLE:
		return hash_bytes(&value->real, sizeof(value->real));
	case HISTREE_BOOL:
		return value->boolean;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	}
	return 0;
}

static uint64_t hash_of(const struct checked_cell *cell)
{
	return hash_mix(hash_of_value(&cell->said.value) + cell->time * UINT64_C(0x9e3779b97f4a7c15) +
			cell->bucket);
}

static uint64_t hash_at(const void *cells, uint32_t number)
{
	return hash_of((const struct checked_cell *)cells + number);
}

static bool is_same(const void *cells, uint32_t number, const void *key)
{
	const struct checked_cell *one = (const struct checked_cell *)cells + number, *other = key;
	return one->time == other->time && one->bucket == other->bucket &&
	       histree_value_equal(&one->said.value, &other->said.value);
}

static enum histree_status differs(const struct check *check)
{
	return error_set(check->error, HISTREE_ERR_FORMAT, "says other sums than %s",
			 check->below != NULL ? "the overview before it" : "the segments have");
}

static struct checked_cell cell_of(const struct check *check, const struct segment_summary *summary)
{
	return (struct checked_cell){
		.said = { .value = summary->value },
		.time = segment_overview_cell(summary->longest_start, check->overview->width_log2),
		.bucket = check->overview->parts_log2 > 0
				  ? duration_part_of(&check->parts, summary->longest)
				  : duration_bucket_of(&check->parts.buckets, summary->longest),
	};
}

/* Sums that do not fit were two summaries when they were made; here they are counted modulo 2^64. */
static void segment_overviews_add(struct segment_summary *into, const struct segment_summary *from)
{
	struct segment_summary more = *from;
	if (into->count == 0) {
		more.value = into->value;
		*into = more;
	} else if (!segment_summary_merge(into, from)) {
		uint64_t total = into->total + from->total;
		uint64_t count = into->count + from->count;
		into->count = more.count = 1;
		into->total = more.total = 0;
		segment_summary_merge(into, &more);
		into->count = count;
		into->total = total;
		into->squares = NAN;
	}
}

static enum histree_status take_said(struct check *check, const struct segment_summary *summary)
{
	struct checked_cell cell = cell_of(check, summary);
	uint32_t known = hash_index_find(&check->index, hash_of(&cell), is_same, check->cells, &cell);
	if (known == HASH_INDEX_NONE) {
		if (!array_reserve(&check->cells, &check->capacity, check->count + 1) ||
		    !hash_index_reserve(&check->index, check->count + 1, hash_at, check->cells) ||
		    !value_keep(&cell.said.value, &check->values))
			return error_memory(check->error, "verifying an overview");
		known = (uint32_t)check->count++;
		hash_index_add(&check->index, hash_of(&cell), known);
		check->cells[known] = cell;
	}
	segment_overviews_add(&check->cells[known].said, summary);
	return HISTREE_OK;
}

static enum histree_status take_found(struct check *check, const struct segment_summary *summary)
{
	const struct checked_cell cell = cell_of(check, summary);
	uint32_t known = hash_index_find(&check->index, hash_of(&cell), is_same, check->cells, &cell);
	if (known == HASH_INDEX_NONE)
		return differs(check);
	segment_overviews_add(&check->cells[known].found, summary);
	return HISTREE_OK;
}

/* Squares keep 20 bits in a file; those of sums that do not fit are not known. */
static bool is_about(double one, double other, double longest)
{
	return !(fabs(one - other) > 1e-5 * (one + other) + 1e-9 * longest * longest);
}

static enum histree_status compare_slice(struct check *check)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < check->count && status == HISTREE_OK; i++) {
		const struct segment_summary *said = &check->cells[i].said, *found = &check->cells[i].found;
		if (said->count != found->count || said->total != found->total || said->longest != found->longest ||
		    said->longest_start != found->longest_start || said->shortest != found->shortest ||
		    said->shortest_start != found->shortest_start ||
		    !is_about(said->squares, found->squares, (double)said->longest))
			status = differs(check);
	}
	check->count = 0;
	hash_index_clear(&check->index);
	arena_release(&check->values);
	return status;
}

struct slice {
	uint64_t from, to; /* numbers of times */
};

static bool may_start(void *context, const struct segment_bounds *bounds)
{
	const struct slice *slice = context;
	return segment_overview_cell(bounds->start_min, 0) <= slice->to &&
	       segment_overview_cell(bounds->start_max, 0) >= slice->from;
}

/* What the summaries are of. */
static enum histree_status find_slice(struct check *check, struct histree_cursor *iter, struct slice slice)
{
	const struct histree_segment_query query = { .from = segment_overview_time(slice.from),
						     .to = segment_overview_time(slice.to) };
	const struct segment_choice choice = { .may_have = may_start, .context = &slice };
	struct histree_segment segment;
	struct segment_summary summary;
	bool together = check->field == SEGMENT_OVERVIEWS_TOGETHER;
	const struct histree_value null = histree_null();
	enum histree_status status = segments_start_choice(iter, &query, choice, check->error);
	while (status == HISTREE_OK && (status = histree_cursor_next(iter, check->error)) == HISTREE_OK) {
		segment = *histree_cursor_segment(iter);
		if (check->below == NULL)
			summary = segment_summary_of(&segment, together ? &null : &segment.content[check->field]);
		else if (!segment_summary_get(&check->parts.buckets, &segment, &summary))
			return differs(check);
		status = take_found(check, &summary);
	}
	if (status == HISTREE_END && histree_cursor_loss(iter).nodes > 0)
		return differs(check);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status check_all(struct check *check, struct histree_cursor *said, struct histree_cursor *found)
{
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	struct slice slice = { 0, UINT64_MAX };
	uint64_t last_of_cell = (UINT64_C(1) << check->overview->width_log2) - 1;
	struct histree_segment segment;
	struct segment_summary summary;
	query.order = HISTREE_SEGMENTS_BY_START;
	enum histree_status status = histree_segments_start(said, &query, NULL, check->error);
	while (status == HISTREE_OK && (status = histree_cursor_next(said, check->error)) == HISTREE_OK) {
		segment = *histree_cursor_segment(said);
		uint64_t start = segment_overview_cell(segment.start, 0);
		if (check->count >= SLICE_SUMMARIES && start > slice.to) {
			status = find_slice(check, found, slice);
			if (status == HISTREE_OK)
				status = compare_slice(check);
			slice.from = slice.to + 1;
		}
		slice.to = start | last_of_cell;
		if (!segment_summary_get(&check->parts.buckets, &segment, &summary))
			return differs(check);
		if (status == HISTREE_OK)
			status = take_said(check, &summary);
	}
	if (status != HISTREE_END)
		return status;
	slice.to = UINT64_MAX;
	status = find_slice(check, found, slice);
	return status == HISTREE_OK ? compare_slice(check) : status;
}

/* ---- segment overviews verify -------------------------------------------------------------------------------- */

static bool is_one_cell(const struct segment_summary *summary, unsigned width_log2)
{
	return segment_overview_cell(summary->longest_start, width_log2) ==
	       segment_overview_cell(summary->shortest_start, width_log2);
}

/* Each segment is in one summary, and the longest and the shortest of all are among theirs. */
static enum histree_status check_summaries(const struct segment_overview *overview,
					   const struct histree_segment_store_info *of, struct histree_error *error)
{
	const struct histree_segment_query all = HISTREE_SEGMENTS_ALL;
	struct histree_cursor *iter;
	struct histree_segment segment;
	struct segment_summary summary = { 0 };
	struct duration_buckets buckets;
	uint64_t count = 0, longest = 0, shortest = UINT64_MAX;
	duration_buckets_init(&buckets, SUMMARY_BUCKETS_PER_DECADE);
	enum histree_status status = histree_segments_create(overview->store, &iter, error);
	if (status != HISTREE_OK)
		return status;
	status = histree_segments_start(iter, &all, NULL, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(iter, error)) == HISTREE_OK) {
		segment = *histree_cursor_segment(iter);
		if (!segment_summary_get(&buckets, &segment, &summary) ||
		    !is_one_cell(&summary, overview->width_log2))
			status = error_set(error, HISTREE_ERR_FORMAT, "has a summary that no segments have");
		count += summary.count;
		longest = summary.longest > longest ? summary.longest : longest;
		shortest = summary.shortest < shortest ? summary.shortest : shortest;
	}
	histree_cursor_free(iter);
	if (status != HISTREE_END)
		return status;
	if (count != of->segment_count || longest != of->duration_max || shortest != of->duration_min)
		return error_set(error, HISTREE_ERR_FORMAT, "is not of the segments that the store has");
	return HISTREE_OK;
}

/* The overviews of a store, one after the other; each is compared with the one before, if that is sound. */
struct verified {
	const struct io *io;
	const struct histree_segment_store_info *of;
	struct histree_segment_store *segments;
	struct segment_overview before; /* store NULL: none */
	size_t field;                   /* of that */
	struct overview_faults faults;
};

static enum histree_status verify_sums(const struct verified *verified, const struct segment_overview *overview,
				       size_t field, struct histree_error *error)
{
	const struct segment_overview *before = &verified->before;
	bool follows = before->store != NULL && field == verified->field &&
		       overview->width_log2 > before->width_log2 && overview->parts_log2 == 0;
	enum histree_status status = check_summaries(overview, verified->of, error);
	/* Without the segments it may still be compared with the overview before it. */
	if (status != HISTREE_OK || (!follows && verified->segments == NULL))
		return status;
	/*
	 * Compare all sums of an overview by `field` with sums made again: from the segments of the store, if
	 * `below` is NULL, or from the summaries of an overview with shorter cells.  Both are consistent in
	 * themselves.
	 *
	 * Memory is needed for 64 Ki summaries, or for one cell.
	 */
	const struct segment_overview *below = follows ? before : NULL;
	struct check check = {
		.overview = overview, .below = below, .segments = verified->segments, .field = field, .error = error
	};
	struct histree_cursor *said = NULL, *found = NULL;
	/* An overview of parts has the segments themselves to compare with. */
	duration_parts_init(
		&check.parts, overview->parts_log2,
		verified->segments != NULL ? histree_segment_store_info(verified->segments)->duration_max : 0);
	status = histree_segments_create(overview->store, &said, error);
	if (status == HISTREE_OK)
		status = histree_segments_create(below != NULL ? below->store : verified->segments, &found, error);
	if (status == HISTREE_OK)
		status = check_all(&check, said, found);
	histree_cursor_free(said);
	histree_cursor_free(found);
	free(check.cells);
	hash_index_release(&check.index);
	arena_release(&check.values);
	return status;
}

static enum histree_status verify_overview(struct verified *verified, const char *path, struct histree_error *error)
{
	enum { CACHE_BYTES = 1 << 20 };
	struct overview_faults *faults = &verified->faults;
	struct segment_overview overview;
	struct histree_error fault = { 0 };
	uint64_t before = faults->count;
	size_t field;
	faults->path = path;
	enum histree_status status =
		segment_overview_open(verified->io, path, verified->of, CACHE_BYTES, &overview, &field, &fault);
	if (status == HISTREE_OK)
		status = histree_segment_store_verify(overview.store, overview_faults_report, faults, &fault);
	if (status == HISTREE_OK)
		status = verify_sums(verified, &overview, field, &fault);
	if (status == HISTREE_OK) {
		histree_segment_store_close(verified->before.store);
		verified->before = overview;
		verified->field = field;
	} else {
		histree_segment_store_close(overview.store);
	}
	return overview_faults_judge(faults, before, status, &fault, error);
}

enum histree_status segment_overviews_verify(const struct io *io, const char *path,
					     const struct histree_segment_store_info *of,
					     struct histree_segment_store *segments,
					     void (*report)(void *context, const char *fault), void *context,
					     struct histree_error *error)
{
	struct verified verified = {
		.io = io, .of = of, .segments = segments, .faults = { .report = report, .context = context }
	};
	enum histree_status status = HISTREE_OK;
	for (uint32_t number = 1; number <= SEGMENT_OVERVIEWS_MAX && status == HISTREE_OK; number++) {
		char *name = segment_overview_path(path, number);
		if (name == NULL)
			status = error_memory(error, "a path");
		else if (overview_is_there(io, name))
			status = verify_overview(&verified, name, error);
		free(name);
	}
	histree_segment_store_close(verified.before.store);
	return status == HISTREE_OK ? overview_faults_sum(&verified.faults, path, error) : status;
}

/* ---- those of a store ------------------------------------------------------------------------------ */

const struct segment_overviews *segment_store_overviews(struct histree_segment_store *store)
{
	/* What they are read for meets a summary once: it needs no more than a few nodes. */
	enum { CACHE_BYTES = 1 << 20 };
	if (!store->finished || store->no_overviews)
		return NULL;
	if (store->path == NULL) /* of a source: it was made with them */
		return store->overviews != NULL && store->overviews->count > 0 ? store->overviews : NULL;
	pthread_mutex_lock(&store->mutex);
	if (store->overviews == NULL)
		store->overviews = segment_overviews_open(store->room.io, store->path, &store->info, CACHE_BYTES);
	const struct segment_overviews *overviews = store->overviews;
	pthread_mutex_unlock(&store->mutex);
	return overviews != NULL && overviews->count > 0 ? overviews : NULL;
}

static void add_overview(struct histree_segment_overviews_info *info, const struct segment_overview *overview)
{
	const struct histree_segment_store_info *of = &overview->store->info;
	assert(info->count < SEGMENT_OVERVIEWS_MAX && overview->width_log2 <= 63);
	info->cell_ns[info->count] = UINT64_C(1) << overview->width_log2;
	info->summaries[info->count++] = of->segment_count;
	info->summary_count += of->segment_count;
	info->file_bytes += of->file_bytes;
}

struct histree_segment_overviews_info histree_segment_store_overviews(struct histree_segment_store *store)
{
	const struct segment_overviews *overviews = segment_store_overviews(store);
	struct histree_segment_overviews_info info = { 0 };
	for (uint32_t i = 0; overviews != NULL && i < overviews->count; i++)
		add_overview(&info, &overviews->overviews[i]);
	if (overviews != NULL && overviews->parts.store != NULL && info.count < SEGMENT_OVERVIEWS_MAX)
		add_overview(&info, &overviews->parts);
	return info;
}

static void ignore_fault(void *context, const char *fault)
{
	(void)context, (void)fault;
}

enum histree_status histree_segment_store_verify(struct histree_segment_store *store,
						 void (*report)(void *context, const char *fault), void *context,
						 struct histree_error *error)
{
	if (!store->finished)
		return error_set(error, HISTREE_ERR_ARGUMENT, "the segment store is not finished");
	if (store->backend->verify == NULL)
		return HISTREE_OK;
	report = report != NULL ? report : ignore_fault;
	enum histree_status status = store->backend->verify(store->body, &store->info, report, context, error);
	if (store->no_overviews || store->path == NULL || (status != HISTREE_OK && status != HISTREE_ERR_FORMAT))
		return status;
	bool is_sound = status == HISTREE_OK;
	enum histree_status of_overviews =
		segment_overviews_verify(store->room.io, store->path, &store->info, is_sound ? store : NULL, report,
					 context, is_sound ? error : NULL);
	return status == HISTREE_OK ? of_overviews : status;
}
