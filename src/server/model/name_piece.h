/* SPDX-License-Identifier: MIT */
/*
 * name_piece.h - the name of an attribute, of whatever length, in a piece of its own.
 */
#ifndef SERVER_MODEL_NAME_PIECE_H
#define SERVER_MODEL_NAME_PIECE_H

#include "histree/attributes.h"
#include "server/text/piece.h"

/* Replaces what the piece has by the name; the piece is empty if memory is out. */
void piece_put_name(const struct histree_attributes *attributes, histree_quark quark, struct piece *name);

#endif
