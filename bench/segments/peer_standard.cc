// SPDX-License-Identifier: MIT
/*
 * peer_standard.cc - what C++ offers: a vector that is sorted when an order is asked for, and a multimap for each
 * order.
 */
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "segments/segment_peer.h"

namespace
{
using segment = std::pair<int64_t, int64_t>; /* start, end */

int64_t key_of(const segment &of, segment_peer_order order)
{
	return order == PEER_BY_END ? of.second : order == PEER_BY_DURATION ? of.second - of.first : of.first;
}

struct vector_peer {
	std::vector<segment> segments;
	size_t at = 0;
};

struct multimap_peer {
	std::multimap<int64_t, segment> by[PEER_ORDERS];
	std::multimap<int64_t, segment>::const_iterator at, end;
};

template <typename Peer> bool create(const char *, void **out)
{
	*out = new Peer;
	return true;
}

template <typename Peer> void release(void *body)
{
	delete static_cast<Peer *>(body);
}

bool finish(void *, uint64_t *bytes_on_disk)
{
	*bytes_on_disk = 0;
	return true;
}

bool vector_add(void *body, int64_t start, int64_t end)
{
	static_cast<vector_peer *>(body)->segments.emplace_back(start, end);
	return true;
}

bool vector_begin(void *body, segment_peer_order order)
{
	auto *peer = static_cast<vector_peer *>(body);
	peer->at = 0;
	if (order != PEER_UNSORTED)
		std::sort(peer->segments.begin(), peer->segments.end(),
			  [order](const segment &a, const segment &b) {
				  return std::make_pair(key_of(a, order), a) < std::make_pair(key_of(b, order), b);
			  });
	return true;
}

bool vector_next(void *body, int64_t *start, int64_t *end)
{
	auto *peer = static_cast<vector_peer *>(body);
	if (peer->at == peer->segments.size())
		return false;
	*start = peer->segments[peer->at].first;
	*end = peer->segments[peer->at++].second;
	return true;
}

bool multimap_add(void *body, int64_t start, int64_t end)
{
	auto *peer = static_cast<multimap_peer *>(body);
	const segment added(start, end);
	for (int order = PEER_BY_START; order < PEER_ORDERS; order++)
		peer->by[order].emplace(key_of(added, static_cast<segment_peer_order>(order)), added);
	return true;
}

bool multimap_begin(void *body, segment_peer_order order)
{
	auto *peer = static_cast<multimap_peer *>(body);
	const auto &segments = peer->by[order == PEER_UNSORTED ? PEER_BY_START : order];
	peer->at = segments.begin();
	peer->end = segments.end();
	return true;
}

bool multimap_next(void *body, int64_t *start, int64_t *end)
{
	auto *peer = static_cast<multimap_peer *>(body);
	if (peer->at == peer->end)
		return false;
	*start = peer->at->second.first;
	*end = peer->at->second.second;
	++peer->at;
	return true;
}
} // namespace

const struct segment_peer segment_peer_vector = { "sorted vector",     10000000,    10000000,
						  create<vector_peer>, vector_add,  finish,
						  vector_begin,        vector_next, release<vector_peer> };
const struct segment_peer segment_peer_multimap = { "std::multimap",       1000000,       1000000,
						    create<multimap_peer>, multimap_add,  finish,
						    multimap_begin,        multimap_next, release<multimap_peer> };
