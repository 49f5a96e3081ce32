// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf_live_protocol.h"

#include <endian.h>
#include <string.h>

enum {
	COMMAND_CONNECT = 1,
	COMMAND_SESSIONS = 2,
	COMMAND_ATTACH = 3,
	COMMAND_INDEX = 4,
	COMMAND_BYTES = 5,
	COMMAND_METADATA = 6,
	COMMAND_STREAMS = 7,
	COMMAND_VIEWER = 8,
};
enum { VERSION_MAJOR = 2, VERSION_MINOR = 4, KIND_COMMANDS = 1, SEEK_BEGINNING = 1, VIEWER_MADE = 1 };

struct connect_body { /* of the request and of the answer */
	uint64_t id;
	uint32_t major, minor;
	uint32_t kind;
} __attribute__((packed));

struct session_body {
	uint64_t id;
	uint32_t live_timer, clients, streams;
	char host[64], name[255];
} __attribute__((packed));

struct attach_body {
	uint64_t session, offset;
	uint32_t seek;
} __attribute__((packed));

struct streams_head { /* of the answers to two requests */
	uint32_t status, count;
} __attribute__((packed));

struct stream_body {
	uint64_t id, trace;
	uint32_t is_metadata;
	char path[4096], channel[255];
} __attribute__((packed));

struct index_body {
	uint64_t offset, size, content, begin, end, discarded, stream;
	uint32_t status, flags;
} __attribute__((packed));

struct bytes_request {
	uint64_t stream, offset;
	uint32_t size;
} __attribute__((packed));

struct bytes_head {
	uint32_t status, size, flags;
} __attribute__((packed));

struct metadata_head {
	uint64_t size;
	uint32_t status;
} __attribute__((packed));

static enum histree_status ask(struct live_relay *relay, uint32_t command, const void *body, size_t size,
			       void *answer, size_t answer_size, struct histree_error *error)
{
	enum histree_status status = live_relay_ask(relay, command, body, size, error);
	return status == HISTREE_OK ? live_relay_receive(relay, answer, answer_size, error) : status;
}

/* Texts of the daemon become part of messages. */
static void take_text(char *out, const char *from, size_t size)
{
	for (size_t i = 0; i < size && from[i] != '\0'; i++)
		out[i] = (unsigned char)from[i] < ' ' || from[i] == 0x7f ? '?' : from[i];
}

static enum histree_status introduce(struct live_relay *relay, struct histree_error *error)
{
	const struct connect_body request = { .major = htobe32(VERSION_MAJOR),
					      .minor = htobe32(VERSION_MINOR),
					      .kind = htobe32(KIND_COMMANDS) };
	struct connect_body answer;
	enum histree_status status =
		ask(relay, COMMAND_CONNECT, &request, sizeof(request), &answer, sizeof(answer), error);
	if (status == HISTREE_OK && be32toh(answer.major) != VERSION_MAJOR)
		return live_relay_no_answer(relay, error);
	return status;
}

enum histree_status live_ask_sessions(struct live_relay *relay, live_take_session take, void *context,
				      struct histree_error *error)
{
	uint32_t count = 0;
	enum histree_status status = introduce(relay, error);
	if (status == HISTREE_OK)
		status = ask(relay, COMMAND_SESSIONS, NULL, 0, &count, sizeof(count), error);
	count = be32toh(count);
	if (status == HISTREE_OK && count > LIVE_SESSIONS_MAX)
		return live_relay_no_answer(relay, error);
	while (status == HISTREE_OK && count-- > 0) {
		struct session_body body;
		struct live_session session = { 0 };
		status = live_relay_receive(relay, &body, sizeof(body), error);
		if (status != HISTREE_OK)
			break;
		session.id = be64toh(body.id);
		take_text(session.host, body.host, sizeof(body.host));
		take_text(session.name, body.name, sizeof(body.name));
		status = take(context, &session, error);
	}
	return status;
}

static enum histree_status receive_streams(struct live_relay *relay, uint32_t count, live_take_stream take,
					   void *context, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (count > LIVE_STREAMS_MAX)
		return live_relay_no_answer(relay, error);
	while (status == HISTREE_OK && count-- > 0) {
		struct stream_body body;
		struct live_stream_facts facts = { 0 };
		status = live_relay_receive(relay, &body, sizeof(body), error);
		if (status != HISTREE_OK)
			break;
		facts.id = be64toh(body.id);
		facts.trace = be64toh(body.trace);
		facts.is_metadata = be32toh(body.is_metadata) != 0;
		take_text(facts.path, body.path, sizeof(body.path));
		take_text(facts.channel, body.channel, sizeof(body.channel));
		status = take(context, &facts, error);
	}
	return status;
}

enum histree_status live_ask_attach(struct live_relay *relay, uint64_t session, live_take_stream take,
				    void *context, enum live_attachment *out, struct histree_error *error)
{
	const struct attach_body request = { .session = htobe64(session), .seek = htobe32(SEEK_BEGINNING) };
	uint32_t made = 0;
	struct streams_head answer = { 0 };
	enum histree_status status = ask(relay, COMMAND_VIEWER, NULL, 0, &made, sizeof(made), error);
	if (status == HISTREE_OK && be32toh(made) != VIEWER_MADE)
		return live_relay_no_answer(relay, error);
	if (status == HISTREE_OK)
		status = ask(relay, COMMAND_ATTACH, &request, sizeof(request), &answer, sizeof(answer), error);
	*out = (enum live_attachment)be32toh(answer.status);
	if (status != HISTREE_OK || *out != LIVE_ATTACHED)
		return status;
	return receive_streams(relay, be32toh(answer.count), take, context, error);
}

enum histree_status live_ask_streams(struct live_relay *relay, uint64_t session, live_take_stream take,
				     void *context, enum live_news *out, struct histree_error *error)
{
	const uint64_t request = htobe64(session);
	struct streams_head answer = { 0 };
	enum histree_status status =
		ask(relay, COMMAND_STREAMS, &request, sizeof(request), &answer, sizeof(answer), error);
	*out = (enum live_news)be32toh(answer.status);
	if (status != HISTREE_OK || *out != LIVE_STREAMS)
		return status;
	return receive_streams(relay, be32toh(answer.count), take, context, error);
}

enum histree_status live_ask_index(struct live_relay *relay, uint64_t stream, struct live_index *out,
				   struct histree_error *error)
{
	const uint64_t request = htobe64(stream);
	struct index_body answer = { 0 };
	enum histree_status status =
		ask(relay, COMMAND_INDEX, &request, sizeof(request), &answer, sizeof(answer), error);
	*out = (struct live_index){ .kind = (enum live_index_kind)be32toh(answer.status),
				    .flags = be32toh(answer.flags),
				    .offset = be64toh(answer.offset),
				    .size = be64toh(answer.size),
				    .content = be64toh(answer.content),
				    .end = be64toh(answer.end),
				    .stream = be64toh(answer.stream) };
	return status;
}

enum histree_status live_ask_bytes(struct live_relay *relay, uint64_t stream, uint64_t offset, void *bytes,
				   size_t size, enum live_bytes *out, uint32_t *flags, struct histree_error *error)
{
	const struct bytes_request request = { .stream = htobe64(stream),
					       .offset = htobe64(offset),
					       .size = htobe32((uint32_t)size) };
	struct bytes_head answer = { 0 };
	enum histree_status status =
		ask(relay, COMMAND_BYTES, &request, sizeof(request), &answer, sizeof(answer), error);
	*out = (enum live_bytes)be32toh(answer.status);
	*flags = be32toh(answer.flags);
	if (status != HISTREE_OK || *out != LIVE_BYTES)
		return status;
	if (be32toh(answer.size) != size)
		return live_relay_no_answer(relay, error);
	return live_relay_receive(relay, bytes, size, error);
}

enum histree_status live_ask_metadata(struct live_relay *relay, uint64_t stream, enum live_piece *out,
				      uint64_t *size, struct histree_error *error)
{
	const uint64_t request = htobe64(stream);
	struct metadata_head answer = { 0 };
	enum histree_status status =
		ask(relay, COMMAND_METADATA, &request, sizeof(request), &answer, sizeof(answer), error);
	*out = (enum live_piece)be32toh(answer.status);
	*size = be64toh(answer.size);
	return status;
}
