// SPDX-License-Identifier: MIT
/*
 * Events as columns.  The dictionary of their names is that of the store, and so is that of the hosts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "columns/columns_batch.h"
#include "columns/columns_stream.h"
#include "histree/arrow.h"

enum part { NUMBER, TIME, CPU, NAME, HOST, FIELDS, PARTS };

/* A batch whose fields have so many bytes is full. */
enum { FIELDS_BYTES = 16 << 20 };

struct events_source {
	struct columns_source base;
	struct histree_event_reader *reader;
	histree_time to;
	uint64_t steps;
	int column[PARTS];
	uint32_t *name_ids; /* by type */
	size_t type_count;
	uint32_t *host_ids; /* by host */
	size_t host_count;  /* 0: of one */
	struct columns_dictionary names, hosts;
	struct columns_texts fields; /* of the batch */
};

static struct events_source *source_of(struct columns_source *base)
{
	return (struct events_source *)base;
}

static enum histree_status add_fields(struct events_source *source, struct histree_error *error)
{
	const char *json = histree_event_reader_json(source->reader);
	return json != NULL ? columns_texts_add(&source->fields, json, strlen(json), error)
			    : error_memory(error, "the fields of an event");
}

static enum histree_status fill_row(struct events_source *source, struct columns_batch *batch,
				    const struct histree_event *event, struct histree_error *error)
{
	const int *column = source->column;
	size_t row = batch->rows;
	if (event->type >= source->type_count)
		return error_set(error, HISTREE_ERR_FORMAT, "event %llu is of type %u; there are %zu",
				 (unsigned long long)event->number, event->type, source->type_count);
	if (column[NUMBER] != COLUMN_NONE)
		((uint64_t *)batch->values[column[NUMBER]])[row] = event->number;
	if (column[TIME] != COLUMN_NONE)
		((int64_t *)batch->values[column[TIME]])[row] = event->time;
	if (column[CPU] != COLUMN_NONE) {
		((int32_t *)batch->values[column[CPU]])[row] = event->cpu;
		batch->valid[column[CPU]][row] = event->cpu >= 0;
	}
	if (column[NAME] != COLUMN_NONE)
		((uint32_t *)batch->values[column[NAME]])[row] = source->name_ids[event->type];
	if (column[HOST] != COLUMN_NONE)
		((uint32_t *)batch->values[column[HOST]])[row] = source->host_ids[event->host];
	batch->rows++;
	return column[FIELDS] != COLUMN_NONE ? add_fields(source, error) : HISTREE_OK;
}

static enum histree_status fill(struct columns_source *base, struct columns_batch *batch,
				struct histree_error *error)
{
	struct events_source *source = source_of(base);
	struct histree_event event;
	enum histree_status status = HISTREE_OK;
	columns_texts_release(&source->fields);
	while (status == HISTREE_OK && batch->rows < base->layout.rows_max && source->fields.size < FIELDS_BYTES) {
		status = cancel_check(&base->cancel, source->steps++, error);
		if (status == HISTREE_OK)
			status = histree_event_reader_next(source->reader, &event, error);
		if (status == HISTREE_OK)
			status = event.time > source->to ? HISTREE_END : fill_row(source, batch, &event, error);
	}
	return status;
}

static void free_source(struct columns_source *base)
{
	struct events_source *source = source_of(base);
	histree_event_reader_free(source->reader);
	columns_dictionary_release(&source->names);
	columns_dictionary_release(&source->hosts);
	columns_texts_release(&source->fields);
	free(source->name_ids);
	free(source->host_ids);
	free(source);
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

static enum histree_status begin(struct events_source *source, const struct histree_events *events,
				 histree_time from, histree_time to, const struct histree_arrow_options *options,
				 struct histree_error *error)
{
	const struct {
		uint64_t bit;
		struct columns_column column;
	} all[PARTS] = {
		[NUMBER] = { HISTREE_ARROW_NUMBER, { "number", COLUMN_UINT64, false, NULL } },
		[TIME] = { HISTREE_ARROW_TIME, { "time", COLUMN_TIME, false, NULL } },
		[CPU] = { HISTREE_ARROW_CPU, { "cpu", COLUMN_INT32, true, NULL } },
		[NAME] = { HISTREE_ARROW_NAME, { "name", COLUMN_WORD, false, &source->names.texts } },
		[HOST] = { HISTREE_ARROW_HOST, { "host", COLUMN_WORD, false, &source->hosts.texts } },
		[FIELDS] = { HISTREE_ARROW_FIELDS, { "fields", COLUMN_TEXT, false, &source->fields } },
	};
	uint64_t known = 0, wanted, first;
	size_t host_count;
	bool has_hosts = histree_events_hosts(events, &host_count) != NULL;
	for (int part = 0; part < PARTS; part++)
		if (part != HOST || has_hosts)
			known |= all[part].bit;
	enum histree_status status = columns_source_configure(&source->base, options, known, &wanted, error);
	if (status != HISTREE_OK)
		return status;
	for (int part = 0; part < PARTS; part++)
		source->column[part] = (wanted & all[part].bit) != 0
					       ? columns_source_add(&source->base, all[part].column)
					       : COLUMN_NONE;
	source->to = to;
	source->names.texts.size_max = source->hosts.texts.size_max = columns_text_bytes(options);
	if (from > to)
		return error_set(error, HISTREE_ERR_ARGUMENT, "events from %lld to %lld", (long long)from,
				 (long long)to);
	status = add_names(source, events, error);
	if (status == HISTREE_OK)
		status = histree_event_reader_create(events, &source->reader, error);
	if (status == HISTREE_OK)
		status = histree_event_reader_find(source->reader, from, &first, error);
	return status == HISTREE_OK ? histree_event_reader_seek(source->reader, first, error) : status;
}

enum histree_status histree_events_arrow(const struct histree_events *events, histree_time from, histree_time to,
					 const struct histree_arrow_options *options, struct ArrowArrayStream *out,
					 struct histree_error *error)
{
	*out = (struct ArrowArrayStream){ 0 };
	struct events_source *source = calloc(1, sizeof(*source));
	if (source == NULL)
		return error_memory(error, "columns");
	source->base.fill = fill;
	source->base.free = free_source;
	enum histree_status status = begin(source, events, from, to, options, error);
	if (status == HISTREE_OK)
		return columns_stream_open(&source->base, out, error);
	free_source(&source->base);
	return status;
}
