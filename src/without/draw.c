// SPDX-License-Identifier: MIT
/*
 * draw.c - pictures of a build without cairo: none is drawn, and the message says what to install.
 */
#include "histree/draw.h"
#include "without/without.h"

static enum histree_status refuse(struct histree_error *error)
{
	return error_set(
		error, HISTREE_NOT_FOUND,
		"this histree was built without cairo and cannot draw: install libcairo2-dev and build again");
}

enum histree_status histree_draw(struct histree_history *history, const struct histree_draw_options *options,
				 bool (*write)(void *context, const void *bytes, size_t size), void *context,
				 struct histree_error *error)
{
	return refuse(error);
}

enum histree_status histree_draw_path(struct histree_history *history,
				      const struct histree_draw_path_options *options,
				      bool (*write)(void *context, const void *bytes, size_t size), void *context,
				      struct histree_error *error)
{
	return refuse(error);
}

enum histree_status histree_draw_flame(const struct histree_flame *flame,
				       const struct histree_draw_flame_options *options,
				       bool (*write)(void *context, const void *bytes, size_t size), void *context,
				       struct histree_error *error)
{
	return refuse(error);
}

enum histree_status histree_draw_states_compared(const struct histree_state_comparison *comparison,
						 const struct histree_draw_comparison_options *options,
						 bool (*write)(void *context, const void *bytes, size_t size),
						 void *context, struct histree_error *error)
{
	return refuse(error);
}

enum histree_status histree_draw_segments_compared(const struct histree_segment_difference *difference,
						   const struct histree_segment_density *a,
						   const struct histree_segment_density *b,
						   const struct histree_draw_comparison_options *options,
						   bool (*write)(void *context, const void *bytes, size_t size),
						   void *context, struct histree_error *error)
{
	return refuse(error);
}

bool histree_can_draw(void)
{
	return false;
}
