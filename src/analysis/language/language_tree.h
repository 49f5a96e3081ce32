/* SPDX-License-Identifier: MIT */
/*
 * language_tree.h - an analysis as a text, with the messages about its faults, and as a tree, which the parser
 * makes and which is checked and compiled into a program.
 *
 * A message about a fault has file, line and column, a sentence, and the line with a caret below the place.
 *
 * 	my.histree-analysis:2:26: expected '=' after the path, not 'next_tid'
 * 	  on sched_switch: CPUs/0 next_tid
 * 	                          ^
 *
 * The tree is in one arena and lives as long as that.
 */
#ifndef ANALYSIS_LANGUAGE_LANGUAGE_TREE_H
#define ANALYSIS_LANGUAGE_LANGUAGE_TREE_H

#include <stdarg.h>
#include <stddef.h>

#include "analysis/program/program.h"
#include "base/arena.h"
#include "histree/attributes.h"
#include "histree/status.h"

enum { LANGUAGE_BYTES_MAX = 256 << 10 };

struct language_source {
	const char *path; /* for messages */
	const char *text; /* a zero follows */
	size_t size;
};

/* Returns HISTREE_ERR_ARGUMENT if it is too long, has a zero or bytes that are no UTF-8. */
enum histree_status language_source_check(const struct language_source *source, struct histree_error *error);

struct language_place {
	size_t line, column; /* from 1; columns in characters */
};

struct language_place language_place_of(const struct language_source *source, size_t at);

/* Say what is wrong at a byte of the text.  Returns HISTREE_ERR_ARGUMENT. */
enum histree_status language_refuse(const struct language_source *source, size_t at, struct histree_error *error,
				    const char *format, ...) __attribute__((format(printf, 4, 5)));
enum histree_status language_refuse_list(const struct language_source *source, size_t at,
					 struct histree_error *error, const char *format, va_list arguments);

enum {
	LANGUAGE_NODES_MAX = 20000, /* of a file */
	LANGUAGE_DEPTH_MAX = 64,    /* of parentheses, braces and blocks within one another */
	LANGUAGE_HEIGHT_MAX = 200,  /* of an expression as a tree */
	LANGUAGE_WEIGHT_MAX = 4096, /* operations of an expression, with those of each `let` in it */
	LANGUAGE_KEY_MAX = 8,       /* values of a key, as program_add_span_begin() has them */
	LANGUAGE_NAME_MAX = 64,     /* bytes of the name of an analysis */
	LANGUAGE_LABELS_MAX = 1000, /* of a file */
};

/* What is known of a value when the text is read. */
enum language_type {
	LANGUAGE_ANY, /* the trace says it */
	LANGUAGE_NULL,
	LANGUAGE_BOOL,
	LANGUAGE_INT,     /* 32 bits: of int() only */
	LANGUAGE_INTEGER, /* 64 bits */
	LANGUAGE_REAL,
	LANGUAGE_STRING,
	LANGUAGE_TYPE_COUNT,
};

enum language_expression_kind {
	LANGUAGE_CONSTANT,
	LANGUAGE_FIELD,
	LANGUAGE_FACT,
	LANGUAGE_LOOK,
	LANGUAGE_CONVERT,
	LANGUAGE_MAP,
	LANGUAGE_OPERATION,
	LANGUAGE_PRESENT, /* one operand: whether it is there */
};

struct language_path;

struct language_expression {
	enum language_expression_kind kind;
	enum language_type type;
	size_t at;             /* where it begins */
	size_t weight, height; /* operations, and how many of them within one another */
	struct histree_value constant;
	const char *field;
	bool is_optional;                       /* whether it is there is asked */
	struct language_expression *next_field; /* in the list of the tree */
	enum program_fact fact;
	enum program_look look;
	struct language_path *path; /* of LANGUAGE_LOOK */
	enum histree_type to;       /* of LANGUAGE_CONVERT */
	struct program_pair *pairs; /* of LANGUAGE_MAP */
	size_t pair_count;
	enum program_operator operator;
	struct language_expression *operands[3]; /* of all that have any */
	program_value value;                     /* PROGRAM_NOTHING: not compiled yet */
};

struct language_component {
	struct language_expression *name; /* a constant text, or what the trace says */
	struct language_component *next;
};

struct language_path {
	size_t at, size; /* its bytes */
	struct language_component *components;
	struct language_path *next; /* in the list of the tree */
	bool is_set;                /* a statement changes it; else it is only looked at */
	bool is_stack;              /* a statement pushes or pops there */
	bool is_deleted;            /* what is below it is changed too */
	enum language_type type;    /* of what is set there */
	program_path path;          /* PROGRAM_NOTHING: not compiled yet */
};

struct language_assignment { /* of a field of a segment */
	size_t at;
	const char *name;
	enum language_type type;
	struct language_expression *value;
	struct language_assignment *next;
};

struct language_span {
	const char *name;
	size_t begin_at, step_at, end_at; /* of a statement */
	bool has_begin, has_end;
	size_t key_count;
	struct language_span *next;
	program_span span;
};

enum language_statement_kind {
	LANGUAGE_SET,
	LANGUAGE_WAS,
	LANGUAGE_ADD,
	LANGUAGE_PUSH,
	LANGUAGE_POP,
	LANGUAGE_POP_ALL,
	LANGUAGE_DELETE,
	LANGUAGE_BEGIN,
	LANGUAGE_FINISH,
	LANGUAGE_STEP,
	LANGUAGE_SEGMENT,
	LANGUAGE_IF,
};

struct language_statement {
	enum language_statement_kind kind;
	size_t at;
	struct language_path *path;        /* of a change */
	struct language_expression *value; /* of a change, condition, name of a segment; NULL: none */
	struct language_expression *time;  /* "at"; NULL: that of the event */
	struct language_span *span;
	struct language_expression *key[LANGUAGE_KEY_MAX];
	struct language_assignment *fields;
	struct language_expression *from, *to; /* of a segment; NULL: the event */
	struct language_statement *then, *otherwise;
	struct language_statement *next;
};

struct language_handler {
	const char *events;                    /* with '|' between */
	struct language_expression *condition; /* NULL: none */
	struct language_statement *statements;
	struct language_handler *next;
};

struct language_let {
	const char *name;
	struct language_expression *value;
	struct language_let *next;
};

struct language_label { /* one table */
	size_t at;
	const char *pattern;
	struct histree_label *labels;
	size_t count;
	struct language_label *next;
};

struct language_chart {
	struct histree_chart chart;
	struct histree_chart_entry entries[HISTREE_CHART_ENTRIES_MAX];
	uint32_t count;
	struct language_chart *next;
};

struct language_tree {
	struct arena arena;
	const char *name, *summary, *domain; /* NULL: not said */
	struct language_handler *handlers;
	struct language_let *lets; /* the last one first */
	struct language_span *spans;
	struct language_path *paths;
	struct language_label *labels;
	struct language_chart *charts;
	struct language_expression *fields;
	size_t nodes, label_count;
};

void language_tree_release(struct language_tree *tree);

/* Returns "a text", "a number", ... for messages. */
const char *language_type_text(enum language_type type);

#endif
