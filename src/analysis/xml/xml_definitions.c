// SPDX-License-Identifier: MIT
/*
 * A file: its analyses, each with the labels that its views give.
 */
#include "analysis/xml/xml_definitions.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analysis/xml/xml_views.h"
#include "analysis/xml/xml_document.h"
#include "base/error.h"

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

static void check_parts(struct xml_reader *reader)
{
	const struct xml_element *root = reader->document->root;
	bool may_extend = extension_of(reader->document) != NULL;
	for (const struct xml_element *each = root->first; each != NULL; each = each->next)
		if (!is_part(each) && (!may_extend || is_of_schema(each->name)))
			xml_fail(reader, each,
				 "is not known in <tmfxml>, which has: stateProvider pattern callstack "
				 "timeGraphView xyView");
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
static enum histree_status read_callstack(const struct xml_document *document, const struct xml_element *callstack,
					  struct definitions *definitions, struct histree_error *error)
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

/* Whether the file has an analysis of this id. */
static bool has_analysis(const struct xml_document *document, const char *id)
{
	for (const struct xml_element *each = document->root->first; each != NULL; each = each->next) {
		const char *own = xml_attribute(each, "id");
		if (own != NULL && strcmp(own, id) == 0 &&
		    (xml_is(each, "pattern") || xml_is(each, "stateProvider") || xml_is(each, "callstack")))
			return true;
	}
	return false;
}

static void note_foreign(struct foreign *foreign, const struct xml_document *document, const char *id)
{
	if (id == NULL || *id == '\0' || foreign->count == FOREIGN_MAX || has_analysis(document, id))
		return;
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

static void note_view(struct foreign *foreign, const struct xml_document *document, const struct xml_element *view)
{
	const struct xml_element *head = xml_is(view, "callstack") ? view : xml_child(view, "head");
	const struct xml_element *of = head != NULL ? xml_child(head, "analysis") : NULL;
	for (; of != NULL; of = xml_next(of, "analysis"))
		note_foreign(foreign, document, xml_attribute(of, "id"));
	note_entries(foreign, document, view);
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
		if (xml_is_view(each) || xml_is(each, "callstack"))
			note_view(&foreign, document, each);
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
		return read_callstack(document, part, definitions, error);
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
		check_parts(&reader);
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
