// SPDX-License-Identifier: MIT
#include "history_case.h"

#include "driver.h"
#include "support/history_file.h"
#include "support/union_history.h"

static const char *check_workload(void *context, const struct workload *workload)
{
	struct history_case *test = context;
	struct histree_error error;
	struct reference reference = { 0 };
	struct histree_history *history = NULL;
	histree_quark *quarks = calloc((size_t)workload->key_count + 1, sizeof(*quarks));
	const char *fault = "out of memory";
	if (quarks == NULL)
		return fault;
	unlink(test->path);
	enum histree_status status =
		test->in_memory ? history_in_memory(&test->options, workload, quarks, &history, &error)
				: history_file_build(test->path, &test->options, workload, quarks, &error);
	if (status == HISTREE_OK && !test->in_memory)
		status = histree_history_open(test->path, NULL, &history, &error);
	if (status != HISTREE_OK) {
		snprintf(test->fault, sizeof(test->fault), "%s", error.message);
		fault = test->fault;
	} else if (history_file_reference(workload, quarks, &reference)) {
		fault = test->check(test, history, &reference);
	}
	histree_history_close(history);
	reference_release(&reference);
	unlink(test->path);
	free(quarks);
	return fault;
}

static void set_path(struct history_case *test, const char *name)
{
	snprintf(test->path, sizeof(test->path), "property_%s.%ld.sht", name, (long)getpid());
}

void history_case_check(struct history_case *test, const char *name, struct workload *workload, const char *kind)
{
	set_path(test, name);
	const char *fault = check_workload(test, workload);
	if (fault != NULL)
		property_fail_shrunk(workload, &(struct workload_check){ check_workload, test }, fault,
				     "workload '%s'%s: variant %s, node size %u, nulls %d", kind,
				     test->in_memory ? " in memory" : "", test->options.variant,
				     test->options.node_size, (int)test->options.nulls);
}

void history_case_check_union(struct history_case *test, const char *name, const struct workload_kind *kind)
{
	struct union_history made;
	set_path(test, name);
	const struct union_wishes wishes = {
		.kind = kind, .seed = test->seed, .path = test->path, .may_lend = test->seed % 2 == 0
	};
	const char *fault = test->fault;
	if (union_history_make(&made, &wishes, test->fault))
		fault = test->check(test, made.history, &made.reference);
	union_history_release(&made);
	if (fault != NULL)
		print_error("%s\n", fault);
	assert_null(fault);
}
