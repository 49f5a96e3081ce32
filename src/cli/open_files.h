/* SPDX-License-Identifier: MIT */
/*
 * open_files.h - how many files this process may have open.
 */
#ifndef CLI_OPEN_FILES_H
#define CLI_OPEN_FILES_H

/*
 * Takes as many as the system lets it have.  Shells begin with 1,024, for programs that call select(), and the
 * clocks of several hosts are found with all streams of all of them open: those of 500 hosts of 8 processors are
 * 4,000.
 */
void open_files_allow_all(void);

#endif
