/*
 * Files embedded at build time by scripts/embed.sh: bytes with a NUL behind
 * them, and their length without it.  src/store/schema.sql is
 * asset_store_schema_sql, src/query/views/x.sql is asset_query_views_x_sql.
 */
#ifndef PTOOL_BASE_ASSET_H
#define PTOOL_BASE_ASSET_H

#define ASSET(symbol)                         \
	extern const unsigned char(symbol)[]; \
	extern const unsigned long symbol##_len

ASSET(asset_store_schema_sql);
ASSET(asset_store_statements_sql);

#endif
