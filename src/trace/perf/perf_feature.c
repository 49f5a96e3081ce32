// SPDX-License-Identifier: MIT
/*
 * Features: sections of a file, or records of type PERF_HEADER_FEATURE.
 */
#include "base/error.h"
#include "trace/perf/perf_file.h"

/* A place in the bytes of a feature. */
struct feature {
	const uint8_t *at;
	size_t left;
	bool is_big;
};

static const uint8_t *take(struct feature *feature, uint64_t size)
{
	const uint8_t *bytes = feature->at;
	if (size > feature->left) {
		feature->left = 0;
		return NULL;
	}
	feature->at += size;
	feature->left -= (size_t)size;
	return bytes;
}

static bool take_u32(struct feature *feature, uint32_t *out)
{
	const uint8_t *bytes = take(feature, 4);
	if (bytes != NULL)
		*out = ordered_u32(bytes, feature->is_big);
	return bytes != NULL;
}

/* A text is a size, and so many bytes, of which those from the first zero on are filling. */
static const uint8_t *take_text(struct feature *feature, uint32_t *size)
{
	const uint8_t *bytes = take_u32(feature, size) ? take(feature, *size) : NULL;
	const uint8_t *zero = bytes == NULL || *size == 0 ? NULL : memchr(bytes, 0, *size);
	if (zero != NULL)
		*size = (uint32_t)(zero - bytes);
	return bytes;
}

static void read_text(struct feature feature, char *out)
{
	uint32_t size;
	const uint8_t *text = take_text(&feature, &size);
	if (text == NULL)
		return;
	if (size >= TRACE_FACT_SIZE)
		size = TRACE_FACT_SIZE - 1;
	memcpy(out, text, size);
	out[size] = '\0';
}

/* The attributes once more, in their order, each with a name and its ids. */
static enum histree_status read_events(struct perf_file *file, struct feature feature, struct histree_error *error)
{
	uint32_t count, attribute_size;
	enum histree_status status = HISTREE_OK;
	if (!take_u32(&feature, &count) || !take_u32(&feature, &attribute_size))
		return HISTREE_OK;
	for (uint32_t i = 0; i < count && feature.left > 0 && status == HISTREE_OK; i++) {
		uint32_t id_count, size;
		if (take(&feature, attribute_size) == NULL || !take_u32(&feature, &id_count))
			return HISTREE_OK;
		const uint8_t *name = take_text(&feature, &size);
		if (name == NULL || take(&feature, 8 * (uint64_t)id_count) == NULL)
			return HISTREE_OK;
		status = perf_file_name(file, i, name, size, error);
	}
	return status;
}

/* Which time it was on two clocks at once, by their names in clock_gettime(2). */
static void read_clock(struct perf_file *file, struct feature feature)
{
	const uint8_t *bytes = take(&feature, 24);
	if (bytes == NULL || ordered_u32(bytes, feature.is_big) != 1)
		return;
	uint64_t wall = ordered_u64(bytes + 8, feature.is_big), clock = ordered_u64(bytes + 16, feature.is_big);
	file->has_wall = wall <= INT64_MAX && clock <= INT64_MAX;
	if (file->has_wall)
		file->wall = (int64_t)wall - (int64_t)clock;
}

bool perf_feature_is_read(uint64_t number)
{
	static const uint64_t read =
		UINT64_C(1) << PERF_FEATURE_TRACING_DATA | UINT64_C(1) << PERF_FEATURE_BUILD_IDS |
		UINT64_C(1) << PERF_FEATURE_HOSTNAME | UINT64_C(1) << PERF_FEATURE_KERNEL |
		UINT64_C(1) << PERF_FEATURE_MACHINE | UINT64_C(1) << PERF_FEATURE_EVENTS |
		UINT64_C(1) << PERF_FEATURE_SAMPLE_TIME | UINT64_C(1) << PERF_FEATURE_DIR_FORMAT |
		UINT64_C(1) << PERF_FEATURE_COMPRESSED | UINT64_C(1) << PERF_FEATURE_CLOCK_DATA;
	return number < 64 && (read >> number & 1) != 0;
}

enum histree_status perf_feature_read(struct perf_file *file, uint64_t number, const uint8_t *bytes, size_t size,
				      struct histree_error *error)
{
	struct feature feature = { .at = bytes, .left = size, .is_big = file->is_big };
	switch (number) {
	case PERF_FEATURE_TRACING_DATA:
		return perf_tracing_read(file, bytes, size, error);
	case PERF_FEATURE_BUILD_IDS:
		return perf_images_learn(&file->images, bytes, size, file->is_big)
			       ? HISTREE_OK
			       : error_memory(error, "the build ids of a trace");
	case PERF_FEATURE_HOSTNAME:
		read_text(feature, file->facts.hostname);
		return HISTREE_OK;
	case PERF_FEATURE_KERNEL:
		read_text(feature, file->facts.kernel);
		return HISTREE_OK;
	case PERF_FEATURE_MACHINE:
		read_text(feature, file->machine);
		return HISTREE_OK;
	case PERF_FEATURE_EVENTS:
		return read_events(file, feature, error);
	case PERF_FEATURE_SAMPLE_TIME:
		if (size >= 16) {
			file->first = ordered_u64(bytes, file->is_big);
			file->last = ordered_u64(bytes + 8, file->is_big);
		}
		return HISTREE_OK;
	case PERF_FEATURE_DIR_FORMAT:
		file->is_in_parts = true;
		return HISTREE_OK;
	case PERF_FEATURE_COMPRESSED:
		file->part.is_compressed = true;
		return HISTREE_OK;
	case PERF_FEATURE_CLOCK_DATA:
		read_clock(file, feature);
		return HISTREE_OK;
	default:
		return HISTREE_OK;
	}
}
