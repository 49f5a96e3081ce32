// SPDX-License-Identifier: MIT
/*
 * report_files.c - the sections of a report about disks, files and memory, from the segments of requests, of system
 * calls and of allocations.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/number_text.h"
#include "base/search.h"
#include "base/table.h"
#include "cli/report_sections.h"

/* Names that are told apart; later ones are counted together. */
enum { NAMES_MAX = 1 << 16 };

/* What is known of a disk, of a file, or of the memory of a thread. */
struct use {
	const char *name;
	uint64_t count, failed, reads, writes, read_bytes, written_bytes;
	uint64_t bytes, kept, kept_bytes; /* memory; and what of it was never freed */
	uint64_t ns, longest_ns;
	histree_time longest_start;
};

struct uses {
	struct intern names;
	struct use *all; /* by number of the name, until all were added */
	size_t count, capacity;
	struct use others; /* of whose names there is no room */
};

COMPARE(by_time, struct use, BY_MOST(ns) BY_TEXT(name))

/*
 * Returns the use that a name has, or, of a new one after NAMES_MAX, that of all others; NULL if memory runs out.
 */
static struct use *use_of(struct uses *uses, const char *name, size_t size)
{
	uint32_t id = intern_find(&uses->names, name, size);
	if (id == INTERN_NONE && uses->count == NAMES_MAX)
		return &uses->others;
	if (id != INTERN_NONE)
		return &uses->all[id];
	if (!array_reserve(&uses->all, &uses->capacity, uses->count + 2)) /* with room for the others at the end */
		return NULL;
	id = intern_add(&uses->names, name, size);
	if (id == INTERN_NONE)
		return NULL;
	assert(id == uses->count);
	uses->all[uses->count++] = (struct use){ .name = intern_get(&uses->names, id, &size) };
	return &uses->all[id];
}

static enum histree_status uses_add(struct uses *uses, const char *name, size_t size, const struct use *one,
				    struct histree_error *error)
{
	struct use *use = use_of(uses, name, size);
	if (use == NULL)
		return error_memory(error, "a report");

	/* Of the longest ones, the first is reported; a new one has no longest yet. */
	const bool is_first = use->count == 0;
	use->count += one->count;
	use->failed += one->failed;
	use->reads += one->reads;
	use->writes += one->writes;
	use->read_bytes += one->read_bytes;
	use->written_bytes += one->written_bytes;
	use->bytes += one->bytes;
	use->kept += one->kept;
	use->kept_bytes += one->kept_bytes;
	use->ns += one->ns;
	if (is_first || one->longest_ns > use->longest_ns) {
		use->longest_ns = one->longest_ns;
		use->longest_start = one->longest_start;
	}

	return HISTREE_OK;
}

static void release(struct uses *uses)
{
	intern_release(&uses->names);
	free(uses->all);
}

/* ---- segments ----------------------------------------------------------------------------------------------- */

enum field { NAME, DEVICE, BYTES, ARGUMENTS, RESULT, TID, PROCESS, FREED, HOST, FIELDS };

static const char *const field_names[FIELDS] = { "name", "device",  "bytes", "arguments", "return",
						 "tid",  "process", "freed", "host" };

struct reading {
	const struct report_source *source;
	struct histree_segment_store *store;
	size_t fields[FIELDS];            /* SIZE_MAX: it has no such field */
	const struct thread_lives *lives; /* of a report about memory */
	struct uses uses;
};

static const struct histree_value *value_of(const struct reading *reading, const struct histree_segment *segment,
					    enum field field)
{
	return &segment->content[reading->fields[field]];
}

typedef enum histree_status take_segment(struct reading *reading, const struct histree_segment *segment,
					 struct use *use, struct histree_error *error);

/* Calls `take` for each segment that begins in the window. */
static enum histree_status read_all(struct reading *reading, take_segment *take, struct histree_error *error)
{
	struct histree_cursor *iter = NULL;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.work = reading->source->work;
	if (reading->source->has_window) {
		query.from = reading->source->from;
		query.to = reading->source->to;
	}
	enum histree_status status = histree_segments_create(reading->store, &iter, error);
	if (status == HISTREE_OK)
		status = histree_segments_start(iter, &query, NULL, error);
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		status = cancel_or_next(&reading->source->work, step, iter, error);
		if (status != HISTREE_OK)
			break;
		const struct histree_segment *segment = histree_cursor_segment(iter);
		struct use use = { .count = 1,
				   .ns = histree_segment_duration(segment),
				   .longest_start = segment->start };
		use.longest_ns = use.ns;
		status = take(reading, segment, &use, error);
	}
	histree_cursor_free(iter);

	/* Nothing is added from here on. */
	if (reading->uses.others.count > 0) {
		reading->uses.all[reading->uses.count] = reading->uses.others;
		reading->uses.all[reading->uses.count++].name = "(others)";
	}
	if (reading->uses.count > 0)
		qsort(reading->uses.all, reading->uses.count, sizeof(*reading->uses.all), by_time);

	return status < 0 ? status : HISTREE_OK;
}

static bool is_text(const struct histree_value *value, const char *text)
{
	return value->type == HISTREE_STRING && value->size == strlen(text) &&
	       memcmp(value->bytes, text, value->size) == 0;
}

static void put_mean(struct row_writer *rows, const void *member)
{
	const struct use *use = member;
	row_duration(rows, use->ns / use->count);
}

#define LEFT(text, columns, kind, at) ROW_LEFT(text, columns, kind, struct use, at)
#define RIGHT(text, columns, kind, at) ROW_RIGHT(text, columns, kind, struct use, at)
#define LONGEST RIGHT("longest", 11, CELL_DURATION, longest_ns), RIGHT("at", 18, CELL_CLOCK, longest_start)
static const struct row_column disk_columns[] = {
	LEFT("device", 10, CELL_TEXT, name),
	RIGHT("reads", 8, CELL_UNSIGNED, reads),
	RIGHT("read", 11, CELL_SIZE, read_bytes),
	RIGHT("writes", 8, CELL_UNSIGNED, writes),
	RIGHT("written", 11, CELL_SIZE, written_bytes),
	{ .name = "mean", .width = 11, .to_the_right = true, .put = put_mean },
	LONGEST,
};

static const struct row_column file_columns[] = {
	RIGHT("calls", 8, CELL_UNSIGNED, count), RIGHT("failed", 8, CELL_UNSIGNED, failed),
	RIGHT("total", 11, CELL_DURATION, ns),   LONGEST,
	LEFT("file", 30, CELL_TEXT, name),
};

static const struct row_column memory_columns[] = {
	LEFT("thread", 24, CELL_TEXT, name),       RIGHT("allocations", 11, CELL_UNSIGNED, count),
	RIGHT("bytes", 11, CELL_SIZE, bytes),      RIGHT("never freed", 11, CELL_UNSIGNED, kept),
	RIGHT("bytes", 11, CELL_SIZE, kept_bytes),
};
#undef LONGEST
#undef RIGHT
#undef LEFT

/* ---- disks -------------------------------------------------------------------------------------------------- */

static enum histree_status take_request(struct reading *reading, const struct histree_segment *segment,
					struct use *use, struct histree_error *error)
{
	const struct histree_value *device = value_of(reading, segment, DEVICE);
	const int64_t bytes = histree_value_integer(value_of(reading, segment, BYTES));
	const uint64_t size = bytes > 0 ? (uint64_t)bytes : 0;
	if (device->type != HISTREE_STRING)
		return HISTREE_OK;
	use->reads = is_text(value_of(reading, segment, NAME), "read");
	use->writes = is_text(value_of(reading, segment, NAME), "write");
	use->read_bytes = use->reads > 0 ? size : 0;
	use->written_bytes = use->writes > 0 ? size : 0;
	return uses_add(&reading->uses, (const char *)device->bytes, device->size, use, error);
}

/* ---- files -------------------------------------------------------------------------------------------------- */

/* The text of an argument that is a path, without its quotes.  Returns false if there is no such argument. */
static bool find_path(const struct histree_value *arguments, const char **path, size_t *size)
{
	static const char *const names[] = { "filename = \"", "pathname = \"", "path = \"" };
	const char *text = (const char *)arguments->bytes, *end = text + arguments->size;
	if (arguments->type != HISTREE_STRING || arguments->size == 0 || memchr(text, '"', arguments->size) == NULL)
		return false; /* as those of most calls */
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *found = memmem(text, arguments->size, names[i], strlen(names[i]));
		if (found == NULL || (found > text && found[-1] != ' '))
			continue;
		*path = found + strlen(names[i]);
		const char *at = *path;
		while (at < end && *at != '"')
			at += *at == '\\' && at + 1 < end ? 2 : 1;
		*size = (size_t)((at < end ? at : end) - *path);
		return *size > 0;
	}
	return false;
}

static enum histree_status take_call(struct reading *reading, const struct histree_segment *segment,
				     struct use *use, struct histree_error *error)
{
	const char *path;
	size_t size;
	if (!find_path(value_of(reading, segment, ARGUMENTS), &path, &size))
		return HISTREE_OK;
	use->failed = histree_value_integer(value_of(reading, segment, RESULT)) < 0;
	return uses_add(&reading->uses, path, size, use, error);
}

/* ---- memory ------------------------------------------------------------------------------------------------- */

COMPARE(by_kept, struct use, BY_MOST(kept_bytes) BY_MOST(bytes) BY_TEXT(name))

/* Returns the number of the host of an allocation, and its name, before the thread's; of one host alone, none. */
static size_t put_host(const struct reading *reading, const struct histree_segment *segment, char *text,
		       size_t size)
{
	size_t count, number = 0;
	text[0] = '\0';
	if (reading->fields[HOST] == SIZE_MAX)
		return 0;
	const struct histree_history *history = reading->source->history;
	const struct histree_history_host *hosts = history != NULL ? histree_history_hosts(history, &count) : NULL;
	const struct histree_value *host = value_of(reading, segment, HOST);
	snprintf(text, size, "%.*s/", host->type == HISTREE_STRING ? (int)host->size : 0,
		 (const char *)host->bytes);
	while (hosts != NULL && number < count && !is_text(host, hosts[number].name))
		number++;
	return number;
}

/* Adds to its thread, which is identified by host, number and name, and by its life where others had the number. */
static enum histree_status take_allocation(struct reading *reading, const struct histree_segment *segment,
					   struct use *use, struct histree_error *error)
{
	const struct histree_value *process = value_of(reading, segment, PROCESS);
	const struct histree_value *tid = value_of(reading, segment, TID);
	bool is_named = process->type == HISTREE_STRING;
	const int64_t bytes = histree_value_integer(value_of(reading, segment, BYTES));
	char host[64], thread[THREAD_LIVES_NAME_SIZE], name[sizeof(host) + sizeof(thread)];
	const size_t number = put_host(reading, segment, host, sizeof(host));
	const struct histree_thread *life =
		thread_lives_find(reading->lives, number, (int32_t)histree_value_integer(tid), segment->start);
	use->bytes = bytes > 0 ? (uint64_t)bytes : 0;
	use->kept = is_text(value_of(reading, segment, FREED), "never");
	use->kept_bytes = use->kept > 0 ? use->bytes : 0;
	if (tid->type == HISTREE_NULL)
		snprintf(thread, sizeof(thread), "(unknown)");
	else if (life != NULL)
		thread_lives_name(life, thread, sizeof(thread));
	else
		snprintf(thread, sizeof(thread), "%" PRId64 " %.*s", histree_value_integer(tid),
			 is_named ? (int)process->size : 0, is_named ? (const char *)process->bytes : "");
	snprintf(name, sizeof(name), "%s%s", host, thread);
	return uses_add(&reading->uses, name, strlen(name), use, error);
}

/* ---- all of them -------------------------------------------------------------------------------------------- */

#define NEEDS(field) (1U << (field))

static const struct section {
	const char *analysis, *title;
	unsigned needs; /* fields */
	take_segment *take;
	const struct row_column *columns;
	size_t column_count;
	const char *more;  /* words that ask for all of it */
	bool is_of_memory; /* its rows are threads, those that keep most first */
} sections[] = {
	{ "block-io", "Disks", NEEDS(NAME) | NEEDS(DEVICE) | NEEDS(BYTES), take_request, ROW_COLUMNS(disk_columns),
	  "--by device", false },
	{ "system-calls", "Files that calls named", NEEDS(ARGUMENTS) | NEEDS(RESULT), take_call,
	  ROW_COLUMNS(file_columns), "--where 'arguments contains filename'", false },
	{ "allocations", "Memory of programs", NEEDS(TID) | NEEDS(PROCESS) | NEEDS(BYTES) | NEEDS(FREED),
	  take_allocation, ROW_COLUMNS(memory_columns), "--where 'freed == never' --sort bytes --limit 20", true },
};

/* Finds the fields; returns which there are.  Of one host, an analysis may have a field that is called so. */
static unsigned find_fields(struct reading *reading)
{
	unsigned found = 0;
	size_t parts;
	const bool has_hosts = histree_segment_store_parts(reading->store, &parts) != NULL;
	for (unsigned i = 0; i < FIELDS; i++)
		if ((i == HOST && !has_hosts) ||
		    histree_segment_store_field(reading->store, field_names[i], &reading->fields[i]) != HISTREE_OK)
			reading->fields[i] = SIZE_MAX;
		else
			found |= NEEDS(i);
	return found;
}

static void put_uses(struct overview_page *page, const struct reading *reading, const struct section *section)
{
	char command[256];
	if (section->is_of_memory)
		qsort(reading->uses.all, reading->uses.count, sizeof(*reading->uses.all), by_kept);
	overview_page_section(page, section->title);
	overview_page_table(page, section->columns, section->column_count, ROWS_PLAIN);
	for (size_t i = 0; i < reading->uses.count && i < reading->source->row_max; i++)
		row_put(&page->rows, &reading->uses.all[i]);
	overview_page_table_end(page);
	snprintf(command, sizeof(command), " %s%s %s", section->analysis, reading->source->window, section->more);
	overview_page_command(page, "segments", reading->source->target->path, command);
}

static enum histree_status put_section(struct overview_page *page, const struct report_source *source,
				       const struct section *section, struct histree_error *error)
{
	struct reading reading = { .source = source };
	if (target_find_segments(source->target, section->analysis) == NULL)
		return HISTREE_OK;
	if (section->is_of_memory && (reading.lives = report_lives(source, error)) == NULL)
		return error->status;
	enum histree_status status =
		target_segments(source->target, section->analysis, true, &reading.store, error);
	if (status != HISTREE_OK)
		return status;
	if ((section->needs & ~find_fields(&reading)) == 0)
		status = read_all(&reading, section->take, error);
	if (status == HISTREE_OK && reading.uses.count > 0)
		put_uses(page, &reading, section);
	release(&reading.uses);
	report_segments_close(source, reading.store);
	return status;
}

enum histree_status report_files(struct overview_page *page, const struct report_source *source,
				 struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections) && status == HISTREE_OK; i++)
		status = put_section(page, source, &sections[i], error);
	return status;
}
