// SPDX-License-Identifier: MIT
/*
 * verb_flame.c - call stacks of a window, added up: as a tree, as rows, as lines for other tools, as a picture.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/flame_rows.h"
#include "cli/host_part.h"
#include "cli/picture_file.h"
#include "cli/sample_flame.h"
#include "cli/stack_history.h"
#include "cli/verb.h"
#include "cli/wait_stacks.h"
#include "histree/critical_path.h"

struct flame_options {
	const char *analysis, *format, *from, *to;
	const char *output, *size, *theme, *title;
	const char *event, *where, *by;
	uint64_t min, depth;
	bool by_thread, by_process, by_cpu, count, folded, waits, force;
};

static const char *const themes[] = { "light", "dark", NULL };

static const struct cli_option options[] = {
	{ .name = "from",
	  .argument = "TIME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct flame_options, from),
	  .help = "begin at this time; default: the start of the history" },
	{ .name = "to",
	  .argument = "TIME",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct flame_options, to),
	  .help = "end at this time; default: the end of the history" },
	{ .name = "by",
	  .argument = "KEY",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct flame_options, by),
	  .help = "keep the stacks of each thread apart, or, of samples, of each process or cpu; default: add up "
		  "all" },
	{ .name = "by-thread",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct flame_options, by_thread),
	  .help = "the same as '--by thread'" },
	{ .name = "by-process",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct flame_options, by_process),
	  .help = "the same as '--by process'" },
	{ .name = "by-cpu",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct flame_options, by_cpu),
	  .help = "the same as '--by cpu'" },
	{ .name = "event",
	  .argument = "EVENT",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct flame_options, event),
	  .help = "of samples: take those of this event; default: the one with most samples" },
	{ .name = "count",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct flame_options, count),
	  .help = "of samples: add up how many there are; default: their periods, such as ns of cpu-clock" },
	{ .name = "where",
	  .argument = "EXPR",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct flame_options, where),
	  .help = "of samples: take only those that pass, as in 'cpu == 1 && process == make'" },
	{ .name = "waits",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct flame_options, waits),
	  .help = "add up the times at which threads had no CPU, by what they waited for and who woke them; of "
		  "all, "
		  "or of each THREAD, such as 42 or HOST/42" },
	{ .name = "depth",
	  .argument = "N",
	  .kind = CLI_NUMBER,
	  .member = offsetof(struct flame_options, depth),
	  .help = "with --waits, follow who woke whom up to N threads far; default: 4",
	  .max = HISTREE_PATH_WAKERS_MAX },
	{ .name = "min",
	  .argument = "DURATION",
	  .kind = CLI_DURATION,
	  .member = offsetof(struct flame_options, min),
	  .help = "leave out what took less time than this; default: in text, less than a 200th of all, else "
		  "nothing",
	  .max = INT64_MAX },
	{ .name = "folded",
	  .kind = CLI_FLAG,
	  .member = offsetof(struct flame_options, folded),
	  .help = "print lines as tools for flame graphs read them: a;b;c and the ns in c itself" },
	{ .name = "output",
	  .letter = 'o',
	  .argument = "FILE",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct flame_options, output),
	  .help = "draw a flame graph into this file, whose name ends in .svg or .png",
	  .complete = CLI_COMPLETE_PATH },
	CLI_OPTION_FORCE(struct flame_options, "replace an existing FILE once the new one is whole"),
	{ .name = "size",
	  .argument = "SIZE",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct flame_options, size),
	  .help = "make the picture WIDTHxHEIGHT or WIDTH pixels large; default: 1200 wide and as high as the "
		  "stacks" },
	{ .name = "theme",
	  .argument = "THEME",
	  .kind = CLI_CHOICE,
	  .member = offsetof(struct flame_options, theme),
	  .help = "use the colours light or dark; default: light",
	  .choices = themes },
	{ .name = "title",
	  .argument = "TEXT",
	  .kind = CLI_TEXT,
	  .member = offsetof(struct flame_options, title),
	  .help = "write this text above the picture; default: the name of STORE" },
	CLI_OPTION_ANALYSIS(struct flame_options,
			    "read the history of this analysis; default: ust-calls, tracks or another one that "
			    "has call stacks"),
	CLI_OPTION_FORMAT(struct flame_options),
	{ 0 },
};

struct drawing {
	const struct histree_flame *flame;
	struct histree_draw_flame_options options;
};

static enum histree_status draw(void *context, picture_write *write, void *file, struct histree_error *error)
{
	const struct drawing *drawing = context;
	return histree_draw_flame(drawing->flame, &drawing->options, write, file, error);
}

static enum cli_exit print(const struct histree_flame *flame, const struct flame_options *chosen, bool are_samples)
{
	const struct flame_rows_request request = { .format = row_format_find(chosen->format), .min = chosen->min };
	uint32_t count;
	const struct histree_flame_node *nodes = histree_flame_nodes(flame, &count);
	struct output *output = output_create(STDOUT_FILENO);
	if (output == NULL)
		return report_no_memory();
	const bool is_empty = nodes[0].total[0] == 0;
	enum cli_exit code = CLI_OK; /* for people, no names of columns above nothing */
	if (chosen->folded)
		code = flame_rows_fold(output, flame);
	else if (!is_empty || !request.format->for_people)
		code = flame_rows_print(output, flame, &request);
	if (code == CLI_OK && is_empty)
		code = report_exit(CLI_NOTHING, "%s in that time",
				   chosen->waits ? "no such thread waited"
				   : are_samples ? "there are no such samples"
						 : "no call is going on");
	if (code == CLI_OK && histree_flame_is_damaged(flame, 0))
		code = are_samples ? sample_flame_damaged() : report_damaged_history();
	return cli_end(output, code);
}

static enum cli_exit answer(struct drawing *drawing, struct histree_flame *flame, const char *path,
			    const struct flame_options *chosen, bool are_samples)
{
	struct histree_error error = { 0 };
	if (histree_flame_finish(flame, &error) != HISTREE_OK)
		return report_error(&error);
	drawing->flame = flame;
	if (chosen->theme != NULL && strcmp(chosen->theme, "dark") == 0)
		drawing->options.theme = HISTREE_DRAW_DARK;
	if (chosen->output == NULL)
		return print(flame, chosen, are_samples);
	char *title = picture_file_title(path);
	drawing->options.title = chosen->title != NULL ? chosen->title : title;
	enum cli_exit code = title != NULL ? picture_file_draw(chosen->output, draw, drawing) : report_no_memory();
	free(title);
	return code;
}

static struct time_range_options range_of(const struct flame_options *chosen)
{
	return (struct time_range_options){
		.from_name = "from", .to_name = "to", .from = chosen->from, .to = chosen->to
	};
}

static enum cli_exit add_calls(struct histree_flame *flame, struct target *target, const struct cli_words *words,
			       const struct flame_options *chosen, bool *lacks_hosts)
{
	struct stack_question question = { .patterns = words->words + 1,
					   .pattern_count = words->count - 1,
					   .range = range_of(chosen),
					   .by_thread = chosen->by_thread };
	enum cli_exit code = stack_history_open(target, words->words[0], chosen->analysis, &question.history);
	if (code == CLI_OK)
		code = stack_history_add(flame, &question);
	/* Patterns need not ask for what is missing. */
	if (code == CLI_OK && question.pattern_count == 0)
		*lacks_hosts = host_part_missing(question.history) != CLI_OK;
	histree_history_close(question.history);
	return code;
}

static enum cli_exit add_waits(struct histree_flame *flame, struct target *target, const struct cli_words *words,
			       const struct flame_options *chosen, bool *lacks_hosts)
{
	const struct wait_question question = { .analysis = chosen->analysis,
						.threads = words->words + 1,
						.thread_count = words->count - 1,
						.range = range_of(chosen),
						.depth = (unsigned)chosen->depth,
						.by_thread = chosen->by_thread };
	return wait_stacks_add(flame, target, words->words[0], &question, lacks_hosts);
}

static enum cli_exit read_by(struct flame_options *chosen)
{
	const struct {
		const char *key;
		bool *is_by;
	} rows[] = { { "thread", &chosen->by_thread },
		     { "process", &chosen->by_process },
		     { "cpu", &chosen->by_cpu } };
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && chosen->by != NULL; i++)
		if (strcmp(chosen->by, rows[i].key) == 0) {
			*rows[i].is_by = true;
			return CLI_OK;
		}
	return chosen->by == NULL
		       ? CLI_OK
		       : report_exit(CLI_USAGE, "'--by': '%s' is not one of thread, process and cpu", chosen->by);
}

/* Checks what goes with what; *are_samples: the stacks are those of samples. */
static enum cli_exit choose(const struct flame_options *chosen, const char *path, bool *are_samples)
{
	const char *of_samples = chosen->by_process      ? "by-process"
				 : chosen->by_cpu        ? "by-cpu"
				 : chosen->event != NULL ? "event"
				 : chosen->where != NULL ? "where"
				 : chosen->count         ? "count"
							 : NULL;
	*are_samples = false;
	if (chosen->folded && (chosen->format != NULL || chosen->output != NULL))
		return report_exit(CLI_USAGE,
				   "'--folded' prints lines of its own: it goes with neither '--format' nor "
				   "'--output'");
	if (chosen->by_thread + chosen->by_process + chosen->by_cpu > 1)
		return report_exit(CLI_USAGE, "stacks are kept apart by one of thread, process and cpu");
	*are_samples = !chosen->waits && sample_flame_is_meant(path, chosen->analysis);
	return *are_samples || of_samples == NULL
		       ? CLI_OK
		       : report_exit(CLI_USAGE, "'--%s' is of samples, and these stacks are those of %s",
				     of_samples, chosen->waits ? "waits" : "calls");
}

static enum cli_exit add_samples(struct histree_flame *flame, const struct cli_words *words,
				 const struct flame_options *chosen)
{
	const struct sample_question question = {
		.threads = words->words + 1,
		.thread_count = words->count - 1,
		.event = chosen->event,
		.where = chosen->where,
		.range = range_of(chosen),
		.counts = chosen->count,
		.group = chosen->by_thread    ? HISTREE_FLAME_BY_THREAD
			 : chosen->by_process ? HISTREE_FLAME_BY_PROCESS
			 : chosen->by_cpu     ? HISTREE_FLAME_BY_CPU
					      : HISTREE_FLAME_TOGETHER,
	};
	return sample_flame_add(flame, words->words[0], &question);
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct flame_options chosen = { .depth = 4 };
	struct drawing drawing = { .flame = NULL };
	struct histree_flame *flame = NULL;
	struct histree_error error = { 0 };
	struct target target = { 0 };
	struct cli_words words;
	bool lacks_hosts = false, are_samples;
	int status;
	if (!cli_begin(verb, argc, argv, &chosen, &words, &status))
		return status;
	status = read_by(&chosen);
	if (status == CLI_OK)
		status = choose(&chosen, words.words[0], &are_samples);
	if (status == CLI_OK)
		status = picture_file_size(chosen.size, &drawing.options.width, &drawing.options.height);
	if (status == CLI_OK && chosen.output != NULL)
		status = picture_file_format(chosen.output, chosen.force, &drawing.options.format);
	if (status != CLI_OK)
		return status;
	if (histree_flame_create(&(struct histree_flame_options){ 0 }, &flame, &error) != HISTREE_OK)
		status = report_error(&error);
	if (status == CLI_OK)
		status = are_samples    ? add_samples(flame, &words, &chosen)
			 : chosen.waits ? add_waits(flame, &target, &words, &chosen, &lacks_hosts)
					: add_calls(flame, &target, &words, &chosen, &lacks_hosts);
	if (status == CLI_OK)
		status = answer(&drawing, flame, words.words[0], &chosen, are_samples);
	if (status == CLI_OK && lacks_hosts)
		status = CLI_INPUT;
	histree_flame_free(flame);
	target_close(&target);
	return status;
}

const struct cli_verb verb_flame = {
	.name = "flame",
	.summary = "add up the call stacks or the waits of a time, as a tree, as lines or as a flame graph",
	.arguments = "STORE [PATTERN... | THREAD...]",
	.words_min = 1,
	.words_max = CLI_WORDS_ANY,
	.complete = CLI_COMPLETE_ATTRIBUTE,
	.options = options,
	.run = run,
};
