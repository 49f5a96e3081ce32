// SPDX-License-Identifier: MIT
#include "support/slice_carrier.h"

#include <stdlib.h>
#include <time.h>

static void rest(void)
{
	static const struct timespec moment = { .tv_nsec = 100 * 1000 };
	nanosleep(&moment, NULL);
}

static void to_worker(struct slice_carrier *carrier, unsigned number)
{
	void *bytes;
	size_t size;
	while (histree_slice_post_take(carrier->post, number, &bytes, &size, NULL) == HISTREE_OK) {
		carrier->carried += size;
		if (histree_slice_worker_put(carrier->worker[number], bytes, size, NULL) != HISTREE_OK)
			carrier->is_gone[number] = true;
		free(bytes);
	}
}

/* The message comes too late for its worker, which is gone. */
static bool is_last(struct slice_carrier *carrier, const char *message)
{
	return carrier->loses > 0 && (carrier->loses_at == '\0' || carrier->loses_at == message[0]) &&
	       random_below(&carrier->random, carrier->loses) == 0;
}

static void from_worker(struct slice_carrier *carrier, unsigned number)
{
	void *bytes;
	size_t size;
	enum histree_status status;
	while ((status = histree_slice_worker_take(carrier->worker[number], &bytes, &size, NULL)) == HISTREE_OK) {
		carrier->carried += size;
		if (carrier->look != NULL)
			carrier->look(bytes, size);
		if (is_last(carrier, bytes))
			carrier->is_gone[number] = true;
		if (carrier->damages > 0 && random_below(&carrier->random, carrier->damages) == 0)
			((uint8_t *)bytes)[random_below(&carrier->random, size)] ^=
				(uint8_t)(1 + random_below(&carrier->random, 255));
		if (!carrier->is_gone[number] &&
		    histree_slice_post_put(carrier->post, number, bytes, size, NULL) != HISTREE_OK)
			carrier->is_gone[number] = true; /* the build knows */
		free(bytes);
	}
	carrier->is_gone[number] = carrier->is_gone[number] || status == HISTREE_ERR_MEMORY;
}

static void *carry(void *context)
{
	struct slice_carrier *carrier = context;
	while (!atomic_load(&carrier->is_stopping)) {
		for (unsigned number = 0; number < carrier->workers; number++) {
			if (carrier->is_gone[number])
				continue;
			to_worker(carrier, number);
			from_worker(carrier, number);
			if (carrier->is_gone[number])
				histree_slice_post_lose(carrier->post, number);
		}
		rest();
	}
	return NULL;
}

static void free_all(struct slice_carrier *carrier)
{
	for (unsigned number = 0; number < carrier->workers; number++)
		histree_slice_worker_free(carrier->worker[number]);
	histree_slice_post_free(carrier->post);
	carrier->post = NULL;
}

bool slice_carrier_begin(struct slice_carrier *carrier, unsigned threads)
{
	bool is_well = histree_slice_post_create(carrier->workers, threads, &carrier->post, NULL) == HISTREE_OK;
	for (unsigned number = 0; number < carrier->workers && is_well; number++) {
		carrier->is_gone[number] = false;
		is_well = histree_slice_worker_create(threads, &carrier->worker[number], NULL) == HISTREE_OK;
	}
	atomic_store(&carrier->is_stopping, false);
	if (is_well && pthread_create(&carrier->thread, NULL, carry, carrier) == 0)
		return true;
	free_all(carrier);
	return false;
}

void slice_carrier_end(struct slice_carrier *carrier)
{
	atomic_store(&carrier->is_stopping, true);
	pthread_join(carrier->thread, NULL);
	free_all(carrier);
}
