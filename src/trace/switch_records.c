// SPDX-License-Identifier: MIT
/*
 * switch_records.c - the threads that end, and who runs on each CPU.
 */
#include "trace/switch_records.h"

#include <stdlib.h>

#include "base/table.h"

void switch_records_exit(struct switch_records *records, int32_t tid)
{
	records->exits[records->exit_count++ % SWITCH_RECORDS_EXITS] = tid;
}

static bool take_exit(struct switch_records *records, int32_t tid)
{
	for (size_t i = 0; tid > 0 && i < SWITCH_RECORDS_EXITS && i < records->exit_count; i++)
		if (records->exits[i] == tid) {
			records->exits[i] = 0;
			return true;
		}
	return false;
}

bool switch_records_meet(struct switch_records *records, struct switch_record *record)
{
	enum { ASLEEP = 0x01, DEAD = 0x10, COULD_RUN = 0x100 }; /* kernel_event_leave() reads them */
	const bool is_dead = record->is_out && record->tid < 0;
	if (record->cpu >= 0) {
		const size_t cpu = (size_t)record->cpu;
		if (!array_reserve(&records->runs, &records->cpu_capacity, cpu + 1))
			return false;
		while (records->cpu_count <= cpu)
			records->runs[records->cpu_count++] = 0;
		if (is_dead && records->runs[cpu] > 0)
			record->tid = records->runs[cpu];
		records->runs[cpu] = record->is_out ? record->next : record->tid;
	}
	if (is_dead) /* it is not seen any more, also if it is preempted once more */
		record->left_as = DEAD;
	else if (record->could_run)
		record->left_as = COULD_RUN;
	else
		record->left_as = record->is_out && take_exit(records, record->tid) ? DEAD : ASLEEP;
	return true;
}

void switch_records_release(struct switch_records *records)
{
	free(records->runs);
	*records = (struct switch_records){ 0 };
}
