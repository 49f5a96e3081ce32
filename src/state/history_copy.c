// SPDX-License-Identifier: MIT
/*
 * A tree takes its intervals in the order of their ends, but a query gives them in no order.  So the time is cut
 * into slices, and the intervals that end in a slice are sorted and added; a slice with too many is cut in two.  A
 * loss that reaches the end of a slice stays open until the next slice shows whether it continues.
 */
#include "state/history_copy.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "state/attribute_section.h"
#include "state/history.h"
#include "state/state_file.h"
#include "tree/tree_iter.h"
#include "tree/tree_reader.h"

/* In a slice, unless it is a single time. */
enum { INTERVALS_MAX = 1 << 20 };

struct attribute_so_far {
	bool is_open;
	histree_time since;
	bool has_states; /* one was added, which ended then */
	histree_time end;
};

struct copying {
	struct histree_history *from;
	const struct histree_history_info *info;
	struct copy_part part;
	histree_quark *quarks; /* in the copy, by quark, in the same order; HISTREE_ROOT: it is not there */
	const struct copy_watch *watch;
	struct tree_iter *iter;
	struct interval_sink sink;
	struct histree_interval *intervals; /* that end in the slice */
	size_t count, capacity;
	struct arena values;
	struct tree_unknown unknown;   /* of the slice */
	struct attribute_so_far *open; /* by quark */
	struct histree_error *error;
};

COMPARE(by_end, struct histree_interval, BY(end) BY(quark))

static enum histree_status keep(struct copying *copying, const struct histree_interval *interval)
{
	if (!array_reserve(&copying->intervals, &copying->capacity, copying->count + 1))
		return error_memory(copying->error, "copying a history");
	struct histree_interval *copy = &copying->intervals[copying->count];
	*copy = *interval;
	if (interval->value.size > 0) {
		copy->value.bytes = arena_copy(&copying->values, interval->value.bytes, interval->value.size);
		if (copy->value.bytes == NULL)
			return error_memory(copying->error, "copying a history");
	}
	copying->count++;
	return HISTREE_OK;
}

/* The null that readers get for a folder is not copied: the copy has the folder, too. */
static bool is_of_folder(const struct copying *copying, const struct histree_interval *interval)
{
	return interval->value.type == HISTREE_NULL && interval->start == copying->info->start &&
	       interval->end == copying->info->end &&
	       histree_attributes_is_folder(histree_history_attributes(copying->from), interval->quark);
}

/* What the copy has of it.  Returns false if that is nothing. */
static bool cut(const struct copying *copying, struct histree_interval *interval)
{
	const struct copy_part *part = &copying->part;
	if (is_of_folder(copying, interval) || (part->rows != NULL && !part->rows[interval->quark]))
		return false;
	if (interval->start < part->from)
		interval->start = part->from;
	if (interval->end > part->to)
		interval->end = part->to;
	return true;
}

/* All that is readable and ends from one time to the other.  HISTREE_END: too much. */
static enum histree_status collect(struct copying *copying, histree_time from, histree_time to)
{
	struct histree_interval interval;
	enum histree_status status;
	copying->count = 0;
	arena_release(&copying->values);
	tree_iter_start(copying->iter, &(struct histree_region){ .from = from, .to = to });
	while ((status = tree_iter_next(copying->iter, &interval, copying->error)) == HISTREE_OK) {
		if (!cut(copying, &interval) || interval.end > to)
			continue;
		if (copying->count == INTERVALS_MAX && from < to)
			return HISTREE_END;
		status = keep(copying, &interval);
		if (status != HISTREE_OK)
			return status;
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- losses ---------------------------------------------------------------------------------------------- */

static enum histree_status lose(struct copying *copying, histree_quark quark, histree_time start, histree_time end)
{
	const struct histree_interval loss = {
		.start = start, .end = end, .quark = quark, .value = histree_unknown()
	};
	copying->watch->lost(copying->watch->context, &loss);
	return keep(copying, &loss);
}

/* An open loss does not go on in the slice that begins at `from`. */
static enum histree_status close_loss(struct copying *copying, histree_quark quark, histree_time from)
{
	struct attribute_so_far *open = &copying->open[quark];
	if (!open->is_open)
		return HISTREE_OK;
	open->is_open = false;
	return lose(copying, quark, open->since, from - 1);
}

static enum histree_status take_loss(struct copying *copying, const struct histree_interval *loss,
				     histree_time from, histree_time to)
{
	struct attribute_so_far *open = &copying->open[loss->quark];
	histree_time start = loss->start;
	if (start == from && open->is_open)
		start = open->since;
	else if (close_loss(copying, loss->quark, from) != HISTREE_OK)
		return HISTREE_ERR_MEMORY;
	open->is_open = loss->end == to && to < copying->part.to;
	open->since = start;
	return open->is_open ? HISTREE_OK : lose(copying, loss->quark, start, loss->end);
}

static enum histree_status add_losses(struct copying *copying, histree_time from, histree_time to)
{
	enum histree_status status =
		tree_unknown_find(history_tree(copying->from), &(struct histree_region){ .from = from, .to = to },
				  &copying->unknown, copying->error);
	size_t next = 0;
	for (histree_quark quark = 0; quark < copying->info->attribute_count && status == HISTREE_OK; quark++) {
		const bool is_left_out = copying->part.rows != NULL && !copying->part.rows[quark];
		while (is_left_out && next < copying->unknown.count &&
		       copying->unknown.intervals[next].quark == quark)
			next++;
		if (is_left_out)
			continue;
		bool has_first = next < copying->unknown.count && copying->unknown.intervals[next].quark == quark &&
				 copying->unknown.intervals[next].start == from;
		if (!has_first)
			status = close_loss(copying, quark, from);
		while (status == HISTREE_OK && next < copying->unknown.count &&
		       copying->unknown.intervals[next].quark == quark)
			status = take_loss(copying, &copying->unknown.intervals[next++], from, to);
	}
	return status;
}

/* ---- slices --------------------------------------------------------------------------------------------- */

/*
 * Readable and lost intervals are adjacent, whatever was damaged.  If they overlap, the history makes two
 * statements about one time, which only a forged history does: it cannot be known which of them is true, so no
 * sound history can be made from it.
 */
static enum histree_status check_abuts(struct copying *copying, const struct histree_interval *interval)
{
	struct attribute_so_far *open = &copying->open[interval->quark];
	if (open->has_states && (open->end == INT64_MAX || interval->start != open->end + 1))
		return error_set(copying->error, HISTREE_ERR_FORMAT,
				 "attribute %u has two states at a time: the history contradicts itself",
				 interval->quark);
	open->has_states = true;
	open->end = interval->end;
	return HISTREE_OK;
}

static enum histree_status add_intervals(struct copying *copying)
{
	enum histree_status status = HISTREE_OK;
	bool closing = false;
	if (copying->count > 0)
		qsort(copying->intervals, copying->count, sizeof(*copying->intervals), by_end);
	for (size_t i = 0; i < copying->count && status == HISTREE_OK; i++) {
		struct histree_interval *interval = &copying->intervals[i];
		if (interval->end == copying->part.to && !closing) {
			copying->sink.closing(copying->sink.context, interval->end);
			closing = true;
		}
		status = check_abuts(copying, interval);
		interval->quark = copying->quarks[interval->quark];
		if (status == HISTREE_OK)
			status = copying->sink.add(copying->sink.context, interval, copying->error);
	}
	return status;
}

/* Before the slice that begins at a time. */
static enum histree_status ask(const struct copying *copying, histree_time from)
{
	const struct copy_watch *watch = copying->watch;
	double whole = (double)copying->part.to - (double)copying->part.from;
	double share = whole > 0 ? ((double)from - (double)copying->part.from) / whole : 0;
	if (watch->go_on == NULL || watch->go_on(watch->context, share))
		return HISTREE_OK;
	return error_set(copying->error, HISTREE_ERR_CANCELLED, "cancelled");
}

static enum histree_status add_slice(struct copying *copying, histree_time from, histree_time to)
{
	enum histree_status status = ask(copying, from);
	if (status == HISTREE_OK)
		status = collect(copying, from, to);
	if (status == HISTREE_END) {
		histree_time middle = from + (histree_time)(((uint64_t)to - (uint64_t)from) / 2);
		status = add_slice(copying, from, middle);
		return status == HISTREE_OK ? add_slice(copying, middle + 1, to) : status;
	}
	if (status == HISTREE_OK)
		status = add_losses(copying, from, to);
	return status == HISTREE_OK ? add_intervals(copying) : status;
}

/* What is damaged is left behind: the copy is read with the labels and charts that are known of its provider. */
static enum histree_status copy_told(const struct copying *copying)
{
	enum histree_status status = HISTREE_OK;
	for (enum told_section i = 0; i < TOLD_SECTIONS && status == HISTREE_OK; i++) {
		uint8_t *bytes;
		size_t size;
		status = told_read_raw(told_kinds[i], history_file(copying->from), &bytes, &size, copying->error);
		if (status == HISTREE_OK)
			status = copying->sink.set_section(copying->sink.context, i, bytes, size, copying->error);
		free(bytes);
	}
	return status;
}

enum histree_status history_copy(const struct io *io, struct histree_history *from, const char *path,
				 const struct histree_tree_options *tree, const struct copy_part *part,
				 const struct copy_watch *watch, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(from);
	if (history_union_of(from) != NULL)
		return error_set(
			error, HISTREE_ERR_ARGUMENT,
			"a history of several hosts is copied host by host, each from the store of that host");
	if (info->partial)
		return error_set(
			error, HISTREE_ERR_ARGUMENT,
			"the history is partial: what it has left out is in its trace; build it again from "
			"that ('histree copy --rebuild')");
	struct copying copying = { .from = from,
				   .info = info,
				   .part = part != NULL ? *part
							: (struct copy_part){ info->start, info->end, NULL },
				   .watch = watch,
				   .error = error,
				   .quarks = calloc((size_t)info->attribute_count + 1, sizeof(*copying.quarks)),
				   .open = calloc((size_t)info->attribute_count + 1, sizeof(*copying.open)) };
	struct histree_history_options options = {
		.path = path,
		.provider = info->provider,
		.provider_version = info->provider_version,
		.start = copying.part.from,
		.tree = tree != NULL ? *tree
				     : (struct histree_tree_options){ .variant = info->variant,
								      .r_depth = info->r_depth,
								      .node_size = info->node_size,
								      .fan_out = info->fan_out,
								      .nulls = info->has_lifetimes
										       ? HISTREE_NULLS_LEFT_OUT
										       : HISTREE_NULLS_KEPT },
	};
	struct attribute_tree attributes;
	enum histree_status status = HISTREE_OK;
	attribute_tree_init(&attributes);
	if (copying.open == NULL || copying.quarks == NULL)
		status = error_memory(error, "copying a history");
	if (status == HISTREE_OK)
		status = attribute_copy_some(histree_history_attributes(from), copying.part.rows, &attributes,
					     copying.quarks, error);
	if (status == HISTREE_OK)
		status = tree_iter_create(history_tree(from), &copying.iter, error);
	if (status == HISTREE_OK)
		status = state_file_sink(io, &options, NULL, &copying.sink, error);
	/* What the other history says of its tree may be no tree that can be made. */
	if (status == HISTREE_ERR_ARGUMENT && tree == NULL) {
		options.tree =
			(struct histree_tree_options){ .variant = info->variant, .nulls = options.tree.nulls };
		status = state_file_sink(io, &options, NULL, &copying.sink, error);
	}
	if (status == HISTREE_OK) {
		tree_iter_keep_to_nodes(copying.iter);
		status = copy_told(&copying);
		if (status == HISTREE_OK && info->attribute_count > 0)
			status = add_slice(&copying, copying.part.from, copying.part.to);
		if (status == HISTREE_OK)
			status = copying.sink.finish(copying.sink.context, &attributes, copying.part.to, error);
		copying.sink.free(copying.sink.context);
	}
	attribute_tree_release(&attributes);
	tree_iter_free(copying.iter);
	tree_unknown_release(&copying.unknown);
	arena_release(&copying.values);
	free(copying.intervals);
	free(copying.open);
	free(copying.quarks);
	return status;
}
