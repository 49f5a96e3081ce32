/* SPDX-License-Identifier: MIT */
/*
 * ctf_facts.h - what the metadata of a CTF trace says of the trace as a whole: whose it is, and its clock.
 */
#ifndef TRACE_CTF_CTF_FACTS_H
#define TRACE_CTF_CTF_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "histree/value.h"

/* Longer than Linux allows (sethostname(2), uname(2)); what is longer is cut. */
enum { CTF_FACT_SIZE = 96 };

struct ctf_facts {
	char uuid[CTF_FACT_SIZE]; /* of the trace; texts are "" where it does not say */
	char hostname[CTF_FACT_SIZE];
	char kernel[CTF_FACT_SIZE]; /* its release */
	char tracer[CTF_FACT_SIZE];
	/* Which start of which machine: LTTng gives its clock the UUID in /proc/sys/kernel/random/boot_id. */
	char boot[CTF_FACT_SIZE];
	bool has_clock;     /* exactly one, whose times can be told */
	histree_time zero;  /* the time at which the clock was 0 */
	uint64_t frequency; /* of the clock, in Hz */
};

/* From the text of the metadata.  What cannot be understood is not known. */
void ctf_facts_read(const char *metadata, struct ctf_facts *out);

/* Returns whether a value of the clock is a time of 64 bits, and the time. */
bool ctf_facts_time(const struct ctf_facts *facts, uint64_t cycles, histree_time *out);

#endif
