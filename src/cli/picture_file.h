/* SPDX-License-Identifier: MIT */
/*
 * picture_file.h - pictures that verbs write: by the ending of the name, and whole or not at all.
 */
#ifndef CLI_PICTURE_FILE_H
#define CLI_PICTURE_FILE_H

#include "cli/report.h"
#include "histree/draw.h"

/*
 * Checks that pictures can be drawn, and that nothing has the name, unless it is to be replaced.  Takes the format
 * from the name, which ends in .svg or .png, or is "-": standard output, for SVG.
 */
enum cli_exit picture_file_format(const char *path, bool replaces, enum histree_draw_format *format);

/* Reads WIDTHxHEIGHT or WIDTH; NULL leaves both as they are. */
enum cli_exit picture_file_size(const char *size, uint32_t *width, uint32_t *height);

/* Returns what to call a picture of a store: the last component of its path, without ".histree"; to be freed. */
char *picture_file_title(const char *path);

typedef bool picture_write(void *file, const void *bytes, size_t size);

typedef enum histree_status picture_draw(void *context, picture_write *write, void *file,
					 struct histree_error *error);

/* Draws into a file beside `path`, which takes its name when the picture is whole. */
enum cli_exit picture_file_draw(const char *path, picture_draw *draw, void *context);

#endif
