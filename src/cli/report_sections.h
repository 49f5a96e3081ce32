/* SPDX-License-Identifier: MIT */
/*
 * report_sections.h - the sections of 'histree report': the contents, what ran, what waited and for what, how long
 * calls and interrupts took.
 *
 * Each section asks the library one question and shows the first few rows of the answer, with the command that
 * shows all.
 */
#ifndef CLI_REPORT_SECTIONS_H
#define CLI_REPORT_SECTIONS_H

#include "cli/overview_page.h"
#include "cli/target.h"
#include "cli/thread_lives.h"
#include "histree/status.h"

struct histree_time_use;

/* What several sections ask, each question once: about the time of threads, and whose a number was when. */
struct report_uses {
	struct report_use {
		unsigned by;
		const char *where;
		struct histree_time_use *use;
	} uses[8];
	size_t count;
	struct thread_lives lives; /* by report_lives() */
	bool has_lives;
	bool is_damaged; /* an answer, to these or to others, lacks what is lost */
};

void report_uses_release(struct report_uses *uses);

struct report_source {
	const struct target *target;     /* a store */
	struct histree_history *history; /* NULL: the store has no such history */
	histree_time from, to;           /* in the history, or else in the trace */
	bool has_window;                 /* that is not all of it, */
	char window[128];                /* and these are the options that say so, after a blank */
	uint64_t row_max;                /* of a table */
	struct histree_work work;
	struct report_uses *uses;
};

/* Returns which thread a number was at a time; NULL after an error. */
const struct thread_lives *report_lives(const struct report_source *source, struct histree_error *error);

/* Close segments that a section has read. */
void report_segments_close(const struct report_source *source, struct histree_segment_store *store);

/* What the store contains, and what is missing from it. */
void report_facts(struct overview_page *page, const struct report_source *source);

/* A section of which there may be nothing, as the store does not have what it is about. */
typedef enum histree_status report_section(struct overview_page *page, const struct report_source *source,
					   struct histree_error *error);

/* How busy the CPUs were, in a sentence; threads and CPUs: nothing if the history is not one of the kernel. */
report_section report_summary, report_time_use;

/* Pictures, in a page of HTML: threads and CPUs, or any states. */
report_section report_pictures;

/* What ended the waits of threads: nothing if there is no graph. */
report_section report_waits;

/* Each segment store: how long what lasts, and when the slowest was. */
report_section report_segments;

/* Disks, files that system calls named, and memory that threads of programs allocated, and never freed. */
report_section report_files;

/* What was counted in the window: bytes of interfaces, of threads, switches, counters of events. */
report_section report_sums;

/* What is said of all above it: nothing if it is whole. */
void report_damage(struct overview_page *page, const struct report_source *source);

/* What a build with more analyses would add. */
void report_more(struct overview_page *page, const struct report_source *source);

#endif
