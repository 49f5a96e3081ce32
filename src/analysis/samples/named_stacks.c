// SPDX-License-Identifier: MIT
#include "analysis/samples/named_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A stack that is on the path already; no tree has so many nodes. */
#define ON_PATH (STACK_NONE - 1)

static bool put_unknown(struct named_stacks *named, uint32_t parent, uint32_t *node)
{
	const struct event_frame none = { .function = "", .binary = "[unknown]", .line = "" };
	const uint32_t frame = frame_names_named(named->names, &none);
	*node = frame != INTERN_NONE ? stack_tree_below(named->tree, parent, frame) : STACK_NONE;
	return *node != STACK_NONE;
}

/* ---- by number ---------------------------------------------------------------------------------------------- */

static uint32_t *none_known(uint32_t count)
{
	uint32_t *numbers = malloc(((size_t)count + 1) * sizeof(*numbers));
	if (numbers != NULL)
		memset(numbers, 0xff, ((size_t)count + 1) * sizeof(*numbers));
	return numbers;
}

/* Returns NULL when memory is out. */
static struct named_table *table_of(struct named_stacks *named, const struct event_trace *trace)
{
	if (!array_reserve(&named->tables, &named->table_capacity, (size_t)trace->id + 1))
		return NULL;
	while (named->table_count <= trace->id)
		named->tables[named->table_count++] = (struct named_table){ .nodes = NULL };
	struct named_table *table = &named->tables[trace->id];
	if (table->depths != NULL)
		return table;
	if (table->nodes == NULL)
		table->nodes = none_known(trace->stacks->stack_count);
	if (table->frames == NULL)
		table->frames = none_known(trace->stacks->frame_count);
	if (table->nodes == NULL || table->frames == NULL)
		return NULL;
	table->depths = calloc((size_t)trace->stacks->stack_count + 1, sizeof(*table->depths));
	return table->depths != NULL ? table : NULL;
}

static uint32_t frame_of(struct named_stacks *named, const struct event_stacks *stacks, struct named_table *table,
			 uint32_t number)
{
	static const struct event_frame none = { .function = "", .binary = "[unknown]", .line = "" };
	if (number >= stacks->frame_count)
		return frame_names_named(named->names, &none);
	if (table->frames[number] == INTERN_NONE)
		table->frames[number] = frame_names_named(named->names, &stacks->frames[number]);
	return table->frames[number];
}

/* Go up to a caller whose node is known, *from, or to the outermost.  Returns how many; SIZE_MAX: no memory. */
static size_t walk_up(struct named_stacks *named, const struct event_stacks *stacks, struct named_table *table,
		      uint32_t number, uint32_t *from)
{
	size_t count = 0;
	while (number < stacks->stack_count && table->nodes[number] == STACK_NONE && count < SAMPLE_FRAMES_MAX) {
		if (!array_reserve(&named->path, &named->path_capacity, count + 1))
			return SIZE_MAX;
		table->nodes[number] = ON_PATH;
		named->path[count++] = number;
		number = stacks->stacks[number].parent;
	}
	const bool is_known = number < stacks->stack_count && table->nodes[number] < ON_PATH;
	*from = is_known ? number : EVENT_NO_STACK;
	return count;
}

bool named_stacks_find(struct named_stacks *named, const struct event_trace *trace, int64_t number, uint32_t *node)
{
	const struct event_stacks *stacks = trace->stacks;
	if (stacks == NULL || number < 0 || number >= stacks->stack_count)
		return put_unknown(named, STACK_NONE, node);
	struct named_table *table = table_of(named, trace);
	if (table == NULL)
		return false;
	uint32_t from;
	size_t count = walk_up(named, stacks, table, (uint32_t)number, &from);
	if (count == SIZE_MAX)
		return false;
	*node = from != EVENT_NO_STACK ? table->nodes[from] : STACK_NONE;
	size_t depth = from != EVENT_NO_STACK ? table->depths[from] : 0;
	while (count-- > 0) {
		const uint32_t stack = named->path[count];
		const uint32_t frame = frame_of(named, stacks, table, stacks->stacks[stack].frame);
		if (frame == INTERN_NONE)
			return false;
		if (depth < SAMPLE_FRAMES_MAX) {
			*node = stack_tree_below(named->tree, *node, frame);
			depth++;
		}
		if (*node == STACK_NONE)
			return false;
		table->nodes[stack] = *node;
		table->depths[stack] = (uint16_t)depth;
	}
	return true;
}

/* ---- by text ------------------------------------------------------------------------------------------------ */

/* Cut the line at its tabs. */
static struct event_frame frame_of_line(char *line)
{
	struct event_frame frame = { .function = line, .binary = "", .line = "" };
	char *tab = strchr(line, '\t');
	if (tab == NULL)
		return frame;
	*tab++ = '\0';
	frame.binary = tab;
	tab = strchr(tab, '\t');
	if (tab != NULL) {
		*tab++ = '\0';
		frame.line = tab;
	}
	return frame;
}

/* The text has the innermost first: its lines are taken from the last on. */
bool named_stacks_read(struct named_stacks *named, const char *text, size_t size, uint32_t *node)
{
	size_t end = size;
	*node = STACK_NONE;
	for (unsigned depth = 0; end > 0 && depth < SAMPLE_FRAMES_MAX; depth++) {
		const char *before = memrchr(text, '\n', end);
		const char *begin = before != NULL ? before + 1 : text;
		const size_t length = (size_t)(text + end - begin);
		if (!array_reserve(&named->line, &named->line_capacity, length + 1))
			return false;
		memcpy(named->line, begin, length);
		named->line[length] = '\0';
		const struct event_frame frame = frame_of_line(named->line);
		const uint32_t number = frame_names_named(named->names, &frame);
		if (number == INTERN_NONE || (*node = stack_tree_below(named->tree, *node, number)) == STACK_NONE)
			return false;
		end = before != NULL ? (size_t)(before - text) : 0;
	}
	return *node != STACK_NONE || put_unknown(named, STACK_NONE, node);
}

void named_stacks_release(struct named_stacks *named)
{
	for (size_t i = 0; i < named->table_count; i++) {
		free(named->tables[i].nodes);
		free(named->tables[i].frames);
		free(named->tables[i].depths);
	}
	free(named->tables);
	free(named->path);
	free(named->line);
	*named = (struct named_stacks){ .names = NULL };
}
