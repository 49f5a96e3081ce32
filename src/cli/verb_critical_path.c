// SPDX-License-Identifier: MIT
/*
 * verb_critical_path.c - what a thread waited for, step by step, or added up.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/picture_file.h"
#include "cli/target.h"
#include "cli/time_option.h"
#include "cli/verb.h"
#include "histree/critical_path.h"

enum { NAME_SIZE = 256 };

struct path_options {
	const char *analysis, *format, *from, *to;
	const char *output, *size;
	bool totals;
};

static const struct cli_option options[] = {
	{ .name = "from",
	  .argument = "TIME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct path_options, from),
	  .help = "begin at this time; default: the start of the history" },
	{ .name = "to",
	  .argument = "TIME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct path_options, to),
	  .help = "end with the first change of the thread at this time or later; default: the end of the "
		  "history" },
	{ .name = "totals",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct path_options, totals),
	  .help = "add up the time on the path by thread and state, the longest first" },
	{ .name = "output",
	  .letter = 'o',
	  .argument = "FILE",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct path_options, output),
	  .help = "draw the path into this file, whose name ends in .svg or .png",
	  .complete = CLI_COMPLETE_PATH },
	{ .name = "size",
	  .argument = "SIZE",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct path_options, size),
	  .help = "make the picture WIDTHxHEIGHT or WIDTH pixels large; default: 1200 wide and as high as the "
		  "rows" },
	CLI_OPTION_ANALYSIS(struct path_options, "read the history of this analysis; default: graph"),
	CLI_OPTION_FORMAT(struct path_options),
	{ 0 },
};

/* Of one thread in one state. */
struct total {
	size_t host;
	int32_t tid;
	enum histree_graph_state state;
	uint64_t ns, steps;
};

struct printing {
	struct histree_critical_path *path;
	const struct histree_history_host *hosts; /* NULL: one, */
	char *host;                               /* which is called so */
	struct row_writer rows;
	struct total *totals;
	size_t total_count, total_capacity;
	uint64_t ns; /* of all */
};

/* People who look at one host know which. */
static bool has_hosts(const struct printing *printing, const struct row_format *format)
{
	return printing->hosts != NULL || !format->for_people;
}

static void put_host(struct printing *printing, size_t host)
{
	if (has_hosts(printing, printing->rows.format))
		row_text(&printing->rows, printing->hosts != NULL ? printing->hosts[host].name : printing->host);
}

static void put_name(struct printing *printing, size_t host, int32_t tid)
{
	char name[NAME_SIZE];
	size_t size = histree_critical_path_name(printing->path, host, tid, name, sizeof(name));
	row_bytes(&printing->rows, name, size < sizeof(name) ? size : sizeof(name) - 1);
}

static void put_thread(struct printing *printing, size_t host, int32_t tid)
{
	put_host(printing, host);
	row_number(&printing->rows, tid);
	put_name(printing, host, tid);
}

/* ---- steps -------------------------------------------------------------------------------------------------- */

static enum cli_exit put_step(struct printing *printing, const struct histree_path_step *step)
{
	struct row_writer *rows = &printing->rows;
	row_text(rows, step->is_arrow ? "arrow" : "state");
	row_number(rows, step->start);
	row_number(rows, step->end);
	if (rows->format->for_people)
		row_duration(rows, (uint64_t)step->end - (uint64_t)step->start);
	put_thread(printing, step->host, step->tid);
	row_text(rows, histree_graph_state_name(step->state));
	if (step->is_arrow) {
		put_host(printing, step->to_host);
		row_number(rows, step->to_tid);
		if (rows->format->for_people)
			put_name(printing, step->to_host, step->to_tid);
	}
	while (rows->column < rows->column_count)
		row_null(rows);
	row_end(rows);
	return CLI_OK;
}

/* ---- totals ------------------------------------------------------------------------------------------------- */

static int by_thread(const void *one, const void *other)
{
	const struct total *a = one, *b = other;
	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->state < b->state ? -1 : a->state > b->state;
}

static int by_time(const void *one, const void *other)
{
	const struct total *a = one, *b = other;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return by_thread(one, other);
}

/* Those of one thread and state become one; so there are no more than there are such pairs, twice. */
static void merge_totals(struct printing *printing)
{
	size_t kept = 0;
	qsort(printing->totals, printing->total_count, sizeof(*printing->totals), by_thread);
	for (size_t i = 0; i < printing->total_count; i++) {
		struct total *last = &printing->totals[kept - 1], *next = &printing->totals[i];
		if (kept > 0 && by_thread(last, next) == 0) {
			last->ns += next->ns;
			last->steps += next->steps;
		} else {
			printing->totals[kept++] = *next;
		}
	}
	printing->total_count = kept;
}

static enum cli_exit add_total(struct printing *printing, const struct histree_path_step *step)
{
	uint64_t ns = (uint64_t)step->end - (uint64_t)step->start;
	if (step->is_arrow)
		return CLI_OK;
	if (printing->total_count == printing->total_capacity && printing->total_count > 0)
		merge_totals(printing);
	if (printing->total_count * 2 >= printing->total_capacity &&
	    !array_reserve(&printing->totals, &printing->total_capacity, printing->total_count * 2 + 1024))
		return report_no_memory();
	printing->totals[printing->total_count++] = (struct total){ step->host, step->tid, step->state, ns, 1 };
	printing->ns += ns;
	return CLI_OK;
}

/* With one digit after the point, as text. */
static double percent_of(const struct printing *printing, const struct total *total)
{
	return printing->ns > 0 ? round(1000 * (double)total->ns / (double)printing->ns) / 10 : 0;
}

static void put_totals(struct printing *printing)
{
	struct row_writer *rows = &printing->rows;
	merge_totals(printing);
	qsort(printing->totals, printing->total_count, sizeof(*printing->totals), by_time);
	for (size_t i = 0; i < printing->total_count; i++) {
		const struct total *total = &printing->totals[i];
		put_thread(printing, total->host, total->tid);
		row_text(rows, histree_graph_state_name(total->state));
		row_duration(rows, total->ns);
		row_unsigned(rows, total->steps);
		row_real(rows, percent_of(printing, total));
		row_end(rows);
	}
}

/* ------------------------------------------------------------------------------------------------------------- */

static enum cli_exit walk(struct printing *printing,
			  enum cli_exit (*take)(struct printing *, const struct histree_path_step *))
{
	struct histree_path_step step;
	struct histree_error error;
	enum histree_status status;
	while ((status = histree_critical_path_next(printing->path, &step, &error)) == HISTREE_OK) {
		enum cli_exit code = take(printing, &step);
		if (code != CLI_OK)
			return code;
	}
	return status == HISTREE_END ? CLI_OK : report_error(&error);
}

/* Which of them a format has. */
enum whose { ALL, PEOPLE, HOSTS };

struct path_column {
	struct row_column column;
	enum whose whose;
};

static const struct path_column total_columns[] = {
	{ { .name = "host", .width = 12 }, HOSTS },
	{ { .name = "tid", .width = 8, .to_the_right = true }, ALL },
	{ { .name = "name", .width = 20 }, ALL },
	{ { .name = "state", .width = 12 }, ALL },
	{ { .name = "duration", .width = 10, .to_the_right = true }, ALL },
	{ { .name = "steps", .width = 8, .to_the_right = true }, ALL },
	{ { .name = "percent", .width = 8, .to_the_right = true }, ALL },
};

static const struct path_column step_columns[] = {
	{ { .name = "kind", .width = 5 }, ALL },
	{ { .name = "start", .width = 19, .to_the_right = true }, ALL },
	{ { .name = "end", .width = 19, .to_the_right = true }, ALL },
	{ { .name = "duration", .width = 10, .to_the_right = true }, PEOPLE },
	{ { .name = "host", .width = 12 }, HOSTS },
	{ { .name = "tid", .width = 8, .to_the_right = true }, ALL },
	{ { .name = "name", .width = 20 }, ALL },
	{ { .name = "state", .width = 12 }, ALL },
	{ { .name = "to_host", .width = 12 }, HOSTS },
	{ { .name = "to_tid", .width = 8, .to_the_right = true }, ALL },
	{ { .name = "to_name", .width = 20 }, PEOPLE },
};

enum {
	STEP_COLUMNS = sizeof(step_columns) / sizeof(*step_columns),
	TOTAL_COLUMNS = sizeof(total_columns) / sizeof(*total_columns),
};

static size_t choose_columns(const struct printing *printing, const struct row_format *format,
			     const struct path_column *from, size_t count, struct row_column *out)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (from[i].whose == ALL || (from[i].whose == PEOPLE && format->for_people) ||
		    (from[i].whose == HOSTS && has_hosts(printing, format)))
			out[kept++] = from[i].column;
	return kept;
}

static enum cli_exit print(struct printing *printing, const struct path_options *chosen)
{
	const struct row_format *format = row_format_find(chosen->format);
	struct row_column columns[STEP_COLUMNS];
	size_t count = choose_columns(printing, format, chosen->totals ? total_columns : step_columns,
				      chosen->totals ? TOTAL_COLUMNS : STEP_COLUMNS, columns);
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	row_writer_begin(&printing->rows, format, output, columns, count);
	enum cli_exit code = walk(printing, chosen->totals ? add_total : put_step);
	if (code == CLI_OK && chosen->totals)
		put_totals(printing);
	row_writer_finish(&printing->rows);
	return cli_end(output, code);
}

/* ---- which thread ------------------------------------------------------------------------------------------- */

static enum cli_exit read_tid(const char *text, int32_t *tid)
{
	char *end;
	errno = 0;
	long number = strtol(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || number < HISTREE_KERNEL_TID || number > INT32_MAX)
		return report_exit(CLI_USAGE, "'%s' is no thread: give its number, such as 42, or HOST/42", text);
	*tid = (int32_t)number;
	return CLI_OK;
}

static bool has_thread(const struct histree_history_host *host, const char *tid)
{
	histree_quark threads, found;
	if (host->history == NULL)
		return false;
	const struct histree_attributes *attributes = histree_history_attributes(host->history);
	return histree_attributes_find(attributes, HISTREE_ROOT, "Threads", &threads) == HISTREE_OK &&
	       histree_attributes_child(attributes, threads, tid, strlen(tid), &found) == HISTREE_OK;
}

/* The only host that has the thread. */
static enum cli_exit find_host(const struct histree_history_host *hosts, size_t count, const char *tid, size_t *out)
{
	size_t having = 0;
	for (size_t i = count; i-- > 0;) {
		if (!has_thread(&hosts[i], tid))
			continue;
		*out = i;
		having++;
	}
	if (having > 1)
		return report_exit(CLI_USAGE, "%zu hosts have a thread %s: say which, as in %s/%s", having, tid,
				   hosts[*out].name, tid);
	return having == 1 ? CLI_OK : report_exit(CLI_NOTHING, "no host has a thread %s", tid);
}

/* HOST/TID, or the number alone where that is enough. */
static enum cli_exit read_thread(const char *text, struct histree_history *history, size_t *host, int32_t *tid)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	const char *slash = strrchr(text, '/');
	size_t size = slash != NULL ? (size_t)(slash - text) : 0;
	*host = 0;
	enum cli_exit code = read_tid(count > 0 && slash != NULL ? slash + 1 : text, tid);
	if (code != CLI_OK || count == 0)
		return code;
	if (slash == NULL)
		return find_host(hosts, count, text, host);
	while (*host < count && (strlen(hosts[*host].name) != size || memcmp(hosts[*host].name, text, size) != 0))
		++*host;
	return *host < count ? CLI_OK : report_exit(CLI_NOTHING, "'%s': there is no such host", text);
}

/* ---- pictures ----------------------------------------------------------------------------------------------- */

struct drawing {
	struct histree_history *history;
	struct histree_draw_path_options options;
};

static enum histree_status draw(void *context, picture_write *write, void *file, struct histree_error *error)
{
	const struct drawing *drawing = context;
	return histree_draw_path(drawing->history, &drawing->options, write, file, error);
}

/* ------------------------------------------------------------------------------------------------------------- */

/* Which path of which thread, and its picture. */
static enum cli_exit choose(struct drawing *drawing, const char *thread, const struct path_options *chosen)
{
	const struct time_span span = time_span_of_history(histree_history_info(drawing->history));
	struct histree_draw_path_options *path = &drawing->options;
	enum cli_exit code = read_thread(thread, drawing->history, &path->host, &path->tid);
	if (code == CLI_OK)
		code = time_option_range(chosen->from, chosen->to, &span, &path->from, &path->to);
	/* The last edge ends one after the history. */
	if (chosen->to == NULL)
		path->to = span.end + 1;
	return code;
}

static enum cli_exit answer(struct printing *printing, const struct drawing *drawing,
			    const struct path_options *chosen)
{
	struct histree_error error;
	const struct histree_draw_path_options *path = &drawing->options;
	enum histree_status status = histree_critical_path_create(drawing->history, &printing->path, &error);
	if (status == HISTREE_OK)
		status = histree_critical_path_start(printing->path, path->host, path->tid, path->from, path->to,
						     &error);
	return status == HISTREE_OK ? print(printing, chosen) : report_error(&error);
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct path_options chosen = { .analysis = "graph" };
	struct printing printing = { 0 };
	struct histree_history *history = NULL;
	struct cli_words words;
	struct target target;
	struct drawing drawing = { .history = NULL };
	size_t host_count;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	status = picture_file_size(chosen.size, &drawing.options.width, &drawing.options.height);
	if (status == CLI_OK && chosen.output != NULL)
		status = picture_file_format(chosen.output, &drawing.options.format);
	if (status != CLI_OK)
		return status;
	status = target_open_history(&target, words.words[0], chosen.analysis, &history);
	drawing.history = history;
	if (status == CLI_OK)
		status = choose(&drawing, words.words[1], &chosen);
	if (status == CLI_OK) {
		printing.hosts = histree_history_hosts(history, &host_count);
		printing.host = target_host_name(&target);
		status = printing.host == NULL   ? report_no_memory()
			 : chosen.output != NULL ? picture_file_draw(chosen.output, draw, &drawing)
						 : answer(&printing, &drawing, &chosen);
	}
	histree_critical_path_free(printing.path);
	free(printing.totals);
	free(printing.host);
	histree_history_close(history);
	target_close(&target);
	return status;
}

const struct cli_verb verb_critical_path = {
	.name = "critical-path",
	.summary = "print what a thread waited for, and what that waited for in turn",
	.arguments = "STORE THREAD",
	.words_min = 2,
	.words_max = 2,
	.options = options,
	.run = run,
};
