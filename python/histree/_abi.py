# SPDX-License-Identifier: MIT
"""What the headers of libhistree declare, for ctypes.

Structs are ctypes classes.  Functions are declared as C has them; each declaration is made a ctypes prototype when
the library is loaded.  A test compiles both against the headers: every size and offset, and every declaration.
"""
import ctypes
import re
from ctypes import (POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint,
                    c_uint32, c_uint64, c_void_p)
from typing import Any, Dict, List, Tuple

STATUSES = {
    "OK": 0, "END": 1, "NOT_FOUND": 2, "PARTIAL": 3, "ERR_MEMORY": -1, "ERR_ARGUMENT": -2, "ERR_IO": -3,
    "ERR_FORMAT": -4, "ERR_VERSION": -5, "ERR_INCOMPLETE": -6, "ERR_EXISTS": -7, "ERR_TRACE": -8, "ERR_QUARK": -9,
    "ERR_TIME_RANGE": -10, "ERR_TIME_BACKWARDS": -11, "ERR_TYPE": -12, "ERR_TOO_LARGE": -13, "ERR_CLOSED": -14,
    "ERR_CANCELLED": -15, "ERR_INTERNAL": -16,
}
TYPES = {"NULL": 0, "INT": 1, "LONG": 2, "DOUBLE": 3, "BOOL": 4, "STRING": 5, "CUSTOM": 6, "UNKNOWN": 7}
ORDERS = {"SEGMENTS_UNSORTED": 0, "SEGMENTS_BY_START": 1, "SEGMENTS_BY_END": 2, "SEGMENTS_BY_DURATION": 3,
          "SEGMENTS_BY_FIELD": 4}
LABELS = {"LABEL_NUMBERS": 0, "LABEL_TEXT": 1, "LABEL_OTHERS": 2}
BACKENDS = {"BACKEND_DISK": 0, "BACKEND_PARTIAL": 1, "BACKEND_MEMORY": 2}
ARROW_COLUMNS = {name: 1 << bit for bit, name in enumerate(
    ("quark", "path", "start", "end", "duration", "type", "value", "real", "text", "label", "parent", "name", "depth",
     "number", "time", "cpu"))}
ARROW_FIELD_BIT = 16
ROOT = 0xFFFFFFFF
TIME_MIN, TIME_MAX = -1 << 63, (1 << 63) - 1


class Error(Structure):
    C_NAME = "struct histree_error"
    _fields_ = [("status", c_int), ("message", c_char * 480)]


class Value(Structure):
    """The union is one number: whatever is in it is passed by value as C passes it."""

    C_NAME = "struct histree_value"
    _fields_ = [("type", c_int), ("size", c_uint32), ("int64", c_int64)]


class Interval(Structure):
    C_NAME = "struct histree_interval"
    _fields_ = [("start", c_int64), ("end", c_int64), ("quark", c_uint32), ("value", Value)]


class ProgressNow(Structure):
    C_NAME = "struct histree_progress"
    _fields_ = [("share", c_double), ("rows", c_uint64), ("bytes", c_uint64), ("bytes_total", c_uint64),
                ("elapsed_ns", c_int64), ("overviews_share", c_double), ("waits", c_bool), ("host", c_char_p),
                ("hosts_done", c_size_t), ("host_count", c_size_t), ("clocks_share", c_double)]


GO_ON_CALL = ctypes.CFUNCTYPE(c_bool, c_void_p)
PROGRESS_CALL = ctypes.CFUNCTYPE(None, c_void_p, POINTER(ProgressNow))


class Work(Structure):
    C_NAME = "struct histree_work"
    _fields_ = [("go_on", GO_ON_CALL), ("context", c_void_p), ("progress", PROGRESS_CALL)]


class OpenOptions(Structure):
    C_NAME = "struct histree_open_options"
    _fields_ = [("cache_bytes", c_size_t), ("salvage", c_bool), ("no_overviews", c_bool)]


class HistoryInfo(Structure):
    C_NAME = "struct histree_history_info"
    _fields_ = [
        ("variant", c_char * 16), ("r_depth", c_uint32), ("node_size", c_uint32), ("fan_out", c_uint32),
        ("provider", c_char * 64), ("provider_version", c_uint32), ("format_version", c_uint32), ("identity", c_uint64),
        ("start", c_int64), ("end", c_int64), ("complete", c_bool), ("file_bytes", c_uint64), ("node_count", c_uint64),
        ("depth", c_uint32), ("interval_count", c_uint64), ("null_interval_count", c_uint64),
        ("attribute_count", c_uint32), ("folder_count", c_uint32), ("has_lifetimes", c_bool), ("node_bytes", c_uint64),
        ("node_bytes_used", c_uint64), ("attribute_bytes", c_uint64), ("nodes_at_height", POINTER(c_uint64)),
        ("key_range_nodes", c_uint64 * 20), ("partial", c_bool), ("checkpoint_count", c_uint64),
        ("checkpoint_bytes", c_uint64), ("overview_count", c_uint32), ("overview_bytes", c_uint64),
    ]


class StoreHistory(Structure):
    C_NAME = "struct histree_store_history"
    _fields_ = [("analysis", c_char_p), ("analysis_version", c_uint32), ("file", c_char_p),
                ("state_changes_refused", c_uint64), ("identity", c_uint64)]


class StoreSegments(Structure):
    C_NAME = "struct histree_store_segments"
    _fields_ = [("analysis", c_char_p), ("analysis_version", c_uint32), ("file", c_char_p), ("without_start", c_uint64),
                ("without_end", c_uint64), ("identity", c_uint64)]


class StoreInfo(Structure):
    C_NAME = "struct histree_store_info"
    _fields_ = [
        ("path", c_char_p), ("manifest_version", c_uint32), ("made_by", c_char_p), ("options", c_char_p),
        ("traces", POINTER(c_char_p)), ("trace_count", c_size_t), ("histories", POINTER(StoreHistory)),
        ("history_count", c_size_t), ("segments", POINTER(StoreSegments)), ("segments_count", c_size_t),
        ("index_identity", c_uint64), ("complete", c_bool), ("building", c_bool), ("partial", c_bool),
        ("warnings", POINTER(c_char_p)), ("warning_count", c_size_t),
        ("lacking", POINTER(c_char_p)), ("lacking_count", c_size_t), ("lacks", c_char_p),
        ("event_count", c_uint64), ("clock_steps_back", c_uint64), ("discarded_events", c_uint64), ("discarded_packets", c_uint64),
        ("repeated_packets", c_uint64), ("gap_count", c_uint64), ("ignores_gaps", c_bool),
        ("null_empty_stacks", c_bool), ("partial_histories", c_bool), ("checkpoint_events", c_uint64),
        ("symbols", POINTER(c_char_p)), ("symbol_count", c_size_t), ("no_symbols", c_bool),
        ("start", c_int64), ("end", c_int64), ("build_ns", c_int64), ("host", c_char_p), ("clock", c_void_p),
        ("hosts", c_void_p), ("host_count", c_size_t),
    ]


class StoreWait(Structure):
    C_NAME = "struct histree_store_wait"
    _fields_ = [("until", c_int64), ("timeout_ns", c_int64), ("work", Work)]


class SegmentOpenOptions(Structure):
    C_NAME = "struct histree_segment_open_options"
    _fields_ = [("cache_bytes", c_size_t), ("queue_bytes", c_size_t), ("tables", c_int), ("salvage", c_bool),
                ("no_overviews", c_bool)]


class SegmentField(Structure):
    C_NAME = "struct histree_segment_field"
    _fields_ = [("name", c_char_p), ("type", c_int)]


class SegmentSchema(Structure):
    C_NAME = "struct histree_segment_schema"
    _fields_ = [("provider", c_char_p), ("provider_version", c_uint32), ("fields", POINTER(SegmentField)),
                ("field_count", c_size_t)]


class SegmentStoreInfo(Structure):
    C_NAME = "struct histree_segment_store_info"
    _fields_ = [
        ("kind", c_int), ("schema", SegmentSchema), ("segment_count", c_uint64), ("start", c_int64), ("end", c_int64),
        ("duration_min", c_uint64), ("duration_max", c_uint64), ("node_size", c_uint32), ("depth", c_uint32),
        ("format_version", c_uint32), ("identity", c_uint64), ("node_count", c_uint64), ("node_bytes", c_uint64),
        ("file_bytes", c_uint64),
    ]


class SegmentQuery(Structure):
    C_NAME = "struct histree_segment_query"
    _fields_ = [
        ("from", c_int64), ("to", c_int64), ("order", c_int), ("descending", c_bool), ("field", c_size_t),
        ("compare", c_void_p), ("compare_context", c_void_p), ("filter", c_void_p), ("filter_context", c_void_p),
        ("host_filter", c_void_p), ("host_context", c_void_p), ("limit", c_uint64), ("group", c_void_p),
        ("group_context", c_void_p), ("work", Work),
    ]


class Region(Structure):
    C_NAME = "struct histree_region"
    _fields_ = [("quarks", POINTER(c_uint32)), ("quark_count", c_size_t), ("times", POINTER(c_int64)),
                ("time_count", c_size_t), ("from", c_int64), ("to", c_int64)]


class ArrowOptions(Structure):
    C_NAME = "struct histree_arrow_options"
    _fields_ = [("columns", c_uint64), ("batch_rows", c_uint32), ("threads", c_uint), ("text_bytes", c_size_t),
                ("work", Work), ("where", c_char_p), ("start", c_int64), ("end", c_int64), ("names", c_char_p), ("kernel", c_void_p)]


class Loss(Structure):
    C_NAME = "struct histree_loss"
    _fields_ = [("nodes", c_uint64), ("rows_max", c_uint64), ("from", c_int64), ("to", c_int64), ("node", c_uint32),
                ("part", c_uint32)]


class Window(Structure):
    C_NAME = "struct histree_window"
    _fields_ = [("from", c_int64), ("to", c_int64), ("is_empty", c_bool)]


class EventRange(Structure):
    C_NAME = "struct histree_event_range"
    _fields_ = [("numbers", Window), ("times", Window)]


class Gap(Structure):
    C_NAME = "struct histree_gap"
    _fields_ = [("from", c_int64), ("to", c_int64), ("cpu", c_int32), ("host", c_uint32), ("events", c_uint64)]


class EventHost(Structure):
    C_NAME = "struct histree_event_host"
    _fields_ = [("name", c_char_p), ("why", c_char_p), ("count", c_uint64)]


class Event(Structure):
    C_NAME = "struct histree_event"
    _fields_ = [("number", c_uint64), ("time", c_int64), ("cpu", c_int32), ("type", c_uint32), ("host", c_uint32)]


class EventOwner(Structure):
    C_NAME = "struct histree_event_owner"
    _fields_ = [("tid", c_int32), ("left", c_int32), ("pid", c_int32), ("name", Value), ("process", Value)]


class TreeOptions(Structure):
    C_NAME = "struct histree_tree_options"
    _fields_ = [("variant", c_char_p), ("r_depth", c_uint32), ("r_nodes", c_uint32), ("node_size", c_uint32),
                ("fan_out", c_uint32), ("memory_max", c_size_t), ("threads", c_uint32), ("nulls", c_int), ("prefer", c_int)]


class HistoryOptions(Structure):
    C_NAME = "struct histree_history_options"
    _fields_ = [("path", c_char_p), ("provider", c_char_p), ("provider_version", c_uint32), ("start", c_int64),
                ("resume", c_bool), ("null_empty_stacks", c_bool), ("tree", TreeOptions)]


class BuildResult(Structure):
    C_NAME = "struct histree_build_result"
    _fields_ = [("events", c_uint64), ("intervals", c_uint64), ("attributes", c_uint64), ("bytes", c_uint64),
                ("build_ns", c_int64), ("history", c_void_p)]


class BuildOptions(Structure):
    C_NAME = "struct histree_build_options"
    _fields_ = [
        ("traces", POINTER(c_char_p)), ("trace_count", c_size_t), ("hosts", c_void_p), ("host_count", c_size_t),
        ("clocks", c_void_p), ("clock_count", c_size_t), ("no_clocks", c_bool), ("reference", c_char_p),
        ("store", c_char_p), ("analyses", POINTER(c_char_p)),
        ("analysis_count", c_size_t), ("definitions", POINTER(c_char_p)), ("definition_count", c_size_t),
        ("symbols", POINTER(c_char_p)), ("symbol_count", c_size_t), ("no_symbols", c_bool),
        ("force", c_bool), ("add", c_bool), ("resume", c_bool),
        ("ignore_gaps", c_bool), ("backend", c_int), ("checkpoint_events", c_uint64), ("backend_bytes_max", c_uint64),
        ("result", POINTER(BuildResult)), ("null_empty_stacks", c_bool), ("no_overviews", c_bool),
        ("publish_ns", c_int64), ("threads", c_uint32), ("slices", c_uint32), ("slice_post", c_void_p),
        ("slice_events", c_uint64),
        ("tree", TreeOptions), ("work", Work),
    ]


class AnalysisInfo(Structure):
    C_NAME = "struct histree_analysis_info"
    _fields_ = [("name", c_char_p), ("version", c_uint32), ("summary", c_char_p), ("makes_segments", c_bool),
                ("by_default", c_bool), ("events", c_char_p)]


class Style(Structure):
    C_NAME = "struct histree_style"
    _fields_ = [("key", c_char_p), ("name", c_char_p), ("light", c_uint32), ("dark", c_uint32), ("height", c_double)]


class Label(Structure):
    C_NAME = "struct histree_label"
    _fields_ = [("kind", c_int), ("first", c_int64), ("last", c_int64), ("text", c_char_p), ("is_code", c_bool),
                ("is_hidden", c_bool), ("has_no_colour", c_bool), ("style", Style)]


class LabelTable(Structure):
    C_NAME = "struct histree_label_table"
    _fields_ = [("name", c_char_p), ("meaning", c_int), ("patterns", POINTER(c_char_p)), ("labels", POINTER(Label)),
                ("label_count", c_size_t), ("uses_palette", c_bool)]


class ArrowSchema(Structure):
    C_NAME = "struct ArrowSchema"


ArrowSchema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p), ("flags", c_int64), ("n_children", c_int64),
    ("children", POINTER(POINTER(ArrowSchema))), ("dictionary", POINTER(ArrowSchema)),
    ("release", ctypes.CFUNCTYPE(None, c_void_p)), ("private_data", c_void_p),
]


class ArrowArray(Structure):
    C_NAME = "struct ArrowArray"


ArrowArray._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64), ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(ArrowArray))), ("dictionary", POINTER(ArrowArray)),
    ("release", ctypes.CFUNCTYPE(None, c_void_p)), ("private_data", c_void_p),
]


class ArrowStream(Structure):
    C_NAME = "struct ArrowArrayStream"
    _fields_ = [
        ("get_schema", ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)), ("get_next", ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)),
        ("get_last_error", ctypes.CFUNCTYPE(c_char_p, c_void_p)), ("release", ctypes.CFUNCTYPE(None, c_void_p)),
        ("private_data", c_void_p),
    ]


STRUCTS = [each for each in list(vars().values()) if isinstance(each, type) and hasattr(each, "C_NAME")]

# The callback of histree_attributes_match().
FOUND_CALL = ctypes.CFUNCTYPE(c_bool, c_void_p, c_uint32)

FUNCTIONS = """
const char *histree_version(void);
const char *histree_status_text(enum histree_status status);
enum histree_status histree_time_parse(const char *text, histree_time start, histree_time end, histree_time *out,
    struct histree_error *error);

enum histree_status histree_store_open(const char *path, struct histree_store **out, struct histree_error *error);
void histree_store_close(struct histree_store *store);
const struct histree_store_info *histree_store_info(const struct histree_store *store);
enum histree_status histree_store_history(struct histree_store *store, const char *analysis, bool any_version,
    const struct histree_open_options *options, struct histree_history **out, struct histree_error *error);
enum histree_status histree_store_wait(const char *path, const char *analysis, const struct histree_store_wait *wait,
    const struct histree_open_options *options, struct histree_history **out, struct histree_error *error);
enum histree_status histree_store_segments(struct histree_store *store, const char *analysis, bool any_version,
    const struct histree_segment_open_options *options, struct histree_segment_store **out, struct histree_error *error);

enum histree_status histree_history_open(const char *path, const struct histree_open_options *options,
    struct histree_history **out, struct histree_error *error);
void histree_history_close(struct histree_history *history);
const struct histree_history_info *histree_history_info(const struct histree_history *history);
const struct histree_attributes *histree_history_attributes(const struct histree_history *history);

uint32_t histree_attributes_count(const struct histree_attributes *attributes);
enum histree_status histree_attributes_find(const struct histree_attributes *attributes, histree_quark from,
    const char *path, histree_quark *out);
bool histree_attributes_is_folder(const struct histree_attributes *attributes, histree_quark quark);
histree_quark histree_attributes_parent(const struct histree_attributes *attributes, histree_quark quark);
size_t histree_attributes_name(const struct histree_attributes *attributes, histree_quark quark, char *buffer,
    size_t capacity);
size_t histree_attributes_path(const struct histree_attributes *attributes, histree_quark quark, char *buffer,
    size_t capacity);
enum histree_status histree_attributes_match(const struct histree_attributes *attributes, histree_quark from,
    const char *pattern, bool (*found)(void *context, histree_quark quark), void *context, struct histree_error *error);

const struct histree_label_table *histree_labels_of(const struct histree_history *history, histree_quark quark);
enum histree_status histree_state_labels(struct histree_state_system *system,
    const struct histree_label_table *tables, size_t count, struct histree_error *error);

enum histree_status histree_query_create(struct histree_history *history, struct histree_cursor **out,
    struct histree_error *error);
enum histree_status histree_query_single(struct histree_cursor *query, histree_quark quark, histree_time t,
    struct histree_interval *out, struct histree_error *error);

enum histree_status histree_segment_store_open(const char *path, const struct histree_segment_open_options *options,
    struct histree_segment_store **out, struct histree_error *error);
void histree_segment_store_close(struct histree_segment_store *store);
const struct histree_segment_store_info *histree_segment_store_info(const struct histree_segment_store *store);
enum histree_status histree_segment_filter_create(const struct histree_segment_schema *schema, const char *text,
    histree_time start, histree_time end, struct histree_segment_filter **out, struct histree_error *error);
bool histree_segment_filter_lacks_threads(const struct histree_segment_filter *filter);
enum histree_status histree_segment_filter_take_threads(struct histree_segment_filter *filter,
    struct histree_history *kernel, struct histree_work work, struct histree_error *error);
void histree_segment_filter_apply(struct histree_segment_filter *filter, struct histree_segment_query *query);
void histree_segment_filter_free(struct histree_segment_filter *filter);

enum histree_status histree_query_arrow(struct histree_history *history, const struct histree_region *region,
    const struct histree_arrow_options *options, struct ArrowArrayStream *out, struct histree_error *error);
enum histree_status histree_segments_arrow(struct histree_segment_store *store,
    const struct histree_segment_query *query, const struct histree_arrow_options *options, struct ArrowArrayStream *out,
    struct histree_error *error);
enum histree_status histree_attributes_arrow(const struct histree_attributes *attributes,
    const struct histree_arrow_options *options, struct ArrowArrayStream *out, struct histree_error *error);
enum histree_status histree_events_arrow(const struct histree_events *events, histree_time from, histree_time to,
    const struct histree_arrow_options *options, struct ArrowArrayStream *out, struct histree_error *error);
struct histree_loss histree_arrow_loss(const struct ArrowArrayStream *stream);

enum histree_status histree_events_open(const struct histree_store *store, struct histree_events **out,
    struct histree_error *error);
void histree_events_close(struct histree_events *events);
uint64_t histree_events_count(const struct histree_events *events);
const char *const *histree_events_types(const struct histree_events *events, size_t *count);
const struct histree_event_host *histree_events_hosts(const struct histree_events *events, size_t *count);
const struct histree_gap *histree_events_gaps(const struct histree_events *events, size_t *count);
enum histree_status histree_event_reader_create(const struct histree_events *events, struct histree_cursor **out,
    struct histree_error *error);
enum histree_status histree_event_query_create(const struct histree_events *events, struct histree_cursor *reader,
    const char *where, histree_time start, histree_time end, struct histree_cursor **out,
    struct histree_error *error);
enum histree_status histree_event_query_take_threads(struct histree_cursor *query, struct histree_history *kernel,
    struct histree_error *error);
enum histree_status histree_event_query_owner(struct histree_cursor *query, struct histree_event_owner *out,
    struct histree_error *error);
enum histree_status histree_event_query_start(struct histree_cursor *query, const struct histree_event_range *range,
    struct histree_error *error);
enum histree_status histree_cursor_next(struct histree_cursor *cursor, struct histree_error *error);
const struct histree_event *histree_cursor_event(const struct histree_cursor *cursor);
void histree_cursor_free(struct histree_cursor *cursor);
const char *histree_event_reader_contents(struct histree_cursor *reader);
enum histree_status histree_event_reader_value(const struct histree_cursor *reader, const char *path,
    struct histree_value *out);

enum histree_status histree_state_create(const struct histree_history_options *options,
    struct histree_state_system **out, struct histree_error *error);
enum histree_status histree_state_create_in_memory(const struct histree_history_options *options, uint64_t bytes_max,
    struct histree_state_system **out, struct histree_error *error);
enum histree_status histree_state_close(struct histree_state_system *system, histree_time end,
    struct histree_error *error);
enum histree_status histree_state_publish(struct histree_state_system *system, histree_time end,
    struct histree_error *error);
enum histree_status histree_state_history(struct histree_state_system *system, histree_time end,
    const struct histree_open_options *options, struct histree_history **out, struct histree_error *error);
void histree_state_free(struct histree_state_system *system);
histree_time histree_state_start(const struct histree_state_system *system);
histree_time histree_state_current_end(const struct histree_state_system *system);
enum histree_status histree_state_attribute(struct histree_state_system *system, histree_quark from, const char *path,
    histree_quark *out, struct histree_error *error);
enum histree_status histree_state_folder(struct histree_state_system *system, histree_quark quark,
    struct histree_error *error);
const struct histree_attributes *histree_state_attributes(const struct histree_state_system *system);
enum histree_status histree_state_modify(struct histree_state_system *system, histree_time t, histree_quark quark,
    struct histree_value value, struct histree_error *error);
enum histree_status histree_state_insert(struct histree_state_system *system, const struct histree_interval *intervals,
    size_t count, size_t *inserted, struct histree_error *error);
enum histree_status histree_state_update(struct histree_state_system *system, histree_quark quark,
    struct histree_value value, struct histree_error *error);
enum histree_status histree_state_push(struct histree_state_system *system, histree_time t, histree_quark quark,
    struct histree_value value, struct histree_error *error);
enum histree_status histree_state_pop(struct histree_state_system *system, histree_time t, histree_quark quark,
    struct histree_value *popped, struct histree_error *error);
enum histree_status histree_state_top(struct histree_state_system *system, histree_quark quark,
    struct histree_value *top, struct histree_error *error);
enum histree_status histree_state_queue_offer(struct histree_state_system *system, histree_time t, histree_quark quark,
    struct histree_value value, struct histree_error *error);
enum histree_status histree_state_queue_poll(struct histree_state_system *system, histree_time t, histree_quark quark,
    struct histree_value *polled, struct histree_error *error);
enum histree_status histree_state_queue_peek(struct histree_state_system *system, histree_quark quark,
    struct histree_value *first, struct histree_error *error);
enum histree_status histree_state_remove(struct histree_state_system *system, histree_time t, histree_quark quark,
    struct histree_error *error);
enum histree_status histree_state_increment(struct histree_state_system *system, histree_time t, histree_quark quark,
    struct histree_value increment, struct histree_error *error);
enum histree_status histree_state_ongoing(const struct histree_state_system *system, histree_quark quark,
    struct histree_value *value, histree_time *since, struct histree_error *error);

enum histree_status histree_build(const struct histree_build_options *options, struct histree_error *error);
bool histree_analysis(size_t index, struct histree_analysis_info *out);
"""

_PLAIN: Dict[str, Any] = {
    "void": None, "bool": c_bool, "uint32_t": c_uint32, "uint64_t": c_uint64, "size_t": c_size_t,
    "histree_time": c_int64, "histree_quark": c_uint32, "enum histree_status": c_int, "struct histree_value": Value,
    "struct histree_work": Work, "struct histree_loss": Loss,
}


def _ctype(text: str, is_result: bool) -> Any:
    """The ctypes type of a parameter or a result, of which the name is still at the end of a parameter."""
    if "(*" in text:
        return c_void_p
    text = text.replace("const ", "").strip()
    if "*" in text:
        return c_char_p if re.match(r"char \*\w*$", text) and (is_result or not text.endswith("buffer")) else c_void_p
    return _PLAIN[text if is_result or text == "void" else text.rsplit(" ", 1)[0]]


def prototypes() -> List[Tuple[str, Any, List[Any]]]:
    """Name, result and arguments of each function of FUNCTIONS.  Pointers are addresses, const char * is bytes."""
    out = []
    for text in " ".join(FUNCTIONS.split()).split(";")[:-1]:
        found = re.match(r"\s*(.*?[ *])(histree_\w+)\((.*)\)$", text)
        assert found, text
        # A comma within the parentheses of a callback is no comma between parameters.
        parameters = re.sub(r"\)\([^)]*\)", ")", found[3]).split(",")
        arguments = [_ctype(each.strip(), False) for each in parameters if each.strip() != "void"]
        out.append((found[2], _ctype(found[1].strip(), True), arguments))
    return out
