/* SPDX-License-Identifier: MIT */
/*
 * perf_images.h - which binaries lie where, as MMAP and MMAP2 say, with their build ids; and what of that was so
 * when perf began, of which records have no time.
 */
#ifndef TRACE_PERF_PERF_IMAGES_H
#define TRACE_PERF_PERF_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "event/event_images.h"
#include "histree/status.h"

/* More are of no machine; what is beyond is left out. */
enum { PERF_IMAGES_MAX = 1 << 20, PERF_BUILD_ID_MAX = 20 };

struct perf_id_bytes {
	uint8_t bytes[PERF_BUILD_ID_MAX];
	uint8_t size;
};

/* A zeroed one is empty. */
struct perf_images {
	struct event_images before; /* of the time before perf began */
	struct event_image *images; /* its, growing */
	struct event_thread_name *names;
	struct event_parent *parents;
	size_t image_capacity, name_capacity, parent_capacity;
	struct intern texts;
	/* Build ids by path, which perf writes when it ends. */
	struct intern paths;
	struct perf_id_bytes *ids; /* by number of the path */
	size_t id_capacity;
};

/* Learn the build ids of PERF_FEATURE_BUILD_IDS; what is cut or malformed is not known.  False: memory is out. */
bool perf_images_learn(struct perf_images *images, const uint8_t *bytes, size_t size, bool is_big);

/* Take a record of the time before perf began, if it says an image, a name or a parent.  False: memory is out. */
bool perf_images_take(struct perf_images *images, const uint8_t *record, size_t size, bool is_big);

/*
 * Returns the build id of the file in an MMAP or MMAP2 record, and its size; NULL if it is not known.  It is
 * borrowed from the record or the images.
 */
const uint8_t *perf_images_build_id(const struct perf_images *images, const uint8_t *record, size_t size,
				    bool is_big, size_t *id_size);

/* All records were taken. */
void perf_images_end(struct perf_images *images);

void perf_images_release(struct perf_images *images);

#endif
