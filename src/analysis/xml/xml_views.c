// SPDX-License-Identifier: MIT
#include "analysis/xml/xml_views.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

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

static const char *keep(struct xml_labels *labels, const char *text)
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
			label.text = keep(labels, value);
		}
		label.last = label.first;
		uint32_t rgb = colour != NULL ? colour_of(reader, each, colour) : 0;
		label.style = (struct histree_style){ keep(labels, key), keep(labels, name), rgb, rgb, 1 };
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
	patterns[0] = keep(labels, pattern);
	patterns[1] = NULL;
	labels->tables[labels->count++] = (struct histree_label_table){
		.name = keep(labels, xml_need(reader, view, "id")),
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
static void read_entry(struct xml_reader *reader, struct xml_labels *labels, const struct xml_element *view,
		       const struct xml_element *entry, const struct entry_place *around)
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
		read_entry(reader, labels, view, each, &place);
}

const char *xml_entry_owner(const struct xml_element *entry, const char *around)
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

bool xml_entry_shows(const struct xml_element *view, const char *owner, const char *analysis)
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
			read_entry(reader, labels, view, each,
				   &(struct entry_place){ .analysis = analysis, .above = "" });
	}
}

void xml_labels_release(struct xml_labels *labels)
{
	free(labels->tables);
	arena_release(&labels->texts);
}
