// SPDX-License-Identifier: MIT
/*
 * report_counters.c - the section of a report about counters of events: what they counted for each thread in the
 * window, which is the difference of two values of its sum.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "cli/number_changes.h"
#include "cli/report_sections.h"

enum { COUNTERS_MAX = 4, NAME_SIZE = 40, CHILDREN = 256 };

/* A sum, which is a counter of a thread. */
struct counted {
	histree_quark quark;
	uint32_t counter;
	size_t thread; /* of `threads` */
};

struct counted_thread {
	histree_quark quark;
	int64_t amounts[COUNTERS_MAX];
};

struct counting {
	const struct report_source *source;
	struct histree_history *history;
	char names[COUNTERS_MAX][NAME_SIZE];
	size_t name_count;
	struct counted *sums; /* by quark */
	size_t count, capacity;
	struct counted_thread *threads;
	size_t thread_count, thread_capacity;
};

/* Returns the number of a counter, COUNTERS_MAX if there are too many. */
static uint32_t number_of(struct counting *counting, const char *name)
{
	uint32_t number = 0;
	while (number < counting->name_count && strcmp(counting->names[number], name) != 0)
		number++;
	if (number == counting->name_count && number < COUNTERS_MAX)
		snprintf(counting->names[counting->name_count++], NAME_SIZE, "%s", name);
	return number;
}

static enum histree_status list_thread(struct counting *counting, histree_quark thread, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(counting->history);
	histree_quark sum = histree_attributes_first_child(attributes, thread);
	if (!array_reserve(&counting->threads, &counting->thread_capacity, counting->thread_count + 1))
		return error_memory(error, "a report");
	counting->threads[counting->thread_count++] = (struct counted_thread){ .quark = thread };
	for (; sum != HISTREE_ROOT; sum = histree_attributes_next_sibling(attributes, sum)) {
		char name[NAME_SIZE];
		histree_attributes_name(attributes, sum, name, sizeof(name));
		uint32_t counter = number_of(counting, name);
		if (counter == COUNTERS_MAX)
			continue;
		if (!array_reserve(&counting->sums, &counting->capacity, counting->count + 1))
			return error_memory(error, "a report");
		counting->sums[counting->count++] =
			(struct counted){ .quark = sum, .counter = counter, .thread = counting->thread_count - 1 };
	}
	return HISTREE_OK;
}

static int by_quark(const void *one, const void *other)
{
	const struct counted *a = one, *b = other;
	return (a->quark > b->quark) - (a->quark < b->quark);
}

static enum histree_status list_sums(struct counting *counting, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(counting->history);
	histree_quark folder;
	if (histree_attributes_find(attributes, HISTREE_ROOT, "Threads", &folder) != HISTREE_OK)
		return HISTREE_OK;
	enum histree_status status = HISTREE_OK;
	histree_quark thread = histree_attributes_first_child(attributes, folder);
	for (; thread != HISTREE_ROOT && status == HISTREE_OK;
	     thread = histree_attributes_next_sibling(attributes, thread))
		status = list_thread(counting, thread, error);
	if (counting->count > 0)
		qsort(counting->sums, counting->count, sizeof(*counting->sums), by_quark);
	return status;
}

static int by_amount(const void *one, const void *other)
{
	const struct counted_thread *a = one, *b = other;
	for (size_t i = 0; i < COUNTERS_MAX; i++)
		if (a->amounts[i] != b->amounts[i])
			return a->amounts[i] < b->amounts[i] ? 1 : -1;
	return (a->quark > b->quark) - (a->quark < b->quark);
}

static histree_time within(const struct histree_history_info *info, histree_time time)
{
	return time < info->start ? info->start : time > info->end ? info->end : time;
}

static enum histree_status read_amounts(struct counting *counting, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(counting->history);
	const struct report_source *source = counting->source;
	struct number_change *changes = calloc(counting->count, sizeof(*changes));
	bool is_damaged;
	if (changes == NULL)
		return error_memory(error, "a report");
	for (size_t i = 0; i < counting->count; i++)
		changes[i].quark = counting->sums[i].quark;
	enum histree_status status =
		number_changes_read(counting->history, changes, counting->count, within(info, source->from),
				    within(info, source->to), &is_damaged, error);
	for (size_t i = 0; i < counting->count && status == HISTREE_OK; i++) {
		const struct counted *sum = &counting->sums[i];
		const struct histree_value amount = number_change_value(&changes[i]);
		if (amount.type == HISTREE_LONG)
			counting->threads[sum->thread].amounts[sum->counter] = amount.int64;
	}
	qsort(counting->threads, counting->thread_count, sizeof(*counting->threads), by_amount);
	free(changes);
	return status;
}

static void put_threads(struct overview_page *page, const struct counting *counting)
{
	const struct histree_attributes *attributes = histree_history_attributes(counting->history);
	struct row_column columns[1 + COUNTERS_MAX] = { { .name = "thread", .width = 8, .to_the_right = true } };
	for (size_t i = 0; i < counting->name_count; i++) {
		unsigned width = (unsigned)strlen(counting->names[i]);
		columns[1 + i] = (struct row_column){ .name = counting->names[i],
						      .width = width < 12 ? 12 : width,
						      .to_the_right = true };
	}
	overview_page_section(page, "What counters of events counted");
	overview_page_table(page, columns, 1 + counting->name_count);
	for (size_t i = 0; i < counting->thread_count && i < counting->source->row_max; i++) {
		char name[NAME_SIZE];
		histree_attributes_name(attributes, counting->threads[i].quark, name, sizeof(name));
		row_text(&page->rows, name);
		for (size_t j = 0; j < counting->name_count; j++)
			row_number(&page->rows, counting->threads[i].amounts[j]);
		row_end(&page->rows);
	}
	overview_page_table_end(page);
	char command[256];
	snprintf(command, sizeof(command), " -a counters%s --change 'Threads/*/*'", counting->source->window);
	overview_page_command(page, "numbers", counting->source->target->path, command);
}

/* Of several hosts, one would have to be chosen: that is a question for 'query'. */
enum histree_status report_counters(struct overview_page *page, const struct report_source *source,
				    struct histree_error *error)
{
	const struct histree_store_info *info = histree_store_info(source->target->store);
	struct counting counting = { .source = source };
	bool is_there = false;
	size_t host_count;
	for (size_t i = 0; i < info->history_count; i++)
		is_there = is_there || strcmp(info->histories[i].analysis, "counters") == 0;
	if (!is_there)
		return HISTREE_OK;
	enum histree_status status = target_history(source->target, "counters", true, &counting.history, error);
	if (status == HISTREE_OK && histree_history_hosts(counting.history, &host_count) == NULL)
		status = list_sums(&counting, error);
	if (status == HISTREE_OK && counting.count > 0)
		status = read_amounts(&counting, error);
	if (status == HISTREE_OK && counting.count > 0)
		put_threads(page, &counting);
	free(counting.sums);
	free(counting.threads);
	histree_history_close(counting.history);
	return status;
}
