// SPDX-License-Identifier: MIT
#include "text/text_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static enum histree_status failed(const struct text_input *input, const char *what, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_IO, "cannot %s '%s': %s", what, input->path, strerror(errno));
}

enum histree_status text_input_open(struct text_input *input, const struct io *io, const char *path,
				    struct histree_error *error)
{
	struct stat facts;
	*input = (struct text_input){ .io = io, .path = path, .file = -1 };
	if (strcmp(path, TEXT_STANDARD_INPUT) == 0) {
		input->path = "standard input";
		input->file = STDIN_FILENO;
		input->is_standard = true;
		return HISTREE_OK;
	}
	if (stat(path, &facts) != 0)
		return failed(input, "open", error);
	if (S_ISDIR(facts.st_mode))
		return error_set(error, HISTREE_ERR_IO, "'%s' is a folder: name the files in it", path);
	input->is_file = S_ISREG(facts.st_mode);
	/* The table of file calls never waits for a pipe, which is what is wanted of one here. */
	input->file = input->is_file ? io->open(io->context, path, O_RDONLY, 0) : open(path, O_RDONLY | O_CLOEXEC);
	if (input->file < 0)
		return failed(input, "open", error);
	input->size = input->is_file ? (uint64_t)facts.st_size : 0;
	return HISTREE_OK;
}

enum histree_status text_input_read(struct text_input *input, void *bytes, size_t room, size_t *size,
				    struct histree_error *error)
{
	const struct io *io = input->io;
	ssize_t done;
	*size = 0;
	do
		done = input->is_file ? io->pread(io->context, input->file, bytes, room, (off_t)input->at)
				      : read(input->file, bytes, room);
	while (done < 0 && errno == EINTR);
	if (done < 0)
		return failed(input, "read", error);
	*size = (size_t)done;
	input->at += *size;
	return HISTREE_OK;
}

void text_input_close(struct text_input *input)
{
	if (input->file >= 0 && input->is_file)
		input->io->close(input->io->context, input->file);
	else if (input->file >= 0 && !input->is_standard)
		close(input->file);
	input->file = -1;
}
