// SPDX-License-Identifier: MIT
/*
 * perf.c - without libtraceevent.
 */
#include "trace/perf/perf_source.h"
#include "trace/trace_cmd/dat_stream.h"
#include "without/without.h"

WITHOUT_FORMAT(
	perf_format,
	"is a recording of perf, and this histree was built without libtraceevent; build it with that (Debian: "
	"libtraceevent-dev), or convert the recording with 'perf data convert -i FILE --to-ctf FOLDER' and name "
	"that folder");

WITHOUT_FORMAT(dat_format,
	       "is a recording of trace-cmd, and this histree was built without libtraceevent; build it with that "
	       "(Debian: libtraceevent-dev)");
