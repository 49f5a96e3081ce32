/* SPDX-License-Identifier: MIT */
/*
 * xy_reply.h - the answer to `xy`: curves over one list of times.
 *
 * A chart of n points has n - 1 stretches between them.  The value at a point is that of the stretch which ends
 * there, (x[i - 1], x[i]], as the reference server has it; the first point has none.
 */
#ifndef SERVER_TSP_XY_REPLY_H
#define SERVER_TSP_XY_REPLY_H

#include "server/tsp/output.h"

struct xy_samples {
	histree_time start;    /* the first point; the last is `to` */
	histree_time from, to; /* after the first point, in `pixels` parts as rows.h has them */
	uint32_t pixels;       /* 0: the range is outside the history, there are no points */
};

/*
 * Reads what is asked for, as far as it lies between `start` and `end`; returns false if it has answered instead.
 */
bool xy_samples_read(const struct call *call, histree_time start, histree_time end, struct xy_samples *out);

void xy_begin(struct reply *reply, const char *title);

struct xy_curve {
	int64_t id;
	const char *name;
	const char *label, *unit; /* of the y axis */
	const double *values;     /* as many as `pixels`; a NaN: it is not known, which is null */
	double first;             /* at the first point */
};

void xy_put(struct reply *reply, const struct xy_samples *samples, const struct xy_curve *curve);

/* These write what the members of a series are made of: which numbers an axis has, how the series is drawn. */
void xy_put_axis(struct reply *reply, const char *name, const char *label, const char *unit, const char *type);
void xy_put_style(struct reply *reply, const char *series_type);

void xy_end(struct reply *reply);

#endif
