// SPDX-License-Identifier: MIT
/*
 * fuzz_filter.c - bytes as a filter expression over fields of each type.  It ends, soon; what is refused is said
 * with its column, and what is not matches the same twice, and the opposite behind a "!".
 */
#include <string.h>

#include "fuzz.h"
#include "histree/filter.h"

static const struct histree_filter_field fields[] = {
	{ "label", HISTREE_NULL, HISTREE_FILTER_PLAIN },     { "name", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	{ "tid", HISTREE_INT, HISTREE_FILTER_PLAIN },        { "ret", HISTREE_LONG, HISTREE_FILTER_PLAIN },
	{ "ratio", HISTREE_DOUBLE, HISTREE_FILTER_PLAIN },   { "main", HISTREE_BOOL, HISTREE_FILTER_PLAIN },
	{ "Start Time", HISTREE_LONG, HISTREE_FILTER_TIME }, { "duration", HISTREE_LONG, HISTREE_FILTER_DURATION },
};

enum { FIELDS = sizeof(fields) / sizeof(fields[0]) };

static const struct histree_filter_scope scope = {
	.fields = fields, .field_count = FIELDS, .start = -5, .end = INT64_MAX - 7
};

FUZZ_TARGET(bytes, size)
{
	const struct histree_value values[FIELDS] = { histree_string("running"), histree_string("futex"),
						      histree_int(42),           histree_null(),
						      histree_double(-0.5),      histree_bool(true),
						      histree_long(1000),        histree_long(1500000) };
	struct histree_filter *filter;
	struct histree_error error;
	if (size > 5000)
		return 0;
	char *text = malloc(size + 4);
	REQUIRE(text != NULL);
	memcpy(text, bytes, size);
	text[size] = '\0';
	enum histree_status status = histree_filter_create(text, &scope, &filter, &error);
	if (status == HISTREE_OK) {
		bool matched = histree_filter_match(filter, values);
		REQUIRE(histree_filter_match(filter, values) == matched);
		histree_filter_free(filter);
		size = strlen(text);
		memmove(text + 2, text, size);
		memcpy(text, "!(", 2);
		memcpy(text + size + 2, ")", 2);
		if (histree_filter_create(text, &scope, &filter, &error) == HISTREE_OK) { /* short enough still */
			REQUIRE(histree_filter_match(filter, values) == !matched);
			histree_filter_free(filter);
		}
	} else {
		REQUIRE(status == HISTREE_ERR_ARGUMENT && filter == NULL);
		REQUIRE(strncmp(error.message, "column ", 7) == 0 || size > 4096);
	}
	free(text);
	return 0;
}
