// SPDX-License-Identifier: MIT
#include "query/thread_pieces.h"

#include "base/search.h"

/* A list, and how far it was read: times that are asked for never go back. */
struct reading {
	const struct window_state *at, *end;
};

static struct reading read_list(const struct window_list *list)
{
	return (struct reading){ list->states, list->count > 0 ? list->states + list->count : list->states };
}

/* The value at a time, and until when it stays. */
static int32_t value_at(struct reading *list, histree_time time, histree_time *until, histree_time *since)
{
	while (list->at != list->end && list->at->end < time)
		list->at++;
	if (list->at == list->end)
		return USE_NOTHING;
	if (list->at->start <= time) {
		*until = list->at->end < *until ? list->at->end : *until;
		*since = list->at->start;
		return (int32_t)list->at->value;
	}
	if (list->at->start - 1 < *until)
		*until = list->at->start - 1;
	return USE_NOTHING;
}

struct sought {
	const struct window_state *states;
	histree_time time;
};

static bool ends_before(const void *context, size_t index)
{
	const struct sought *sought = context;
	return sought->states[index].end < sought->time;
}

/* A wait for a CPU, cut where that goes from thread to thread. */
static enum histree_status hand_out_wait(const struct thread_cutting *cutting, struct thread_piece piece,
					 struct histree_error *error)
{
	const struct thread_owners *owners = cutting->owners;
	uint32_t cpu = 0;
	while (cpu < owners->count && owners->cpus[cpu] != piece.cpu)
		cpu++;
	piece.had_by = USE_NOT_KNOWN;
	if (cpu == owners->count)
		return cutting->give(cutting->context, &piece, error);
	struct window_list left = owners->lists[cpu];
	const struct sought sought = { left.states, piece.start };
	const size_t first = search_halves(0, left.count, ends_before, &sought);
	left.states = left.count > 0 ? left.states + first : left.states;
	left.count -= first;
	struct reading reading = read_list(&left);
	enum histree_status status = HISTREE_OK;
	const histree_time end = piece.end;
	while (status == HISTREE_OK && piece.start <= end) {
		histree_time since;
		piece.end = end;
		piece.had_by = value_at(&reading, piece.start, &piece.end, &since);
		if (piece.had_by == USE_NOTHING)
			piece.had_by = USE_NOT_KNOWN;
		status = cutting->give(cutting->context, &piece, error);
		piece.start = piece.end + 1;
		piece.begins = false;
	}
	return status;
}

enum histree_status thread_pieces_cut(const struct thread_cutting *cutting, const struct thread_states *thread,
				      struct histree_error *error)
{
	struct reading queues = read_list(&thread->queues), calls = read_list(&thread->calls);
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < thread->statuses.count && status == HISTREE_OK; i++) {
		const struct window_state *state = &thread->statuses.states[i];
		const bool waits = state->value == THREAD_WAITS_FOR_CPU;
		const histree_time end = state->end < cutting->to ? state->end : cutting->to;
		histree_time at = state->start > cutting->from ? state->start : cutting->from, since;
		while (!(waits && thread->is_idle) && at <= end && status == HISTREE_OK) {
			struct thread_piece piece = {
				.start = at, .end = end, .status = (int32_t)state->value, .had_by = USE_NOTHING
			};
			piece.cpu = thread->cpu >= 0 ? thread->cpu : value_at(&queues, at, &piece.end, &since);
			piece.system_call = value_at(&calls, at, &piece.end, &piece.call_start);
			piece.begins = at == state->start;
			at = piece.end + 1;
			status = waits && cutting->owners != NULL ? hand_out_wait(cutting, piece, error)
								  : cutting->give(cutting->context, &piece, error);
		}
	}
	return status;
}

enum window_keep thread_pieces_value(struct intern *texts, const struct histree_value *value,
				     enum histree_part part, int64_t *out)
{
	const struct histree_value of_part = histree_value_part(value, part);
	switch (of_part.type) {
	case HISTREE_NULL:
		return WINDOW_SKIPS;
	case HISTREE_INT:
		*out = of_part.int32;
		return WINDOW_KEEPS;
	case HISTREE_STRING: {
		uint32_t text = intern_add(texts, of_part.bytes, of_part.size);
		*out = (int32_t)text;
		return text != INTERN_NONE ? WINDOW_KEEPS : WINDOW_HAS_NO_MEMORY;
	}
	default:
		*out = USE_NOT_KNOWN;
		return WINDOW_KEEPS;
	}
}
