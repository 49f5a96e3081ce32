/* SPDX-License-Identifier: MIT */
/*
 * ctf_layout.h - where the packets of a CTF 1.8 trace keep their sizes.
 *
 * Only the packet header and the packet contexts are read from the metadata (CTF 1.8, sections 5 and C):
 * enough to step from packet to packet before babeltrace2 is given the file.  That is needed because
 * source.ctf.fs of babeltrace2 2.0 refuses a whole trace for one stream file that is cut short, and never
 * returns from a packet that says it has no size.
 *
 * Anything but integers of fixed size, arrays and structures of them before a field of interest makes its
 * location unknown; a layout with unknown locations is not usable, and the files are then taken as they are.
 */
#ifndef TRACE_CTF_CTF_LAYOUT_H
#define TRACE_CTF_CTF_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ctf_packet_field {
	CTF_MAGIC,
	CTF_STREAM_ID,
	CTF_PACKET_SIZE, /* both sizes in bits */
	CTF_CONTENT_SIZE,
	CTF_TIMESTAMP_BEGIN,
	CTF_TIMESTAMP_END,
	CTF_EVENTS_DISCARDED,
	CTF_PACKET_SEQ_NUM,
	CTF_PACKET_FIELD_COUNT
};

#define CTF_MAGIC_NUMBER UINT32_C(0xc1fc1fc1)

struct ctf_location {
	uint32_t offset; /* bytes from the start of the packet */
	uint8_t size;    /* 1, 2, 4 or 8 bytes; 0: there is no such field */
	bool big_endian;
};

/* Header and context of the packets of one stream class, as one run of bytes. */
struct ctf_packet_layout {
	uint64_t stream_id;
	uint32_t size; /* bytes of header and context */
	struct ctf_location locations[CTF_PACKET_FIELD_COUNT];
};

enum { CTF_STREAM_CLASSES_MAX = 32, CTF_PREFIX_SIZE_MAX = 4096 };

struct ctf_layout {
	bool usable;
	struct ctf_location magic, stream_id; /* of the header: the same for all */
	uint32_t header_size;
	struct ctf_packet_layout streams[CTF_STREAM_CLASSES_MAX];
	size_t stream_count;
};

/* From the text of the metadata.  Never fails: what cannot be understood is not usable. */
void ctf_layout_read(const char *metadata, struct ctf_layout *out);

/* The layout of a stream class, NULL if the metadata has no such class. */
const struct ctf_packet_layout *ctf_layout_find(const struct ctf_layout *layout, uint64_t stream_id);

/* Returns the number at a location that is inside `bytes`. */
uint64_t ctf_location_read(const struct ctf_location *location, const uint8_t *bytes);

#endif
