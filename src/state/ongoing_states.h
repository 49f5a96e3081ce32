/* SPDX-License-Identifier: MIT */
/*
 * ongoing_states.h - states that have not ended, or are not decided yet, and the sink where intervals go.
 *
 * The *ongoing* state of an attribute is its value, since when, and the type that it may have.
 *
 * The value pool keeps one copy of each string or custom value that ongoing states hold, known by an id.  Holders
 * are counted.  A value without a holder stays for a while, because states recur (a thread makes the same system
 * call again), and so that its bytes can be borrowed until the next change.  Once such values take more than a
 * quarter of the memory of the others, all of them are dropped: memory follows what is held now, not the length of
 * the trace.
 *
 * Memory: 24 bytes an attribute; for each distinct string or custom value 16 to 24 bytes, 5 to 11 in the index,
 * and its own with the overhead of malloc().  Together with the attribute tree, an attribute with a unique name
 * and a unique string value takes about 160 bytes, and one of a kernel trace about 70 (test_state_memory counts
 * them): ten million fit into 2 GiB.
 *
 * An *undecided* state has a value that depends on a fact learnt later: it is held back until then.
 *
 * A fact is named by an attribute: whether that attribute was null, or something else, at a time for which the
 * trace does not show it.  Until then, a state that depends on it has its assumed value.  Once the state has ended,
 * it waits in memory for undecided_decide(), which gives it to the sink: later than states that ended after it,
 * which a tree accepts.  A query in the meantime, through a branch of the sink, gets the assumed value; closing the
 * history writes it.
 *
 * A run is one state of an attribute, in pieces: a CPU that stays in the same state may run one thread after the
 * other, and each piece depends on a different fact.  Pieces of a run are adjacent, in the order of time.  They
 * stay until all of them are decided and the run has ended; then neighbours with the same value become one interval
 * again.
 *
 * There is room for UNDECIDED_MAX undecided pieces.  Facts share UNDECIDED_BUCKETS buckets, and no bucket may take
 * more than an eighth of the remaining room: however many facts are never decided, a new one finds room.  A state
 * that finds no room gets its assumed value.
 */
#ifndef STATE_ONGOING_STATES_H
#define STATE_ONGOING_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/table.h"
#include "histree/history.h"
#include "histree/value.h"
#include "state/told.h"

struct attribute_tree;
struct leaf_pack;

struct interval_sink {
	struct table_space *tables; /* for what grows with the attributes; NULL: it is in memory */
	/* Add an interval, whose bytes are borrowed for the call. */
	enum histree_status (*add)(void *context, const struct histree_interval *interval,
				   struct histree_error *error);
	/*
	 * Add intervals, like as many calls of `add`; *added becomes the number of intervals that the sink took.
	 * NULL: it takes only one at a time.
	 */
	enum histree_status (*add_many)(void *context, const struct histree_interval *intervals, size_t count,
					size_t *added, struct histree_error *error);
	/*
	 * A state has ended whose value is not decided yet (ongoing_states.h): `interval` says what is believed.
	 * Its intervals come late, by `add_late`, with the token that is set here.  Both NULL: they are added as
	 * any others.
	 */
	enum histree_status (*withhold)(void *context, const struct histree_interval *interval, uint32_t *token,
					struct histree_error *error);
	enum histree_status (*add_late)(void *context, const struct histree_interval *interval, uint32_t token,
					struct histree_error *error);
	/*
	 * Take a pack of leaves that the caller has made from intervals (leaf_pack.h), for the tree of `packs`.
	 * Both NULL: the sink takes intervals only.
	 */
	const struct tree_options *packs;
	enum histree_status (*take_pack)(void *context, const struct leaf_pack *pack, struct histree_error *error);
	/*
	 * The ongoing state of an attribute gets another value than this from its start on, without an interval; a
	 * change is refused because the attribute holds another type.  May be NULL.
	 */
	enum histree_status (*replaced)(void *context, histree_quark quark, histree_time since,
					const struct histree_value *value, struct histree_error *error);
	enum histree_status (*refused)(void *context, histree_quark quark, uint8_t fixed_type,
				       struct histree_error *error);
	/*
	 * Set the bytes of a section, which are borrowed for the call; a size of 0: no section.  NULL: the sink
	 * keeps no sections.
	 */
	enum histree_status (*set_section)(void *context, enum told_section section, const void *bytes, size_t size,
					   struct histree_error *error);
	/* From here on, intervals that end at `end` are the last of their attributes.  May be NULL. */
	void (*closing)(void *context, histree_time end);
	/* End the history, which has these attributes, at `end`. */
	enum histree_status (*finish)(void *context, const struct attribute_tree *attributes, histree_time end,
				      struct histree_error *error);
	/*
	 * Make a branch, a sink for what ends the history as it is now: it has all that was added here, and what is
	 * added to it is not added here.  It is finished and freed before anything more is added.  With `publish`,
	 * finishing it makes it what others open.
	 */
	enum histree_status (*branch)(void *context, bool publish, struct interval_sink *out,
				      struct histree_error *error);
	/* Open the history of what was finished: of a branch that was not published, or in memory; else NULL. */
	enum histree_status (*open)(void *context, const struct histree_open_options *options,
				    struct histree_history **out, struct histree_error *error);
	/* Release everything; what was not finished leaves nothing. */
	void (*free)(void *context);
	void *context;
	size_t value_size_max; /* bytes of a string or custom value that it takes */
};

struct pooled_value {
	unsigned char *bytes; /* NULL: the id is free */
	uint32_t size;        /* of a free id: the next one */
	uint32_t holders;
};

enum { POOL_RECENT = 64 };

/* A zeroed struct value_pool is an empty one. */
struct value_pool {
	struct pooled_value *values; /* by id */
	size_t capacity;
	struct table table;              /* of `values` */
	uint32_t count;                  /* ids given out so far, free ones included */
	uint32_t free_id;                /* the first free one, 1 added; 0: none */
	struct hash_index index;         /* of held and unheld values, by their bytes */
	uint32_t recent[POOL_RECENT];    /* that were held lately, by the ends of their bytes */
	size_t held_bytes, unheld_bytes; /* of values with and without a holder */
};

/* A value without borrowed bytes: numbers as their bits, texts as an id in the pool, held. */
struct held_value {
	uint64_t bits;
	uint8_t type;
};

struct ongoing_state {
	histree_time since;
	uint64_t bits;
	uint8_t type;
	uint8_t fixed_type; /* of the first value that said something, or ONGOING_FOLDER */
	uint32_t run;       /* ongoing_states.h; 0: it is certain */
};

/* The fixed type of a folder, which no value has. */
enum { ONGOING_FOLDER = 255 };

/* A zeroed struct ongoing_states is an empty one. */
struct ongoing_states {
	struct ongoing_state *states; /* by quark */
	size_t capacity;
	struct table table; /* of `states` */
	uint32_t count;
	struct value_pool pool;
};

/* Have the memory from this space.  There are no attributes yet. */
void ongoing_states_use_space(struct ongoing_states *ongoing, struct table_space *space);

/* Make room for `count` attributes in all.  Returns false if memory runs out. */
bool ongoing_states_reserve(struct ongoing_states *ongoing, size_t count);

/* Have `count` attributes, for which there is room; the new ones are null since `since`. */
void ongoing_states_extend(struct ongoing_states *ongoing, uint32_t count, histree_time since);

/* Returns the value of an attribute.  Its bytes are borrowed until ongoing_states_hold() holds something new. */
static inline struct histree_value ongoing_states_value(const struct ongoing_states *ongoing, histree_quark quark)
{
	const struct ongoing_state *state = &ongoing->states[quark];
	struct histree_value value = { .type = (enum histree_type)state->type };
	switch (value.type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	case HISTREE_INT:
		value.int32 = (int32_t)state->bits;
		break;
	case HISTREE_LONG:
		value.int64 = (int64_t)state->bits;
		break;
	case HISTREE_DOUBLE:
		memcpy(&value.real, &state->bits, sizeof(value.real));
		break;
	case HISTREE_BOOL:
		value.boolean = state->bits != 0;
		break;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		value.bytes = ongoing->pool.values[state->bits].bytes;
		value.size = ongoing->pool.values[state->bits].size;
		break;
	}
	return value;
}

/*
 * Hold a value.  Returns false if memory runs out, which never happens for numbers and bytes that are held already.
 */
bool ongoing_states_hold(struct ongoing_states *ongoing, const struct histree_value *value,
			 struct held_value *held);
void ongoing_states_drop(struct ongoing_states *ongoing, const struct held_value *held);

/* Make the held value that of an attribute from `since` on; the attribute holds it then. */
void ongoing_states_set(struct ongoing_states *ongoing, histree_quark quark, histree_time since,
			const struct held_value *held);
void ongoing_states_release(struct ongoing_states *ongoing);

enum { UNDECIDED_MAX = 1 << 16, UNDECIDED_BUCKETS = 1 << 12 };

/* A value, an int or unknown, that a fact decides. */
struct undecided_value {
	histree_quark fact;
	struct histree_value believed;
	int32_t if_null, if_other;
};

/* What is known of a fact in the end: no more than before, what it was, or that what is believed holds. */
enum undecided_outcome { FACT_STAYS_UNKNOWN, FACT_IS_NULL, FACT_IS_OTHER, FACT_IS_BELIEVED };

/* The number of a piece is its index plus 1; 0: there is no piece. */
struct undecided_piece {
	histree_time from, to; /* where it is the last of a run that goes on, `to` is INT64_MAX */
	histree_quark quark;   /* HISTREE_ROOT: its state is gone, or elsewhere, and it only takes room */
	histree_quark fact;    /* HISTREE_ROOT: it is decided */
	uint32_t next;         /* of the run, or of the free ones */
	uint32_t first;        /* of the run */
	uint32_t before_in_bucket, after_in_bucket;
	/*
	 * Of the first one of a run: its last piece, how many are undecided, and 1 while it goes on, and what the
	 * sink said when it ended (ongoing_states.h).
	 */
	uint32_t last, open, token;
	int32_t value, if_null, if_other;
	uint8_t type; /* of `value` */
};

struct undecided_states {
	struct ongoing_states *ongoing; /* both borrowed: the states, and where those go that are decided */
	const struct interval_sink *sink;
	struct undecided_piece *pieces;
	size_t capacity;
	uint32_t used, free; /* those that ever were in use; the first free one */
	uint32_t total;      /* in buckets */
	uint32_t buckets[UNDECIDED_BUCKETS], counts[UNDECIDED_BUCKETS];
};

/* Returns a new one; NULL: memory runs out. */
struct undecided_states *undecided_create(struct ongoing_states *ongoing, const struct interval_sink *sink);
void undecided_free(struct undecided_states *undecided);

/* Whether what goes on follows from the same fact already. */
bool undecided_goes_on_alike(const struct undecided_states *undecided, histree_quark quark,
			     const struct undecided_value *value);

/*
 * What goes on, and has the believed value, is undecided from `t` on.  Returns HISTREE_NOT_FOUND if there is no
 * room to keep it back.
 */
enum histree_status undecided_add(struct undecided_states *undecided, histree_time t, histree_quark quark,
				  const struct undecided_value *value, struct histree_error *error);

/*
 * The ongoing state of an attribute with a run: it ends at `end`; it goes on, and is certain from `t` on; it had
 * another value all along.
 */
enum histree_status undecided_end(struct undecided_states *undecided, histree_quark quark, histree_time end,
				  struct histree_error *error);
enum histree_status undecided_go_on(struct undecided_states *undecided, histree_quark quark, histree_time t,
				    struct histree_error *error);
void undecided_replace(struct undecided_states *undecided, histree_quark quark);

/*
 * A fact is known: pieces that began at `since` or later and wait for it get their value, and earlier ones their
 * assumed value.  An ongoing state gets its assumed value, too, and is certain from now on; the caller may then
 * change it.
 */
enum histree_status undecided_decide(struct undecided_states *undecided, histree_quark fact,
				     enum undecided_outcome outcome, histree_time since,
				     struct histree_error *error);

/* Returns how much room a fact takes. */
uint32_t undecided_count(const struct undecided_states *undecided, histree_quark fact);

/*
 * From a checkpoint: so much room is taken by a fact, by states that are elsewhere.  Returns false if memory runs
 * out or it is more than there is.
 */
bool undecided_resume(struct undecided_states *undecided, histree_quark fact, uint32_t count);

/* Give a branch what waits, as believed, and what goes on in pieces, up to `end`. */
enum histree_status undecided_tell(const struct undecided_states *undecided, const struct interval_sink *branch,
				   histree_time end, struct histree_error *error);

/* The history ends at `end`: what goes on in pieces ends too, and what waits is as believed. */
enum histree_status undecided_close(struct undecided_states *undecided, histree_time end,
				    struct histree_error *error);

#endif
