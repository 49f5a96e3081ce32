// SPDX-License-Identifier: MIT
/*
 * peer_histree.c - histree itself, as any program uses it: a state system that takes whole intervals, as its peers
 * do, with every attribute by its name, and a query object that is used again and again.
 *
 * So it does more than its peers: it checks that an attribute's states follow one another, and keeps the names.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/number_text.h"
#include "cli/bench.h"
#include "peers/peer.h"

struct histree_peer {
	struct histree_history *history;
	struct bench_history asked;
};

static enum histree_status name_attribute(const struct interval_source *source, histree_quark quark,
					  struct histree_state_system *system, struct histree_error *error)
{
	char number[NUMBER_TEXT_SIZE];
	size_t size = number_format_unsigned(quark, number);
	char *name = number, *own = NULL;
	histree_quark parent = HISTREE_ROOT, made;
	if (source->attributes != NULL) {
		parent = histree_attributes_parent(source->attributes, quark);
		size = histree_attributes_name(source->attributes, quark, number, sizeof(number));
	}
	if (size >= sizeof(number)) {
		name = own = malloc(size + 1);
		if (own == NULL)
			return error_memory(error, "the name of an attribute");
		histree_attributes_name(source->attributes, quark, own, size + 1);
	}
	enum histree_status status = histree_state_child(system, parent, name, size, &made, error);
	free(own);
	if (status == HISTREE_OK && made != quark)
		return error_set(error, HISTREE_ERR_INTERNAL, "attribute %u became %u", quark, made);
	return status;
}

static enum histree_status fill(const struct interval_source *source, struct histree_state_system *system,
				struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (histree_quark quark = 0; quark < source->attribute_count && status == HISTREE_OK; quark++)
		status = name_attribute(source, quark, system, error);
	struct interval_cursor cursor;
	interval_cursor_begin(&cursor, source);
	for (interval_cursor_make(&cursor); status == HISTREE_OK && cursor.count > 0; interval_cursor_make(&cursor))
		status = histree_state_insert(system, cursor.made, cursor.count, NULL, error);
	if (status == HISTREE_OK)
		status = histree_state_close(system, source->end, error);
	return status;
}

static void histree_peer_free(void *self)
{
	struct histree_peer *peer = self;
	if (peer == NULL)
		return;
	bench_history_release(&peer->asked);
	histree_history_close(peer->history);
	free(peer);
}

static enum histree_status histree_peer_build(const struct peer_setup *setup, void **out,
					      struct histree_error *error)
{
	struct histree_peer *peer = calloc(1, sizeof(*peer));
	struct histree_state_system *system = NULL;
	char *path = NULL;
	enum histree_status status;
	*out = NULL;
	if (peer == NULL || asprintf(&path, "%s/history", setup->folder) < 0) {
		path = NULL;
		status = error_memory(error, "the history");
		goto out;
	}
	const struct histree_history_options wanted = {
		.path = path,
		.provider = "bench",
		.provider_version = 1,
		.start = setup->source->start,
		.tree = setup->tree,
	};
	status = histree_state_create(&wanted, &system, error);
	if (status == HISTREE_OK)
		status = fill(setup->source, system, error);
	histree_state_free(system);
	if (status == HISTREE_OK)
		status = histree_history_open(path,
					      &(struct histree_open_options){ .cache_bytes = setup->cache_bytes },
					      &peer->history, error);
	if (status == HISTREE_OK)
		status = bench_history_init(&peer->asked, peer->history, error);
out:
	free(path);
	if (status == HISTREE_OK)
		*out = peer;
	else
		histree_peer_free(peer);
	return status;
}

static enum histree_status histree_peer_ask(void *self, enum bench_shape shape,
					    const struct histree_region *question, struct bench_answer *answer,
					    struct histree_error *error)
{
	struct bench_engine engine = bench_history_engine(&((struct histree_peer *)self)->asked);
	return engine.ask(engine.self, shape, question, answer, error);
}

const struct peer peer_histree = {
	.name = "histree",
	.build = histree_peer_build,
	.ask = histree_peer_ask,
	.free = histree_peer_free,
};
