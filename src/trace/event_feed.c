// SPDX-License-Identifier: MIT
/*
 * event_feed.c - reads a trace ahead by a crew, in batches that several readers share.  A batch is reused after
 * the last of its readers has given it back.
 */
#include "trace/event_feed.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"

struct event_feed {
	struct trace *trace;
	struct event_watch watch;
	struct kept_classes classes;
	struct event_batch batches[FEED_BATCHES]; /* number n is batches[n % FEED_BATCHES] */
	struct event event;                       /* the one that did not fit into the batch before */
	bool has_event;
	struct crew *crew;
	struct crew_task filling; /* a step is a batch */

	pthread_mutex_t mutex;                       /* guards what follows, and who has which batch */
	uint64_t made;                               /* batches */
	uint64_t given[FEED_READERS_MAX];            /* back, by reader */
	struct crew_task *readers[FEED_READERS_MAX]; /* the first one's is NULL */
	unsigned reader_count;
	unsigned at_work; /* steps: of `filling`, and of readers that have a batch */
	bool is_paused, is_over, is_stopped;
};

/* ---- reading ---------------------------------------------------------------------------------------------- */

static enum histree_status next_event(struct event_feed *feed, struct event_batch *batch)
{
	enum histree_status status = trace_next(feed->trace, &feed->event, &batch->error);
	feed->has_event = status == HISTREE_OK;
	if (status != HISTREE_OK || feed->watch.see == NULL)
		return status;
	status = feed->watch.see(feed->watch.context, feed->trace, &feed->event, &batch->error);
	batch->has_failed = status != HISTREE_OK;
	return status;
}

static void fill(struct event_feed *feed, struct event_batch *batch)
{
	kept_events_clear(&batch->kept);
	batch->status = HISTREE_OK;
	batch->has_failed = false;
	for (;;) {
		if (!feed->has_event)
			batch->status = next_event(feed, batch);
		if (batch->status != HISTREE_OK)
			break;
		enum kept_outcome outcome = kept_events_add(&batch->kept, &feed->classes, &feed->event);
		if (outcome == KEPT_NO_ROOM)
			break;
		if (outcome == KEPT_NO_MEMORY) {
			batch->status = error_memory(&batch->error, "events that are read ahead");
			batch->has_failed = true;
			break;
		}
		feed->has_event = false;
	}
	batch->report = trace_report(feed->trace);
}

/* ---- who has which batch ---------------------------------------------------------------------------------- */

/* Returns whether all readers have given back the next `count` batches to be filled. */
static bool has_room_for(const struct event_feed *feed, uint64_t count)
{
	for (unsigned reader = 0; reader < feed->reader_count; reader++)
		if (feed->made - feed->given[reader] + count > FEED_BATCHES)
			return false;
	return true;
}

static bool can_fill(const struct event_feed *feed)
{
	return !feed->is_stopped && !feed->is_paused && !feed->is_over && has_room_for(feed, 1);
}

static bool has_batch_for(const struct event_feed *feed, unsigned reader)
{
	return !feed->is_stopped && !(reader > 0 && feed->is_paused) && feed->given[reader] < feed->made;
}

static void start_readers(struct event_feed *feed)
{
	pthread_mutex_lock(&feed->mutex);
	unsigned count = feed->reader_count;
	pthread_mutex_unlock(&feed->mutex);
	for (unsigned reader = 1; reader < count; reader++)
		crew_start(feed->crew, feed->readers[reader]);
}

/* A step: fill the next batch. */
static bool fill_next(void *context)
{
	struct event_feed *feed = context;
	struct event_batch *batch = NULL;
	pthread_mutex_lock(&feed->mutex);
	if (can_fill(feed)) {
		batch = &feed->batches[feed->made % FEED_BATCHES];
		feed->at_work++;
	}
	pthread_mutex_unlock(&feed->mutex);
	if (batch == NULL)
		return false;
	fill(feed, batch);
	pthread_mutex_lock(&feed->mutex);
	feed->at_work--;
	feed->made++;
	feed->is_over = batch->status != HISTREE_OK;
	bool goes_on = can_fill(feed);
	pthread_mutex_unlock(&feed->mutex);
	start_readers(feed);
	return goes_on;
}

struct event_feed *event_feed_start(struct crew *crew, struct trace *trace, const struct event_watch *watch)
{
	struct event_feed *feed = calloc(1, sizeof(*feed));
	if (feed == NULL || pthread_mutex_init(&feed->mutex, NULL) != 0) {
		free(feed);
		return NULL;
	}
	feed->trace = trace;
	feed->watch = *watch;
	feed->crew = crew;
	feed->reader_count = 1;
	feed->filling = (struct crew_task){ .step = fill_next, .context = feed };
	crew_start(crew, &feed->filling);
	return feed;
}

void event_feed_add_reader(struct event_feed *feed, struct crew_task *task, unsigned *reader)
{
	pthread_mutex_lock(&feed->mutex);
	assert(feed->reader_count < FEED_READERS_MAX && feed->given[0] == 0);
	feed->readers[feed->reader_count] = task;
	*reader = feed->reader_count++;
	pthread_mutex_unlock(&feed->mutex);
	crew_start(feed->crew, task);
}

/* Whether the first reader need not wait. */
static bool is_served(void *context)
{
	struct event_feed *feed = context;
	pthread_mutex_lock(&feed->mutex);
	bool is_served = feed->is_stopped || feed->is_over || feed->given[0] < feed->made;
	pthread_mutex_unlock(&feed->mutex);
	return is_served;
}

const struct event_batch *event_feed_take(struct event_feed *feed)
{
	crew_await(feed->crew, &feed->filling, is_served, feed);
	pthread_mutex_lock(&feed->mutex);
	bool has_one = has_batch_for(feed, 0);
	pthread_mutex_unlock(&feed->mutex);
	return has_one ? &feed->batches[feed->given[0] % FEED_BATCHES] : NULL;
}

const struct event_batch *event_feed_look(struct event_feed *feed, unsigned reader)
{
	pthread_mutex_lock(&feed->mutex);
	bool has_one = has_batch_for(feed, reader);
	feed->at_work += has_one;
	pthread_mutex_unlock(&feed->mutex);
	return has_one ? &feed->batches[feed->given[reader] % FEED_BATCHES] : NULL;
}

/* Filling begins again when there is room for half of the batches: threads change places less often then. */
static bool give_back(struct event_feed *feed, unsigned reader)
{
	pthread_mutex_lock(&feed->mutex);
	feed->given[reader]++;
	feed->at_work -= reader > 0;
	bool starts_filling = can_fill(feed) && has_room_for(feed, FEED_BATCHES / 2);
	bool has_another = has_batch_for(feed, reader);
	pthread_mutex_unlock(&feed->mutex);
	if (starts_filling)
		crew_start(feed->crew, &feed->filling);
	return has_another;
}

void event_feed_give_back(struct event_feed *feed)
{
	give_back(feed, 0);
}

bool event_feed_return(struct event_feed *feed, unsigned reader)
{
	return give_back(feed, reader);
}

static void set(struct event_feed *feed, bool *member, bool value)
{
	pthread_mutex_lock(&feed->mutex);
	*member = value;
	pthread_mutex_unlock(&feed->mutex);
}

static bool is_quiet(void *context)
{
	struct event_feed *feed = context;
	pthread_mutex_lock(&feed->mutex);
	bool is_quiet = feed->at_work == 0;
	pthread_mutex_unlock(&feed->mutex);
	return is_quiet;
}

void event_feed_pause(struct event_feed *feed)
{
	set(feed, &feed->is_paused, true);
	crew_await(feed->crew, &feed->filling, is_quiet, feed);
}

void event_feed_resume(struct event_feed *feed)
{
	set(feed, &feed->is_paused, false);
	crew_start(feed->crew, &feed->filling);
	start_readers(feed);
}

void event_feed_end(struct event_feed *feed, bool is_in_vain)
{
	if (is_in_vain)
		set(feed, &feed->is_stopped, true);
	crew_finish(feed->crew, &feed->filling);
}

void event_feed_join(struct event_feed *feed, struct crew_task *task)
{
	crew_finish(feed->crew, task);
}

void event_feed_free(struct event_feed *feed)
{
	if (feed == NULL)
		return;
	for (unsigned i = 0; i < FEED_BATCHES; i++)
		kept_events_release(&feed->batches[i].kept);
	kept_classes_release(&feed->classes);
	pthread_mutex_destroy(&feed->mutex);
	free(feed);
}
