// SPDX-License-Identifier: MIT
/*
 * manifest_decode.c - the JSON of a manifest becomes a struct.  Names of files stay inside the folder, no two are
 * the same, and lists have no more entries than the text has room for.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store_folder/manifest.h"
#include "store_folder/manifest_json.h"

enum histree_status manifest_malformed(const char *path, const char *what, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_FORMAT, "'%s': %s; build the store again", path, what);
}

static enum histree_status decode_texts(const char *path, json_t *array, struct arena *arena,
					const char *const **out, size_t *count, struct histree_error *error)
{
	if (!json_is_array(array))
		return manifest_malformed(path, "a list of texts is not one", error);
	*count = json_array_size(array);
	const char **strings = arena_allocate(arena, (*count + 1) * sizeof(*strings), _Alignof(char *));
	if (strings == NULL)
		return error_memory(error, "the manifest");
	for (size_t i = 0; i < *count; i++) {
		const char *string = json_string_value(json_array_get(array, i));
		if (string == NULL)
			return manifest_malformed(path, "a list of texts holds something else", error);
		strings[i] = arena_copy(arena, string, strlen(string));
		if (strings[i] == NULL)
			return error_memory(error, "the manifest");
	}
	*out = strings;
	return HISTREE_OK;
}

/* An untrusted store must not lead out of its folder. */
static bool stays_inside(const char *file)
{
	return strchr(file, '/') == NULL && file[0] != '.';
}

/* What each history and segment store has. */
struct part {
	const char *analysis, *file;
	uint32_t version;
};

static enum histree_status take_part(const char *path, const char *analysis, const char *file, json_int_t version,
				     struct arena *arena, struct part *out, struct histree_error *error)
{
	if (!stays_inside(file))
		return manifest_malformed(path, "what an analysis made lies outside the store", error);
	if (version < 0 || version > UINT32_MAX)
		return manifest_malformed(path, "an analysis has a version that cannot be", error);
	*out = (struct part){ arena_copy(arena, analysis, strlen(analysis)), arena_copy(arena, file, strlen(file)),
			      (uint32_t)version };
	return out->analysis != NULL && out->file != NULL ? HISTREE_OK : error_memory(error, "the manifest");
}

/* Room for a list of the manifest, which has an entry for each analysis. */
static enum histree_status list_room(const char *path, json_t *array, struct arena *arena, size_t size,
				     size_t alignment, void **out, struct histree_error *error)
{
	if (array != NULL && !json_is_array(array))
		return manifest_malformed(path, "what the analyses made is not a list", error);
	if (json_array_size(array) > MANIFEST_ANALYSES_MAX)
		return manifest_malformed(path, "lists more than 256 histories or segment stores", error);
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
		struct part part;
		const char *identity = NULL; /* older stores do not say it */
		if (json_unpack(json_array_get(array, i), "{s:s, s:I, s:s, s:I, s?s}", "analysis", &analysis,
				"version", &version, "file", &file, "refused", &refused, "identity",
				&identity) != 0)
			return manifest_malformed(path, "a history lacks its analysis, version, file or count",
						  error);
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
		struct part part;
		const char *identity = NULL;
		if (json_unpack(json_array_get(array, i), "{s:s, s:I, s:s, s:I, s:I, s?s}", "analysis", &analysis,
				"version", &version, "file", &file, "without_start", &without_start, "without_end",
				&without_end, "identity", &identity) != 0)
			return manifest_malformed(
				path, "a segment store lacks its analysis, version, file or counts", error);
		status = take_part(path, analysis, file, version, arena, &part, error);
		if (status == HISTREE_OK)
			list[i] = (struct histree_store_segments){
				part.analysis,           part.version,          part.file,
				(uint64_t)without_start, (uint64_t)without_end, identity_number(identity)
			};
	}
	return status;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool has_twice(const char **texts, size_t count)
{
	qsort(texts, count, sizeof(*texts), compare_texts);
	for (size_t i = 1; i < count; i++)
		if (strcmp(texts[i - 1], texts[i]) == 0)
			return true;
	return false;
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
	if (has_twice(files, count))
		return manifest_malformed(path, "names one file for two analyses", error);
	if (has_twice(of_histories, info->history_count) || has_twice(of_segments, info->segments_count))
		return manifest_malformed(path, "names one analysis twice", error);
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
	return manifest_malformed(path, "does not say which files it means", error);
}

static enum histree_status check_version(const char *path, json_t *root, json_int_t *version,
					 struct histree_error *error)
{
	const char *format;
	json_int_t oldest;
	if (json_unpack(root, "{s:s, s:I, s:I}", "format", &format, "version", version, "oldest_reader", &oldest) !=
		    0 ||
	    strcmp(format, "histree store") != 0)
		return manifest_malformed(path, "is not the manifest of a histree store", error);
	if (*version < 1)
		return manifest_malformed(path, "has a version that cannot be", error);
	if (oldest > MANIFEST_VERSION_HOSTS)
		return error_set(
			error, HISTREE_ERR_VERSION,
			"'%s' is of version %lld, and this histree knows %d; use a newer one, or build the "
			"store again with this one",
			path, (long long)*version, MANIFEST_VERSION_HOSTS);
	return HISTREE_OK;
}

enum histree_status manifest_decode(const char *path, json_t *root, struct arena *arena,
				    struct histree_store_info *out, struct histree_error *error)
{
	const char *made_by, *options = NULL, *index_identity = NULL;
	json_int_t version;
	enum histree_status status = check_version(path, root, &version, error);
	if (status != HISTREE_OK)
		return status;
	json_t *traces, *list, *warnings, *symbols = NULL;
	int ignores_gaps = 0, null_stacks = 0, partial_histories = 0, no_symbols = 0;
	int complete = 1, partial; /* a manifest that does not say is that of a complete store */
	json_int_t events, steps, lost_events, lost_packets, repeated = 0, gaps = 0, checkpoint_events = 0, start,
							     end, build_ns;
	if (json_unpack(root,
			"{s:s, s?s, s?s, s:o, s:o, s?b, s:b, s:o, s:I, s:I, s:I, s:I, s?I, s?I, s:I, s:I, s:I, "
			"s?b, s?b, s?b, s?I, s?o, s?b}",
			"made_by", &made_by, "options", &options, "events_index", &index_identity, "traces",
			&traces, "histories", &list, "complete", &complete, "partial", &partial, "warnings",
			&warnings, "events", &events, "clock_steps_back", &steps, "discarded_events", &lost_events,
			"discarded_packets", &lost_packets, "repeated_packets", &repeated, "gaps", &gaps, "start",
			&start, "end", &end, "build_ns", &build_ns, "ignores_gaps", &ignores_gaps,
			"null_empty_stacks", &null_stacks, "partial_histories", &partial_histories,
			"checkpoint_events", &checkpoint_events, "symbols", &symbols, "no_symbols",
			&no_symbols) != 0)
		return manifest_malformed(path, "lacks something, or has it of another kind", error);
	if (events < 0 || gaps < 0 || build_ns < 0 || checkpoint_events < 0)
		return manifest_malformed(path, "has a count below zero", error);
	if (start > end)
		return manifest_malformed(path, "has a trace that ends before it starts", error);
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
	if (status == HISTREE_OK)
		status = decode_histories(path, list, arena, out, error);
	if (status == HISTREE_OK) /* stores that were made before there were any have no such member */
		status = decode_segments(path, json_object_get(root, "segments"), arena, out, error);
	if (status == HISTREE_OK)
		status = manifest_decode_hosts(path, root, arena, out, error);
	if (status == HISTREE_OK)
		status = check_parts(path, out, error);
	return status == HISTREE_OK ? check_identities(path, out, error) : status;
}
