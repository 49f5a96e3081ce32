/* SPDX-License-Identifier: MIT */
/*
 * kernel_provider.h - an instance of a kernel analysis: how it lives, and its model at a checkpoint as bytes.
 *
 * It passes each event to its handler, in all versions of the analysis.
 *
 * A version is a table of handlers by role.  It decides which attributes there are and how states follow from
 * events; threads, CPUs and names of events are the same for all.
 */
#ifndef ANALYSIS_KERNEL_KERNEL_PROVIDER_H
#define ANALYSIS_KERNEL_KERNEL_PROVIDER_H

#include "analysis/analysis.h"
#include "analysis/kernel/kernel_layout.h"
#include "analysis/kernel/kernel_threads.h"
#include "base/bytes.h"

typedef void kernel_handler(struct kernel_model *model, const struct kernel_event *event);

struct kernel_version {
	const struct kernel_places *places; /* the attributes that its states go to */
	bool is_monotonic;                  /* an event that comes after a later one counts at the time of that */
	bool corrects_past;                 /* an exit without an entry says what went on before it */
	/* Events other than switches show which thread runs on their CPU; NULL: this version uses switches only. */
	void (*runs)(struct kernel_model *model, int32_t cpu_number, int32_t tid);
	/* What an event implies for the thread in which it happened, before its handler; NULL: not used. */
	kernel_handler *learn;
	kernel_handler *const *handlers; /* by role; NULL: such events mean nothing to this version */
};

/* The functions of a struct analysis whose input is a kernel_input; its `kind` is a version. */
enum histree_status kernel_provider_create(const struct analysis *analysis, struct histree_state_system *system,
					   void *input, void **instance, struct histree_error *error);
enum histree_status kernel_provider_event(void *instance, const struct event *event, struct histree_error *error);
enum histree_status kernel_provider_gap(void *instance, const struct event_gap *gap, struct histree_error *error);
uint64_t kernel_provider_refused(const void *instance);
bool kernel_provider_is_empty(const void *instance);
void kernel_provider_missing(const void *instance, char *text, size_t size);
void kernel_provider_unsure(const void *instance, char *text, size_t size);
void kernel_provider_save(void *instance, struct byte_buffer *out);
enum histree_status kernel_provider_load(void *instance, uint32_t attribute_count, struct byte_reader *reader,
					 struct histree_error *error);
void kernel_provider_free(void *instance);

/* What all of them have in common as a struct analysis. */
#define KERNEL_PROVIDER_FUNCTIONS                                                                         \
	.input = &kernel_input_kind, .applies = kernel_input_knows, .create = kernel_provider_create,     \
	.event = kernel_provider_event, .refused = kernel_provider_refused, .save = kernel_provider_save, \
	.load = kernel_provider_load, .free = kernel_provider_free

/* The instance, which is a model, is one of a slice (kernel_slices.c). */
extern const struct analysis_slices kernel_slices;

#endif
