// SPDX-License-Identifier: MIT
#include "support/live_daemon.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "trace/ctf/ctf_live_relay.h"
#include "trace/ctf/ctf_metadata.h"
#include "trace/ctf/ctf_reader.h"
#include "trace/ctf/ctf_source.h"

enum { TRACES_MAX = 4, STREAMS_MAX = 32, REQUEST_MAX = 256, STEP_MS = 20, METADATA_ID = 1000 };

struct growing {
	uint8_t *bytes;
	size_t count, capacity;
};

struct folder {
	const char *name;
	struct growing metadata;
	size_t metadata_sent;
	struct ctf_schema schema;
	struct ctf_decoder decoder;
};

struct file {
	struct folder *folder;
	char *name;
	struct growing bytes;
	struct ctf_packets packets;
	size_t sent; /* of the packets */
	unsigned refused;
	bool is_told;
};

struct live_daemon {
	struct live_daemon_options options;
	struct folder folders[TRACES_MAX];
	size_t folder_count;
	struct file files[STREAMS_MAX];
	size_t file_count;
	struct trace_notes notes;
	uint32_t class_count;
	uint8_t request[REQUEST_MAX];
	size_t request_size;
	struct growing answers; /* all of them */
	size_t received;        /* of them */
	int64_t now_ms;
};

/* ---- bytes ----------------------------------------------------------------------------------------------- */

static void add(struct growing *to, const void *bytes, size_t size)
{
	while (to->count + size > to->capacity) {
		to->capacity = 2 * to->capacity + 4096;
		to->bytes = realloc(to->bytes, to->capacity);
		assert(to->bytes != NULL);
	}
	if (size > 0)
		memcpy(to->bytes + to->count, bytes, size);
	to->count += size;
}

static void add_number(struct growing *to, uint64_t number, unsigned size)
{
	while (size-- > 0)
		add(to, &(uint8_t){ (uint8_t)(number >> 8 * size) }, 1);
}

static void add_text(struct growing *to, const char *text, size_t size)
{
	char padded[4096] = "";
	snprintf(padded, sizeof(padded), "%s", text);
	add(to, padded, size);
}

static uint64_t number_at(const uint8_t *bytes, unsigned size)
{
	uint64_t number = 0;
	while (size-- > 0)
		number = number << 8 | *bytes++;
	return number;
}

static struct growing read_whole(const char *folder, const char *name)
{
	char path[4096], part[4096];
	struct growing out = { 0 };
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "rb");
	assert(file != NULL);
	for (size_t size; (size = fread(part, 1, sizeof(part), file)) > 0;)
		add(&out, part, size);
	fclose(file);
	return out;
}

/* ---- the session ----------------------------------------------------------------------------------------- */

/* Packets of metadata, CTF 1.8, section 7.1, with 100 bytes of text each; in the byte order of this machine. */
static struct growing packetize(const struct growing *text)
{
	struct growing out = { 0 };
	for (size_t at = 0; at < text->count; at += 100) {
		const uint32_t magic = UINT32_C(0x75d11d57), checksum = 0;
		const uint32_t size = text->count - at < 100 ? (uint32_t)(text->count - at) : 100;
		const uint32_t content = 8 * (37 + size), packet = content + 8 * 7;
		const uint8_t nothing[16] = { 0 }, version[5] = { 0, 0, 0, 1, 8 };
		add(&out, &magic, 4);
		add(&out, nothing, 16);
		add(&out, &checksum, 4);
		add(&out, &content, 4);
		add(&out, &packet, 4);
		add(&out, version, 5);
		add(&out, text->bytes + at, size);
		add(&out, nothing, 7);
	}
	return out;
}

static void add_file(struct live_daemon *daemon, struct folder *folder, const char *path, const char *name)
{
	char whole[4096];
	struct histree_error error;
	if (name[0] == '.' || strcmp(name, "metadata") == 0)
		return;
	struct file *file = &daemon->files[daemon->file_count++];
	assert(daemon->file_count < STREAMS_MAX);
	*file = (struct file){ .folder = folder, .name = strdup(name), .bytes = read_whole(path, name) };
	snprintf(whole, sizeof(whole), "%s/%s", path, name);
	enum histree_status status =
		ctf_packets_walk(&folder->decoder, &io_posix, whole, &daemon->notes, &file->packets, &error);
	(void)status; /* of a release, which asserts nothing */
	assert(status == HISTREE_OK);
}

static void add_folder(struct live_daemon *daemon, const char *path)
{
	char *text = NULL;
	struct folder *folder = &daemon->folders[daemon->folder_count++];
	folder->name = strrchr(path, '/') + 1;
	folder->metadata = read_whole(path, "metadata");
	enum histree_status status = ctf_metadata_read(&io_posix, path, &text, NULL);
	assert(status == HISTREE_OK);
	status = ctf_metadata_schema(text, &folder->schema, NULL);
	assert(status == HISTREE_OK);
	status = ctf_decoder_init(&folder->decoder, &folder->schema, NULL, &daemon->class_count, NULL);
	assert(status == HISTREE_OK);
	if (daemon->options.is_packetized) {
		struct growing packets =
			packetize(&(struct growing){ .bytes = (uint8_t *)text, .count = strlen(text) });
		free(folder->metadata.bytes);
		folder->metadata = packets;
	}
	free(text);
	struct dirent **entries = NULL;
	int count = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		add_file(daemon, folder, path, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

struct live_daemon *live_daemon_create(const char *const *folders, size_t count,
				       const struct live_daemon_options *options)
{
	struct live_daemon *daemon = calloc(1, sizeof(*daemon));
	assert(daemon != NULL && count <= TRACES_MAX);
	daemon->options = *options;
	for (size_t i = 0; i < count; i++)
		add_folder(daemon, folders[i]);
	return daemon;
}

void live_daemon_free(struct live_daemon *daemon)
{
	for (size_t i = 0; i < daemon->file_count; i++) {
		ctf_packets_release(&daemon->files[i].packets);
		free(daemon->files[i].bytes.bytes);
		free(daemon->files[i].name);
	}
	for (size_t i = 0; i < daemon->folder_count; i++) {
		ctf_decoder_release(&daemon->folders[i].decoder);
		ctf_schema_release(&daemon->folders[i].schema);
		free(daemon->folders[i].metadata.bytes);
	}
	trace_notes_release(&daemon->notes);
	free(daemon->answers.bytes);
	free(daemon);
}

const uint8_t *live_daemon_answers(const struct live_daemon *daemon, size_t *size)
{
	*size = daemon->answers.count;
	return daemon->answers.bytes;
}

/* ---- answers --------------------------------------------------------------------------------------------- */

static void tell_stream(struct growing *out, uint64_t id, uint64_t trace, bool is_metadata, const char *folder,
			const char *name)
{
	add_number(out, id, 8);
	add_number(out, trace, 8);
	add_number(out, is_metadata, 4);
	add_text(out, folder, 4096);
	add_text(out, name, 255);
}

static bool is_first_of_folder(const struct live_daemon *daemon, size_t file)
{
	return file == 0 || daemon->files[file - 1].folder != daemon->files[file].folder;
}

/* Those that nobody was told of; of metadata too if it is the attachment. */
static void tell_streams(struct live_daemon *daemon, bool is_attachment)
{
	struct growing told = { 0 };
	size_t count = 0;
	for (size_t i = 0; is_attachment && i < daemon->folder_count; i++, count++)
		tell_stream(&told, METADATA_ID + i, i, true, daemon->folders[i].name, "metadata");
	for (size_t i = 0; i < daemon->file_count; i++) {
		struct file *file = &daemon->files[i];
		bool waits = is_attachment && daemon->options.tells_late && !is_first_of_folder(daemon, i);
		if (file->is_told || waits)
			continue;
		file->is_told = true;
		tell_stream(&told, i, (uint64_t)(file->folder - daemon->folders), false, file->folder->name,
			    file->name);
		count++;
	}
	add_number(&daemon->answers, is_attachment || count > 0 ? 1 : 2, 4);
	add_number(&daemon->answers, count, 4);
	add(&daemon->answers, told.bytes, told.count);
	free(told.bytes);
}

static bool has_untold(const struct live_daemon *daemon)
{
	for (size_t i = 0; i < daemon->file_count; i++)
		if (!daemon->files[i].is_told)
			return true;
	return false;
}

static bool is_over(const struct live_daemon *daemon)
{
	for (size_t i = 0; i < daemon->file_count; i++)
		if (daemon->files[i].sent < daemon->files[i].packets.count)
			return false;
	return true;
}

static void answer_streams(struct live_daemon *daemon)
{
	if (!is_over(daemon)) {
		tell_streams(daemon, false);
		return;
	}
	add_number(&daemon->answers, LIVE_SESSION_OVER, 4);
	add_number(&daemon->answers, 0, 4);
}

static void answer_index(struct live_daemon *daemon, uint64_t stream)
{
	assert(stream < daemon->file_count);
	struct file *file = &daemon->files[stream];
	const struct ctf_packet *packet =
		file->sent < file->packets.count ? &file->packets.packets[file->sent] : NULL;
	uint64_t kind = packet != NULL ? LIVE_INDEX : LIVE_INDEX_OVER, end = packet != NULL ? packet->end : 0;
	if (packet != NULL && file->refused < daemon->options.refusals) {
		bool is_quiet = file->refused % 2 == 1 && packet->begin != CTF_UNKNOWN;
		kind = is_quiet ? LIVE_INDEX_QUIET : LIVE_INDEX_LATER;
		end = packet->begin;
		file->refused++;
	}
	bool is_packet = kind == LIVE_INDEX;
	file->sent += is_packet;
	if (is_packet)
		file->refused = 0;
	uint32_t flags = is_packet && has_untold(daemon) ? LIVE_NEW_STREAMS : 0;
	if (file->folder->metadata_sent < file->folder->metadata.count)
		flags |= LIVE_NEW_METADATA;
	add_number(&daemon->answers, is_packet ? packet->offset : 0, 8);
	add_number(&daemon->answers, is_packet ? 8 * packet->size : 0, 8);
	add_number(&daemon->answers, is_packet ? 8 * packet->content : 0, 8);
	add_number(&daemon->answers, 0, 8);
	add_number(&daemon->answers, end, 8);
	add_number(&daemon->answers, 0, 8);
	add_number(&daemon->answers, file->packets.stream == NULL ? 0 : file->packets.stream->type->id, 8);
	add_number(&daemon->answers, kind, 4);
	add_number(&daemon->answers, flags, 4);
}

static void answer_bytes(struct live_daemon *daemon, uint64_t stream, uint64_t offset, uint64_t size)
{
	const struct growing *bytes = &daemon->files[stream].bytes;
	bool is_there = offset <= bytes->count && size <= bytes->count - offset;
	add_number(&daemon->answers, is_there ? LIVE_BYTES : LIVE_BYTES_FAILED, 4);
	add_number(&daemon->answers, is_there ? size : 0, 4);
	add_number(&daemon->answers, 0, 4);
	if (is_there)
		add(&daemon->answers, bytes->bytes + offset, size);
}

static void answer_metadata(struct live_daemon *daemon, uint64_t stream)
{
	struct folder *folder = &daemon->folders[stream - METADATA_ID];
	size_t left = folder->metadata.count - folder->metadata_sent, most = daemon->options.metadata_size;
	size_t size = most > 0 && left > most ? most : left;
	add_number(&daemon->answers, size, 8);
	add_number(&daemon->answers, size > 0 ? LIVE_PIECE : LIVE_NO_PIECE, 4);
	add(&daemon->answers, folder->metadata.bytes + folder->metadata_sent, size);
	folder->metadata_sent += size;
}

static void answer(struct live_daemon *daemon, uint64_t command, const uint8_t *body)
{
	struct growing *out = &daemon->answers;
	switch (command) {
	case 1:
		add_number(out, 1, 8);
		add_number(out, 2, 4);
		add_number(out, 13, 4);
		add_number(out, 1, 4);
		break;
	case 2:
		add_number(out, 1, 4);
		add_number(out, 7, 8);
		add_number(out, 1000000, 4);
		add_number(out, 0, 8);
		add_text(out, "made", 64);
		add_text(out, "session", 255);
		break;
	case 3:
		tell_streams(daemon, true);
		break;
	case 4:
		answer_index(daemon, number_at(body, 8));
		break;
	case 5:
		answer_bytes(daemon, number_at(body, 8), number_at(body + 8, 8), number_at(body + 16, 4));
		break;
	case 6:
		answer_metadata(daemon, number_at(body, 8));
		break;
	case 7:
		answer_streams(daemon);
		break;
	default:
		add_number(out, 1, 4);
	}
}

/* ---- connections ----------------------------------------------------------------------------------------- */

static int wait_daemon(void *context, bool to_send, int ms)
{
	struct live_daemon *daemon = context;
	daemon->now_ms += ms / 10;
	return to_send || daemon->received < daemon->answers.count;
}

static ssize_t send_daemon(void *context, const void *bytes, size_t size)
{
	struct live_daemon *daemon = context;
	assert(daemon->request_size + size <= REQUEST_MAX);
	memcpy(daemon->request + daemon->request_size, bytes, size);
	daemon->request_size += size;
	if (daemon->request_size < 16 || daemon->request_size < 16 + number_at(daemon->request, 8))
		return (ssize_t)size;
	answer(daemon, number_at(daemon->request + 8, 4), daemon->request + 16);
	daemon->request_size = 0;
	return (ssize_t)size;
}

static ssize_t receive_daemon(void *context, void *bytes, size_t size)
{
	struct live_daemon *daemon = context;
	size_t left = daemon->answers.count - daemon->received, most = daemon->options.part_size;
	size = size < left ? size : left;
	size = most > 0 && size > most ? most : size;
	memcpy(bytes, daemon->answers.bytes + daemon->received, size);
	daemon->received += size;
	return (ssize_t)size;
}

static int64_t now_daemon(void *context)
{
	struct live_daemon *daemon = context;
	return daemon->now_ms += STEP_MS;
}

static void close_nothing(void *context)
{
	(void)context;
}

void live_daemon_connect(struct live_daemon *daemon, struct live_relay *relay)
{
	static const struct live_wire wire = { wait_daemon, send_daemon, receive_daemon, now_daemon,
					       close_nothing };
	*relay = (struct live_relay){
		.wire = &wire, .context = daemon, .socket = -1, .place = "memory", .place_size = 6
	};
}

static int wait_answers(void *context, bool to_send, int ms)
{
	(void)context, (void)to_send, (void)ms;
	return 1;
}

static ssize_t send_nowhere(void *context, const void *bytes, size_t size)
{
	(void)context, (void)bytes;
	return (ssize_t)size;
}

static ssize_t receive_answers(void *context, void *bytes, size_t size)
{
	struct live_answers *answers = context;
	size_t left = answers->size - answers->at;
	size = size < left ? size : left;
	size = answers->part_size > 0 && size > answers->part_size ? answers->part_size : size;
	if (size > 0)
		memcpy(bytes, answers->bytes + answers->at, size);
	answers->at += size;
	return (ssize_t)size;
}

static int64_t now_answers(void *context)
{
	struct live_answers *answers = context;
	return answers->now_ms += STEP_MS;
}

void live_answers_connect(struct live_answers *answers, struct live_relay *relay)
{
	static const struct live_wire wire = { wait_answers, send_nowhere, receive_answers, now_answers,
					       close_nothing };
	*relay = (struct live_relay){
		.wire = &wire, .context = answers, .socket = -1, .place = "memory", .place_size = 6
	};
}
