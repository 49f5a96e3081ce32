// SPDX-License-Identifier: MIT
/*
 * dat_source.h without libtraceevent: every trace.dat is refused, with what to do.
 */
#include "base/error.h"
#include "trace/trace_cmd/dat_source.h"

#include <stdlib.h>

static struct trace_source *create(void)
{
	return calloc(1, sizeof(struct trace_source));
}

static enum histree_status refuse(const char *path, struct histree_error *error)
{
	return error_set(
		error, HISTREE_ERR_TRACE,
		"\"%s\" is a recording of trace-cmd, and this histree was built without libtraceevent; build it "
		"with that (Debian: libtraceevent-dev)",
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
const struct trace_format_kind dat_format = {
	.create = create,
	.scan = scan,
	.facts = read_facts,
	.free = free_source,
};
