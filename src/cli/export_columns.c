// SPDX-License-Identifier: MIT
#include "cli/export_columns.h"

#include <stdio.h>
#include <string.h>

struct named_column {
	const char *name;
	uint64_t bit;
};

static const struct named_column of_states[] = {
	{ "quark", HISTREE_ARROW_QUARK },
	{ "path", HISTREE_ARROW_PATH },
	{ "start", HISTREE_ARROW_START },
	{ "end", HISTREE_ARROW_END },
	{ "duration", HISTREE_ARROW_DURATION },
	{ "type", HISTREE_ARROW_TYPE },
	{ "value", HISTREE_ARROW_VALUE },
	{ "real", HISTREE_ARROW_REAL },
	{ "text", HISTREE_ARROW_TEXT },
	{ "label", HISTREE_ARROW_LABEL },
	{ NULL, 0 },
};

static const struct named_column of_segments[] = {
	{ "start", HISTREE_ARROW_START },
	{ "end", HISTREE_ARROW_END },
	{ "duration", HISTREE_ARROW_DURATION },
	{ NULL, 0 },
};

static bool is_name(const char *name, const char *word, size_t size)
{
	return strlen(name) == size && memcmp(name, word, size) == 0;
}

static uint64_t find_column(const struct export_source *source, const char *word, size_t size)
{
	const struct named_column *table = source->history != NULL ? of_states : of_segments;
	for (size_t i = 0; table[i].name != NULL; i++)
		if (is_name(table[i].name, word, size))
			return table[i].bit;
	if (source->segments == NULL)
		return 0;
	/* A field that is called like a column has `field_` in front of its name. */
	const struct histree_segment_schema *schema = &histree_segment_store_info(source->segments)->schema;
	for (size_t i = 0; i < schema->field_count; i++) {
		char name[300];
		bool is_hidden = false;
		for (size_t j = 0; of_segments[j].name != NULL; j++)
			is_hidden = is_hidden || strcmp(of_segments[j].name, schema->fields[i].name) == 0;
		snprintf(name, sizeof(name), "%s%s", is_hidden ? "field_" : "", schema->fields[i].name);
		if (is_name(name, word, size))
			return HISTREE_ARROW_FIELD(i);
	}
	return 0;
}

/* The names that there are, for a message. */
static void list_names(const struct export_source *source, char *text, size_t room)
{
	const struct named_column *table = source->history != NULL ? of_states : of_segments;
	size_t length = 0;
	for (size_t i = 0; table[i].name != NULL && length < room; i++)
		length += (size_t)snprintf(text + length, room - length, "%s%s", i > 0 ? ", " : "", table[i].name);
	const struct histree_segment_schema *schema =
		source->segments != NULL ? &histree_segment_store_info(source->segments)->schema : NULL;
	for (size_t i = 0; schema != NULL && i < schema->field_count && length < room; i++)
		length += (size_t)snprintf(text + length, room - length, ", %s", schema->fields[i].name);
}

enum cli_exit export_columns_read(const struct export_source *source, const char *list, uint64_t leaves_out,
				  uint64_t *columns)
{
	char names[512];
	*columns = 0;
	if (list == NULL && leaves_out != 0 && source->history != NULL)
		for (size_t i = 0; of_states[i].name != NULL; i++)
			*columns |= of_states[i].bit & ~leaves_out;
	/* Which columns events have, their fields say. */
	while (source->events == NULL && list != NULL && *list != '\0') {
		size_t size = strcspn(list, ",");
		uint64_t bit = find_column(source, list, size);
		if (bit == 0) {
			list_names(source, names, sizeof(names));
			return report_exit(CLI_USAGE, "'--columns': there is no column '%.*s'; there are %s",
					   (int)(size < 200 ? size : 200), list, names);
		}
		*columns |= bit;
		list += size + (list[size] == ',');
	}
	return CLI_OK;
}

static uint64_t rows_of_states(const struct export_source *source)
{
	const struct histree_history_info *info = histree_history_info(source->history);
	double rows = (double)info->interval_count;
	if (source->quarks != NULL)
		rows *= (double)source->quark_count / ((double)info->attribute_count + 1);
	rows *= ((double)source->to - (double)source->from + 1) / ((double)info->end - (double)info->start + 1);
	return (uint64_t)rows;
}

enum histree_status export_columns_open(const struct export_source *source, uint64_t columns, const char *names,
					const struct histree_cancel *cancel, struct ArrowArrayStream *out,
					uint64_t *rows, struct histree_error *error)
{
	const struct histree_arrow_options options = { .columns = columns,
						       .cancel = *cancel,
						       .where = source->where,
						       .start = source->origin,
						       .end = source->trace_end,
						       .names = names };
	if (source->segments != NULL) {
		*rows = histree_segment_store_info(source->segments)->segment_count;
		return histree_segments_arrow(source->segments, &source->chosen.query, &options, out, error);
	}
	if (source->events != NULL) {
		*rows = histree_events_count(source->events);
		return histree_events_arrow(source->events, source->from, source->to, &options, out, error);
	}
	const struct histree_region region = {
		.quarks = source->quarks, .quark_count = source->quark_count, .from = source->from, .to = source->to
	};
	*rows = rows_of_states(source);
	return histree_query_arrow(source->history, &region, &options, out, error);
}
