// SPDX-License-Identifier: MIT
/*
 * Orders of rows against the plain rule, on random trees: a row is shown unless one above it is folded; a filter
 * leaves what it finds and what is above that; another sort is flat.  One by what rows did is made once, however
 * many ask for it at a time.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "server/model/row_order.h"
#include "support/test.h"

enum { ROWS_MAX = 300, ROUNDS = 60 };

struct made_row {
	uint32_t parent, depth, descendants; /* parent of a top row: itself */
	int number;
};

struct made_tree {
	struct made_row rows[ROWS_MAX];
	uint32_t count;
};

static void facts(const void *view, uint32_t row, struct row_facts *out)
{
	const struct made_tree *tree = view;
	*out = (struct row_facts){ .depth = tree->rows[row].depth, .descendants = tree->rows[row].descendants };
}

static enum row_match matches(const void *view, uint32_t row, const char *text)
{
	const struct made_tree *tree = view;
	return tree->rows[row].number == atoi(text) ? ROW_IS_CALLED : ROW_MATCHES_NOT;
}

static uint64_t sort_key(const void *view, uint32_t row, enum row_sort sort)
{
	const struct made_tree *tree = view;
	return sort == ROW_SORT_TID ? (uint64_t)tree->rows[row].number : row;
}

static atomic_int times_added_up;

/* Takes so long that whoever asks as well has come by then.  Who has a greater number ran longer. */
static enum histree_status activity(const void *view, histree_time from, histree_time to, struct row_activity *rows,
				    struct histree_error *error)
{
	(void)from, (void)to, (void)error;
	const struct made_tree *tree = view;
	times_added_up++;
	usleep(100000);
	for (uint32_t row = 0; row < tree->count; row++)
		rows[row] = (struct row_activity){ .ran_ns = (uint64_t)tree->rows[row].number, .group = row };
	return HISTREE_OK;
}

static const struct row_model model = {
	.name = "made",
	.count = offsetof(struct made_tree, count),
	.facts = facts,
	.matches = matches,
	.sort_key = sort_key,
	.activity = activity,
};

static struct host_rows rows_of(struct made_tree *tree, struct host_view *host)
{
	*host = (struct host_view){ .view = tree, .count = tree->count };
	return (struct host_rows){ .model = &model, .hosts = host, .host_count = 1, .count = tree->count };
}

static void make_tree(struct made_tree *tree, struct random *random)
{
	tree->count = (uint32_t)random_below(random, ROWS_MAX);
	for (uint32_t row = 0; row < tree->count; row++) {
		uint32_t deepest = row > 0 ? tree->rows[row - 1].depth + 1 : 0;
		struct made_row *made = &tree->rows[row];
		*made = (struct made_row){ .parent = row, .number = (int)random_below(random, 8) };
		made->depth = (uint32_t)random_below(random, deepest + 1);
		for (uint32_t above = row; made->depth > 0 && above-- > 0;) {
			if (tree->rows[above].depth == made->depth - 1) {
				made->parent = above;
				break;
			}
		}
		for (uint32_t at = row; tree->rows[at].parent != at; at = tree->rows[at].parent)
			tree->rows[tree->rows[at].parent].descendants++;
	}
}

static bool is_above(const struct made_tree *tree, uint32_t above, uint32_t row)
{
	while (tree->rows[row].parent != row) {
		row = tree->rows[row].parent;
		if (row == above)
			return true;
	}
	return false;
}

static bool is_shown(const struct made_tree *tree, const struct row_order_request *request, uint32_t row)
{
	bool found = *request->filter == '\0';
	for (uint32_t other = 0; other < tree->count && !found; other++)
		found = matches(tree, other, request->filter) &&
			(other == row || (request->sort == ROW_SORT_TREE && is_above(tree, row, other)));
	if (!found || *request->filter != '\0' || request->sort != ROW_SORT_TREE)
		return found;
	for (uint32_t above = 0; above < tree->count; above++) {
		bool is_toggled = false;
		for (size_t i = 0; i < request->toggled_count; i++)
			is_toggled = is_toggled || request->toggled[i] == above;
		if (is_above(tree, above, row) && request->folded != is_toggled)
			return false;
	}
	return true;
}

static void check(const struct made_tree *tree, const struct row_order_request *request,
		  const struct row_order *order)
{
	bool shown[ROWS_MAX] = { false };
	for (uint32_t i = 0; i < order->count; i++) {
		uint32_t row = row_order_at(order, i);
		assert_false(shown[row]);
		shown[row] = true;
		if (i == 0)
			continue;
		uint64_t before = sort_key(tree, row_order_at(order, i - 1), request->sort);
		uint64_t key = sort_key(tree, row, request->sort);
		assert_true(before < key || (before == key && row_order_at(order, i - 1) < row));
	}
	for (uint32_t row = 0; row < tree->count; row++)
		assert_int_equal(shown[row], is_shown(tree, request, row));
}

static int compare_rows(const void *a, const void *b)
{
	const uint32_t *first = a, *second = b;
	return (*first > *second) - (*first < *second);
}

TEST(test_orders)
{
	static const char *const filters[] = { "", "", "3", "9" };
	struct random random = { 6 };
	struct made_tree tree;
	for (int round = 0; round < ROUNDS; round++) {
		void *orders;
		struct host_view host;
		make_tree(&tree, &random);
		const struct host_rows rows = rows_of(&tree, &host);
		assert_ok(row_orders_kind.make(NULL, &orders, NULL));
		/* More requests than orders are kept, some of them twice. */
		for (int i = 0; i < 20; i++) {
			uint32_t toggled[8];
			struct row_order *order;
			struct row_order_request request = {
				.rows = &rows,
				.sort = random_below(&random, 2) == 0 ? ROW_SORT_TREE : ROW_SORT_TID,
				.filter = filters[random_below(&random, 4)],
				.folded = random_below(&random, 2) == 0,
				.toggled = toggled,
				.toggled_count = random_below(&random, 3),
			};
			for (size_t k = 0; k < request.toggled_count; k++)
				toggled[k] = (uint32_t)random_below(&random, ROWS_MAX);
			qsort(toggled, request.toggled_count, sizeof(toggled[0]), compare_rows);
			assert_ok(row_order_get(orders, &request, &order, NULL));
			check(&tree, &request, order);
			row_order_release(order);
		}
		row_orders_kind.free(orders);
	}
}

struct asking {
	struct row_orders *orders;
	const struct row_order_request *request;
	struct row_order *order;
};

static void *ask(void *context)
{
	struct asking *asking = context;
	assert_ok(row_order_get(asking->orders, asking->request, &asking->order, NULL));
	return NULL;
}

TEST(test_asked_at_once)
{
	enum { ASKING = 4 };
	struct random random = { 7 };
	struct made_tree tree;
	struct host_view host;
	struct asking asking[ASKING];
	pthread_t threads[ASKING];
	void *orders;
	make_tree(&tree, &random);
	const struct host_rows rows = rows_of(&tree, &host);
	const struct row_order_request request = {
		.rows = &rows, .sort = ROW_SORT_ACTIVE, .to = 1000, .filter = "", .with_rest = true
	};
	assert_ok(row_orders_kind.make(NULL, &orders, NULL));
	times_added_up = 0;
	for (int i = 0; i < ASKING; i++) {
		asking[i] = (struct asking){ .orders = orders, .request = &request };
		assert_int_equal(pthread_create(&threads[i], NULL, ask, &asking[i]), 0);
	}
	for (int i = 0; i < ASKING; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(times_added_up, 1);
	for (int i = 0; i < ASKING; i++) {
		const struct row_order *order = asking[i].order;
		assert_ptr_equal(order, asking[0].order);
		assert_int_equal(order->count, tree.count);
		for (uint32_t at = 1; at < order->count; at++)
			assert_true(tree.rows[row_order_at(order, at - 1)].number >=
				    tree.rows[row_order_at(order, at)].number);
		row_order_release(asking[i].order);
	}
	row_orders_kind.free(orders);
}
