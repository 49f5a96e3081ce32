// SPDX-License-Identifier: MIT
/*
 * verb_info.c - `histree info`: the facts of a store, a history or a segment store, in columns or as JSON.
 *
 * Facts are named values in a fixed order, for people and programs alike.  A store of several hosts has some for
 * each host: its traces, its events and its clock.
 */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/json_text.h"
#include "base/number_text.h"
#include "cli/row_writer.h"
#include "cli/target.h"
#include "cli/verb.h"
#include "cli/verb_info.h"
#include "histree/history.h"
#include "histree/store.h"

enum fact_kind {
	FACT_UNSIGNED,
	FACT_TIME,
	FACT_REAL,
	FACT_BOOL,
	FACT_TEXT,
	FACT_NUMBERS, /* one for each of 0, 1, 2, ... */
	FACT_SHARES,  /* one for each equal share of 100 % */
};

struct fact {
	const char *name; /* "interval_count" */
	enum fact_kind kind;
	union {
		uint64_t count;
		histree_time time;
		double real;
		bool truth;
		const char *text; /* several are joined by LF */
		const uint64_t *numbers;
	};
	const char *json; /* what a text is in JSON; NULL: the text */
	size_t number_count;
	char note[64]; /* for people: the value in readable form, or what it means; may be empty */
};

enum { FACTS_MAX = 64 };

/* A zeroed list is empty.  Facts borrow from the store and from the history. */
struct fact_list {
	struct fact facts[FACTS_MAX];
	size_t count;
	struct arena texts;
	bool no_memory;
};

/* ---- host facts ---------------------------------------------------------------------------------------------- */

/* Above it, nothing bounds the error of a clock. */
static const double error_max = 1e18;

/* What was written to memory, whose address is known from the end on; NULL if there was not enough. */
static char *fact_text(FILE *file, char **text)
{
	bool is_whole = ferror(file) == 0;
	if (fclose(file) == 0 && is_whole)
		return *text;
	free(*text);
	return NULL;
}

static const char *neighbour_of(const struct histree_store_info *info, size_t host)
{
	const size_t neighbour = info->hosts[host].neighbour;
	return neighbour != host ? info->hosts[neighbour].name : NULL;
}

/* ---- lines -------------------------------------------------------------------------------------------------- */

/* "accurate by 46 packets, 25 of them accurate, with 'a'; at most 168.899 us wrong; slope ..., offset ... ns" */
static void put_clock_line(FILE *file, const struct histree_clock *clock, const char *by)
{
	fputs(histree_clock_quality_name(clock->quality), file);
	if (clock->quality == HISTREE_CLOCK_ABSENT)
		fputs(": it is not known, and times are not corrected", file);
	if (clock->quality == HISTREE_CLOCK_ABSENT || clock->quality == HISTREE_CLOCK_REFERENCE)
		return;
	if (clock->quality != HISTREE_CLOCK_GIVEN)
		fprintf(file, " by %" PRIu64 " packets, %" PRIu64 " of them accurate", clock->matches,
			clock->accurate);
	if (by != NULL)
		fprintf(file, ", with '%.96s'", by);
	if (clock->error < error_max) {
		char bound[TIME_TEXT_SIZE];
		time_format_duration((uint64_t)ceil(clock->error), bound);
		fprintf(file, "; at most %s (%.0f ns) wrong", bound, ceil(clock->error));
	}
	fprintf(file, "; slope %.17g, offset %.17g ns", histree_clock_slope(clock), histree_clock_offset(clock));
}

/* Returns what is said of the clock of one host, to be freed likewise; `by` may be NULL. */
static char *host_facts_clock(const struct histree_clock *clock, const char *by)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	if (file == NULL)
		return NULL;
	put_clock_line(file, clock, by);
	return fact_text(file, &text);
}

/* Returns a line a host, LF between them, which the caller frees; NULL: out of memory. */
static char *host_facts_lines(const struct histree_store_info *info)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	if (file == NULL)
		return NULL;
	for (size_t i = 0; i < info->host_count; i++) {
		const struct histree_store_host *host = &info->hosts[i];
		fprintf(file, "%s%s: %" PRIu64 " events; clock ", i > 0 ? "\n" : "", host->name, host->event_count);
		if (host->clock != NULL)
			put_clock_line(file, host->clock, neighbour_of(info, i));
		else
			fputs("not corrected, as was asked for", file);
		if (host->why != NULL)
			fprintf(file, "; MISSING: %s", host->why);
	}
	return fact_text(file, &text);
}

/* ---- JSON --------------------------------------------------------------------------------------------------- */

static void put_string(FILE *file, const char *text)
{
	if (text == NULL) {
		fputs("null", file);
		return;
	}
	fputc('"', file);
	for (size_t size = strlen(text); size > 0;) {
		struct json_piece piece = json_piece_next(text, size);
		fwrite(text, 1, piece.plain, file);
		fwrite(piece.escape, 1, piece.escape_size, file);
		text += piece.taken;
		size -= piece.taken;
	}
	fputc('"', file);
}

static void put_real(FILE *file, double real)
{
	char text[NUMBER_TEXT_SIZE];
	fwrite(text, 1, number_format_real(real, text), file);
}

static void put_clock_object(FILE *file, const struct histree_clock *clock, const char *by)
{
	if (clock == NULL) {
		fputs("null", file);
		return;
	}
	fputs("{\"quality\":", file);
	put_string(file, histree_clock_quality_name(clock->quality));
	fputs(",\"slope\":", file);
	put_real(file, histree_clock_slope(clock));
	fputs(",\"offset\":", file);
	put_real(file, histree_clock_offset(clock));
	fprintf(file, ",\"matches\":%" PRIu64 ",\"accurate\":%" PRIu64 ",\"error\":", clock->matches,
		clock->accurate);
	if (clock->error < error_max)
		fprintf(file, "%.0f", ceil(clock->error));
	else
		fputs("null", file);
	fputs(",\"by\":", file);
	put_string(file, by);
	fputc('}', file);
}

/* Returns the same as an array of objects in JSON, in one line. */
static char *host_facts_json(const struct histree_store_info *info)
{
	char *text = NULL;
	size_t size, first = 0;
	FILE *file = open_memstream(&text, &size);
	if (file == NULL)
		return NULL;
	fputc('[', file);
	for (size_t i = 0; i < info->host_count; i++) {
		size_t count = info->hosts[i].trace_count;
		fputs(i > 0 ? "," : "", file);

		/* `traces` are those of the host. */
		const struct histree_store_host *host = &info->hosts[i];
		fputs("{\"name\":", file);
		put_string(file, host->name);
		fputs(",\"folder\":", file);
		put_string(file, host->folder);
		fputs(",\"traces\":[", file);
		for (size_t j = 0; j < host->trace_count; j++) {
			fputs(j > 0 ? "," : "", file);
			put_string(file, (info->traces + first)[j]);
		}
		fprintf(file, "],\"event_count\":%" PRIu64, host->event_count);
		if (host->start <= host->end)
			fprintf(file, ",\"start\":%" PRId64 ",\"end\":%" PRId64, host->start, host->end);
		else
			fputs(",\"start\":null,\"end\":null", file);
		fputs(",\"clock\":", file);
		put_clock_object(file, host->clock, neighbour_of(info, i));
		fputs(",\"missing\":", file);
		put_string(file, host->why);
		fputc('}', file);

		first += count;
	}
	fputc(']', file);
	return fact_text(file, &text);
}

/* ---- fact list ----------------------------------------------------------------------------------------------- */

static struct fact *fact_add(struct fact_list *list, const char *name, enum fact_kind kind)
{
	assert(list->count < FACTS_MAX);
	struct fact *fact = &list->facts[list->count++];
	*fact = (struct fact){ .name = name, .kind = kind };
	return fact;
}

static void add_count(struct fact_list *list, const char *name, uint64_t count)
{
	fact_add(list, name, FACT_UNSIGNED)->count = count;
}

static void add_bytes(struct fact_list *list, const char *name, uint64_t bytes)
{
	struct fact *fact = fact_add(list, name, FACT_UNSIGNED);
	fact->count = bytes;
	number_format_size(bytes, fact->note);
}

static void add_real(struct fact_list *list, const char *name, double real)
{
	fact_add(list, name, FACT_REAL)->real = real;
}

static void add_time(struct fact_list *list, const char *name, histree_time time)
{
	struct fact *fact = fact_add(list, name, FACT_TIME);
	fact->time = time;
	time_format_date(time, fact->note);
}

static void add_duration(struct fact_list *list, const char *name, uint64_t ns)
{
	struct fact *fact = fact_add(list, name, FACT_UNSIGNED);
	fact->count = ns;
	time_format_duration(ns, fact->note);
}

static void add_text(struct fact_list *list, const char *name, const char *text)
{
	fact_add(list, name, FACT_TEXT)->text = text;
}

static void add_lines(struct fact_list *list, const char *name, const char *const *lines, size_t count)
{
	size_t size = 0;
	for (size_t i = 0; i < count; i++)
		size += strlen(lines[i]) + 1;
	char *text = arena_allocate(&list->texts, size + 1, 1);
	if (text == NULL) {
		list->no_memory = true;
		return;
	}
	char *at = text;
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			*at++ = '\n';
		at = stpcpy(at, lines[i]);
	}
	*at = '\0';
	add_text(list, name, text);
}

/* Rounds to two decimals: a share or a mean has no more to say. */
static double rounded(double number)
{
	return (double)(int64_t)(number * 100 + 0.5) / 100;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

/* Takes a text that was made for the list. */
static const char *keep(struct fact_list *list, char *text)
{
	const char *kept = text != NULL ? arena_copy(&list->texts, text, strlen(text)) : NULL;
	free(text);
	list->no_memory = list->no_memory || kept == NULL;
	return kept != NULL ? kept : "";
}

static void fact_list_add_store(struct fact_list *list, const struct histree_store_info *info)
{
	add_text(list, "store", info->path);
	add_text(list, "made_by", info->made_by);
	add_lines(list, "traces", info->traces, info->trace_count);
	if (info->host_count > 0) {
		add_text(list, "hosts", keep(list, host_facts_lines(info)));
		list->facts[list->count - 1].json = keep(list, host_facts_json(info));
	}

	if (info->host != NULL)
		add_text(list, "host", info->host);
	if (info->clock != NULL)
		add_text(list, "clock", keep(list, host_facts_clock(info->clock, NULL)));

	add_count(list, "event_count", info->event_count);
	add_time(list, "trace_start", info->start);
	add_time(list, "trace_end", info->end);
	struct fact *build = fact_add(list, "build_ns", FACT_TIME);
	build->time = info->build_ns;
	time_format_duration((uint64_t)info->build_ns, build->note);
	struct fact *complete = fact_add(list, "complete", FACT_BOOL);
	complete->truth = info->complete;
	if (!info->complete)
		snprintf(complete->note, sizeof(complete->note), "%s",
			 info->building ? "the build is running" : "the build was interrupted: see --resume");
	fact_add(list, "partial", FACT_BOOL)->truth = info->partial;
	add_count(list, "clock_steps_back", info->clock_steps_back);
	add_count(list, "discarded_events", info->discarded_events);
	add_count(list, "discarded_packets", info->discarded_packets);
	add_count(list, "repeated_packets", info->repeated_packets);
	struct fact *gaps = fact_add(list, "gaps", FACT_UNSIGNED);
	gaps->count = info->gap_count;
	if (info->gap_count > 0)
		snprintf(gaps->note, sizeof(gaps->note), "states in doubt are unknown");
	add_lines(list, "warnings", info->warnings, info->warning_count);
	add_lines(list, "not_recorded", &info->lacks, info->lacks != NULL);
}

static void add_numbers(struct fact_list *list, const char *name, enum fact_kind kind, const uint64_t *numbers,
			size_t count, const char *note)
{
	struct fact *fact = fact_add(list, name, kind);
	fact->numbers = numbers;
	fact->number_count = count;
	snprintf(fact->note, sizeof(fact->note), "%s", note);
}

/* Adds the facts of a history.  `in_store` has what only the manifest knows; it is NULL for a single file. */
static void fact_list_add_history(struct fact_list *list, const struct histree_history_info *info,
				  const struct histree_store_history *in_store)
{
	add_text(list, "analysis", in_store != NULL ? in_store->analysis : info->provider);
	add_count(list, "analysis_version", info->provider_version);
	add_count(list, "format_version", info->format_version);
	if (in_store != NULL) {
		add_text(list, "file", in_store->file);
		add_count(list, "state_changes_refused", in_store->state_changes_refused);
	} else {
		fact_add(list, "complete", FACT_BOOL)->truth = info->complete;
	}
	add_time(list, "start", info->start);
	add_time(list, "end", info->end);
	struct fact *attributes = fact_add(list, "attribute_count", FACT_UNSIGNED);
	attributes->count = info->attribute_count;
	if (info->folder_count > 0)
		snprintf(attributes->note, sizeof(attributes->note), "%" PRIu32 " of them folders, without states",
			 info->folder_count);
	add_count(list, "interval_count", info->interval_count);
	add_count(list, "null_interval_count", info->null_interval_count);
	add_text(list, "backend", info->partial ? "partial" : "disk");
	if (info->partial) {
		add_count(list, "checkpoint_count", info->checkpoint_count);
		add_bytes(list, "checkpoint_bytes", info->checkpoint_bytes);
	}

	add_text(list, "variant", info->variant);
	add_count(list, "r_depth", info->r_depth);
	add_bytes(list, "node_size", info->node_size);
	add_count(list, "fan_out", info->fan_out);
	add_count(list, "node_count", info->node_count);
	add_count(list, "depth", info->depth);
	add_real(list, "node_fill_percent", rounded(100 * share(info->node_bytes_used, info->node_bytes)));
	add_bytes(list, "file_bytes", info->file_bytes);
	add_bytes(list, "attribute_bytes", info->attribute_bytes);
	add_real(list, "bytes_per_interval", rounded(share(info->file_bytes, info->interval_count)));

	add_count(list, "overview_count", info->overview_count);
	add_bytes(list, "overview_bytes", info->overview_bytes);
	add_numbers(list, "nodes_at_height", FACT_NUMBERS, info->nodes_at_height, info->depth, "leaves first");
	add_numbers(list, "key_range_nodes", FACT_SHARES, info->key_range_nodes, HISTREE_KEY_RANGE_BUCKETS,
		    "nodes by the share of all attributes that they span");
}

/* Writes the value as a cell. */
static void fact_put(const struct fact *fact, struct row_writer *rows)
{
	switch (fact->kind) {
	case FACT_UNSIGNED:
		row_unsigned(rows, fact->count);
		break;
	case FACT_TIME:
		row_number(rows, fact->time);
		break;
	case FACT_REAL:
		row_real(rows, fact->real);
		break;
	case FACT_BOOL:
		row_bool(rows, fact->truth);
		break;
	case FACT_TEXT:
		if (fact->json != NULL && rows->format == &row_format_json)
			row_json(rows, fact->json);
		else
			row_text(rows, fact->text);
		break;
	case FACT_NUMBERS:
	case FACT_SHARES:
		row_numbers(rows, fact->numbers, fact->number_count);
		break;
	}
}

static void fact_list_release(struct fact_list *list)
{
	arena_release(&list->texts);
	*list = (struct fact_list){ 0 };
}

/* ---- verb info ----------------------------------------------------------------------------------------------- */

struct informing {
	const struct row_format *format;
	struct output *output;
	struct row_writer rows;
	bool has_begun;
	bool is_learning; /* for programs: all is gone through once before, for the columns */
	struct row_column columns[FACTS_MAX];
	size_t column_count;
	struct fact_list facts; /* of what is printed next */
};

/* ---- text: a block of lines for the store, and one for each history ------------------------------------ */

static const struct row_column text_columns[] = {
	{ .name = "fact", .width = 24 },
	{ .name = "value", .width = 20 },
	{ .name = "note" },
};

static void put_label(struct row_writer *rows, const char *name)
{
	char label[32];
	size_t size = 0;
	for (; name[size] != '\0' && size < sizeof(label); size++)
		label[size] = name[size] == '_' ? ' ' : name[size];
	row_bytes(rows, label, size);
}

/* Prints a line for each line of the text, and none for an empty text. */
static void put_lines(struct row_writer *rows, const struct fact *fact)
{
	const char *label = fact->name;
	for (const char *line = fact->text; *line != '\0'; label = "") {
		size_t size = strcspn(line, "\n");
		put_label(rows, label);
		row_bytes(rows, line, size);
		row_null(rows);
		row_end(rows);
		line += size + (line[size] == '\n');
	}
}

static void put_bars(struct row_writer *rows, const struct fact *fact)
{
	uint64_t max = 0;
	for (size_t i = 0; i < fact->number_count; i++)
		if (fact->numbers[i] > max)
			max = fact->numbers[i];
	put_label(rows, fact->name);
	row_null(rows);
	row_text(rows, fact->note);
	row_end(rows);
	for (size_t i = 0; i < fact->number_count; i++) {
		char label[32];
		if (fact->kind == FACT_SHARES)
			snprintf(label, sizeof(label), "%10zu - %3zu %%", 100 * i / fact->number_count,
				 100 * (i + 1) / fact->number_count);
		else
			snprintf(label, sizeof(label), "%10zu", i);
		row_text(rows, label);
		row_unsigned(rows, fact->numbers[i]);
		row_bar(rows, fact->numbers[i], max);
		row_end(rows);
	}
}

/* ---- tsv, csv, json: one row a history or segment store, which begins with the facts of its store ---------- */

static const struct fact *find_fact(const struct fact_list *facts, const char *name)
{
	for (size_t i = 0; i < facts->count; i++)
		if (strcmp(facts->facts[i].name, name) == 0)
			return &facts->facts[i];
	return NULL;
}

/* The columns are those facts that any of the rows has. */
static void learn_columns(struct informing *informing)
{
	for (size_t i = 0; i < informing->facts.count; i++) {
		const char *name = informing->facts.facts[i].name;
		size_t column = 0;
		while (column < informing->column_count && strcmp(informing->columns[column].name, name) != 0)
			column++;
		if (column == informing->column_count)
			informing->columns[informing->column_count++] = (struct row_column){ .name = name };
	}
}

static void print_row(struct informing *informing)
{
	if (!informing->has_begun)
		row_writer_begin(&informing->rows, informing->format, informing->output, informing->columns,
				 informing->column_count, ROWS_PLAIN);
	for (size_t i = 0; i < informing->column_count; i++) {
		const struct fact *fact = find_fact(&informing->facts, informing->columns[i].name);
		if (fact != NULL)
			fact_put(fact, &informing->rows);
		else
			row_null(&informing->rows);
	}
	row_end(&informing->rows);
	informing->has_begun = true;
}

/* ------------------------------------------------------------------------------------------------------------ */

static enum cli_exit take_facts(struct informing *informing)
{
	if (informing->facts.no_memory)
		return report_no_memory();
	if (informing->is_learning)
		learn_columns(informing);
	else if (informing->format->for_people) {
		struct row_writer *rows = &informing->rows;
		if (informing->has_begun)
			output_char(informing->output, '\n');
		else
			row_writer_begin(rows, informing->format, informing->output, text_columns, 3, ROWS_PLAIN);
		for (size_t i = 0; i < informing->facts.count; i++) {
			const struct fact *fact = &informing->facts.facts[i];
			if (fact->kind == FACT_NUMBERS || fact->kind == FACT_SHARES) {
				put_bars(rows, fact);
			} else if (fact->kind == FACT_TEXT) {
				put_lines(rows, fact);
			} else {
				put_label(rows, fact->name);
				fact_put(fact, rows);
				row_text(rows, fact->note);
				row_end(rows);
			}
		}
		informing->has_begun = true;
	} else {
		print_row(informing);
	}
	fact_list_release(&informing->facts);
	return CLI_OK;
}

static enum cli_exit inform_history(struct informing *informing, const struct target *target, const char *analysis,
				    const struct histree_store_history *in_store)
{
	struct histree_history *history;
	struct histree_error error = { 0 };
	if (target_history(target, analysis, true, &history, &error) != HISTREE_OK)
		return report_error(&error);
	if (in_store != NULL && !informing->format->for_people)
		fact_list_add_store(&informing->facts, histree_store_info(target->store));
	fact_list_add_history(&informing->facts, histree_history_info(history), in_store);
	/* Columns that scripts know by their numbers stay where they are. */
	if (informing->format->for_people || informing->format == &row_format_json) {
		/* Labels that are not of the history itself may be others in another version of histree. */
		size_t count, labels = 0;
		const struct histree_label_table *tables = histree_labels(history, &count);
		for (size_t i = 0; i < count; i++)
			labels += tables[i].label_count;
		struct fact *fact = fact_add(&informing->facts, "label_count", FACT_UNSIGNED);
		fact->count = labels;
		if (histree_labels_origin(history) == HISTREE_LABELS_KNOWN)
			snprintf(fact->note, sizeof(fact->note), "known of the analysis: the file has none");
	}
	enum cli_exit code = take_facts(informing);
	const struct histree_history_info *info = histree_history_info(history);
	if (!informing->is_learning)
		target_warn_of_version(target, info->provider, info->provider_version);
	histree_history_close(history);
	return code;
}

static enum cli_exit inform_segments(struct informing *informing, const struct target *target,
				     const struct histree_store_segments *in_store)
{
	struct histree_segment_store *store;
	struct histree_error error = { 0 };
	if (target_segments(target, in_store->analysis, true, &store, &error) != HISTREE_OK)
		return report_error(&error);
	if (!informing->format->for_people)
		fact_list_add_store(&informing->facts, histree_store_info(target->store));
	const struct histree_segment_overviews_info overviews = histree_segment_store_overviews(store);

	/* Adds the facts of a segment store. */
	const struct histree_segment_store_info *info = histree_segment_store_info(store);
	add_text(&informing->facts, "analysis", in_store->analysis);
	add_count(&informing->facts, "analysis_version", info->schema.provider_version);
	add_count(&informing->facts, "format_version", info->format_version);
	add_text(&informing->facts, "file", in_store->file);
	add_count(&informing->facts, "segment_count", info->segment_count);
	add_count(&informing->facts, "without_start", in_store->without_start);
	add_count(&informing->facts, "without_end", in_store->without_end);
	add_time(&informing->facts, "start", info->start);
	add_time(&informing->facts, "end", info->end);
	add_duration(&informing->facts, "duration_min", info->duration_min);
	add_duration(&informing->facts, "duration_max", info->duration_max);
	add_bytes(&informing->facts, "node_size", info->node_size);
	add_count(&informing->facts, "node_count", info->node_count);
	add_count(&informing->facts, "depth", info->depth);
	add_bytes(&informing->facts, "file_bytes", info->file_bytes);
	add_real(&informing->facts, "bytes_per_segment", rounded(share(info->file_bytes, info->segment_count)));
	add_count(&informing->facts, "overview_count", overviews.count);
	add_bytes(&informing->facts, "overview_bytes", overviews.file_bytes);
	if (overviews.count != 0) {
		add_duration(&informing->facts, "overview_cell_ns", overviews.cell_ns[0]);
		add_numbers(&informing->facts, "overview_summaries", FACT_NUMBERS, overviews.summaries,
			    overviews.count, "shortest cells first");
	}

	enum cli_exit code = take_facts(informing);
	if (!informing->is_learning)
		target_warn_of_version(target, in_store->analysis, in_store->analysis_version);
	histree_segment_store_close(store);
	return code;
}

static bool has_analysis(const struct target *target, const char *analysis)
{
	return target_has_history(target, analysis) || target_find_segments(target, analysis) != NULL;
}

/* Prints what one analysis made, or all of them.  For an unknown name, the library says which there are. */
static enum cli_exit inform_parts(struct informing *informing, const struct target *target, const char *analysis)
{
	if (target->store == NULL || (analysis != NULL && !has_analysis(target, analysis)))
		return inform_history(informing, target, analysis, NULL);
	const struct histree_store_info *info = histree_store_info(target->store);
	enum cli_exit code = CLI_OK;
	for (size_t i = 0; i < info->history_count && code == CLI_OK; i++)
		if (analysis == NULL || strcmp(analysis, info->histories[i].analysis) == 0)
			code = inform_history(informing, target, info->histories[i].analysis, &info->histories[i]);
	for (size_t i = 0; i < info->segments_count && code == CLI_OK; i++)
		if (analysis == NULL || strcmp(analysis, info->segments[i].analysis) == 0)
			code = inform_segments(informing, target, &info->segments[i]);
	return code;
}

static enum cli_exit inform(struct informing *informing, const struct target *target, const char *analysis)
{
	enum cli_exit code = CLI_OK;
	informing->is_learning = !informing->format->for_people;
	if (informing->is_learning) {
		code = inform_parts(informing, target, analysis);
	} else if (target->store != NULL && (analysis == NULL || has_analysis(target, analysis))) {
		fact_list_add_store(&informing->facts, histree_store_info(target->store));
		code = take_facts(informing);
	}
	informing->is_learning = false;
	return code == CLI_OK ? inform_parts(informing, target, analysis) : code;
}

static int info_run(void *said, const struct cli_words *words)
{
	struct info_options *chosen = said;
	struct informing informing = {
		.format = row_format_find(chosen->question.format),
		.output = output_create_paged(),
	};
	if (informing.output == NULL)
		return report_no_memory();
	struct target target;
	struct histree_error error = { 0 };
	enum cli_exit code;
	if (target_open(&target, words->words[0], &error) != HISTREE_OK)
		code = report_error(&error);
	else
		code = inform(&informing, &target, chosen->question.analysis);
	if (informing.has_begun)
		row_writer_finish(&informing.rows);
	fact_list_release(&informing.facts);
	target_close(&target);
	return cli_end(informing.output, code);
}

static const struct cli_option options[] = {
	CLI_OPTION_FLAG("attributes", 0, struct info_options, attributes,
			"list the attributes of a history that match, or the fields of segments"),
	CLI_OPTION_TEXT("name", "EXPR", struct info_options, name,
			"list only attributes whose names, the last components of their paths, match this regular "
			"expression; each PATTERN is then where to look, and what is below it is listed"),
	CLI_OPTION_FLAG("children", 0, struct info_options, children, "with --name, look one level deep only"),
	CLI_OPTION_FLAG(
		"labels", 0, struct info_options, labels,
		"list what values mean, by patterns of attributes, as 'histree load --label-file' reads it"),
	CLI_OPTION_FLAG("charts", 0, struct info_options, charts,
			"list the charts of all histories, or those of the history of -a; 'histree draw --chart' "
			"draws them"),
	CLI_OPTION_FLAG("analyses", 0, struct info_options, analyses,
			"list the analyses that turn events into states or segments"),
	CLI_OPTION_PATH("define", 'x', CLI_TEXTS, "FILE", struct info_options, definitions,
			"with --analyses, check FILE, or the files of a folder, and list only what it defines"),
	{ 0 },
};

#define ASKS_OF_LISTS (ASKS(LIMIT) | ASKS(COLUMNS) | ASKS(FORMAT))

static const struct cli_form forms[] = {
	{ "analyses", { "", 0, 0 }, ASKS_OF_LISTS, "define", info_analyses_run },
	{ "labels", { "STORE", 1, 1 }, ASKS_OF_LISTS | ASKS(ANALYSIS), NULL, info_list_run },
	{ "charts", { "STORE", 1, 1 }, ASKS_OF_LISTS | ASKS(ANALYSIS), NULL, info_list_run },
	{ "attributes",
	  { "STORE [PATTERN]...", 1, CLI_WORDS_ANY },
	  ASKS_OF_LISTS | ASKS(ANALYSIS),
	  "name children",
	  info_list_run },
	{ NULL, { "STORE", 1, 1 }, ASKS(ANALYSIS) | ASKS(FORMAT), NULL, info_run },
};

static const struct cli_old_verb old_verbs[] = {
	{ .name = "ls", .means = { { "attributes", NULL } } },
	{ .name = "analyses", .means = { { "analyses", NULL } } },
	{ 0 },
};

const struct cli_verb verb_info = {
	.heading = "Look after stores",
	.name = "info",
	.summary = "say what a store holds and how it was made, or list its attributes",
	.complete = CLI_COMPLETE_ATTRIBUTE,
	.asks = ASKS_OF_LISTS | ASKS(ANALYSIS),
	.says = { [ASK_ANALYSIS] = "; default: everything, or the history kernel, or the first one" },
	CLI_OPTIONS(options, struct info_options),
	.forms = forms,
	.old = old_verbs,
};
