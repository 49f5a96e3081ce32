// SPDX-License-Identifier: MIT
#include "peers/peer.h"

#include <string.h>

const struct peer *const peers[] = {
	&peer_histree,
#ifdef HAVE_LMDB
	&peer_lmdb,
#endif
#ifdef HAVE_ROCKSDB
	&peer_rocksdb,
#endif
#ifdef HAVE_SQLITE
	&peer_sqlite,
#endif
#ifdef HAVE_DUCKDB
	&peer_duckdb,
#endif
	&peer_array,   &peer_tide, NULL,
};

const struct peer *peer_find(const char *name)
{
	for (const struct peer *const *peer = peers; *peer != NULL; peer++)
		if (strcmp((*peer)->name, name) == 0)
			return *peer;
	return NULL;
}
