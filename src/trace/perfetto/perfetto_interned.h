/* SPDX-License-Identifier: MIT */
/*
 * perfetto_interned.h - texts that packets of a sequence refer to by number
 * (protos/perfetto/trace/interned_data/interned_data.proto).
 */
#ifndef TRACE_PERFETTO_PERFETTO_INTERNED_H
#define TRACE_PERFETTO_PERFETTO_INTERNED_H

#include "base/arena.h"
#include "base/id_map.h"
#include "trace/perfetto/wire.h"

enum perfetto_table {
	PERFETTO_CATEGORIES,
	PERFETTO_EVENT_NAMES,
	PERFETTO_ARGUMENT_NAMES,
	PERFETTO_ARGUMENT_TEXTS,
	PERFETTO_CORRELATIONS,
	PERFETTO_LOG_TEXTS,
	PERFETTO_FUNCTION_NAMES,
	PERFETTO_MAPPING_PATHS,
	PERFETTO_SOURCE_PATHS,
	PERFETTO_SOURCE_LOCATIONS, /* messages, from here on */
	PERFETTO_MAPPINGS,
	PERFETTO_FRAMES,
	PERFETTO_CALLSTACKS,
	PERFETTO_TABLE_COUNT,
};

struct perfetto_text {
	const char *bytes;
	size_t size;
};

/* A zeroed one is empty. */
struct perfetto_interned {
	struct id_map tables[PERFETTO_TABLE_COUNT]; /* struct perfetto_text by number */
	struct arena memory;
	size_t bytes; /* that count */
};

/* What all sequences take together, which has an end. */
struct perfetto_budget {
	size_t bytes;
	uint64_t left_out; /* entries */
};

/* Returns false if memory is out. */
bool perfetto_interned_add(struct perfetto_interned *interned, struct perfetto_budget *budget,
			   struct wire_message message);

/* Returns the text of a number, NULL: there is none. */
const struct perfetto_text *perfetto_interned_find(const struct perfetto_interned *interned,
						   enum perfetto_table table, uint64_t number);

/* It is then an empty one. */
void perfetto_interned_release(struct perfetto_interned *interned, struct perfetto_budget *budget);

#endif
