// SPDX-License-Identifier: MIT
/*
 * union_query.c - a query of several hosts: each is asked with its own attributes and times, some ahead of the
 * others (docs/design/13-hosts.md).
 *
 * The sorted list of attributes is cut at the borders of hosts, and times are clipped to those of the shard;
 * outside them, states are null.  One host is handed out after the other.
 *
 * Threads may ask the shards of a union ahead of the caller, which hands out their answers in order.  A thread
 * takes the next question, asks it, and keeps the first part of the answer in memory.  The caller reads the rest
 * from the query where the thread has left it, and so meets an error there.  A question that no thread has begun is
 * asked by the caller, which never waits for an answer that is not being read.
 */
#include "query/query.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "item/value.h"
#include "state/history.h"
#include "state/history_union.h"
#include "tree/tree_iter.h"

struct host_part {
	uint32_t number;   /* of the host */
	bool wants_folder; /* its folder is asked for */
	bool asks_shard;   /* the shard has something to say */
	/* The attributes that are asked for: from `first` to `end` of the list, or all of the shard. */
	size_t first, end;
	struct histree_region own; /* what the shard is asked */
};

/* A zeroed one has nothing. */
struct union_cut {
	const struct history_union *joined;
	struct histree_region region; /* its lists are the caller's */
	histree_time from, to;
	size_t next; /* of the list of attributes, or, if all are asked for, the host */
	/* The list in the words of the shards, as far as it was cut; of no use if all are asked for. */
	histree_quark *shifted;
	size_t shifted_capacity;
};

/*
 * A question to one shard.  What it points to is the caller's, and from the start until it is taken the threads'.
 */
struct shard_question {
	struct histree_history *history;
	struct histree_cursor **query; /* of that; made if it is NULL */
	struct histree_region region;
	bool is_large; /* no thread begins it */
};

/* What the threads have of an answer; its query was started if `has_begun`. */
struct shard_answer {
	bool has_begun, is_whole;
	const struct histree_interval *intervals;
	size_t count;
};

struct shard_readers;

static void shard_readers_free(struct shard_readers *readers);
static void shard_readers_cancel(struct shard_readers *readers);

/* ---- union cut ----------------------------------------------------------------------------------------------- */

/* Something is asked for. */
static enum histree_status union_cut_begin(struct union_cut *cut, const struct history_union *joined,
					   const struct histree_region *region, struct histree_error *error)
{
	const bool is_list = region->times != NULL;
	if (region->quarks != NULL && !array_reserve(&cut->shifted, &cut->shifted_capacity, region->quark_count))
		return error_memory(error, "a query");
	cut->joined = joined;
	cut->region = *region;
	cut->from = is_list ? region->times[0] : region->from;
	cut->to = is_list ? region->times[region->time_count - 1] : region->to;
	cut->next = 0;
	return HISTREE_OK;
}

/* Returns whether a time that is asked for lies in a range. */
static bool union_cut_asks_for(const struct union_cut *cut, histree_time start, histree_time end)
{
	const struct histree_region *region = &cut->region;
	if (start > end || cut->to < start || cut->from > end)
		return false;
	if (region->times == NULL)
		return true;
	const size_t at = SEARCH(i, 0, region->time_count, region->times[i] < start);
	return at < region->time_count && region->times[at] <= end;
}

/* The times of a shard follow one another in a list of times, too. */
static void cut_times(const struct union_cut *cut, const struct histree_history_info *shard, struct host_part *part)
{
	const struct histree_region *region = &cut->region;
	part->own = (struct histree_region){
		.quarks = region->quarks != NULL ? cut->shifted + part->first : NULL,
		.quark_count = region->quarks != NULL ? part->end - part->first : 0,
		.from = cut->from > shard->start ? cut->from : shard->start,
		.to = cut->to < shard->end ? cut->to : shard->end,
	};
	assert(part->own.from <= part->own.to);
	if (region->times == NULL)
		return;
	const size_t first = SEARCH(i, 0, region->time_count, region->times[i] < shard->start);
	const size_t end = shard->end < cut->to
				   ? SEARCH(i, first, region->time_count, region->times[i] <= shard->end)
				   : region->time_count;
	part->own.times = region->times + first;
	part->own.time_count = end - first;
	assert(part->own.time_count > 0 && part->own.times[0] >= shard->start);
}

/* Get the part of the next host that the region asks about.  Returns false after the last one. */
static bool union_cut_next(struct union_cut *cut, struct host_part *part)
{
	const bool all = cut->region.quarks == NULL;
	assert(cut->next <= (all ? cut->joined->host_count : cut->region.quark_count));
	if (cut->next == (all ? cut->joined->host_count : cut->region.quark_count))
		return false;
	if (all) {
		part->number = (uint32_t)cut->next++;
		part->wants_folder = true;
		part->first = 0;
		part->end = cut->joined->hosts[part->number].count;
	} else {
		/* Cuts out the part of the list of attributes that is of one host. */
		const struct histree_region *region = &cut->region;
		const struct history_union *joined = cut->joined;
		size_t at = cut->next;
		part->number = history_union_host(joined, region->quarks[at]);
		assert(part->number < joined->host_count);
		const struct histree_history_host *host = &joined->hosts[part->number];
		part->wants_folder = region->quarks[at] == host->folder;
		part->first = at + part->wants_folder;
		part->end = region->quark_count;
		if (part->number + 1 < joined->host_count)
			part->end = SEARCH(i, part->first, region->quark_count,
					   region->quarks[i] <= host->folder + host->count);
		assert(part->first <= part->end && part->end > cut->next);
		for (at = part->first; at < part->end; at++) {
			cut->shifted[at] = region->quarks[at] - host->folder - 1;
			assert(cut->shifted[at] < host->count);
		}
		cut->next = part->end;
	}
	part->asks_shard = false;
	if (part->first == part->end)
		return true;
	const struct histree_history_info *shard = histree_history_info(cut->joined->hosts[part->number].history);
	part->asks_shard = union_cut_asks_for(cut, shard->start, shard->end);
	if (part->asks_shard)
		cut_times(cut, shard, part);
	return true;
}

/* ---- shard readers ------------------------------------------------------------------------------------------- */

enum {
	ANSWERS_PER_THREAD = 2,    /* one that is read, and one that waits to be taken */
	INTERVALS_MAX = 64 << 10,  /* of an answer that are read ahead */
	INTERVALS_FIRST = 1 << 10, /* for which there is room at first */
	BYTES_MAX = 4 << 20,       /* of their values */
};

/*
 * A ring: questions are begun and taken in one order.  Those before `begun` are being read or were; `is_read` says
 * which.
 */
struct slot {
	struct shard_answer answer;
	struct histree_interval *intervals;
	size_t capacity;
	struct arena bytes; /* of the values: a query lends them until it is asked on */
	bool is_read;
};

struct shard_readers {
	struct worker *workers;
	unsigned worker_count;
	struct slot *slots;
	size_t slot_count;

	pthread_mutex_t mutex; /* of all that follows, and of `is_read` */
	pthread_cond_t changed, read_some;
	const struct shard_question *questions;
	size_t count, begun;
	size_t given;     /* to the caller; the slot of the last of them is in use yet */
	unsigned reading; /* threads that read just now */
	bool stopping;
};

/* ---- in the threads -------------------------------------------------------------------------------------- */

static bool make_room(struct slot *slot)
{
	size_t capacity = slot->capacity == 0 ? INTERVALS_FIRST : 4 * slot->capacity;
	struct histree_interval *intervals = reallocarray(slot->intervals, capacity, sizeof(*intervals));
	if (intervals == NULL)
		return false;
	slot->intervals = intervals;
	slot->capacity = capacity;
	return true;
}

/* False: memory runs out, and the intervals from `from` on cannot be kept. */
static bool keep_bytes(struct slot *slot, size_t from, size_t count)
{
	for (size_t i = from; i < from + count; i++)
		if (!value_keep(&slot->intervals[i].value, &slot->bytes))
			return false;
	return true;
}

/* Whether a question may be begun; those that are reserved for the caller are skipped.  Called under the mutex. */
static bool has_next(struct shard_readers *readers)
{
	size_t free_from = readers->given > 0 ? readers->given - 1 : 0;
	while (readers->begun < readers->count && readers->begun < free_from + readers->slot_count) {
		struct slot *slot = &readers->slots[readers->begun % readers->slot_count];
		slot->answer = (struct shard_answer){ .has_begun = false };
		slot->is_read = readers->questions[readers->begun].is_large;
		if (!slot->is_read)
			return true;
		readers->begun++;
	}
	return false;
}

static void serve(void *context)
{
	struct shard_readers *readers = context;
	pthread_mutex_lock(&readers->mutex);
	for (;;) {
		while (!readers->stopping && !has_next(readers))
			pthread_cond_wait(&readers->changed, &readers->mutex);
		if (readers->stopping)
			break;
		const struct shard_question *question = &readers->questions[readers->begun];
		struct slot *slot = &readers->slots[readers->begun++ % readers->slot_count];
		readers->reading++;
		pthread_mutex_unlock(&readers->mutex);
		arena_release(&slot->bytes);
		/* Begins the query; the caller continues it unless all of it was read. */
		struct shard_answer *answer = &slot->answer;
		enum histree_status status = HISTREE_OK;
		if (*question->query == NULL)
			status = query_of_host_create(question->history, question->query, NULL);
		struct query *query = *question->query != NULL ? query_of(*question->query) : NULL;
		if (status == HISTREE_OK)
			status = histree_query_start(*question->query, &question->region, NULL);
		answer->has_begun = status == HISTREE_OK;
		while (status == HISTREE_OK && answer->count < INTERVALS_MAX &&
		       slot->bytes.bytes_total < BYTES_MAX) {
			size_t count;
			if (answer->count == slot->capacity && !make_room(slot))
				break;
			status = query->kind->read(query, slot->intervals + answer->count,
						   slot->capacity - answer->count, &count, NULL);
			if (status == HISTREE_OK && !keep_bytes(slot, answer->count, count)) {
				answer->count = 0; /* the whole answer, read by the caller */
				answer->has_begun = false;
				break;
			}
			answer->count += count;
			assert(answer->count <= slot->capacity);
		}
		answer->is_whole = status == HISTREE_END;
		answer->intervals = slot->intervals;
		pthread_mutex_lock(&readers->mutex);
		assert(readers->reading > 0);
		readers->reading--;
		slot->is_read = true;
		pthread_cond_signal(&readers->read_some);
	}
	pthread_mutex_unlock(&readers->mutex);
}

/* ---- in the thread of the query --------------------------------------------------------------------------- */

/* Starts fewer threads if the system gives fewer, but at least one. */
static enum histree_status shard_readers_create(unsigned threads, struct shard_readers **out,
						struct histree_error *error)
{
	struct shard_readers *readers = *out = calloc(1, sizeof(*readers));
	if (readers == NULL)
		return error_memory(error, "the threads of a query");
	*readers =
		(struct shard_readers){ .workers = calloc(threads, sizeof(*readers->workers)),
					.slots = calloc((size_t)threads * ANSWERS_PER_THREAD, sizeof(struct slot)),
					.slot_count = (size_t)threads * ANSWERS_PER_THREAD,
					.mutex = PTHREAD_MUTEX_INITIALIZER,
					.changed = PTHREAD_COND_INITIALIZER,
					.read_some = PTHREAD_COND_INITIALIZER };
	if (readers->workers != NULL && readers->slots != NULL)
		while (readers->worker_count < threads && worker_create(&readers->workers[readers->worker_count]))
			worker_start(&readers->workers[readers->worker_count++], serve, readers);
	if (readers->worker_count > 0)
		return HISTREE_OK;
	shard_readers_free(readers);
	*out = NULL;
	return error_memory(error, "the threads of a query");
}

static void shard_readers_free(struct shard_readers *readers)
{
	if (readers == NULL)
		return;
	pthread_mutex_lock(&readers->mutex);
	readers->stopping = true;
	pthread_cond_broadcast(&readers->changed);
	pthread_mutex_unlock(&readers->mutex);
	while (readers->worker_count > 0)
		worker_stop(&readers->workers[--readers->worker_count]);
	for (size_t i = 0; readers->slots != NULL && i < readers->slot_count; i++) {
		free(readers->slots[i].intervals);
		arena_release(&readers->slots[i].bytes);
	}
	free(readers->slots);
	free(readers->workers);
	pthread_cond_destroy(&readers->changed);
	pthread_cond_destroy(&readers->read_some);
	pthread_mutex_destroy(&readers->mutex);
	free(readers);
}

/* Nothing more is wanted: no thread uses a question any more.  Queries are as far as they were asked. */
static void shard_readers_cancel(struct shard_readers *readers)
{
	pthread_mutex_lock(&readers->mutex);
	readers->count = readers->begun = readers->given = 0;
	while (readers->reading > 0)
		pthread_cond_wait(&readers->read_some, &readers->mutex);
	pthread_mutex_unlock(&readers->mutex);
}

/* ---- union query --------------------------------------------------------------------------------------------- */

/* What a host's part of the answer consists of, in this order. */
enum stage {
	NEXT_HOST, /* none is begun */
	FOLDER,    /* its folder */
	BEFORE,    /* nulls before its shard begins */
	SHARD,     /* what the shard says */
	AFTER,     /* nulls after its end */
};

/* A host as a single query looks at it. */
struct asked_host {
	histree_time start, end;      /* of its shard */
	struct histree_cursor *query; /* of its shard; NULL: not needed yet */
	const struct histree_history_host *host;
};

struct union_query {
	struct query base;
	const struct history_union *joined;
	struct asked_host *hosts;
	struct histree_cursor *current;          /* of the shard that was asked last; `stats` is without its own */
	const struct histree_history_host *host; /* whose it is */
	struct tree_counts stats;
	bool is_active; /* something of an answer may be left */

	struct union_cut cut;
	struct host_part part; /* the host at hand */
	enum stage stage;      /* of it */
	size_t at;             /* in its attributes, or in the times of its folder */

	/*
	 * From the current shard: the part of its answer that threads have read, and whether the rest was asked
	 * for.
	 */
	struct shard_answer answer;
	size_t answer_at;
	bool is_taken, is_begun, has_threads;

	/* With threads, or with hosts in other processes: what each host is asked, in order. */
	bool asks_sources; /* then all are started before the first is read, so that they answer at a time */
	unsigned threads;
	struct shard_readers *readers; /* NULL: no threads */
	struct host_part *parts;
	struct shard_question *questions; /* of those parts that ask their shard */
	size_t part_count, next_part, question_count;
};

static enum histree_status make_lists(struct union_query *query, struct histree_error *error)
{
	size_t hosts = query->joined->host_count;
	if (query->parts == NULL)
		query->parts = calloc(hosts + 1, sizeof(*query->parts)); /* and room for what is no more */
	if (query->questions == NULL)
		query->questions = calloc(hosts, sizeof(*query->questions));
	return query->parts == NULL || query->questions == NULL ? error_memory(error, "a query") : HISTREE_OK;
}

static inline struct union_query *union_of(struct query *query)
{
	return (struct union_query *)query;
}

static void union_free(struct query *base)
{
	struct union_query *query = union_of(base);
	if (query->readers != NULL)
		shard_readers_cancel(query->readers);
	shard_readers_free(query->readers);
	for (uint32_t i = 0; query->hosts != NULL && i < query->joined->host_count; i++)
		histree_cursor_free(query->hosts[i].query);
	free(query->hosts);
	free(query->parts);
	free(query->questions);
	free(query->cut.shifted);
}

/* ---- the shard at hand ------------------------------------------------------------------------------------ */

static void add_stats(struct tree_counts *sum, const struct histree_cursor *query)
{
	const struct histree_statistics statistics = histree_cursor_statistics(query);
	sum->nodes_visited += statistics.nodes_visited;
	sum->nodes_loaded += statistics.nodes_loaded;
	sum->nodes_damaged += histree_cursor_loss(query).nodes;
}

static struct tree_counts union_counts(const struct query *base)
{
	const struct union_query *query = (const struct union_query *)base;
	struct tree_counts stats = query->stats;
	if (query->current != NULL)
		add_stats(&stats, query->current);
	return stats;
}

static void stop_host(struct histree_cursor *cursor)
{
	struct query *query = query_of(cursor);
	query->kind->stop(query);
}

/* Leave the shard that was asked last, and the node that it holds. */
static void leave_shard(struct union_query *query)
{
	if (query->current == NULL)
		return;
	add_stats(&query->stats, query->current);
	stop_host(query->current);
	if (query->has_threads && histree_query_set_threads(query->current, 1, NULL) == HISTREE_OK)
		query->has_threads = false;
	query->current = NULL;
}

/* Whether a region is cut as a whole before any of it is answered. */
static bool has_parts(const struct union_query *query)
{
	return query->readers != NULL || query->asks_sources;
}

/* Drop what is left, and what threads have of it. */
static void drop(struct union_query *query)
{
	leave_shard(query);
	if (query->question_count > 0 && query->readers != NULL)
		shard_readers_cancel(query->readers);
	for (size_t i = 0; i < query->question_count; i++)
		if (*query->questions[i].query != NULL)
			stop_host(*query->questions[i].query);
	query->question_count = query->part_count = 0;
	query->is_active = false;
}

static inline enum histree_status enter_shard(struct union_query *query, struct asked_host *asked,
					      struct histree_error *error)
{
	query->host = asked->host;
	if (asked->query == NULL) {
		enum histree_status status = query_of_host_create(asked->host->history, &asked->query, error);
		if (status != HISTREE_OK)
			return status;
	}
	query->current = asked->query;
	return HISTREE_OK;
}

static enum histree_status of_host(const struct union_query *query, enum histree_status status,
				   struct histree_error *error)
{
	if (status < 0)
		history_host_prefix(query->host, error);
	return status;
}

/* ---- one attribute at one time ---------------------------------------------------------------------------- */

static struct histree_interval null_of(histree_quark quark, histree_time start, histree_time end)
{
	return (struct histree_interval){ .start = start, .end = end, .quark = quark, .value = histree_null() };
}

/* What no shard says: a folder, or a time that its host was not traced. */
static void outside(struct union_query *query, const struct asked_host *asked, histree_quark quark, histree_time t,
		    struct histree_interval *out)
{
	const struct histree_history_info *info = query->base.info;
	bool is_folder = quark == asked->host->folder;
	query->stats.intervals = 1;
	if (!is_folder && t < asked->start)
		*out = null_of(quark, info->start, asked->start - 1);
	else if (!is_folder)
		*out = null_of(quark, asked->end + 1, info->end);
	else
		*out = null_of(quark, info->start, info->end);
	if (is_folder && history_host_is_missing(asked->host)) {
		*out = (struct histree_interval){
			.start = t, .end = t, .quark = quark, .value = histree_unknown()
		};
		query->stats.nodes_damaged = 1;
	}
}

static enum histree_status union_single(struct query *base, histree_quark quark, histree_time t,
					struct histree_interval *out, struct histree_error *error)
{
	struct union_query *query = union_of(base);
	struct asked_host *asked = &query->hosts[history_union_host(query->joined, quark)];
	const histree_quark before = asked->host->folder + 1;
	const bool is_outside = quark < before || t < asked->start || t > asked->end;
	if (query->is_active || query->question_count > 0)
		drop(query);
	if (query->current != NULL && (is_outside || query->current != asked->query))
		stop_host(query->current);
	query->stats = (struct tree_counts){ 0 };
	query->current = NULL;
	if (is_outside) {
		outside(query, asked, quark, t, out);
		return HISTREE_OK;
	}
	enum histree_status status = enter_shard(query, asked, error);
	if (status == HISTREE_OK) {
		struct query *own = query_of(asked->query);
		status = own->kind->single(own, quark - before, t, out, error);
	}
	if (status != HISTREE_OK)
		return of_host(query, status, error);
	out->quark += before;
	query->stats.intervals = 1;
	return HISTREE_OK;
}

/* ---- a region --------------------------------------------------------------------------------------------- */

static void union_stop(struct query *base)
{
	struct union_query *query = union_of(base);
	drop(query);
	query->stats = (struct tree_counts){ 0 };
}

/* Whether an answer is so long that threads share its nodes rather than that each has shards of its own. */
static bool is_large(const struct union_query *query, const struct host_part *part)
{
	enum { MANY = 32 << 10 };
	const struct histree_history_host *host = &query->joined->hosts[part->number];
	const struct histree_history_info *info = histree_history_info(host->history);
	double attributes = (double)(part->end - part->first);
	if (part->own.times != NULL)
		return attributes * (double)part->own.time_count > MANY;
	double whole = (double)info->end - (double)info->start + 1;
	double share = ((double)part->own.to - (double)part->own.from + 1) / whole;
	return (double)info->interval_count * attributes / (double)host->count * share > MANY;
}

/* Begin all questions at once. */
static enum histree_status begin_questions(struct union_query *query, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < query->part_count && status == HISTREE_OK; i++) {
		const struct host_part *part = &query->parts[i];
		struct asked_host *asked = &query->hosts[part->number];
		if (!part->asks_shard)
			continue;
		if (asked->query == NULL)
			status = query_of_host_create(asked->host->history, &asked->query, error);
		if (status == HISTREE_OK)
			status = histree_query_start(asked->query, &part->own, error);
		if (status != HISTREE_OK)
			history_host_prefix(asked->host, error);
	}
	return status;
}

/*
 * Divide the whole region at once, and begin with all parts: in threads, or by the processes that answer for hosts.
 */
static enum histree_status make_parts(struct union_query *query, struct histree_error *error)
{
	while (union_cut_next(&query->cut, &query->parts[query->part_count])) {
		const struct host_part *part = &query->parts[query->part_count++];
		struct asked_host *asked = &query->hosts[part->number];
		if (part->asks_shard)
			query->questions[query->question_count++] =
				(struct shard_question){ asked->host->history, &asked->query, part->own,
							 is_large(query, part) };
	}
	query->next_part = 0;
	if (query->readers == NULL)
		return begin_questions(query, error);
	if (query->question_count > 0) {
		/* Begin with a list of questions, which lives until the next one or until they are cancelled. */
		shard_readers_cancel(query->readers);
		pthread_mutex_lock(&query->readers->mutex);
		query->readers->questions = query->questions;
		query->readers->count = query->question_count;
		query->readers->begun = query->readers->given = 0;
		pthread_cond_broadcast(&query->readers->changed);
		pthread_mutex_unlock(&query->readers->mutex);
	}
	return HISTREE_OK;
}

static enum histree_status union_start(struct query *base, const struct histree_region *region,
				       struct histree_error *error)
{
	struct union_query *query = union_of(base);
	enum histree_status status = union_cut_begin(&query->cut, query->joined, region, error);
	if (status != HISTREE_OK)
		return status;
	query->stage = NEXT_HOST;
	query->is_active = true;
	if (has_parts(query))
		status = make_parts(query, error);
	if (status != HISTREE_OK)
		drop(query);
	return status;
}

/* Begin with the next host that the region asks about.  Returns false after the last one. */
static bool next_host(struct union_query *query)
{
	if (!has_parts(query) && !union_cut_next(&query->cut, &query->part))
		return false;
	if (has_parts(query) && query->next_part == query->part_count)
		return false;
	if (has_parts(query))
		query->part = query->parts[query->next_part++];
	query->stage = FOLDER;
	query->at = 0;
	query->answer = (struct shard_answer){ .has_begun = false };
	query->answer_at = 0;
	query->is_taken = query->is_begun = false;
	return true;
}

/* The state of a missing host, as of a damaged node: clipped to the range, or one for each of the times. */
static size_t read_unknown(struct union_query *query, histree_quark folder, struct histree_interval *out,
			   size_t room)
{
	const struct histree_region *region = &query->cut.region;
	size_t count = 0;
	query->stats.nodes_damaged += query->at == 0;
	if (region->times == NULL) {
		bool is_first = query->at++ == 0;
		if (is_first)
			out[count++] = (struct histree_interval){ query->cut.from, query->cut.to, folder,
								  histree_unknown() };
		return count;
	}
	for (; query->at < region->time_count && count < room; query->at++) {
		histree_time t = region->times[query->at];
		if (query->at == 0 || region->times[query->at - 1] != t)
			out[count++] = (struct histree_interval){ t, t, folder, histree_unknown() };
	}
	return count;
}

static size_t read_folder(struct union_query *query, struct histree_interval *out, size_t room)
{
	const struct histree_history_host *host = &query->joined->hosts[query->part.number];
	if (!query->part.wants_folder)
		return 0;
	if (history_host_is_missing(host))
		return read_unknown(query, host->folder, out, room);
	bool is_first = query->at++ == 0;
	if (is_first)
		out[0] = null_of(host->folder, query->base.info->start, query->base.info->end);
	return is_first;
}

/* The nulls of the host's attributes in a range outside of its shard. */
static size_t read_nulls(struct union_query *query, histree_time start, histree_time end,
			 struct histree_interval *out, size_t room)
{
	const histree_quark before = query->joined->hosts[query->part.number].folder + 1;
	size_t count = 0;
	if (query->at == query->part.first && !union_cut_asks_for(&query->cut, start, end))
		return 0;
	for (; query->at < query->part.end && count < room; query->at++) {
		histree_quark quark = query->cut.region.quarks != NULL ? query->cut.region.quarks[query->at]
								       : before + (histree_quark)query->at;
		out[count++] = null_of(quark, start, end);
	}
	return count;
}

/* What the threads have read of the shard at hand. */
static size_t read_answer(struct union_query *query, struct histree_interval *out, size_t room)
{
	size_t left = query->answer.count - query->answer_at, count = left < room ? left : room;
	if (count > 0)
		memcpy(out, query->answer.intervals + query->answer_at, count * sizeof(*out));
	query->answer_at += count;
	return count;
}

/* Ask the shard at hand, unless a thread has done so. */
static enum histree_status begin_shard(struct union_query *query, struct asked_host *asked,
				       struct histree_error *error)
{
	if (query->readers != NULL && !query->is_taken) {
		/* Take the answer to the next question: it is the caller's until the next call. */
		struct shard_answer answer = { .has_begun = false };
		pthread_mutex_lock(&query->readers->mutex);
		size_t place = query->readers->given++;
		assert(place < query->readers->count);
		pthread_cond_broadcast(&query->readers->changed); /* there is room for one more */
		assert(place <= query->readers->begun && query->readers->begun <= query->readers->count);
		if (place == query->readers->begun) {
			query->readers->begun++;
		} else {
			const struct slot *slot = &query->readers->slots[place % query->readers->slot_count];
			while (!slot->is_read)
				pthread_cond_wait(&query->readers->read_some, &query->readers->mutex);
			answer = slot->answer;
		}
		pthread_mutex_unlock(&query->readers->mutex);
		query->answer = answer;
	} else if (query->asks_sources)
		query->answer.has_begun = true;
	query->is_taken = true;
	enum histree_status status = enter_shard(query, asked, error);
	if (status == HISTREE_OK && !query->answer.has_begun) {
		/* One does without if there are no more to be had. */
		if (query->readers != NULL && !query->has_threads && is_large(query, &query->part))
			query->has_threads =
				histree_query_set_threads(query->current, query->threads, NULL) == HISTREE_OK;
		status = histree_query_start(query->current, &query->part.own, error);
	}
	query->is_begun = status == HISTREE_OK;
	return status;
}

/* HISTREE_END: the shard has no more. */
static enum histree_status read_shard(struct union_query *query, struct histree_interval *out, size_t room,
				      size_t *count, struct histree_error *error)
{
	struct asked_host *asked = &query->hosts[query->part.number];
	enum histree_status status = HISTREE_OK;
	*count = 0;
	if (!query->part.asks_shard)
		return HISTREE_END;
	if (!query->is_begun)
		status = begin_shard(query, asked, error);
	if (status == HISTREE_OK)
		*count = read_answer(query, out, room);
	struct query *shard = query->current != NULL ? query_of(query->current) : NULL;
	if (status == HISTREE_OK && *count == 0)
		status = query->answer.is_whole ? HISTREE_END : shard->kind->read(shard, out, room, count, error);
	for (size_t i = 0; i < *count; i++)
		out[i].quark += asked->host->folder + 1;
	if (status == HISTREE_END)
		leave_shard(query);
	return of_host(query, status, error);
}

static enum histree_status union_read(struct query *base, struct histree_interval *out, size_t room, size_t *count,
				      struct histree_error *error)
{
	struct union_query *query = union_of(base);
	enum histree_status status = HISTREE_OK;
	*count = 0;
	if (room == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "room for no interval");
	while (query->is_active && *count == 0) {
		const struct asked_host *asked = &query->hosts[query->part.number];
		status = HISTREE_OK;
		switch (query->stage) {
		case NEXT_HOST:
			query->is_active = next_host(query);
			continue;
		case FOLDER:
			*count = read_folder(query, out, room);
			break;
		case BEFORE:
			if (asked->start > query->base.info->start)
				*count = read_nulls(query, query->base.info->start, asked->start - 1, out, room);
			break;
		case SHARD:
			status = read_shard(query, out, room, count, error);
			break;
		case AFTER:
			if (asked->end < query->base.info->end)
				*count = read_nulls(query, asked->end + 1, query->base.info->end, out, room);
			break;
		}
		if (status < 0)
			return status;
		if (*count == 0) {
			query->stage = query->stage == AFTER ? NEXT_HOST : query->stage + 1;
			query->at = query->part.first;
		}
	}
	query->stats.intervals += *count;
	return *count > 0 ? HISTREE_OK : HISTREE_END;
}

static enum histree_status union_set_threads(struct query *base, unsigned threads, struct histree_error *error)
{
	struct union_query *query = union_of(base);
	shard_readers_free(query->readers);
	query->readers = NULL;
	query->threads = threads;
	if (threads == 1 || query->asks_sources)
		return HISTREE_OK;
	enum histree_status status = make_lists(query, error);
	return status != HISTREE_OK ? status : shard_readers_create(threads, &query->readers, error);
}

/* ---- the query ----------------------------------------------------------------------------------------------- */

static const struct query_kind of_hosts = {
	.start = union_start,
	.read = union_read,
	.single = union_single,
	.set_threads = union_set_threads,
	.counts = union_counts,
	.stop = union_stop,
	.free = union_free,
};

static enum histree_status union_query_create(struct histree_history *history, struct histree_cursor **out,
					      struct histree_error *error)
{
	const struct history_union *joined = history_union_of(history);
	uint32_t part;
	struct query *base = query_new(&of_hosts, sizeof(struct union_query), history);
	struct union_query *query = union_of(base);
	*out = NULL;
	if (query == NULL)
		return error_memory(error, "a query");
	query->joined = joined;
	query->hosts = calloc(joined->host_count, sizeof(*query->hosts));
	for (uint32_t i = 0; query->hosts != NULL && i < joined->host_count; i++) {
		const struct histree_history_host *host = &joined->hosts[i];
		query->hosts[i] = (struct asked_host){ .start = 0, .end = -1, .host = host };
		if (host->history != NULL) {
			query->hosts[i].start = histree_history_info(host->history)->start;
			query->hosts[i].end = histree_history_info(host->history)->end;
			query->asks_sources |= history_source_of(host->history, &part) != NULL;
		}
	}
	enum histree_status status = query->hosts == NULL  ? error_memory(error, "a query")
				     : query->asks_sources ? make_lists(query, error)
							   : HISTREE_OK;
	if (status == HISTREE_OK)
		*out = &base->base;
	else
		histree_cursor_free(&base->base);
	return status;
}

enum histree_status union_query_of_host(struct histree_cursor *cursor, size_t host, struct histree_cursor **out,
					struct histree_error *error)
{
	struct union_query *query = union_of(query_of(cursor));
	assert(query->base.kind == &of_hosts && host < query->joined->host_count);
	union_stop(&query->base);
	enum histree_status status = enter_shard(query, &query->hosts[host], error);
	*out = query->current;
	return status;
}

enum histree_status histree_query_create(struct histree_history *history, struct histree_cursor **out,
					 struct histree_error *error)
{
	return history_union_of(history) != NULL ? union_query_create(history, out, error)
						 : query_of_host_create(history, out, error);
}
