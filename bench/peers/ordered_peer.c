// SPDX-License-Identifier: MIT
#include "peers/ordered_peer.h"

#include <endian.h>

#include "base/bytes.h"

/* ---- queries -------------------------------------------------------------------------------------------- */

struct asking {
	const struct ordered_peer *ordered;
	void *self;
	const struct histree_region *question;
	struct bench_answer *answer;
	struct histree_error *error;
};

static enum histree_status ask_range(const struct asking *asking, histree_quark quark)
{
	const struct histree_region *question = asking->question;
	struct histree_interval interval;
	enum histree_status status =
		asking->ordered->seek(asking->self, quark, question->from, &interval, asking->error);
	while (status == HISTREE_OK && interval.quark == quark && interval.start <= question->to) {
		bench_answer_add(asking->answer, &interval);
		if (interval.end >= question->to)
			return HISTREE_OK;
		status = asking->ordered->next(asking->self, &interval, asking->error);
	}
	return status;
}

/* Where the next time is not in the next interval either, another seek is better than walking there. */
static enum histree_status ask_times(const struct asking *asking, histree_quark quark)
{
	const struct histree_region *question = asking->question;
	struct histree_interval interval;
	enum histree_status status =
		asking->ordered->seek(asking->self, quark, question->times[0], &interval, asking->error);
	size_t i = 0;
	while (status == HISTREE_OK && interval.quark == quark) {
		bench_answer_add(asking->answer, &interval);
		while (i < question->time_count && question->times[i] <= interval.end)
			i++;
		if (i == question->time_count)
			return HISTREE_OK;
		status = asking->ordered->next(asking->self, &interval, asking->error);
		if (status == HISTREE_OK && interval.quark == quark && interval.end < question->times[i])
			status = asking->ordered->seek(asking->self, quark, question->times[i], &interval,
						       asking->error);
	}
	return status;
}

static enum histree_status ask_attribute(const struct asking *asking, histree_quark quark)
{
	enum histree_status status =
		asking->question->times != NULL ? ask_times(asking, quark) : ask_range(asking, quark);
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status ordered_peer_ask(const struct ordered_peer *ordered, void *self,
				     const struct histree_region *question, struct bench_answer *answer,
				     struct histree_error *error)
{
	const struct asking asking = { ordered, self, question, answer, error };
	size_t count = question->quarks != NULL ? question->quark_count : ordered->attribute_count;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		status = ask_attribute(&asking, question->quarks != NULL ? question->quarks[i] : (histree_quark)i);
	return status;
}

/* ---- keys and records ----------------------------------------------------------------------------------- */

/* Big-endian, the sign flipped: bytes sort as the numbers do. */
void ordered_key(uint8_t key[ORDERED_KEY_SIZE], histree_quark quark, histree_time end)
{
	uint32_t big_quark = htobe32(quark);
	uint64_t big_end = htobe64((uint64_t)end ^ (UINT64_C(1) << 63));
	memcpy(key, &big_quark, 4);
	memcpy(key + 4, &big_end, 8);
}

void ordered_record_header(uint8_t header[ORDERED_RECORD_HEADER], const struct histree_interval *interval,
			   const void **value, size_t *value_size)
{
	static const size_t sizes[HISTREE_TYPE_COUNT] = {
		[HISTREE_INT] = 4, [HISTREE_LONG] = 8, [HISTREE_DOUBLE] = 8, [HISTREE_BOOL] = 1
	};
	bool is_bytes = interval->value.type == HISTREE_STRING || interval->value.type == HISTREE_CUSTOM;
	put_le64(header, (uint64_t)interval->start);
	header[8] = (uint8_t)interval->value.type;
	*value = is_bytes ? interval->value.bytes : (const void *)&interval->value.int64;
	*value_size = is_bytes ? interval->value.size : sizes[interval->value.type];
}

void ordered_interval(const uint8_t *key, const uint8_t *record, size_t record_size, struct histree_interval *out)
{
	uint32_t big_quark;
	uint64_t big_end;
	memcpy(&big_quark, key, 4);
	memcpy(&big_end, key + 4, 8);
	*out = (struct histree_interval){
		.start = (histree_time)get_le64(record),
		.end = (histree_time)(be64toh(big_end) ^ (UINT64_C(1) << 63)),
		.quark = be32toh(big_quark),
		.value = { .type = (enum histree_type)record[8] },
	};
	const uint8_t *value = record + ORDERED_RECORD_HEADER;
	size_t value_size = record_size - ORDERED_RECORD_HEADER;
	if (out->value.type == HISTREE_STRING || out->value.type == HISTREE_CUSTOM) {
		out->value.bytes = value;
		out->value.size = (uint32_t)value_size;
	} else {
		memcpy(&out->value.int64, value, value_size);
	}
}
