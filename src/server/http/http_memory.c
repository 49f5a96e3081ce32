// SPDX-License-Identifier: MIT
#include "server/http/http_memory.h"

#include <malloc.h>
#include <time.h>

enum {
	ANSWER_CLAIM = 4 << 20, /* most answers take less */
	MEASURE_NS = 5 * 1000 * 1000,
	NAP_NS = 5 * 1000 * 1000,
};

static int64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static size_t allocated(void)
{
	struct mallinfo2 info = mallinfo2();
	return info.uordblks + info.hblkhd;
}

void http_memory_init(struct http_memory *memory, size_t ceiling)
{
	*memory = (struct http_memory){ .ceiling = ceiling };
	pthread_mutex_init(&memory->mutex, NULL);
}

void http_memory_release(struct http_memory *memory)
{
	pthread_mutex_destroy(&memory->mutex);
}

/* ---- all under the mutex --------------------------------------------------------------------------------- */

static void measure(struct http_memory *memory)
{
	int64_t now = now_ns();
	if (now - memory->measured_ns < MEASURE_NS)
		return;
	size_t bytes = allocated();
	memory->taken = bytes > memory->resting ? bytes - memory->resting : 0;
	memory->measured_ns = now;
}

/* The greater of what is taken and of what is claimed counts, as what is claimed is taken sooner or later. */
static bool fits(struct http_memory *memory, size_t more)
{
	measure(memory);
	return memory->taken <= memory->ceiling && memory->claimed <= memory->ceiling &&
	       more <= memory->ceiling - memory->claimed;
}

static void claim(struct http_memory *memory, struct memory_share *share, size_t more)
{
	share->claimed += more;
	memory->claimed += more;
}

static void append(struct http_memory *memory, struct memory_share *share)
{
	if (memory->first == NULL) {
		memory->resting = allocated();
		memory->taken = 0;
		memory->first = share;
	} else {
		memory->last->after = share;
	}
	share->before = memory->last;
	memory->last = share;
	share->is_under_way = true;
}

/* Whether an answer that is under way may take so many bytes more. */
static bool may_take(struct http_memory *memory, const struct memory_share *share, size_t more)
{
	return memory->first == share || fits(memory, more);
}

/* ---- waiting --------------------------------------------------------------------------------------------- */

static bool take_now(struct http_memory *memory, struct memory_share *share, size_t more)
{
	pthread_mutex_lock(&memory->mutex);
	bool taken =
		share->is_under_way ? may_take(memory, share, more) : memory->first == NULL || fits(memory, more);
	if (taken && !share->is_under_way)
		append(memory, share);
	if (taken)
		claim(memory, share, more);
	pthread_mutex_unlock(&memory->mutex);
	return taken;
}

bool http_memory_claim(struct http_memory *memory, struct memory_share *share, size_t more, int milliseconds)
{
	static const struct timespec nap = { .tv_nsec = NAP_NS };
	const int64_t until = now_ns() + (int64_t)milliseconds * 1000000;
	while (!take_now(memory, share, more)) {
		if (now_ns() >= until)
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

bool http_memory_begin(struct http_memory *memory, struct memory_share *share, int milliseconds)
{
	return http_memory_claim(memory, share, ANSWER_CLAIM, milliseconds);
}

bool http_memory_goes_on(struct http_memory *memory, const struct memory_share *share)
{
	pthread_mutex_lock(&memory->mutex);
	bool goes_on = may_take(memory, share, 0);
	pthread_mutex_unlock(&memory->mutex);
	return goes_on;
}

void http_memory_end(struct http_memory *memory, struct memory_share *share)
{
	if (!share->is_under_way)
		return;
	pthread_mutex_lock(&memory->mutex);
	*(share->before != NULL ? &share->before->after : &memory->first) = share->after;
	*(share->after != NULL ? &share->after->before : &memory->last) = share->before;
	memory->claimed -= share->claimed;
	pthread_mutex_unlock(&memory->mutex);
	*share = (struct memory_share){ 0 };
}
