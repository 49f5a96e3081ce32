/* SPDX-License-Identifier: MIT */
/*
 * state_fact.h - what is known of a state besides its value and its times, by name: of a thread's its TID, its CPU.
 *
 * Names are those of Trace Compass, by which the filters of its clients ask.
 */
#ifndef SERVER_MODEL_STATE_FACT_H
#define SERVER_MODEL_STATE_FACT_H

#include "histree/query.h"

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

/* What a fact is asked of: a state of a row. */
struct fact_request {
	const void *view;
	uint32_t row;        /* of the view: the index of a thread, of a resource */
	histree_time start;  /* of the state */
	histree_quark first; /* in the history of the query, of the attributes that the view knows */
	struct histree_query *query;
	struct fact_memory *memory; /* of this fact in one history */
};

/* Where a fact is shown besides: with the row, where rows that do not have it say -1 or nothing; with the state. */
enum fact_use { FACT_NOT_SHOWN, FACT_OF_ROWS, FACT_OF_SOME_ROWS, FACT_OF_STATES };

struct state_fact {
	const char *name; /* NULL ends a list */
	/* Of a fact of rows neither time nor query nor memory are asked. */
	struct histree_value (*value)(const struct fact_request *request);
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

#endif
