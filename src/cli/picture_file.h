/* SPDX-License-Identifier: MIT */
/*
 * picture_file.h - files that verbs write: which paths are allowed; and pictures, whose format follows from the
 * ending of the name, written as a whole or not at all.
 */
#ifndef CLI_PICTURE_FILE_H
#define CLI_PICTURE_FILE_H

#include <stddef.h>

#include "cli/option.h"
#include "cli/report.h"
#include "draw/pictures.h"

enum export_place {
	EXPORT_TEXT,     /* a file, or standard output */
	EXPORT_BINARY,   /* the same, but no terminal */
	EXPORT_BY_NAME,  /* a file */
	EXPORT_TO_FOLDER /* a folder of files */
};

/*
 * Check a path, NULL being standard output, before anything is read.  What is there is refused, unless `force` is
 * set and it is a file.  What is wrong is reported on standard error.
 */
enum cli_exit export_file_check(const char *path, bool force, enum export_place place);

/* Whether a path ends in this, behind something. */
bool path_ends_in(const char *path, const char *end);

/* What verbs that draw are told; zeroed, nothing is drawn. */
struct picture_choice {
	const char *output, *size, *theme, *title;
	bool force;
};

/* Their rows in the table of a verb; `at` is the struct picture_choice in the verb's own. */
#define CLI_OPTIONS_PICTURE(type, at, draws, height)                                                           \
	{ .name = "output",                                                                                    \
	  .letter = 'o',                                                                                       \
	  .argument = "FILE",                                                                                  \
	  .kind = CLI_TEXT,                                                                                    \
	  .member = offsetof(type, at.output),                                                                 \
	  .help = draws " into this file, whose name ends in .svg or .png",                                    \
	  .complete = CLI_COMPLETE_PATH },                                                                     \
		{ .name = "force",                                                                             \
		  .letter = 'f',                                                                               \
		  .kind = CLI_FLAG,                                                                            \
		  .member = offsetof(type, at.force),                                                          \
		  .help = "replace an existing FILE once the new one is complete" },                           \
	{                                                                                                      \
		.name = "size", .argument = "SIZE", .kind = CLI_TEXT, .member = offsetof(type, at.size),       \
		.help = "make the picture WIDTHxHEIGHT or WIDTH pixels large; default: 1200 wide and as high " \
			"as " height                                                                           \
	}

#define CLI_OPTIONS_PICTURE_LOOK(type, at)                                                                 \
	{ .name = "theme",                                                                                 \
	  .argument = "THEME",                                                                             \
	  .kind = CLI_CHOICE,                                                                              \
	  .member = offsetof(type, at.theme),                                                              \
	  .help = "use the colours light or dark; default: light",                                         \
	  .choices = picture_themes },                                                                     \
	{                                                                                                  \
		.name = "title", .argument = "TEXT", .kind = CLI_TEXT, .member = offsetof(type, at.title), \
		.help = "write this text above the picture; default: the name of STORE"                    \
	}

extern const char *const picture_themes[];

/*
 * Reads the size, the theme and the title, and if there is to be a file, checks that pictures can be drawn and
 * that nothing has its name, unless it is to be replaced.  The name says the format: it ends in .svg or .png, or is
 * "-": standard output, for SVG.
 */
enum cli_exit picture_choice_read(const struct picture_choice *choice, struct histree_draw_look *look);

/* Returns the last component of a path, without slashes at its end; to be freed.  NULL without memory. */
char *path_last(const char *path);

/* Returns what to call a picture of a store: the last component of its path, without ".histree"; to be freed. */
char *picture_file_title(const char *path);

typedef enum histree_status picture_draw(void *context, picture_write *write, void *file,
					 struct histree_error *error);

/* Draws into a file beside `path`, which takes its name when the picture is whole. */
enum cli_exit picture_file_draw(const char *path, picture_draw *draw, void *context);

#endif
