// SPDX-License-Identifier: MIT
/*
 * row_order.c - the order of rows that a client requests, kept for its next requests.
 */
#include "server/model/row_order.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/search.h"
#include "server/text/json_writer.h"

/* As many as a few pages use at once. */
enum { ORDERS_KEPT = 6 };

struct row_orders {
	pthread_mutex_t making;              /* held by who makes one by what rows did */
	pthread_mutex_t lock;                /* guards what follows */
	struct row_order *kept[ORDERS_KEPT]; /* the one used last comes first */
};

/* ---- making ------------------------------------------------------------------------------------------ */

static bool is_toggled(const struct row_order_request *request, uint32_t row)
{
	return request->toggled_count > 0 &&
	       bsearch(&row, request->toggled, request->toggled_count, sizeof(row), compare_u32) != NULL;
}

bool row_is_folded(const struct row_order_request *request, uint32_t row, const struct row_facts *facts)
{
	bool is_folded =
		request->folded == ROWS_FOLDED || (request->folded == ROWS_HOSTS_FOLDED && row_is_of_host(facts));
	return is_folded != is_toggled(request, row);
}

/* Marks the rows that match and, in a tree, those above them; NULL: memory runs out. */
static bool *filter_rows(const struct row_order_request *request, uint32_t count)
{
	bool *wanted = calloc((size_t)count + 1, sizeof(*wanted));
	uint32_t above[256]; /* the row of each depth on the way to this one */
	uint32_t wanted_host_end = 0;
	for (uint32_t row = 0; wanted != NULL && row < count; row++) {
		struct row_facts facts;
		host_rows_facts(request->rows, row, &facts);
		size_t depth = facts.depth < 255 ? facts.depth : 255;
		above[depth] = row;
		if (row >= wanted_host_end && !host_rows_match(request->rows, row, request->filter))
			continue;
		if (row_is_of_host(&facts))
			wanted_host_end = row + 1 + facts.descendants;
		wanted[row] = true;
		for (size_t i = depth; request->sort == ROW_SORT_TREE && i-- > 0 && !wanted[above[i]];)
			wanted[above[i]] = true;
	}
	return wanted;
}

struct sort_entry {
	uint64_t key;
	uint32_t row;
};

COMPARE(compare_entries, struct sort_entry, BY(key) BY(row))

/* Hosts are above their rows in a tree, and nowhere in another order. */
static bool is_sorted(const struct row_order_request *request, uint32_t row, const bool *wanted)
{
	struct row_facts facts;
	if (wanted != NULL && !wanted[row])
		return false;
	if (!request->rows->has_hosts)
		return true;
	host_rows_facts(request->rows, row, &facts);
	return !row_is_of_host(&facts);
}

static enum histree_status fill_sorted(struct row_order *order, const struct row_order_request *request,
				       uint32_t count, const bool *wanted, struct histree_error *error)
{
	struct sort_entry *entries = malloc(((size_t)count + 1) * sizeof(*entries));
	enum histree_status status = entries != NULL ? HISTREE_OK : error_memory(error, "the order of the rows");
	for (uint32_t row = 0; row < count && status == HISTREE_OK; row++)
		if (is_sorted(request, row, wanted))
			entries[order->count++] =
				(struct sort_entry){ host_rows_sort_key(request->rows, row, request->sort), row };
	qsort(entries, order->count, sizeof(*entries), compare_entries);
	for (uint32_t i = 0; i < order->count; i++)
		order->rows[i] = entries[i].row;
	free(entries);
	return status;
}

/* ---- by what they did -------------------------------------------------------------------------------- */

/* A process, of which something is in the order. */
struct active_group {
	uint64_t key; /* the smaller one comes first */
	uint32_t row, first, count;
};

/* What ran longest comes first; then what only waited for a CPU; then what did neither. */
static uint64_t activity_key(uint64_t ran, uint64_t waited)
{
	const uint64_t half = UINT64_C(1) << 63;
	return ran > 0 ? half - ran : UINT64_MAX - waited;
}

COMPARE(compare_active, struct active_group, BY(key) BY(row))

/* Its members are in their order. */
static void add_group(struct row_order *order, const struct row_order_request *request,
		      const struct active_group *active, const struct row_activity *activity)
{
	struct row_group group = { .row = active->row, .first = active->first, .count = active->count };
	const uint32_t *members = order->members + group.first;
	const bool found = *request->filter != '\0'; /* what a filter finds is shown, folded or not */
	if (active->key == UINT64_MAX) {
		order->rest += group.count;
		if (!request->with_rest && !found)
			return;
	}
	for (uint32_t i = 0; i < group.count; i++) {
		const struct row_activity *own = &activity[members[i]];
		group.ran += own->ran_ns > 0;
		group.waited += own->ran_ns == 0 && own->waited_ns > 0;
	}
	group.is_lead = group.count > 1;
	group.is_folded =
		group.is_lead && !found && (request->folded != ROWS_UNFOLDED) != is_toggled(request, group.row);
	for (uint32_t i = 0; i < group.count; i++) {
		order->groups[order->count] = group;
		order->rows[order->count++] = members[i];
		if (group.is_folded)
			break;
		group.is_lead = false;
	}
}

/* What rows did, added up by group, and how many of each are in the order. */
struct active_rows {
	struct row_activity *activity, *groups; /* by row; by the row of the group */
	uint32_t *places;                       /* likewise: how many; then where the next one goes */
	struct active_group *active;
	uint32_t active_count, most; /* groups; rows of one */
};

static enum histree_status find_groups(struct active_rows *rows, const struct row_order_request *request,
				       uint32_t count, const bool *wanted, struct histree_error *error)
{
	for (uint32_t row = 0; row < count; row++) {
		const struct row_activity *own = &rows->activity[row];
		rows->groups[own->group].ran_ns += own->ran_ns;
		rows->groups[own->group].waited_ns += own->waited_ns;
		if (is_sorted(request, row, wanted) && rows->places[own->group]++ == 0)
			rows->active_count++;
	}
	rows->active = malloc(((size_t)rows->active_count + 1) * sizeof(*rows->active));
	if (rows->active == NULL)
		return error_memory(error, "the order of the rows");
	uint32_t used = 0, first = 0;
	for (uint32_t row = 0; row < count; row++) {
		const struct row_activity *all = &rows->groups[row];
		if (rows->places[row] > 0)
			rows->active[used++] =
				(struct active_group){ .key = activity_key(all->ran_ns, all->waited_ns),
						       .row = row,
						       .count = rows->places[row] };
	}
	assert(used == rows->active_count);
	if (used > 0)
		qsort(rows->active, used, sizeof(*rows->active), compare_active);
	for (uint32_t i = 0; i < used; i++) {
		struct active_group *active = &rows->active[i];
		rows->most = active->count > rows->most ? active->count : rows->most;
		active->first = rows->places[active->row] = first;
		first += active->count;
	}
	return HISTREE_OK;
}

/* Group by group, so that room is needed for the rows of one. */
static enum histree_status sort_groups(struct row_order *order, const struct row_order_request *request,
				       const struct active_rows *rows, struct histree_error *error)
{
	struct keyed_index *sorted = malloc(((size_t)rows->most + 1) * sizeof(*sorted));
	struct keyed_index *spare = malloc(((size_t)rows->most + 1) * sizeof(*spare));
	const bool has_room = sorted != NULL && spare != NULL;
	for (uint32_t at = 0; at < rows->active_count && has_room; at++) {
		const struct active_group *active = &rows->active[at];
		uint32_t *members = order->members + active->first;
		for (uint32_t i = 0; i < active->count; i++) {
			const struct row_activity *own = &rows->activity[members[i]];
			sorted[i] = (struct keyed_index){ activity_key(own->ran_ns, own->waited_ns), members[i] };
		}
		radix_sort(sorted, spare, active->count);
		for (uint32_t i = 0; i < active->count; i++)
			members[i] = sorted[i].index;
		add_group(order, request, active, rows->activity);
	}
	free(sorted);
	free(spare);
	return has_room ? HISTREE_OK : error_memory(error, "the order of the rows");
}

static enum histree_status fill_active(struct row_order *order, const struct row_order_request *request,
				       uint32_t count, const bool *wanted, struct histree_error *error)
{
	struct active_rows rows = { 0 };
	enum histree_status status =
		host_rows_activity(request->rows, request->from, request->to, &rows.activity, error);
	rows.groups = calloc((size_t)count + 1, sizeof(*rows.groups));
	rows.places = calloc((size_t)count + 1, sizeof(*rows.places));
	order->groups = malloc(((size_t)count + ROWS_PINNED_MAX + 1) * sizeof(*order->groups));
	order->members = malloc(((size_t)count + 1) * sizeof(*order->members));
	if (rows.groups == NULL || rows.places == NULL || order->groups == NULL || order->members == NULL)
		status = error_memory(error, "the order of the rows");
	if (status == HISTREE_OK)
		status = find_groups(&rows, request, count, wanted, error);
	for (uint32_t row = 0; row < count && status == HISTREE_OK; row++)
		if (is_sorted(request, row, wanted))
			order->members[rows.places[rows.activity[row].group]++] = row;
	free(rows.groups);
	free(rows.places);
	if (status == HISTREE_OK)
		status = sort_groups(order, request, &rows, error);
	free(rows.active);
	free(rows.activity);
	return status;
}

/* ---- pinned ------------------------------------------------------------------------------------------ */

static bool is_pinned(const struct row_order_request *request, uint32_t row)
{
	for (size_t i = 0; i < request->pinned_count; i++)
		if (request->pinned[i] == row)
			return true;
	return false;
}

/* They come first, and leave their places, except that of a group. */
static enum histree_status pin_rows(struct row_order *order, const struct row_order_request *request,
				    struct histree_error *error)
{
	const uint32_t count = order->count;
	uint32_t *rows = malloc(((size_t)count + ROWS_PINNED_MAX + 1) * sizeof(*rows));
	struct row_group *groups =
		order->groups != NULL ? malloc(((size_t)count + ROWS_PINNED_MAX + 1) * sizeof(*groups)) : NULL;
	if (rows == NULL || (order->groups != NULL && groups == NULL)) {
		free(rows);
		free(groups);
		return error_memory(error, "the order of the rows");
	}
	order->count = 0;
	for (size_t i = 0; i < request->pinned_count; i++) {
		const uint32_t row = request->pinned[i];
		struct row_facts facts;
		if (row >= request->rows->count)
			continue;
		host_rows_facts(request->rows, row, &facts);
		if (row_is_of_host(&facts))
			continue;
		if (groups != NULL)
			groups[order->count] = (struct row_group){ .row = row };
		rows[order->count++] = row;
	}
	order->pinned = order->count;
	for (uint32_t i = 0; i < count; i++) {
		if (is_pinned(request, order->rows[i]) && row_order_lead(order, i) == NULL)
			continue;
		if (groups != NULL)
			groups[order->count] = order->groups[i];
		rows[order->count++] = order->rows[i];
	}
	free(order->rows);
	free(order->groups);
	order->rows = rows;
	order->groups = groups;
	return HISTREE_OK;
}

/* Rows that there are, after those that are pinned in the order of the tree ascending. */
static void order_assert(const struct row_order *order, const struct row_order_request *request, uint32_t count)
{
	assert(order->count <= count + order->pinned);
	for (uint32_t i = 0; i < order->count; i++) {
		assert(order->rows[i] < count);
		assert(i <= order->pinned || request->sort != ROW_SORT_TREE || order->rows[i - 1] < order->rows[i]);
	}
}

static void order_free(struct row_order *order)
{
	free(order->key);
	free(order->rows);
	free(order->groups);
	free(order->members);
	free(order);
}

static enum histree_status fill_order(struct row_order *order, const struct row_order_request *request,
				      struct histree_error *error)
{
	const uint32_t count = request->rows->count;
	enum histree_status status = HISTREE_OK;
	bool *wanted = NULL;
	order->rows = malloc(((size_t)count + 1) * sizeof(*order->rows));
	if (order->rows == NULL || (*request->filter != '\0' && (wanted = filter_rows(request, count)) == NULL))
		return error_memory(error, "the order of the rows");
	if (request->sort == ROW_SORT_TREE) {
		/* A filter shows what it finds, folded or not. */
		for (uint32_t row = 0; row < count; row++) {
			if (wanted != NULL && !wanted[row])
				continue;
			order->rows[order->count++] = row;
			struct row_facts facts;
			if (wanted != NULL)
				continue;
			host_rows_facts(request->rows, row, &facts);
			if (facts.descendants > 0 && row_is_folded(request, row, &facts))
				row += facts.descendants;
		}
	} else if (request->sort == ROW_SORT_ACTIVE) {
		status = fill_active(order, request, count, wanted, error);
	} else {
		status = fill_sorted(order, request, count, wanted, error);
	}
	free(wanted);
	return status == HISTREE_OK && request->pinned_count > 0 ? pin_rows(order, request, error) : status;
}

/* Takes the key. */
static enum histree_status make_order(const struct row_order_request *request, char *key, struct row_order **out,
				      struct histree_error *error)
{
	struct row_order *order = calloc(1, sizeof(*order));
	enum histree_status status = HISTREE_OK;
	if (order == NULL) {
		free(key);
		return error_memory(error, "the order of the rows");
	}
	order->holders = 1;
	order->key = key;
	/* A million rows are not looked at one by one for that. */
	if (request->sort == ROW_SORT_TREE && *request->filter == '\0' && request->folded == ROWS_UNFOLDED &&
	    request->toggled_count == 0 && request->pinned_count == 0)
		order->count = request->rows->count;
	else
		status = fill_order(order, request, error);
	if (status != HISTREE_OK) {
		order_free(order);
		return status;
	}
	if (order->rows != NULL)
		order_assert(order, request, request->rows->count);
	*out = order;
	return HISTREE_OK;
}

void row_order_positions(const struct row_order *order, uint32_t count, uint32_t *positions)
{
	for (uint32_t row = 0; row < count; row++)
		positions[row] = HISTREE_NO_INDEX;
	/* From the last one on: who is pinned, or has a place of its own, is there. */
	for (uint32_t position = order->count; position-- > 0;) {
		const struct row_group *lead = row_order_lead(order, position);
		for (uint32_t i = 0; lead != NULL && lead->is_folded && i < lead->count; i++)
			positions[order->members[lead->first + i]] = position;
		positions[row_order_at(order, position)] = position;
	}
}

uint32_t row_order_find(const struct row_order *order, uint32_t row)
{
	uint32_t of_group = HISTREE_NO_INDEX;
	for (uint32_t position = 0; position < order->count; position++) {
		const struct row_group *lead = row_order_lead(order, position);
		if (row_order_at(order, position) == row)
			return position;
		for (uint32_t i = 0; lead != NULL && lead->is_folded && i < lead->count; i++)
			if (order->members[lead->first + i] == row)
				of_group = position;
	}
	return of_group;
}

size_t row_order_hiders(const struct row_order *order, const struct row_order_request *request, uint32_t row,
			uint32_t *hiders)
{
	const uint32_t position = row_order_find(order, row);
	const struct row_group *lead = position != HISTREE_NO_INDEX ? row_order_lead(order, position) : NULL;
	size_t count = 0;
	if (lead != NULL && lead->is_folded)
		hiders[count++] = lead->row;
	if (position != HISTREE_NO_INDEX || request->sort != ROW_SORT_TREE)
		return count;
	/* Those above it follow each other from the top on; what is below the others is passed over. */
	for (uint32_t above = 0; above < row && count < ROW_HIDERS_MAX;) {
		struct row_facts facts;
		host_rows_facts(request->rows, above, &facts);
		const bool is_above = row - above <= facts.descendants;
		if (is_above && row_is_folded(request, above, &facts))
			hiders[count++] = above;
		above += is_above ? 1 : facts.descendants + 1;
	}
	return count;
}

/* ---- keeping ----------------------------------------------------------------------------------------- */

/* What tells one order of a dataset from another; the caller frees it. */
static char *request_key(const struct row_order_request *request)
{
	struct byte_buffer key = { 0 };
	byte_buffer_format(&key, "%s %d %d", request->rows->model->name, (int)request->sort, (int)request->folded);
	if (request->sort == ROW_SORT_ACTIVE)
		byte_buffer_format(&key, " %lld-%lld %d", (long long)request->from, (long long)request->to,
				   (int)request->with_rest);
	for (size_t i = 0; i < request->pinned_count; i++)
		byte_buffer_format(&key, " p%u", request->pinned[i]);
	for (size_t i = 0; i < request->toggled_count; i++)
		byte_buffer_format(&key, " %u", request->toggled[i]);
	byte_buffer_format(&key, " %s", request->filter);
	byte_buffer_put_byte(&key, '\0');
	if (!key.failed)
		return (char *)key.bytes;
	byte_buffer_release(&key);
	return NULL;
}

static struct row_order *hold(struct row_order *order)
{
	int holders = atomic_fetch_add_explicit(&order->holders, 1, memory_order_relaxed);
	assert(holders > 0);
	return order;
}

void row_order_release(struct row_order *order)
{
	if (order == NULL)
		return;
	int holders = atomic_fetch_sub_explicit(&order->holders, 1, memory_order_acq_rel);
	assert(holders > 0);
	if (holders == 1)
		order_free(order);
}

/* Move it to the front; the last one makes room for one that is new. */
static void keep_first(struct row_orders *orders, size_t at, struct row_order *order)
{
	memmove(orders->kept + 1, orders->kept, at * sizeof(orders->kept[0]));
	orders->kept[0] = order;
}

static struct row_order *find_kept(struct row_orders *orders, const char *key)
{
	struct row_order *order = NULL;
	pthread_mutex_lock(&orders->lock);
	for (size_t i = 0; i < ORDERS_KEPT && orders->kept[i] != NULL; i++) {
		if (strcmp(orders->kept[i]->key, key) != 0)
			continue;
		order = hold(orders->kept[i]);
		keep_first(orders, i, orders->kept[i]);
		break;
	}
	pthread_mutex_unlock(&orders->lock);
	return order;
}

/* Takes the key. */
static enum histree_status make_kept(struct row_orders *orders, const struct row_order_request *request, char *key,
				     struct row_order **out, struct histree_error *error)
{
	enum histree_status status = make_order(request, key, out, error);
	if (status != HISTREE_OK)
		return status;
	pthread_mutex_lock(&orders->lock);
	row_order_release(orders->kept[ORDERS_KEPT - 1]);
	keep_first(orders, ORDERS_KEPT - 1, hold(*out));
	pthread_mutex_unlock(&orders->lock);
	return HISTREE_OK;
}

/*
 * A page asks for several windows and the arrows of a new order at once.  One by what rows did is made once, while
 * the others wait for it; of any other order, two who ask at once make it twice, and both are kept.
 */
enum histree_status row_order_get(struct row_orders *orders, const struct row_order_request *request,
				  struct row_order **out, struct histree_error *error)
{
	const bool is_costly = request->sort == ROW_SORT_ACTIVE;
	enum histree_status status = HISTREE_OK;
	char *key = request_key(request);
	if (key == NULL)
		return error_memory(error, "the order of the rows");
	*out = find_kept(orders, key);
	if (*out != NULL) {
		free(key);
		return HISTREE_OK;
	}
	if (is_costly) {
		pthread_mutex_lock(&orders->making);
		*out = find_kept(orders, key);
	}
	if (*out != NULL)
		free(key);
	else
		status = make_kept(orders, request, key, out, error);
	if (is_costly)
		pthread_mutex_unlock(&orders->making);
	return status;
}

static enum histree_status row_orders_make(struct dataset *dataset, void **view, struct histree_error *error)
{
	(void)dataset;
	struct row_orders *orders = calloc(1, sizeof(*orders));
	if (orders == NULL)
		return error_memory(error, "the orders of rows");
	pthread_mutex_init(&orders->making, NULL);
	pthread_mutex_init(&orders->lock, NULL);
	*view = orders;
	return HISTREE_OK;
}

static void row_orders_free(void *view)
{
	struct row_orders *orders = view;
	for (size_t i = 0; i < ORDERS_KEPT; i++)
		row_order_release(orders->kept[i]);
	pthread_mutex_destroy(&orders->lock);
	pthread_mutex_destroy(&orders->making);
	free(orders);
}

const struct view_kind row_orders_kind = { NULL, row_orders_make, row_orders_free };
