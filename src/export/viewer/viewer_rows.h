/* SPDX-License-Identifier: MIT */
/*
 * viewer_rows.h - which attributes of a history a viewer shows, and on which track: threads on tracks of their
 * processes, with their names; and the names of spans for values.
 */
#ifndef EXPORT_VIEWER_VIEWER_ROWS_H
#define EXPORT_VIEWER_VIEWER_ROWS_H

#include "export/viewer/viewer_file.h"
#include "histree/states.h"
#include "view/view.h"

struct viewer_threads {
	struct viewer_file *file;
	struct histree_control_flow *flow; /* NULL: nothing is known of threads */
	const struct histree_thread *threads;
	uint32_t count;
};

/* Read the threads of a history, which may be NULL.  Returns the status of the file. */
enum histree_status viewer_threads_begin(struct viewer_threads *threads, struct viewer_file *file,
					 struct histree_history *history, struct histree_work work);
void viewer_threads_release(struct viewer_threads *threads);

/* Returns the track of a thread of the list; NULL after a failure. */
struct viewer_track *viewer_threads_track(struct viewer_threads *threads, const struct histree_thread *thread);

/*
 * Returns the track of the thread with this number: of its process if that is known, else of `pid` if the caller
 * has one (`has_pid`), else of none.  Of several that had the number, it is the one that had it at a time.
 */
struct viewer_track *viewer_threads_find(struct viewer_threads *threads, int64_t tid, bool has_pid, int64_t pid,
					 histree_time time);

/* Write what a CPU says that runs there at a time: "bash 42", "idle".  Returns the length. */
size_t viewer_threads_words(const struct viewer_threads *threads, int32_t tid, histree_time time, char *text,
			    size_t capacity);

/* Returns the track of the process that had a number at a time; NULL after a failure. */
struct viewer_track *viewer_threads_process(struct viewer_threads *threads, int64_t pid, histree_time time);

struct viewer_row {
	histree_quark quark;
	enum histree_meaning meaning : 8;
	bool counts : 1;    /* its numbers are those of a counter */
	uint16_t rank;      /* of spans of one track with the same times the lowest is the outermost */
	histree_time since; /* from when on its states belong to this row, not to the one of its quark before it */
	const struct histree_label_table *labels; /* NULL: none */
	const char *category;
	struct viewer_track *track;   /* for spans */
	struct viewer_track *counter; /* for numbers; NULL: made when there is one */
};

struct viewer_rows {
	struct viewer_file *file;
	struct histree_history *history;
	const struct histree_attributes *attributes;
	struct viewer_threads threads;
	struct histree_cursor *query; /* for names, and what was going on when the range began */
	histree_time from, to;
	struct viewer_row *rows; /* by quark, then by time */
	size_t count, capacity;
	uint32_t *by_quark; /* index of the first row plus one, by quark; 0: none */
	histree_quark *quarks;
	size_t quark_count;
	bool is_order_known,
		has_order; /* whether processes and threads were made in another one than by their numbers */
};

/* List the rows of a history: of the given attributes, or of all that its views show. */
enum histree_status viewer_rows_begin(struct viewer_rows *rows, struct viewer_file *file,
				      struct histree_history *history, const histree_quark *quarks,
				      size_t quark_count, histree_time from, histree_time to,
				      struct histree_work work);
void viewer_rows_release(struct viewer_rows *rows);

static inline struct viewer_row *viewer_rows_of(const struct viewer_rows *rows, histree_quark quark)
{
	return rows->by_quark[quark] == 0 ? NULL : &rows->rows[rows->by_quark[quark] - 1];
}

/* The same of the row whose states at a time they are. */
static inline struct viewer_row *viewer_rows_at(const struct viewer_rows *rows, histree_quark quark,
						histree_time time)
{
	struct viewer_row *row = viewer_rows_of(rows, quark), *end = rows->rows + rows->count;
	while (row != NULL && row + 1 < end && row[1].quark == quark && row[1].since <= time)
		row++;
	return row;
}

enum { VIEWER_WORDS_SIZE = 128 };

/*
 * Returns the text of a state that begins at a time: its words where they are known, else its value.  It is in
 * `room`, or borrowed from the value or a table.  *says_value is false where the value is another one than the
 * text.
 */
struct viewer_text viewer_words(const struct viewer_rows *rows, const struct viewer_row *row,
				const struct histree_value *value, histree_time time, char room[VIEWER_WORDS_SIZE],
				bool *says_value);

/* Returns a value as text, in `room` or borrowed from it; bytes that are no text are hexadecimal, and cut. */
struct viewer_text viewer_value_text(const struct histree_value *value, char room[VIEWER_WORDS_SIZE]);

#endif
