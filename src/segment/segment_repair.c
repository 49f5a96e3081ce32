// SPDX-License-Identifier: MIT
#include "segment/segment_repair.h"

#include "segment/segment_backend.h"

static enum histree_status copy_all(struct histree_segment_iter *iter, struct histree_segment_store *to,
				    const struct segment_repair_report *report, struct histree_error *error)
{
	const struct histree_segment_query all = HISTREE_SEGMENTS_ALL;
	struct histree_segment segment;
	enum histree_status status = histree_segment_iter_start(iter, &all, NULL, error);
	while (status == HISTREE_OK || status == HISTREE_PARTIAL) {
		status = histree_segment_iter_next(iter, &segment, error);
		if (status == HISTREE_OK) {
			status = histree_segment_store_add(to, &segment, error);
		} else if (status == HISTREE_PARTIAL) {
			const struct histree_segment_loss loss = histree_segment_iter_loss(iter);
			report->lost(report->context, &loss);
		}
	}
	return status == HISTREE_END ? histree_segment_store_finish(to, error) : status;
}

enum histree_status segment_repair(const struct io *io, struct histree_segment_store *damaged, const char *path,
				   const struct segment_repair_report *report, struct histree_error *error)
{
	const struct histree_segment_store_info *info = histree_segment_store_info(damaged);
	const struct histree_segment_store_options options = {
		.path = path,
		.schema = info->schema,
		.node_size = info->node_size,
	};
	struct histree_segment_store *store = NULL;
	struct histree_segment_iter *iter = NULL;
	enum histree_status status = histree_segment_iter_create(damaged, &iter, error);
	if (status == HISTREE_OK)
		status = segment_store_create(io, &options, &store, error);
	if (status == HISTREE_OK)
		status = copy_all(iter, store, report, error);
	histree_segment_iter_free(iter);
	histree_segment_store_close(store);
	return status;
}
