// SPDX-License-Identifier: MIT
#include "pipeline/slice_crew.h"

#include "base/error.h"
#include "base/thread.h"

/* What a thread has. */
struct hand {
	const struct slice_crew_plan *plan;
	struct slice_reader *reader; /* NULL: the trace cannot be opened */
	struct leaf_scratch scratch;
};

static enum histree_status begin_run(const struct slice_crew_plan *plan, struct slice *slice,
				     struct slice_run **run, struct histree_error *error)
{
	const struct interval_sink *sink = plan->sink;
	struct slice_frame frame = *plan->frame;
	if (sink->begin_pack != NULL) {
		enum histree_status status =
			sink->begin_pack(sink->context, plan->kept_max, &frame.log.pack, error);
		if (status < 0)
			return status;
	}
	return slice_run_create(plan->source, &frame, &slice->range, &slice->hint, &slice->memory, run, error);
}

static void read_slice(struct slice_crew *crew, struct hand *hand, struct slice *slice)
{
	const struct slice_crew_plan *plan = hand->plan;
	if (begin_run(plan, slice, &slice->run, NULL) == HISTREE_OK)
		slice_run_read(slice->run, hand->reader, plan->pass->index != NULL, &crew->is_of_no_use);
	else
		slice->run = NULL;
}

/* Its intervals and its part of the index were in another process, which is gone. */
static enum histree_status read_again(struct slice_crew *crew, struct hand *hand, struct slice *slice)
{
	struct slice_run *lost = slice->run, *run;
	enum histree_status status = begin_run(hand->plan, slice, &run, &slice->error);
	if (status != HISTREE_OK)
		return status;
	slice_run_read(run, hand->reader, lost->is_indexed, &crew->is_ending);
	status = slice_run_replace(run, lost, &slice->error);
	slice->run = run;
	slice_run_free(lost);
	return status;
}

static enum histree_status make(struct slice_crew *crew, struct hand *hand, struct slice *slice)
{
	enum histree_status status = HISTREE_OK;
	if (slice->run->is_elsewhere)
		status = read_again(crew, hand, slice);
	return status == HISTREE_OK ? slice_run_make(slice->run, &hand->scratch, &slice->error) : status;
}

static void *work(void *context)
{
	struct slice_crew *crew = context;
	struct hand hand = { .plan = &crew->plan };
	struct slice *slice;
	if (slice_reader_open(crew->plan.source, &hand.reader, NULL) != HISTREE_OK)
		hand.reader = NULL;
	while ((slice = slice_ring_wait(crew->plan.ring)) != NULL) {
		if (slice->step == STEP_MAKE) {
			slice->made = make(crew, &hand, slice);
			slice_ring_end_step(crew->plan.ring, slice, STEP_TAKE);
			continue;
		}
		read_slice(crew, &hand, slice);
		slice_ring_end_step(crew->plan.ring, slice, STEP_COMMIT);
	}
	leaf_scratch_release(&hand.scratch);
	slice_reader_close(hand.reader);
	return NULL;
}

unsigned slice_crew_start(struct slice_crew *crew, const struct slice_crew_plan *plan, unsigned wanted)
{
	crew->plan = *plan;
	while (crew->count < wanted && crew->count < SLICE_CREW_MAX &&
	       thread_create(&crew->threads[crew->count], work, crew))
		crew->count++;
	return crew->count;
}

void slice_crew_end(struct slice_crew *crew)
{
	atomic_store(&crew->is_of_no_use, true);
	atomic_store(&crew->is_ending, true);
	for (unsigned i = 0; i < crew->count; i++)
		pthread_join(crew->threads[i], NULL);
	crew->count = 0;
}
