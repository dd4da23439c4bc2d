import { nowSeconds } from "../../../../lib/clock.ts";
import { signWebhook } from "../../../../lib/security/webhook-signature.ts";
import { parseRecord } from "../../../notifications/post.ts";
import { HTTP_ADDRESS, hostOf, jsonLines, type SinkType, upload } from "../sink-type.ts";

/**
 * Any address, signed by Standard Webhooks.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const webhook: SinkType = {
  fields: [
    { name: "url", format: HTTP_ADDRESS },
    { name: "secret", format: "webhook_secret", isSecret: true },
  ],
  maxCalls: 500,
  target: ({ url }) => hostOf(url),
  async send({ url = "", secret = "" }, { id, calls }, deps) {
    const timestamp = nowSeconds();
    const body = JSON.stringify({ type: "usage", timestamp: new Date(timestamp * 1000).toISOString(), data: calls });
    await upload(deps, url, {
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": signWebhook(secret, { id, timestamp, body }),
      },
      body,
    });
  },
};

/**
 * Events of Splunk's HTTP Event Collector.
 * https://docs.splunk.com/Documentation/Splunk/latest/Data/FormateventsforHTTPEventCollector
 */
export const splunk: SinkType = {
  fields: [
    { name: "url", format: HTTP_ADDRESS },
    { name: "token", format: /^[\w-]{1,100}$/, isSecret: true },
    { name: "index", format: /^[a-z0-9_-]{1,100}$/, isOptional: true },
  ],
  maxCalls: 500,
  target: ({ url }) => hostOf(url),
  async send({ url = "", token = "", index }, { calls }, deps) {
    const events = calls.map((call) =>
      JSON.stringify({
        time: call.created_at,
        source: "sluice",
        sourcetype: "_json",
        ...(index !== undefined && { index }),
        event: call,
      }),
    );
    const headers = { "content-type": "application/json", authorization: `Splunk ${token}` };
    const response = await upload(deps, `${url.replace(/\/+$/, "")}/services/collector/event`, {
      headers,
      body: events.join("\n"),
    });
    const { code, text } = parseRecord(response.text());
    if (code !== 0) throw new Error(typeof text === "string" ? text : "Splunk did not confirm the events");
  },
};

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
