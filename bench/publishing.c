// SPDX-License-Identifier: MIT
/*
 * publishing.c - what it costs to publish a history while it is built: memory at the most, and processor time.
 *
 *	publishing FOLDER [ATTRIBUTES [INTERVALS [POINTS]]]
 *
 * The history of ATTRIBUTES (500000) that have INTERVALS (20) states each, and change in turn, is built in a
 * process of its own without publishing, then in another one that publishes POINTS (10) times.  As all attributes
 * are alive at any time, as much is buffered as can be.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "histree/histree.h"

struct plan {
	char path[4096];
	uint32_t attributes;
	uint64_t intervals, points;
};

struct cost {
	double seconds, megabytes;
};

static void check(enum histree_status status, const struct histree_error *error)
{
	if (status == HISTREE_OK)
		return;
	fprintf(stderr, "publishing: %s\n", error->message);
	exit(1);
}

/* Each attribute once before any of them again, neighbours far apart. */
static histree_quark attribute_of(const struct plan *plan, uint64_t change)
{
	const uint64_t stride = 2654435761; /* a prime */
	return (histree_quark)(change % plan->attributes * stride % plan->attributes);
}

static void build(const struct plan *plan, bool publish)
{
	struct histree_state_system *system;
	struct histree_error error;
	const struct histree_history_options options = { .path = plan->path };
	const uint64_t changes = plan->attributes * plan->intervals;
	check(histree_state_create(&options, &system, &error), &error);
	for (uint32_t i = 0; i < plan->attributes; i++) {
		char name[16];
		histree_quark quark;
		int size = snprintf(name, sizeof(name), "%" PRIu32, i);
		check(histree_state_child(system, HISTREE_ROOT, name, (size_t)size, &quark, &error), &error);
	}
	for (uint64_t i = 0; i < changes; i++) {
		check(histree_state_modify(system, (histree_time)i, attribute_of(plan, i),
					   histree_int((int32_t)(i & 0xffff)), &error),
		      &error);
		if (publish && i % (changes / plan->points) == changes / plan->points / 2)
			check(histree_state_publish(system, (histree_time)i, &error), &error);
	}
	check(histree_state_close(system, (histree_time)changes, &error), &error);
	histree_state_free(system);
}

static struct cost measure(const struct plan *plan, bool publish)
{
	unlink(plan->path);
	pid_t child = fork();
	if (child == 0) {
		build(plan, publish);
		_exit(0);
	}
	int status;
	struct rusage usage;
	if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0)
		exit(1);
	double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			 (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	unlink(plan->path);
	return (struct cost){ .seconds = seconds, .megabytes = (double)usage.ru_maxrss / 1024 };
}

int main(int count, char **arguments)
{
	struct plan plan = { .attributes = 500000, .intervals = 20, .points = 10 };
	if (count < 2) {
		fputs("usage: publishing FOLDER [ATTRIBUTES [INTERVALS [POINTS]]]\n", stderr);
		return 2;
	}
	snprintf(plan.path, sizeof(plan.path), "%s/publishing.sht", arguments[1]);
	if (count > 2)
		plan.attributes = (uint32_t)strtoul(arguments[2], NULL, 10);
	if (count > 3)
		plan.intervals = strtoull(arguments[3], NULL, 10);
	if (count > 4)
		plan.points = strtoull(arguments[4], NULL, 10);
	if (plan.attributes == 0 || plan.points == 0 || plan.points > plan.attributes * plan.intervals) {
		fputs("publishing: there must be something to publish\n", stderr);
		return 2;
	}
	struct cost without = measure(&plan, false), with = measure(&plan, true);
	printf("%" PRIu32 " attributes x %" PRIu64 " intervals, published %" PRIu64 " times\n", plan.attributes,
	       plan.intervals, plan.points);
	printf("%-12s %10s %10s\n", "", "cpu s", "peak MiB");
	printf("%-12s %10.2f %10.1f\n", "without", without.seconds, without.megabytes);
	printf("%-12s %10.2f %10.1f\n", "published", with.seconds, with.megabytes);
	printf("%-12s %10.2f %10.2f\n", "ratio", with.seconds / without.seconds,
	       with.megabytes / without.megabytes);
	return 0;
}
