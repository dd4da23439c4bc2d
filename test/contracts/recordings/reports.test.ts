/** Every public report, replayed from its file: upstream, client and bill get what the report expects. */
import { afterEach, describe, expect, test } from "bun:test";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../../src/formats/json.ts";
import { hasReference, listReference, publicReport } from "../../support/formats/reference.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";
import { exchange } from "../../support/lib/raw-requests.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

type Outcome = Readonly<{
  sent: JsonObject;
  /** The text of what was sent. */
  text: string;
  response: Response;
  body: JsonObject;
  record: Readonly<{ quota: number; promptTokens: number; cached: number }>;
}>;

const functionNames = ({ tools }: JsonObject): unknown[] =>
  recordsOf(tools).map((tool) => recordOf(tool.function)?.name ?? tool.name);
const contentOf = (body: JsonObject): JsonObject[] =>
  recordsOf(body.messages).flatMap(({ content }) =>
    Array.isArray(content) ? recordsOf(content) : [{ text: content }],
  );
/** Role and text of each message. */
const linesOf = (body: JsonObject): string[] =>
  recordsOf(body.messages).map(
    ({ role, content }) =>
      `${role}: ${contentOf({ messages: [{ content }] })
        .map(({ text }) => text)
        .join("|")}`,
  );
const reminder = (text: string): string => `<system-reminder>\n${text}\n</system-reminder>`;
const isOff = ({ sent }: Outcome): void => {
  expect([sent.thinking, sent.reasoning_effort]).toEqual([{ type: "disabled" }, undefined]);
};
const isProviderError = ({ response, body }: Outcome): void => {
  expect(response.status).toBe(502);
  expect(recordOf(body.error)?.message).toContain("Malformed function call: could not parse");
};

const POINT = { cachePoint: { type: "default" } };

/** What each report expects. */
const EXPECTED: Readonly<Record<string, (outcome: Outcome) => void>> = {
  "01": ({ sent }) =>
    expect(linesOf(sent)).toEqual([
      ...["system: BASE", "user: u1", "assistant: a1", "user: u2", "system: reminder 1", "assistant: a2", "user: u3"],
      "system: reminder 2",
    ]),
  "02": ({ sent }) => {
    expect(JSON.stringify(sent.system)).not.toContain("reminder");
    expect(linesOf(sent)).toEqual([
      ...["user: u1", "assistant: a1", `user: u2|${reminder("reminder 1")}`, "assistant: a2"],
      `user: u3|${reminder("reminder 2")}`,
    ]);
  },
  "04": ({ sent }) =>
    expect(linesOf(sent)).toEqual([
      ...["system: BASE", "user: u1", "assistant: a1", "system: changed: be brief", "user: u2"],
    ]),
  "05": ({ sent, response }) => {
    expect([response.status, response.headers.get("x-sluice-dropped")]).toEqual([200, null]);
    expect(sent).toMatchObject({
      system: [{ text: "S" }, { cachePoint: { type: "default", ttl: "1h" } }],
      toolConfig: { tools: [{ toolSpec: { name: "w" } }, POINT] },
      messages: [
        { content: [{ text: "go" }, POINT] },
        { content: [{ toolUse: { toolUseId: "t1" } }] },
        { content: [{ toolResult: { toolUseId: "t1", content: [{ text: "res" }] } }, POINT] },
      ],
    });
  },
  "06": ({ text }) => expect(text).not.toContain("reasoning_content"),
  "08": isOff,
  "09": isOff,
  "11": isOff,
  "12": ({ text }) => expect(text).not.toContain('"strict":true'),
  "13": ({ sent }) => expect(functionNames(sent)).toEqual(["exec", "wait"]),
  "14": ({ sent }) => {
    expect(contentOf(sent).map(({ text }) => text)).not.toContain("");
    expect(functionNames(sent)).toContain("g");
  },
  "17": isProviderError,
  "18": isProviderError,
  "20": ({ text }) => {
    expect(text).not.toContain('"$ref":');
    expect(text).toContain('\\"$ref\\"');
  },
  "21": ({ response, body }) => {
    expect(response.status).toBe(400);
    expect(recordOf(body.error)?.message).toStartWith("prompt is too long: 140000 tokens > 131072 maximum");
  },
  "23": ({ body, record }) => {
    const { prompt_tokens, total_tokens } = recordOf(body.usage) ?? {};
    expect([body.model, prompt_tokens, total_tokens]).toEqual([
      "gemini-embedding-001",
      record.promptTokens,
      record.promptTokens,
    ]);
    expect(record.promptTokens).toBeGreaterThan(0);
  },
  "25": ({ sent }) => {
    const thought = recordsOf(recordsOf(sent.messages)[1]?.content)[0];
    expect(thought).toEqual({ type: "thinking", thinking: "T", signature: expect.any(String) });
    expect(recordOf(sent.thinking)?.type).toBe("enabled");
  },
  "26": ({ body }) =>
    expect(body).toMatchObject({ object: "chat.completion", choices: [{ message: { content: "hey" } }] }),
  "27": ({ response, body }) =>
    expect([response.status, body.type, recordsOf(body.content)[0]?.text]).toEqual([200, "message", "x"]),
  "28": ({ sent }) => {
    const blocks = contentOf(sent);
    expect(blocks.some(({ document }) => document !== undefined)).toBe(true);
    expect(blocks.some(({ text }) => typeof text === "string" && text.trim() !== "")).toBe(true);
  },
  "30": ({ sent }) => expect([sent.max_tokens, sent.thinking]).toEqual([1000, undefined]),
  "32": ({ response }) => expect(response.headers.get("request-id")).toBeTruthy(),
  "34": ({ body, record }) => {
    expect(recordOf(body.usage)?.cache_read_input_tokens).toBe(900);
    expect(record.cached).toBe(900);
  },
};

/** Of a request that is no JSON: what its bytes are. */
const RAW = "33";

/** A relay before an upstream that answers as the report says. */
function start(report: JsonObject, model: string) {
  const type = Number(/\((\d+)\)/.exec(textOf(report.upstream_kind) ?? "")?.[1]);
  const { upstream_response: answer, upstream_status } = report;
  const upstream = startUpstream(({ path }) => {
    // None of these upstreams has Responses.
    if (path.endsWith("/responses")) return new Response("Not Found", { status: 404 });
    if (!Array.isArray(answer)) return Response.json(answer, { status: Number(upstream_status ?? 200) });
    return new Response(answer.join(""), { headers: { "content-type": "text/event-stream" } });
  });
  const keys = [type === 1007 || type === 33 ? "bedrock-key|us-east-1" : "key"];
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: [model], keys }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }), RetryTimes: "0" },
  });
  stops.push(relay.stop, upstream.stop);
  return { relay, upstream };
}

describe.skipIf(!hasReference("reports"))("public report", () => {
  test("none is left out", () => {
    const numbers = listReference("reports").map((name) => name.slice(0, 2));
    expect([...Object.keys(EXPECTED), RAW].toSorted()).toEqual(numbers.toSorted());
  });

  test.each(Object.keys(EXPECTED).toSorted())("%s", async (number) => {
    const report = publicReport(number);
    const request = recordOf(report.request) ?? {};
    const { relay, upstream } = start(report, textOf(request.model) ?? "");
    const response = await relay.post(textOf(report.path) ?? "/v1/messages", request);
    const body = recordOf(parseJson(await response.text())) ?? {};
    const { text = "" } = upstream.received.at(-1) ?? {};
    const { quota, promptTokens, other } = await relay.billing.nextRecord();
    const record = { quota, promptTokens, cached: Number(other.cache_tokens ?? 0) };
    EXPECTED[number]?.({ sent: recordOf(parseJson(text)) ?? {}, text, response, body, record });
  });

  test("33: a trailer behind the body is legal, or costs nothing", async () => {
    const { relay, upstream } = start(publicReport(RAW), "vl");
    const body = JSON.stringify({ model: "vl", messages: [{ role: "user", content: "hi" }] });
    const head =
      "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer sk-test\r\nConnection: close\r\n";
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\nX-T: 1\r\n\r\n`;
    const type = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    const answer = await exchange(relay.url, head + type + chunks);
    const charged = relay.billing.records.map(({ quota }) => quota);
    const [, status] = /^HTTP\/1\.1 (\d+)/.exec(answer) ?? [];
    expect([status, upstream.received.length, charged]).toEqual(status === "200" ? ["200", 1, [15]] : ["400", 0, []]);
  });
});
