// SPDX-License-Identifier: MIT
/*
 * row_order.c - the order in which a client wants rows, kept for its next questions.
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
	pthread_mutex_t lock;                /* guards what follows */
	struct row_order *kept[ORDERS_KEPT]; /* the one used last comes first */
};

/* ---- making ------------------------------------------------------------------------------------------ */

bool row_is_folded(const struct row_order_request *request, uint32_t row, const struct row_facts *facts)
{
	bool is_toggled = request->toggled_count > 0 &&
			  bsearch(&row, request->toggled, request->toggled_count, sizeof(row), compare_u32) != NULL;
	bool is_folded =
		request->folded == ROWS_FOLDED || (request->folded == ROWS_HOSTS_FOLDED && row_is_of_host(facts));
	return is_folded != is_toggled;
}

/* Marks the rows that match and, in a tree, those above them; NULL: memory is out. */
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

static int compare_entries(const void *a, const void *b)
{
	const struct sort_entry *first = a, *second = b;
	if (first->key != second->key)
		return first->key < second->key ? -1 : 1;
	return (first->row > second->row) - (first->row < second->row);
}

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
	uint64_t *active = NULL;
	struct sort_entry *entries = malloc(((size_t)count + 1) * sizeof(*entries));
	enum histree_status status = entries != NULL ? HISTREE_OK : error_memory(error, "the order of the rows");
	if (status == HISTREE_OK && request->sort == ROW_SORT_ACTIVE)
		status = host_rows_active_keys(request->rows, request->from, request->to, &active, error);
	for (uint32_t row = 0; row < count && status == HISTREE_OK; row++) {
		const uint64_t key =
			active != NULL ? active[row] : host_rows_sort_key(request->rows, row, request->sort);
		if (is_sorted(request, row, wanted) && (active == NULL || key != ROW_NOT_SHOWN))
			entries[order->count++] = (struct sort_entry){ key, row };
	}
	qsort(entries, order->count, sizeof(*entries), compare_entries);
	for (uint32_t i = 0; i < order->count; i++)
		order->rows[i] = entries[i].row;
	free(entries);
	free(active);
	return status;
}

/* Rows that there are, in the order of the tree ascending. */
static void order_assert(const struct row_order *order, const struct row_order_request *request, uint32_t count)
{
	assert(order->count <= count);
	for (uint32_t i = 0; i < order->count; i++) {
		assert(order->rows[i] < count);
		assert(i == 0 || request->sort != ROW_SORT_TREE || order->rows[i - 1] < order->rows[i]);
	}
}

static void order_free(struct row_order *order)
{
	free(order->key);
	free(order->rows);
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
	} else {
		status = fill_sorted(order, request, count, wanted, error);
	}
	free(wanted);
	return status;
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
	    request->toggled_count == 0)
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
	for (uint32_t position = 0; position < order->count; position++)
		positions[row_order_at(order, position)] = position;
}

/* ---- keeping ----------------------------------------------------------------------------------------- */

/* What tells one order of a dataset from another; the caller frees it. */
static char *request_key(const struct row_order_request *request)
{
	struct piece key = { 0 };
	piece_format(&key, "%s %d %d", request->rows->model->name, (int)request->sort, (int)request->folded);
	if (request->sort == ROW_SORT_ACTIVE)
		piece_format(&key, " %lld-%lld", (long long)request->from, (long long)request->to);
	for (size_t i = 0; i < request->toggled_count; i++)
		piece_format(&key, " %u", request->toggled[i]);
	piece_format(&key, " %s", request->filter);
	piece_put_char(&key, '\0');
	if (!key.failed)
		return key.bytes;
	piece_release(&key);
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

enum histree_status row_order_get(struct row_orders *orders, const struct row_order_request *request,
				  struct row_order **out, struct histree_error *error)
{
	char *key = request_key(request);
	*out = key != NULL ? find_kept(orders, key) : NULL;
	if (*out != NULL) {
		free(key);
		return HISTREE_OK;
	}
	if (key == NULL)
		return error_memory(error, "the order of the rows");
	/* Two who ask at once make it twice; the later one is kept as well, and goes with time. */
	enum histree_status status = make_order(request, key, out, error);
	if (status != HISTREE_OK)
		return status;
	pthread_mutex_lock(&orders->lock);
	row_order_release(orders->kept[ORDERS_KEPT - 1]);
	keep_first(orders, ORDERS_KEPT - 1, hold(*out));
	pthread_mutex_unlock(&orders->lock);
	return HISTREE_OK;
}

static enum histree_status row_orders_make(struct dataset *dataset, void **view, struct histree_error *error)
{
	(void)dataset;
	struct row_orders *orders = calloc(1, sizeof(*orders));
	if (orders == NULL)
		return error_memory(error, "the orders of rows");
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
	free(orders);
}

const struct view_kind row_orders_kind = { NULL, row_orders_make, row_orders_free };
