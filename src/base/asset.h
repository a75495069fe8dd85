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

ASSET(asset_report_assets_page_html);
ASSET(asset_report_assets_parts_html);
/* All scripts and all styles of the page in one, by gzip, and what its policy calls them. */
ASSET(asset_report_page_css_gz);
ASSET(asset_report_page_css_hash);
ASSET(asset_report_page_js_gz);
ASSET(asset_report_page_js_hash);
ASSET(asset_report_assets_svg_flame_css);
ASSET(asset_report_assets_svg_flame_js);
ASSET(asset_store_schema_sql);
/* Formats of before, and the steps from each to the next. */
ASSET(asset_store_schema_7_sql);
ASSET(asset_store_lift_7_sql);
ASSET(asset_store_statements_sql);

#endif
