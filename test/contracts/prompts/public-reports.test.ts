/** Requests of public reports, replayed from their files: what reaches the upstream is what the report expects. */
import { afterEach, expect, test } from "bun:test";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../../src/formats/json.ts";
import { hasReference, publicReport } from "../../support/formats/reference.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const functionNames = ({ tools }: JsonObject): unknown[] =>
  recordsOf(tools).map((tool) => recordOf(tool.function)?.name ?? tool.name);
const contentOf = (body: JsonObject): JsonObject[] =>
  recordsOf(body.messages).flatMap(({ content }) =>
    Array.isArray(content) ? recordsOf(content) : [{ text: content }],
  );

/** What each report expects of the request that goes upstream. */
const EXPECTED: Readonly<Record<string, (sent: JsonObject, text: string) => void>> = {
  "12": (_sent, text) => expect(text).not.toContain('"strict":true'),
  "13": (sent) => expect(functionNames(sent)).toEqual(["exec", "wait"]),
  "14": (sent) => {
    expect(contentOf(sent).map(({ text }) => text)).not.toContain("");
    expect(functionNames(sent)).toContain("g");
  },
  "20": (_sent, text) => {
    expect(text).not.toContain('"$ref":');
    expect(text).toContain('\\"$ref\\"');
  },
  "28": (sent) => {
    const blocks = contentOf(sent);
    expect(blocks.some(({ document }) => document !== undefined)).toBe(true);
    expect(blocks.some(({ text }) => typeof text === "string" && text.trim() !== "")).toBe(true);
  },
};

test.skipIf(!hasReference("reports")).each(Object.keys(EXPECTED))("public report %s", async (number) => {
  const report = publicReport(number);
  const request = recordOf(report.request) ?? {};
  const model = textOf(request.model) ?? "";
  const type = Number(/\((\d+)\)/.exec(textOf(report.upstream_kind) ?? "")?.[1]);
  const upstream = startUpstream(() =>
    Response.json(report.upstream_response, { status: Number(report.upstream_status) }),
  );
  const keys = [type === 1007 ? "bedrock-key|us-east-1" : "key"];
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: [model], keys }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
  });
  stops.push(relay.stop, upstream.stop);
  await relay.post(textOf(report.path) ?? "", request);
  const { text = "" } = upstream.received[0] ?? {};
  const sent = recordOf(parseJson(text));
  if (!sent) throw new Error("nothing was sent");
  EXPECTED[number]?.(sent, text);
});
