// SPDX-License-Identifier: MIT
/*
 * event_map.c - which column of a table is what of an event: "time=ts,unit=us,name=event,cpu=core,tid=thread".
 */
#include "trace/text/event_map.h"

#include <stdalign.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"

const char *const map_part_names[MAP_PART_COUNT][3] = {
	[MAP_TIME] = { "time", "timestamp", NULL },
	[MAP_NAME] = { "name", "event", NULL },
	[MAP_CPU] = { "cpu", NULL, NULL },
	[MAP_THREAD] = { "thread", NULL, NULL },
};

static const char *const tracers[] = { "lttng", "perf", "ust", "none", NULL };
static const char *const formats[] = { "tsv", "csv", "json", NULL };

static const struct {
	const char *name;
	int64_t ns;
} units[] = { { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 } };

static bool is_among(const char *const *names, const char *name)
{
	while (*names != NULL && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

static enum histree_status set_unit(struct event_map *map, const char *name, struct histree_error *error)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].name, name) == 0) {
			map->unit_ns = units[i].ns;
			return HISTREE_OK;
		}
	return error_set(error, HISTREE_ERR_ARGUMENT, "'unit=%.40s': there are s, ms, us and ns", name);
}

static void set_columns(struct event_map *map, char *names)
{
	for (char *at = names; (at = strchr(at, '+')) != NULL;)
		*at = ',';
	map->columns = names;
}

static enum histree_status set(struct event_map *map, const char *key, char *value, struct histree_error *error)
{
	for (int part = 0; part < MAP_PART_COUNT; part++)
		if (strcmp(map_part_names[part][0], key) == 0) {
			map->parts[part] = value;
			return HISTREE_OK;
		}
	if (strcmp(key, "unit") == 0)
		return set_unit(map, value, error);
	if (strcmp(key, "tracer") == 0) {
		map->tracer = value;
		return is_among(tracers, value)
			       ? HISTREE_OK
			       : error_set(error, HISTREE_ERR_ARGUMENT,
					   "'tracer=%.40s': there are lttng, perf, ust and none", value);
	}
	if (strcmp(key, "format") == 0) {
		map->format = value;
		return is_among(formats, value) ? HISTREE_OK
						: error_set(error, HISTREE_ERR_ARGUMENT,
							    "'format=%.40s': there are tsv, csv and json", value);
	}
	if (strcmp(key, "machine") == 0)
		map->machine = value;
	else if (strcmp(key, "columns") == 0)
		set_columns(map, value);
	else
		map->fields[map->field_count++] = (struct event_field_name){ .field = key, .column = value };
	return HISTREE_OK;
}

enum histree_status event_map_read(struct event_map *map, const char *text, size_t size,
				   struct histree_error *error)
{
	size_t count = 1;
	*map = (struct event_map){ .unit_ns = 1 };
	for (size_t i = 0; i < size; i++)
		count += text[i] == ',';
	char *copy = arena_copy(&map->texts, text, size);
	map->fields = arena_allocate(&map->texts, count * sizeof(*map->fields), alignof(struct event_field_name));
	if (copy == NULL || map->fields == NULL)
		return error_memory(error, "the map of a trace");
	enum histree_status status = HISTREE_OK;
	for (char *key; size > 0 && status == HISTREE_OK && (key = strsep(&copy, ",")) != NULL;) {
		char *value = strchr(key, '=');
		if (value == NULL || value == key || value[1] == '\0')
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "'%.60s' in the map of a trace is not KEY=COLUMN, as in "
					 "'time=ts,unit=us,name=event,cpu=core'",
					 key);
		*value = '\0';
		status = set(map, key, value + 1, error);
	}
	return status;
}

void event_map_release(struct event_map *map)
{
	arena_release(&map->texts);
	map->fields = NULL;
	map->field_count = 0;
}

const char *event_map_field(const struct event_map *map, const char *column)
{
	for (size_t i = 0; i < map->field_count; i++)
		if (strcmp(map->fields[i].column, column) == 0)
			return map->fields[i].field;
	return column;
}
