// SPDX-License-Identifier: MIT
/*
 * manifest.c - reads and writes manifest.json, with a checksum of its text, and bounds what a damaged or forged
 * manifest can make the reader do: names of files stay inside the folder, no two are the same, and lists have no
 * more entries than the text has room for.
 */
#include "store_folder/manifest.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/io.h"
#include "base/json_text.h"
#include "base/search.h"
#include "histree/store.h"

/* ---- manifest decode ----------------------------------------------------------------------------------------- */

static enum histree_status malformed(const char *path, const char *what, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': %s; build the store again", path, what);
}

static enum histree_status copy_text(const char *text, struct arena *arena, const char **out,
				     struct histree_error *error)
{
	*out = text != NULL ? arena_copy(arena, text, strlen(text)) : NULL;
	return text == NULL || *out != NULL ? HISTREE_OK : error_memory(error, "the manifest");
}

static enum histree_status decode_texts(const char *path, json_t *array, struct arena *arena,
					const char *const **out, size_t *count, struct histree_error *error)
{
	if (!json_is_array(array))
		return malformed(path, "a list of texts is not one", error);
	*count = json_array_size(array);
	const char **strings = arena_allocate(arena, (*count + 1) * sizeof(*strings), _Alignof(char *));
	if (strings == NULL)
		return error_memory(error, "the manifest");
	for (size_t i = 0; i < *count; i++) {
		const char *string = json_string_value(json_array_get(array, i));
		if (string == NULL)
			return malformed(path, "a list of texts holds something else", error);
		if (copy_text(string, arena, &strings[i], error) != HISTREE_OK)
			return HISTREE_ERR_MEMORY;
	}
	*out = strings;
	return HISTREE_OK;
}

/* What each history and segment store has. */
struct part {
	const char *analysis, *file;
	uint32_t version;
};

static enum histree_status take_part(const char *path, const char *analysis, const char *file, json_int_t version,
				     struct arena *arena, struct part *out, struct histree_error *error)
{
	if (strchr(file, '/') != NULL || file[0] == '.') /* it must not lead out of its folder */
		return malformed(path, "what an analysis made lies outside the store", error);
	if (version < 0 || version > UINT32_MAX)
		return malformed(path, "an analysis has a version that cannot be", error);
	out->version = (uint32_t)version;
	enum histree_status status = copy_text(analysis, arena, &out->analysis, error);
	return status == HISTREE_OK ? copy_text(file, arena, &out->file, error) : status;
}

/* Room for a list of the manifest, which has an entry for each analysis. */
static enum histree_status list_room(const char *path, json_t *array, struct arena *arena, size_t size,
				     size_t alignment, void **out, struct histree_error *error)
{
	if (array != NULL && !json_is_array(array))
		return malformed(path, "what the analyses made is not a list", error);
	if (json_array_size(array) > MANIFEST_ANALYSES_MAX)
		return malformed(path, "lists more than 256 histories or segment stores", error);
	*out = arena_allocate(arena, (json_array_size(array) + 1) * size, alignment);
	return *out != NULL ? HISTREE_OK : error_memory(error, "the manifest");
}

/* A malformed identity becomes a number, too, which hardly any file has. */
static uint64_t identity_number(const char *identity)
{
	return identity != NULL ? strtoull(identity, NULL, 16) : 0;
}

static enum histree_status decode_histories(const char *path, json_t *array, struct arena *arena,
					    struct histree_store_info *out, struct histree_error *error)
{
	void *room;
	enum histree_status status = list_room(path, array, arena, sizeof(struct histree_store_history),
					       _Alignof(struct histree_store_history), &room, error);
	if (status != HISTREE_OK)
		return status;
	struct histree_store_history *list = room;
	out->history_count = json_array_size(array);
	out->histories = list;
	for (size_t i = 0; status == HISTREE_OK && i < out->history_count; i++) {
		const char *analysis, *file;
		json_int_t version, refused;
		struct part part = { 0 };
		const char *identity = NULL; /* older stores do not say it */
		if (json_unpack(json_array_get(array, i), "{s:s, s:I, s:s, s:I, s?s}", "analysis", &analysis,
				"version", &version, "file", &file, "refused", &refused, "identity",
				&identity) != 0)
			return malformed(path, "a history lacks its analysis, version, file or count", error);
		status = take_part(path, analysis, file, version, arena, &part, error);
		if (status == HISTREE_OK)
			list[i] = (struct histree_store_history){ part.analysis, part.version, part.file,
								  (uint64_t)refused, identity_number(identity) };
	}
	return status;
}

static enum histree_status decode_segments(const char *path, json_t *array, struct arena *arena,
					   struct histree_store_info *out, struct histree_error *error)
{
	void *room;
	enum histree_status status = list_room(path, array, arena, sizeof(struct histree_store_segments),
					       _Alignof(struct histree_store_segments), &room, error);
	if (status != HISTREE_OK)
		return status;
	struct histree_store_segments *list = room;
	out->segments_count = json_array_size(array);
	out->segments = list;
	for (size_t i = 0; status == HISTREE_OK && i < out->segments_count; i++) {
		const char *analysis, *file;
		json_int_t version, without_start, without_end;
		struct part part = { 0 };
		const char *identity = NULL;
		if (json_unpack(json_array_get(array, i), "{s:s, s:I, s:s, s:I, s:I, s?s}", "analysis", &analysis,
				"version", &version, "file", &file, "without_start", &without_start, "without_end",
				&without_end, "identity", &identity) != 0)
			return malformed(path, "a segment store lacks its analysis, version, file or counts",
					 error);
		status = take_part(path, analysis, file, version, arena, &part, error);
		if (status == HISTREE_OK)
			list[i] = (struct histree_store_segments){
				part.analysis,           part.version,          part.file,
				(uint64_t)without_start, (uint64_t)without_end, identity_number(identity)
			};
	}
	return status;
}

/* One file read under many names would be work that no byte of the store stands for. */
static enum histree_status check_parts(const char *path, const struct histree_store_info *info,
				       struct histree_error *error)
{
	const char *files[2 * MANIFEST_ANALYSES_MAX], *of_histories[MANIFEST_ANALYSES_MAX],
		*of_segments[MANIFEST_ANALYSES_MAX];
	size_t count = 0;
	for (size_t i = 0; i < info->history_count; i++) {
		files[count++] = info->histories[i].file;
		of_histories[i] = info->histories[i].analysis;
	}
	for (size_t i = 0; i < info->segments_count; i++) {
		files[count++] = info->segments[i].file;
		of_segments[i] = info->segments[i].analysis;
	}
	if (text_repeated(files, count) != NULL)
		return malformed(path, "names one file for two analyses", error);
	if (text_repeated(of_histories, info->history_count) != NULL ||
	    text_repeated(of_segments, info->segments_count) != NULL)
		return malformed(path, "names one analysis twice", error);
	return HISTREE_OK;
}

/* A manifest of version 2 says of each file of a complete store which one it means. */
static enum histree_status check_identities(const char *path, const struct histree_store_info *info,
					    struct histree_error *error)
{
	bool has_all = true;
	for (size_t i = 0; i < info->history_count; i++)
		has_all = has_all && info->histories[i].identity != 0;
	for (size_t i = 0; i < info->segments_count; i++)
		has_all = has_all && info->segments[i].identity != 0;
	if (has_all || !info->complete || info->manifest_version < 2 || info->host_count > 0)
		return HISTREE_OK;
	return malformed(path, "does not say which files it means", error);
}

static enum histree_status check_version(const char *path, json_t *root, json_int_t *version,
					 struct histree_error *error)
{
	const char *format;
	json_int_t oldest;
	if (json_unpack(root, "{s:s, s:I, s:I}", "format", &format, "version", version, "oldest_reader", &oldest) !=
		    0 ||
	    strcmp(format, "histree store") != 0)
		return malformed(path, "is not the manifest of a histree store", error);
	if (*version < 1)
		return malformed(path, "has a version that cannot be", error);
	if (oldest > MANIFEST_VERSION_HOSTS)
		return error_set(
			error, HISTREE_ERR_VERSION,
			"'%s' is of version %lld, and this histree knows %d; use a newer one, or build the "
			"store again with this one",
			path, (long long)*version, MANIFEST_VERSION_HOSTS);
	return HISTREE_OK;
}

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
		return malformed(path, "a clock lacks something, or has it of another kind", error);
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
		return malformed(path, "has a clock that cannot be", error);
	*out = clock;
	return HISTREE_OK;
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
		return malformed(path, "a host lacks something, or has it of another kind", error);
	if (!host_folder_name(name, expected) || strcmp(expected, folder) != 0)
		return malformed(path, "a host has another folder than is its own", error);
	if (neighbour < 0 || (size_t)neighbour >= count || events < 0 || traces < 0)
		return malformed(path, "a host has a number that cannot be", error);
	*out = (struct histree_store_host){
		.trace_count = (size_t)traces,
		.neighbour = (size_t)neighbour,
		.start = start,
		.end = end,
		.event_count = (uint64_t)events,
		.identity = identity_number(identity),
	};
	enum histree_status status = copy_text(name, arena, &out->name, error);
	if (status == HISTREE_OK)
		status = copy_text(folder, arena, &out->folder, error);
	return status == HISTREE_OK ? decode_clock(path, clock, arena, &out->clock, error) : status;
}

/*
 * Take the members "host", "clock" and "hosts".  One store read under two names would be work that no byte stands
 * for.
 */
static enum histree_status decode_hosts(const char *path, json_t *root, struct arena *arena,
					struct histree_store_info *out, struct histree_error *error)
{
	json_t *name = json_object_get(root, "host"), *array = json_object_get(root, "hosts");
	if (name != NULL && !json_is_string(name))
		return malformed(path, "its host is no text", error);
	enum histree_status status = copy_text(json_string_value(name), arena, &out->host, error);
	if (status == HISTREE_OK)
		status = decode_clock(path, json_object_get(root, "clock"), arena, &out->clock, error);
	if (status != HISTREE_OK || array == NULL)
		return status;
	if (!json_is_array(array) || json_array_size(array) == 0 || json_array_size(array) > MANIFEST_HOSTS_MAX)
		return malformed(path, "its hosts are not a list, or none, or more than 10,000", error);
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
		status = malformed(path, "has another number of traces than its hosts", error);
	const char **names = calloc(count + 1, sizeof(*names));
	for (size_t i = 0; names != NULL && i < count; i++)
		names[i] = hosts[i].name;
	if (status == HISTREE_OK && names == NULL)
		status = error_memory(error, "the manifest");
	if (status == HISTREE_OK && text_repeated(names, count) != NULL)
		status = malformed(path, "names one host twice", error);
	free(names);
	return status;
}

enum histree_status manifest_decode(const char *path, json_t *root, struct arena *arena,
				    struct histree_store_info *out, struct histree_error *error)
{
	const char *made_by, *options = NULL, *index_identity = NULL;
	json_int_t version;
	enum histree_status status = check_version(path, root, &version, error);
	if (status != HISTREE_OK)
		return status;
	json_t *traces, *list, *warnings, *symbols = NULL, *lacking = NULL;
	int ignores_gaps = 0, null_stacks = 0, partial_histories = 0, no_symbols = 0;
	int complete = 1, partial; /* a manifest without this member belongs to a complete store */
	json_int_t events, steps, lost_events, lost_packets, repeated = 0, gaps = 0, checkpoint_events = 0, start,
							     end, build_ns;
	if (json_unpack(root,
			"{s:s, s?s, s?s, s:o, s:o, s?b, s:b, s:o, s:I, s:I, s:I, s:I, s?I, s?I, s:I, s:I, s:I, "
			"s?b, s?b, s?b, s?I, s?o, s?b, s?o}",
			"made_by", &made_by, "options", &options, "events_index", &index_identity, "traces",
			&traces, "histories", &list, "complete", &complete, "partial", &partial, "warnings",
			&warnings, "events", &events, "clock_steps_back", &steps, "discarded_events", &lost_events,
			"discarded_packets", &lost_packets, "repeated_packets", &repeated, "gaps", &gaps, "start",
			&start, "end", &end, "build_ns", &build_ns, "ignores_gaps", &ignores_gaps,
			"null_empty_stacks", &null_stacks, "partial_histories", &partial_histories,
			"checkpoint_events", &checkpoint_events, "symbols", &symbols, "no_symbols", &no_symbols,
			"lacking", &lacking) != 0)
		return malformed(path, "lacks something, or has it of another kind", error);
	if (events < 0 || gaps < 0 || build_ns < 0 || checkpoint_events < 0)
		return malformed(path, "has a count below zero", error);
	if (start > end)
		return malformed(path, "has a trace that ends before it starts", error);
	*out = (struct histree_store_info){
		.manifest_version = (uint32_t)version,
		.made_by = arena_copy(arena, made_by, strlen(made_by)),
		.options = options != NULL ? arena_copy(arena, options, strlen(options)) : NULL,
		.index_identity = identity_number(index_identity),
		.complete = complete != 0,
		.partial = partial != 0,
		.event_count = (uint64_t)events,
		.clock_steps_back = (uint64_t)steps,
		.discarded_events = (uint64_t)lost_events,
		.discarded_packets = (uint64_t)lost_packets,
		.repeated_packets = (uint64_t)repeated,
		.gap_count = (uint64_t)gaps,
		.ignores_gaps = ignores_gaps != 0,
		.null_empty_stacks = null_stacks != 0,
		.partial_histories = partial_histories != 0,
		.checkpoint_events = (uint64_t)checkpoint_events,
		.no_symbols = no_symbols != 0,
		.start = start,
		.end = end,
		.build_ns = build_ns,
	};
	if (out->made_by == NULL || (options != NULL && out->options == NULL))
		return error_memory(error, "the manifest");
	status = decode_texts(path, traces, arena, &out->traces, &out->trace_count, error);
	if (status == HISTREE_OK)
		status = decode_texts(path, warnings, arena, &out->warnings, &out->warning_count, error);
	if (status == HISTREE_OK && symbols != NULL)
		status = decode_texts(path, symbols, arena, &out->symbols, &out->symbol_count, error);
	if (status == HISTREE_OK && lacking != NULL)
		status = decode_texts(path, lacking, arena, &out->lacking, &out->lacking_count, error);
	if (status == HISTREE_OK)
		status = decode_histories(path, list, arena, out, error);
	if (status == HISTREE_OK) /* stores that were made before there were any have no such member */
		status = decode_segments(path, json_object_get(root, "segments"), arena, out, error);
	if (status == HISTREE_OK)
		status = decode_hosts(path, root, arena, out, error);
	if (status == HISTREE_OK)
		status = check_parts(path, out, error);
	return status == HISTREE_OK ? check_identities(path, out, error) : status;
}

/* ---- manifest encode ----------------------------------------------------------------------------------------- */

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
	char digits[16 + 1];
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

/* What a store says of its clock, and its hosts; NULL: it says nothing of that. */
static json_t *encode_clock(const struct histree_clock *clock)
{
	if (clock == NULL)
		return NULL;
	bool is_bounded = clock->error < HISTREE_CLOCK_UNBOUNDED;
	return json_pack("{s:I, s:I, s:I, s:I, s:s, s:o*, s:I, s:I}", "from", (json_int_t)clock->from, "to",
			 (json_int_t)clock->to, "fraction", (json_int_t)clock->fraction, "rate",
			 (json_int_t)clock->rate, "quality", histree_clock_quality_name(clock->quality), "error",
			 is_bounded ? json_real(clock->error) : NULL, "matches", number(clock->matches), "accurate",
			 number(clock->accurate));
}

static json_t *encode_host(const struct histree_store_host *host)
{
	bool has_times = host->start <= host->end;
	return json_pack("{s:s, s:I, s:s, s:o*, s:I, s:o*, s:o*, s:I, s:o*}", "name", host->name, "traces",
			 (json_int_t)host->trace_count, "folder", host->folder, "clock", encode_clock(host->clock),
			 "neighbour", (json_int_t)host->neighbour, "start",
			 has_times ? json_integer(host->start) : NULL, "end",
			 has_times ? json_integer(host->end) : NULL, "events", number(host->event_count),
			 "identity", identity_text(host->identity));
}

static json_t *encode_hosts(const struct histree_store_info *info)
{
	if (info->host_count == 0)
		return NULL;
	json_t *array = json_array();
	for (size_t i = 0; i < info->host_count; i++)
		json_array_append_new(array, encode_host(&info->hosts[i]));
	return array;
}

char *manifest_encode(const struct histree_store_info *info)
{
	bool is_new = info->host_count > 0 || info->clock != NULL;
	json_t *root = json_pack(
		"{s:s, s:i, s:i, s:o, s:o, s:o*, s:o, s:o, s:o*, s:b, s:b, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
		"s:I, s:I, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*}",
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
		chosen_texts(info->symbols, info->symbol_count), "no_symbols", chosen(info->no_symbols), "lacking",
		chosen_texts(info->lacking, info->lacking_count), "host",
		info->host != NULL ? text(info->host) : NULL, "clock", encode_clock(info->clock), "hosts",
		encode_hosts(info));
	if (root == NULL)
		return NULL;
	char *json = json_dumps(root, JSON_INDENT(2));
	json_decref(root);
	return json;
}

/* ---- manifest ------------------------------------------------------------------------------------------------ */

enum {
	MANIFEST_SIZE_MAX = 16 << 20,    /* of 10,000 traces with the longest of paths, and all their warnings */
	MANIFEST_MEMORY_MAX = 128 << 20, /* of its values as they are read */
};

/* ---- the checksum ---------------------------------------------------------------------------------------- */

/* The last member, for which the bytes before it were counted: so the text stays one that anything can read. */
#define SEAL ",\n  \"checksum\": \"%08" PRIx32 "\"\n}"
enum { SEAL_SIZE = sizeof(",\n  \"checksum\": \"01234567\"\n}") - 1 };

/* Returns the text with its checksum, which the caller frees, and frees that without; NULL if memory runs out. */
static char *seal(char *json)
{
	size_t size = json != NULL ? strlen(json) - strlen("\n}") : 0;
	char *sealed = json != NULL ? malloc(size + SEAL_SIZE + 2) : NULL;
	if (sealed != NULL) {
		memcpy(sealed, json, size);
		snprintf(sealed + size, SEAL_SIZE + 2, SEAL "\n", crc32c(0, json, size));
	}
	free(json);
	return sealed;
}

/* `is_sealed`: there is a checksum, which is right.  Older manifests have no checksum. */
static enum histree_status check_seal(const char *path, const char *bytes, size_t size, bool *is_sealed,
				      struct histree_error *error)
{
	char expected[SEAL_SIZE + 1];
	*is_sealed = false;
	while (size > 0 && isspace((unsigned char)bytes[size - 1]))
		size--;
	if (size < SEAL_SIZE)
		return HISTREE_OK;
	const char *found = bytes + size - SEAL_SIZE;
	snprintf(expected, sizeof(expected), SEAL, crc32c(0, bytes, size - SEAL_SIZE));
	size_t name_size = strcspn(expected, ":");
	if (memcmp(found, expected, name_size) != 0)
		return HISTREE_OK;
	*is_sealed = memcmp(found, expected, SEAL_SIZE) == 0;
	return *is_sealed ? HISTREE_OK
			  : malformed(path, "has another checksum than is right: it is damaged, or was changed",
				      error);
}

/* ---- writing --------------------------------------------------------------------------------------------- */

enum histree_status manifest_write(const struct io *io, const char *path, const struct histree_store_info *info,
				   struct histree_error *error)
{
	char *json = seal(manifest_encode(info));
	if (json == NULL)
		return error_memory(error, "the manifest");
	enum histree_status status = io_replace(io, path, json, strlen(json), error);
	if (status != HISTREE_OK)
		error_prefix(error, "'%s'", path);
	free(json);
	return status;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

static enum histree_status too_large(const char *path, const char *what, struct histree_error *error)
{
	return error_set(
		error, HISTREE_ERR_FORMAT,
		"'%s' has %s than any manifest; 'histree copy --repair' makes a store of what is beside it", path,
		what);
}

/* The size comes from the file, so the bytes are looked at before memory of that size is requested. */
static enum histree_status read_bytes_of(const struct io *io, const char *path, int file, char **bytes,
					 size_t *size, struct histree_error *error)
{
	off_t length = 0;
	if (io->size(io->context, file, &length) != 0)
		return error_set(error, HISTREE_ERR_IO, "'%s': cannot tell its size: %s", path, strerror(errno));
	if (length > MANIFEST_SIZE_MAX)
		return too_large(path, "more bytes", error);
	*size = (size_t)length;
	*bytes = malloc(*size + 1);
	if (*bytes == NULL)
		return error_memory(error, "the manifest");
	enum histree_status status = io_read_all(io, file, *bytes, *size, 0, error);
	if (status != HISTREE_OK)
		error_prefix(error, "'%s'", path);
	return status;
}

static enum histree_status parse(const char *path, const char *bytes, size_t size, json_t **root,
				 struct histree_error *error)
{
	json_error_t fault;
	*root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &fault);
	if (*root != NULL)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': line %d: %s", path, fault.line, fault.text);
}

static enum histree_status load(const struct io *io, const char *path, json_t **root, bool *is_sealed,
				struct histree_error *error)
{
	int file = io->open(io->context, path, O_RDONLY, 0);
	if (file < 0)
		return error_set(error, errno == ENOENT || errno == ENOTDIR ? HISTREE_NOT_FOUND : HISTREE_ERR_IO,
				 "cannot open '%s': %s", path, strerror(errno));
	char *bytes = NULL;
	size_t size = 0;
	enum histree_status status = read_bytes_of(io, path, file, &bytes, &size, error);
	io->close(io->context, file);
	if (status == HISTREE_OK && json_weight(bytes, size) > MANIFEST_MEMORY_MAX)
		status = too_large(path, "more in it", error);
	if (status == HISTREE_OK)
		status = check_seal(path, bytes, size, is_sealed, error);
	if (status == HISTREE_OK)
		status = parse(path, bytes, size, root, error);
	free(bytes);
	return status;
}

enum histree_status manifest_read(const struct io *io, const char *path, struct arena *arena,
				  struct histree_store_info *out, struct histree_error *error)
{
	json_t *root = NULL;
	bool is_sealed = false;
	enum histree_status status = load(io, path, &root, &is_sealed, error);
	if (status == HISTREE_OK)
		status = manifest_decode(path, root, arena, out, error);
	if (status == HISTREE_OK && out->manifest_version > 1 && !is_sealed)
		status = malformed(path, "lacks its checksum", error);
	json_decref(root);
	return status;
}

bool manifest_means_history(const struct histree_store_info *store, const struct histree_store_history *meant,
			    const struct histree_history_info *found)
{
	if (meant->identity == 0 || meant->identity == found->identity)
		return true;
	return !store->complete && found->complete && strcmp(found->provider, meant->analysis) == 0 &&
	       found->provider_version == meant->analysis_version && found->start == store->start;
}
