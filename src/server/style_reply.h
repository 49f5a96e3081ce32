/* SPDX-License-Identifier: MIT */
/*
 * style_reply.h - the answer to `style`: each style of some meanings by its key.
 */
#ifndef SERVER_STYLE_REPLY_H
#define SERVER_STYLE_REPLY_H

#include "histree/view.h"
#include "server/output.h"

void style_reply(const struct output_call *output, const enum histree_meaning *meanings, size_t count);

#endif
