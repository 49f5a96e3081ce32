// SPDX-License-Identifier: MIT
/*
 * history.c - an open history in a file, whose tree and sections must agree, and its properties.
 *
 * Files beside it, and histories that are not a file, are added by the files above (history_open.c,
 * history_union.c); closing releases all of it.  Labels and charts are read at the first question about them.
 */
#include "state/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/io.h"
#include "base/table.h"
#include "histree/history.h"
#include "state/attribute_section.h"
#include "state/attributes.h"
#include "state/charts.h"
#include "state/history_inside.h"
#include "state/history_sections.h"
#include "state/history_union.h"
#include "state/labels.h"
#include "state/pyramid.h"
#include "store/block_file.h"
#include "store/overview_faults.h"
#include "tree/tree_reader.h"

/* ---- attributes verify --------------------------------------------------------------------------------------- */

uint64_t attributes_verify(const struct histree_attributes *attributes,
			   void (*report)(void *context, const char *fault), void *context)
{
	const struct attribute_source *source = attributes->source;
	struct attribute_range near = { 0 };
	uint64_t faults = 0;
	uint32_t walked = 0;
	char text[120];
	for (histree_quark quark = attributes_next(attributes, HISTREE_ROOT, HISTREE_ROOT, &near);
	     quark != HISTREE_ROOT; quark = attributes_next(attributes, HISTREE_ROOT, quark, &near)) {
		struct attribute_name name = source->name(attributes, quark, &near);
		histree_quark parent = source->parent(attributes, quark, &near);
		bool named = name.text == NULL || name.size > 0;
		if (name.text != NULL) /* as a search for it reads it */
			name = attribute_name(name.text, name.size);
		walked++;
		if (named && source->child(attributes, parent, &name, NULL) == quark)
			continue;
		snprintf(text, sizeof(text), "attribute %" PRIu32 ": %s", quark,
			 named ? "its name does not lead to it" : "it has no name");
		report(context, text);
		faults++;
	}
	if (walked < attributes->count) {
		snprintf(text, sizeof(text), "of %" PRIu32 " attributes only %" PRIu32 " are below one another",
			 attributes->count, walked);
		report(context, text);
		faults++;
	}
	return faults;
}

/* ---- history ------------------------------------------------------------------------------------------------- */

const struct told_kind *const told_kinds[TOLD_SECTIONS] = { &told_labels, &told_charts };

static enum histree_status load_attributes(struct histree_history *history, struct histree_error *error)
{
	uint8_t *bytes = NULL;
	size_t size;
	enum histree_status status = block_file_section(history->file, SECTION_ATTRIBUTES, &bytes, &size, error);
	if (status != HISTREE_OK)
		return status;
	status = attribute_view_open(&history->attributes, bytes, size, error);
	uint32_t key_count = history->reader->shape.key_count;
	if (status == HISTREE_OK && history->attributes.base.count != key_count)
		status = error_set(error, HISTREE_ERR_FORMAT,
				   "%" PRIu32 " attributes, but the tree was made for %" PRIu32,
				   history->attributes.base.count, key_count);
	if (status != HISTREE_OK) {
		error_prefix(error, "'%s': section ATTR", history->file->path);
		return status;
	}
	history->info.attribute_count = history->attributes.base.count;
	history->info.attribute_bytes = size;
	return HISTREE_OK;
}

static enum histree_status load_folders(struct histree_history *history, struct histree_error *error)
{
	struct folder_list *folders = &history->attributes.folders;
	enum histree_status status =
		folder_section_load(history->file, history->attributes.base.count, folders, error);
	history->info.folder_count = (uint32_t)folders->count;
	return status;
}

static enum histree_status load_provider(struct histree_history *history, struct histree_error *error)
{
	uint8_t *bytes = NULL;
	size_t size;
	enum histree_status status = block_file_section(history->file, SECTION_PROVIDER, &bytes, &size, error);
	if (status != HISTREE_OK)
		return status;
	struct provider provider;
	status = provider_section_load(&provider, bytes, size, error);
	free(bytes);
	if (status != HISTREE_OK) {
		error_prefix(error, "'%s': section PROV", history->file->path);
		return status;
	}
	_Static_assert(sizeof(history->info.provider) == sizeof(provider.name), "one name, one size");
	memcpy(history->info.provider, provider.name, sizeof(provider.name));
	history->info.provider_version = provider.version;
	return HISTREE_OK;
}

static enum histree_status load_partial(struct histree_history *history, struct histree_error *error)
{
	uint8_t *bytes = NULL;
	size_t size;
	if (!history->reader->shape.is_partial)
		return HISTREE_OK;
	enum histree_status status = block_file_section(history->file, SECTION_PARTIAL, &bytes, &size, error);
	if (status != HISTREE_OK)
		return status;
	status = partial_section_decode(bytes, size, history->info.start, history->info.attribute_count,
					&history->partial, error);
	if (status != HISTREE_OK)
		error_prefix(error, "'%s': section PART", history->file->path);
	history->info.partial = true;
	history->info.checkpoint_count = history->partial.checkpoint_count;
	history->info.checkpoint_bytes = size;
	return status;
}

/* Whether something is damaged that a salvaged history can do without. */
static bool is_lost(enum histree_status status, bool salvage)
{
	return salvage && (status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_IO);
}

/*
 * A salvaged history is there to be written anew, so all of its names must be valid.  Others are checked as they
 * are asked for.
 */
static enum histree_status check_names(struct histree_history *history, struct histree_error *error)
{
	struct attribute_tree tree;
	enum histree_status status = attribute_copy_to_tree(&history->attributes.base, &tree, error);
	if (status == HISTREE_OK)
		attribute_tree_release(&tree);
	history->lost_names = status == HISTREE_ERR_FORMAT;
	return status;
}

/* Make names in place of lost ones. */
static enum histree_status make_names(struct histree_history *history, struct histree_error *error)
{
	uint32_t count = history->reader->shape.key_count;
	if (count > ATTRIBUTE_COUNT_MAX)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s': %" PRIu32 " attributes: too many",
				 history->file->path, count);
	struct attribute_tree tree;
	attribute_tree_init(&tree);
	attribute_view_release(&history->attributes);
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < count && status == HISTREE_OK; i++) {
		char name[16];
		histree_quark quark;
		int size = snprintf(name, sizeof(name), "?%" PRIu32, i);
		status = attribute_tree_add(&tree, HISTREE_ROOT, name, (size_t)size, &quark, error);
	}
	if (status == HISTREE_OK)
		status = attribute_copy_to_view(&tree, &history->attributes, error);
	attribute_tree_release(&tree);
	history->info.attribute_count = history->attributes.base.count;
	return status;
}

enum histree_status history_open_file(struct block_file *file, const struct histree_open_options *options,
				      struct histree_history **out, struct histree_error *error)
{
	*out = NULL;
	size_t cache_bytes = options == NULL ? 0 : options->cache_bytes;
	bool salvage = options != NULL && options->salvage;
	if (cache_bytes == 0)
		cache_bytes = HISTORY_CACHE_BYTES;
	struct histree_history *history = calloc(1, sizeof(*history));
	if (history == NULL) {
		block_file_close(file);
		return error_memory(error, "a history");
	}
	attribute_view_init(&history->attributes);
	history->file = file;
	history->told = told_slots_create();
	enum histree_status status =
		history->told == NULL
			? error_memory(error, "a history")
			: tree_reader_open(file, cache_bytes, salvage ? TREE_SALVAGE : 0, &history->reader, error);
	if (status == HISTREE_OK) {
		tree_reader_info(history->reader, &history->info);
		history->info.complete = !history->file->is_tail;
		history->info.identity = block_file_identity(history->file);
		status = load_attributes(history, error);
	}
	if (status == HISTREE_OK && salvage)
		status = check_names(history, error);
	if (history->reader != NULL && is_lost(status, salvage))
		status = make_names(history, error);
	if (status == HISTREE_OK) {
		status = load_folders(history, error);
		if (is_lost(status, salvage)) /* then they are attributes that are null */
			status = HISTREE_OK;
	}
	if (status == HISTREE_OK)
		status = load_provider(history, error);
	if (history->reader != NULL && is_lost(status, salvage))
		status = HISTREE_OK;
	if (status == HISTREE_OK)
		status = load_partial(history, error);
	if (status != HISTREE_OK) {
		histree_history_close(history);
		return status;
	}
	*out = history;
	return HISTREE_OK;
}

void pyramid_drop_levels(struct pyramid *pyramid, uint32_t count)
{
	while (pyramid->level_count > count) {
		assert(pyramid->level_count <= PYRAMID_LEVELS_MAX);
		struct pyramid_level *level = &pyramid->levels[--pyramid->level_count];
		if (pyramid->level_count == 0 || level->history != level[-1].history)
			histree_history_close(level->history);
		free(level->entries);
		*level = (struct pyramid_level){ 0 };
	}
}

void histree_history_close(struct histree_history *history)
{
	if (history == NULL)
		return;
	if (history->hosts != NULL) {
		for (uint32_t i = 0; i < history->hosts->host_count; i++)
			histree_history_close(history->hosts->hosts[i].history);
		arena_release(&history->hosts->texts);
		free(history->hosts->hosts);
		free(history->hosts->folders);
		free(history->hosts->by_name);
		free(history->hosts->nodes_at_height);
		free(history->hosts);
	}
	for (unsigned id = 0; id < PYRAMIDS; id++)
		pyramid_drop_levels(&history->pyramids[id], 0);
	if (history->slices.free != NULL)
		history->slices.free(history->slices.context);
	partial_section_release(&history->partial);
	told_slots_free(history->told);
	tree_reader_close(history->reader);
	block_file_close(history->file);
	attribute_view_release(&history->attributes);
	free(history->nodes_at_height);
	if (history->source.free != NULL)
		history->source.free(history->source.context);
	free(history);
}

const struct histree_history_info *histree_history_info(const struct histree_history *history)
{
	return &history->info;
}

const struct histree_attributes *histree_history_attributes(const struct histree_history *history)
{
	return history->hosts != NULL ? &history->hosts->attributes : &history->attributes.base;
}

struct tree_reader *history_tree(struct histree_history *history)
{
	return history->reader;
}

const char *history_path(const struct histree_history *history)
{
	return history->file != NULL ? history->file->path : "";
}

const struct history_union *history_union_of(const struct histree_history *history)
{
	return history->hosts;
}

const struct histree_history *history_of_host(const struct histree_history *history, histree_quark *quark)
{
	if (history->hosts == NULL)
		return history;
	const struct histree_history_host *host =
		&history->hosts->hosts[history_union_host(history->hosts, *quark)];
	bool is_in = *quark - host->folder - 1 < host->count;
	*quark -= host->folder + 1;
	return is_in ? host->history : NULL;
}

const struct histree_history_source *history_source_of(const struct histree_history *history, uint32_t *part)
{
	*part = history->source_part;
	return history->source.cursor_create != NULL ? &history->source : NULL;
}

struct block_file *history_file(const struct histree_history *history)
{
	return history->file;
}

struct told_slots *history_told(const struct histree_history *history)
{
	return history->told;
}

const struct pyramid *history_pyramid(const struct histree_history *history, enum pyramid_id id)
{
	return &history->pyramids[id];
}

const struct partial_section *history_partial(const struct histree_history *history)
{
	return history->info.partial && history->hosts == NULL ? &history->partial : NULL;
}

void history_attach_slices(struct histree_history *history, const struct history_slices *slices)
{
	history->slices = *slices;
}

const struct history_slices *history_slices(const struct histree_history *history)
{
	return history->slices.hold != NULL ? &history->slices : NULL;
}

struct section_faults {
	void (*report)(void *context, const char *fault);
	void *context;
	uint64_t count;
};

static void report_section(void *context, const char *fault)
{
	struct section_faults *faults = context;
	faults->count++;
	faults->report(faults->context, fault);
}

/* Each slice is made again; the sum tells whether it is what was built. */
static enum histree_status verify_slices(const struct histree_history *history, struct section_faults *faults,
					 struct histree_error *error)
{
	const struct history_slices *slices = history_slices(history);
	for (size_t i = 0; slices != NULL && i < history->partial.checkpoint_count; i++) {
		const struct state_slice *slice;
		char fault[sizeof(error->message) + 32];
		struct histree_error refusal = { 0 };
		enum histree_status status = slices->hold(slices->context, i, &slice, &refusal);
		if (status == HISTREE_ERR_MEMORY)
			return error_set(error, status, "%s", refusal.message);
		if (status == HISTREE_OK) {
			slices->release(slices->context, slice);
			continue;
		}
		snprintf(fault, sizeof(fault), "slice %zu: %s", i, refusal.message);
		report_section(faults, fault);
		if (status != HISTREE_ERR_FORMAT) /* the trace is another one, or gone */
			break;
	}
	return HISTREE_OK;
}

enum histree_status history_verify_file(struct histree_history *history,
					void (*report)(void *context, const char *fault), void *context,
					struct histree_error *error)
{
	struct section_faults faults = { .report = report, .context = context };
	enum histree_status status = block_file_check(history->file, report_section, &faults, error);
	if (status != HISTREE_OK)
		return status;
	if (history->lost_names)
		report_section(&faults, "section ATTR: its checksum is right, but its names contradict each other");
	faults.count += attributes_verify(&history->attributes.base, report, context);
	for (unsigned i = 0; i < TOLD_SECTIONS && status == HISTREE_OK; i++)
		status = told_verify(told_kinds[i], history->file, report_section, &faults, error);
	if (status == HISTREE_OK)
		status = tree_verify(history->reader, report, context, error);
	if (status == HISTREE_OK)
		status = verify_slices(history, &faults, error);
	if (status == HISTREE_OK && faults.count > 0)
		status = error_set(error, HISTREE_ERR_FORMAT, "'%s': %" PRIu64 " fault%s outside the nodes",
				   history->file->path, faults.count, faults.count == 1 ? "" : "s");
	return status;
}

enum histree_status histree_history_nodes(struct histree_history *history,
					  bool (*visit)(void *context, const struct histree_node *node),
					  void *context, struct histree_error *error)
{
	if (history->hosts != NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a history of several hosts has a tree for each of them; open the store of one "
				 "host, which is a folder inside that of all");
	if (history->reader == NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT, "the nodes of the history are where its source is");
	return tree_nodes(history->reader, visit, context, error);
}
