// SPDX-License-Identifier: MIT
/*
 * xml_source.h without libexpat: every trace in XML is refused, with what to do.
 */
#include "trace/xml/xml_source.h"

#include <stdlib.h>

#include "base/error.h"

static struct trace_source *create(void)
{
	return calloc(1, sizeof(struct trace_source));
}

static enum histree_status refuse(const char *path, struct histree_error *error)
{
	return error_set(
		error, HISTREE_ERR_TRACE,
		"\"%s\" is a trace in XML, and this histree was built without libexpat; build it with that "
		"(Debian: libexpat1-dev)",
		path);
}

static enum histree_status scan(struct trace_source *source, const char *path, struct histree_error *error)
{
	(void)source;
	return refuse(path, error);
}

static enum histree_status read_facts(const char *path, struct trace_facts *out, struct histree_error *error)
{
	(void)out;
	return refuse(path, error);
}

static void free_source(struct trace_source *source)
{
	free(source);
}

/* Nothing is asked of a source that was not scanned. */
const struct trace_format_kind xml_format = {
	.create = create,
	.scan = scan,
	.facts = read_facts,
	.free = free_source,
};
