// SPDX-License-Identifier: MIT
#include "mpi/build_message.h"

#include <inttypes.h>

#include "base/error.h"

static void write_clock(struct message *out, const struct histree_clock *clock)
{
	uint64_t bits;
	message_byte(out, clock != NULL);
	if (clock == NULL)
		return;
	memcpy(&bits, &clock->error, sizeof(bits));
	message_signed(out, clock->from);
	message_signed(out, clock->to);
	message_number(out, clock->fraction);
	message_signed(out, clock->rate);
	message_number(out, (uint64_t)clock->quality);
	message_number(out, bits);
	message_number(out, clock->matches);
	message_number(out, clock->accurate);
}

/* Returns whether there is one. */
static bool read_clock(struct byte_reader *reader, struct histree_clock *clock)
{
	if (read_byte(reader) != 1)
		return false;
	clock->from = read_signed(reader);
	clock->to = read_signed(reader);
	clock->fraction = (uint32_t)read_varint(reader);
	clock->rate = read_signed(reader);
	clock->quality = (enum histree_clock_quality)read_varint(reader);
	uint64_t bits = read_varint(reader);
	memcpy(&clock->error, &bits, sizeof(bits));
	clock->matches = read_varint(reader);
	clock->accurate = read_varint(reader);
	return true;
}

void build_plan_write(struct message *out, const struct histree_experiment_host *hosts, size_t count)
{
	message_byte(out, BUILD_PLAN);
	message_number(out, count);
	for (size_t i = 0; i < count; i++) {
		message_string(out, hosts[i].name);
		message_number(out, hosts[i].bytes);
		write_clock(out, hosts[i].clock);
	}
}

enum histree_status build_plan_read(struct histree_experiment *experiment, struct byte_reader *reader,
				    struct histree_error *error)
{
	size_t count;
	const struct histree_experiment_host *hosts = histree_experiment_hosts(experiment, &count);
	uint8_t kind = read_byte(reader);
	uint64_t planned = read_varint(reader);
	if (reader->failed || kind != BUILD_PLAN)
		return error_set(error, HISTREE_ERR_FORMAT, "the plan of rank 0 is damaged");
	if (planned != count)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "here the traces are of %zu hosts, on rank 0 of %" PRIu64
				 ": all ranks have to see the same folders",
				 count, planned);
	for (size_t i = 0; i < count; i++) {
		struct histree_clock clock = { 0 };
		struct message_text name = read_text(reader);
		uint64_t bytes = read_varint(reader);
		bool is_same = strlen(hosts[i].name) == name.size &&
			       memcmp(hosts[i].name, name.bytes, name.size) == 0 && bytes == hosts[i].bytes;
		if (!is_same && !reader->failed)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "here host %zu is '%s' of %" PRIu64 " bytes, on rank 0 '%.*s' of %" PRIu64
					 ": all ranks have to see the same traces",
					 i + 1, hosts[i].name, hosts[i].bytes, name.size < 64 ? (int)name.size : 64,
					 name.bytes, bytes);
		bool has_clock = read_clock(reader, &clock);
		histree_experiment_set_clock(experiment, i, has_clock ? &clock : NULL);
	}
	return reader->failed ? error_set(error, HISTREE_ERR_FORMAT, "the plan of rank 0 is damaged") : HISTREE_OK;
}

void build_done_write(struct message *out, const struct build_done *done)
{
	message_byte(out, BUILD_DONE);
	message_number(out, done->host);
	message_signed(out, done->error.status);
	message_string(out, done->error.message);
}

bool build_done_read(struct byte_reader *reader, struct build_done *done)
{
	done->host = (size_t)read_varint(reader);
	int64_t status = read_signed(reader);
	done->error.status = (enum histree_status)status;
	read_text_into(reader, done->error.message, sizeof(done->error.message));
	return !reader->failed && status >= HISTREE_ERR_INTERNAL && status <= HISTREE_PARTIAL;
}
