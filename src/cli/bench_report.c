// SPDX-License-Identifier: MIT
#include "cli/bench_report.h"

#include <stdio.h>

#include "base/number_text.h"

/* ---- text: some lines of facts, then a line for each kind of query ---------------------------------------- */

static const char *const shape_texts[BENCH_SHAPE_COUNT] = {
	"single",
	"full",
	"2D, times",
	"2D, range",
};

static void put_length(struct row_writer *rows, int64_t ns)
{
	char text[NUMBER_TEXT_SIZE];
	if (ns < 1000000)
		snprintf(text, sizeof(text), "%.2f us", (double)ns / 1e3);
	else
		snprintf(text, sizeof(text), "%.2f ms", (double)ns / 1e6);
	row_text(rows, text);
}

static void put_mean(struct row_writer *rows, double mean)
{
	char text[NUMBER_TEXT_SIZE];
	snprintf(text, sizeof(text), "%.1f", mean);
	row_text(rows, text);
}

static void print_facts(const struct bench_outcome *outcome, struct output *output)
{
	const struct histree_history_info *info = outcome->info;
	output_format(output, "intervals    %llu, of %u attributes\n", (unsigned long long)info->interval_count,
		      info->attribute_count);
	output_format(output, "tree         %s, nodes of %u bytes, fan-out %u: %llu nodes, depth %u\n",
		      info->variant, info->node_size, info->fan_out, (unsigned long long)info->node_count,
		      info->depth);
	output_format(output, "size         %.2f bytes an interval, %.2f of them names\n",
		      (double)info->file_bytes / (double)info->interval_count,
		      (double)info->attribute_bytes / (double)info->interval_count);
	if (outcome->is_model)
		output_format(output,
			      "build        %.2f million intervals a second through the state system: %.3f s, and "
			      "%.3f s for the names; peak %.1f MiB\n",
			      (double)info->interval_count * 1e3 / (double)outcome->build_ns,
			      (double)outcome->build_ns / 1e9, (double)outcome->names_ns / 1e9,
			      (double)outcome->peak_bytes / (1024 * 1024));
	output_char(output, '\n');
}

static void print_threads(const struct bench_threads *threads, struct output *output)
{
	if (threads->threads == 0)
		return;
	output_format(output,
		      "\nthreads      %u ask %.2f million single queries a second, one %.2f: %.2f times its work\n",
		      threads->threads, threads->together / 1e6, threads->alone / 1e6,
		      threads->together / threads->alone);
	output_format(output, "             processor time of a query %.2f us together, %.2f us alone\n",
		      threads->together_cpu_ns / 1e3, threads->alone_cpu_ns / 1e3);
}

static void print_text(const struct bench_outcome *outcome, struct output *output)
{
	static const struct row_column columns[] = {
		{ .name = "query", .width = 10 },
		{ .name = "asked", .width = 8, .to_the_right = true },
		{ .name = "median", .width = 10, .to_the_right = true },
		{ .name = "99 %", .width = 10, .to_the_right = true },
		{ .name = "intervals", .width = 10, .to_the_right = true },
		{ .name = "nodes", .width = 8, .to_the_right = true },
		{ .name = "read", .width = 8, .to_the_right = true },
	};
	const size_t column_count = sizeof(columns) / sizeof(columns[0]);
	print_facts(outcome, output);
	struct row_writer rows;
	row_writer_begin(&rows, &row_format_text, output, columns, column_count);
	for (size_t i = 0; i < column_count; i++)
		row_text(&rows, columns[i].name);
	row_end(&rows);
	for (int shape = 0; shape < BENCH_SHAPE_COUNT; shape++) {
		const struct bench_result *result = &outcome->results[shape];
		row_text(&rows, shape_texts[shape]);
		row_unsigned(&rows, result->asked);
		put_length(&rows, result->median_ns);
		put_length(&rows, result->p99_ns);
		put_mean(&rows, result->intervals);
		put_mean(&rows, result->nodes_visited);
		put_mean(&rows, result->nodes_loaded);
		row_end(&rows);
	}
	row_writer_finish(&rows);
	print_threads(&outcome->threads, output);
}

/* ---- tsv, csv, json: one row ------------------------------------------------------------------------------ */

#define SHAPE_COLUMNS(shape)                                                                     \
	{ .name = shape "_asked" }, { .name = shape "_median_ns" }, { .name = shape "_p99_ns" }, \
		{ .name = shape "_cpu_median_ns" }, { .name = shape "_intervals" },              \
		{ .name = shape "_nodes_visited" },                                              \
	{                                                                                        \
		.name = shape "_nodes_loaded"                                                    \
	}

static const struct row_column row_columns[] = {
	{ .name = "variant" },         { .name = "r_depth" },         { .name = "node_size" },
	{ .name = "fan_out" },         { .name = "attribute_count" }, { .name = "interval_count" },
	{ .name = "node_count" },      { .name = "leaf_count" },      { .name = "depth" },
	{ .name = "node_bytes_used" }, { .name = "file_bytes" },      { .name = "attribute_bytes" },
	{ .name = "names_ns" },        { .name = "build_ns" },        { .name = "build_cpu_ns" },
	{ .name = "peak_bytes" },      SHAPE_COLUMNS("single"),       SHAPE_COLUMNS("full"),
	SHAPE_COLUMNS("times"),        SHAPE_COLUMNS("range"),        { .name = "wrong" },
	{ .name = "threads" },         { .name = "threads_rate" },    { .name = "alone_rate" },
	{ .name = "threads_cpu_ns" },  { .name = "alone_cpu_ns" },
};

static void put_tree(const struct histree_history_info *info, struct row_writer *rows)
{
	row_text(rows, info->variant);
	row_unsigned(rows, info->r_depth);
	row_unsigned(rows, info->node_size);
	row_unsigned(rows, info->fan_out);
	row_unsigned(rows, info->attribute_count);
	row_unsigned(rows, info->interval_count);
	row_unsigned(rows, info->node_count);
	row_unsigned(rows, info->nodes_at_height[0]);
	row_unsigned(rows, info->depth);
	row_unsigned(rows, info->node_bytes_used);
	row_unsigned(rows, info->file_bytes);
	row_unsigned(rows, info->attribute_bytes);
}

static void put_threads(const struct bench_threads *threads, struct row_writer *rows)
{
	const double numbers[] = { threads->together, threads->alone, threads->together_cpu_ns,
				   threads->alone_cpu_ns };
	const size_t count = sizeof(numbers) / sizeof(numbers[0]);
	if (threads->threads == 0) {
		for (size_t i = 0; i < 1 + count; i++)
			row_null(rows);
		return;
	}
	row_unsigned(rows, threads->threads);
	for (size_t i = 0; i < count; i++)
		row_real(rows, numbers[i]);
}

static void print_one_row(const struct bench_outcome *outcome, const struct row_format *format,
			  struct output *output)
{
	struct row_writer rows;
	row_writer_begin(&rows, format, output, row_columns, sizeof(row_columns) / sizeof(row_columns[0]));
	put_tree(outcome->info, &rows);
	if (outcome->is_model) {
		row_number(&rows, outcome->names_ns);
		row_number(&rows, outcome->build_ns);
		row_number(&rows, outcome->build_cpu_ns);
		row_unsigned(&rows, outcome->peak_bytes);
	} else {
		for (int i = 0; i < 4; i++)
			row_null(&rows);
	}
	for (int shape = 0; shape < BENCH_SHAPE_COUNT; shape++) {
		const struct bench_result *result = &outcome->results[shape];
		row_unsigned(&rows, result->asked);
		row_number(&rows, result->median_ns);
		row_number(&rows, result->p99_ns);
		row_number(&rows, result->cpu_median_ns);
		row_real(&rows, result->intervals);
		row_real(&rows, result->nodes_visited);
		row_real(&rows, result->nodes_loaded);
	}
	if (outcome->is_model)
		row_unsigned(&rows, outcome->wrong);
	else
		row_null(&rows);
	put_threads(&outcome->threads, &rows);
	row_end(&rows);
	row_writer_finish(&rows);
}

void bench_report(const struct bench_outcome *outcome, const struct row_format *format, struct output *output)
{
	if (format->for_people)
		print_text(outcome, output);
	else
		print_one_row(outcome, format, output);
}
