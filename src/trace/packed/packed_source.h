/* SPDX-License-Identifier: MIT */
/*
 * packed_source.h - a trace whose events are decoded once and sorted by time, before the first is handed out; and
 * an event with its fields as bytes, which are what is sorted.
 *
 * The bytes: the number of the class plus one, the CPU plus one and the count of cells that are there, as varints;
 * for each of these a byte or more, as a varint, which is the count of absent cells before it times eight plus its
 * kind, and what the kind has, as of a part below.  A gap has 0 for the class, and then its end and its count of
 * events.
 *
 * A reader of traces puts the parts in their order, each with its name where it is a member:
 *
 * 	packed_parts_clear(&parts);
 * 	packed_parts_open(&parts, EVENT_STRUCTURE, NULL, 0);
 * 	packed_parts_int(&parts, "line", 4, 12);
 * 	packed_parts_close(&parts);
 *
 * A part: its kind, with PACKED_NAMED if it has a name, the size of the name as a varint, the name and a zero, and
 * what the kind has: an integer as a zigzag varint, an unsigned one as a varint, eight bytes of a real number, the
 * size of a text, or of bytes, as a varint and these.
 *
 * The trace is for formats that are not in the order of time, or whose events cannot be read in place.  A format
 * has a source whose first member is a struct packed_source, a function that reads its file from front to back,
 * and a struct trace_format_kind with the functions below:
 *
 * 	scan		packed_source_scan() with its reader, or what it does: packed_source_init(), and says what
 * 			base.trace, base.facts, file_count and bytes are; fields are decoded by packed_event_int,
 * 			_string and _visit
 * 	read		packed_source_class() for each class that is met, packed_source_add() for each event; damage
 * 			is a note, packed_source_lose() and the rest of the file, if it can be read, and HISTREE_OK
 * 	release		packed_source_release(&own->packed), behind what is in its tables
 *
 * Events of one time come in the order in which they were added; what was added in the order of time costs no
 * comparison.  What memory has no room for goes to a file without a name in $TMPDIR, else in /tmp; so does what a
 * reader keeps of the file in `tables`, such as stacks of samples, until the source is freed.  Opening reads
 * the whole trace, and asks struct trace_opening.work on the way.  A trace is read from its start only.
 */
#ifndef TRACE_PACKED_PACKED_SOURCE_H
#define TRACE_PACKED_PACKED_SOURCE_H

#include "base/arena.h"
#include "base/io.h"
#include "base/table.h"
#include "event/event.h"
#include "store/record_sort.h"
#include "trace/trace_bytes.h"
#include "trace/trace_source.h"

/* What is deeper is left out. */
enum { PACKED_DEPTH_MAX = 64 };

/* A zeroed one is empty. */
struct packed_parts {
	uint8_t *bytes;
	size_t size, capacity;
	uint32_t depth;    /* of what is open */
	uint32_t too_deep; /* how many were left out as too deep */
	bool has_left_out; /* something of this value */
	bool has_failed;   /* memory was out: the value is not whole */
};

/* Begin another value in the same memory. */
void packed_parts_clear(struct packed_parts *parts);

/* Open a structure or an array.  Elements and the value itself have no name: NULL.  A name ends at a zero. */
void packed_parts_open(struct packed_parts *parts, enum event_part_kind kind, const char *name, size_t name_size);
void packed_parts_close(struct packed_parts *parts);
void packed_parts_nothing(struct packed_parts *parts, const char *name, size_t name_size);
void packed_parts_int(struct packed_parts *parts, const char *name, size_t name_size, int64_t number);
void packed_parts_truth(struct packed_parts *parts, const char *name, size_t name_size, bool is_true);
void packed_parts_unsigned(struct packed_parts *parts, const char *name, size_t name_size, uint64_t number);
void packed_parts_real(struct packed_parts *parts, const char *name, size_t name_size, double number);
void packed_parts_text(struct packed_parts *parts, const char *name, size_t name_size, const char *text,
		       size_t size);

/* Put a part of another value; the value itself loses its name. */
void packed_parts_put(struct packed_parts *parts, const struct event_part *part);
void packed_parts_release(struct packed_parts *parts);

/* Visit a value and what is inside, as the field of that name.  Returns false if the visitor ended that. */
bool packed_parts_visit(const void *bytes, size_t size, const char *name, event_visitor visitor, void *context);

/* What is true all the time, such as the name of a process: it comes first, at the time of the first event. */
#define PACKED_NO_TIME INT64_MIN

enum packed_kind {
	PACKED_ABSENT,
	PACKED_INT,
	PACKED_UNSIGNED,
	PACKED_REAL,
	PACKED_TEXT,
	PACKED_PARTS, /* the bytes of a struct packed_parts */
};

struct packed_cell {
	enum packed_kind kind;
	size_t size; /* of `bytes`; 0 of what has none */
	union {
		int64_t integer; /* one that is PACKED_UNSIGNED is it as uint64_t */
		double real;
		const void *bytes; /* borrowed; of a text, or of parts */
	};
};

struct packed_class;

struct packed_event {
	histree_time time;
	int32_t cpu; /* -1 where the trace does not say */
	const struct packed_class *class;
	const struct packed_cell *cells; /* one a field of the class */
};

static inline struct packed_cell packed_int(int64_t number)
{
	return (struct packed_cell){ .kind = PACKED_INT, .integer = number };
}

static inline struct packed_cell packed_unsigned(uint64_t number)
{
	return (struct packed_cell){ .kind = PACKED_UNSIGNED, .integer = (int64_t)number };
}

static inline struct packed_cell packed_real(double number)
{
	return (struct packed_cell){ .kind = PACKED_REAL, .real = number };
}

static inline struct packed_cell packed_text(const char *text, size_t size)
{
	return (struct packed_cell){ .kind = PACKED_TEXT, .bytes = text, .size = size };
}

static inline struct packed_cell packed_value(const struct packed_parts *parts)
{
	return (struct packed_cell){ .kind = PACKED_PARTS, .bytes = parts->bytes, .size = parts->size };
}

struct byte_reader;

/* Read them: texts are borrowed from the reader's bytes.  What is wrong fails the reader. */
void packed_cells_read(struct byte_reader *reader, struct packed_cell *cells, uint32_t count);

/* What event.h wants of a trace: the handle of an event is its cells. */
bool packed_event_int(const struct event *event, uint32_t field, int64_t *out);
bool packed_event_string(const struct event *event, uint32_t field, const char **text, size_t *size);
bool packed_event_visit(const struct event *event, uint32_t field, event_visitor visitor, void *context);

enum {
	PACKED_CLASSES_MAX = 65536,
	PACKED_FIELDS_MAX = 4096,
	PACKED_MEMORY = 16 << 20, /* for events that are being sorted, */
	PACKED_TABLES = 16 << 20, /* and for what is kept of the file */
};

struct packed_source;

struct packed_reader {
	/* Read the file, from its start, and add its events.  HISTREE_ERR_MEMORY, or what another call returned. */
	enum histree_status (*read)(struct packed_source *source, struct histree_error *error);
	/* Returns how many of base.bytes were read; NULL: as many as of the content. */
	uint64_t (*bytes_read)(const struct packed_source *source);
};

/* A class of events as analyses see it, and its number in the records. */
struct packed_class {
	struct event_class class;
	uint32_t number;
};

struct packed_source {
	struct trace_source base;
	const struct packed_reader *reader;
	const struct io *io;        /* of the file for what memory has no room for */
	size_t memory_max;          /* for events that are being sorted */
	struct table_space tables;  /* for what else grows with the file; from the first reading on */
	struct trace_bytes content; /* of the file, for a reader that begins with packed_source_rewind() */

	struct intern class_keys; /* names and fields */
	struct packed_class **classes;
	size_t class_count, class_capacity;
	struct arena class_memory;

	const struct histree_work *work; /* while the file is read */
	uint64_t looks;                  /* at it */
	char *spill_path;                /* beside which the file would be */
	struct record_sort *sort;
	uint64_t added, given; /* records */
	histree_time first;    /* of the times that were added; INT64_MAX: none */
	histree_time last;     /* INT64_MIN: none */
	histree_time shift;    /* of all times, when they are handed out: a file may say at its end when it began */
	uint64_t disorder;     /* the most ns by which an event was added after a later one */
	bool is_read;

	struct trace_stream stream; /* the only one */
	struct packed_cell *cells;  /* of the event that comes next */
	size_t cell_capacity;
};

/* Of a zeroed source. */
void packed_source_init(struct packed_source *source, const struct packed_reader *reader);

/* Say in base.trace what all such traces are; of the host, what base.facts has. */
void packed_source_describe(struct packed_source *source, const char *domain, const char *tracer);

/* The whole of a scan of a file that says nothing of itself. */
enum histree_status packed_source_scan(struct trace_source *base, const struct packed_reader *reader,
				       const char *domain, const char *tracer, struct histree_error *error);

/* Begin the content of the file, anew if it was begun. */
enum histree_status packed_source_rewind(struct packed_source *source, struct histree_error *error);

/*
 * Returns the class with the name, fields and trace of a template, whose trace may be NULL, for base.trace, and
 * whose strings are copied; NULL, and the error, if memory runs out or there are too many classes.
 */
const struct packed_class *packed_source_class(struct packed_source *source, const struct event_class *as,
					       struct histree_error *error);

/* HISTREE_ERR_CANCELLED, HISTREE_ERR_MEMORY, or HISTREE_ERR_IO if the disk is full. */
enum histree_status packed_source_add(struct packed_source *source, const struct packed_event *event,
				      struct histree_error *error);

/*
 * Report that events are missing from `begin` to `end`, of a CPU or, with -1, of any; `events` of them, 0: not
 * known.
 */
enum histree_status packed_source_lose(struct packed_source *source, int32_t cpu, struct trace_span span,
				       uint64_t events, struct histree_error *error);

/*
 * The file ends too early, or cannot be read on: whatever is later than what was added is missing, and as much
 * before it as the file was out of order so far.
 */
enum histree_status packed_source_lose_rest(struct packed_source *source, struct histree_error *error);

/* Whether a time that is handed out so much later is one that can be. */
static inline bool packed_time_can_shift(histree_time time, histree_time by)
{
	histree_time shifted;
	return !__builtin_add_overflow(time, by, &shifted) && shifted > INT64_MIN && shifted < INT64_MAX;
}

/*
 * Hand out all that was added, and will be, so much later.  Returns false, and changes nothing, if a time would be
 * none that can be.
 */
bool packed_source_shift(struct packed_source *source, histree_time by);

/*
 * For a reader that adds nothing for long: returns HISTREE_ERR_CANCELLED if it is to end.  Pages of its tables may
 * go from memory.
 */
enum histree_status packed_source_look(struct packed_source *source, struct histree_error *error);

/* Free what is in it. */
void packed_source_release(struct packed_source *source);

/* Of struct trace_format_kind. */
enum histree_status packed_source_open(struct trace_source *base, const struct trace_opening *opening,
				       struct histree_error *error);
void packed_source_leave(struct trace_source *base);
uint64_t packed_source_bytes_done(const struct trace_source *base);

/* These, of a kind. */
#define PACKED_SOURCE_KIND \
	.open = packed_source_open, .leave = packed_source_leave, .bytes_done = packed_source_bytes_done

#endif
