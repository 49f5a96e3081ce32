/* SPDX-License-Identifier: MIT */
/*
 * state_filter.h - the states that pass a filter; and the facts about a state besides its value and its times,
 * under the names of Trace Compass.
 *
 * States are chosen by expressions (histree/filter.h) over these facts:
 *
 * 	Label			what stands in it, of a thread the name of its system call
 * 	State			what its colour means: "user mode"
 * 	Value			of its attribute
 * 	"Start Time", "End Time", Duration
 * 	TID, CPU, ...		facts of the view (state_filter.h)
 * 	host			of a store of several
 *
 * Only facts that an expression uses are looked up.
 */
#ifndef SERVER_MODEL_STATE_FILTER_H
#define SERVER_MODEL_STATE_FILTER_H

#include "histree/states.h"
#include "histree/store.h"
#include "server/text/json_writer.h"
#include "view/view.h"

enum { STATE_FACT_TEXT_SIZE = 128, STATE_FACTS_MAX = 8, STATE_FACTS_REMEMBERED = 64 };

/* What an attribute was when it was looked up last. */
struct remembered {
	struct histree_interval state; /* its bytes are those below */
	char bytes[STATE_FACT_TEXT_SIZE];
	bool is_known;
};

/*
 * States of a row come one after the other, and many of them in one state of an attribute that is known with them:
 * a thread keeps its CPU and its priority for long.
 */
struct fact_memory {
	struct remembered slots[STATE_FACTS_REMEMBERED]; /* by the last digits of the quark */
};

/*
 * What is known of a row, whose states are shown and searched.  A zeroed life and table say nothing.  What is said
 * of hosts, host_rows.h fills in.
 */
struct row_facts {
	struct histree_history *history;         /* NULL: the row has no states */
	histree_quark quark;                     /* HISTREE_ROOT: likewise */
	histree_quark label;                     /* an attribute that names the state; HISTREE_ROOT: none */
	const struct histree_label_table *table; /* of what its values mean; NULL: nothing is known */
	uint32_t depth, descendants;
	uint32_t parent; /* a row of the model, HISTREE_NO_INDEX at the top; only trees of it need it */
	struct histree_row_life life; /* the states outside of it are another thread's; both 0: all are its own */
	struct histree_row_life
		seen;        /* from its first state to its last, not in order: never; both 0: as its host */
	const char *host;    /* NULL: there is but one */
	const char *why;     /* the row is that of a host that cannot be read */
	const void *view;    /* of the model, which texts and facts are asked of; NULL: the row is a host's */
	uint32_t row;        /* in that view */
	histree_quark first; /* where the quarks of the view begin in the history */
};

/* When the states of a row are its own. */
static inline struct histree_row_life row_own_life(const struct row_facts *facts)
{
	const bool is_whole = facts->life.from == 0 && facts->life.to == 0;
	return is_whole ? (struct histree_row_life){ INT64_MIN, INT64_MAX } : facts->life;
}

/* What a fact is asked of: a state of a row. */
struct fact_request {
	const struct row_facts *facts;
	histree_time start; /* of the state */
	struct histree_cursor *query;
	struct fact_memory *memory; /* of this fact in one history */
};

/* Where a fact is shown besides: with the row, where rows that do not have it say -1 or nothing; with the state. */
enum fact_use { FACT_NOT_SHOWN, FACT_OF_ROWS, FACT_OF_SOME_ROWS, FACT_OF_STATES };

struct state_fact {
	const char *name; /* NULL ends a list */
	enum fact_use use;
};

/* Returns the value of an attribute of the view then, with its text in the memory; null if it is not known. */
struct histree_value state_fact_attribute(const struct fact_request *request, histree_quark own);

/* Returns whether an attribute of its own says what stands in a state: the system call that a thread is in. */
static inline bool state_is_named(histree_quark label, const struct histree_value *value)
{
	enum { STATUS_SYSTEM_CALL = 3 };
	return label != HISTREE_ROOT && value->type == HISTREE_INT && value->int32 == STATUS_SYSTEM_CALL;
}

/* Adds the text of a value; null adds nothing. */
void state_value_text(const struct histree_value *value, struct byte_buffer *text);

/* Adds what the table calls the value, else the text of the value; the view and the time are not used. */
void state_any_text(const void *view, const struct histree_label_table *table, const struct histree_value *value,
		    histree_time at, struct byte_buffer *text);

/* Adds the name of an attribute, however long. */
void attribute_name_put(const struct histree_attributes *attributes, histree_quark quark, struct byte_buffer *name);

/* What the rows of a view have in common. */
struct state_kind {
	const struct state_fact *facts; /* NULL: none */
	/* Returns one of the facts; of a fact of rows neither time nor query nor memory are asked. */
	struct histree_value (*fact)(const struct fact_request *request, size_t fact);
	/* Adds the text of a state that no attribute of its own names; NULL: no such texts. */
	void (*text)(const void *view, const struct histree_label_table *table, const struct histree_value *value,
		     histree_time at, struct byte_buffer *text);
};

/* One thread's; holds a query. */
struct state_filter;

/*
 * Makes a filter of expressions that must all hold.  Returns HISTREE_ERR_ARGUMENT if one is no expression.
 * `start` is that of the trace, from which times count; `kind` outlives it.
 */
enum histree_status state_filter_create(const char *const *texts, size_t count, const struct state_kind *kind,
					histree_time start, histree_time end, struct state_filter **out,
					struct histree_error *error);

/* Returns whether a state of a row is wanted.  Null, where nothing is, never matches. */
bool state_filter_match(struct state_filter *filter, const struct row_facts *facts,
			const struct histree_interval *state);

/*
 * Narrows [from, to] as far as the expressions say: a state that meets it, or starts in it, and is wanted does so
 * in what is left.  Nothing is left where from > to.
 */
void state_filter_narrow(const struct state_filter *filter, histree_time *from, histree_time *to);

/* NULL is fine. */
void state_filter_free(struct state_filter *filter);

#endif
