// SPDX-License-Identifier: MIT
/*
 * burn.c - the workload of the eSHT paper (algorithm 2): many threads that live for a moment.
 *
 *	burn [--threads N] [--burn-us N]
 *
 * Waves of one thread a CPU; each thread keeps its CPU busy for a moment and ends, then comes the next wave.
 * A trace of it has few states in a thread and thousands of threads: the case that the plain state history
 * tree is worst at.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CPUS_MAX = 1024 };

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void *burn_cpu(void *argument)
{
	const uint64_t *burn_ns = argument;
	uint64_t end = now_ns() + *burn_ns;
	while (now_ns() < end)
		;
	return NULL;
}

/* One wave: `count` threads at once, all of them ended on return.  0, or an errno. */
static int run_wave(long count, uint64_t *burn_ns)
{
	pthread_t threads[CPUS_MAX];
	long started = 0;
	int failure = 0;
	while (started < count && failure == 0) {
		failure = pthread_create(&threads[started], NULL, burn_cpu, burn_ns);
		if (failure == 0)
			started++;
	}
	for (long i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	return failure;
}

/* A number from 1 to 10 million; 0 if `text` is none. */
static long number_from(const char *text)
{
	char *end;
	errno = 0;
	long number = strtol(text, &end, 10);
	return errno == 0 && *end == '\0' && number >= 1 && number <= 10000000 ? number : 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "threads", required_argument, NULL, 't' },
		{ "burn-us", required_argument, NULL, 'b' },
		{ NULL, 0, NULL, 0 },
	};
	long thread_count = 2000, burn_us = 500;
	bool understood = true;
	int option;
	while (understood && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		long *number = option == 't' ? &thread_count : &burn_us;
		understood = optarg != NULL && (*number = number_from(optarg)) != 0;
	}
	if (!understood || optind < argc) {
		fputs("usage: burn [--threads N] [--burn-us N]\n", stderr);
		return 2;
	}

	long cpu_count = sysconf(_SC_NPROCESSORS_ONLN);
	if (cpu_count < 1)
		cpu_count = 1;
	if (cpu_count > CPUS_MAX)
		cpu_count = CPUS_MAX;
	uint64_t burn_ns = (uint64_t)burn_us * 1000;
	for (long done = 0; done < thread_count; done += cpu_count) {
		long left = thread_count - done;
		int failure = run_wave(left < cpu_count ? left : cpu_count, &burn_ns);
		if (failure != 0) {
			fprintf(stderr, "burn: cannot start a thread: %s\n", strerror(failure));
			return 1;
		}
	}
	return 0;
}
