/* SPDX-License-Identifier: MIT */
/*
 * verb.h - the verbs of histree-mpi, and what each of them begins with.
 */
#ifndef MPI_VERB_H
#define MPI_VERB_H

#include "cli/verb.h"
#include "mpi/launcher.h"
#include "mpi/link.h"
#include "mpi/roll_call.h"

extern const struct cli_verb build_verb, question_verb, serve_verb;

/* Rows that several tables share. */
#define RANK_OPTION_LOCAL(type, text)                                                                     \
	{                                                                                                 \
		.name = "local", .argument = "FOLDER", .kind = CLI_TEXT, .member = offsetof(type, local), \
		.help = text, .complete = CLI_COMPLETE_PATH                                               \
	}
#define RANK_OPTION_THROTTLE_LINK(type)                                              \
	{                                                                            \
		.name = "throttle-link", .argument = "BYTES", .kind = CLI_SIZE,      \
		.member = offsetof(type, throttle_link), .min = 1, .max = INT64_MAX, \
		.help = "for experiments: send messages at this many bytes a second" \
	}

#define RANK_OPTION_SOCKET(type)                                                                              \
	{                                                                                                     \
		.name = "socket", .argument = "PATH", .kind = CLI_TEXT, .member = offsetof(type, socket),     \
		.complete = CLI_COMPLETE_PATH,                                                                \
		.help = "ask the job that 'serve' has listening at PATH; default: at STORE.socket, if a job " \
			"listens there and no launcher started this process"                                  \
	}

/* Puts the options of two tables into one, of at most `max` rows with its end. */
void rank_add_options(struct cli_option *all, size_t max, const struct cli_option *one,
		      const struct cli_option *other);

/* Runs events, segments, stats, top or sql, argv[0] being the verb; false: there is no such verb. */
int face_run(int argc, char **argv);

/* As cli_begin(); only one rank speaks. */
bool rank_begin(const struct cli_verb *verb, int argc, char **argv, void *values, struct cli_words *words,
		int *status);

/* Begins MPI and calls the roll; returns false if there is nothing to go on with. */
bool rank_link(struct link *link, int *argc, char ***argv, struct roll_call *first, int *status);

/* Ends MPI, and returns what this rank exits with: rank 0 speaks for all. */
int rank_end(struct link *link, int status);

#endif
