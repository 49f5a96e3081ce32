// SPDX-License-Identifier: MIT
#include "server/http/http_watch.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "base/error.h"

enum { LOOK_MS = 250 }; /* between two looks, while there are connections */

#define NO_LIMIT INT64_MAX

struct watched {
	struct watched *next, **link; /* what points to it */
	int socket;
	bool is_shut;
	int64_t until_ms;    /* of the monotonic clock */
	uint64_t waits_from; /* the turn at which it began to have no whole request; NOT_WAITING: it has one */
};

#define NOT_WAITING UINT64_MAX

/* Always holds: a socket in the list is open, so that none of a stranger is shut which has its number. */
struct http_watch {
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	pthread_t thread;
	struct watched *first;
	size_t count, count_max; /* of those that are not shut yet */
	uint64_t turn;
	bool ends;
};

static int64_t now_ms(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Its thread finds out, and has it removed. */
static void shut(struct http_watch *watch, struct watched *watched)
{
	shutdown(watched->socket, SHUT_RDWR);
	watched->until_ms = NO_LIMIT;
	watched->waits_from = NOT_WAITING;
	watch->count -= !watched->is_shut;
	watched->is_shut = true;
}

static void shut_late_ones(struct http_watch *watch)
{
	int64_t now = now_ms();
	for (struct watched *each = watch->first; each != NULL; each = each->next)
		if (each->until_ms <= now)
			shut(watch, each);
}

/* The one that has been without a whole request for the longest; none, if all that there are have one. */
static void make_room(struct http_watch *watch)
{
	struct watched *oldest = NULL;
	for (struct watched *each = watch->first; each != NULL; each = each->next)
		if (each->waits_from != NOT_WAITING && (oldest == NULL || each->waits_from < oldest->waits_from))
			oldest = each;
	if (oldest != NULL)
		shut(watch, oldest);
}

static void *look(void *context)
{
	struct http_watch *watch = context;
	pthread_mutex_lock(&watch->mutex);
	while (!watch->ends) {
		int64_t next = now_ms() + LOOK_MS;
		const struct timespec until = { .tv_sec = next / 1000, .tv_nsec = next % 1000 * 1000000 };
		if (watch->first == NULL)
			pthread_cond_wait(&watch->wake, &watch->mutex);
		else
			pthread_cond_clockwait(&watch->wake, &watch->mutex, CLOCK_MONOTONIC, &until);
		shut_late_ones(watch);
	}
	pthread_mutex_unlock(&watch->mutex);
	return NULL;
}

enum histree_status http_watch_create(size_t connections, struct http_watch **out, struct histree_error *error)
{
	struct http_watch *watch = *out = calloc(1, sizeof(*watch));
	if (watch == NULL)
		return error_memory(error, "a server");
	watch->count_max = connections;
	pthread_mutex_init(&watch->mutex, NULL);
	pthread_cond_init(&watch->wake, NULL);
	if (pthread_create(&watch->thread, NULL, look, watch) == 0)
		return HISTREE_OK;
	pthread_cond_destroy(&watch->wake);
	pthread_mutex_destroy(&watch->mutex);
	free(watch);
	*out = NULL;
	return error_memory(error, "a thread");
}

void http_watch_free(struct http_watch *watch)
{
	if (watch == NULL)
		return;
	pthread_mutex_lock(&watch->mutex);
	watch->ends = true;
	pthread_cond_signal(&watch->wake);
	pthread_mutex_unlock(&watch->mutex);
	pthread_join(watch->thread, NULL);
	pthread_cond_destroy(&watch->wake);
	pthread_mutex_destroy(&watch->mutex);
	free(watch);
}

struct watched *http_watch_add(struct http_watch *watch, int socket)
{
	struct watched *watched = malloc(sizeof(*watched));
	if (watched == NULL)
		return NULL;
	pthread_mutex_lock(&watch->mutex);
	if (watch->count >= watch->count_max)
		make_room(watch);
	watch->count++;
	*watched = (struct watched){ .next = watch->first,
				     .link = &watch->first,
				     .socket = socket,
				     .until_ms = NO_LIMIT,
				     .waits_from = watch->turn++ };
	if (watch->first != NULL)
		watch->first->link = &watched->next;
	watch->first = watched;
	pthread_cond_signal(&watch->wake);
	pthread_mutex_unlock(&watch->mutex);
	return watched;
}

void http_watch_allow(struct http_watch *watch, struct watched *watched, int milliseconds, bool has_request)
{
	if (watched == NULL)
		return;
	pthread_mutex_lock(&watch->mutex);
	if (!watched->is_shut)
		watched->until_ms = now_ms() + milliseconds;
	if (has_request || watched->is_shut)
		watched->waits_from = NOT_WAITING;
	else if (watched->waits_from == NOT_WAITING)
		watched->waits_from = watch->turn++;
	pthread_mutex_unlock(&watch->mutex);
}

void http_watch_remove(struct http_watch *watch, struct watched *watched)
{
	if (watched == NULL)
		return;
	pthread_mutex_lock(&watch->mutex);
	watch->count -= !watched->is_shut;
	*watched->link = watched->next;
	if (watched->next != NULL)
		watched->next->link = watched->link;
	pthread_mutex_unlock(&watch->mutex);
	free(watched);
}
