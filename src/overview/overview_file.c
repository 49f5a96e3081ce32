// SPDX-License-Identifier: MIT
#include "overview/overview_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum histree_status overview_file_name(struct attribute_tree *attributes, histree_quark parent, uint32_t number,
				       histree_quark *out, struct histree_error *error)
{
	char name[16];
	int size = snprintf(name, sizeof(name), "%" PRIu32, number);
	return attribute_tree_add(attributes, parent, name, (size_t)size, out, error);
}

enum histree_status overview_file_groups(const struct interval_sink *sink, const struct attribute_tree *attributes,
					 const struct histree_history_info *of, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (histree_quark quark = attributes->root.first_child; quark != HISTREE_ROOT && status == HISTREE_OK;
	     quark = attributes->attributes[quark].next_sibling) {
		const struct histree_interval null = { .quark = quark, .start = of->start, .end = of->end };
		status = sink->add(sink->context, &null, error);
	}
	return status;
}

enum histree_status overview_file_bytes(const struct io *io, const char *path, uint64_t *bytes,
					struct histree_error *error)
{
	off_t size = 0;
	int file = io->open(io->context, path, O_RDONLY, 0);
	if (file < 0 || io->size(io->context, file, &size) != 0) {
		enum histree_status status =
			error_set(error, HISTREE_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
		if (file >= 0)
			io->close(io->context, file);
		return status;
	}
	io->close(io->context, file);
	*bytes = (uint64_t)size;
	return HISTREE_OK;
}
