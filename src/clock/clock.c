// SPDX-License-Identifier: MIT
/*
 * clock.c - clocks of hosts: transforms of times, and how the clocks of many hosts are found from the packets
 * between them.
 *
 * A clock as a user writes it, "OFFSET[,SLOPE]".
 *
 * Both are read with 64 bits of precision: a rate has 62 bits after the point, so that no digit of a slope is lost.
 *
 * The clocks of many hosts are found by matching the two halves of packets, convex hulls of the points that the
 * packets give, lines between two hulls, and a tree of hosts along which these are combined
 * (docs/design/13-hosts.md).
 */
#include "clock/clock.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/exact_sum.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "event/event.h"
#include "histree/store.h"
#include "histree/value.h"

/* ---- clock transform ----------------------------------------------------------------------------------------- */

enum { RATE_BITS = 62, FRACTION_BITS = 32 };

/* Rounded down, as division by a power of two is here: gcc and clang shift signs in. */
static wide_int shift_down(wide_int number, int bits)
{
	return number >> bits;
}

/* A time as far as 2^64 from `from`, in 2^-32 ns: |d| < 2^64, so that d * rate < 2^127. */
static wide_int apply(const struct histree_clock *clock, histree_time time)
{
	wide_int passed = (wide_int)time - clock->from;
	return (((wide_int)clock->to + passed) * ((wide_int)1 << FRACTION_BITS)) + clock->fraction +
	       shift_down(passed * clock->rate, RATE_BITS - FRACTION_BITS);
}

histree_time histree_clock_apply(const struct histree_clock *clock, histree_time time)
{
	wide_int corrected = shift_down(apply(clock, time), FRACTION_BITS);
	if (corrected > INT64_MAX)
		return INT64_MAX;
	return corrected < INT64_MIN ? INT64_MIN : (histree_time)corrected;
}

double histree_clock_slope(const struct histree_clock *clock)
{
	return (double)(1 + (long double)clock->rate * 0x1p-62L);
}

double histree_clock_offset(const struct histree_clock *clock)
{
	long double rate = (long double)clock->rate * 0x1p-62L;
	return (double)((long double)(clock->to - clock->from) + (long double)clock->fraction * 0x1p-32L -
			rate * (long double)clock->from);
}

/* Returns the composition of two transforms: their errors add up, and the quality is the worse of the two. */
static struct histree_clock clock_compose(const struct histree_clock *first, const struct histree_clock *then)
{
	struct histree_clock clock = *first;
	wide_int to = apply(then, first->to) +
		      shift_down((wide_int)first->fraction * (((wide_int)1 << RATE_BITS) + then->rate), RATE_BITS);
	clock.to = (histree_time)shift_down(to, FRACTION_BITS);
	clock.fraction = (uint32_t)to;
	/* (1 + a) (1 + b) - 1 */
	clock.rate = (int64_t)((wide_int)first->rate + then->rate +
			       shift_down((wide_int)first->rate * then->rate, RATE_BITS));
	clock.quality = first->quality < then->quality ? first->quality : then->quality;
	clock.error = first->error + then->error;
	return clock;
}

struct histree_clock clock_invert(const struct histree_clock *clock)
{
	struct histree_clock inverse = *clock;
	long double rate = (long double)clock->rate * 0x1p-62L, back = -rate / (1 + rate);
	/* The moment clock->to, without its fraction. */
	long double part = -(long double)clock->fraction * 0x1p-32L * (1 + back);
	inverse.from = clock->to;
	inverse.to = clock->from + (int64_t)floorl(part);
	inverse.fraction = (uint32_t)((part - floorl(part)) * 0x1p32L);
	inverse.rate = (int64_t)(back * 0x1p62L);
	return inverse;
}

const char *histree_clock_quality_name(enum histree_clock_quality quality)
{
	static const char *const names[] = {
		[HISTREE_CLOCK_ABSENT] = "absent",     [HISTREE_CLOCK_APPROXIMATE] = "approximate",
		[HISTREE_CLOCK_ACCURATE] = "accurate", [HISTREE_CLOCK_REFERENCE] = "reference",
		[HISTREE_CLOCK_GIVEN] = "given",
	};
	return names[quality];
}

/* ---- clock text ---------------------------------------------------------------------------------------------- */

/*
 * Returns whether the text begins with a decimal number, and where it ends.  Words such as "nan" are not numbers.
 */
static bool read_number(const char *text, long double *out, const char **end)
{
	const char *digits = text + (*text == '-' || *text == '+');
	if (!isdigit((unsigned char)*digits) && *digits != '.')
		return false;
	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		return false;
	char *stopped;
	*out = strtold(text, &stopped);
	*end = stopped;
	return stopped != text && isfinite(*out);
}

enum histree_status histree_clock_read(const char *text, struct histree_clock *out, struct histree_error *error)
{
	long double offset, slope = 1;
	const char *rest;
	*out = (struct histree_clock){ .quality = HISTREE_CLOCK_GIVEN, .error = HISTREE_CLOCK_UNBOUNDED };
	bool is_read = read_number(text, &offset, &rest);
	if (is_read && *rest == ',')
		is_read = read_number(rest + 1, &slope, &rest);
	if (!is_read || *rest != '\0')
		return error_set(
			error, HISTREE_ERR_ARGUMENT,
			"'%.64s' is no clock: give OFFSET or OFFSET,SLOPE, numbers of which the offset is in "
			"nanoseconds, as in 1500000,1.00002",
			text);
	if (slope <= 0.5L || slope >= 2.0L)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "'%.64s': a slope must be more than 0.5 and less than 2: no clock goes so wrong",
				 text);
	if (fabsl(offset) >= 0x1p63L)
		return error_set(error, HISTREE_ERR_ARGUMENT, "'%.64s': an offset must be a time of 64 bits", text);
	long double whole = floorl(offset);
	out->to = (histree_time)whole;
	out->fraction = (uint32_t)((offset - whole) * 0x1p32L);
	out->rate = (int64_t)roundl((slope - 1) * 0x1p62L);
	return HISTREE_OK;
}

void clock_text_write(const struct histree_clock *clock, char out[CLOCK_TEXT_SIZE])
{
	long double rate = (long double)clock->rate * 0x1p-62L;
	long double offset = (long double)clock->to - (long double)clock->from - rate * (long double)clock->from;
	snprintf(out, CLOCK_TEXT_SIZE, "%.10Lf,%.19Lf", offset + (long double)clock->fraction * 0x1p-32L, 1 + rate);
}

/* ---- clock pair ---------------------------------------------------------------------------------------------- */

#define CLOCK_TIME_MAX (INT64_C(1) << 61)
/* ---- clock hull ---------------------------------------------------------------------------------------------- */

wide_int clock_above(struct clock_point point, struct clock_point through, struct clock_slope slope)
{
	return (wide_int)(point.y - through.y) * slope.dx - (wide_int)(point.x - through.x) * slope.dy;
}

static struct clock_slope slope_between(struct clock_point a, struct clock_point b)
{
	return (struct clock_slope){ .dy = b.y - a.y, .dx = b.x - a.x };
}

/* Whether `middle` is no corner between its neighbours. */
static bool is_inside(const struct clock_hull *hull, struct clock_point before, struct clock_point middle,
		      struct clock_point after)
{
	return clock_above(middle, before, slope_between(before, after)) * hull->side <= 0;
}

/* The index of the first point at or after x. */
static size_t find(const struct clock_hull *hull, histree_time x)
{
	const size_t count = hull->count;
	if (count > 0 && hull->points[count - 1].x < x)
		return count;
	return SEARCH(i, 0, count, hull->points[i].x < x);
}

static void remove_points(struct clock_hull *hull, size_t first, size_t end)
{
	memmove(hull->points + first, hull->points + end, (hull->count - end) * sizeof(*hull->points));
	hull->count -= end - first;
}

/* Insert a point; one inside of the hull changes nothing.  Returns false if memory runs out. */
static bool clock_hull_insert(struct clock_hull *hull, struct clock_point point)
{
	size_t at = find(hull, point.x);
	const struct clock_point *points = hull->points;
	bool is_twice = at < hull->count && points[at].x == point.x;
	if (is_twice && (point.y - points[at].y) * hull->side <= 0)
		return true;
	size_t after = at + is_twice;
	if (at > 0 && after < hull->count && is_inside(hull, points[at - 1], point, points[after]))
		return true;
	if (!array_reserve(&hull->points, &hull->capacity, hull->count + 1))
		return false;
	/* Neighbours that are no corners any more go. */
	size_t first = at, end = after;
	while (first >= 2 && is_inside(hull, hull->points[first - 2], hull->points[first - 1], point))
		first--;
	while (end + 2 <= hull->count && is_inside(hull, point, hull->points[end], hull->points[end + 1]))
		end++;
	if (first == end) {
		memmove(hull->points + first + 1, hull->points + first,
			(hull->count - first) * sizeof(*hull->points));
		hull->count++;
	} else {
		remove_points(hull, first + 1, end);
	}
	hull->points[first] = point;
	return true;
}

/* From one corner to the next, slopes fall on an upper hull and rise on a lower one. */
static struct clock_point clock_hull_touch(const struct clock_hull *hull, struct clock_slope slope)
{
	const struct clock_point *points = hull->points;
	assert(hull->count > 0);
	return points[SEARCH(i, 0, hull->count - 1, clock_above(points[i + 1], points[i], slope) * hull->side > 0)];
}

static void clock_hull_release(struct clock_hull *hull)
{
	free(hull->points);
	hull->points = NULL;
	hull->count = hull->capacity = 0;
}

/* ---- clock pair ---------------------------------------------------------------------------------------------- */

void clock_pair_begin(struct clock_pair *pair)
{
	*pair = (struct clock_pair){ .below = { .side = 1 }, .above = { .side = -1 } };
}

void clock_pair_release(struct clock_pair *pair)
{
	clock_hull_release(&pair->below);
	clock_hull_release(&pair->above);
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

static struct clock_slope slope_of(const struct clock_line *line)
{
	int64_t dy = line->above.y - line->below.y, dx = line->above.x - line->below.x;
	return dx > 0 ? (struct clock_slope){ dy, dx } : (struct clock_slope){ -dy, -dx };
}

/*
 * How far the line of a slope that touches the points below is under the one that touches those above, times dx, is
 * concave in the slope: it is negative beyond the steepest line.  Newton's iteration from there comes to that line
 * without passing it: each step takes the line through the two points that this slope touches.  Returns false if it
 * passes the slope at which the gap is widest, where no line can be.
 */
static bool turn(const struct clock_pair *pair, struct clock_line *line, int direction)
{
	for (;;) {
		const struct clock_slope slope = slope_of(line);
		const struct clock_line touching = { true, clock_hull_touch(&pair->below, slope),
						     clock_hull_touch(&pair->above, slope) };
		if (clock_above(touching.above, touching.below, slope) >= 0)
			return true;
		int64_t dx = touching.above.x - touching.below.x;
		if (direction > 0 ? dx <= 0 : dx >= 0)
			return false;
		*line = touching;
	}
}

/* The steepest line goes from a point below to a later one above; without a later one there is no steepest line. */
static bool find_line(const struct clock_pair *pair, struct clock_line *line, int direction)
{
	const struct clock_hull *below = &pair->below, *above = &pair->above;
	if (below->count == 0 || above->count == 0)
		return true;
	if (!line->is_there) {
		line->below = direction > 0 ? below->points[0] : below->points[below->count - 1];
		line->above = direction > 0 ? above->points[above->count - 1] : above->points[0];
		line->is_there = direction > 0 ? line->below.x < line->above.x : line->below.x > line->above.x;
	}
	return !line->is_there || turn(pair, line, direction);
}

/* Returns whether a packet is on the wrong side of a line, or there is no line. */
static bool is_denied(const struct clock_line *line, struct clock_point packet, bool is_below)
{
	if (!line->is_there)
		return true;
	wide_int over = clock_above(packet, line->below, slope_of(line));
	return is_below ? over > 0 : over < 0;
}

static bool is_in_range(histree_time time)
{
	return time > -CLOCK_TIME_MAX && time < CLOCK_TIME_MAX;
}

bool clock_pair_add(struct clock_pair *pair, struct clock_point packet, bool is_from_y)
{
	bool is_first = pair->matches++ == 0;
	if (!is_in_range(packet.x) || !is_in_range(packet.y))
		return true;
	if (is_first || packet.x < pair->first)
		pair->first = packet.x;
	if (is_first || packet.x > pair->last)
		pair->last = packet.x;
	if (pair->is_contradicted)
		return true;
	/* What comes last can only make the flattest line steeper if it is below, and the steepest one flatter. */
	if (is_denied(is_from_y ? &pair->flattest : &pair->steepest, packet, is_from_y))
		pair->accurate++;
	if (!clock_hull_insert(is_from_y ? &pair->below : &pair->above, packet))
		return false;
	if (!find_line(pair, &pair->steepest, 1) || !find_line(pair, &pair->flattest, -1)) {
		pair->is_contradicted = true;
		pair->contradiction = packet;
	}
	return true;
}

/* ---- the answer ------------------------------------------------------------------------------------------- */

/* A line y = y0 + fraction + (1 + rate) (x - x0). */
struct straight {
	histree_time y0;
	long double fraction, rate;
};

static struct straight through(struct clock_point point, long double rate, histree_time x0)
{
	int64_t dx = x0 - point.x;
	return (struct straight){ .y0 = point.y + dx, .fraction = rate * (long double)dx, .rate = rate };
}

static struct straight straight_of(const struct clock_line *line, histree_time x0)
{
	const struct clock_slope slope = slope_of(line);
	return through(line->below, (long double)(slope.dy - slope.dx) / (long double)slope.dx, x0);
}

/* How far the second line is above the first one at x0, to which both are related. */
static long double between(const struct straight *low, const struct straight *high)
{
	return (long double)(high->y0 - low->y0) + (high->fraction - low->fraction);
}

static struct straight middle(const struct straight *one, const struct straight *other)
{
	return (struct straight){ .y0 = one->y0,
				  .fraction = one->fraction + between(one, other) / 2,
				  .rate = (one->rate + other->rate) / 2 };
}

static enum histree_clock_quality fit(const struct clock_pair *pair, histree_time x0, struct straight *out,
				      double *error)
{
	static const struct clock_slope one = { 1, 1 };
	const struct clock_line *flattest = &pair->flattest, *steepest = &pair->steepest;
	if (pair->is_contradicted || (pair->below.count == 0 && pair->above.count == 0))
		return HISTREE_CLOCK_ABSENT;
	if (flattest->is_there && steepest->is_there) {
		const struct straight flat = straight_of(flattest, x0), steep = straight_of(steepest, x0);
		*out = middle(&flat, &steep);
		long double there = between(&flat, &steep), turn = steep.rate - flat.rate;
		long double first = fabsl(there + turn * (long double)(pair->first - x0));
		long double last = fabsl(there + turn * (long double)(pair->last - x0));
		*error = (double)(first > last ? first : last) / 2;
		return HISTREE_CLOCK_ACCURATE;
	}
	/* With a rate of 1, or that of the only line, the line is as high and as low as packets allow. */
	const struct clock_hull *below = &pair->below, *above = &pair->above;
	struct straight low, high;
	if (below->count > 0)
		low = through(clock_hull_touch(below, one), 0, x0);
	if (above->count > 0)
		high = through(clock_hull_touch(above, one), 0, x0);
	if (below->count == 0 || above->count == 0) {
		*out = below->count > 0 ? low : high;
		*error = HISTREE_CLOCK_UNBOUNDED;
		return HISTREE_CLOCK_APPROXIMATE;
	}
	*out = middle(&low, &high);
	*error = (double)between(&low, &high) / 2;
	if (*error >= 0)
		return HISTREE_CLOCK_APPROXIMATE;
	/* No line of that rate can be: then one of the two is there, and it can. */
	*out = straight_of(flattest->is_there ? flattest : steepest, x0);
	*error = HISTREE_CLOCK_UNBOUNDED;
	return HISTREE_CLOCK_APPROXIMATE;
}

struct histree_clock clock_pair_fit(const struct clock_pair *pair)
{
	struct histree_clock clock = { .error = HISTREE_CLOCK_UNBOUNDED,
				       .matches = pair->matches,
				       .accurate = pair->accurate };
	struct straight line;
	/* Errors of rounding are least in the middle. */
	histree_time x0 = pair->first + (pair->last - pair->first) / 2;
	clock.quality = fit(pair, x0, &line, &clock.error);
	if (clock.quality == HISTREE_CLOCK_ABSENT)
		return clock;
	long double whole = floorl(line.fraction), back = 1 / (1 + line.rate) - 1;
	long double part = -(line.fraction - whole) * (1 + back);
	/* Clocks of machines differ by millionths; a rate beyond these bounds is rejected. */
	if (!(back > -0.5L && back < 1.0L) || !(fabsl(whole) < (long double)CLOCK_TIME_MAX)) {
		clock.quality = HISTREE_CLOCK_ABSENT;
		clock.error = HISTREE_CLOCK_UNBOUNDED;
		return clock;
	}
	clock.error *= (double)(1 + back); /* of a y it was, of an x it is to be */
	clock.from = line.y0 + (int64_t)whole;
	clock.to = x0 + (int64_t)floorl(part);
	clock.fraction = (uint32_t)((part - floorl(part)) * 0x1p32L);
	clock.rate = (int64_t)(back * 0x1p62L);
	return clock;
}

/* ---- clock tree ---------------------------------------------------------------------------------------------- */

static bool is_better(const struct histree_clock *a, const struct histree_clock *b)
{
	return a->quality != b->quality ? a->quality > b->quality : a->error < b->error;
}

/* Returns the best link from a host that has a clock to one without, or NULL. */
static const struct clock_link *find_next(const struct clock_link *links, size_t link_count,
					  const struct histree_clock *clocks, struct histree_clock *best)
{
	const struct clock_link *found = NULL;
	for (size_t i = 0; i < link_count; i++) {
		const struct clock_link *link = &links[i];
		bool x_is_known = clocks[link->x].quality != HISTREE_CLOCK_ABSENT;
		bool y_is_known = clocks[link->y].quality != HISTREE_CLOCK_ABSENT;
		if (x_is_known == y_is_known)
			continue;
		struct histree_clock clock = clock_pair_fit(&link->pair);
		if (clock.quality == HISTREE_CLOCK_ABSENT || (found != NULL && !is_better(&clock, best)))
			continue;
		found = link;
		*best = clock;
	}
	return found;
}

void clock_tree_find(const struct clock_link *links, size_t link_count, uint32_t reference, size_t host_count,
		     struct histree_clock *clocks, size_t *neighbours)
{
	const struct clock_link *link;
	struct histree_clock clock;
	for (size_t host = 0; host < host_count; host++) {
		clocks[host] = (struct histree_clock){ .error = HISTREE_CLOCK_UNBOUNDED };
		neighbours[host] = host;
	}
	clocks[reference] = (struct histree_clock){ .quality = HISTREE_CLOCK_REFERENCE };
	while ((link = find_next(links, link_count, clocks, &clock)) != NULL) {
		bool is_of_y = clocks[link->y].quality == HISTREE_CLOCK_ABSENT;
		uint32_t host = is_of_y ? link->y : link->x, neighbour = is_of_y ? link->x : link->y;
		if (!is_of_y)
			clock = clock_invert(&clock);
		clocks[host] = clock_compose(&clock, &clocks[neighbour]);
		neighbours[host] = neighbour;
	}
}

/* ---- packet table -------------------------------------------------------------------------------------------- */

#define NONE UINT32_MAX
enum { BUCKETS = PACKET_TABLE_ROOM };

struct waiting {
	struct packet_half half;
	bool is_used;
	uint32_t next; /* in the bucket */
};

struct packet_table {
	uint32_t buckets[BUCKETS];
	struct waiting ring[PACKET_TABLE_ROOM];
	uint32_t oldest; /* its place is the next one to be filled */
};

struct packet_table *packet_table_create(void)
{
	/* Pages that are never written cost nothing. */
	struct packet_table *table = calloc(1, sizeof(*table));
	if (table == NULL)
		return NULL;
	for (size_t i = 0; i < BUCKETS; i++)
		table->buckets[i] = NONE;
	return table;
}

void packet_table_free(struct packet_table *table)
{
	free(table);
}

static uint32_t *bucket_of(struct packet_table *table, const struct packet_key *key)
{
	return &table->buckets[hash_bytes(key, sizeof(*key)) % BUCKETS];
}

static bool is_same(const struct packet_key *a, const struct packet_key *b)
{
	return a->seq == b->seq && a->ack_seq == b->ack_seq && a->flags == b->flags;
}

static void take_out(struct packet_table *table, uint32_t place)
{
	struct waiting *waiting = &table->ring[place];
	uint32_t *link = bucket_of(table, &waiting->half.key);
	while (*link != place)
		link = &table->ring[*link].next;
	*link = waiting->next;
	waiting->is_used = false;
}

/* What was received before it was sent is of another host: of one host, clocks are one. */
static bool is_other_half(const struct packet_half *waiting, const struct packet_half *half)
{
	return waiting->is_sent != half->is_sent && is_same(&waiting->key, &half->key) &&
	       (waiting->is_sent || waiting->host != half->host);
}

bool packet_table_take(struct packet_table *table, const struct packet_half *half, struct packet_half *other)
{
	bool waits_already = false;
	for (uint32_t i = *bucket_of(table, &half->key); i != NONE; i = table->ring[i].next) {
		const struct packet_half *waiting = &table->ring[i].half;
		if (is_other_half(waiting, half)) {
			*other = *waiting;
			take_out(table, i);
			return true;
		}
		if (waiting->is_sent == half->is_sent && waiting->host == half->host &&
		    is_same(&waiting->key, &half->key))
			waits_already = true;
	}
	if (!waits_already) {
		/* At the end of its bucket, so that the one that came first is found first. */
		uint32_t place = table->oldest;
		table->oldest = (place + 1) % PACKET_TABLE_ROOM;
		if (table->ring[place].is_used)
			take_out(table, place);
		uint32_t *link = bucket_of(table, &half->key);
		while (*link != NONE)
			link = &table->ring[*link].next;
		*link = place;
		table->ring[place] = (struct waiting){ .half = *half, .is_used = true, .next = NONE };
	}
	return false;
}
