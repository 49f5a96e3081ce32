// SPDX-License-Identifier: MIT
/*
 * main.c - the command `histree`: find the verb and run it.  A trace or a store in place of a verb is opened: the
 * trace is built, unless its store exists already, and the report is printed.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/build_request.h"
#include "cli/target.h"
#include "cli/verb.h"
#include "histree/status.h"
#include "histree/store.h"

static int run_verb(const struct cli_verb *verb, char *path)
{
	char name[16];
	char *words[] = { name, path, NULL };
	snprintf(name, sizeof(name), "%s", verb->name);
	return cli_run(verb, 2, words);
}

/* Whether a store was made from a trace, or from traces in that folder, and from nothing else. */
static bool is_made_from(const struct histree_store_info *info, const char *trace)
{
	char *wanted = realpath(trace, NULL);
	const size_t size = wanted != NULL ? strlen(wanted) : 0;
	bool is_own = wanted != NULL && info->trace_count > 0;
	for (size_t i = 0; i < info->trace_count && is_own; i++) {
		char *found = realpath(info->traces[i], NULL);
		is_own = found != NULL && strncmp(found, wanted, size) == 0 &&
			 (found[size] == '\0' || found[size] == '/');
		free(found);
	}
	free(wanted);
	return is_own;
}

/* Builds the store, unless it is there. */
static int have_store(char *trace, const char *path)
{
	struct histree_store *store;
	struct histree_error error = { 0 };
	enum histree_status status = histree_store_open(path, &store, &error);
	if (status == HISTREE_NOT_FOUND || (status < 0 && access(path, F_OK) != 0))
		return run_verb(&verb_build, trace);
	if (status < 0)
		return report_error(&error);
	const bool is_complete = histree_store_info(store)->complete,
		   is_own = is_made_from(histree_store_info(store), trace);
	histree_store_close(store);
	if (!is_complete)
		return run_verb(&verb_build, trace); /* which says what is left of it */
	return is_own ? CLI_OK
		      : report_exit(CLI_USAGE,
				    "'%s' exists already and is not a store of '%s'; 'histree build --output STORE "
				    "%s' makes another one",
				    path, trace, trace);
}

static int open_trace(char *trace)
{
	char *store;
	int code = build_store_path(NULL, trace, &store);
	if (code != CLI_OK)
		return code;
	code = have_store(trace, store);
	if (code == CLI_OK || (code == CLI_INPUT && access(store, F_OK) == 0)) { /* some of the trace may be lost */
		const int reported = run_verb(&verb_report, store);
		code = reported != CLI_OK ? reported : code;
		report("'histree serve %s' shows it in a browser; 'histree help' lists the other questions", store);
	}
	free(store);
	return code;
}

/* Returns whether a word is a path and not a mistyped verb; it is opened then, with status *code. */
static bool open_path(int argc, char **argv, int *code)
{
	char manifest[PATH_MAX];
	if (argc != 2 || access(argv[1], F_OK) != 0)
		return false;
	snprintf(manifest, sizeof(manifest), "%s/manifest.json", argv[1]);
	*code = access(manifest, F_OK) == 0 ? run_verb(&verb_report, argv[1]) : open_trace(argv[1]);
	return true;
}

int main(int argc, char **argv)
{
	open_files_allow_all();
	if (argc < 2)
		return report_exit(CLI_USAGE,
				   "needs a trace, as in 'histree TRACE', or a verb, like 'histree build TRACE'; "
				   "see 'histree help'");
	const char *word = argv[1];
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
		struct output *output = output_create(STDOUT_FILENO);
		if (output == NULL)
			return report_no_memory();
		output_format(output, "histree %s\n", histree_version());
		return cli_end(output, CLI_OK);
	}
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		word = "help";
	else if (word[0] == '-')
		return report_exit(CLI_USAGE, "unknown option '%s' before the verb; see 'histree help'", word);
	int code;
	if (cli_verb_named(word) == NULL && open_path(argc, argv, &code))
		return code;
	const struct cli_verb *verb = cli_verb_find(word);
	return verb == NULL ? CLI_USAGE : cli_run(verb, argc - 1, argv + 1);
}
