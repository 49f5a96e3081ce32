// SPDX-License-Identifier: MIT
/*
 * columns_events.c - events as columns.  The dictionary of their names is that of the store, and so is that of
 * the hosts.
 *
 * With events of one type, each field is a column.  Most formats do not declare its type, and a field may occur in
 * some events only; so all of the events are read once beforehand, and the column has a type that holds all values
 * of its field without loss: a number for numbers, else a text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/number_text.h"
#include "base/table.h"
#include "columns/columns_batch.h"
#include "columns/relation.h"
#include "histree/columns.h"
#include "histree/events.h"

enum part { NUMBER, TIME, CPU, NAME, HOST, FIELDS, PARTS };

enum {
	/*
	 * A batch is full when its texts have this many bytes; it has no more rows of many columns than fit here.
	 */
	FIELDS_BYTES = 16 << 20,
	FIELDS_MAX = COLUMNS_MAX - PARTS,
};

static const char *const part_names[PARTS] = { "number", "time", "cpu", "name", "host", "fields" };

/* Columns are called so, or expressions call something else so. */
static const char *const reserved_names[] = { "number", "time", "cpu", "name", "host", "fields", "type" };

/* What the values of a field were. */
enum {
	SEEN_SIGNED = 1,
	SEEN_UNSIGNED = 2,
	SEEN_NEGATIVE = 4,
	SEEN_LARGE = 8,    /* above the greatest int64 */
	SEEN_INEXACT = 16, /* not exact as a double */
	SEEN_REAL = 32,
	SEEN_TEXT = 64,
};

struct event_column {
	char *field;    /* its name, as the events have it, */
	unsigned again; /* and how many fields of that name come before it in an event */
	char *name;     /* of the column */
	unsigned seen;
	enum columns_kind kind;
	int column;                             /* in the layout; COLUMN_NONE: it is not wanted */
	struct columns_texts texts;             /* of the batch */
	const struct histree_event_field *cell; /* of the event; NULL: the event does not have it */
};

struct events_source {
	struct relation base;
	struct histree_cursor *reader;
	struct histree_cursor *query;
	struct histree_event_range range;
	int column[PARTS];
	uint32_t *name_ids; /* by type */
	size_t type_count;
	uint32_t *host_ids; /* by host */
	size_t host_count;  /* 0: of one */
	struct columns_dictionary names, hosts;
	struct columns_texts fields;    /* of the batch */
	struct event_column *of_fields; /* where one type is chosen */
	size_t of_field_count, of_field_capacity;
	bool has_one_type, has_more_fields;
	struct columns_repair room;
};

static struct events_source *source_of(struct relation *base)
{
	return (struct events_source *)base;
}

/* ---- the columns of fields -------------------------------------------------------------------------------- */

/* Events of one type mostly have their fields in one order: `next` is the column of the one before, and 1. */
static size_t find_field(const struct events_source *source, const char *name, unsigned again, size_t next)
{
	for (size_t i = 0; i < source->of_field_count; i++) {
		const size_t at = (next + i) % source->of_field_count;
		if (source->of_fields[at].again == again && strcmp(source->of_fields[at].field, name) == 0)
			return at;
	}
	return source->of_field_count;
}

static bool is_taken(const struct events_source *source, const char *name)
{
	for (size_t i = 0; i < sizeof(reserved_names) / sizeof(*reserved_names); i++)
		if (strcasecmp(reserved_names[i], name) == 0)
			return true;
	for (size_t i = 0; i < source->of_field_count; i++)
		if (strcasecmp(source->of_fields[i].name, name) == 0)
			return true;
	return name[0] == '\0';
}

/* SQL knows no case in names of columns; a few prefixes always lead to a new one. */
static char *name_column(struct events_source *source, const struct histree_event_field *field, unsigned again,
			 struct histree_error *error)
{
	const void *bytes = field->name;
	size_t size = strlen(field->name);
	if (columns_repair(&source->room, &bytes, &size, error) != HISTREE_OK)
		return NULL;
	char *name = strndup(bytes, size);
	while (name != NULL && is_taken(source, name)) {
		char *longer = NULL;
		if (asprintf(&longer, "%s%s", again > 0 ? "context_" : "field_", name) < 0)
			longer = NULL;
		free(name);
		name = longer;
	}
	if (name == NULL)
		error_memory(error, "columns");
	return name;
}

static enum histree_status add_field(struct events_source *source, const struct histree_event_field *field,
				     unsigned again, struct histree_error *error)
{
	if (!array_reserve(&source->of_fields, &source->of_field_capacity, source->of_field_count + 1))
		return error_memory(error, "columns");
	char *name = name_column(source, field, again, error), *copy = strdup(field->name);
	if (name == NULL || copy == NULL) {
		free(name);
		free(copy);
		return error_memory(error, "columns");
	}
	source->of_fields[source->of_field_count++] =
		(struct event_column){ .field = copy, .again = again, .name = name, .column = COLUMN_NONE };
	return HISTREE_OK;
}

static unsigned seen_of(const struct histree_event_field *field)
{
	const int64_t exact = (int64_t)1 << 53;
	const bool is_unsigned = field->kind == HISTREE_EVENT_UNSIGNED;
	switch (field->kind) {
	case HISTREE_EVENT_SIGNED:
	case HISTREE_EVENT_UNSIGNED:
		return (is_unsigned ? SEEN_UNSIGNED : SEEN_SIGNED) |
		       (field->integer >= 0 ? 0
			: is_unsigned       ? SEEN_LARGE
					    : SEEN_NEGATIVE) |
		       (field->integer > exact || field->integer < -exact || (is_unsigned && field->integer < 0)
				? SEEN_INEXACT
				: 0);
	case HISTREE_EVENT_REAL:
		return SEEN_REAL;
	case HISTREE_EVENT_TEXT:
	case HISTREE_EVENT_LABEL:
	case HISTREE_EVENT_PARTS:
		break;
	}
	return SEEN_TEXT;
}

static enum columns_kind kind_of(unsigned seen)
{
	if ((seen & SEEN_TEXT) != 0)
		return COLUMN_TEXT;
	if ((seen & SEEN_REAL) != 0)
		return (seen & SEEN_INEXACT) != 0 ? COLUMN_TEXT : COLUMN_REAL;
	if ((seen & SEEN_LARGE) != 0)
		return (seen & SEEN_NEGATIVE) != 0 ? COLUMN_TEXT : COLUMN_UINT64;
	return (seen & SEEN_SIGNED) != 0 ? COLUMN_INT64 : COLUMN_UINT64;
}

/* Takes the fields of the last event, each with its column; those without a column are skipped. */
static enum histree_status take_fields(struct events_source *source, bool is_first_pass,
				       struct histree_error *error)
{
	size_t count, next = 0;
	const struct histree_event_field *fields = histree_event_reader_fields(source->reader, &count);
	if (fields == NULL)
		return error_memory(error, "the fields of an event");
	for (size_t i = 0; i < source->of_field_count; i++)
		source->of_fields[i].cell = NULL;
	for (size_t i = 0; i < count; i++) {
		unsigned again = 0;
		size_t at = find_field(source, fields[i].name, again, next);
		while (at < source->of_field_count && source->of_fields[at].cell != NULL)
			at = find_field(source, fields[i].name, ++again, next);
		if (at == source->of_field_count && (!is_first_pass || at == FIELDS_MAX)) {
			source->has_more_fields = true;
			continue;
		}
		enum histree_status status =
			at == source->of_field_count ? add_field(source, &fields[i], again, error) : HISTREE_OK;
		if (status != HISTREE_OK)
			return status;
		source->of_fields[at].cell = &fields[i];
		source->of_fields[at].seen |= is_first_pass ? seen_of(&fields[i]) : 0;
		next = at + 1;
	}
	return HISTREE_OK;
}

/* Read all of the events, for the fields that they have. */
static enum histree_status look_at_fields(struct events_source *source, struct histree_error *error)
{
	enum histree_status status = histree_event_query_start(source->query, &source->range, error);
	while (status == HISTREE_OK) {
		status = histree_cursor_next(source->query, error);
		if (status == HISTREE_OK)
			status = take_fields(source, true, error);
	}
	for (size_t i = 0; i < source->of_field_count; i++)
		source->of_fields[i].kind = kind_of(source->of_fields[i].seen);
	return status < 0 ? status : HISTREE_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

/* Also a number, in a column of texts. */
static enum histree_status put_text(struct events_source *source, struct event_column *column,
				    struct histree_error *error)
{
	const struct histree_event_field *cell = column->cell;
	char digits[NUMBER_TEXT_SIZE];
	const void *bytes = cell == NULL ? "" : seen_of(cell) == SEEN_TEXT ? cell->text : digits;
	size_t size = 0;
	if (cell != NULL)
		size = bytes == cell->text                ? cell->size
		       : cell->kind == HISTREE_EVENT_REAL ? number_format_real(cell->real, digits)
		       : cell->kind == HISTREE_EVENT_SIGNED
			       ? number_format_signed(cell->integer, digits)
			       : number_format_unsigned((uint64_t)cell->integer, digits);
	enum histree_status status = columns_repair(&source->room, &bytes, &size, error);
	return status == HISTREE_OK ? columns_texts_add(&column->texts, bytes, size, error) : status;
}

static double real_of(const struct histree_event_field *cell)
{
	return cell->kind == HISTREE_EVENT_REAL ? cell->real : (double)cell->integer;
}

/* What a null has for a value is 0, or no text. */
static enum histree_status put_cell(struct events_source *source, struct columns_batch *batch,
				    struct event_column *column, struct histree_error *error)
{
	const struct histree_event_field *cell = column->cell;
	const size_t row = batch->rows;
	void *values = batch->values[column->column];
	batch->valid[column->column][row] = cell != NULL;
	if (column->kind == COLUMN_TEXT)
		return put_text(source, column, error);
	if (column->kind == COLUMN_REAL)
		((double *)values)[row] = cell != NULL ? real_of(cell) : 0;
	else
		((int64_t *)values)[row] = cell != NULL ? cell->integer : 0;
	return HISTREE_OK;
}

static enum histree_status put_fields(struct events_source *source, struct columns_batch *batch,
				      struct histree_error *error)
{
	enum histree_status status = take_fields(source, false, error);
	for (size_t i = 0; i < source->of_field_count && status == HISTREE_OK; i++)
		if (source->of_fields[i].column != COLUMN_NONE)
			status = put_cell(source, batch, &source->of_fields[i], error);
	return status;
}

static enum histree_status fill_row(struct events_source *source, struct columns_batch *batch,
				    const struct histree_event *event, struct histree_error *error)
{
	const int *column = source->column;
	if (event->type >= source->type_count)
		return error_set(error, HISTREE_ERR_FORMAT, "event %llu is of type %u; there are %zu",
				 (unsigned long long)event->number, event->type, source->type_count);
	relation_put_int64(batch, column[NUMBER], (int64_t)event->number);
	relation_put_int64(batch, column[TIME], event->time);
	relation_put_or_null(batch, column[CPU], (uint32_t)event->cpu, event->cpu >= 0);
	relation_put_uint32(batch, column[NAME], source->name_ids[event->type]);
	if (column[HOST] != COLUMN_NONE)
		relation_put_uint32(batch, column[HOST], source->host_ids[event->host]);
	enum histree_status status = source->of_field_count > 0 ? put_fields(source, batch, error) : HISTREE_OK;
	if (status == HISTREE_OK && column[FIELDS] != COLUMN_NONE) {
		const char *json = histree_event_reader_json(source->reader);
		status = json != NULL ? columns_texts_add(&source->fields, json, strlen(json), error)
				      : error_memory(error, "the fields of an event");
	}
	batch->rows++;
	return status;
}

static size_t bytes_of_texts(const struct events_source *source)
{
	size_t size = source->fields.size;
	for (size_t i = 0; i < source->of_field_count; i++)
		size += source->of_fields[i].texts.size;
	return size;
}

static enum histree_status next_events(struct relation *base, struct columns_batch *batch,
				       struct histree_error *error)
{
	struct events_source *source = source_of(base);
	enum histree_status status = HISTREE_OK;
	columns_texts_release(&source->fields);
	for (size_t i = 0; i < source->of_field_count; i++)
		columns_texts_release(&source->of_fields[i].texts);
	while (status == HISTREE_OK && batch->rows < base->layout.rows_max &&
	       bytes_of_texts(source) < FIELDS_BYTES) {
		status = histree_cursor_next(source->query, error);
		if (status == HISTREE_OK)
			status = fill_row(source, batch, histree_cursor_event(source->query), error);
	}
	return status;
}

/* ---- the source ------------------------------------------------------------------------------------------- */

static void release_events(struct relation *base)
{
	struct events_source *source = source_of(base);
	for (size_t i = 0; i < source->of_field_count; i++) {
		free(source->of_fields[i].field);
		free(source->of_fields[i].name);
		columns_texts_release(&source->of_fields[i].texts);
	}
	free(source->of_fields);
	histree_cursor_free(source->query);
	histree_cursor_free(source->reader);
	columns_dictionary_release(&source->names);
	columns_dictionary_release(&source->hosts);
	columns_texts_release(&source->fields);
	free(source->room.bytes);
	free(source->name_ids);
	free(source->host_ids);
}

static enum histree_status add_names(struct events_source *source, const struct histree_events *events,
				     struct histree_error *error)
{
	const char *const *types = histree_events_types(events, &source->type_count);
	source->name_ids = calloc(source->type_count + 1, sizeof(*source->name_ids));
	if (source->name_ids == NULL)
		return error_memory(error, "columns");
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < source->type_count && status == HISTREE_OK; i++)
		status = columns_dictionary_add(&source->names, types[i], strlen(types[i]), &source->name_ids[i],
						error);
	const struct histree_event_host *hosts = histree_events_hosts(events, &source->host_count);
	source->host_ids = calloc(source->host_count + 1, sizeof(*source->host_ids));
	if (status == HISTREE_OK && source->host_ids == NULL)
		status = error_memory(error, "columns");
	for (size_t i = 0; i < source->host_count && status == HISTREE_OK; i++)
		status = columns_dictionary_add(&source->hosts, hosts[i].name, strlen(hosts[i].name),
						&source->host_ids[i], error);
	return status;
}

/* So many columns that a batch would take more memory than one of states have shorter ones. */
static void bound_rows(struct columns_layout *layout)
{
	enum { BYTES_A_CELL = 9 };
	const uint32_t rows_max = FIELDS_BYTES / (BYTES_A_CELL * (uint32_t)layout->count);
	if (layout->rows_max > rows_max)
		layout->rows_max = rows_max;
}

/* Those that every event has, then those of fields, or all fields as JSON; the latter are wanted alike. */
static enum histree_status lay_out(struct events_source *source, const struct histree_arrow_options *options,
				   struct histree_error *error)
{
	const struct relation_part all[PARTS] = {
		[NUMBER] = { HISTREE_ARROW_NUMBER, { part_names[NUMBER], COLUMN_UINT64, false, NULL } },
		[TIME] = { HISTREE_ARROW_TIME, { part_names[TIME], COLUMN_TIME, false, NULL } },
		[CPU] = { HISTREE_ARROW_CPU, { part_names[CPU], COLUMN_INT32, true, NULL } },
		[NAME] = { HISTREE_ARROW_NAME, { part_names[NAME], COLUMN_WORD, false, &source->names.texts } },
		[HOST] = { HISTREE_ARROW_HOST, { part_names[HOST], COLUMN_WORD, false, &source->hosts.texts } },
		[FIELDS] = { HISTREE_ARROW_FIELDS, { part_names[FIELDS], COLUMN_TEXT, false, &source->fields } },
	};
	const char *hint = source->has_one_type
				   ? ""
				   : "; fields are columns where an expression chooses one type, as in "
				     "'type == sched_switch'";
	struct relation_part parts[COLUMNS_MAX];
	int numbers[COLUMNS_MAX], *places[COLUMNS_MAX];
	size_t count = 0;
	for (int part = 0; part < FIELDS; part++) {
		source->column[part] = COLUMN_NONE;
		if (part == HOST && source->host_count == 0)
			continue;
		places[count] = &source->column[part];
		parts[count++] = all[part];
	}
	for (size_t i = 0; i < source->of_field_count; i++) {
		struct event_column *column = &source->of_fields[i];
		places[count] = &column->column;
		parts[count++] = (struct relation_part){
			HISTREE_ARROW_FIELDS,
			{ column->name, column->kind, true, column->kind == COLUMN_TEXT ? &column->texts : NULL },
		};
	}
	source->column[FIELDS] = COLUMN_NONE;
	if (!source->has_one_type || source->has_more_fields) {
		places[count] = &source->column[FIELDS];
		parts[count++] = all[FIELDS];
	}
	enum histree_status status = relation_configure(&source->base, options, parts, count, hint, error);
	if (status != HISTREE_OK)
		return status;
	relation_add_parts(&source->base, parts, count, numbers);
	for (size_t i = 0; i < count; i++)
		*places[i] = numbers[i];
	bound_rows(&source->base.layout);
	return HISTREE_OK;
}

static enum histree_status open_events(struct relation *base, const struct relation_question *question,
				       struct histree_error *error)
{
	struct events_source *source = source_of(base);
	const struct histree_events *events = question->events;
	const struct histree_arrow_options *options = question->options;
	uint32_t type;
	if (question->from > question->to)
		return error_set(error, HISTREE_ERR_ARGUMENT, "events from %lld to %lld", (long long)question->from,
				 (long long)question->to);
	source->range = (struct histree_event_range){ HISTREE_WINDOW_ALL, { question->from, question->to, false } };
	source->names.texts.size_max = source->hosts.texts.size_max = relation_text_bytes(options);
	enum histree_status status = histree_event_reader_create(events, &source->reader, error);
	if (status == HISTREE_OK)
		status = add_names(source, events, error);
	if (status == HISTREE_OK)
		status = histree_event_query_create(events, source->reader, options->where, options->start,
						    options->end, &source->query, error);
	if (status != HISTREE_OK)
		return status;
	histree_event_query_set_cancel(source->query, options->work);
	if (options->kernel != NULL && histree_event_query_names_threads(source->query))
		status = histree_event_query_take_threads(source->query, options->kernel, error);
	if (status != HISTREE_OK)
		return status;
	source->has_one_type = histree_event_query_one_type(source->query, &type);
	const bool wants_fields =
		options->names != NULL || options->columns == 0 || (options->columns & HISTREE_ARROW_FIELDS) != 0;
	if (source->has_one_type && wants_fields)
		status = look_at_fields(source, error);
	if (status == HISTREE_OK)
		status = lay_out(source, options, error);
	return status == HISTREE_OK ? histree_event_query_start(source->query, &source->range, error) : status;
}

enum histree_status histree_events_arrow(const struct histree_events *events, histree_time from, histree_time to,
					 const struct histree_arrow_options *options, struct ArrowArrayStream *out,
					 struct histree_error *error)
{
	static const struct relation_kind kind = { .size = sizeof(struct events_source),
						   .open = open_events,
						   .next = next_events,
						   .release = release_events };
	const struct relation_question question = { .events = events, .from = from, .to = to, .options = options };
	return relation_open(&kind, &question, out, error);
}
