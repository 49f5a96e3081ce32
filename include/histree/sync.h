/* SPDX-License-Identifier: MIT */
/*
 * sync.h - by how much the clocks of the hosts of several traces differ, from the packets between them.
 *
 * A TCP packet cannot arrive before it left, so each bounds the clock of one host by that of the other; the lines
 * that all packets allow lie between two convex hulls (docs/design/13-hosts.md has the method and its
 * sources).
 *
 * Threads: one thread calls; the result belongs to the caller.
 */
#ifndef HISTREE_SYNC_H
#define HISTREE_SYNC_H

#include <math.h>

#include "cancel.h"
#include "status.h"
#include "value.h"

enum histree_clock_quality {
	HISTREE_CLOCK_ABSENT,      /* nothing is known: times stay as they are */
	HISTREE_CLOCK_APPROXIMATE, /* packets bound the offset, or one side of it, but not the rate */
	HISTREE_CLOCK_ACCURATE,    /* the rate and the offset are bounded from both sides */
	HISTREE_CLOCK_REFERENCE,   /* the host whose time all get */
	HISTREE_CLOCK_GIVEN,       /* given by the user, not checked */
};

/* The error of a clock that has no bounds. */
#define HISTREE_CLOCK_UNBOUNDED INFINITY

/* From the time of a host to that of the reference. */
struct histree_clock {
	histree_time from, to; /* the same moment by both clocks; that of the reference has a fraction besides */
	uint32_t fraction;     /* in 2^-32 ns */
	int64_t rate;          /* how much faster the reference goes, in 2^-62: slope - 1, between -1/2 and 1 */
	enum histree_clock_quality quality;
	double error;      /* in ns, the greatest while packets came; HISTREE_CLOCK_UNBOUNDED */
	uint64_t matches;  /* packets on the path to the reference that were seen by both hosts */
	uint64_t accurate; /* those among them that narrowed the bounds when they came */
};

/*
 * Returns the time of the reference, in whole nanoseconds, rounded down.  The order of two times is never
 * reversed. A result beyond the ends of time becomes the nearer end.
 */
HISTREE_API histree_time histree_clock_apply(const struct histree_clock *clock, histree_time time);

/* Returns the slope and the offset in "reference = slope * time + offset", as far as doubles go. */
HISTREE_API double histree_clock_slope(const struct histree_clock *clock);
HISTREE_API double histree_clock_offset(const struct histree_clock *clock);

/*
 * Make a clock from a user's text, "OFFSET[,SLOPE]": decimal numbers, the offset in ns.  Its quality is
 * HISTREE_CLOCK_GIVEN.  Returns HISTREE_ERR_ARGUMENT if they are not numbers, or out of range: the slope is more
 * than 1/2 and less than 2, and the offset is a time of 64 bits.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_clock_read(const char *text, struct histree_clock *out,
								      struct histree_error *error);

struct histree_host_clock {
	const char *host; /* its name; the name of its folder if the traces do not say it */
	struct histree_clock clock;
	/*
	 * Index of the host whose packets its clock comes from, or its own index if there is no such host.  The
	 * path of such hosts leads to the reference.
	 */
	size_t neighbour;
	/* If packets contradict each other, the time of the first contradiction, by this host's clock; else 0. */
	histree_time contradiction;
	/*
	 * Events of this host that were read, and packets among them.  Traces that declare no packets are not
	 * read.
	 */
	uint64_t events, packets;
};

struct histree_sync;

struct histree_sync_options {
	const char *reference; /* the host whose time all get; NULL: that of the first trace */
	struct histree_cancel cancel;
	/* Called now and then with the share that has been read, 0 to 1.  May be NULL. */
	void (*progress)(void *context, double share);
	void *progress_context;
};

/*
 * Read the traces found at and below the paths, and compare the clocks of their hosts.  Hosts are told apart by
 * what the traces say: the boot of the machine, or its name.  `options` may be NULL.  Returns HISTREE_ERR_TRACE
 * if one of the paths has no trace, HISTREE_NOT_FOUND if no host has the name of the reference,
 * HISTREE_ERR_CANCELLED.  The caller frees *out.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_sync_traces(const char *const *paths, size_t path_count,
								       const struct histree_sync_options *options,
								       struct histree_sync **out,
								       struct histree_error *error);

/* Returns the hosts, in the order of their first traces; borrowed. */
HISTREE_API const struct histree_host_clock *histree_sync_hosts(const struct histree_sync *sync, size_t *count);

HISTREE_API void histree_sync_free(struct histree_sync *sync);

/* Returns "absent", "approximate", "accurate", "reference" or "given". */
HISTREE_API const char *histree_clock_quality_name(enum histree_clock_quality quality);

#endif
