// SPDX-License-Identifier: MIT
/*
 * overview_feed.c - feeds the states of a history into pyramids: a sink in front of the sink, and windows of ended
 * states.
 *
 * States come in the order of their ends, up to a difference of 1 ns: an event ends states at its time and 1 ns
 * earlier.  So a full window ends 2 ns before the last end, and states that end later also belong to the next
 * window.  Values at the end of a window that no such state gives are ongoing: the state system has them.
 *
 * Of all attributes, which may be millions, four bits each are kept: who takes its states.  What has
 * states in the window has a run of items there, found by a hash.
 */
#include "overview/overview_feed.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "overview/fact_feed.h"
#include "overview/feed_item.h"
#include "overview/owner_feed.h"
#include "overview/pyramid_maker.h"
#include "query/value_table.h"
#include "state/attributes.h"

enum {
	ITEMS_MAX = 1 << 16, /* in a window: 6 MiB */
	DISORDER_NS = 2,
	ANSWER_BITS = 4,
	ANSWERS_IN_BYTE = 8 / ANSWER_BITS,
};

const struct cell_kind *const cell_kinds[PYRAMIDS] = {
	[PYRAMID_NUMBERS] = &number_cells, [PYRAMID_SUMS] = &sum_cells, [PYRAMID_CUBE] = &cube_cells
};

struct overview_feed {
	struct interval_sink sink; /* behind it */
	const struct histree_attributes *attributes;
	const struct ongoing_states *ongoing;
	bool is_complete; /* as in the plan */
	bool is_whole;    /* all that ended was seen, in order */
	bool is_closed;   /* and that is all there is */
	bool lacks_memory;
	struct pyramid_maker makers[PYRAMIDS];
	struct owner_feed owners;               /* kinds that are fed owner by owner; */
	struct pyramid_maker *takers[PYRAMIDS]; /* others, which take windows */
	unsigned taker_count;
	struct fact_feed facts; /* rather as they are than in cells */
	uint64_t states_in_all;

	/* The window. */
	histree_time from, last; /* the greatest end in it */
	uint64_t states;         /* that ended, of whatever attributes */
	size_t items_max, full;  /* the states that make a window, including those left from the one before */
	struct column_item *items, *sorted;
	uint32_t *run_of; /* each item */
	size_t count, capacity, run_of_capacity, sorted_capacity;
	struct value_table values, spare_values; /* that are no ints */
	struct feed_run *runs;                   /* how many items each has, in the order of their first ones */
	size_t run_count, runs_capacity;
	struct hash_index run_index; /* of runs, by quark */

	unsigned char *answers; /* by quark, a few bits each */
	size_t answer_count;
	size_t answers_capacity; /* in bytes */
	struct table of_answers;
};

/* Who takes the states of an attribute, if that was asked: the cube, and who keeps facts. */
enum feed_answer { WAS_ASKED = 1, IS_TAKEN = 2, IS_NAME = 4, IS_STATUS = 8 };

/* ---- windows ------------------------------------------------------------------------------------------------ */

static bool is_run_of(const void *runs, uint32_t number, const void *quark)
{
	return ((const struct feed_run *)runs)[number].quark == *(const histree_quark *)quark;
}

static uint64_t hash_of_run(const void *runs, uint32_t number)
{
	return hash_mix(((const struct feed_run *)runs)[number].quark);
}

/* Find the run of an attribute in the window, or begin one.  Returns HASH_INDEX_NONE without memory. */
static inline uint32_t have_run(struct overview_feed *feed, histree_quark quark)
{
	const uint64_t hash = hash_mix(quark);
	uint32_t number = hash_index_find(&feed->run_index, hash, is_run_of, feed->runs, &quark);
	if (number != HASH_INDEX_NONE)
		return number;
	number = (uint32_t)feed->run_count;
	if (!array_reserve(&feed->runs, &feed->runs_capacity, feed->run_count + 1) ||
	    !hash_index_reserve(&feed->run_index, feed->run_count + 1, hash_of_run, feed->runs))
		return HASH_INDEX_NONE;
	feed->runs[feed->run_count++] = (struct feed_run){ .quark = quark };
	hash_index_add(&feed->run_index, hash, number);
	return number;
}

/* Room was made for one more.  Returns false without memory. */
static inline bool count_item(struct overview_feed *feed, histree_quark quark)
{
	const uint32_t run = have_run(feed, quark);
	if (run == HASH_INDEX_NONE)
		return false;
	feed->runs[run].count++;
	feed->run_of[feed->count++] = run;
	return true;
}

/*
 * Sort the items by attribute, those of one by time: how many there are of each was counted, so each goes to its
 * place at once.  Returns false without memory.
 */
static bool sort_items(struct overview_feed *feed, struct feed_window *window)
{
	const size_t count = feed->count;
	uint32_t first = 0;
	if (!array_reserve(&feed->sorted, &feed->sorted_capacity, count + 1))
		return false;
	for (size_t i = 0; i < feed->run_count; i++) {
		feed->runs[i].first = first;
		first += feed->runs[i].count;
		feed->runs[i].count = 0;
	}
	assert(first == count);
	for (size_t i = 0; i < count; i++) {
		const struct column_item *item = &feed->items[i];
		struct feed_run *run = &feed->runs[feed->run_of[i]];
		struct column_item *at = &feed->sorted[run->first + run->count];
		/* What was not decided comes late. */
		for (; run->count > 0 && at > &feed->sorted[run->first] && item->start < at[-1].start; at--)
			*at = at[-1];
		*at = *item;
		run->count++;
	}
	window->items = feed->sorted;
	window->item_count = count;
	window->states = feed->states;
	window->runs = feed->runs;
	window->run_count = feed->run_count;
	window->values = feed->values.values;
	window->value_count = feed->values.count;
	return true;
}

static void give_up(struct overview_feed *feed)
{
	feed->is_whole = false;
	feed->lacks_memory |= feed->owners.lacks_memory;
	owner_feed_release(&feed->owners);
	fact_feed_release(&feed->facts);
	for (unsigned id = 0; id < PYRAMIDS; id++)
		pyramid_maker_release(&feed->makers[id]);
}

static void run_out(struct overview_feed *feed)
{
	give_up(feed);
	feed->lacks_memory = true;
}

static bool takes_windows(const struct pyramid_maker *maker)
{
	return maker->kind != NULL && maker->kind->feed != NULL && maker->is_wanted;
}

static void find_takers(struct overview_feed *feed)
{
	feed->taker_count = 0;
	for (unsigned id = 0; id < PYRAMIDS; id++)
		if (takes_windows(&feed->makers[id]))
			feed->takers[feed->taker_count++] = &feed->makers[id];
}

/* Returns the maker that holds states, NULL: none does. */
static const struct pyramid_maker *find_holder(const struct overview_feed *feed)
{
	for (unsigned id = 0; id < PYRAMIDS; id++)
		if (feed->makers[id].kind != NULL && feed->makers[id].holds)
			return &feed->makers[id];
	return NULL;
}

/*
 * Keep what ends behind the window, which is in the next one, too, and what a kind holds: the last items of each
 * run.  Returns false without memory.
 */
static bool keep_later(struct overview_feed *feed, histree_time to)
{
	const struct value_table values = feed->values;
	feed->values = feed->spare_values;
	feed->spare_values = values;
	const size_t run_count = feed->run_count;
	bool is_well = value_table_reset(&feed->values, NULL) == HISTREE_OK;
	const struct pyramid_maker *holder = find_holder(feed);
	feed->count = feed->run_count = 0;
	hash_index_clear(&feed->run_index);
	for (size_t i = 0; i < run_count && is_well; i++) {
		const struct feed_run run = feed->runs[i]; /* new ones take the places of those that were */
		const struct column_item *end = &feed->sorted[run.first] + run.count, *item = end;
		histree_time from = to + 1;
		if (holder != NULL) {
			const histree_time held = holder->kind->feed_holds_from(holder, run.quark);
			from = held < from ? held : from;
		}
		while (item > &feed->sorted[run.first] && item[-1].end >= from)
			item--;
		for (; item < end && is_well; item++) {
			struct column_item *kept = &feed->items[feed->count];
			*kept = *item;
			is_well = count_item(feed, run.quark);
			if (column_item_kind(item) == ITEM_LISTED && is_well)
				is_well = value_table_add(&feed->values, &feed->spare_values.values[item->value],
							  &kept->value, NULL) == HISTREE_OK;
		}
	}
	feed->full = feed->count + feed->items_max;
	return is_well;
}

static void give_window(struct overview_feed *feed, histree_time to)
{
	struct feed_window window = { .from = feed->from,
				      .to = to,
				      .attributes = feed->attributes,
				      .ongoing = feed->ongoing,
				      .is_complete = feed->is_complete };
	bool is_well = sort_items(feed, &window);
	for (unsigned id = 0; id < PYRAMIDS && is_well; id++) {
		struct pyramid_maker *maker = &feed->makers[id];
		if (!takes_windows(maker))
			continue;
		const enum histree_status status = maker->kind->feed(maker, &window, NULL);
		feed->lacks_memory |= status == HISTREE_ERR_MEMORY;
		if (status != HISTREE_OK)
			pyramid_maker_release(maker);
	}
	find_takers(feed);
	feed->from = to + 1;
	feed->states = 0;
	if (!is_well || !keep_later(feed, to))
		run_out(feed);
}

/* A state that ends in a window that was given, or began in one: who used what it was until now was wrong. */
static void correct(struct overview_feed *feed, histree_quark quark, histree_time since)
{
	for (unsigned id = 0; id < PYRAMIDS; id++) {
		struct pyramid_maker *maker = &feed->makers[id];
		if (takes_windows(maker) && maker->kind->feed_used(maker, feed->attributes, quark, since))
			pyramid_maker_release(maker);
	}
	find_takers(feed);
}

static void take_item(struct overview_feed *feed, const struct histree_interval *interval)
{
	if (feed->count >= feed->full && interval->end > feed->last && feed->last - DISORDER_NS >= feed->from)
		give_window(feed, feed->last - DISORDER_NS);
	if (!feed->is_whole)
		return;
	if (interval->end < feed->from)
		correct(feed, interval->quark, interval->start);
	if (!array_reserve(&feed->items, &feed->capacity, feed->count + 1) ||
	    !array_reserve(&feed->run_of, &feed->run_of_capacity, feed->count + 1) ||
	    !feed_item_keep(&feed->values, interval, &feed->items[feed->count]) ||
	    !count_item(feed, interval->quark)) {
		run_out(feed);
		return;
	}
	feed->last = interval->end > feed->last ? interval->end : feed->last;
}

/* Returns false without memory. */
static bool have_answer(struct overview_feed *feed, histree_quark quark)
{
	if (quark < feed->answer_count)
		return true;
	if (!table_reserve(&feed->of_answers, &feed->answers, &feed->answers_capacity,
			   (size_t)quark / ANSWERS_IN_BYTE + 1))
		return false;
	const size_t known = feed->answer_count / ANSWERS_IN_BYTE;
	memset(feed->answers + known, 0, feed->answers_capacity - known);
	feed->answer_count = feed->answers_capacity * ANSWERS_IN_BYTE;
	return true;
}

static inline unsigned answer_shift(histree_quark quark)
{
	return quark % ANSWERS_IN_BYTE * ANSWER_BITS;
}

/* Returns what enum feed_answer says, 0: it was not asked. */
static inline unsigned answer_of(const struct overview_feed *feed, histree_quark quark)
{
	if (quark >= feed->answer_count)
		return 0;
	return feed->answers[quark / ANSWERS_IN_BYTE] >> answer_shift(quark) & ((1U << ANSWER_BITS) - 1);
}

/* Ask who takes them, once of each attribute for which there is memory. */
static unsigned ask(struct overview_feed *feed, histree_quark quark)
{
	const enum thread_fact fact = fact_feed_takes(&feed->facts, feed->attributes, quark);
	unsigned answer = WAS_ASKED | (fact == THREAD_FACT_STATUS  ? IS_STATUS
				       : fact < THREAD_FACT_STATUS ? IS_NAME
								   : 0);
	if (!have_answer(feed, quark))
		return answer | ((answer & IS_NAME) != 0 ? 0 : IS_TAKEN);
	assert(answer_of(feed, quark) == 0);
	for (unsigned i = 0; i < feed->taker_count && (answer & (IS_TAKEN | IS_NAME)) == 0; i++)
		if (feed->takers[i]->kind->feed_takes(feed->takers[i], feed->attributes, quark))
			answer |= IS_TAKEN;
	feed->answers[quark / ANSWERS_IN_BYTE] |= (unsigned char)(answer << answer_shift(quark));
	return answer;
}

static inline unsigned who_takes(struct overview_feed *feed, histree_quark quark)
{
	if (feed->taker_count == 0 && !feed->facts.is_wanted)
		return WAS_ASKED;
	const unsigned answer = answer_of(feed, quark);
	return answer != 0 ? answer : ask(feed, quark);
}

bool overview_feed_takes(struct overview_feed *feed, histree_quark quark)
{
	return feed->is_whole && (owner_feed_takes(&feed->owners, quark) || who_takes(feed, quark) != WAS_ASKED);
}

/* What goes on when the history is closed is known already, and comes as the last states of owners. */
void overview_feed_take(struct overview_feed *feed, const struct histree_interval *interval)
{
	if (!feed->is_whole)
		return;
	feed->states++;
	feed->states_in_all++;
	const unsigned takers = who_takes(feed, interval->quark);
	if ((takers & IS_TAKEN) != 0 && !feed->is_closed)
		take_item(feed, interval);
	if ((takers & (IS_NAME | IS_STATUS)) != 0 && feed->is_whole &&
	    !fact_feed_take(&feed->facts, interval, (takers & IS_STATUS) != 0, feed->states_in_all))
		run_out(feed);
	if (feed->is_whole && !owner_feed_take(&feed->owners, interval))
		run_out(feed);
}

/* ---- the sink before the sink ------------------------------------------------------------------------------- */

static enum histree_status feed_add(void *context, const struct histree_interval *interval,
				    struct histree_error *error)
{
	struct overview_feed *feed = context;
	overview_feed_take(feed, interval);
	return feed->sink.add(feed->sink.context, interval, error);
}

static enum histree_status feed_add_many(void *context, const struct histree_interval *intervals, size_t count,
					 size_t *added, struct histree_error *error)
{
	struct overview_feed *feed = context;
	enum histree_status status = feed->sink.add_many(feed->sink.context, intervals, count, added, error);
	for (size_t i = 0; i < *added; i++)
		overview_feed_take(feed, &intervals[i]);
	return status;
}

/* What goes on is corrected: who used its value was wrong. */
static enum histree_status feed_replaced(void *context, histree_quark quark, histree_time since,
					 const struct histree_value *value, struct histree_error *error)
{
	struct overview_feed *feed = context;
	if (since < feed->from)
		correct(feed, quark, since);
	return feed->sink.replaced != NULL ? feed->sink.replaced(feed->sink.context, quark, since, value, error)
					   : HISTREE_OK;
}

static enum histree_status feed_set_section(void *context, enum told_section section, const void *bytes,
					    size_t size, struct histree_error *error)
{
	struct overview_feed *feed = context;
	return feed->sink.set_section(feed->sink.context, section, bytes, size, error);
}

static void release_window(struct overview_feed *feed)
{
	value_table_release(&feed->values);
	value_table_release(&feed->spare_values);
	free(feed->items);
	free(feed->run_of);
	free(feed->sorted);
	free(feed->runs);
	hash_index_release(&feed->run_index);
	feed->items = feed->sorted = NULL;
	feed->run_of = NULL;
	feed->runs = NULL;
	feed->count = feed->capacity = feed->run_of_capacity = feed->sorted_capacity = 0;
	feed->run_count = feed->runs_capacity = 0;
}

/* They are asked for until all was fed. */
static void release_answers(struct overview_feed *feed)
{
	if (feed->answers != NULL) /* else their space may be gone */
		table_release(&feed->of_answers, feed->answers);
	feed->answers = NULL;
	feed->answer_count = feed->answers_capacity = 0;
}

/* What ends now need not be taken one by one: what goes on says what that is. */
void overview_feed_closing(struct overview_feed *feed, histree_time end)
{
	if (feed->count > 0 && feed->is_whole && feed->taker_count > 0 && end - 1 >= feed->from)
		give_window(feed, end - 1);
	struct feed_window window = { .from = feed->from,
				      .to = end,
				      .attributes = feed->attributes,
				      .ongoing = feed->ongoing,
				      .is_complete = feed->is_complete };
	if (feed->is_whole && feed->taker_count > 0 && !sort_items(feed, &window))
		run_out(feed);
	for (unsigned id = 0; id < PYRAMIDS && feed->is_whole; id++) {
		struct pyramid_maker *maker = &feed->makers[id];
		if (!takes_windows(maker))
			continue;
		const enum histree_status status = maker->kind->feed_end(maker, &window, NULL);
		feed->lacks_memory |= status == HISTREE_ERR_MEMORY;
		if (status != HISTREE_OK)
			pyramid_maker_release(maker);
	}
	find_takers(feed);
	feed->is_closed = true;
	release_window(feed);
}

static void feed_closing(void *context, histree_time end)
{
	struct overview_feed *feed = context;
	overview_feed_closing(feed, end);
	if (feed->sink.closing != NULL)
		feed->sink.closing(feed->sink.context, end);
}

void overview_feed_end(struct overview_feed *feed, histree_time end)
{
	if (feed->is_whole && !owner_feed_end(&feed->owners, end))
		run_out(feed);
	release_answers(feed);
	owner_feed_release_tables(&feed->owners);
}

static enum histree_status feed_finish(void *context, const struct attribute_tree *attributes, histree_time end,
				       struct histree_error *error)
{
	struct overview_feed *feed = context;
	overview_feed_end(feed, end);
	return feed->sink.finish(feed->sink.context, attributes, end, error);
}

static enum histree_status feed_branch(void *context, bool publish, struct interval_sink *out,
				       struct histree_error *error)
{
	struct overview_feed *feed = context;
	return feed->sink.branch(feed->sink.context, publish, out, error);
}

/* Who feeds goes, and with it the tables; what is left is in cells. */
void overview_feed_forget_source(struct overview_feed *feed)
{
	release_window(feed);
	release_answers(feed);
	owner_feed_release_tables(&feed->owners);
	for (unsigned id = 0; id < PYRAMIDS; id++)
		if (feed->makers[id].kind != NULL && feed->makers[id].kind->feed_free != NULL)
			feed->makers[id].kind->feed_free(&feed->makers[id]);
	if (!feed->is_closed)
		give_up(feed);
	feed->attributes = NULL;
	feed->ongoing = NULL;
}

static void feed_free_sink(void *context)
{
	struct overview_feed *feed = context;
	overview_feed_forget_source(feed);
	feed->sink.free(feed->sink.context);
}

/* ---- from begin to end -------------------------------------------------------------------------------------- */

/* Those that want nothing of such a history are gone at once; with nobody left, nothing is kept. */
static enum histree_status begin_makers(struct overview_feed *feed, const struct overview_feed_plan *plan,
					struct histree_error *error)
{
	const struct feed_again *again = plan->again;
	const struct overview_options options = overview_options_complete(plan->options);
	const unsigned kinds = again != NULL ? 1U << again->id : plan->kinds != 0 ? plan->kinds : UINT_MAX;
	enum histree_status status = HISTREE_OK;
	feed->is_whole = (kinds >> PYRAMID_ROWS & 1) != 0;
	for (unsigned id = 0; id < PYRAMIDS && status == HISTREE_OK; id++) {
		struct pyramid_maker *maker = &feed->makers[id];
		if (cell_kinds[id] == NULL || (kinds >> id & 1) == 0)
			continue;
		if (again != NULL) {
			status = pyramid_maker_again(maker, cell_kinds[id], again->source, again->there,
						     plan->of_attributes, error);
			maker->give = again->give;
			maker->give_context = again->context;
		} else {
			status = pyramid_maker_feed(maker, cell_kinds[id], plan->provider, plan->start,
						    plan->options->memory_max, plan->of_attributes, error);
		}
		if (status == HISTREE_OK && !maker->is_wanted)
			pyramid_maker_release(maker);
		feed->is_whole |= maker->kind != NULL;
	}
	find_takers(feed);
	if (status == HISTREE_OK && again == NULL && (kinds >> PYRAMID_NAMES & 1) != 0)
		status = fact_feed_begin(&feed->facts, plan->provider, options.few_states_max, plan->tables, error);
	feed->is_whole |= feed->facts.is_wanted;
	if (status != HISTREE_OK || (again != NULL ? again->id == PYRAMID_CUBE : kinds == 1U << PYRAMID_CUBE))
		return status;
	return owner_feed_begin(&feed->owners, feed->makers, plan->start, &options,
				(kinds >> PYRAMID_ROWS & 1) != 0, plan->of_attributes, plan->tables, error);
}

enum histree_status overview_feed_create(const struct overview_feed_plan *plan, struct overview_feed **out,
					 struct histree_error *error)
{
	struct overview_feed *feed = *out = calloc(1, sizeof(*feed));
	if (feed == NULL)
		return error_memory(error, "an overview");
	const struct overview_options options = overview_options_complete(plan->options);
	feed->is_complete = plan->is_complete;
	feed->of_answers.space = plan->of_attributes;
	feed->from = feed->last = plan->start;
	feed->items_max = feed->full = options.states_in_window < ITEMS_MAX ? options.states_in_window : ITEMS_MAX;
	enum histree_status status = value_table_reset(&feed->values, error);
	if (status == HISTREE_OK)
		status = begin_makers(feed, plan, error);
	if (status != HISTREE_OK) {
		overview_feed_free(feed);
		*out = NULL;
	}
	return status;
}

void overview_feed_stand_before(struct overview_feed *feed, struct interval_sink *sink)
{
	assert(sink->withhold == NULL && sink->add_late == NULL);
	feed->sink = *sink;
	sink->add = feed_add;
	sink->add_many = sink->add_many != NULL ? feed_add_many : NULL;
	sink->packs = NULL; /* whose intervals nobody sees */
	sink->take_pack = NULL;
	sink->replaced = feed_replaced;
	sink->set_section = sink->set_section != NULL ? feed_set_section : NULL;
	sink->closing = feed_closing;
	sink->finish = feed_finish;
	sink->branch = sink->branch != NULL ? feed_branch : NULL;
	sink->free = feed_free_sink;
	sink->context = feed;
}

void overview_feed_watch(struct overview_feed *feed, const struct histree_attributes *attributes,
			 const struct ongoing_states *ongoing)
{
	feed->attributes = attributes;
	feed->ongoing = ongoing;
}

struct pyramid_maker *overview_feed_maker(struct overview_feed *feed, enum pyramid_id id)
{
	return feed != NULL && feed->is_whole && feed->is_closed && feed->makers[id].kind != NULL
		       ? &feed->makers[id]
		       : NULL;
}

bool overview_feed_lacks_memory(const struct overview_feed *feed)
{
	return feed->lacks_memory || feed->owners.lacks_memory;
}

struct owner_feed *overview_feed_owners(struct overview_feed *feed)
{
	return feed != NULL && feed->is_whole && feed->is_closed && feed->owners.keeps_rows ? &feed->owners : NULL;
}

struct fact_feed *overview_feed_facts(struct overview_feed *feed)
{
	return feed != NULL && feed->is_whole && feed->is_closed &&
			       (feed->facts.is_wanted || feed->facts.are_of_no_use)
		       ? &feed->facts
		       : NULL;
}

void overview_feed_free(struct overview_feed *feed)
{
	if (feed == NULL)
		return;
	give_up(feed);
	release_window(feed);
	release_answers(feed);
	free(feed);
}
