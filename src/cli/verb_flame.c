// SPDX-License-Identifier: MIT
/*
 * verb_flame.c - `histree flame`: call stacks of a window, samples, or the times at which threads had no CPU, added
 * up; printed as a tree, as rows, as lines for other tools, or drawn.
 */
#include "cli/verb_flame.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/search.h"
#include "base/table.h"
#include "cli/attribute_list.h"
#include "cli/option.h"
#include "cli/picture_file.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/row_writer.h"
#include "cli/segment_target.h"
#include "cli/state_where.h"
#include "cli/target.h"
#include "cli/thread_words.h"
#include "cli/verb.h"
#include "histree/critical_path.h"
#include "histree/time_use.h"
#include "view/view.h"

static bool stack_history_is_there(const struct target *target);

/* ---- stacks in a line --------------------------------------------------------------------------------------- */

/* The names from the outermost one on; `ends` has where that of each depth ends. */
struct stack_line {
	char *bytes;
	size_t capacity;
	size_t *ends;
	size_t end_capacity;
};

/* The stack that ends with a node, when those of its parents were made before; false when memory runs out. */
static bool make_stack(struct stack_line *line, const struct histree_flame_node *node)
{
	const size_t size = strlen(node->name), depth = node->depth;
	if (!array_reserve(&line->ends, &line->end_capacity, depth + 1))
		return false;
	size_t at = depth > 1 ? line->ends[depth - 1] : 0;
	if (!array_reserve(&line->bytes, &line->capacity, at + size + 2))
		return false;
	if (depth > 1)
		line->bytes[at++] = ';';

	/* What separates frames and lines is replaced in names: no tool knows an escape. */
	char *out = line->bytes + at;
	const char *name = node->name;
	for (; *name != '\0'; name++)
		*out++ = *name == ';' ? ':' : (unsigned char)*name < ' ' ? ' ' : *name;

	line->ends[depth] = at + size;
	return true;
}

static void release(struct stack_line *line)
{
	free(line->bytes);
	free(line->ends);
}

/* Prints a line for each stack that has time of its own on side 0: "a;b;c 1200". */
static enum cli_exit flame_rows_fold(struct output *output, const struct histree_flame *flame)
{
	struct stack_line line = { 0 };
	uint32_t count;
	const struct histree_flame_node *nodes = histree_flame_nodes(flame, &count);
	enum cli_exit code = CLI_OK;
	for (uint32_t i = 1; i < count && code == CLI_OK; i++) {
		if (!make_stack(&line, &nodes[i])) {
			code = report_no_memory();
		} else if (nodes[i].self[0] > 0) {
			output_bytes(output, line.bytes, line.ends[nodes[i].depth]);
			output_format(output, " %" PRIu64 "\n", nodes[i].self[0]);
		}
	}
	release(&line);
	return code;
}

/* ---- rows --------------------------------------------------------------------------------------------------- */

static const char *const kinds[HISTREE_FLAME_KIND_COUNT] = { "root", "frame", "group", "unknown", "rest" };

static double share(const struct histree_flame_node *nodes, const struct histree_flame_node *node, unsigned side)
{
	return nodes[0].total[side] > 0 ? (double)node->total[side] / (double)nodes[0].total[side] : 0;
}

/* A row is a node; the context of its table is this. */
struct flame_table {
	const struct histree_flame *flame;
	const struct histree_flame_node *nodes;
	const struct stack_line *line; /* with the stack of the node */
};

static void put_share(struct row_writer *rows, const char *printed, double part)
{
	char text[32];
	if (!rows->format->for_people) {
		row_real(rows, part);
		return;
	}
	snprintf(text, sizeof(text), printed, 100 * part);
	row_text(rows, text);
}

static double share_of(const struct row_writer *rows, const void *node, unsigned side)
{
	const struct flame_table *table = rows->context;
	return share(table->nodes, node, side);
}

static void put_percent(struct row_writer *rows, const void *node)
{
	put_share(rows, "%.2f", share_of(rows, node, 0));
}

static void put_a(struct row_writer *rows, const void *node)
{
	put_share(rows, "%.2f %%", share_of(rows, node, 0));
}

static void put_b(struct row_writer *rows, const void *node)
{
	put_share(rows, "%.2f %%", share_of(rows, node, 1));
}

static void put_difference(struct row_writer *rows, const void *node)
{
	put_share(rows, "%+.2f", share_of(rows, node, 1) - share_of(rows, node, 0));
}

/* For people indented by two for each level. */
static void put_stack(struct row_writer *rows, const void *row)
{
	const struct flame_table *table = rows->context;
	const struct histree_flame_node *node = row;
	char text[2 * 60 + HISTREE_FLAME_NAME_MAX + 1];
	const unsigned depth = node->depth - 1;
	if (!rows->format->for_people) {
		row_bytes(rows, table->line->bytes, table->line->ends[node->depth]);
		return;
	}
	snprintf(text, sizeof(text), "%*s%s", (int)(2 * (depth < 60 ? depth : 60)), "", node->name);
	row_text(rows, text);
}

/* A duration, or a number of what the head of the column says. */
static void put_weight(struct row_writer *rows, const void *weight)
{
	const struct flame_table *table = rows->context;
	if (histree_flame_unit(table->flame) != NULL || !rows->format->for_people)
		row_unsigned(rows, *(const uint64_t *)weight);
	else
		row_duration(rows, *(const uint64_t *)weight);
}

static void put_depth(struct row_writer *rows, const void *node)
{
	row_unsigned(rows, ((const struct histree_flame_node *)node)->depth);
}

static void put_kind(struct row_writer *rows, const void *node)
{
	row_text(rows, kinds[((const struct histree_flame_node *)node)->kind]);
}

#define NODE(at) .offset = offsetof(struct histree_flame_node, at)
#define PEOPLE(text, columns, how) \
	.name = text, .width = columns, .to_the_right = true, .when = ROW_PEOPLE, .put = how
#define PROGRAMS(text, how) .name = text, .when = ROW_PROGRAMS, .put = how
static const struct row_column one_side[] = {
	{ PEOPLE("total", 11, put_weight), NODE(total[0]) },
	{ PEOPLE("percent", 8, put_percent) },
	{ PEOPLE("self", 11, put_weight), NODE(self[0]) },
	{ PROGRAMS("depth", put_depth) },
	{ PROGRAMS("kind", put_kind) },
	{ .name = "name", .when = ROW_PROGRAMS, .cell = CELL_TEXT, NODE(name) },
	{ PROGRAMS("self", put_weight), NODE(self[0]) },
	{ PROGRAMS("total", put_weight), NODE(total[0]) },
	{ PROGRAMS("share", put_percent) },
	{ .name = "stack", .put = put_stack },
};

static const struct row_column both_sides[] = {
	{ PEOPLE("A", 9, put_a) },
	{ PEOPLE("B", 9, put_b) },
	{ PEOPLE("difference", 11, put_difference) },
	{ PROGRAMS("depth", put_depth) },
	{ PROGRAMS("kind", put_kind) },
	{ .name = "name", .when = ROW_PROGRAMS, .cell = CELL_TEXT, NODE(name) },
	{ PROGRAMS("a_self", put_weight), NODE(self[0]) },
	{ PROGRAMS("b_self", put_weight), NODE(self[1]) },
	{ PROGRAMS("a_total", put_weight), NODE(total[0]) },
	{ PROGRAMS("b_total", put_weight), NODE(total[1]) },
	{ PROGRAMS("a_share", put_a) },
	{ PROGRAMS("b_share", put_b) },
	{ PROGRAMS("difference", put_difference) },
	{ .name = "stack", .put = put_stack },
};
#undef NODE
#undef PEOPLE
#undef PROGRAMS

/* Whether the row is worth showing to people, or reaches the least time that was requested. */
static bool is_shown(const struct row_writer *rows, const struct histree_flame_node *node, uint64_t min)
{
	if (min > 0)
		return node->total[0] >= min || node->total[1] >= min;
	return !rows->format->for_people || share_of(rows, node, 0) >= 0.005 || share_of(rows, node, 1) >= 0.005;
}

int flame_rows_print(const struct histree_flame *flame, const struct flame_rows_request *request, int status)
{
	struct row_writer rows;
	struct row_column one[sizeof(one_side) / sizeof(*one_side)];
	struct stack_line line = { 0 };
	uint32_t count;
	const struct histree_flame_node *nodes = histree_flame_nodes(flame, &count);
	const struct flame_table table = { .flame = flame, .nodes = nodes, .line = &line };

	/* People see in the first head what the numbers are of, if that is not time. */
	const char *unit = histree_flame_unit(flame);
	memcpy(one, one_side, sizeof(one_side));
	if (unit != NULL)
		one[0].name = unit;
	enum cli_exit code = request->is_difference
				     ? rows_open(&rows, request->question, ROW_COLUMNS(both_sides), ROWS_PLAIN)
				     : rows_open(&rows, request->question, one,
						 sizeof(one_side) / sizeof(*one_side), ROWS_PLAIN);

	rows.context = &table;
	if (code == CLI_OK && (nodes[0].total[0] > 0 || request->is_difference))
		row_names(&rows); /* none above nothing */
	for (uint32_t i = 1; i < count && code == CLI_OK && !rows_are_full(&rows); i++) {
		if (!is_shown(&rows, &nodes[i], request->min))
			i += nodes[i].descendants;
		else if (rows.format->for_people || make_stack(&line, &nodes[i]))
			row_put(&rows, &nodes[i]);
		else
			code = report_no_memory();
	}
	release(&line);
	return rows_close(&rows, code == CLI_OK ? status : (int)code);
}

/* ---- sample flame -------------------------------------------------------------------------------------------- */

static const char samples[] = "samples", stacks[] = "sample-stacks";

bool sample_flame_is_meant(const char *path, const char *analysis, bool asks_for_samples)
{
	struct target target = { 0 };
	struct histree_error error = { 0 };
	if (analysis != NULL)
		return strcmp(analysis, samples) == 0;
	/* What is wrong with the store is said when it is opened to be read. */
	const bool is_open = target_open(&target, path, &error) == HISTREE_OK;
	const bool is_meant = !is_open || (target.store != NULL && target_find_segments(&target, samples) != NULL &&
					   (asks_for_samples || !stack_history_is_there(&target)));
	target_close(&target);
	return is_meant;
}

/* ---- what is added ------------------------------------------------------------------------------------------ */

static enum cli_exit sample_flame_add_one(struct histree_flame *flame, const struct segment_target *target,
					  const struct sample_question *question)
{
	struct histree_error error = { 0 };
	struct histree_flame_samples_request request = { .samples = target->store,
							 .query = target->query,
							 .event = question->event,
							 .counts = question->counts,
							 .group = question->group,
							 .side = question->side };
	if (target_segments(&target->target, stacks, true, &request.stacks, &error) != HISTREE_OK)
		return report_exit(
			CLI_INPUT,
			"'%s' has samples without their stacks; 'histree build -a samples,sample-stacks' "
			"keeps both",
			target->target.path);
	progress_catch_signals();
	enum histree_status status = histree_flame_add_samples(flame, &request, &error);
	histree_segment_store_close(request.stacks);
	if (status != HISTREE_OK)
		return progress_outcome(status, NULL, &error);

	uint32_t count;
	const char *event = histree_flame_event(flame, question->side, &count);
	if (event != NULL && count > 1 && question->event == NULL)
		report("these are the samples of %s, of %" PRIu32 " events; '--event' chooses another", event,
		       count);

	return CLI_OK;
}

/* Returns the words as one; to be freed. */
static char *with_commas(char *const *words, size_t count)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	if (stream == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++)
		fprintf(stream, "%s%s", i > 0 ? "," : "", words[i]);
	if (fclose(stream) == 0)
		return text;
	free(text);
	return NULL;
}

enum cli_exit sample_flame_add(struct histree_flame *flame, const char *path,
			       const struct sample_question *question)
{
	struct segment_target target;
	struct cli_question asked = *question->question;
	char *threads = with_commas(question->threads, question->thread_count);
	if (threads == NULL)
		return report_no_memory();
	if (question->thread_count > 0)
		asked.thread = threads;
	enum cli_exit code = segment_target_open(&target, path, samples, &asked);
	if (code == CLI_OK)
		code = sample_flame_add_one(flame, &target, question);
	segment_target_close(&target);
	free(threads);
	return code;
}

enum cli_exit sample_flame_damaged(void)
{
	return report_exit(CLI_INPUT,
			   "incomplete: samples, or stacks of some, are damaged or of a host that is missing; "
			   "see 'histree verify' and 'histree copy --repair'");
}

/* ---- which history ------------------------------------------------------------------------------------------ */

/* Returns NULL if there is no such history. */
static struct histree_history *find_history(const struct target *target)
{
	const struct histree_store_info *info = histree_store_info(target->store);
	struct histree_history **histories = calloc(info->history_count + 1, sizeof(*histories));
	struct histree_history *found = NULL;
	size_t count = 0;
	for (size_t i = 0; i < info->history_count && histories != NULL; i++)
		count += target_history(target, info->histories[i].analysis, true, &histories[count], NULL) ==
			 HISTREE_OK;
	if (histories != NULL)
		found = histree_stack_history(histories, count, true);
	for (size_t i = 0; i < count; i++)
		if (histories[i] != found)
			histree_history_close(histories[i]);
	free(histories);
	return found;
}

/* Whether a store has a history with call stacks. */
static bool stack_history_is_there(const struct target *target)
{
	struct histree_history *history = find_history(target);
	histree_history_close(history);
	return history != NULL;
}

enum cli_exit stack_history_open(struct target *target, const char *path, const char *analysis,
				 struct histree_history **out)
{
	*out = NULL;
	if (analysis != NULL)
		return target_open_history(target, path, analysis, out);
	struct histree_error error = { 0 };
	enum histree_status status = target_open(target, path, &error);
	if (status == HISTREE_OK && target->store == NULL)
		status = target_history(target, NULL, true, out, &error);
	if (status != HISTREE_OK)
		return report_error(&error);
	if (*out == NULL && (*out = find_history(target)) == NULL)
		return report_exit(CLI_INPUT,
				   "'%s' has no call stacks; 'histree build -a ust-calls' makes them from "
				   "lttng-ust-cyg-profile and uftrace, '-a samples,sample-stacks' from perf record "
				   "-g, '-a tracks' from spans, and files that define analyses from other events",
				   target->path);
	target_warn_of_version(target, histree_history_info(*out)->provider,
			       histree_history_info(*out)->provider_version);
	return CLI_OK;
}

/* ---- what is added ------------------------------------------------------------------------------------------ */

enum cli_exit stack_history_add(struct histree_flame *flame, const struct stack_question *question)
{
	struct histree_flame_request request = { .history = question->history,
						 .side = question->side,
						 .by_thread = question->by_thread,
						 .work = { .go_on = progress_goes_on } };
	const struct time_span span = time_span_of_history(
		histree_history_info(question->whole != NULL ? question->whole : question->history));
	struct attribute_list list = { 0 };
	enum cli_exit code = question_range(question->question, &span, &request.from, &request.to);
	if (code != CLI_OK)
		return code;
	const bool are_all = question->pattern_count == 0 && question->question->where == NULL;
	const struct state_where where = { question->question, question->target, question->history };
	if (!are_all)
		code = thread_words_match(&list, question->target, question->history, question->patterns,
					  question->pattern_count, ALL_ATTRIBUTES);
	if (code == CLI_OK && !are_all)
		code = state_where_rows(&where, &list, request.from, request.to);
	histree_quark *quarks = malloc((list.count + 1) * sizeof(*quarks));
	for (size_t i = 0; i < list.count && quarks != NULL; i++)
		quarks[i] = list.attributes[i].quark;
	request.quarks = are_all ? NULL : quarks;
	request.quark_count = list.count;
	if (quarks == NULL)
		code = report_no_memory();
	if (code == CLI_OK) {
		struct histree_error error = { 0 };
		progress_catch_signals();
		code = progress_outcome(histree_flame_add_history(flame, &request, &error), NULL, &error);
	}
	free(quarks);
	attribute_list_release(&list);
	return code;
}

/* ---- verb flame ---------------------------------------------------------------------------------------------- */

struct flame_options {
	struct cli_question question;
	struct picture_choice picture;
	const char *event;
	uint64_t min, depth;
	bool count, folded, waits;
	bool by_thread, by_process, by_cpu; /* which of them --by is */
};

static const struct cli_option options[] = {
#define OLD(text, key)                                                                                 \
	{                                                                                              \
		.name = text, .kind = CLI_FLAG, .member = offsetof(struct flame_options, question.by), \
		.means = key                                                                           \
	}
	OLD("by-thread", "thread"),
	OLD("by-process", "process"),
	OLD("by-cpu", "cpu"),
#undef OLD
	CLI_OPTION_TEXT("event", "EVENT", struct flame_options, event,
			"for samples: take those of this event; default: the event with the most samples"),
	CLI_OPTION_FLAG("count", 0, struct flame_options, count,
			"for samples: count them; default: add up their periods, such as ns of cpu-clock"),
	CLI_OPTION_FLAG("waits", 0, struct flame_options, waits,
			"add up the times at which threads had no CPU, by what they waited for and who woke them, "
			"for all threads or for each THREAD, such as 42 or HOST/42"),
	CLI_OPTION_NUMBER("depth", CLI_NUMBER, "N", struct flame_options, depth, 0, HISTREE_PATH_WAKERS_MAX,
			  "with --waits, follow the chain of wakers for up to N threads; default: 4"),
	CLI_OPTION_NUMBER("min", CLI_DURATION, "DURATION", struct flame_options, min, 0, INT64_MAX,
			  "leave out what took less time than this; default: in text, a 200th of the total, else "
			  "nothing is left out"),
	CLI_OPTION_FLAG("folded", 0, struct flame_options, folded,
			"print lines as tools for flame graphs read them: a;b;c and the ns in c itself"),
	CLI_OPTIONS_PICTURE(struct flame_options, picture, "draw a flame graph", "the stacks"),
	CLI_OPTIONS_PICTURE_LOOK(struct flame_options, picture),
	{ 0 },
};

enum histree_status flame_draw(void *context, picture_write *write, void *file, struct histree_error *error)
{
	const struct flame_drawing *drawing = context;
	return histree_draw_flame(drawing->flame, &drawing->options, write, file, error);
}

static enum cli_exit judge(const struct histree_flame *flame, const struct flame_options *chosen, bool are_samples)
{
	uint32_t count;
	enum cli_exit code = CLI_OK;
	if (histree_flame_nodes(flame, &count)[0].total[0] == 0)
		code = report_exit(CLI_NOTHING, "%s in that time",
				   chosen->waits ? "no such thread waited"
				   : are_samples ? "there are no such samples"
						 : "no call is going on");
	if (code == CLI_OK && histree_flame_loss(flame, 0).nodes > 0)
		code = are_samples ? sample_flame_damaged() : report_damaged_history();
	return code;
}

static enum cli_exit flame_answer(struct flame_drawing *drawing, struct histree_flame *flame, const char *path,
				  const struct flame_options *chosen, bool are_samples)
{
	struct histree_error error = { 0 };
	if (histree_flame_finish(flame, &error) != HISTREE_OK)
		return report_error(&error);
	drawing->flame = flame;
	if (chosen->picture.output == NULL) {
		const struct flame_rows_request request = { .question = &chosen->question, .min = chosen->min };
		enum cli_exit code = judge(flame, chosen, are_samples);
		if (!chosen->folded)
			return (enum cli_exit)flame_rows_print(flame, &request, code);
		struct output *output = output_create(STDOUT_FILENO);
		enum cli_exit folded = output != NULL ? flame_rows_fold(output, flame) : report_no_memory();
		return output == NULL ? folded : (enum cli_exit)cli_end(output, folded != CLI_OK ? folded : code);
	}
	char *title = picture_file_title(path);
	if (drawing->options.look.title == NULL)
		drawing->options.look.title = title;
	enum cli_exit code =
		title != NULL ? picture_file_draw(chosen->picture.output, flame_draw, drawing) : report_no_memory();
	free(title);
	return code;
}

static enum cli_exit add_calls(struct histree_flame *flame, struct target *target, const struct cli_words *words,
			       const struct flame_options *chosen, bool *lacks_hosts)
{
	struct stack_question question = { .target = target,
					   .patterns = words->words + 1,
					   .pattern_count = words->count - 1,
					   .question = &chosen->question,
					   .by_thread = chosen->by_thread };
	enum cli_exit code =
		stack_history_open(target, words->words[0], chosen->question.analysis, &question.history);
	if (code == CLI_OK)
		code = stack_history_add(flame, &question);
	/* Patterns need not ask for what is missing. */
	if (code == CLI_OK && question.pattern_count == 0 && chosen->question.where == NULL)
		*lacks_hosts = host_part_missing(question.history) != CLI_OK;
	histree_history_close(question.history);
	return code;
}

/* As the library has them; none for no words.  A number that was used again is there once. */
static enum cli_exit list_waiters(struct thread_words *named, struct histree_history *graph,
				  struct histree_flame_thread **out)
{
	size_t kept = 0;
	enum cli_exit code = CLI_OK;
	struct histree_flame_thread *threads = named->count > 0 ? calloc(named->count, sizeof(*threads)) : NULL;
	*out = threads;
	if (named->count > 0 && threads == NULL)
		return report_no_memory();
	for (size_t i = 0; i < named->count && code == CLI_OK; i++) {
		struct histree_flame_thread *next = &threads[kept];
		next->tid = named->threads[i].tid;
		code = thread_words_host(&named->threads[i], graph, &next->host);
		if (kept == 0 || next->tid != next[-1].tid || next->host != next[-1].host)
			kept++;
	}
	named->count = kept;
	return code;
}

COMPARE(by_waiter, struct histree_flame_thread, BY(host) BY(tid))

/* The threads whose rows an expression leaves: all of them, or of those that are named. */
static enum cli_exit keep_waiters(const struct attribute_list *rows, const struct histree_history *graph,
				  bool are_named, struct histree_flame_thread **threads, size_t *count)
{
	size_t kept = 0;
	struct histree_flame_thread *left = calloc(rows->count + 1, sizeof(*left));
	if (left == NULL)
		return report_no_memory();
	if (are_named)
		qsort(*threads, *count, sizeof(**threads), by_waiter);
	for (size_t i = 0; i < rows->count; i++) {
		const histree_quark quark = rows->attributes[i].quark;
		const struct histree_flame_thread thread = {
			.host = histree_history_host_of(graph, quark),
			.tid = histree_attributes_thread(histree_history_attributes(graph), quark),
		};
		const bool is_new = kept == 0 || by_waiter(&left[kept - 1], &thread) != 0;
		if (thread.tid > 0 && is_new &&
		    (!are_named || bsearch(&thread, *threads, *count, sizeof(thread), by_waiter) != NULL))
			left[kept++] = thread;
	}
	free(*threads);
	*threads = left;
	*count = kept;
	return kept > 0 ? CLI_OK : report_exit(CLI_NOTHING, "no thread passes '--where' and '--host'");
}

/* --where and --host of waits, by the rows of the graph. */
static enum cli_exit choose_waiters(const struct target *target, const struct cli_question *question,
				    const struct histree_flame_waits_request *request, bool are_named,
				    struct histree_flame_thread **threads, size_t *count)
{
	struct cli_question asked = *question;
	struct attribute_list rows = { 0 };
	char *both = NULL;
	if (question->where == NULL && question->host == NULL)
		return CLI_OK;
	if (question->host != NULL) {
		asked.where = both = host_part_where(question->host, question->where);
		asked.host = NULL;
	}
	const struct state_where where = { &asked, target, request->graph };
	enum cli_exit code = asked.where != NULL
				     ? thread_words_match(&rows, target, request->graph, NULL, 0, ALL_ATTRIBUTES)
				     : report_no_memory();
	if (code == CLI_OK)
		code = state_where_rows(&where, &rows, request->from, request->to);
	if (code == CLI_OK)
		code = keep_waiters(&rows, request->graph, are_named, threads, count);
	attribute_list_release(&rows);
	free(both);
	return code;
}

/*
 * Opens the histories that are needed, and adds the waits of all threads or of the named ones to side 0.  Hosts
 * that are missing and may have such waits are reported.
 */
static enum cli_exit add_waits(struct histree_flame *flame, struct target *target, const struct cli_words *words,
			       const struct flame_options *chosen, bool *lacks_hosts)
{
	struct histree_flame_waits_request request = { .depth = (unsigned)chosen->depth,
						       .by_thread = chosen->by_thread,
						       .work = { .go_on = progress_goes_on } };
	struct histree_error error = { 0 };
	const char *analysis = chosen->question.analysis != NULL ? chosen->question.analysis : "graph";
	struct histree_flame_thread *threads = NULL;
	struct thread_words named = { 0 };
	enum cli_exit code = target_open_history(target, words->words[0], analysis, &request.graph);
	if (code == CLI_OK) {
		const struct time_span span = time_span_of_history(histree_history_info(request.graph));
		/* Stacks have no system calls if the store has no such history. */
		if (target->store == NULL ||
		    target_history(target, "kernel", true, &request.kernel, &error) != HISTREE_OK)
			request.kernel = NULL;
		code = question_range(&chosen->question, &span, &request.from, &request.to);
	}
	for (size_t i = 1; i < words->count && code == CLI_OK; i++)
		code = thread_words_read(&named, words->words[i], target, request.graph);
	if (code == CLI_OK)
		code = list_waiters(&named, request.graph, &threads);
	size_t count = named.count;
	if (code == CLI_OK)
		code = choose_waiters(target, &chosen->question, &request, threads != NULL, &threads, &count);
	request.threads = threads;
	request.thread_count = count;
	if (code == CLI_OK) {
		progress_catch_signals();
		code = progress_outcome(histree_flame_add_waits(flame, &request, &error), NULL, &error);
	}
	*lacks_hosts = code == CLI_OK && host_part_missing(request.graph) != CLI_OK;
	free(threads);
	thread_words_release(&named);
	histree_history_close(request.kernel);
	histree_history_close(request.graph);
	target_say_missing(target, analysis);
	return code;
}

static enum cli_exit read_by(struct flame_options *chosen)
{
	const struct {
		const char *key;
		bool *is_by;
	} rows[] = { { "thread", &chosen->by_thread },
		     { "process", &chosen->by_process },
		     { "cpu", &chosen->by_cpu } };
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && chosen->question.by != NULL; i++)
		if (strcmp(chosen->question.by, rows[i].key) == 0) {
			*rows[i].is_by = true;
			return CLI_OK;
		}
	return chosen->question.by == NULL
		       ? CLI_OK
		       : report_exit(CLI_USAGE, "'--by': '%s' is not one of thread, process and cpu",
				     chosen->question.by);
}

/* Checks which options go together; *are_samples: the stacks are those of samples. */
static enum cli_exit choose(const struct flame_options *chosen, const char *path, bool *are_samples)
{
	const char *of_samples = chosen->by_process                                ? "by process"
				 : chosen->by_cpu                                  ? "by cpu"
				 : chosen->event != NULL                           ? "event"
				 : chosen->question.host != NULL && !chosen->waits ? "host"
				 : chosen->count                                   ? "count"
										   : NULL;
	*are_samples = false;
	if (chosen->folded && (chosen->question.format != NULL || chosen->picture.output != NULL))
		return report_exit(CLI_USAGE,
				   "'--folded' prints lines of its own: it goes with neither '--format' nor "
				   "'--output'");
	const char *analysis = chosen->question.analysis;
	*are_samples = !chosen->waits && sample_flame_is_meant(path, analysis, of_samples != NULL);
	if (!*are_samples && !chosen->waits && analysis == NULL && sample_flame_is_meant(path, NULL, true))
		report("these are the calls; '-a samples' adds up the samples, which are there, too");
	return *are_samples || of_samples == NULL
		       ? CLI_OK
		       : report_exit(CLI_USAGE, "'--%s' is for samples, but these stacks are those of %s",
				     of_samples, chosen->waits ? "waits" : "calls");
}

static enum cli_exit add_samples(struct histree_flame *flame, const struct cli_words *words,
				 const struct flame_options *chosen)
{
	const struct sample_question question = {
		.threads = words->words + 1,
		.thread_count = words->count - 1,
		.event = chosen->event,
		.question = &chosen->question,
		.counts = chosen->count,
		.group = chosen->by_thread    ? HISTREE_FLAME_BY_THREAD
			 : chosen->by_process ? HISTREE_FLAME_BY_PROCESS
			 : chosen->by_cpu     ? HISTREE_FLAME_BY_CPU
					      : HISTREE_FLAME_TOGETHER,
	};
	return sample_flame_add(flame, words->words[0], &question);
}

static const struct flame_options defaults = { .depth = 4 };

static int flame_run(void *said, const struct cli_words *words)
{
	struct flame_options *chosen = said;
	struct flame_drawing drawing = { .flame = NULL };
	struct histree_flame *flame = NULL;
	struct histree_error error = { 0 };
	struct target target = { 0 };
	bool lacks_hosts = false, are_samples;
	int status = read_by(chosen);
	if (status == CLI_OK)
		status = choose(chosen, words->words[0], &are_samples);
	if (status == CLI_OK)
		status = picture_choice_read(&chosen->picture, &drawing.options.look);
	if (status != CLI_OK)
		return status;
	if (histree_flame_create(&(struct histree_flame_options){ 0 }, &flame, &error) != HISTREE_OK)
		status = report_error(&error);
	if (status == CLI_OK)
		status = are_samples     ? add_samples(flame, words, chosen)
			 : chosen->waits ? add_waits(flame, &target, words, chosen, &lacks_hosts)
					 : add_calls(flame, &target, words, chosen, &lacks_hosts);
	if (status == CLI_OK)
		status = flame_answer(&drawing, flame, words->words[0], chosen, are_samples);
	if (status == CLI_OK && lacks_hosts)
		status = CLI_INPUT;
	histree_flame_free(flame);
	target_close(&target);
	return status;
}

const struct cli_verb verb_flame = {
	.name = "flame",
	.summary = "add up call stacks or waits, as a tree, as lines or as a flame graph",
	.arguments = { "STORE [PATTERN... | THREAD...]", 1, CLI_WORDS_ANY },
	.complete = CLI_COMPLETE_ATTRIBUTE,
	.asks = ASKS_RANGE | ASKS(WHERE) | ASKS(BY) | ASKS(LIMIT) | ASKS(COLUMNS) | ASKS(ANALYSIS) | ASKS(HOST) |
		ASKS(FORMAT),
	.says = { [ASK_WHERE] = ", as in 'cpu == 1 && process == make'; of samples, and of the rows of calls and "
				"waits",
		  [ASK_BY] = ": thread or, for samples, process or cpu; default: add up everything",
		  [ASK_ANALYSIS] = "; default: ust-calls, tracks or another one that has call stacks",
		  [ASK_HOST] = "; of samples and waits" },
	CLI_OPTIONS(options, struct flame_options),
	.defaults = &defaults,
	.run = flame_run,
};
