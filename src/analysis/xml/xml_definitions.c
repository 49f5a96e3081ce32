// SPDX-License-Identifier: MIT
/*
 * xml_definitions.c - <timeGraphView> and <xyView> as charts of their histories (attributes.h).
 */
#include "analysis/xml/xml_definitions.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/program/program_analysis.h"
#include "analysis/xml/xml_document.h"
#include "base/error.h"
#include "base/table.h"
#include "histree/attributes.h"
#include "state/charts.h"
#include "state/labels.h"

struct xml_charts {
	struct histree_chart *charts;
	size_t count, capacity;
	struct arena texts;
};

struct xml_labels {
	struct histree_label_table *tables;
	size_t count, capacity;
	struct arena texts;
};

static enum histree_status xml_view_check(const struct xml_document *document, const struct xml_element *view,
					  struct histree_error *error);
static bool xml_is_view(const struct xml_element *element);

/* ---- xml views ----------------------------------------------------------------------------------------------- */

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

/* Returns a copy; "" and a failure if memory runs out. */
static const char *xml_charts_keep(struct reading *reading, const struct xml_element *element, const char *text)
{
	const char *copy = arena_copy(&reading->charts->texts, text, strlen(text));
	if (copy == NULL)
		xml_fail(reading->reader, element, "no memory for its chart");
	return copy != NULL ? copy : "";
}

/*
 * The reference in <display>, <name>, <id> or <parent>: NULL if there is none, or if it is the result of a query or
 * a location, which cannot be given as an attribute.
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

/* ----------------------------------------------------------------------------------------------------------- */

/* The charts that the views of the file are of an analysis.  What a chart cannot say of an entry, it leaves out. */
static void xml_charts_read(struct xml_reader *reader, struct xml_charts *charts, const char *analysis)
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
		if (xml_is(view, "callstack")) {
			const struct xml_element *other = xml_child(view, "analysis");
			const char *of = xml_attribute(other != NULL ? other : view, "id");
			unsigned number = 0;
			if (of != NULL && strcmp(of, reading->analysis) == 0) {
				for (const struct xml_element *each = xml_child(view, "callstackGroup");
				     each != NULL; each = xml_next(each, "callstackGroup"))
					read_group(reading, view, each, ++number);
			}
		}
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

static void xml_charts_release(struct xml_charts *charts)
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

/* Returns a colour "#RRGGBB"; anything else is a failure. */
static uint32_t colour_of(struct xml_reader *reader, const struct xml_element *defined, const char *text)
{
	char *end = NULL;
	unsigned long colour = text[0] == '#' ? strtoul(text + 1, &end, 16) : 0;
	if (end == NULL || end != text + 7 || *end != '\0')
		xml_fail(reader, defined, "'%s' is no colour, such as \"#118811\"", text);
	return (uint32_t)colour;
}

static enum histree_status xml_view_check(const struct xml_document *document, const struct xml_element *view,
					  struct histree_error *error)
{
	struct xml_reader reader = { .document = document, .analysis = view, .error = error };
	bool is_chart = xml_is(view, "xyView");
	xml_allow(&reader, view, "id", is_chart ? "head entry" : "head definedValue entry");
	xml_need(&reader, view, "id");
	if (is_chart) {
		/* A chart of lines has one entry, which no other is in. */
		const struct xml_element *entry = xml_child(view, "entry");
		if (entry == NULL)
			xml_fail(&reader, view, "has no <entry>");
		else if (xml_next(entry, "entry") != NULL)
			xml_fail(&reader, xml_next(entry, "entry"),
				 "there is one already; an <xyView> has one <entry>");
		else if (xml_attribute(entry, "displayType") != NULL &&
			 strcmp(xml_attribute(entry, "displayType"), "absolute") != 0 &&
			 strcmp(xml_attribute(entry, "displayType"), "delta") != 0)
			xml_fail(&reader, entry, "there is no displayType '%s'; there are absolute and delta",
				 xml_attribute(entry, "displayType"));
	}
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
			is_there = is_there || (label_order(&out[i], &label) == 0);
		if (!is_there && strlen(value) <= HISTREE_LABEL_TEXT_MAX)
			out[count++] = label;
	}
	qsort(out, count, sizeof(*out), label_order);
	return count;
}

enum { XML_LABELS_MAX = 256, TABLES_MAX = 64 };

static void add_table(struct xml_reader *reader, struct xml_labels *labels, const struct xml_element *view,
		      const char *pattern)
{
	struct histree_label read[XML_LABELS_MAX];
	if (labels->count == TABLES_MAX || strlen(pattern) > HISTREE_LABEL_TEXT_MAX)
		return;
	size_t count = read_labels(reader, labels, view, read, XML_LABELS_MAX);
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

/* Returns whether an element of the file is a view. */
static bool xml_is_view(const struct xml_element *element)
{
	return xml_is(element, "timeGraphView") || xml_is(element, "xyView");
}

/*
 * Returns whether an entry of that owner belongs to an analysis: if the head of the view names no analysis, it
 * belongs to all.
 */
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

/* The tables of labels that the views of the file have for an analysis: one for each <entry> that shows values. */
static void xml_labels_read(struct xml_reader *reader, struct xml_labels *labels, const char *analysis)
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

static void xml_labels_release(struct xml_labels *labels)
{
	free(labels->tables);
	arena_release(&labels->texts);
}

/* ---- xml definitions ----------------------------------------------------------------------------------------- */

/* ---- extensions ------------------------------------------------------------------------------------------- */

/*
 * Plug-ins of Trace Compass add elements to its schema, side by side with analyses and views, which it leaves to
 * them.  So an element of another name than any that it has itself is left out here too, if the file has something
 * else; one that differs in capitals alone is a mistake.
 */
static bool is_part(const struct xml_element *element)
{
	return xml_has_word("stateProvider pattern callstack timeGraphView xyView", element->name);
}

static bool is_of_schema(const char *name)
{
	static const char names[] =
		"tmfxml stateprovider pattern callstack timegraphview xyview trace event field head "
		"tracetype label viewlabelprefix analysis icon definedvalue location mappinggroup "
		"storedfield storedfields fsm patternhandler eventhandler state initialstate initial final "
		"transition precondition test action segment segtype segname segtime segcontent segfield "
		"statechange stateattribute statevalue if then else condition timerange elapsedtime and or "
		"not futuretime entry display name id parent level thread host callstackgroup element";
	char lower[32];
	size_t size = strlen(name);
	for (size_t i = 0; i <= size && size < sizeof(lower); i++)
		lower[i] = (char)tolower((unsigned char)name[i]);
	return size < sizeof(lower) && xml_has_word(names, lower);
}

/* Returns the first known element of an extension, or NULL. */
static const struct xml_element *extension_of(const struct xml_document *document)
{
	const struct xml_element *found = NULL;
	bool has_part = false;
	for (const struct xml_element *each = document->root->first; each != NULL; each = each->next) {
		has_part = has_part || is_part(each);
		if (found == NULL && !is_part(each) && !is_of_schema(each->name))
			found = each;
	}
	return has_part && xml_is(document->root, "tmfxml") ? found : NULL;
}

/* Writes what a build warns of, or "". */
static const char *remark_of(const struct xml_reader *reader, char *text, size_t size)
{
	const struct xml_element *extension = extension_of(reader->document);
	text[0] = '\0';
	if (reader->lacks_definition)
		snprintf(text, size,
			 "its file names a location or a value that it does not define: what stands there is left "
			 "out");
	else if (extension != NULL)
		snprintf(text, size,
			 "line %lu of its file: <%.60s> is of an extension of the schema that is not known here, "
			 "and is left out",
			 extension->line, extension->name);
	return text[0] != '\0' ? text : NULL;
}

/* ---- what all analyses have ------------------------------------------------------------------------------- */

/* Returns the domain that all trace types of a <head> are of; NULL: any. */
static const char *domain_of(struct xml_reader *reader, const struct xml_element *head)
{
	const char *domain = NULL;
	for (const struct xml_element *each = xml_child(head, "traceType"); each != NULL;
	     each = xml_next(each, "traceType")) {
		xml_allow(reader, each, "id", "");
		const char *id = xml_need(reader, each, "id");
		const char *of = strstr(id, "lttng2.kernel") != NULL ? "kernel"
				 : strstr(id, "lttng2.ust") != NULL  ? "ust"
								     : NULL;
		if (of == NULL || (domain != NULL && strcmp(domain, of) != 0))
			return NULL;
		domain = of;
	}
	return domain;
}

static void read_head(struct xml_reader *reader, const struct xml_element *analysis, struct program_about *about)
{
	const struct xml_element *head = xml_child(analysis, "head");
	if (head == NULL)
		return;
	xml_allow(reader, head, "", "traceType label viewLabelPrefix");
	const struct xml_element *label = xml_child(head, "label");
	about->domain = domain_of(reader, head);
	if (label != NULL)
		about->summary = xml_attribute(label, "value");
}

/* What is defined, if it is used or not, so that what is wrong with it is said. */
static void look_at_definitions(struct xml_reader *reader)
{
	for (const struct xml_element *each = reader->analysis->first; each != NULL; each = each->next) {
		if (xml_is(each, "definedValue")) {
			xml_allow(reader, each, "name value color", "");
			xml_need(reader, each, "name");
			xml_need(reader, each, "value");
		} else if (xml_is(each, "location")) {
			xml_allow(reader, each, "id", "stateAttribute");
			xml_need(reader, each, "id");
			if (reader->status == HISTREE_OK)
				xml_path(reader, each);
		} else if (xml_is(each, "mappingGroup")) {
			xml_allow(reader, each, "id", "entry");
			xml_need(reader, each, "id");
		} else if (xml_is(each, "storedField")) {
			xml_stored_name(reader, each);
		}
	}
}

static void state_provider(struct xml_reader *reader)
{
	const struct xml_element *handler = xml_child(reader->analysis, "eventHandler");
	if (handler == NULL)
		xml_fail(reader, reader->analysis, "has no <eventHandler>");
	for (; handler != NULL && reader->status == HISTREE_OK; handler = xml_next(handler, "eventHandler")) {
		program_block block = program_block_create(reader->make);
		const char *events = xml_need(reader, handler, "eventName");
		xml_allow(reader, handler, "eventName", "stateChange");
		for (const struct xml_element *each = handler->first; each != NULL; each = each->next)
			xml_change(reader, each, block);
		if (strchr(events, '|') != NULL)
			xml_fail(reader, handler, "'%s' is not the name of an event", events);
		program_on(reader->make, events, PROGRAM_NOTHING, block);
	}
}

/* ---- an analysis ------------------------------------------------------------------------------------------ */

/* What handles events may come in between, and comes last. */
static void check_order(struct xml_reader *reader, const struct xml_element *analysis)
{
	const struct xml_element *unhandled = NULL;
	bool is_handled = false;
	for (const struct xml_element *each = analysis->first; each != NULL; each = each->next) {
		bool is_handler = xml_is(each, "eventHandler") || xml_is(each, "patternHandler");
		if (is_handler)
			unhandled = NULL;
		else if (is_handled && unhandled == NULL)
			unhandled = each;
		is_handled = is_handled || is_handler;
	}
	if (unhandled != NULL)
		xml_fail(reader, unhandled, "comes after all that handles events; it belongs before");
}

enum { XML_NAME_SIZE = 256 };

/* The name of a file in the store, in which an id may not have blanks. */
static const char *file_name(const char *id, char name[XML_NAME_SIZE])
{
	snprintf(name, XML_NAME_SIZE, "%s", id);
	for (char *at = name; *at != '\0'; at++)
		*at = *at == ' ' ? '_' : *at;
	return name;
}

/* `id`: of a <callstack> around it; else its own. */
static enum histree_status read_analysis(const struct xml_document *document, const struct xml_element *analysis,
					 const char *id, struct definitions *definitions,
					 struct histree_error *error)
{
	struct xml_reader reader = { .document = document, .analysis = analysis, .error = error };
	struct program_about about = { .domain = NULL };
	char name[XML_NAME_SIZE], remark[256];
	struct xml_labels labels = { 0 };
	struct xml_charts charts = { 0 };
	struct program *program;
	struct program_analysis *made;
	bool is_pattern = xml_is(analysis, "pattern");
	reader.make = program_builder_create();
	if (reader.make == NULL)
		return error_memory(error, "an analysis");
	xml_allow(&reader, analysis, "id version",
		  is_pattern ? "head definedValue location mappingGroup storedField patternHandler"
			     : "head definedValue location mappingGroup eventHandler");
	if (id == NULL)
		id = xml_need(&reader, analysis, "id");
	about.name = file_name(id, name);
	xml_need(&reader, analysis, "version");
	check_order(&reader, analysis);
	read_head(&reader, analysis, &about);
	if (reader.status == HISTREE_OK)
		look_at_definitions(&reader);
	if (reader.status == HISTREE_OK && is_pattern)
		xml_pattern(&reader, analysis);
	else if (reader.status == HISTREE_OK)
		state_provider(&reader);
	if (reader.status == HISTREE_OK)
		xml_callstacks_of(&reader, id);
	if (reader.status == HISTREE_OK)
		xml_labels_read(&reader, &labels, id);
	if (reader.status == HISTREE_OK)
		xml_charts_read(&reader, &charts, id);
	about.labels = labels.tables;
	about.remark = remark_of(&reader, remark, sizeof(remark));
	about.label_table_count = labels.count;
	about.charts = charts.charts;
	about.chart_count = charts.count;
	if (reader.status != HISTREE_OK) {
		program_builder_free(reader.make);
		xml_labels_release(&labels);
		xml_charts_release(&charts);
		return reader.status;
	}
	enum histree_status status = program_finish(reader.make, &program, error);
	if (status == HISTREE_OK)
		status = program_analysis_create(program, &about, &made, error);
	if (status == HISTREE_OK)
		status = definitions_add(definitions, made, error);
	xml_labels_release(&labels);
	xml_charts_release(&charts);
	if (status != HISTREE_OK)
		error_prefix(error, "%s:%lu:%lu: <%s>", document->path, analysis->line, analysis->column,
			     analysis->name);
	return status;
}

/* ---- a call stack ----------------------------------------------------------------------------------------- */

/* The stacks are attributes of the analysis, which has the name of the call stack, or of another analysis. */
static enum histree_status xml_definitions_read_callstack(const struct xml_document *document,
							  const struct xml_element *callstack,
							  struct definitions *definitions,
							  struct histree_error *error)
{
	struct xml_reader reader = { .document = document, .analysis = callstack, .error = error };
	const struct xml_element *inner = xml_child(callstack, "pattern");
	const struct xml_element *other = xml_child(callstack, "analysis");
	xml_allow(&reader, callstack, "id", "callstackGroup analysis pattern stateProvider");
	const char *id = xml_need(&reader, callstack, "id");
	xml_callstack(&reader, callstack);
	if (inner == NULL)
		inner = xml_child(callstack, "stateProvider");
	if ((inner == NULL) == (other == NULL))
		xml_fail(&reader, callstack, "has one <pattern>, <stateProvider> or <analysis>");
	if (other != NULL)
		xml_allow(&reader, other, "id", "");
	if (reader.status != HISTREE_OK || inner == NULL)
		return reader.status;
	return read_analysis(document, inner, id, definitions, error);
}

/* ---- views of analyses of other files --------------------------------------------------------------------- */

enum { FOREIGN_MAX = 64 };

struct foreign {
	const char *ids[FOREIGN_MAX];
	size_t count;
};

static void note_foreign(struct foreign *foreign, const struct xml_document *document, const char *id)
{
	/* Whether the file has an analysis of this id. */
	if (id == NULL || *id == '\0' || foreign->count == FOREIGN_MAX)
		return;
	for (const struct xml_element *each = document->root->first; each != NULL; each = each->next) {
		const char *own = xml_attribute(each, "id");
		if (own != NULL && strcmp(own, id) == 0 &&
		    (xml_is(each, "pattern") || xml_is(each, "stateProvider") || xml_is(each, "callstack")))
			return;
	}
	for (size_t i = 0; i < foreign->count; i++)
		if (strcmp(foreign->ids[i], id) == 0)
			return;
	foreign->ids[foreign->count++] = id;
}

static void note_entries(struct foreign *foreign, const struct xml_document *document,
			 const struct xml_element *parent)
{
	for (const struct xml_element *each = xml_child(parent, "entry"); each != NULL;
	     each = xml_next(each, "entry")) {
		note_foreign(foreign, document, xml_attribute(each, "analysisId"));
		note_entries(foreign, document, each);
	}
}

/* What the file says of an analysis that is in another one. */
static enum histree_status read_foreign(const struct xml_document *document, const char *id,
					struct definitions *definitions, struct histree_error *error)
{
	struct xml_reader reader = { .document = document, .analysis = document->root, .error = error };
	struct xml_labels labels = { 0 };
	struct xml_charts charts = { 0 };
	char name[XML_NAME_SIZE];
	xml_labels_read(&reader, &labels, id);
	if (reader.status == HISTREE_OK)
		xml_charts_read(&reader, &charts, id);
	enum histree_status status = reader.status;
	if (status == HISTREE_OK && (labels.count > 0 || charts.count > 0))
		status = definitions_add_views(definitions, file_name(id, name), labels.tables, labels.count,
					       charts.charts, charts.count, error);
	xml_labels_release(&labels);
	xml_charts_release(&charts);
	return status;
}

static enum histree_status read_all_foreign(const struct xml_document *document, struct definitions *definitions,
					    struct histree_error *error)
{
	struct foreign foreign = { .count = 0 };
	enum histree_status status = HISTREE_OK;
	for (const struct xml_element *each = document->root->first; each != NULL; each = each->next)
		if (xml_is_view(each) || xml_is(each, "callstack")) {
			const struct xml_element *head = xml_is(each, "callstack") ? each : xml_child(each, "head");
			const struct xml_element *of = head != NULL ? xml_child(head, "analysis") : NULL;
			for (; of != NULL; of = xml_next(of, "analysis"))
				note_foreign(&foreign, document, xml_attribute(of, "id"));
			note_entries(&foreign, document, each);
		}
	for (size_t i = 0; i < foreign.count && status == HISTREE_OK; i++)
		status = read_foreign(document, foreign.ids[i], definitions, error);
	return status;
}

/* ---- the file --------------------------------------------------------------------------------------------- */

static enum histree_status read_part(const struct xml_document *document, const struct xml_element *part,
				     struct definitions *definitions, struct histree_error *error)
{
	if (xml_is(part, "stateProvider") || xml_is(part, "pattern"))
		return read_analysis(document, part, NULL, definitions, error);
	if (xml_is(part, "callstack"))
		return xml_definitions_read_callstack(document, part, definitions, error);
	return is_part(part) ? xml_view_check(document, part, error) : HISTREE_OK;
}

enum histree_status xml_definitions_read(const char *path, const char *bytes, size_t size,
					 struct definitions *definitions, struct histree_error *error)
{
	struct xml_document document;
	enum histree_status status = xml_document_read(&document, path, bytes, size, error);
	if (status != HISTREE_OK)
		return status;
	struct xml_reader reader = { .document = &document, .analysis = document.root, .error = error };
	if (xml_is(document.root, "pattern") || xml_is(document.root, "stateProvider")) {
		status = read_analysis(&document, document.root, NULL, definitions, error);
	} else if (xml_is(document.root, "trace")) {
		error_set(error, HISTREE_NOT_FOUND, "%s:1:1: <trace>: is a trace, and defines no analysis", path);
		status = HISTREE_NOT_FOUND;
	} else if (!xml_is(document.root, "tmfxml")) {
		xml_fail(&reader, document.root,
			 "is no analysis of Trace Compass, which is in <tmfxml>, with <stateProvider> and "
			 "<pattern>");
		status = reader.status;
	} else {
		xml_allow(&reader, document.root, "", NULL);
		const struct xml_element *root = reader.document->root;
		bool may_extend = extension_of(reader.document) != NULL;
		for (const struct xml_element *each = root->first; each != NULL; each = each->next)
			if (!is_part(each) && (!may_extend || is_of_schema(each->name)))
				xml_fail(&reader, each,
					 "is not known in <tmfxml>, which has: stateProvider pattern callstack "
					 "timeGraphView xyView");
		status = reader.status;
		for (const struct xml_element *each = document.root->first; each != NULL && status == HISTREE_OK;
		     each = each->next)
			status = read_part(&document, each, definitions, error);
		if (status == HISTREE_OK)
			status = read_all_foreign(&document, definitions, error);
	}
	xml_document_release(&document);
	return status;
}
