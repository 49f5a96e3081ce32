/* SPDX-License-Identifier: MIT */
/*
 * heap.h - an array of the caller's whose first element comes before all others: a heap, in which the parent of i
 * is (i - 1) / 2 and comes after neither of its children.
 *
 * The caller keeps the array and its count, sees to room, names two pointers to elements and gives an expression of
 * these that says whether the one comes before the other:
 *
 *	HEAP_PUSH(queue, count, event, a, b, a->time < b->time);
 *
 * It is compiled into the loops, as with SEARCH().  Elements of which neither comes before the other leave the heap
 * in an order that depends on the others; who needs one asks for it in the expression.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stddef.h>

/* Let the element at a place, which comes after what was there, sink to where it belongs. */
#define HEAP_SINK(heap, count, at, one, other, is_before)                                           \
	do {                                                                                        \
		__typeof__(*(heap)) *const heap_ = (heap), heap_moved_ = heap_[at];                 \
		const size_t heap_count_ = (count);                                                 \
		size_t heap_at_ = (at);                                                             \
		for (size_t heap_child_; (heap_child_ = 2 * heap_at_ + 1) < heap_count_;) {         \
			const __typeof__(*(heap)) *one = &heap_[heap_child_ + 1], *other = one - 1; \
			if (heap_child_ + 1 < heap_count_ && (is_before))                           \
				heap_child_++;                                                      \
			one = &heap_[heap_child_], other = &heap_moved_;                            \
			if (!(is_before))                                                           \
				break;                                                              \
			heap_[heap_at_] = heap_[heap_child_];                                       \
			heap_at_ = heap_child_;                                                     \
		}                                                                                   \
		heap_[heap_at_] = heap_moved_;                                                      \
	} while (0)

/* Make a heap of elements in any order. */
#define HEAP_MAKE(heap, count, one, other, is_before)                               \
	do {                                                                        \
		for (size_t heap_place_ = (count) / 2; heap_place_-- > 0;)          \
			HEAP_SINK(heap, count, heap_place_, one, other, is_before); \
	} while (0)

/* Add an element. */
#define HEAP_PUSH(heap, count, element, one, other, is_before)                                        \
	do {                                                                                          \
		__typeof__(*(heap)) *const heap_ = (heap), heap_moved_ = (element);                   \
		size_t heap_at_ = (count)++;                                                          \
		for (size_t heap_parent_; heap_at_ > 0; heap_at_ = heap_parent_) {                    \
			heap_parent_ = (heap_at_ - 1) / 2;                                            \
			const __typeof__(*(heap)) *one = &heap_moved_, *other = &heap_[heap_parent_]; \
			if (!(is_before))                                                             \
				break;                                                                \
			heap_[heap_at_] = heap_[heap_parent_];                                        \
		}                                                                                     \
		heap_[heap_at_] = heap_moved_;                                                        \
	} while (0)

/* Take the first element out of a heap that has one. */
#define HEAP_POP(heap, count, one, other, is_before)              \
	do {                                                      \
		(heap)[0] = (heap)[--(count)];                    \
		HEAP_SINK(heap, count, 0, one, other, is_before); \
	} while (0)

#endif
