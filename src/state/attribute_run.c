// SPDX-License-Identifier: MIT
#include "state/attribute_run.h"

bool group_member_next(struct byte_reader *members, uint32_t group_size, struct group_member *member)
{
	if (member->number + 1 >= group_size)
		return false;
	uint64_t parent = read_varint(members);
	uint64_t name = (uint64_t)member->name + 2 + (uint64_t)unzigzag(read_varint(members));
	if (members->failed || parent > member->number || name > UINT32_MAX)
		return false;
	*member = (struct group_member){ .number = member->number + 1,
					 .parent = (uint32_t)parent,
					 .name = (uint32_t)name };
	return true;
}
