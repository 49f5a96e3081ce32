// SPDX-License-Identifier: MIT
/*
 * digest_writer.c - a history goes by in windows of time; in each, the states of one attribute after the other are
 * made fewer (digest_cells.h), and what comes of it goes into a new history by its end.  Nothing but a window is in
 * memory.
 */
#include "pipeline/digest_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/error.h"
#include "base/radix_sort.h"
#include "histree/query.h"
#include "pipeline/digest_cells.h"
#include "query/value_table.h"
#include "state/attribute_tree.h"
#include "state/history.h"
#include "state/state_file.h"

enum {
	READ_AT_ONCE = 512,
	WIDTH_STEP_LOG2 = 2,
	ATTRIBUTES_MAX = 1 << 18,
};

/* An attribute of the history being read that goes into the digest being made. */
struct digested {
	histree_quark source; /* in what is read */
	histree_quark quark;  /* in the history that has the digests */
	histree_quark own;    /* in the digest */
	uint32_t width_log2;
	uint64_t states; /* in the digest */
};

struct writer {
	const struct io *io;
	const char *path; /* of the history that has the digests */
	char *name;       /* room for that of a digest: there must be some when memory is out */
	struct digest_options options;
	struct histree_history_info of;

	/* What is read. */
	struct histree_history *source;
	struct histree_query *query;
	struct digested *digested; /* by `source` */
	uint32_t digested_count;
	size_t digested_capacity;
	uint64_t source_states; /* of these */
	unsigned steps;         /* that are done: counting, and digests */

	/* A window. */
	histree_time from, to;
	struct value_table values;
	struct digest_state *states, *sorted;
	size_t state_count, states_capacity, sorted_capacity;
	struct keyed_index *order, *spare;
	size_t order_capacity, spare_capacity;
	struct digest_cells cells;

	struct interval_sink sink; /* the digest */
	struct attribute_tree attributes;
};

/* ---- which attributes ------------------------------------------------------------------------------------ */

/* In place of a count: an attribute whose values could be mistaken for a rest. */
#define HAS_CUSTOM UINT32_MAX

/*
 * Counting takes half of the time, about, the first digest half of the rest, and so on: `share` is that of the step
 * at hand.
 */
static enum histree_status go_on(const struct writer *writer, double share, struct histree_error *error)
{
	const struct digest_options *options = &writer->options;
	double left = ldexp(1, -(int)writer->steps);
	if (options->go_on == NULL || options->go_on(options->context, 1 - left + left / 2 * share))
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_CANCELLED, "cancelled");
}

static void count_one(uint32_t *counts, const struct histree_interval *interval)
{
	uint32_t *count = &counts[interval->quark];
	if (interval->value.type == HISTREE_CUSTOM)
		*count = HAS_CUSTOM;
	else if (*count < HAS_CUSTOM - 1)
		++*count;
}

static enum histree_status count_states(struct writer *writer, uint32_t *counts, struct histree_error *error)
{
	struct histree_interval batch[READ_AT_ONCE];
	const struct histree_region all = { .from = writer->of.start, .to = writer->of.end };
	size_t count = 0;
	enum histree_status status = histree_query_start(writer->query, &all, error);
	double all_states = (double)(writer->of.interval_count + writer->of.null_interval_count) + 1, read = 0;
	for (uint64_t step = 0; status == HISTREE_OK; step++, read += (double)count) {
		if (step % 1024 == 0)
			status = go_on(writer, read < all_states ? read / all_states : 1, error);
		if (status == HISTREE_OK)
			status = histree_query_read(writer->query, batch, READ_AT_ONCE, &count, error);
		for (size_t i = 0; status == HISTREE_OK && i < count; i++)
			count_one(counts, &batch[i]);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* How long an attribute is more than null at the ends of the history. */
static enum histree_status find_life(struct writer *writer, histree_quark quark, uint64_t *ns,
				     struct histree_error *error)
{
	struct histree_interval first, last;
	histree_time start = writer->of.start, end = writer->of.end;
	enum histree_status status = histree_query_single(writer->query, quark, start, &first, error);
	if (status == HISTREE_OK && first.value.type == HISTREE_NULL && first.end < end)
		start = first.end + 1;
	if (status == HISTREE_OK)
		status = histree_query_single(writer->query, quark, end, &last, error);
	if (status == HISTREE_OK && last.value.type == HISTREE_NULL && last.start > start)
		end = last.start - 1;
	*ns = (uint64_t)end - (uint64_t)start;
	return status;
}

static enum histree_status choose(struct writer *writer, struct digested digested, struct histree_error *error)
{
	if (!array_reserve(&writer->digested, &writer->digested_capacity, (size_t)writer->digested_count + 1))
		return error_memory(error, "a digest");
	writer->digested[writer->digested_count++] = digested;
	return HISTREE_OK;
}

/* How many states an attribute with so many may have in the digest. */
static uint64_t cost(const struct writer *writer, uint64_t states)
{
	const uint64_t of_cell = DIGEST_VALUES_KEPT + 1;
	uint64_t cells = states / writer->options.states_in_cell;
	uint64_t most = of_cell * (cells > writer->options.cells_min ? cells : writer->options.cells_min);
	return states < most ? states : most;
}

/*
 * Attributes with fewer states than that are left out.  Of one with many states little is left; one with few is
 * copied, more or less, so that views of all of it do not read all of the history, as long as that does not cost
 * much.
 */
static uint64_t least_states(const struct writer *writer, const uint32_t *counts)
{
	uint64_t costs[33] = { 0 }, all = 0, most = writer->of.interval_count / writer->options.cost_max_share;
	uint64_t least = writer->of.interval_count / ATTRIBUTES_MAX;
	if (least < writer->options.states_min)
		least = writer->options.states_min;
	for (histree_quark quark = 0; quark < writer->of.attribute_count; quark++)
		if (counts[quark] >= least && counts[quark] != HAS_CUSTOM)
			costs[bits_needed(counts[quark])] += cost(writer, counts[quark]);
	for (unsigned bits = 33; bits-- > 0;) {
		all += costs[bits];
		if (all > most)
			return UINT64_C(1) << bits > least ? UINT64_C(1) << bits : least;
	}
	return least;
}

/* Cells with as many states as they shall have, on average over the life of the attribute, but short ones. */
static unsigned first_width(const struct writer *writer, uint64_t ns, uint32_t count)
{
	uint64_t ns_a_state = ns / count, width = ns / writer->options.cells_min;
	if (ns_a_state < width / writer->options.states_in_cell)
		width = ns_a_state * writer->options.states_in_cell;
	return width > 0 ? bits_needed(width) - 1 : 0;
}

static enum histree_status choose_of_history(struct writer *writer, const uint32_t *counts,
					     struct histree_error *error)
{
	uint64_t least = least_states(writer, counts);
	for (histree_quark quark = 0; quark < writer->of.attribute_count; quark++) {
		uint64_t ns;
		if (counts[quark] < least || counts[quark] == HAS_CUSTOM)
			continue;
		enum histree_status status = find_life(writer, quark, &ns, error);
		struct digested digested = { .source = quark, .quark = quark };
		if (status == HISTREE_OK)
			digested.width_log2 = first_width(writer, ns, counts[quark]);
		if (status == HISTREE_OK && digested.width_log2 <= DIGEST_WIDTH_LOG2_MAX)
			status = choose(writer, digested, error);
		if (status != HISTREE_OK)
			return status;
		writer->source_states += counts[quark];
	}
	return HISTREE_OK;
}

/* Of the digest that was just made: longer cells. */
static void choose_of_digest(struct writer *writer)
{
	uint32_t kept = 0;
	writer->source_states = 0;
	for (uint32_t i = 0; i < writer->digested_count; i++) {
		const struct digested *before = &writer->digested[i];
		uint32_t width_log2 = before->width_log2 + WIDTH_STEP_LOG2;
		if (before->states < writer->options.states_min || width_log2 > DIGEST_WIDTH_LOG2_MAX)
			continue;
		writer->source_states += before->states;
		writer->digested[kept++] = (struct digested){
			.source = before->own,
			.quark = before->quark,
			.width_log2 = width_log2,
		};
	}
	writer->digested_count = kept;
}

/* ---- a window -------------------------------------------------------------------------------------------- */

/* The place of an attribute that is read; `near` is that of the one before. */
static uint32_t find_digested(const struct writer *writer, histree_quark source, uint32_t near)
{
	uint32_t low = 0, high = writer->digested_count;
	if (writer->digested[near].source == source)
		return near;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (writer->digested[middle].source < source)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static enum histree_status keep_state(struct writer *writer, const struct histree_interval *interval,
				      struct histree_error *error)
{
	uint32_t value;
	uint32_t near = writer->state_count > 0 ? writer->states[writer->state_count - 1].attribute : 0;
	if (!array_reserve(&writer->states, &writer->states_capacity, writer->state_count + 1))
		return error_memory(error, "a digest");
	enum histree_status status = HISTREE_OK;
	if (digest_value_is_rest(&interval->value))
		value = DIGEST_REST;
	else
		status = value_table_add(&writer->values, &interval->value, &value, error);
	writer->states[writer->state_count++] = (struct digest_state){
		.start = interval->start,
		.end = interval->end,
		.value = value,
		.attribute = find_digested(writer, interval->quark, near),
	};
	return status;
}

/* What could not be read came as unknown, which the history does not say. */
static enum histree_status check_whole(const struct writer *writer, struct histree_error *error)
{
	if (histree_query_stats(writer->query).nodes_damaged == 0)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_FORMAT, "'%s' is damaged: build it again", writer->path);
}

/* HISTREE_PARTIAL: they are more than fit. */
static enum histree_status read_window(struct writer *writer, const histree_quark *quarks, size_t most,
				       struct histree_error *error)
{
	struct histree_interval batch[READ_AT_ONCE];
	const struct histree_region region = {
		.quarks = quarks,
		.quark_count = writer->digested_count,
		.from = writer->from,
		.to = writer->to,
	};
	size_t count;
	writer->state_count = 0;
	enum histree_status status = value_table_reset(&writer->values, error);
	if (status == HISTREE_OK)
		status = histree_query_start(writer->query, &region, error);
	while (status == HISTREE_OK) {
		status = histree_query_read(writer->query, batch, READ_AT_ONCE, &count, error);
		for (size_t i = 0; status == HISTREE_OK && i < count; i++)
			status = keep_state(writer, &batch[i], error);
		if (status == HISTREE_OK && writer->state_count > most)
			return HISTREE_PARTIAL;
	}
	return status == HISTREE_END ? check_whole(writer, error) : status;
}

static enum histree_status make_order(struct writer *writer, size_t count, struct histree_error *error)
{
	if (count <= UINT32_MAX && array_reserve(&writer->order, &writer->order_capacity, count) &&
	    array_reserve(&writer->spare, &writer->spare_capacity, count))
		return HISTREE_OK;
	return error_memory(error, "a digest");
}

/* From the beginning of the window on; of an attribute, one state at most began before. */
static uint64_t time_key(const struct writer *writer, histree_time t)
{
	return t > writer->from ? (uint64_t)t - (uint64_t)writer->from : 0;
}

static void sort_by(struct writer *writer, unsigned time_bits)
{
	size_t count = writer->state_count;
	unsigned attribute_bits = bits_needed(writer->digested_count);
	bool at_once = time_bits + attribute_bits <= 64;
	for (size_t i = 0; i < count; i++) {
		const struct digest_state *state = &writer->states[i];
		uint64_t key = time_key(writer, state->start);
		if (at_once)
			key |= (uint64_t)state->attribute << time_bits;
		writer->order[i] = (struct keyed_index){ key, (uint32_t)i };
	}
	radix_sort(writer->order, writer->spare, count);
	if (at_once)
		return;
	for (size_t i = 0; i < count; i++)
		writer->order[i].key = writer->states[writer->order[i].index].attribute;
	radix_sort(writer->order, writer->spare, count);
}

/* By attribute, and of one by time. */
static enum histree_status sort_window(struct writer *writer, struct histree_error *error)
{
	size_t count = writer->state_count;
	enum histree_status status = make_order(writer, count, error);
	if (status != HISTREE_OK || !array_reserve(&writer->sorted, &writer->sorted_capacity, count))
		return error_memory(error, "a digest");
	sort_by(writer, bits_needed((uint64_t)writer->to - (uint64_t)writer->from));
	for (size_t i = 0; i < count; i++)
		writer->sorted[i] = writer->states[writer->order[i].index];
	return HISTREE_OK;
}

/*
 * In Current_thread the int 0 is the idle thread; null and unknown are no thread.  Everything else is work, and so
 * the rest is, for the usage of CPUs.
 */
static void keep_idle_apart(struct writer *writer, struct digest_scale *scale)
{
	const struct histree_value idle[DIGEST_VALUES_APART] = { histree_int(0), histree_null(),
								 histree_unknown() };
	for (unsigned i = 0; i < DIGEST_VALUES_APART; i++)
		if (!value_table_find(&writer->values, &idle[i], &scale->apart[i]))
			scale->apart[i] = DIGEST_REST;
}

static enum histree_status digest_window(struct writer *writer, struct histree_error *error)
{
	struct digest_scale scale = {
		.origin = writer->of.start,
		.from = writer->from,
		.to = writer->to,
		.value_count = (uint32_t)writer->values.count,
	};
	enum histree_status status = HISTREE_OK;
	keep_idle_apart(writer, &scale);
	digest_cells_clear(&writer->cells);
	for (size_t first = 0, behind; first < writer->state_count && status == HISTREE_OK; first = behind) {
		uint32_t attribute = writer->sorted[first].attribute;
		behind = first + 1;
		while (behind < writer->state_count && writer->sorted[behind].attribute == attribute)
			behind++;
		scale.width_log2 = writer->digested[attribute].width_log2;
		status = digest_cells_add(&writer->cells, &scale, writer->sorted + first, behind - first, error);
	}
	return status;
}

static enum histree_status write_state(struct writer *writer, const struct digest_state *state,
				       struct histree_error *error)
{
	struct digested *digested = &writer->digested[state->attribute];
	digested->states++;
	struct histree_interval interval = {
		.quark = digested->own,
		.start = state->start,
		.end = state->end,
		.value = state->value == DIGEST_REST ? histree_custom("", 0) : writer->values.values[state->value],
	};
	return writer->sink.add(writer->sink.context, &interval, error);
}

/* A tree wants them by their ends. */
static enum histree_status write_window(struct writer *writer, struct histree_error *error)
{
	const struct digest_cells *cells = &writer->cells;
	enum histree_status status = make_order(writer, cells->count, error);
	if (status != HISTREE_OK)
		return status;
	for (size_t i = 0; i < cells->count; i++)
		writer->order[i] = (struct keyed_index){ time_key(writer, cells->states[i].end), (uint32_t)i };
	radix_sort(writer->order, writer->spare, cells->count);
	for (size_t i = 0; i < cells->count && status == HISTREE_OK; i++)
		status = write_state(writer, &cells->states[writer->order[i].index], error);
	return status;
}

/*
 * Windows are as long as what is in them lets them be.  Each attribute has a state in a window, however short that
 * is.  `ahead` is how far the last ns of a window is from its first: all of time is 2^64 ns.
 */
static enum histree_status write_windows(struct writer *writer, const histree_quark *quarks,
					 struct histree_error *error)
{
	const struct histree_history_info *of = &writer->of;
	size_t enough = (size_t)writer->options.states_in_window + writer->digested_count;
	uint64_t whole = (uint64_t)of->end - (uint64_t)of->start;
	uint64_t ahead = whole / (writer->source_states / enough + 1);
	enum histree_status status = HISTREE_OK;
	writer->from = of->start;
	while (status == HISTREE_OK) {
		uint64_t left = (uint64_t)of->end - (uint64_t)writer->from;
		writer->to = (histree_time)((uint64_t)writer->from + (left < ahead ? left : ahead));
		status = go_on(writer, 1 - (double)left / ((double)whole + 1), error);
		if (status == HISTREE_OK)
			status = read_window(writer, quarks, ahead > 0 ? 2 * enough : SIZE_MAX, error);
		if (status == HISTREE_PARTIAL) {
			ahead /= 2;
			status = HISTREE_OK;
			continue;
		}
		if (status == HISTREE_OK)
			status = sort_window(writer, error);
		if (status == HISTREE_OK)
			status = digest_window(writer, error);
		if (status == HISTREE_OK)
			status = write_window(writer, error);
		if (writer->to == of->end)
			break;
		writer->from = writer->to + 1;
		if (writer->state_count < enough / 2)
			ahead = ahead < whole / 2 ? 2 * ahead + 1 : whole;
	}
	return status;
}

/* ---- a digest -------------------------------------------------------------------------------------------- */

static enum histree_status add_name(struct writer *writer, histree_quark parent, uint32_t number,
				    histree_quark *out, struct histree_error *error)
{
	char name[16];
	int size = snprintf(name, sizeof(name), "%" PRIu32, number);
	return attribute_tree_add(&writer->attributes, parent, name, (size_t)size, out, error);
}

static enum histree_status name_attributes(struct writer *writer, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < writer->digested_count && status == HISTREE_OK; i++) {
		struct digested *digested = &writer->digested[i];
		histree_quark width;
		status = add_name(writer, HISTREE_ROOT, digested->width_log2, &width, error);
		if (status == HISTREE_OK)
			status = add_name(writer, width, digested->quark, &digested->own, error);
	}
	return status;
}

/* Every attribute has states from the beginning to the end; those that only group others, null. */
static enum histree_status write_groups(struct writer *writer, struct histree_error *error)
{
	const struct histree_history_info *of = &writer->of;
	enum histree_status status = HISTREE_OK;
	for (histree_quark quark = writer->attributes.root.first_child;
	     quark != HISTREE_ROOT && status == HISTREE_OK;
	     quark = writer->attributes.attributes[quark].next_sibling) {
		const struct histree_interval null = { .quark = quark, .start = of->start, .end = of->end };
		status = writer->sink.add(writer->sink.context, &null, error);
	}
	return status;
}

static enum histree_status fill_digest(struct writer *writer, struct histree_error *error)
{
	histree_quark *quarks = malloc((writer->digested_count + 1) * sizeof(*quarks));
	if (quarks == NULL)
		return error_memory(error, "a digest");
	for (uint32_t i = 0; i < writer->digested_count; i++)
		quarks[i] = writer->digested[i].source;
	enum histree_status status = name_attributes(writer, error);
	if (status == HISTREE_OK)
		status = write_windows(writer, quarks, error);
	if (status == HISTREE_OK)
		status = write_groups(writer, error);
	if (status == HISTREE_OK)
		status = writer->sink.finish(writer->sink.context, &writer->attributes, writer->of.end, error);
	free(quarks);
	return status;
}

static enum histree_status make_digest(struct writer *writer, const char *path, struct histree_error *error)
{
	char provider[sizeof(writer->of.provider)];
	digest_provider(&writer->of, provider, sizeof(provider));
	const struct histree_history_options options = {
		.path = path,
		.provider = provider,
		.provider_version = DIGEST_VERSION,
		.start = writer->of.start,
		.tree.threads = writer->options.threads,
	};
	enum histree_status status = state_file_sink(writer->io, &options, &writer->sink, error);
	if (status != HISTREE_OK)
		return status;
	attribute_tree_init(&writer->attributes);
	status = fill_digest(writer, error);
	attribute_tree_release(&writer->attributes);
	writer->sink.free(writer->sink.context);
	return status;
}

static void close_source(struct writer *writer)
{
	histree_query_free(writer->query);
	histree_history_close(writer->source);
	writer->query = NULL;
	writer->source = NULL;
}

static enum histree_status open_source(struct writer *writer, const char *path, struct histree_error *error)
{
	static const struct histree_open_options options = { .cache_bytes = 8 << 20 };
	struct block_file *file;
	close_source(writer);
	enum histree_status status = block_file_open(writer->io, path, &file, error);
	if (status == HISTREE_OK)
		status = history_open_file(file, &options, &writer->source, error);
	return status == HISTREE_OK ? histree_query_create(writer->source, &writer->query, error) : status;
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

static enum histree_status begin(struct writer *writer, struct histree_error *error)
{
	enum histree_status status = open_source(writer, writer->path, error);
	if (status != HISTREE_OK)
		return status;
	writer->of = *histree_history_info(writer->source);
	writer->of.nodes_at_height = NULL;
	if (writer->of.interval_count < writer->options.history_states_min)
		return HISTREE_OK;
	uint32_t *counts = calloc((size_t)writer->of.attribute_count + 1, sizeof(*counts));
	if (counts == NULL)
		return error_memory(error, "a digest");
	status = count_states(writer, counts, error);
	if (status == HISTREE_OK)
		status = choose_of_history(writer, counts, error);
	free(counts);
	return status;
}

static enum histree_status write_all(struct writer *writer, struct histree_error *error)
{
	enum histree_status status = begin(writer, error);
	for (uint32_t number = 1; status == HISTREE_OK && writer->digested_count > 0 && number <= DIGESTS_MAX;
	     number++) {
		digest_path(writer->path, number, writer->name);
		writer->steps = number;
		status = make_digest(writer, writer->name, error);
		choose_of_digest(writer);
		if (status == HISTREE_OK && writer->digested_count > 0)
			status = open_source(writer, writer->name, error);
	}
	return status;
}

static struct digest_options with_defaults(const struct digest_options *asked)
{
	struct digest_options options = asked != NULL ? *asked : (struct digest_options){ 0 };
	if (options.history_states_min == 0)
		options.history_states_min = 4 << 20;
	if (options.states_min == 0)
		options.states_min = 1024;
	if (options.states_in_cell == 0)
		options.states_in_cell = 64;
	if (options.states_in_window == 0)
		options.states_in_window = 256 << 10;
	/* A view of the whole life of an attribute has no more pixels than a quarter of this. */
	if (options.cells_min == 0)
		options.cells_min = 8192;
	if (options.cost_max_share == 0)
		options.cost_max_share = 10;
	return options;
}

/* Those that are there. */
static void remove_all(struct writer *writer)
{
	for (uint32_t number = 1; number <= DIGESTS_MAX; number++) {
		digest_path(writer->path, number, writer->name);
		writer->io->unlink(writer->io->context, writer->name);
	}
}

enum histree_status digests_write(const struct io *io, const char *path, const struct digest_options *options,
				  struct histree_error *error)
{
	struct writer writer = { .io = io, .path = path, .options = with_defaults(options) };
	writer.name = malloc(digest_path_size(path));
	if (writer.name == NULL)
		return error_memory(error, "a path");
	remove_all(&writer); /* what a build that was cut off left */
	enum histree_status status = write_all(&writer, error);
	close_source(&writer);
	value_table_release(&writer.values);
	digest_cells_release(&writer.cells);
	free(writer.digested);
	free(writer.states);
	free(writer.sorted);
	free(writer.order);
	free(writer.spare);
	if (status != HISTREE_OK)
		remove_all(&writer);
	free(writer.name);
	return status;
}
