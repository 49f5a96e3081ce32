/* SPDX-License-Identifier: MIT */
/*
 * xml_charts.h - <timeGraphView> and <xyView> as charts of the histories that they show (histree/charts.h).
 */
#ifndef ANALYSIS_XML_XML_CHARTS_H
#define ANALYSIS_XML_XML_CHARTS_H

#include "analysis/xml/xml_reader.h"
#include "histree/charts.h"

struct xml_charts {
	struct histree_chart *charts;
	size_t count, capacity;
	struct arena texts;
};

/* The charts that the views of the file are of an analysis.  What a chart cannot say of an entry, it leaves out. */
void xml_charts_read(struct xml_reader *reader, struct xml_charts *charts, const char *analysis);
void xml_charts_release(struct xml_charts *charts);

#endif
