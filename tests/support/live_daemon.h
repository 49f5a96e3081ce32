/* SPDX-License-Identifier: MIT */
/*
 * live_daemon.h - a relay daemon of LTTng in memory, which passes on the files of CTF traces as one live session,
 * and connections to it that are none: its clock goes on when it is looked at.
 */
#ifndef SUPPORT_LIVE_DAEMON_H
#define SUPPORT_LIVE_DAEMON_H

#include "trace/ctf/ctf_live_relay.h"

#define LIVE_DAEMON_ADDRESS "net://memory/host/made/session"

struct live_daemon_options {
	size_t metadata_size; /* of a piece of metadata, at most */
	size_t part_size;     /* of what is received at a time, at most */
	unsigned refusals;    /* before each packet, in turns: there is none yet, or a beacon */
	bool is_packetized;   /* the metadata are in packets, as LTTng writes them */
	bool tells_late; /* only of one stream of each trace at first, and of the others by a flag of an index */
};

struct live_daemon;

struct live_daemon *live_daemon_create(const char *const *folders, size_t count,
				       const struct live_daemon_options *options);

/* A connection to it. */
void live_daemon_connect(struct live_daemon *daemon, struct live_relay *relay);

/* All that it has answered. */
const uint8_t *live_daemon_answers(const struct live_daemon *daemon, size_t *size);

void live_daemon_free(struct live_daemon *daemon);

/* Bytes instead of a daemon: they are what it answers, whatever it is asked; then it has closed the connection. */
struct live_answers {
	const uint8_t *bytes;
	size_t size, at, part_size;
	int64_t now_ms;
};

void live_answers_connect(struct live_answers *answers, struct live_relay *relay);

#endif
