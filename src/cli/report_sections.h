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

/* How busy the CPUs were, in a sentence: nothing if the history is not one of the kernel. */
enum histree_status report_summary(struct overview_page *page, const struct report_source *source,
				   struct histree_error *error);

/* Pictures, in a page of HTML: threads and CPUs, or any states. */
enum histree_status report_pictures(struct overview_page *page, const struct report_source *source,
				    struct histree_error *error);

/* Threads and CPUs: nothing if the history is not one of the kernel. */
enum histree_status report_time_use(struct overview_page *page, const struct report_source *source,
				    struct histree_error *error);

/* What ended the waits of threads: nothing if there is no graph. */
enum histree_status report_waits(struct overview_page *page, const struct report_source *source,
				 struct histree_error *error);

/* Disks, and files that system calls named: nothing if there are no such segments. */
enum histree_status report_disks(struct overview_page *page, const struct report_source *source,
				 struct histree_error *error);
enum histree_status report_files(struct overview_page *page, const struct report_source *source,
				 struct histree_error *error);

/* Memory that threads of programs allocated, and never freed: prints nothing if there are no such segments. */
enum histree_status report_memory(struct overview_page *page, const struct report_source *source,
				  struct histree_error *error);

/*
 * What was counted in the window: bytes of interfaces, of threads, switches, counters of events.  Nothing if there
 * is no such history.
 */
enum histree_status report_sums(struct overview_page *page, const struct report_source *source,
				struct histree_error *error);

/* Each segment store: how long what lasts, and when the slowest was. */
enum histree_status report_segments(struct overview_page *page, const struct report_source *source,
				    struct histree_error *error);

/* What is said of all above it: nothing if it is whole. */
void report_damage(struct overview_page *page, const struct report_source *source);

/* What a build with more analyses would add. */
void report_more(struct overview_page *page, const struct report_source *source);

#endif
