// SPDX-License-Identifier: MIT
/*
 * manifest_encode.c - a manifest as JSON; manifest_decode.c reads what this file writes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store_folder/manifest_json.h"

/* JSON is UTF-8, which a path need not be: bytes that are not become '?'. */
static json_t *text(const char *bytes)
{
	json_t *string = json_string(bytes);
	if (string != NULL)
		return string;
	char *ascii = strdup(bytes);
	if (ascii == NULL)
		return NULL;
	for (char *at = ascii; *at != '\0'; at++)
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	string = json_string(ascii);
	free(ascii);
	return string;
}

/* A trace can say that it lost more than an integer of JSON holds. */
static json_int_t number(uint64_t count)
{
	return count <= INT64_MAX ? (json_int_t)count : INT64_MAX;
}

static json_t *texts(const char *const *strings, size_t count)
{
	json_t *array = json_array();
	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, text(strings[i]));
	return array;
}

/* The identity of a file as text; NULL if it is not known, and the manifest leaves it out. */
static json_t *identity_text(uint64_t identity)
{
	char digits[MANIFEST_IDENTITY_DIGITS + 1];
	snprintf(digits, sizeof(digits), "%016" PRIx64, identity);
	return identity != 0 ? json_string(digits) : NULL;
}

static json_t *histories(const struct histree_store_info *info)
{
	json_t *array = json_array();
	for (size_t i = 0; i < info->history_count; i++) {
		const struct histree_store_history *history = &info->histories[i];
		json_array_append_new(
			array, json_pack("{s:o, s:I, s:o, s:I, s:o*}", "analysis", text(history->analysis),
					 "version", (json_int_t)history->analysis_version, "file",
					 text(history->file), "refused", number(history->state_changes_refused),
					 "identity", identity_text(history->identity)));
	}
	return array;
}

static json_t *segments(const struct histree_store_info *info)
{
	json_t *array = json_array();
	for (size_t i = 0; i < info->segments_count; i++) {
		const struct histree_store_segments *store = &info->segments[i];
		json_array_append_new(
			array, json_pack("{s:o, s:I, s:o, s:I, s:I, s:o*}", "analysis", text(store->analysis),
					 "version", (json_int_t)store->analysis_version, "file", text(store->file),
					 "without_start", number(store->without_start), "without_end",
					 number(store->without_end), "identity", identity_text(store->identity)));
	}
	return array;
}

/* Options that few builds choose are said where they were chosen. */
static json_t *chosen(bool option)
{
	return option ? json_true() : NULL;
}

static json_t *chosen_texts(const char *const *strings, size_t count)
{
	return count > 0 ? texts(strings, count) : NULL;
}

char *manifest_encode(const struct histree_store_info *info)
{
	bool is_new = info->host_count > 0 || info->clock != NULL;
	json_t *root = json_pack(
		"{s:s, s:i, s:i, s:o, s:o, s:o*, s:o, s:o, s:o*, s:b, s:b, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
		"s:I, s:I, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*}",
		"format", "histree store", "version", is_new ? MANIFEST_VERSION_HOSTS : MANIFEST_VERSION,
		"oldest_reader", is_new ? MANIFEST_VERSION_HOSTS : MANIFEST_OLDEST_READER, "made_by",
		text(info->made_by), "traces", texts(info->traces, info->trace_count), "options",
		info->options != NULL ? text(info->options) : NULL, "histories", histories(info), "segments",
		segments(info), "events_index", identity_text(info->index_identity), "complete",
		(int)info->complete, "partial", (int)info->partial, "warnings",
		texts(info->warnings, info->warning_count), "events", number(info->event_count), "clock_steps_back",
		number(info->clock_steps_back), "discarded_events", number(info->discarded_events),
		"discarded_packets", number(info->discarded_packets), "repeated_packets",
		number(info->repeated_packets), "gaps", number(info->gap_count), "start", (json_int_t)info->start,
		"end", (json_int_t)info->end, "build_ns", (json_int_t)info->build_ns, "ignores_gaps",
		chosen(info->ignores_gaps), "null_empty_stacks", chosen(info->null_empty_stacks),
		"partial_histories", chosen(info->partial_histories), "checkpoint_events",
		info->checkpoint_events != 0 ? json_integer(number(info->checkpoint_events)) : NULL, "symbols",
		chosen_texts(info->symbols, info->symbol_count), "no_symbols", chosen(info->no_symbols), "host",
		info->host != NULL ? text(info->host) : NULL, "clock", manifest_encode_clock(info->clock), "hosts",
		manifest_encode_hosts(info));
	if (root == NULL)
		return NULL;
	char *json = json_dumps(root, JSON_INDENT(2));
	json_decref(root);
	return json;
}
