import { HTTP_ADDRESS, hostOf, jsonLines, type SinkType, upload } from "../sink-type.ts";

const NAME = /^[A-Za-z_]\w{0,100}$/;

/**
 * Rows of a table, over ClickHouse's HTTP interface. Columns that the table lacks are skipped, so it may have fewer.
 * https://clickhouse.com/docs/interfaces/http
 */
export const clickhouse: SinkType = {
  fields: [
    { name: "url", format: HTTP_ADDRESS },
    { name: "database", format: NAME, isOptional: true },
    { name: "table", format: NAME },
    { name: "user", format: /^.{1,200}$/, isOptional: true },
    { name: "password", format: /^.{1,400}$/, isSecret: true, isOptional: true },
  ],
  maxCalls: 2000,
  target: ({ url, database = "default", table = "" }) => `${hostOf(url)}/${database}.${table}`,
  async send({ url = "", database = "default", table = "", user, password }, { id, calls }, deps) {
    const query = new URLSearchParams({
      query: `INSERT INTO \`${database}\`.\`${table}\` FORMAT JSONEachRow`,
      input_format_skip_unknown_fields: "1",
      // A batch that is sent again is recognized by tables with deduplication.
      insert_deduplication_token: id,
      // Errors after the first row are in the status too.
      wait_end_of_query: "1",
    });
    const headers = {
      "content-type": "application/x-ndjson",
      ...(user !== undefined && { "x-clickhouse-user": user }),
      ...(password !== undefined && { "x-clickhouse-key": password }),
    };
    await upload(deps, `${url.replace(/\/+$/, "")}/?${query}`, { headers, body: jsonLines(calls) });
  },
};
