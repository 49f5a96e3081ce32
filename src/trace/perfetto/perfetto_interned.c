// SPDX-License-Identifier: MIT
#include "trace/perfetto/perfetto_interned.h"

#include <stdalign.h>

/* With what finds the texts; those of a browser's session are a hundredth of that. */
enum { BYTES_MAX = 32 << 20, ENTRY_COST = 64 };

/* A few bytes refer to a text, which then is in each event: what is longer is cut. */
enum { TEXT_MAX = 4096 };

static const struct table_row {
	uint32_t field;  /* of InternedData */
	bool is_message; /* it is kept whole */
} tables[PERFETTO_TABLE_COUNT] = {
	[PERFETTO_CATEGORIES] = { 1, false },     [PERFETTO_EVENT_NAMES] = { 2, false },
	[PERFETTO_ARGUMENT_NAMES] = { 3, false }, [PERFETTO_ARGUMENT_TEXTS] = { 29, false },
	[PERFETTO_CORRELATIONS] = { 43, false },  [PERFETTO_LOG_TEXTS] = { 20, false },
	[PERFETTO_FUNCTION_NAMES] = { 5, false }, [PERFETTO_MAPPING_PATHS] = { 17, false },
	[PERFETTO_SOURCE_PATHS] = { 18, false },  [PERFETTO_SOURCE_LOCATIONS] = { 4, true },
	[PERFETTO_MAPPINGS] = { 19, true },       [PERFETTO_FRAMES] = { 6, true },
	[PERFETTO_CALLSTACKS] = { 7, true },
};

/* Every entry has its number as field 1, and its text as field 2. */
static bool add_entry(struct perfetto_interned *interned, enum perfetto_table table, struct perfetto_budget *budget,
		      struct wire_message message)
{
	struct perfetto_text text = { (const char *)message.at, (size_t)(message.end - message.at) };
	struct wire_field field;
	uint64_t number = 0;
	if (!tables[table].is_message)
		text = (struct perfetto_text){ "", 0 };
	while (wire_next(&message, &field)) {
		if (field.number == 1)
			number = field.value;
		else if (field.number == 2 && field.bytes != NULL && !tables[table].is_message)
			text = (struct perfetto_text){ (const char *)field.bytes, field.size };
	}
	if (text.size > TEXT_MAX)
		text.size = TEXT_MAX;
	struct perfetto_text *entry = id_map_find(&interned->tables[table], number);
	bool is_new = entry == NULL;
	if (!is_new && entry->size == text.size && memcmp(entry->bytes, text.bytes, text.size) == 0)
		return true;
	if (budget->bytes + text.size + ENTRY_COST > BYTES_MAX) {
		budget->left_out++;
		return true;
	}
	if (is_new)
		entry = arena_allocate(&interned->memory, sizeof(*entry), alignof(struct perfetto_text));
	text.bytes = arena_copy(&interned->memory, text.bytes, text.size);
	if (entry == NULL || text.bytes == NULL)
		return false;
	*entry = text;
	interned->bytes += text.size + ENTRY_COST;
	budget->bytes += text.size + ENTRY_COST;
	return !is_new || id_map_add(&interned->tables[table], number, entry);
}

bool perfetto_interned_add(struct perfetto_interned *interned, struct perfetto_budget *budget,
			   struct wire_message message)
{
	struct wire_field field;
	while (wire_next(&message, &field))
		for (int table = 0; field.bytes != NULL && table < PERFETTO_TABLE_COUNT; table++)
			if (tables[table].field == field.number &&
			    !add_entry(interned, (enum perfetto_table)table, budget, wire_inside(&field)))
				return false;
	return true;
}

const struct perfetto_text *perfetto_interned_find(const struct perfetto_interned *interned,
						   enum perfetto_table table, uint64_t number)
{
	return id_map_find(&interned->tables[table], number);
}

void perfetto_interned_release(struct perfetto_interned *interned, struct perfetto_budget *budget)
{
	if (interned->bytes == 0)
		return;
	for (int table = 0; table < PERFETTO_TABLE_COUNT; table++)
		id_map_release(&interned->tables[table]);
	arena_release(&interned->memory);
	budget->bytes -= interned->bytes;
	interned->bytes = 0;
}
