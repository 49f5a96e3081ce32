// SPDX-License-Identifier: MIT
/* threads COUNT ROUNDS - so many threads take a few locks from one another, so many times each. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { LOCKS = 16, STACK = 64 << 10 };

static pthread_mutex_t locks[LOCKS];
static uint64_t sums[LOCKS];
static int rounds;

__attribute__((noinline)) static uint64_t work(uint64_t seed, int depth)
{
	return depth == 0 ? seed : work(seed * 6364136223846793005U + 1442695040888963407U, depth - 1);
}

static void *take_locks(void *argument)
{
	uint64_t seed = (uintptr_t)argument;
	for (int i = 0; i < rounds; i++) {
		seed = work(seed, 4);
		const unsigned lock = seed >> 60;
		pthread_mutex_lock(&locks[lock]);
		for (int j = 0; j < 2000; j++)
			sums[lock] += seed ^ (uint64_t)j;
		pthread_mutex_unlock(&locks[lock]);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const int count = argc > 1 ? atoi(argv[1]) : 100;
	rounds = argc > 2 ? atoi(argv[2]) : 10;
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));
	if (threads == NULL)
		return 1;
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&locks[i], NULL);
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	int made = 0;
	while (made < count &&
	       pthread_create(&threads[made], &attributes, take_locks, (void *)(uintptr_t)made) == 0)
		made++;
	for (int i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return made < count;
}
