// SPDX-License-Identifier: MIT
#include "trace/packed/packed_tracks.h"

bool packed_track_classes(struct packed_source *source, const struct event_trace *trace,
			  const struct packed_class *out[TRACK_CLASS_COUNT], struct histree_error *error)
{
	for (int i = 0; i < TRACK_CLASS_COUNT; i++) {
		const struct event_class as = { .trace = trace,
						.name = track_class_names[i],
						.fields = track_field_names,
						.field_count = TRACK_FIELD_COUNT,
						.payload_count = TRACK_FIELD_COUNT };
		out[i] = packed_source_class(source, &as, error);
		if (out[i] == NULL)
			return false;
	}
	return true;
}
