// SPDX-License-Identifier: MIT
#include "analysis/xml/xml_charts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/xml/xml_views.h"
#include "base/array.h"
#include "base/error.h"
#include "state/charts.h"

/* One chart while it is read. */
struct reading {
	struct xml_reader *reader;
	const char *analysis; /* whose it is */
	const struct xml_element *view;
	struct xml_charts *charts;
	struct histree_chart_entry entries[HISTREE_CHART_ENTRIES_MAX];
	size_t count;
};

/* Returns a copy; "" and a failure if memory is out. */
static const char *keep(struct reading *reading, const struct xml_element *element, const char *text)
{
	const char *copy = arena_copy(&reading->charts->texts, text, strlen(text));
	if (copy == NULL)
		xml_fail(reading->reader, element, "no memory for its chart");
	return copy != NULL ? copy : "";
}

/*
 * What <display>, <name>, <id> or <parent> says as a reference: NULL if there is none, or if it is the result of a
 * query or a location, which the attribute does not say.
 */
static const char *reference(struct reading *reading, const struct xml_element *entry, const char *name)
{
	char text[HISTREE_CHART_TEXT_MAX + 2];
	const struct xml_element *element = xml_child(entry, name);
	const char *type = element != NULL ? xml_attribute(element, "type") : NULL;
	const char *value = element != NULL ? xml_attribute(element, "value") : NULL;
	const char *from = element != NULL ? xml_attribute(element, "reference") : NULL;
	if (type != NULL && strcmp(type, "self") == 0)
		return ".";
	if (type == NULL || value == NULL || *value == '\0' || strcmp(type, "constant") != 0)
		return NULL;
	snprintf(text, sizeof(text), "%s%s", from != NULL && strcmp(from, "absolute") == 0 ? "/" : "", value);
	return keep(reading, element, text);
}

static bool is_delta(const struct xml_element *entry)
{
	const char *type = xml_attribute(entry, "displayType");
	return type != NULL && strcmp(type, "delta") == 0;
}

static void read_entry(struct reading *reading, const struct xml_element *element, uint32_t parent,
		       const char *around);

static void read_inner(struct reading *reading, const struct xml_element *element, uint32_t parent,
		       const char *owner)
{
	for (const struct xml_element *each = xml_child(element, "entry"); each != NULL;
	     each = xml_next(each, "entry"))
		read_entry(reading, each, parent, owner);
}

/* An entry of another analysis than the one around it begins at the top of that one's attributes. */
static void read_entry(struct reading *reading, const struct xml_element *element, uint32_t parent,
		       const char *around)
{
	const char *owner = xml_entry_owner(element, around);
	if (owner != around)
		parent = HISTREE_CHART_TOP;
	if (!xml_entry_shows(reading->view, owner, reading->analysis)) {
		read_inner(reading, element, HISTREE_CHART_TOP, owner);
		return;
	}
	const char *path = xml_attribute(element, "path"), *shown = reference(reading, element, "display");
	bool is_left_out = xml_child(element, "display") != NULL && shown == NULL;
	if (is_left_out || reading->count == HISTREE_CHART_ENTRIES_MAX)
		return;
	uint32_t index = (uint32_t)reading->count++;
	reading->entries[index] = (struct histree_chart_entry){
		.parent = parent,
		.path = keep(reading, element, path != NULL && *path != '\0' ? path : "*"),
		.shown = shown,
		.name = reference(reading, element, "name"),
		.id = reference(reading, element, "id"),
		.above = reference(reading, element, "parent"),
		.measure = is_delta(element) ? HISTREE_CHART_DIFFERENCE : HISTREE_CHART_VALUE,
		.shows_text = xml_flag(reading->reader, element, "displayText", false),
	};
	read_inner(reading, element, index, owner);
}

/* The id of a view or a call stack, in the signs that names of charts have. */
static const char *name_of(struct reading *reading, const struct xml_element *view, const char *suffix)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-";
	char name[HISTREE_CHART_TEXT_MAX + 1];
	snprintf(name, sizeof(name), "%.200s%s", xml_need(reading->reader, view, "id"), suffix);
	for (char *at = name; *at != '\0'; at++)
		*at = strchr(allowed, *at) != NULL ? *at : '_';
	return keep(reading, view, name);
}

/* One that no chart can be is left out, as Trace Compass leaves out entries that it cannot show. */
static void add_chart(struct reading *reading, const struct xml_element *element, struct histree_chart chart)
{
	struct xml_charts *charts = reading->charts;
	if (reading->reader->status != HISTREE_OK || charts->count == HISTREE_CHARTS_MAX ||
	    charts_check(&chart, 1, NULL) != HISTREE_OK)
		return;
	for (size_t i = 0; i < charts->count; i++)
		if (strcmp(charts->charts[i].name, chart.name) == 0)
			return;
	struct histree_chart_entry *entries = arena_allocate(&charts->texts, reading->count * sizeof(*entries),
							     _Alignof(struct histree_chart_entry));
	if (entries == NULL || !array_reserve(&charts->charts, &charts->capacity, charts->count + 1)) {
		xml_fail(reading->reader, element, "no memory for its chart");
		return;
	}
	memcpy(entries, reading->entries, reading->count * sizeof(*entries));
	chart.entries = entries;
	charts->charts[charts->count++] = chart;
}

static void read_view(struct reading *reading, const struct xml_element *view)
{
	const struct xml_element *head = xml_child(view, "head");
	const struct xml_element *label = head != NULL ? xml_child(head, "label") : NULL;
	const char *title = label != NULL ? xml_attribute(label, "value") : NULL;
	reading->count = 0;
	reading->view = view;
	read_inner(reading, view, HISTREE_CHART_TOP, NULL);
	if (reading->count == 0)
		return;
	struct histree_chart chart = { .name = name_of(reading, view, ""), .unit = "" };
	chart.title = title != NULL && *title != '\0' ? keep(reading, view, title) : chart.name;
	chart.kind = xml_is(view, "xyView") ? HISTREE_CHART_LINES : HISTREE_CHART_STATES;
	if (chart.kind == HISTREE_CHART_STATES && xml_child(view, "definedValue") != NULL)
		chart.labels = keep(reading, view, xml_need(reading->reader, view, "id"));
	chart.entries = reading->entries;
	chart.entry_count = reading->count;
	add_chart(reading, view, chart);
}

/* ---- call stacks ------------------------------------------------------------------------------------------- */

static uint32_t add_level(struct reading *reading, const struct xml_element *level, uint32_t parent)
{
	const char *path = xml_attribute(level, "path");
	if (path == NULL || *path == '\0' || reading->count >= HISTREE_CHART_ENTRIES_MAX - 1)
		return parent;
	reading->entries[reading->count] =
		(struct histree_chart_entry){ .parent = parent, .path = keep(reading, level, path) };
	return (uint32_t)reading->count++;
}

/* The levels of a group stand below each other, and below the last one the depths of its stack. */
static void read_group(struct reading *reading, const struct xml_element *callstack,
		       const struct xml_element *group, unsigned number)
{
	char suffix[32] = ":callstack";
	uint32_t parent = HISTREE_CHART_TOP;
	const char *name = xml_attribute(group, "name");
	reading->count = 0;
	for (const struct xml_element *each = xml_child(group, "level"); each != NULL;
	     each = xml_next(each, "level"))
		parent = add_level(reading, each, parent);
	reading->entries[reading->count++] = (struct histree_chart_entry){
		.parent = parent, .path = HISTREE_CHART_STACKS, .shown = ".", .shows_text = true
	};
	if (number > 1)
		snprintf(suffix, sizeof(suffix), ":callstack-%u", number);
	struct histree_chart chart = { .name = name_of(reading, callstack, suffix),
				       .unit = "",
				       .title = "Call stack",
				       .kind = HISTREE_CHART_STATES };
	if (name != NULL && *name != '\0' && strlen(name) <= HISTREE_CHART_TEXT_MAX)
		chart.title = keep(reading, group, name);
	chart.entries = reading->entries;
	chart.entry_count = reading->count;
	add_chart(reading, group, chart);
}

static void read_callstack(struct reading *reading, const struct xml_element *callstack)
{
	const struct xml_element *other = xml_child(callstack, "analysis");
	const char *of = xml_attribute(other != NULL ? other : callstack, "id");
	unsigned number = 0;
	if (of == NULL || strcmp(of, reading->analysis) != 0)
		return;
	for (const struct xml_element *each = xml_child(callstack, "callstackGroup"); each != NULL;
	     each = xml_next(each, "callstackGroup"))
		read_group(reading, callstack, each, ++number);
}

/* ----------------------------------------------------------------------------------------------------------- */

void xml_charts_read(struct xml_reader *reader, struct xml_charts *charts, const char *analysis)
{
	if (!xml_is(reader->document->root, "tmfxml"))
		return;
	struct reading *reading = calloc(1, sizeof(*reading));
	if (reading == NULL) {
		xml_fail(reader, reader->document->root, "no memory for its charts");
		return;
	}
	reading->reader = reader;
	reading->charts = charts;
	reading->analysis = analysis;
	for (const struct xml_element *view = reader->document->root->first; view != NULL; view = view->next) {
		if (xml_is(view, "callstack"))
			read_callstack(reading, view);
		if (!xml_is_view(view))
			continue;
		enum histree_status status = xml_view_check(reader->document, view, reader->error);
		if (status != HISTREE_OK)
			reader->status = status;
		if (reader->status == HISTREE_OK)
			read_view(reading, view);
	}
	free(reading);
}

void xml_charts_release(struct xml_charts *charts)
{
	free(charts->charts);
	arena_release(&charts->texts);
}
