// SPDX-License-Identifier: MIT
/*
 * fact_list.c - what is known about a store and its histories, as named values in a fixed order; for people and
 * programs alike.
 */
#include "cli/fact_list.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "base/time_text.h"
#include "cli/host_facts.h"

static struct fact *add(struct fact_list *list, const char *name, enum fact_kind kind)
{
	assert(list->count < FACTS_MAX);
	struct fact *fact = &list->facts[list->count++];
	*fact = (struct fact){ .name = name, .kind = kind };
	return fact;
}

static void add_count(struct fact_list *list, const char *name, uint64_t count)
{
	add(list, name, FACT_UNSIGNED)->count = count;
}

static void add_bytes(struct fact_list *list, const char *name, uint64_t bytes)
{
	struct fact *fact = add(list, name, FACT_UNSIGNED);
	fact->count = bytes;
	number_format_size(bytes, fact->note);
}

static void add_real(struct fact_list *list, const char *name, double real)
{
	add(list, name, FACT_REAL)->real = real;
}

static void add_time(struct fact_list *list, const char *name, histree_time time)
{
	struct fact *fact = add(list, name, FACT_TIME);
	fact->time = time;
	time_format_date(time, fact->note);
}

static void add_duration(struct fact_list *list, const char *name, uint64_t ns)
{
	struct fact *fact = add(list, name, FACT_UNSIGNED);
	fact->count = ns;
	time_format_duration(ns, fact->note);
}

static void add_text(struct fact_list *list, const char *name, const char *text)
{
	add(list, name, FACT_TEXT)->text = text;
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

static void add_hosts(struct fact_list *list, const struct histree_store_info *info)
{
	add_text(list, "hosts", keep(list, host_facts_lines(info)));
	list->facts[list->count - 1].json = keep(list, host_facts_json(info));
}

static void add_host(struct fact_list *list, const struct histree_store_info *info)
{
	if (info->host != NULL)
		add_text(list, "host", info->host);
	if (info->clock != NULL)
		add_text(list, "clock", keep(list, host_facts_clock(info->clock, NULL)));
}

void fact_list_add_store(struct fact_list *list, const struct histree_store_info *info)
{
	add_text(list, "store", info->path);
	add_text(list, "made_by", info->made_by);
	add_lines(list, "traces", info->traces, info->trace_count);
	if (info->host_count > 0)
		add_hosts(list, info);
	add_host(list, info);
	add_count(list, "event_count", info->event_count);
	add_time(list, "trace_start", info->start);
	add_time(list, "trace_end", info->end);
	struct fact *build = add(list, "build_ns", FACT_TIME);
	build->time = info->build_ns;
	time_format_duration((uint64_t)info->build_ns, build->note);
	struct fact *complete = add(list, "complete", FACT_BOOL);
	complete->truth = info->complete;
	if (!info->complete)
		snprintf(complete->note, sizeof(complete->note), "%s",
			 info->building ? "the build is running" : "the build was interrupted: see --resume");
	add(list, "partial", FACT_BOOL)->truth = info->partial;
	add_count(list, "clock_steps_back", info->clock_steps_back);
	add_count(list, "discarded_events", info->discarded_events);
	add_count(list, "discarded_packets", info->discarded_packets);
	add_count(list, "repeated_packets", info->repeated_packets);
	struct fact *gaps = add(list, "gaps", FACT_UNSIGNED);
	gaps->count = info->gap_count;
	if (info->gap_count > 0)
		snprintf(gaps->note, sizeof(gaps->note), "states in doubt are unknown");
	add_lines(list, "warnings", info->warnings, info->warning_count);
}

static void add_numbers(struct fact_list *list, const char *name, enum fact_kind kind, const uint64_t *numbers,
			size_t count, const char *note)
{
	struct fact *fact = add(list, name, kind);
	fact->numbers = numbers;
	fact->number_count = count;
	snprintf(fact->note, sizeof(fact->note), "%s", note);
}

static void add_tree(struct fact_list *list, const struct histree_history_info *info)
{
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
}

/* Labels that are not of the history itself may be others in another version of histree. */
void fact_list_add_labels(struct fact_list *list, const struct histree_history *history)
{
	size_t count, labels = 0;
	const struct histree_label_table *tables = histree_labels(history, &count);
	for (size_t i = 0; i < count; i++)
		labels += tables[i].label_count;
	struct fact *fact = add(list, "label_count", FACT_UNSIGNED);
	fact->count = labels;
	if (histree_labels_origin(history) == HISTREE_LABELS_KNOWN)
		snprintf(fact->note, sizeof(fact->note), "known of the analysis: the file has none");
}

void fact_list_add_history(struct fact_list *list, const struct histree_history_info *info,
			   const struct histree_store_history *in_store)
{
	add_text(list, "analysis", in_store != NULL ? in_store->analysis : info->provider);
	add_count(list, "analysis_version", info->provider_version);
	add_count(list, "format_version", info->format_version);
	if (in_store != NULL) {
		add_text(list, "file", in_store->file);
		add_count(list, "state_changes_refused", in_store->state_changes_refused);
	} else {
		add(list, "complete", FACT_BOOL)->truth = info->complete;
	}
	add_time(list, "start", info->start);
	add_time(list, "end", info->end);
	struct fact *attributes = add(list, "attribute_count", FACT_UNSIGNED);
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
	add_tree(list, info);
	add_count(list, "overview_count", info->overview_count);
	add_bytes(list, "overview_bytes", info->overview_bytes);
	add_numbers(list, "nodes_at_height", FACT_NUMBERS, info->nodes_at_height, info->depth, "leaves first");
	add_numbers(list, "key_range_nodes", FACT_SHARES, info->key_range_nodes, HISTREE_KEY_RANGE_BUCKETS,
		    "nodes by the share of all attributes that they span");
}

void fact_list_add_segments(struct fact_list *list, const struct histree_segment_store_info *info,
			    const struct histree_segment_overviews_info *overviews,
			    const struct histree_store_segments *in_store)
{
	add_text(list, "analysis", in_store->analysis);
	add_count(list, "analysis_version", info->schema.provider_version);
	add_count(list, "format_version", info->format_version);
	add_text(list, "file", in_store->file);
	add_count(list, "segment_count", info->segment_count);
	add_count(list, "without_start", in_store->without_start);
	add_count(list, "without_end", in_store->without_end);
	add_time(list, "start", info->start);
	add_time(list, "end", info->end);
	add_duration(list, "duration_min", info->duration_min);
	add_duration(list, "duration_max", info->duration_max);
	add_bytes(list, "node_size", info->node_size);
	add_count(list, "node_count", info->node_count);
	add_count(list, "depth", info->depth);
	add_bytes(list, "file_bytes", info->file_bytes);
	add_real(list, "bytes_per_segment", rounded(share(info->file_bytes, info->segment_count)));
	add_count(list, "overview_count", overviews->count);
	add_bytes(list, "overview_bytes", overviews->file_bytes);
	if (overviews->count == 0)
		return;
	add_duration(list, "overview_cell_ns", overviews->cell_ns[0]);
	add_numbers(list, "overview_summaries", FACT_NUMBERS, overviews->summaries, overviews->count,
		    "shortest cells first");
}

void fact_put(const struct fact *fact, struct row_writer *rows)
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

void fact_list_release(struct fact_list *list)
{
	arena_release(&list->texts);
	*list = (struct fact_list){ 0 };
}
