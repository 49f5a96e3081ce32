// SPDX-License-Identifier: MIT
/*
 * property_where.c - random expressions over the states of random histories: what a selection and a filter leave of
 * a history is what a plain walk over the tree of the expression finds in an array of all states.
 */
#include "driver.h"
#include "expressions.h"
#include "histree/states.h"
#include "support/effort.h"
#include "support/history_file.h"
#include "support/test.h"

enum { FILTERS = 40 /* in a full run */, PATH_SIZE = 64 };

enum { PATH, QUARK, START, END, DURATION, TYPE, VALUE, LABEL, FIELDS };

static const struct histree_filter_field fields[FIELDS] = {
	[PATH] = { "path", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[QUARK] = { "quark", HISTREE_LONG, HISTREE_FILTER_PLAIN },
	[START] = { "start", HISTREE_LONG, HISTREE_FILTER_TIME },
	[END] = { "end", HISTREE_LONG, HISTREE_FILTER_TIME },
	[DURATION] = { "duration", HISTREE_LONG, HISTREE_FILTER_DURATION },
	[TYPE] = { "type", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[VALUE] = { "value", HISTREE_NULL, HISTREE_FILTER_PLAIN },
	[LABEL] = { "label", HISTREE_STRING, HISTREE_FILTER_PLAIN },
};

struct where_case {
	struct histree_tree_options options;
	uint64_t seed;
	char fault[8400];
};

/* They held for some states of a history and not for others; of one history, none may. */
static size_t expressions_that_part;

/* A history, and what it must hold. */
struct states {
	struct histree_history *history;
	struct reference reference;
	char path[PATH_SIZE]; /* of the state whose values were asked for last */
};

static void values_of(struct states *states, const struct histree_interval *state, struct histree_value *values)
{
	uint64_t length = (uint64_t)state->end - (uint64_t)state->start;
	size_t size = histree_attributes_path(histree_history_attributes(states->history), state->quark,
					      states->path, sizeof(states->path));
	values[PATH] = histree_string_n(states->path, size);
	values[QUARK] = histree_long(state->quark);
	values[START] = histree_long(state->start);
	values[END] = histree_long(state->end);
	values[DURATION] = histree_long(length >= INT64_MAX ? INT64_MAX : (int64_t)length + 1);
	values[TYPE] = histree_string(histree_type_name(state->value.type));
	values[VALUE] = state->value;
	values[LABEL] = histree_null(); /* these histories say nothing of their values */
}

static void draw_values(void *context, struct random *random, struct histree_value *values)
{
	struct states *states = context;
	values_of(states, &states->reference.sorted[random_below(random, states->reference.count)], values);
}

static const struct histree_interval *find(const struct reference *reference, const struct histree_interval *found)
{
	const struct histree_interval *state = reference_at(reference, found->quark, found->start);
	bool is_same = state != NULL && state->start == found->start && state->end == found->end &&
		       histree_value_equal(&state->value, &found->value);
	return is_same ? state : NULL;
}

/* Counts how often each state of the reference is in the answer. */
static const char *take_answer(struct histree_cursor *query, struct histree_state_filter *filter,
			       const struct reference *reference, uint8_t *given)
{
	struct histree_interval state;
	enum histree_status status;
	while ((status = histree_cursor_next(query, NULL)) == HISTREE_OK) {
		state = *histree_cursor_interval(query);
		const struct histree_interval *expected = find(reference, &state);
		if (expected == NULL)
			return "a state that there is not";
		if (histree_state_filter_match(filter, &state))
			given[expected - reference->sorted]++;
	}
	return status == HISTREE_END ? NULL : "an answer could not be read";
}

/* `group`: -1 for all attributes, else only those below that one, by a pattern. */
static const char *ask(struct states *states, const char *text, int group, uint8_t *given)
{
	struct histree_state_filter *filter = NULL;
	struct histree_cursor *query = NULL;
	struct histree_selection selection;
	struct histree_region region;
	char pattern[32];
	const char *fault = NULL;
	memset(given, 0, states->reference.count);
	histree_selection_begin(&selection, states->history);
	enum histree_status status = HISTREE_OK;
	if (group >= 0) {
		histree_selection_none(&selection);
		snprintf(pattern, sizeof(pattern), "Group/%d/*", group);
		status = histree_selection_add_pattern(&selection, pattern, NULL);
	}
	if (status == HISTREE_OK)
		status = histree_state_filter_create(states->history, text, &filter, NULL);
	if (status == HISTREE_OK)
		status = histree_state_filter_select(filter, &selection, NULL);
	if (status == HISTREE_OK)
		status = histree_query_create(states->history, &query, NULL);
	if (status == HISTREE_OK && histree_selection_region(&selection, &region)) {
		status = histree_query_start(query, &region, NULL);
		if (status == HISTREE_OK)
			fault = take_answer(query, filter, &states->reference, given);
	}
	histree_cursor_free(query);
	histree_state_filter_free(filter);
	histree_selection_release(&selection);
	return status == HISTREE_OK ? fault : "an expression could not be asked";
}

static const char *compare(struct where_case *test, struct states *states, const struct expressions *expressions,
			   const struct expression *expression, int group, const uint8_t *given, const char *text)
{
	char prefix[32];
	int prefix_size = snprintf(prefix, sizeof(prefix), "Group/%d/", group);
	for (size_t i = 0; i < states->reference.count; i++) {
		struct histree_value values[FIELDS];
		values_of(states, &states->reference.sorted[i], values);
		bool is_wanted = (group < 0 || strncmp(states->path, prefix, (size_t)prefix_size) == 0) &&
				 expression_holds(expressions, expression, values);
		if (given[i] == is_wanted)
			continue;
		snprintf(test->fault, sizeof(test->fault), "state %zu of %s came %d times with group %d: %s", i,
			 states->path, given[i], group, text);
		return test->fault;
	}
	return NULL;
}

static const char *check_states(struct where_case *test, struct states *states)
{
	static const char *const patterns[] = { "^Group/[0-3]/", "/1",  "Group/2/", "^Group$",
						"int|string",    "^.u", NULL };
	const struct expression_subject subject = { fields, FIELDS, draw_values, states, patterns };
	struct expressions *expressions = expressions_create(&subject);
	uint8_t *given = malloc(states->reference.count);
	const char *fault = expressions == NULL || given == NULL ? "out of memory" : NULL;
	size_t some = 0;
	const uint64_t filters = test_effort(FILTERS, FILTERS / 4);
	for (uint64_t i = 0; i < filters && fault == NULL; i++) {
		char text[8192];
		const struct expression *expression = expressions_draw(expressions, test->seed + i, text);
		int group = i % 3 == 0 ? (int)(i % 7) : -1;
		fault = ask(states, text, group, given);
		if (fault == NULL)
			fault = compare(test, states, expressions, expression, group, given, text);
		const void *first = memchr(given, 1, states->reference.count);
		some += first != NULL && memchr(given, 0, states->reference.count) != NULL;
	}
	expressions_that_part += some;
	free(given);
	expressions_free(expressions);
	return fault;
}

static const char *check_workload(void *context, const struct workload *workload)
{
	struct where_case *test = context;
	struct states states = { 0 };
	histree_quark *quarks = calloc((size_t)workload->key_count + 1, sizeof(*quarks));
	const char *fault = "a history could not be made";
	if (quarks != NULL &&
	    history_in_memory(&test->options, workload, quarks, &states.history, NULL) == HISTREE_OK &&
	    history_file_reference(workload, quarks, &states.reference))
		fault = states.reference.count > 0 ? check_states(test, &states) : NULL;
	histree_history_close(states.history);
	reference_release(&states.reference);
	free(quarks);
	return fault;
}

static void as_a_plain_evaluation(const void *chosen, uint64_t seed)
{
	const struct workload_kind *kind = chosen;
	static const char *const variants[] = { "cluster", "esht", "rsht" };
	struct workload workload;
	assert_true(workload_make(&workload, kind, seed));
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		struct where_case test = {
			.options = { .variant = variants[i], .node_size = 64 << 10, .fan_out = 7 },
			.seed = seed + 100 * i,
		};
		const char *fault = check_workload(&test, &workload);
		if (fault != NULL)
			property_fail_shrunk(&workload, &(struct workload_check){ check_workload, &test }, fault,
					     "workload '%s': variant %s", kind->name, test.options.variant);
	}
	workload_release(&workload);
}

static const struct property property = {
	.kinds = workload_kinds, .kind_size = sizeof(*workload_kinds), .rounds = 1, .check = as_a_plain_evaluation
};

static bool is_enough(void)
{
	return expressions_that_part > 100;
}

TEST(expressions_part_states)
{
	bool is_so = property_go_on(&property, is_enough);
	fprintf(stderr, "%zu expressions held for some states of a history only\n", expressions_that_part);
	assert_true(is_so);
}

TEST_SUITE
{
	return properties_run(__FILE__, &property, 1);
}
