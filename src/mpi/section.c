// SPDX-License-Identifier: MIT
#include "mpi/section.h"

size_t section_begin(struct message *out, enum rank_step step)
{
	message_byte(out, (uint8_t)step);
	return message_room(out, sizeof(uint32_t));
}

void section_end(struct message *out, size_t at)
{
	if (!out->no_memory && at != SIZE_MAX)
		put_le32(out->bytes + at, (uint32_t)(out->size - at - sizeof(uint32_t)));
}

void section_status(struct message *out, enum histree_status status, const struct histree_error *error)
{
	message_signed(out, status);
	message_string(out, error->message);
}
