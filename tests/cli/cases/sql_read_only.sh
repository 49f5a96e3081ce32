# Statements that look at a store, and others.
histree sql "$STORE" 'SELECT 1' 2>&1 | grep -q 'built without' && exit 77
try histree sql "$STORE" --read-only "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT sum(i) AS sum FROM n"
try histree sql "$STORE" --read-only "SELECT name FROM analyses LIMIT 1; SELECT count(*) > 0 AS states FROM states"
try histree sql "$STORE" --read-only "PRAGMA table_list('nothing')"
try histree sql "$STORE" --read-only "SELECT count(*) > 0 AS listed FROM pragma_table_list, pragma_table_info('info'), pragma_database_list, pragma_module_list"
try histree sql "$STORE" --read-only "PRAGMA temp_store_directory = '.'"
try histree sql "$STORE" --read-only "ATTACH DATABASE 'x' AS x"
try histree sql "$STORE" --read-only "CREATE TEMP TABLE x (y)"
try histree sql "$STORE" --read-only "VACUUM INTO 'x'"
try histree sql "$STORE" --read-only "SELECT histree_attach('$STORE', 'b')"
try histree sql "$STORE" --read-only "SELECT load_extension('x')"
ls
