/* SPDX-License-Identifier: MIT */
/*
 * state_text.h - the text of a state's value, for labels and filters.
 */
#ifndef SERVER_MODEL_STATE_TEXT_H
#define SERVER_MODEL_STATE_TEXT_H

#include "histree/view.h"
#include "server/text/piece.h"

/* Adds the text of a value; null adds nothing. */
void state_value_text(const struct histree_value *value, struct piece *text);

/* Adds what the table calls the value, else the text of the value; the view and the time are not used. */
void state_any_text(const void *view, const struct histree_label_table *table, const struct histree_value *value,
		    histree_time at, struct piece *text);

/* Replaces what the piece has by the name of an attribute, however long; the piece is empty if memory is out. */
void piece_put_name(const struct histree_attributes *attributes, histree_quark quark, struct piece *name);

#endif
