// SPDX-License-Identifier: MIT
/*
 * partial_file.c - the sink of a partial history, which keeps the states at each checkpoint; and the slices that
 * are made again from there.
 *
 * For the intervals that it leaves out, the sink keeps their number and a sum, with which the slices made again are
 * compared.
 *
 * A slice is made by a state system that starts with the states of a checkpoint and keeps the intervals that it
 * finishes; its states at the end are compared with those of the next checkpoint.
 */
#include "state/partial_file.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "base/table.h"
#include "histree/history.h"
#include "state/attributes.h"
#include "state/history.h"
#include "state/partial_section.h"
#include "state/state_file.h"
#include "state/state_system.h"
#include "store/block_file.h"
#include "tree/tree_iter.h"
#include "tree/tree_shape.h"

/* ---- partial file -------------------------------------------------------------------------------------------- */

/* The token of a state that began before the slice. */
static const uint32_t is_kept = UINT32_MAX;

/* What is known of the ongoing state of an attribute. */
struct begun {
	uint32_t slice;    /* in which it began */
	uint32_t replaced; /* the slice in which its value was replaced last, or it began: see before() */
};

struct partial_file {
	struct interval_sink file;
	histree_time start;
	bool leaves_out_nulls;
	struct begun *begun; /* by attribute, as far as any is known */
	size_t begun_count, begun_capacity;
	struct table table; /* of `begun` */
	struct partial_section section;
	size_t checkpoint_capacity, exception_capacity;
	struct arena memory; /* of knowledge and values */
};

static uint32_t now(const struct partial_file *partial)
{
	assert(partial->section.checkpoint_count > 0);
	return (uint32_t)partial->section.checkpoint_count - 1;
}

/* Attributes that were made since the last checkpoint are null since then, as far as this slice is concerned. */
static bool know_attributes(struct partial_file *partial, size_t count)
{
	if (!table_reserve(&partial->table, &partial->begun, &partial->begun_capacity, count))
		return false;
	assert(partial->begun_count <= partial->begun_capacity);
	while (partial->begun_count < count)
		partial->begun[partial->begun_count++] = (struct begun){ now(partial), now(partial) };
	return true;
}

/* ---- exceptions ---------------------------------------------------------------------------------------------- */

static enum histree_status add_exception(struct partial_file *partial, struct partial_exception exception,
					 struct histree_error *error)
{
	struct partial_section *section = &partial->section;
	struct histree_value *value = &exception.value;
	assert(exception.first <= exception.last && exception.last < section->checkpoint_count);
	assert(exception.since >= partial->start);
	if (!array_reserve(&section->exceptions, &partial->exception_capacity, section->exception_count + 1))
		return error_memory(error, "the checkpoints of a history");
	if (value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM) {
		value->bytes = arena_copy(&partial->memory, value->bytes, value->size);
		if (value->bytes == NULL)
			return error_memory(error, "the checkpoints of a history");
	}
	section->exceptions[section->exception_count++] = exception;
	return HISTREE_OK;
}

/*
 * The value of an ongoing state is replaced from its start on.  The file will have the new one: at the checkpoints
 * since the one before, it was this.
 */
static enum histree_status partial_replaced(void *context, histree_quark quark, histree_time since,
					    const struct histree_value *value, struct histree_error *error)
{
	struct partial_file *partial = context;
	if (!know_attributes(partial, (size_t)quark + 1))
		return error_memory(error, "the checkpoints of a history");
	struct begun *begun = &partial->begun[quark];
	uint32_t before = begun->replaced;
	begun->replaced = now(partial);
	if (before == now(partial))
		return HISTREE_OK;
	return add_exception(partial,
			     (struct partial_exception){ .quark = quark,
							 .first = before + 1,
							 .last = now(partial),
							 .since = since,
							 .value = *value,
							 .has_state = true },
			     error);
}

/*
 * A change was refused because of the type of the attribute: a system that begins at the last checkpoint must know
 * that type.
 */
static enum histree_status partial_refused(void *context, histree_quark quark, uint8_t fixed_type,
					   struct histree_error *error)
{
	struct partial_file *partial = context;
	struct partial_section *section = &partial->section;
	/* Those of this slice are the last ones. */
	for (size_t i = section->exception_count; i-- > 0 && section->exceptions[i].last == now(partial);)
		if (section->exceptions[i].quark == quark && !section->exceptions[i].has_state)
			return HISTREE_OK;
	return add_exception(partial,
			     (struct partial_exception){ .quark = quark,
							 .first = now(partial),
							 .last = now(partial),
							 .since = partial->start,
							 .fixed_type = fixed_type },
			     error);
}

/* Where a state was going on at checkpoints whose time is not its own, the file says something else of them. */
static enum histree_status note_odd_times(struct partial_file *partial, const struct histree_interval *interval,
					  struct histree_error *error)
{
	const struct partial_checkpoint *checkpoints = partial->section.checkpoints;
	uint32_t first = partial->begun[interval->quark].replaced + 1, last = now(partial);
	assert(first <= partial->section.checkpoint_count);
	if (first > last || (interval->start <= checkpoints[first].time && interval->end >= checkpoints[last].time))
		return HISTREE_OK;
	return add_exception(partial,
			     (struct partial_exception){ .quark = interval->quark,
							 .first = first,
							 .last = last,
							 .since = interval->start,
							 .value = interval->value,
							 .has_state = true },
			     error);
}

/* ---- intervals ----------------------------------------------------------------------------------------------- */

/* The interval began and ended in the slice: it is counted, and left out. */
static enum histree_status leave_out(struct partial_file *partial, const struct histree_interval *interval,
				     struct histree_error *error)
{
	struct partial_slice *slice = &partial->section.checkpoints[now(partial)].slice;
	bool is_implied = partial->leaves_out_nulls && interval->value.type == HISTREE_NULL &&
			  interval->start == partial->start;
	assert(interval->start <= interval->end && interval->start >= partial->start);
	uint64_t sum;
	if (!interval_sum(interval, &sum))
		return error_memory(error, "a value");
	slice->sum += sum;
	slice->interval_count++;
	if (!is_implied && interval->start < slice->from)
		slice->from = interval->start;
	if (!is_implied && interval->end > slice->to)
		slice->to = interval->end;
	return state_file_count(&partial->file, interval, error);
}

static enum histree_status partial_add(void *context, const struct histree_interval *interval,
				       struct histree_error *error)
{
	struct partial_file *partial = context;
	if (!know_attributes(partial, (size_t)interval->quark + 1))
		return error_memory(error, "the checkpoints of a history");
	struct begun *begun = &partial->begun[interval->quark];
	assert(begun->slice <= begun->replaced && begun->replaced <= now(partial));
	enum histree_status status;
	if (begun->slice == now(partial)) {
		status = leave_out(partial, interval, error);
	} else {
		status = note_odd_times(partial, interval, error);
		if (status == HISTREE_OK)
			status = partial->file.add(partial->file.context, interval, error);
	}
	begun->slice = begun->replaced = now(partial);
	return status;
}

/*
 * The state ended in this slice, in which its intervals may come still: only then can the slice that is made again
 * have them.
 */
static enum histree_status partial_withhold(void *context, const struct histree_interval *interval, uint32_t *token,
					    struct histree_error *error)
{
	struct partial_file *partial = context;
	if (!know_attributes(partial, (size_t)interval->quark + 1))
		return error_memory(error, "the checkpoints of a history");
	struct begun *begun = &partial->begun[interval->quark];
	assert(begun->replaced <= now(partial));
	enum histree_status status = HISTREE_OK;
	*token = begun->slice == now(partial) ? now(partial) : is_kept;
	/*
	 * Whatever the state turns out to be, this is its assumed value at the checkpoints during which it lasted.
	 */
	if (begun->replaced < now(partial))
		status = add_exception(partial,
				       (struct partial_exception){ .quark = interval->quark,
								   .first = begun->replaced + 1,
								   .last = now(partial),
								   .since = interval->start,
								   .value = interval->value,
								   .has_state = true },
				       error);
	begun->slice = begun->replaced = now(partial);
	return status;
}

static enum histree_status partial_add_late(void *context, const struct histree_interval *interval, uint32_t token,
					    struct histree_error *error)
{
	struct partial_file *partial = context;
	assert(token == is_kept || token <= now(partial));
	return token == now(partial) ? leave_out(partial, interval, error)
				     : partial->file.add(partial->file.context, interval, error);
}

enum histree_status partial_file_begin(struct partial_file *partial, const void *origin, size_t size,
				       struct histree_error *error)
{
	partial->section.origin = (uint8_t *)arena_copy(&partial->memory, origin, size);
	partial->section.origin_size = size;
	return partial->section.origin != NULL ? HISTREE_OK : error_memory(error, "the checkpoints of a history");
}

enum histree_status partial_file_checkpoint(struct partial_file *partial, const struct histree_state_system *system,
					    const void *knowledge, size_t size, struct histree_error *error)
{
	struct partial_section *section = &partial->section;
	uint32_t attribute_count = system->attributes.base.count;
	assert(section->checkpoint_count > 0 || attribute_count == 0);
	if (section->checkpoint_count > 0 && !know_attributes(partial, attribute_count))
		return error_memory(error, "the checkpoints of a history");
	const char *copy = arena_copy(&partial->memory, knowledge, size);
	if (copy == NULL ||
	    !array_reserve(&section->checkpoints, &partial->checkpoint_capacity, section->checkpoint_count + 1))
		return error_memory(error, "the checkpoints of a history");
	assert(section->checkpoint_count == 0 ||
	       section->checkpoints[section->checkpoint_count - 1].time <= system->current_end);
	assert(section->checkpoint_count == 0 ||
	       section->checkpoints[section->checkpoint_count - 1].attribute_count <= attribute_count);
	section->checkpoints[section->checkpoint_count++] = (struct partial_checkpoint){
		.time = system->current_end,
		.attribute_count = attribute_count,
		.slice = { .from = INT64_MAX, .to = INT64_MIN },
		.knowledge = (const uint8_t *)copy,
		.knowledge_size = size,
	};
	return HISTREE_OK;
}

/* ---- the file ------------------------------------------------------------------------------------------------ */

static enum histree_status partial_set_section(void *context, enum told_section section, const void *bytes,
					       size_t size, struct histree_error *error)
{
	const struct partial_file *partial = context;
	return partial->file.set_section(partial->file.context, section, bytes, size, error);
}

static void partial_closing(void *context, histree_time end)
{
	struct partial_file *partial = context;
	partial->file.closing(partial->file.context, end);
}

static enum histree_status partial_finish(void *context, const struct attribute_tree *attributes, histree_time end,
					  struct histree_error *error)
{
	struct partial_file *partial = context;
	return partial->file.finish(partial->file.context, attributes, end, error);
}

static enum histree_status partial_branch(void *context, bool publish, struct interval_sink *out,
					  struct histree_error *error)
{
	(void)context, (void)publish, (void)out;
	return error_set(error, HISTREE_ERR_ARGUMENT,
			 "a partial history cannot be published or opened while it is built");
}

static void partial_free(void *context)
{
	struct partial_file *partial = context;
	table_release(&partial->table, partial->begun);
	if (partial->file.free != NULL)
		partial->file.free(partial->file.context);
	free(partial->section.checkpoints);
	free(partial->section.exceptions);
	arena_release(&partial->memory);
	free(partial);
}

static enum histree_status write_section(void *context, struct block_file *file, struct histree_error *error)
{
	const struct partial_file *partial = context;
	size_t size;
	uint8_t *bytes = partial_section_encode(&partial->section, partial->start, &size);
	if (bytes == NULL)
		return error_memory(error, "the checkpoints of a history");
	enum histree_status status = block_file_section_put(file, SECTION_PARTIAL, bytes, size, error);
	free(bytes);
	return status;
}

enum histree_status partial_file_create_in(const struct io *io, const struct histree_history_options *options,
					   const struct state_shared *shared, struct histree_state_system **out,
					   struct partial_file **partial, struct histree_error *error)
{
	struct tree_options tree;
	*out = NULL;
	*partial = NULL;
	if (options->resume)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a partial history cannot be resumed: build it again");
	enum histree_status status = tree_options_resolve(&options->tree, options->start, &tree, error);
	if (status != HISTREE_OK)
		return status;
	struct partial_file *made = calloc(1, sizeof(*made));
	if (made == NULL)
		return error_memory(error, "a history file");
	made->start = options->start;
	made->leaves_out_nulls = tree.leaves_out_nulls;
	status = state_file_sink(io, options, shared, &made->file, error);
	if (status == HISTREE_OK) {
		made->table.space = made->file.tables;
		state_file_make_partial(&made->file, write_section, made);
		const struct interval_sink sink = {
			.tables = made->file.tables,
			.add = partial_add,
			.withhold = partial_withhold,
			.add_late = partial_add_late,
			.replaced = partial_replaced,
			.refused = partial_refused,
			.set_section = partial_set_section,
			.closing = partial_closing,
			.finish = partial_finish,
			.branch = partial_branch,
			.free = partial_free,
			.context = made,
			.value_size_max = made->file.value_size_max,
		};
		status = state_system_create(options->start, &sink, out, error);
	}
	if (status != HISTREE_OK) {
		partial_free(made);
		return status;
	}
	(*out)->null_empty_stacks = options->null_empty_stacks;
	*partial = made;
	return HISTREE_OK;
}

/* ---- slice maker --------------------------------------------------------------------------------------------- */

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

/* The ongoing states are those that the nodes have for its time. */
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
			"the partial history is damaged; build it again from the trace ('histree copy --rebuild')");
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
