// SPDX-License-Identifier: MIT
/*
 * test_state_model.c - random operations on a state system and on a model of it.
 *
 * The model is a list of paths with their ongoing values, written without regard to speed.  Every status, every
 * ongoing state and every interval must agree.  HISTREE_SEED=NUMBER repeats a run with other random numbers.
 */
#include <math.h>

#include "base/hash_index.h"
#include "interval_recorder.h"
#include "support/effort.h"
#include "support/test.h"

/* ---- the model ------------------------------------------------------------------------------------------ */

enum { MODEL_PATH_SIZE = 48, MODEL_ATTRIBUTES_MAX = 256 };

struct model_attribute {
	char path[MODEL_PATH_SIZE];
	enum histree_type fixed;
	struct copied_value now;
	histree_time since;
};

struct model {
	struct model_attribute attributes[MODEL_ATTRIBUTES_MAX];
	uint32_t count;
	struct record *records;
	size_t record_count, record_capacity;
	histree_time current_end;
};

static struct model_attribute *model_find(struct model *model, const char *path)
{
	for (uint32_t i = 0; i < model->count; i++)
		if (strcmp(model->attributes[i].path, path) == 0)
			return &model->attributes[i];
	return NULL;
}

/* Parents first. */
static struct model_attribute *model_attribute(struct model *model, const char *path)
{
	struct model_attribute *found = model_find(model, path);
	if (found != NULL)
		return found;
	char parent[MODEL_PATH_SIZE];
	snprintf(parent, sizeof(parent), "%s", path);
	char *slash = strrchr(parent, '/');
	if (slash != NULL) {
		*slash = '\0';
		model_attribute(model, parent);
	}
	assert_true(model->count < MODEL_ATTRIBUTES_MAX);
	struct model_attribute *created = &model->attributes[model->count++];
	*created = (struct model_attribute){ .since = START };
	snprintf(created->path, sizeof(created->path), "%s", path);
	return created;
}

static void model_record(struct model *model, const struct model_attribute *attribute, histree_time end)
{
	assert_true(array_reserve(&model->records, &model->record_capacity, model->record_count + 1));
	model->records[model->record_count++] = (struct record){
		.quark = (histree_quark)(attribute - model->attributes),
		.start = attribute->since,
		.end = end,
		.value = attribute->now,
	};
}

static bool too_large(const struct copied_value *value)
{
	bool text = value->value.type == HISTREE_STRING || value->value.type == HISTREE_CUSTOM;
	return text && value->value.size > VALUE_SIZE_MAX;
}

static enum histree_status model_check_type(const struct model_attribute *attribute,
					    const struct copied_value *value)
{
	bool free_type = attribute->fixed == HISTREE_NULL || value->value.type == HISTREE_NULL ||
			 value->value.type == HISTREE_UNKNOWN;
	return free_type || attribute->fixed == value->value.type ? HISTREE_OK : HISTREE_ERR_TYPE;
}

static enum histree_status model_check(const struct model_attribute *attribute, histree_time t,
				       const struct copied_value *value)
{
	if (t < START)
		return HISTREE_ERR_TIME_RANGE;
	if (too_large(value))
		return HISTREE_ERR_TOO_LARGE;
	if (equal_values(&attribute->now, value))
		return HISTREE_OK;
	if (model_check_type(attribute, value) != HISTREE_OK)
		return HISTREE_ERR_TYPE;
	return t < attribute->since ? HISTREE_ERR_TIME_BACKWARDS : HISTREE_OK;
}

static void model_set(struct model_attribute *attribute, const struct copied_value *value)
{
	attribute->now = *value;
	if (attribute->fixed == HISTREE_NULL && value->value.type != HISTREE_UNKNOWN)
		attribute->fixed = value->value.type;
}

static void model_apply(struct model *model, struct model_attribute *attribute, histree_time t,
			const struct copied_value *value)
{
	if (equal_values(&attribute->now, value))
		return;
	if (t > attribute->since)
		model_record(model, attribute, t - 1);
	attribute->since = t;
	model_set(attribute, value);
	if (t > model->current_end)
		model->current_end = t;
}

static enum histree_status model_modify(struct model *model, struct model_attribute *attribute, histree_time t,
					const struct copied_value *value)
{
	enum histree_status status = model_check(attribute, t, value);
	if (status == HISTREE_OK)
		model_apply(model, attribute, t, value);
	return status;
}

static enum histree_status model_update(struct model_attribute *attribute, const struct copied_value *value)
{
	if (too_large(value))
		return HISTREE_ERR_TOO_LARGE;
	if (model_check_type(attribute, value) != HISTREE_OK)
		return HISTREE_ERR_TYPE;
	model_set(attribute, value);
	return HISTREE_OK;
}

static struct copied_value number(int32_t value)
{
	struct histree_value plain = histree_int(value);
	return copy_value(&plain);
}

static enum histree_status model_depth(const struct model_attribute *attribute, int32_t *depth)
{
	*depth = 0;
	if (attribute->now.value.type == HISTREE_NULL)
		return HISTREE_OK;
	if (attribute->now.value.type != HISTREE_INT)
		return HISTREE_ERR_TYPE;
	*depth = attribute->now.value.int32;
	return *depth < 0 ? HISTREE_ERR_ARGUMENT : HISTREE_OK;
}

static struct model_attribute *model_place(struct model *model, const struct model_attribute *stack, int32_t place,
					   bool create_it)
{
	char path[MODEL_PATH_SIZE + 16];
	snprintf(path, sizeof(path), "%s/%" PRId32, stack->path, place);
	return create_it ? model_attribute(model, path) : model_find(model, path);
}

static enum histree_status model_push(struct model *model, struct model_attribute *stack, histree_time t,
				      const struct copied_value *value)
{
	int32_t depth;
	enum histree_status status = model_depth(stack, &depth);
	if (status != HISTREE_OK)
		return status;
	if (depth == INT32_MAX)
		return HISTREE_ERR_TOO_LARGE;
	const struct copied_value deeper = number(depth + 1);
	const struct model_attribute untouched = { .since = START };
	const struct model_attribute *old = model_place(model, stack, depth + 1, false);
	status = model_check(stack, t, &deeper);
	if (status == HISTREE_OK)
		status = model_check(old == NULL ? &untouched : old, t, value);
	if (status != HISTREE_OK)
		return status;
	struct model_attribute *top = model_place(model, stack, depth + 1, true);
	model_apply(model, stack, t, &deeper);
	model_apply(model, top, t, value);
	return HISTREE_OK;
}

static bool is_within(const struct model_attribute *attribute, const char *path)
{
	size_t length = strlen(path);
	return strncmp(attribute->path, path, length) == 0 &&
	       (attribute->path[length] == '\0' || attribute->path[length] == '/');
}

static enum histree_status model_check_removal(struct model *model, const char *path, histree_time t)
{
	const struct copied_value null = { .value = { .type = HISTREE_NULL } };
	if (t < START)
		return HISTREE_ERR_TIME_RANGE;
	for (uint32_t i = 0; i < model->count; i++)
		if (is_within(&model->attributes[i], path) &&
		    model_check(&model->attributes[i], t, &null) != HISTREE_OK)
			return HISTREE_ERR_TIME_BACKWARDS;
	return HISTREE_OK;
}

static enum histree_status model_remove(struct model *model, const char *path, histree_time t)
{
	const struct copied_value null = { .value = { .type = HISTREE_NULL } };
	enum histree_status status = model_check_removal(model, path, t);
	for (uint32_t i = 0; i < model->count && status == HISTREE_OK; i++)
		if (is_within(&model->attributes[i], path))
			model_apply(model, &model->attributes[i], t, &null);
	return status;
}

/* Take the value at place `taken` out, 1 or the depth, and close the gap: pop and poll in one. */
static enum histree_status model_take(struct model *model, struct model_attribute *stack, histree_time t,
				      bool from_bottom, struct copied_value *taken)
{
	*taken = (struct copied_value){ .value = { .type = HISTREE_NULL } };
	int32_t depth;
	enum histree_status status = model_depth(stack, &depth);
	if (status == HISTREE_OK && depth == 0)
		status = HISTREE_NOT_FOUND;
	if (status != HISTREE_OK)
		return status;
	int32_t place = from_bottom ? 1 : depth;
	if (model_place(model, stack, place, false) == NULL || model_place(model, stack, depth, false) == NULL)
		return HISTREE_ERR_ARGUMENT;
	const struct copied_value shallower = number(depth - 1);
	status = model_check(stack, t, &shallower);
	for (int32_t i = place; i < depth && status == HISTREE_OK; i++) {
		const struct model_attribute *behind = model_place(model, stack, i + 1, false);
		status = behind == NULL ? HISTREE_ERR_ARGUMENT
					: model_check(model_place(model, stack, i, false), t, &behind->now);
	}
	if (status == HISTREE_OK)
		status = model_check_removal(model, model_place(model, stack, depth, false)->path, t);
	if (status != HISTREE_OK)
		return status;
	*taken = model_place(model, stack, place, false)->now;
	model_apply(model, stack, t, &shallower);
	for (int32_t i = place; i < depth; i++)
		model_apply(model, model_place(model, stack, i, false), t,
			    &model_place(model, stack, i + 1, false)->now);
	return model_remove(model, model_place(model, stack, depth, false)->path, t);
}

__extension__ typedef __int128 wide_int; /* in which no sum overflows */

static enum histree_status model_increment(struct model *model, struct model_attribute *attribute, histree_time t,
					   const struct copied_value *increment)
{
	struct copied_value sum = attribute->now;
	if (too_large(increment))
		return HISTREE_ERR_TOO_LARGE;
	enum histree_type type = increment->value.type;
	if (type != HISTREE_INT && type != HISTREE_LONG && type != HISTREE_DOUBLE)
		return HISTREE_ERR_TYPE;
	if (model_check_type(attribute, increment) != HISTREE_OK)
		return HISTREE_ERR_TYPE;
	if (sum.value.type == HISTREE_UNKNOWN)
		return model_modify(model, attribute, t, &sum);
	if (sum.value.type == HISTREE_NULL)
		sum.value = (struct histree_value){ .type = type };
	if (type == HISTREE_DOUBLE) {
		sum.value.real += increment->value.real;
	} else {
		bool small = type == HISTREE_INT;
		wide_int wide = (small ? sum.value.int32 : (wide_int)sum.value.int64) +
				(small ? increment->value.int32 : increment->value.int64);
		if (wide < (small ? INT32_MIN : INT64_MIN) || wide > (small ? INT32_MAX : INT64_MAX))
			return HISTREE_ERR_ARGUMENT;
		if (small)
			sum.value.int32 = (int32_t)wide;
		else
			sum.value.int64 = (int64_t)wide;
	}
	return model_modify(model, attribute, t, &sum);
}

/* ---- random operations ------------------------------------------------------------------------------------ */

/* Mostly of the kind that the attribute is for; few different ones, so that states repeat. */
static struct copied_value random_value(struct random *random, uint32_t kind)
{
	static const double reals[] = { 0.0, -0.0, 1.5, NAN };
	char text[48];
	struct histree_value value = histree_null();
	if (random_index(random, 8) == 0)
		kind = random_index(random, HISTREE_TYPE_COUNT);
	switch ((enum histree_type)(kind % HISTREE_TYPE_COUNT)) {
	case HISTREE_NULL:
		break;
	case HISTREE_UNKNOWN:
		value = histree_unknown();
		break;
	case HISTREE_INT:
		value = histree_int(random_index(random, 20) == 0 ? INT32_MAX : (int32_t)random_index(random, 4));
		break;
	case HISTREE_LONG:
		value = histree_long(random_index(random, 20) == 0 ? INT64_MIN
								   : (int64_t)random_index(random, 4) - 2);
		break;
	case HISTREE_DOUBLE:
		value = histree_double(reals[random_index(random, 4)]);
		break;
	case HISTREE_BOOL:
		value = histree_bool(random_index(random, 2) == 0);
		break;
	case HISTREE_STRING:
	case HISTREE_CUSTOM: {
		uint32_t size = random_index(random, random_index(random, 10) == 0 ? sizeof(text) : 3);
		memset(text, 'a' + (int)random_index(random, 2), sizeof(text));
		value = kind == HISTREE_STRING ? histree_string_n(text, size) : histree_custom(text, size);
		break;
	}
	}
	return copy_value(&value);
}

struct run {
	struct histree_state_system *system;
	struct recorder recorder;
	struct model model;
	struct random random;
	histree_time now;
};

static const char *const run_paths[] = {
	"a", "a/b", "a/b/c", "a/d", "n", "n/n", "q", "s", "s/1/x", "s/2", "z/z/z"
};

static struct model_attribute *pick(struct run *run, histree_quark *quark)
{
	const char *path = run_paths[random_index(&run->random, sizeof(run_paths) / sizeof(run_paths[0]))];
	struct model_attribute *attribute = model_attribute(&run->model, path);
	assert_ok(histree_state_attribute(run->system, HISTREE_ROOT, path, quark, NULL));
	assert_int_equal(*quark, attribute - run->model.attributes);
	return attribute;
}

static void assert_taken(const struct histree_value *got, const struct copied_value *expected)
{
	struct histree_value value = copied(expected);
	assert_true(histree_value_equal(got, &value));
}

/* One operation on both; returns whether it was done. */
static bool run_step(struct run *run)
{
	histree_quark quark;
	struct model *model = &run->model;
	struct model_attribute *attribute = pick(run, &quark);
	run->now += random_index(&run->random, 3);
	histree_time t = run->now;
	if (random_index(&run->random, 15) == 0)
		t -= random_index(&run->random, 30);
	if (random_index(&run->random, 200) == 0)
		t = START - 1;
	bool stack = strcmp(attribute->path, "s") == 0 || strcmp(attribute->path, "q") == 0;
	struct copied_value value = random_value(&run->random, stack ? (uint32_t)HISTREE_STRING : quark);
	struct copied_value taken;
	struct histree_value plain = copied(&value);
	struct histree_value got;
	struct histree_state_system *system = run->system;
	enum histree_status expected, status;
	switch (random_index(&run->random, stack ? 16 : 10)) {
	case 0:
		expected = model_update(attribute, &value);
		status = histree_state_update(system, quark, plain, NULL);
		break;
	case 1:
		expected = model_remove(model, attribute->path, t);
		status = histree_state_remove(system, t, quark, NULL);
		break;
	case 2:
	case 3:
		expected = model_increment(model, attribute, t, &value);
		status = histree_state_increment(system, t, quark, plain, NULL);
		break;
	case 10:
	case 11:
	case 12:
		expected = model_push(model, attribute, t, &value);
		status = random_index(&run->random, 2) == 0
				 ? histree_state_push(system, t, quark, plain, NULL)
				 : histree_state_queue_offer(system, t, quark, plain, NULL);
		break;
	case 13:
		expected = model_take(model, attribute, t, false, &taken);
		status = histree_state_pop(system, t, quark, &got, NULL);
		assert_taken(&got, &taken);
		break;
	case 14:
	case 15:
		expected = model_take(model, attribute, t, true, &taken);
		status = histree_state_queue_poll(system, t, quark, &got, NULL);
		assert_taken(&got, &taken);
		break;
	default:
		if (stack && random_index(&run->random, 8) > 0)
			return false; /* a stack that is written over is a rare thing */
		expected = model_modify(model, attribute, t, &value);
		status = histree_state_modify(system, t, quark, plain, NULL);
		break;
	}
	if (status != expected)
		fail_msg("'%s' at %" PRId64 ": %s, expected %s", attribute->path, t, histree_status_text(status),
			 histree_status_text(expected));
	return status == HISTREE_OK;
}

static void assert_same_now(struct run *run)
{
	const struct histree_attributes *attributes = histree_state_attributes(run->system);
	assert_int_equal(histree_attributes_count(attributes), run->model.count);
	for (histree_quark quark = 0; quark < run->model.count; quark++) {
		const struct model_attribute *attribute = &run->model.attributes[quark];
		char path[MODEL_PATH_SIZE];
		histree_attributes_path(attributes, quark, path, sizeof(path));
		assert_string_equal(path, attribute->path);
		assert_ongoing(run->system, quark, copied(&attribute->now), attribute->since);
	}
	assert_int_equal(histree_state_current_end(run->system), run->model.current_end);
}

static int compare_records(const void *a, const void *b)
{
	const struct record *first = a;
	const struct record *second = b;
	if (first->quark != second->quark)
		return first->quark < second->quark ? -1 : 1;
	return (first->start > second->start) - (first->start < second->start);
}

static void assert_same_records(struct run *run, histree_time end)
{
	struct recorder *recorder = &run->recorder;
	assert_int_equal(recorder->count, run->model.record_count);
	qsort(recorder->records, recorder->count, sizeof(struct record), compare_records);
	qsort(run->model.records, run->model.record_count, sizeof(struct record), compare_records);
	for (size_t i = 0; i < recorder->count; i++) {
		const struct record *got = &recorder->records[i];
		const struct record *expected = &run->model.records[i];
		assert_int_equal(got->quark, expected->quark);
		assert_int_equal(got->start, expected->start);
		assert_int_equal(got->end, expected->end);
		assert_true(equal_values(&got->value, &expected->value));
		/* Without gap or overlap from the start of the history to its end. */
		bool first = i == 0 || got[-1].quark != got->quark;
		bool last = i + 1 == recorder->count || got[1].quark != got->quark;
		assert_int_equal(got->start, first ? START : got[-1].end + 1);
		assert_true(got->end >= got->start);
		assert_true(!last || got->end == end);
	}
}

TEST(random_operations_agree_with_the_model)
{
	enum { RUNS = 200, STEPS = 400 };
	uint64_t seed = test_seed();
	unsigned done = 0;
	struct run *run = malloc(sizeof(*run));
	assert_non_null(run);
	for (unsigned i = 0; i < RUNS; i++) {
		*run = (struct run){ .random = { seed + i * UINT64_C(1000003) }, .now = START };
		run->model.current_end = START;
		run->system = create(&run->recorder);
		for (unsigned step = 0; step < STEPS; step++) {
			done += run_step(run);
			assert_same_now(run);
		}
		histree_time end = run->model.current_end + random_index(&run->random, 3);
		assert_ok(histree_state_close(run->system, end, NULL));
		for (uint32_t quark = 0; quark < run->model.count; quark++)
			model_record(&run->model, &run->model.attributes[quark], end);
		assert_same_records(run, end);
		free(run->model.records);
		release(run->system, &run->recorder);
	}
	free(run);
	/* The operations must not be such that most are refused. */
	print_message("%u of %u operations done\n", done, RUNS * STEPS);
	assert_true(done > RUNS * STEPS / 3);
}
