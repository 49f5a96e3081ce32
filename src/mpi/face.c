// SPDX-License-Identifier: MIT
#include "mpi/face.h"

#include <stdlib.h>
#include <unistd.h>

#include "cli/progress.h"
#include "cli/target.h"

static const struct cli_verb *const faces[] = { &verb_events, &verb_segments, &verb_stats, &verb_top, &verb_sql };

static const struct cli_option of_ranks[] = {
	RANK_OPTION_SOCKET(struct face_words),
	RANK_OPTION_LOCAL(struct face_words, "look for hosts in FOLDER first, where 'build --local' has them"),
	RANK_OPTION_THROTTLE_LINK(struct face_words),
	{ 0 },
};

bool face_find(struct face *face, const char *name)
{
	for (size_t i = 0; i < sizeof(faces) / sizeof(*faces); i++) {
		if (strcmp(faces[i]->name, name) != 0)
			continue;
		face->of = faces[i];
		face->verb = *faces[i];
		rank_add_options(face->options, FACE_OPTIONS_MAX, faces[i]->options, of_ranks);
		face->verb.options = face->options;
		return true;
	}
	return false;
}

static bool is_of_ranks(const char *word, bool *takes_next)
{
	for (const struct cli_option *option = of_ranks; option->name != NULL; option++) {
		size_t size = strlen(option->name);
		if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, option->name, size) != 0)
			continue;
		*takes_next = word[2 + size] == '\0';
		if (*takes_next || word[2 + size] == '=')
			return true;
	}
	return false;
}

/* The command line without the options that only ranks have. */
static int strip(int argc, char **argv, char **out)
{
	int count = 0;
	bool takes_next = false, is_over = false;
	for (int i = 0; i < argc; i++) {
		is_over = is_over || strcmp(argv[i], "--") == 0;
		if (!is_over && is_of_ranks(argv[i], &takes_next))
			i += takes_next;
		else
			out[count++] = argv[i];
	}
	out[count] = NULL;
	return count;
}

static const char *text_option(const struct face *face, const struct face_words *chosen, const char *name)
{
	const char *text = NULL;
	for (const struct cli_option *option = face->of->options; option->name != NULL; option++)
		if (strcmp(option->name, name) == 0 && option->kind == CLI_TEXT)
			memcpy(&text, chosen->of_verb + option->member, sizeof(text));
	return text;
}

/* The condition and its trace, for ranks to try; SQL has its own, and that of time is tried by rank 0. */
static void set_condition(struct query_job *job, const struct face *face, const struct face_words *chosen)
{
	const struct histree_store_info *info = histree_store_info(job->store);
	job->remotes.start = info->start;
	job->remotes.end = info->end;
	bool is_of_time = strcmp(face->of->name, verb_top.name) == 0;
	job->remotes.where = is_of_time ? NULL : text_option(face, chosen, "where");
	/* Statistics look at the field by which they are; a condition may look at any. */
	const char *by = text_option(face, chosen, "by");
	bool has_one = strcmp(face->of->name, "stats") == 0 && job->remotes.where == NULL;
	job->remotes.only_field = has_one ? (by != NULL ? by : "name") : NULL;
}

static enum histree_status open_store(void *context, const char *path, struct histree_store **out,
				      struct histree_error *error)
{
	return query_job_open_store(context, path, out, error);
}

/* The verbs print on standard output, which is this file meanwhile. */
static int run_on(const struct cli_verb *verb, int argc, char **argv, int file)
{
	int own = file != STDOUT_FILENO ? dup(STDOUT_FILENO) : -1;
	if (file != STDOUT_FILENO && (own < 0 || dup2(file, STDOUT_FILENO) < 0)) {
		if (own >= 0)
			close(own);
		return report_exit(CLI_INPUT, "there is no room for the answer");
	}
	int status = verb->run(verb, argc, argv);
	if (own >= 0) {
		dup2(own, STDOUT_FILENO);
		close(own);
	}
	return status;
}

/* Of a question that came to a job there is no standard input, and no file that its client means. */
static bool is_statement(const struct face *face, const struct cli_words *words)
{
	return strcmp(face->of->name, "sql") != 0 || (words->count > 1 && strcmp(words->words[1], "-") != 0);
}

int face_ask(struct query_job *job, int argc, char **argv, FILE *messages, int file)
{
	struct face face;
	struct face_words chosen = { 0 };
	struct cli_words words;
	int status = CLI_USAGE;
	char **line = calloc((size_t)argc + 1, sizeof(*line)), **parsed = calloc((size_t)argc + 1, sizeof(*parsed));
	if (line == NULL || parsed == NULL || !face_find(&face, argv[0])) {
		free((void *)line);
		free((void *)parsed);
		return report_no_memory();
	}
	int count = strip(argc, argv, line);
	memcpy((void *)parsed, (void *)argv, (size_t)argc * sizeof(*parsed)); /* it is reordered */
	if (cli_parse(&face.verb, argc, parsed, &chosen, &words, messages) != CLI_PARSED) {
		status = CLI_USAGE;
	} else if (file != STDOUT_FILENO && !is_statement(&face, &words)) {
		status = report_exit(CLI_USAGE, "a job is asked one STATEMENT: give it on the command line");
	} else {
		set_condition(job, &face, &chosen);
		target_set_opener(open_store, job);
		progress_set_asker((struct histree_cancel){ asker_waits, &job->asker });
		status = run_on(face.of, count, line, file);
		progress_set_asker((struct histree_cancel){ 0 });
		target_set_opener(NULL, NULL);
		segment_remotes_drain(&job->remotes);
		job->is_lost = job->is_lost || job->remotes.is_lost;
	}
	free((void *)line);
	free((void *)parsed);
	return status;
}
