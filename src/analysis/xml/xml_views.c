// SPDX-License-Identifier: MIT
/*
 * xml_views.c - <timeGraphView> and <xyView> as charts of the histories that they show (histree/charts.h).
 */
#include "analysis/xml/xml_views.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/xml/xml_document.h"
#include "base/array.h"
#include "base/error.h"
#include "histree/charts.h"
#include "histree/labels.h"
#include "state/charts.h"

static const char *xml_entry_owner(const struct xml_element *entry, const char *around);
static bool xml_entry_shows(const struct xml_element *view, const char *owner, const char *analysis);

/* ---- xml charts ---------------------------------------------------------------------------------------------- */

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
static const char *xml_charts_keep(struct reading *reading, const struct xml_element *element, const char *text)
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
	return xml_charts_keep(reading, element, text);
}

static bool is_delta(const struct xml_element *entry)
{
	const char *type = xml_attribute(entry, "displayType");
	return type != NULL && strcmp(type, "delta") == 0;
}

static void xml_charts_read_entry(struct reading *reading, const struct xml_element *element, uint32_t parent,
				  const char *around);

static void read_inner(struct reading *reading, const struct xml_element *element, uint32_t parent,
		       const char *owner)
{
	for (const struct xml_element *each = xml_child(element, "entry"); each != NULL;
	     each = xml_next(each, "entry"))
		xml_charts_read_entry(reading, each, parent, owner);
}

/* An entry of another analysis than the one around it begins at the top of that one's attributes. */
static void xml_charts_read_entry(struct reading *reading, const struct xml_element *element, uint32_t parent,
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
		.path = xml_charts_keep(reading, element, path != NULL && *path != '\0' ? path : "*"),
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
	return xml_charts_keep(reading, view, name);
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
	chart.title = title != NULL && *title != '\0' ? xml_charts_keep(reading, view, title) : chart.name;
	chart.kind = xml_is(view, "xyView") ? HISTREE_CHART_LINES : HISTREE_CHART_STATES;
	if (chart.kind == HISTREE_CHART_STATES && xml_child(view, "definedValue") != NULL)
		chart.labels = xml_charts_keep(reading, view, xml_need(reading->reader, view, "id"));
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
		(struct histree_chart_entry){ .parent = parent, .path = xml_charts_keep(reading, level, path) };
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
		chart.title = xml_charts_keep(reading, group, name);
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

/* ---- xml views ----------------------------------------------------------------------------------------------- */

enum { DEPTH_MAX = 20, PATH_MAX_BYTES = 1024 };

/* ---- checks ----------------------------------------------------------------------------------------------- */

/* A <display>, <name>, <id> or <parent>, or what is in the query of one. */
static void check_attribute(struct xml_reader *reader, const struct xml_element *attribute, unsigned depth)
{
	if (depth > DEPTH_MAX)
		xml_fail(reader, attribute, "attributes are within one another more than %d deep", DEPTH_MAX);
	if (reader->status != HISTREE_OK)
		return;
	xml_allow(reader, attribute, "type value reference", "stateAttribute");
	for (const struct xml_element *each = attribute->first; each != NULL; each = each->next)
		check_attribute(reader, each, depth + 1);
}

static void check_entry(struct xml_reader *reader, const struct xml_element *entry, bool is_chart, unsigned depth)
{
	if (depth > DEPTH_MAX)
		xml_fail(reader, entry, "entries are within one another more than %d deep", DEPTH_MAX);
	if (reader->status != HISTREE_OK)
		return;
	xml_allow(reader, entry, is_chart ? "path displayType" : "path displayText analysisId",
		  is_chart ? "display name" : "display parent name id entry");
	xml_need(reader, entry, "path");
	for (const struct xml_element *each = entry->first; each != NULL; each = each->next) {
		if (xml_is(each, "entry"))
			check_entry(reader, each, is_chart, depth + 1);
		else if (xml_next(each, each->name) != NULL)
			xml_fail(reader, xml_next(each, each->name), "there is one already; an entry has one <%s>",
				 each->name);
		else
			check_attribute(reader, each, 1);
	}
}

static void check_head(struct xml_reader *reader, const struct xml_element *head)
{
	xml_allow(reader, head, "", "analysis label icon");
	for (const struct xml_element *each = xml_child(head, "analysis"); each != NULL;
	     each = xml_next(each, "analysis"))
		xml_need(reader, each, "id");
}

/* A chart of lines has one entry, which no other is in. */
static void check_lines(struct xml_reader *reader, const struct xml_element *view)
{
	const struct xml_element *entry = xml_child(view, "entry");
	if (entry == NULL)
		xml_fail(reader, view, "has no <entry>");
	else if (xml_next(entry, "entry") != NULL)
		xml_fail(reader, xml_next(entry, "entry"), "there is one already; an <xyView> has one <entry>");
	else if (xml_attribute(entry, "displayType") != NULL &&
		 strcmp(xml_attribute(entry, "displayType"), "absolute") != 0 &&
		 strcmp(xml_attribute(entry, "displayType"), "delta") != 0)
		xml_fail(reader, entry, "there is no displayType '%s'; there are absolute and delta",
			 xml_attribute(entry, "displayType"));
}

/* Returns a colour "#RRGGBB"; what is none is a failure. */
static uint32_t colour_of(struct xml_reader *reader, const struct xml_element *defined, const char *text)
{
	char *end = NULL;
	unsigned long colour = text[0] == '#' ? strtoul(text + 1, &end, 16) : 0;
	if (end == NULL || end != text + 7 || *end != '\0')
		xml_fail(reader, defined, "'%s' is no colour, such as \"#118811\"", text);
	return (uint32_t)colour;
}

enum histree_status xml_view_check(const struct xml_document *document, const struct xml_element *view,
				   struct histree_error *error)
{
	struct xml_reader reader = { .document = document, .analysis = view, .error = error };
	bool is_chart = xml_is(view, "xyView");
	xml_allow(&reader, view, "id", is_chart ? "head entry" : "head definedValue entry");
	xml_need(&reader, view, "id");
	if (is_chart)
		check_lines(&reader, view);
	for (const struct xml_element *each = view->first; each != NULL; each = each->next) {
		if (xml_is(each, "head")) {
			check_head(&reader, each);
		} else if (xml_is(each, "entry")) {
			check_entry(&reader, each, is_chart, 1);
		} else {
			xml_allow(&reader, each, "name value color", "");
			xml_need(&reader, each, "name");
			xml_need(&reader, each, "value");
			if (xml_attribute(each, "color") != NULL)
				colour_of(&reader, each, xml_attribute(each, "color"));
		}
	}
	return reader.status;
}

/* ---- labels ----------------------------------------------------------------------------------------------- */

static const char *xml_views_keep(struct xml_labels *labels, const char *text)
{
	return arena_copy(&labels->texts, text, strlen(text));
}

static bool is_number(const char *text, int64_t *number)
{
	char *end;
	errno = 0;
	*number = strtoll(text, &end, 10);
	return end != text && *end == '\0' && errno == 0;
}

static int compare_labels(const void *first, const void *second)
{
	const struct histree_label *a = first, *b = second;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind == HISTREE_LABEL_TEXT)
		return strcmp(a->text, b->text);
	return (a->first > b->first) - (a->first < b->first);
}

static bool is_same_value(const struct histree_label *a, const struct histree_label *b)
{
	return compare_labels(a, b) == 0;
}

/* Values that are defined twice have what the first says, and names that are too long for a label are cut. */
static size_t read_labels(struct xml_reader *reader, struct xml_labels *labels, const struct xml_element *view,
			  struct histree_label *out, size_t most)
{
	size_t count = 0;
	for (const struct xml_element *each = xml_child(view, "definedValue"); each != NULL && count < most;
	     each = xml_next(each, "definedValue")) {
		const char *value = xml_need(reader, each, "value"), *colour = xml_attribute(each, "color");
		char name[120], key[160];
		struct histree_label label = { .is_code = true, .has_no_colour = colour == NULL };
		snprintf(name, sizeof(name), "%s", xml_need(reader, each, "name"));
		snprintf(key, sizeof(key), "%s %.30s", name, value);
		if (!is_number(value, &label.first)) {
			label.kind = HISTREE_LABEL_TEXT;
			label.text = xml_views_keep(labels, value);
		}
		label.last = label.first;
		uint32_t rgb = colour != NULL ? colour_of(reader, each, colour) : 0;
		label.style = (struct histree_style){ xml_views_keep(labels, key), xml_views_keep(labels, name),
						      rgb, rgb, 1 };
		bool is_there = false;
		for (size_t i = 0; i < count; i++)
			is_there = is_there || is_same_value(&out[i], &label);
		if (!is_there && strlen(value) <= HISTREE_LABEL_TEXT_MAX)
			out[count++] = label;
	}
	qsort(out, count, sizeof(*out), compare_labels);
	return count;
}

enum { LABELS_MAX = 256, TABLES_MAX = 64 };

static void add_table(struct xml_reader *reader, struct xml_labels *labels, const struct xml_element *view,
		      const char *pattern)
{
	struct histree_label read[LABELS_MAX];
	if (labels->count == TABLES_MAX || strlen(pattern) > HISTREE_LABEL_TEXT_MAX)
		return;
	size_t count = read_labels(reader, labels, view, read, LABELS_MAX);
	struct histree_label *all =
		arena_allocate(&labels->texts, (count + 1) * sizeof(*all), _Alignof(struct histree_label));
	const char **patterns = arena_allocate(&labels->texts, 2 * sizeof(const char *), _Alignof(const char *));
	if (all == NULL || patterns == NULL ||
	    !array_reserve(&labels->tables, &labels->capacity, labels->count + 1)) {
		xml_fail(reader, view, "no memory for its values");
		return;
	}
	memcpy(all, read, count * sizeof(*all));
	patterns[0] = xml_views_keep(labels, pattern);
	patterns[1] = NULL;
	labels->tables[labels->count++] = (struct histree_label_table){
		.name = xml_views_keep(labels, xml_need(reader, view, "id")),
		.patterns = patterns,
		.labels = all,
		.label_count = count,
		.uses_palette = true,
	};
}

/* What an entry is inside of. */
struct entry_place {
	const char *analysis; /* whose labels are read */
	const char *owner;    /* as xml_entry_owner() says */
	const char *above;    /* its path */
};

/* The attribute that an entry shows: itself, or one below it. */
static void xml_views_read_entry(struct xml_reader *reader, struct xml_labels *labels,
				 const struct xml_element *view, const struct xml_element *entry,
				 const struct entry_place *around)
{
	char path[PATH_MAX_BYTES], shown[PATH_MAX_BYTES];
	struct entry_place place = { .analysis = around->analysis, .above = path };
	place.owner = xml_entry_owner(entry, around->owner);
	const char *above = place.owner == around->owner ? around->above : "";
	const char *own = xml_need(reader, entry, "path");
	int size =
		snprintf(path, sizeof(path), "%s%s%s", above, above[0] != '\0' && own[0] != '\0' ? "/" : "", own);
	const struct xml_element *display = xml_child(entry, "display");
	if (size < 0 || size >= PATH_MAX_BYTES)
		return;
	const char *type = display != NULL ? xml_attribute(display, "type") : NULL;
	const char *value = display != NULL ? xml_attribute(display, "value") : NULL;
	if (!xml_entry_shows(view, place.owner, place.analysis))
		type = NULL;
	if (type != NULL && strcmp(type, "self") == 0 && path[0] != '\0')
		add_table(reader, labels, view, path);
	else if (type != NULL && strcmp(type, "constant") == 0 && value != NULL &&
		 snprintf(shown, sizeof(shown), "%s%s%s", path, path[0] != '\0' ? "/" : "", value) < PATH_MAX_BYTES)
		add_table(reader, labels, view, shown);
	for (const struct xml_element *each = xml_child(entry, "entry"); each != NULL;
	     each = xml_next(each, "entry"))
		xml_views_read_entry(reader, labels, view, each, &place);
}

/*
 * Returns whose attributes an <entry> shows, for those inside of it: the analysis that it names, or the one that
 * it is inside of; NULL: those that the head of the view names.
 */
static const char *xml_entry_owner(const struct xml_element *entry, const char *around)
{
	const char *named = xml_attribute(entry, "analysisId");
	if (named == NULL || *named == '\0')
		return around;
	return around != NULL && strcmp(named, around) == 0 ? around : named;
}

bool xml_is_view(const struct xml_element *element)
{
	return xml_is(element, "timeGraphView") || xml_is(element, "xyView");
}

/* Returns whether an entry of that owner is of an analysis: where the head of the view names none, it is of all. */
static bool xml_entry_shows(const struct xml_element *view, const char *owner, const char *analysis)
{
	if (owner != NULL)
		return strcmp(owner, analysis) == 0;
	const struct xml_element *head = xml_child(view, "head");
	const struct xml_element *of = head != NULL ? xml_child(head, "analysis") : NULL;
	if (of == NULL)
		return true;
	for (; of != NULL; of = xml_next(of, "analysis"))
		if (xml_attribute(of, "id") != NULL && strcmp(xml_attribute(of, "id"), analysis) == 0)
			return true;
	return false;
}

void xml_labels_read(struct xml_reader *reader, struct xml_labels *labels, const char *analysis)
{
	if (!xml_is(reader->document->root, "tmfxml"))
		return;
	for (const struct xml_element *view = xml_child(reader->document->root, "timeGraphView"); view != NULL;
	     view = xml_next(view, "timeGraphView")) {
		enum histree_status status = xml_view_check(reader->document, view, reader->error);
		if (status != HISTREE_OK)
			reader->status = status;
		for (const struct xml_element *each = xml_child(view, "entry");
		     each != NULL && reader->status == HISTREE_OK; each = xml_next(each, "entry"))
			xml_views_read_entry(reader, labels, view, each,
					     &(struct entry_place){ .analysis = analysis, .above = "" });
	}
}

void xml_labels_release(struct xml_labels *labels)
{
	free(labels->tables);
	arena_release(&labels->texts);
}
