// SPDX-License-Identifier: MIT
#include "clock/packet_table.h"

#include <stdlib.h>

#include "base/hash.h"

#define NONE UINT32_MAX

enum { BUCKETS = PACKET_TABLE_ROOM };

struct waiting {
	struct packet_half half;
	bool is_used;
	uint32_t next; /* in the bucket */
};

struct packet_table {
	uint32_t buckets[BUCKETS];
	struct waiting ring[PACKET_TABLE_ROOM];
	uint32_t oldest; /* its place is the next one to be filled */
};

struct packet_table *packet_table_create(void)
{
	/* Pages that are never written cost nothing. */
	struct packet_table *table = calloc(1, sizeof(*table));
	if (table == NULL)
		return NULL;
	for (size_t i = 0; i < BUCKETS; i++)
		table->buckets[i] = NONE;
	return table;
}

void packet_table_free(struct packet_table *table)
{
	free(table);
}

static uint32_t *bucket_of(struct packet_table *table, const struct packet_key *key)
{
	return &table->buckets[hash_bytes(key, sizeof(*key)) % BUCKETS];
}

static bool is_same(const struct packet_key *a, const struct packet_key *b)
{
	return a->seq == b->seq && a->ack_seq == b->ack_seq && a->flags == b->flags;
}

static void take_out(struct packet_table *table, uint32_t place)
{
	struct waiting *waiting = &table->ring[place];
	uint32_t *link = bucket_of(table, &waiting->half.key);
	while (*link != place)
		link = &table->ring[*link].next;
	*link = waiting->next;
	waiting->is_used = false;
}

/* At the end of its bucket, so that who came first is found first. */
static void put(struct packet_table *table, const struct packet_half *half)
{
	uint32_t place = table->oldest;
	table->oldest = (place + 1) % PACKET_TABLE_ROOM;
	if (table->ring[place].is_used)
		take_out(table, place);
	uint32_t *link = bucket_of(table, &half->key);
	while (*link != NONE)
		link = &table->ring[*link].next;
	*link = place;
	table->ring[place] = (struct waiting){ .half = *half, .is_used = true, .next = NONE };
}

/* What was received before it was sent is of another host: of one host, clocks are one. */
static bool is_other_half(const struct packet_half *waiting, const struct packet_half *half)
{
	return waiting->is_sent != half->is_sent && is_same(&waiting->key, &half->key) &&
	       (waiting->is_sent || waiting->host != half->host);
}

bool packet_table_take(struct packet_table *table, const struct packet_half *half, struct packet_half *other)
{
	bool waits_already = false;
	for (uint32_t i = *bucket_of(table, &half->key); i != NONE; i = table->ring[i].next) {
		const struct packet_half *waiting = &table->ring[i].half;
		if (is_other_half(waiting, half)) {
			*other = *waiting;
			take_out(table, i);
			return true;
		}
		if (waiting->is_sent == half->is_sent && waiting->host == half->host &&
		    is_same(&waiting->key, &half->key))
			waits_already = true;
	}
	if (!waits_already)
		put(table, half);
	return false;
}
