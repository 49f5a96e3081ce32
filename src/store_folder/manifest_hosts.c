// SPDX-License-Identifier: MIT
/*
 * manifest_hosts.c - what a manifest says of hosts and clocks.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store_folder/store_folder.h"
#include "store_folder/manifest.h"
#include "store_folder/manifest_json.h"

/* ---- writing --------------------------------------------------------------------------------------------- */

static json_int_t count_number(uint64_t count)
{
	return count <= INT64_MAX ? (json_int_t)count : INT64_MAX;
}

json_t *manifest_encode_clock(const struct histree_clock *clock)
{
	if (clock == NULL)
		return NULL;
	bool is_bounded = clock->error < HISTREE_CLOCK_UNBOUNDED;
	return json_pack("{s:I, s:I, s:I, s:I, s:s, s:o*, s:I, s:I}", "from", (json_int_t)clock->from, "to",
			 (json_int_t)clock->to, "fraction", (json_int_t)clock->fraction, "rate",
			 (json_int_t)clock->rate, "quality", histree_clock_quality_name(clock->quality), "error",
			 is_bounded ? json_real(clock->error) : NULL, "matches", count_number(clock->matches),
			 "accurate", count_number(clock->accurate));
}

static json_t *encode_host(const struct histree_store_host *host)
{
	char identity[MANIFEST_IDENTITY_DIGITS + 1];
	snprintf(identity, sizeof(identity), "%016" PRIx64, host->identity);
	bool has_times = host->start <= host->end;
	return json_pack("{s:s, s:I, s:s, s:o*, s:I, s:o*, s:o*, s:I, s:o*}", "name", host->name, "traces",
			 (json_int_t)host->trace_count, "folder", host->folder, "clock",
			 manifest_encode_clock(host->clock), "neighbour", (json_int_t)host->neighbour, "start",
			 has_times ? json_integer(host->start) : NULL, "end",
			 has_times ? json_integer(host->end) : NULL, "events", count_number(host->event_count),
			 "identity", host->identity != 0 ? json_string(identity) : NULL);
}

json_t *manifest_encode_hosts(const struct histree_store_info *info)
{
	if (info->host_count == 0)
		return NULL;
	json_t *array = json_array();
	for (size_t i = 0; i < info->host_count; i++)
		json_array_append_new(array, encode_host(&info->hosts[i]));
	return array;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

static bool read_quality(const char *name, enum histree_clock_quality *out)
{
	for (int quality = HISTREE_CLOCK_ABSENT; quality <= HISTREE_CLOCK_GIVEN; quality++) {
		*out = (enum histree_clock_quality)quality;
		if (strcmp(histree_clock_quality_name(*out), name) == 0)
			return true;
	}
	return false;
}

static enum histree_status decode_clock(const char *path, json_t *object, struct arena *arena,
					const struct histree_clock **out, struct histree_error *error)
{
	json_int_t from, to, fraction, rate, matches, accurate;
	const char *quality;
	json_t *bound = NULL;
	*out = NULL;
	if (object == NULL)
		return HISTREE_OK;
	if (json_unpack(object, "{s:I, s:I, s:I, s:I, s:s, s?o, s:I, s:I}", "from", &from, "to", &to, "fraction",
			&fraction, "rate", &rate, "quality", &quality, "error", &bound, "matches", &matches,
			"accurate", &accurate) != 0)
		return manifest_malformed(path, "a clock lacks something, or has it of another kind", error);
	struct histree_clock *clock = arena_allocate(arena, sizeof(*clock), _Alignof(struct histree_clock));
	if (clock == NULL)
		return error_memory(error, "the manifest");
	*clock = (struct histree_clock){
		.from = from,
		.to = to,
		.fraction = (uint32_t)fraction,
		.rate = rate,
		.error = bound != NULL ? json_number_value(bound) : HISTREE_CLOCK_UNBOUNDED,
		.matches = (uint64_t)matches,
		.accurate = (uint64_t)accurate,
	};
	bool is_real = bound == NULL || (json_is_number(bound) && clock->error >= 0);
	if (!read_quality(quality, &clock->quality) || !is_real || fraction < 0 || fraction > UINT32_MAX ||
	    matches < 0 || accurate < 0 || rate < -(INT64_C(1) << 61) || rate > INT64_C(1) << 62)
		return manifest_malformed(path, "has a clock that cannot be", error);
	*out = clock;
	return HISTREE_OK;
}

static enum histree_status copy_text(const char *text, struct arena *arena, const char **out,
				     struct histree_error *error)
{
	*out = text != NULL ? arena_copy(arena, text, strlen(text)) : NULL;
	return text == NULL || *out != NULL ? HISTREE_OK : error_memory(error, "the manifest");
}

/* An untrusted store must not lead out of its folder: a host has only one possible folder. */
static enum histree_status decode_host(const char *path, json_t *object, size_t count, struct arena *arena,
				       struct histree_store_host *out, struct histree_error *error)
{
	const char *name, *folder, *identity = NULL;
	json_t *clock = NULL;
	json_int_t traces, neighbour, start = 0, end = -1, events;
	char expected[HOST_FOLDER_SIZE];
	if (json_unpack(object, "{s:s, s:I, s:s, s?o, s:I, s?I, s?I, s:I, s?s}", "name", &name, "traces", &traces,
			"folder", &folder, "clock", &clock, "neighbour", &neighbour, "start", &start, "end", &end,
			"events", &events, "identity", &identity) != 0)
		return manifest_malformed(path, "a host lacks something, or has it of another kind", error);
	if (!host_folder_name(name, expected) || strcmp(expected, folder) != 0)
		return manifest_malformed(path, "a host has another folder than is its own", error);
	if (neighbour < 0 || (size_t)neighbour >= count || events < 0 || traces < 0)
		return manifest_malformed(path, "a host has a number that cannot be", error);
	*out = (struct histree_store_host){
		.trace_count = (size_t)traces,
		.neighbour = (size_t)neighbour,
		.start = start,
		.end = end,
		.event_count = (uint64_t)events,
		.identity = identity != NULL ? strtoull(identity, NULL, 16) : 0,
	};
	enum histree_status status = copy_text(name, arena, &out->name, error);
	if (status == HISTREE_OK)
		status = copy_text(folder, arena, &out->folder, error);
	return status == HISTREE_OK ? decode_clock(path, clock, arena, &out->clock, error) : status;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* One store read under two names would be work that no byte stands for. */
static enum histree_status check_names(const char *path, const struct histree_store_info *info,
				       struct histree_error *error)
{
	const char **names = calloc(info->host_count + 1, sizeof(*names));
	bool is_twice = false;
	if (names == NULL)
		return error_memory(error, "the manifest");
	for (size_t i = 0; i < info->host_count; i++)
		names[i] = info->hosts[i].name;
	qsort(names, info->host_count, sizeof(*names), compare_names);
	for (size_t i = 1; i < info->host_count; i++)
		is_twice = is_twice || strcmp(names[i - 1], names[i]) == 0;
	free(names);
	return is_twice ? manifest_malformed(path, "names one host twice", error) : HISTREE_OK;
}

enum histree_status manifest_decode_hosts(const char *path, json_t *root, struct arena *arena,
					  struct histree_store_info *out, struct histree_error *error)
{
	json_t *name = json_object_get(root, "host"), *array = json_object_get(root, "hosts");
	if (name != NULL && !json_is_string(name))
		return manifest_malformed(path, "its host is no text", error);
	enum histree_status status = copy_text(json_string_value(name), arena, &out->host, error);
	if (status == HISTREE_OK)
		status = decode_clock(path, json_object_get(root, "clock"), arena, &out->clock, error);
	if (status != HISTREE_OK || array == NULL)
		return status;
	if (!json_is_array(array) || json_array_size(array) == 0 || json_array_size(array) > MANIFEST_HOSTS_MAX)
		return manifest_malformed(path, "its hosts are not a list, or none, or more than 10,000",
					  error);
	size_t count = json_array_size(array);
	struct histree_store_host *hosts =
		arena_allocate(arena, count * sizeof(*hosts), _Alignof(struct histree_store_host));
	if (hosts == NULL)
		return error_memory(error, "the manifest");
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		status = decode_host(path, json_array_get(array, i), count, arena, &hosts[i], error);
	out->hosts = hosts;
	out->host_count = count;
	size_t traces = 0;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		traces += hosts[i].trace_count;
	if (status == HISTREE_OK && traces != out->trace_count)
		status = manifest_malformed(path, "has another number of traces than its hosts", error);
	return status == HISTREE_OK ? check_names(path, out, error) : status;
}
