// SPDX-License-Identifier: MIT
#include "pipeline/event_feed.h"

#include <assert.h>

#include "base/error.h"
#include "base/thread.h"

/* ---- reading ---------------------------------------------------------------------------------------------- */

static enum histree_status next_event(struct event_feed *feed, struct event_batch *batch)
{
	enum histree_status status = trace_next(feed->trace, &feed->event, &batch->error);
	feed->has_event = status == HISTREE_OK;
	if (status != HISTREE_OK || feed->index == NULL)
		return status;
	status = feed->event.gap == NULL ? event_index_add(feed->index, feed->trace, &feed->event, &batch->error)
					 : event_index_add_gap(feed->index, feed->event.gap, &batch->error);
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

static void set(struct event_feed *feed, bool *member, bool value)
{
	pthread_mutex_lock(&feed->mutex);
	*member = value;
	pthread_mutex_unlock(&feed->mutex);
	pthread_cond_broadcast(&feed->changed);
	pthread_cond_signal(&feed->has_room);
}

/* Whether the batches that are next to be filled, so many, were given back by all readers. */
static bool has_room_for(const struct event_feed *feed, uint64_t count)
{
	for (unsigned reader = 0; reader < feed->reader_count; reader++)
		if (feed->made - feed->given[reader] + count > FEED_BATCHES)
			return false;
	return true;
}

/* The mutex is held.  Who has to wait waits for half of the batches: threads change places less often then. */
static void wait_for_room(struct event_feed *feed)
{
	uint64_t wanted = 1;
	while (!feed->is_stopped && (feed->is_paused || !has_room_for(feed, wanted))) {
		wanted = FEED_BATCHES / 2;
		feed->waits_for_room = true;
		pthread_cond_wait(&feed->has_room, &feed->mutex);
		feed->waits_for_room = false;
	}
}

/* The mutex is held: wait for what the feed, or another reader, says. */
static void wait_for_change(struct event_feed *feed)
{
	feed->waiting++;
	pthread_cond_wait(&feed->changed, &feed->mutex);
	feed->waiting--;
}

static void *read_ahead(void *context)
{
	struct event_feed *feed = context;
	pthread_mutex_lock(&feed->mutex);
	while (!feed->is_over) {
		wait_for_room(feed);
		if (feed->is_stopped)
			break;
		struct event_batch *batch = &feed->batches[feed->made % FEED_BATCHES];
		feed->at_work++;
		pthread_mutex_unlock(&feed->mutex);
		fill(feed, batch);
		pthread_mutex_lock(&feed->mutex);
		feed->at_work--;
		feed->made++;
		feed->is_over = batch->status != HISTREE_OK;
		if (feed->waiting > 0)
			pthread_cond_broadcast(&feed->changed);
	}
	pthread_mutex_unlock(&feed->mutex);
	return NULL;
}

static bool make_conditions(struct event_feed *feed)
{
	if (pthread_mutex_init(&feed->mutex, NULL) != 0)
		return false;
	if (pthread_cond_init(&feed->changed, NULL) == 0) {
		if (pthread_cond_init(&feed->has_room, NULL) == 0)
			return true;
		pthread_cond_destroy(&feed->changed);
	}
	pthread_mutex_destroy(&feed->mutex);
	return false;
}

static void destroy_conditions(struct event_feed *feed)
{
	pthread_cond_destroy(&feed->has_room);
	pthread_cond_destroy(&feed->changed);
	pthread_mutex_destroy(&feed->mutex);
	feed->trace = NULL;
}

bool event_feed_start(struct event_feed *feed, struct trace *trace, struct event_index_writer *index)
{
	*feed = (struct event_feed){ .trace = trace, .index = index, .reader_count = 1 };
	if (!make_conditions(feed)) {
		feed->trace = NULL;
		return false;
	}
	feed->has_thread = thread_create(&feed->thread, read_ahead, feed);
	if (!feed->has_thread)
		destroy_conditions(feed);
	return feed->has_thread;
}

unsigned event_feed_add_reader(struct event_feed *feed)
{
	pthread_mutex_lock(&feed->mutex);
	assert(feed->reader_count < FEED_READERS_MAX && feed->given[0] == 0);
	unsigned reader = feed->reader_count++;
	pthread_mutex_unlock(&feed->mutex);
	return reader;
}

void event_feed_drop_reader(struct event_feed *feed, unsigned reader)
{
	pthread_mutex_lock(&feed->mutex);
	assert(reader + 1 == feed->reader_count && feed->given[0] == 0);
	feed->reader_count = reader;
	pthread_mutex_unlock(&feed->mutex);
}

const struct event_batch *event_feed_take(struct event_feed *feed, unsigned reader)
{
	const struct event_batch *batch = NULL;
	pthread_mutex_lock(&feed->mutex);
	uint64_t wanted = feed->given[reader];
	while (!feed->is_stopped && (wanted == feed->made ? !feed->is_over : reader > 0 && feed->is_paused))
		wait_for_change(feed);
	if (!feed->is_stopped && wanted < feed->made) {
		batch = &feed->batches[wanted % FEED_BATCHES];
		feed->at_work += reader > 0;
	}
	pthread_mutex_unlock(&feed->mutex);
	return batch;
}

void event_feed_give_back(struct event_feed *feed, unsigned reader)
{
	pthread_mutex_lock(&feed->mutex);
	feed->given[reader]++;
	feed->at_work -= reader > 0;
	bool wakes_feed = feed->waits_for_room && has_room_for(feed, FEED_BATCHES / 2);
	bool wakes_others = feed->waiting > 0 && feed->is_paused;
	pthread_mutex_unlock(&feed->mutex);
	if (wakes_feed)
		pthread_cond_signal(&feed->has_room);
	if (wakes_others)
		pthread_cond_broadcast(&feed->changed);
}

void event_feed_pause(struct event_feed *feed)
{
	pthread_mutex_lock(&feed->mutex);
	assert(!feed->is_paused);
	feed->is_paused = true;
	while (feed->at_work > 0)
		wait_for_change(feed);
	pthread_mutex_unlock(&feed->mutex);
}

void event_feed_resume(struct event_feed *feed)
{
	set(feed, &feed->is_paused, false);
}

void event_feed_stop(struct event_feed *feed)
{
	if (feed->trace != NULL)
		set(feed, &feed->is_stopped, true);
}

void event_feed_join(struct event_feed *feed)
{
	if (feed->has_thread)
		pthread_join(feed->thread, NULL);
	feed->has_thread = false;
}

void event_feed_release(struct event_feed *feed)
{
	if (feed->trace == NULL)
		return;
	event_feed_stop(feed);
	event_feed_join(feed);
	for (unsigned i = 0; i < FEED_BATCHES; i++)
		kept_events_release(&feed->batches[i].kept);
	kept_classes_release(&feed->classes);
	destroy_conditions(feed);
}
