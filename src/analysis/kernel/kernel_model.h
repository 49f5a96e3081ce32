/* SPDX-License-Identifier: MIT */
/*
 * kernel_model.h - the threads and CPUs of a kernel, with the quarks of their attributes.
 *
 * Quarks are looked up once and kept in records; but an attribute is created exactly when the analysis first asks
 * for it, because the set of attributes is part of the result.  To read an attribute is to ask for it.  In a
 * layout of known states (kernel_machine.h) it is created when it first has one, and the record says what was
 * asked.
 *
 * A function that returns a record returns NULL if there is none (no such CPU, no memory); handlers then leave.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_MODEL_H
#define ANALYSIS_KERNEL_KERNEL_MODEL_H

#include "analysis/changes.h"
#include "analysis/kernel/kernel_conflicts.h"
#include "analysis/kernel/kernel_machine.h"
#include "base/arena.h"
#include "base/hash_index.h"

struct kernel_slice;

struct kernel_model {
	struct changes changes;
	struct kernel_slice *slice;         /* kernel_slice.h; NULL: this model has seen all that came before */
	const struct kernel_places *places; /* the attributes that its states go to */
	bool has_gaps;                      /* there was one so far */
	uint32_t
		open_gaps; /* CPUs whose events are being lost: what no other CPU holds on to is in doubt at once */
	bool all_open;     /* the same where it is not said on which CPU, */
	histree_time all_end;   /* and until when */
	bool has_lives;         /* a number that is used again is another thread */
	histree_time loss_end;  /* where the last loss of events ended */
	bool has_calls;         /* the trace records system calls: who ran unseen may be in one */
	bool declares_calls;    /* the same, before any comes */
	bool may_have_calls;    /* or it declares nothing */
	bool has_wakings;       /* it has the beginnings of wake-ups */
	bool has_irqs;          /* it has, or had, interrupts */
	bool doubts_calls;      /* of a thread nobody knew once whether it is in one */
	bool corrects_past;     /* what an event says of the time before it is believed (kernel_gap.h) */
	uint64_t late_exits;    /* of threads of which no more could be kept back (past_of_call()), */
	uint64_t late_ns;       /* and from when on they may have run */
	uint32_t cpus_in_doubt; /* of which it is not said yet what interrupts they handle */
	uint32_t nameless_cpus; /* whose thread nobody named yet: together they have the pseudo-thread -1 */
	struct kernel_conflicts conflicts;
	histree_quark groups[GROUP_COUNT];
	struct id_map threads;  /* struct kernel_thread */
	struct id_map cpus;     /* struct kernel_cpu */
	struct id_map softirqs; /* struct softirq_total */
	struct arena records;   /* all of them, and their names */
};

void kernel_model_init(struct kernel_model *model, struct histree_state_system *system,
		       const struct kernel_places *places);
void kernel_model_release(struct kernel_model *model);

static inline bool kernel_is_losing(const struct kernel_model *model)
{
	return model->open_gaps > 0 || model->all_open;
}

histree_quark kernel_group(struct kernel_model *model, enum kernel_group group);

/* Returns zeroed memory that lives as long as the model; NULL when memory is out, and the event has failed. */
void *kernel_record(struct kernel_model *model, size_t size);

/* As kernel_record(), and the map has the record as `id`. */
void *kernel_record_in(struct kernel_model *model, struct id_map *map, uint64_t id, size_t size);

#endif
