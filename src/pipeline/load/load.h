/* SPDX-License-Identifier: MIT */
/*
 * load.h - makes a store from tables of states, changes or segments (docs/design/08-traces.md).
 *
 * The struct of a load is for load.c, which reads texts and makes the store, and load_rows.c, which interprets rows
 * and reports progress.
 *
 * Rows become records, which are sorted by time: intervals and segments by their ends, as trees want them, changes
 * by their times.  Facts about all rows, such as the type of an attribute, are known when the first record is taken
 * out again.
 */
#ifndef PIPELINE_LOAD_LOAD_H
#define PIPELINE_LOAD_LOAD_H

#include "base/bytes.h"
#include "base/io.h"
#include "base/table.h"
#include "histree/build.h"
#include "histree/segments.h"
#include "pipeline/build_plan.h"
#include "state/attributes.h"
#include "state/ongoing_states.h"
#include "store/record_sort.h"
#include "store_folder/store_folder.h"
#include "text/text_table.h"

enum load_kind { LOAD_NOTHING, LOAD_INTERVALS, LOAD_CHANGES, LOAD_SEGMENTS };

/* What is done with rows, one after the other. */
enum load_phase { LOAD_READING, LOAD_MAKING, LOAD_OVERVIEWS };

/* What rows say of an attribute. */
struct load_attribute {
	histree_time since; /* the first time that no interval taken out so far says anything of */
	uint8_t type;       /* of its values; null if there is none yet */
	bool has_rows;      /* else it is a folder */
	bool is_over;       /* no time is left after its last interval */
};

struct load_field {
	const char *name;
	enum histree_type type; /* that all its values have, or can be given */
};

/* The columns that mean something, of the text that is being read. */
struct load_columns {
	size_t path, start, end, time, value, type;
};

struct load {
	const struct histree_load_options *options;
	const struct io *io;
	struct histree_error *error;
	struct store_folder folder;
	struct memory_plan memory;
	struct table_space tables;
	enum load_kind kind;
	enum load_phase phase;
	uint64_t bytes_total; /* of all texts; 0: not known */

	struct text_table text; /* the one that is being read */
	size_t file;            /* its number, from 1; 0 is the initial one */
	struct load_columns columns;
	struct record_sort *sort;
	struct histree_load_result result;
	histree_time start, end; /* of all rows, as long as there are any */
	bool has_times;

	/* States */
	uint8_t *labels; /* the section LABL */
	size_t label_size;
	struct attribute_tree names;
	struct load_attribute *attributes; /* by quark */
	size_t attribute_capacity;
	struct table attribute_table;
	uint32_t attribute_count; /* of them that are set */
	char *last_path;          /* of the row before: rows of one attribute often follow one another */
	size_t last_path_size, last_path_capacity;
	histree_quark last_quark;

	/* Segments */
	struct load_field fields[HISTREE_SEGMENT_FIELDS_MAX];
	size_t field_count;
	size_t field_columns[HISTREE_SEGMENT_FIELDS_MAX]; /* of the text that is being read */
	size_t columns_seen;                              /* of that text: of those, each is a field or none */
	struct arena field_names;
};

/* Where a record came from, for messages. */
struct load_place {
	uint64_t file, line;
};

/* Put the place that is being read behind a record's first bytes, and get it back. */
static inline uint8_t *load_place_put(uint8_t *at, const struct load *load)
{
	return put_varint(put_varint(at, load->file), load->text.line);
}

static inline struct load_place load_place_get(struct byte_reader *reader)
{
	uint64_t file = read_varint(reader);
	return (struct load_place){ file, read_varint(reader) };
}

/* Put the file and the line before the message of an error. */
void load_prefix(const struct load *load, const struct load_place *place);

/* Returns what is to be made: of a history or of a segment store. */
const char *load_analysis(const struct load *load);

/* Returns its version: what has the name of an analysis of ours is taken to be made by it as it is now. */
uint32_t load_version(const struct load *load);

/* Say how much of the phase is done, 0 to 1; negative: it is not known. */
void load_show(const struct load *load, double done);

/* Says now and then that `count` rows went through the phase.  HISTREE_ERR_CANCELLED: the caller wants no more. */
enum histree_status load_go_on(const struct load *load, uint64_t count);

/* ---- states: load_rows.c ---------------------------------------------------------------- */

/* Make a record of the row. */
enum histree_status load_state_row(struct load *load);

/* Make the history of all records, in the file at `path`. */
enum histree_status load_make_history(struct load *load, const char *path);

/* ---- segments: load_rows.c ------------------------------------------------------------------------- */

enum histree_status load_segment_row(struct load *load);
enum histree_status load_make_segments(struct load *load, const char *path);

/* histree_load() on a table of file calls, so that a test can make each of them fail. */
enum histree_status pipeline_load(const struct histree_load_options *options, const struct io *io,
				  struct histree_load_result *result, struct histree_error *error);

#endif
