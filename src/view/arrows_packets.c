// SPDX-License-Identifier: MIT
/*
 * Packets between hosts, from the graph of who waited for whom.
 */
#include "histree/critical_path.h"
#include "view/arrow_list.h"

static enum histree_status add(void *context, const struct histree_path_step *packet, struct histree_error *error)
{
	return arrow_list_add(context,
			      &(struct histree_arrow){
				      .kind = HISTREE_ARROW_PACKET,
				      .from = packet->tid,
				      .to = packet->to_tid,
				      .from_host = (uint32_t)packet->host,
				      .to_host = (uint32_t)packet->to_host,
				      .cpu = -1,
				      .tid = packet->to_tid,
				      .start = packet->start,
				      .end = packet->end,
			      },
			      error);
}

enum histree_status arrows_gather_packets(const struct histree_arrows_request *request, struct arrow_list *list,
					  struct histree_error *error)
{
	if (request->paths == NULL)
		return HISTREE_OK;
	const struct histree_packets_request packets = { .from = request->from,
							 .to = request->to,
							 .count_max = ARROW_READS_MAX,
							 .visit = add,
							 .context = list,
							 .cancel = request->cancel };
	enum histree_status status = histree_critical_path_packets(request->paths, &packets, error);
	if (status != HISTREE_NOT_FOUND)
		return status;
	list->count = 0;
	list->lacks_some = true;
	return HISTREE_OK;
}
