// SPDX-License-Identifier: MIT
#include "server/model/name_piece.h"

void piece_put_name(const struct histree_attributes *attributes, histree_quark quark, struct piece *name)
{
	name->size = 0;
	size_t size = histree_attributes_name(attributes, quark, NULL, 0);
	char *room = piece_room(name, size + 1);
	if (room != NULL)
		name->size = histree_attributes_name(attributes, quark, room, size + 1);
}
