// SPDX-License-Identifier: MIT
/*
 * slice_maker.c - makes the slice between two checkpoints again: a state system with the states of the first one,
 * whose finished intervals are kept, and whose result is compared with the sum in the file.
 */
#include "state/slice_maker.h"

#include <stdlib.h>

#include "base/error.h"
#include "state/history.h"
#include "state/state_file.h"

static enum histree_status has_changed(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_TRACE,
			 "the trace is not the one that the history was built of; build it again");
}

/* ---- intervals ----------------------------------------------------------------------------------------------- */

/* It began and ended in the slice. */
static enum histree_status keep(struct slice_maker *maker, const struct histree_interval *interval,
				struct histree_error *error)
{
	uint64_t sum;
	if (!interval_sum(interval, &sum))
		return error_memory(error, "a value");
	maker->interval_count++;
	maker->sum += sum;
	bool is_null = interval->value.type == HISTREE_NULL;
	if (is_null && tree_reader_implies(history_tree(maker->history), interval))
		return HISTREE_OK;
	const struct partial_slice *slice = &maker->checkpoint->slice;
	if (interval->start < slice->from || interval->end > slice->to)
		return has_changed(error);
	return state_slice_add(&maker->slice, interval) ? HISTREE_OK : error_memory(error, "a part of a history");
}

/* Keep what began and ended in the slice, as the build left it out (partial_file.c). */
static enum histree_status slice_add(void *context, const struct histree_interval *interval,
				     struct histree_error *error)
{
	struct slice_maker *maker = context;
	bool has_begun = maker->has_begun[interval->quark];
	maker->has_begun[interval->quark] = true;
	return has_begun ? keep(maker, interval, error) : HISTREE_OK;
}

/* What is not decided before the slice ends, the file has. */
static enum histree_status withhold(void *context, const struct histree_interval *interval, uint32_t *token,
				    struct histree_error *error)
{
	struct slice_maker *maker = context;
	(void)error;
	*token = maker->has_begun[interval->quark];
	maker->has_begun[interval->quark] = true;
	return HISTREE_OK;
}

static enum histree_status add_late(void *context, const struct histree_interval *interval, uint32_t token,
				    struct histree_error *error)
{
	return token != 0 ? keep(context, interval, error) : HISTREE_OK;
}

static enum histree_status finish(void *context, const struct attribute_tree *attributes, histree_time end,
				  struct histree_error *error)
{
	(void)context, (void)attributes, (void)end, (void)error;
	return HISTREE_OK;
}

/* ---- the checkpoint ------------------------------------------------------------------------------------------ */

/* What was going on is what the nodes say of its time. */
static enum histree_status load_states(const struct slice_maker *maker, struct histree_state_system *system,
				       struct histree_error *error)
{
	const struct partial_checkpoint *checkpoint = maker->checkpoint;
	const struct histree_region region = { .from = checkpoint->time, .to = checkpoint->time };
	struct histree_interval interval;
	struct tree_iter *iter;
	enum histree_status status = tree_iter_create(history_tree(maker->history), &iter, error);
	if (status != HISTREE_OK)
		return status;
	tree_iter_start(iter, &region);
	while ((status = tree_iter_next(iter, &interval, error)) == HISTREE_OK)
		if (interval.quark < checkpoint->attribute_count &&
		    !state_resume_state(system, interval.quark, interval.start, &interval.value)) {
			status = error_memory(error, "a part of a history");
			break;
		}
	if (status == HISTREE_END && tree_iter_stats(iter).nodes_damaged > 0)
		status = error_set(
			error, HISTREE_ERR_FORMAT,
			"the partial history is damaged; build it again from the trace ('histree rebuild')");
	tree_iter_free(iter);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* Where the nodes say something else. */
static enum histree_status load_exceptions(const struct slice_maker *maker, size_t number,
					   struct histree_state_system *system, struct histree_error *error)
{
	const struct partial_section *partial = history_partial(maker->history);
	for (size_t i = 0; i < partial->exception_count; i++) {
		const struct partial_exception *exception = &partial->exceptions[i];
		if (exception->first > number || exception->last < number)
			continue;
		if (exception->has_state &&
		    !state_resume_state(system, exception->quark, exception->since, &exception->value))
			return error_memory(error, "a part of a history");
		if (!exception->has_state)
			state_resume_type(system, exception->quark, exception->fixed_type);
	}
	return HISTREE_OK;
}

enum histree_status slice_maker_begin(struct slice_maker *maker, struct histree_history *history,
				      const struct attribute_tree *names, size_t checkpoint, bool null_empty_stacks,
				      struct histree_state_system **out, struct histree_error *error)
{
	uint32_t count = names->base.count;
	*out = NULL;
	*maker = (struct slice_maker){
		.history = history,
		.checkpoint = &history_partial(history)->checkpoints[checkpoint],
		.has_begun = malloc((size_t)count + 1),
	};
	if (maker->has_begun == NULL)
		return error_memory(error, "a part of a history");
	for (uint32_t quark = 0; quark < count; quark++)
		maker->has_begun[quark] = quark >= maker->checkpoint->attribute_count;
	const struct interval_sink sink = {
		.add = slice_add,
		.withhold = withhold,
		.add_late = add_late,
		.finish = finish,
		.context = maker,
		.value_size_max = tree_reader_value_size_max(history_tree(history)),
	};
	enum histree_status status = state_resume(histree_history_info(history)->start, names, &sink, out, error);
	if (status != HISTREE_OK)
		return status;
	state_resume_options(*out, maker->checkpoint->time, null_empty_stacks);
	if (maker->checkpoint->attribute_count > 0)
		status = load_states(maker, *out, error);
	return status == HISTREE_OK ? load_exceptions(maker, checkpoint, *out, error) : status;
}

enum histree_status slice_maker_end(struct slice_maker *maker, struct histree_state_system *system,
				    struct state_slice *out, struct histree_error *error)
{
	const struct partial_slice *slice = &maker->checkpoint->slice;
	bool is_same = maker->interval_count == slice->interval_count && maker->sum == slice->sum;
	histree_state_free(system);
	free(maker->has_begun);
	if (out == NULL || !is_same) {
		state_slice_release(&maker->slice);
		return out == NULL ? HISTREE_OK : has_changed(error);
	}
	state_slice_sort(&maker->slice);
	*out = maker->slice;
	return HISTREE_OK;
}
