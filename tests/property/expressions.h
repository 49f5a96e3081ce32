/* SPDX-License-Identifier: MIT */
/*
 * expressions.h - random filter expressions, and what they mean by a plain walk over their tree, which shares
 * nothing with the parser.
 */
#ifndef PROPERTY_EXPRESSIONS_H
#define PROPERTY_EXPRESSIONS_H

#include "base/hash_index.h"
#include "histree/filter.h"

enum { EXPRESSION_FIELDS_MAX = 16 };

/* What expressions are about. */
struct expression_subject {
	const struct histree_filter_field *fields;
	unsigned field_count;
	/* Fills in a value a field, of one thing of many; they are borrowed until the next call. */
	void (*draw_values)(void *context, struct random *random, struct histree_value *values);
	void *context;
	const char *const *patterns; /* regular expressions worth a try besides those of every subject; NULL ends */
};

struct expression;

struct expressions;

struct expressions *expressions_create(const struct expression_subject *subject);
void expressions_free(struct expressions *expressions);

/* Draws an expression, which lives until the next one is drawn; `text` has room for 8192 bytes. */
const struct expression *expressions_draw(struct expressions *expressions, uint64_t seed, char *text);

bool expression_holds(const struct expressions *expressions, const struct expression *expression,
		      const struct histree_value *values);

#endif
