// SPDX-License-Identifier: MIT
#include "cli/why_tables.h"

#include <assert.h>
#include <string.h>

#include "base/time_text.h"

enum { NAME_SIZE = 256 };

const char *const why_table_names[] = { "causes", "threads", "waits", NULL };

static const struct {
	const char *name, *words;
} causes[WHY_CAUSE_COUNT] = {
	[WHY_RAN] = { "ran", "ran" },
	[WHY_NO_CPU] = { "no-cpu", "could run, but had no CPU" },
	[WHY_NETWORK] = { "network", "waited for a packet" },
	[WHY_DISK] = { "disk", "waited for a disk" },
	[WHY_TIMER] = { "timer", "waited for a timer" },
	[WHY_INTERRUPT] = { "interrupt", "waited for an interrupt" },
	[WHY_BLOCKED] = { "blocked", "waited, for what is not known" },
	[WHY_UNKNOWN] = { "unknown", "what it did is not known" },
};

static void put_percent(struct row_writer *rows, uint64_t ns, uint64_t all)
{
	row_percent(rows, why_percent(ns, all));
}

void why_put_time(struct row_writer *rows, histree_time time)
{
	char text[TIME_TEXT_SIZE];
	if (!rows->format->for_people) {
		row_number(rows, time);
		return;
	}
	time_format_clock(time, text);
	row_text(rows, text);
}

static bool has_hosts(const struct why_tables *tables, const struct row_format *format)
{
	return tables->hosts != NULL || !format->for_people;
}

static void put_thread(const struct why_tables *tables, struct row_writer *rows, size_t host, int32_t tid)
{
	char name[NAME_SIZE];
	size_t size = histree_critical_path_name(tables->path, host, tid, name, sizeof(name));
	if (has_hosts(tables, rows->format))
		row_text(rows, tables->hosts != NULL ? tables->hosts[host].name : tables->host);
	row_number(rows, tid);
	if (tid == HISTREE_IDLE_TID)
		row_text(rows, "(idle)");
	else
		row_bytes(rows, name, size < sizeof(name) ? size : sizeof(name) - 1);
}

#define RIGHT(text, columns)                                         \
	{                                                            \
		.name = text, .width = columns, .to_the_right = true \
	}

static const struct row_column cause_columns[] = { { .name = "cause", .width = 30 },
						   RIGHT("itself", 11),
						   RIGHT("others", 11),
						   RIGHT("percent", 8),
						   RIGHT("steps", 8) };
static const struct row_column thread_columns[] = { { .name = "host", .width = 12 },
						    RIGHT("thread", 8),
						    { .name = "name", .width = 20 },
						    { .name = "did", .width = 30 },
						    RIGHT("duration", 11),
						    RIGHT("percent", 8),
						    RIGHT("steps", 8) };
static const struct row_column wait_columns[] = { RIGHT("start", 18),
						  RIGHT("duration", 11),
						  { .name = "host", .width = 12 },
						  RIGHT("thread", 8),
						  { .name = "name", .width = 16 },
						  { .name = "did", .width = 30 },
						  RIGHT("percent", 8),
						  { .name = "woken_by_host", .width = 13 },
						  RIGHT("woken_by", 9) };
static_assert(sizeof(wait_columns) / sizeof(*wait_columns) <= WHY_COLUMNS_MAX, "no table has more columns");

struct table {
	const struct row_column *columns;
	size_t count;
	void (*put)(const struct why_tables *tables, struct row_writer *rows);
};

static const char *cause_text(const struct row_writer *rows, enum why_cause cause)
{
	return rows->format->for_people ? causes[cause].words : causes[cause].name;
}

static void put_causes(const struct why_tables *tables, struct row_writer *rows)
{
	for (unsigned cause = 0; cause < WHY_CAUSE_COUNT; cause++) {
		const struct why_sum *sum = &tables->waits.causes[cause];
		if (sum->steps == 0)
			continue;
		row_text(rows, cause_text(rows, (enum why_cause)cause));
		row_duration(rows, sum->itself_ns);
		row_duration(rows, sum->others_ns);
		put_percent(rows, sum->itself_ns + sum->others_ns, tables->waits.ns);
		row_unsigned(rows, sum->steps);
		row_end(rows);
	}
}

static void put_threads(const struct why_tables *tables, struct row_writer *rows)
{
	const struct path_totals *totals = &tables->waits.totals;
	for (size_t i = 0; i < totals->count && i < tables->row_max; i++) {
		const struct path_total *total = &totals->all[i];
		put_thread(tables, rows, total->host, total->tid);
		row_text(rows, cause_text(rows, why_cause_of(total->state)));
		row_duration(rows, total->ns);
		put_percent(rows, total->ns, tables->waits.ns);
		row_unsigned(rows, total->steps);
		row_end(rows);
	}
}

static void put_waits(const struct why_tables *tables, struct row_writer *rows)
{
	for (size_t i = 0; i < tables->waits.wait_count; i++) {
		const struct why_wait *wait = &tables->waits.waits[i];
		const uint64_t ns = (uint64_t)wait->end - (uint64_t)wait->start;
		why_put_time(rows, wait->start);
		row_duration(rows, ns);
		put_thread(tables, rows, wait->mostly.host, wait->mostly.tid);
		row_text(rows, cause_text(rows, why_cause_of(wait->mostly.state)));
		put_percent(rows, wait->mostly.ns, ns);
		if (has_hosts(tables, rows->format) && wait->is_woken)
			row_text(rows, tables->hosts != NULL ? tables->hosts[wait->waker_host].name : tables->host);
		else if (has_hosts(tables, rows->format))
			row_null(rows);
		if (wait->is_woken)
			row_number(rows, wait->waker);
		else
			row_null(rows);
		row_end(rows);
	}
}

#define COLUMNS(table) (table), sizeof(table) / sizeof(*(table))

static const struct table all[] = {
	[WHY_CAUSES] = { COLUMNS(cause_columns), put_causes },
	[WHY_THREADS] = { COLUMNS(thread_columns), put_threads },
	[WHY_WAITS] = { COLUMNS(wait_columns), put_waits },
};

/* Those of hosts are left out where people look at one. */
size_t why_table_columns(const struct why_tables *tables, const struct row_format *format, enum why_table which,
			 struct row_column out[static WHY_COLUMNS_MAX])
{
	size_t kept = 0;
	for (size_t i = 0; i < all[which].count; i++)
		if (has_hosts(tables, format) || strstr(all[which].columns[i].name, "host") == NULL)
			out[kept++] = all[which].columns[i];
	return kept;
}

void why_table_put(const struct why_tables *tables, enum why_table which, struct row_writer *rows)
{
	all[which].put(tables, rows);
}
