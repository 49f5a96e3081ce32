/* SPDX-License-Identifier: MIT */
/*
 * parquet_format.h - the numbers of the Parquet format that are written here, as parquet.thrift of Apache
 * parquet-format has them.
 */
#ifndef EXPORT_PARQUET_PARQUET_FORMAT_H
#define EXPORT_PARQUET_PARQUET_FORMAT_H

#define PARQUET_MAGIC "PAR1"

enum parquet_physical_type {
	PARQUET_TYPE_BOOLEAN = 0,
	PARQUET_TYPE_INT32 = 1,
	PARQUET_TYPE_INT64 = 2,
	PARQUET_TYPE_DOUBLE = 5,
	PARQUET_TYPE_BYTE_ARRAY = 6,
};

enum parquet_encoding {
	PARQUET_PLAIN = 0,
	PARQUET_RLE = 3,
	PARQUET_DELTA_BINARY_PACKED = 5,
	PARQUET_DELTA_LENGTH_BYTE_ARRAY = 6,
	PARQUET_RLE_DICTIONARY = 8,
	PARQUET_BYTE_STREAM_SPLIT = 9,
};

enum parquet_compression_codec { PARQUET_UNCOMPRESSED = 0, PARQUET_ZSTD = 6 };

enum parquet_page_type { PARQUET_DATA_PAGE = 0, PARQUET_DICTIONARY_PAGE = 2 };

enum parquet_repetition { PARQUET_REQUIRED = 0, PARQUET_OPTIONAL = 1 };

enum parquet_boundary_order { PARQUET_UNORDERED = 0, PARQUET_ASCENDING = 1, PARQUET_DESCENDING = 2 };

/* What the older ConvertedType calls a type, for readers that know no other. */
enum parquet_converted_type {
	PARQUET_CONVERTED_UTF8 = 0,
	PARQUET_CONVERTED_TIMESTAMP_MILLIS = 9,
	PARQUET_CONVERTED_TIMESTAMP_MICROS = 10,
	PARQUET_CONVERTED_UINT_8 = 11, /* and 16, 32 and 64 behind it */
	PARQUET_CONVERTED_INT_8 = 15,  /* likewise */
};

/* Fields of the union LogicalType. */
enum parquet_logical_type { PARQUET_STRING = 1, PARQUET_TIMESTAMP = 8, PARQUET_INTEGER = 10 };

#endif
