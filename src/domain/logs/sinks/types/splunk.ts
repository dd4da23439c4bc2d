import { parseRecord } from "../../../notifications/post.ts";
import { HTTP_ADDRESS, hostOf, type SinkType, upload } from "../sink-type.ts";

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
