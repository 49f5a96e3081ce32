// SPDX-License-Identifier: MIT
#include "cli/flame_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define NUMBER(text, columns)                                        \
	{                                                            \
		.name = text, .width = columns, .to_the_right = true \
	}

static const struct row_column people[] = {
	NUMBER("total", 11),
	NUMBER("percent", 8),
	NUMBER("self", 11),
	{ .name = "stack" },
};
static const struct row_column programs[] = {
	{ .name = "depth" }, { .name = "kind" },  { .name = "name" },  { .name = "self" },
	{ .name = "total" }, { .name = "share" }, { .name = "stack" },
};
static const struct row_column difference_for_people[] = {
	NUMBER("A", 9),
	NUMBER("B", 9),
	NUMBER("difference", 11),
	{ .name = "stack" },
};
static const struct row_column difference_for_programs[] = {
	{ .name = "depth" },   { .name = "kind" },       { .name = "name" },    { .name = "a_self" },
	{ .name = "b_self" },  { .name = "a_total" },    { .name = "b_total" }, { .name = "a_share" },
	{ .name = "b_share" }, { .name = "difference" }, { .name = "stack" },
};

#define COLUMNS(columns) (columns), sizeof(columns) / sizeof((columns)[0])

/* ---- stacks in a line --------------------------------------------------------------------------------------- */

/* The names from the outermost one on; `ends` has where that of each depth ends. */
struct stack_line {
	char *bytes;
	size_t capacity;
	size_t *ends;
	size_t end_capacity;
};

/* What separates frames and lines is replaced in names: no tool knows an escape. */
static void put_name(char *out, const char *name)
{
	for (; *name != '\0'; name++)
		*out++ = *name == ';' ? ':' : (unsigned char)*name < ' ' ? ' ' : *name;
}

/* The stack that ends with a node, when those of its parents were made before; false when memory is out. */
static bool make_stack(struct stack_line *line, const struct histree_flame_node *node)
{
	const size_t size = strlen(node->name), depth = node->depth;
	if (!array_reserve(&line->ends, &line->end_capacity, depth + 1))
		return false;
	size_t at = depth > 1 ? line->ends[depth - 1] : 0;
	if (!array_reserve(&line->bytes, &line->capacity, at + size + 2))
		return false;
	if (depth > 1)
		line->bytes[at++] = ';';
	put_name(line->bytes + at, node->name);
	line->ends[depth] = at + size;
	return true;
}

static void release(struct stack_line *line)
{
	free(line->bytes);
	free(line->ends);
}

enum cli_exit flame_rows_fold(struct output *output, const struct histree_flame *flame)
{
	struct stack_line line = { 0 };
	uint32_t count;
	const struct histree_flame_node *nodes = histree_flame_nodes(flame, &count);
	enum cli_exit code = CLI_OK;
	for (uint32_t i = 1; i < count && code == CLI_OK; i++) {
		if (!make_stack(&line, &nodes[i])) {
			code = report_no_memory();
		} else if (nodes[i].self[0] > 0) {
			output_bytes(output, line.bytes, line.ends[nodes[i].depth]);
			output_format(output, " %" PRIu64 "\n", nodes[i].self[0]);
		}
	}
	release(&line);
	return code;
}

/* ---- rows --------------------------------------------------------------------------------------------------- */

static const char *const kinds[HISTREE_FLAME_KIND_COUNT] = { "root", "frame", "group", "unknown", "rest" };

static double share(const struct histree_flame_node *nodes, const struct histree_flame_node *node, unsigned side)
{
	return nodes[0].total[side] > 0 ? (double)node->total[side] / (double)nodes[0].total[side] : 0;
}

static void put_percent(struct row_writer *rows, const char *printed, double part)
{
	char text[32];
	snprintf(text, sizeof(text), printed, 100 * part);
	row_text(rows, text);
}

/* Indented by two for each level. */
static void put_indented(struct row_writer *rows, const struct histree_flame_node *node)
{
	char text[2 * 60 + HISTREE_FLAME_NAME_MAX + 1];
	unsigned depth = node->depth - 1;
	snprintf(text, sizeof(text), "%*s%s", (int)(2 * (depth < 60 ? depth : 60)), "", node->name);
	row_text(rows, text);
}

/* A duration, or a number of what the head of the column says. */
static void put_weight(struct row_writer *rows, const char *unit, uint64_t weight)
{
	if (unit != NULL)
		row_unsigned(rows, weight);
	else
		row_duration(rows, weight);
}

static void put_for_people(struct row_writer *rows, const struct histree_flame *flame,
			   const struct histree_flame_node *nodes, const struct histree_flame_node *node,
			   bool is_difference)
{
	const char *unit = histree_flame_unit(flame);
	double a = share(nodes, node, 0), b = share(nodes, node, 1);
	if (is_difference) {
		put_percent(rows, "%.2f %%", a);
		put_percent(rows, "%.2f %%", b);
		put_percent(rows, "%+.2f", b - a);
	} else {
		put_weight(rows, unit, node->total[0]);
		put_percent(rows, "%.2f", a);
		put_weight(rows, unit, node->self[0]);
	}
	put_indented(rows, node);
	row_end(rows);
}

static void put_for_programs(struct row_writer *rows, const struct histree_flame_node *nodes,
			     const struct histree_flame_node *node, bool is_difference,
			     const struct stack_line *line)
{
	double a = share(nodes, node, 0), b = share(nodes, node, 1);
	const unsigned sides = is_difference ? 2 : 1;
	row_unsigned(rows, node->depth);
	row_text(rows, kinds[node->kind]);
	row_text(rows, node->name);
	for (unsigned side = 0; side < sides; side++)
		row_unsigned(rows, node->self[side]);
	for (unsigned side = 0; side < sides; side++)
		row_unsigned(rows, node->total[side]);
	row_real(rows, a);
	if (is_difference) {
		row_real(rows, b);
		row_real(rows, b - a);
	}
	row_bytes(rows, line->bytes, line->ends[node->depth]);
	row_end(rows);
}

static void begin(struct row_writer *rows, struct output *output, const struct histree_flame *flame,
		  const struct flame_rows_request *request)
{
	const char *unit = histree_flame_unit(flame);
	const struct row_format *format = request->format;
	if (request->is_difference && format->for_people)
		row_writer_begin(rows, format, output, COLUMNS(difference_for_people));
	else if (request->is_difference)
		row_writer_begin(rows, format, output, COLUMNS(difference_for_programs));
	else if (format->for_people)
		row_writer_begin(rows, format, output, COLUMNS(people));
	else
		row_writer_begin(rows, format, output, COLUMNS(programs));
	if (!format->for_people)
		return;
	for (size_t i = 0; i < rows->column_count; i++)
		row_text(rows, i == 0 && unit != NULL && !request->is_difference ? unit : rows->columns[i].name);
	row_end(rows);
}

/* Whether people want to see it, or who asked for a least time. */
static bool is_shown(const struct histree_flame_node *nodes, const struct histree_flame_node *node,
		     const struct flame_rows_request *request)
{
	if (request->min > 0)
		return node->total[0] >= request->min || node->total[1] >= request->min;
	return !request->format->for_people || share(nodes, node, 0) >= 0.005 || share(nodes, node, 1) >= 0.005;
}

enum cli_exit flame_rows_print(struct output *output, const struct histree_flame *flame,
			       const struct flame_rows_request *request)
{
	struct row_writer rows;
	struct stack_line line = { 0 };
	uint32_t count;
	const struct histree_flame_node *nodes = histree_flame_nodes(flame, &count);
	enum cli_exit code = CLI_OK;
	begin(&rows, output, flame, request);
	for (uint32_t i = 1; i < count && code == CLI_OK; i++) {
		if (!is_shown(nodes, &nodes[i], request)) {
			i += nodes[i].descendants;
			continue;
		}
		if (request->format->for_people)
			put_for_people(&rows, flame, nodes, &nodes[i], request->is_difference);
		else if (make_stack(&line, &nodes[i]))
			put_for_programs(&rows, nodes, &nodes[i], request->is_difference, &line);
		else
			code = report_no_memory();
	}
	row_writer_finish(&rows);
	release(&line);
	return code;
}
