/** Bodies of megabytes are sent without being written in memory: what goes upstream is the same as of small ones. */
import { afterEach, expect, test } from "bun:test";
import { type JsonObject, parseJson, recordOf } from "../../../../src/formats/json.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const MODEL = "m";
const ANTHROPIC = 14;
const GEMINI = 24;
const SMALL = "SMALL+image/==";
const LARGE = "A".repeat(2_000_000);
/** Longer than what is sent at a time, and to be escaped. */
const TEXT = `${'"quoted" \\ 水门 😀\n'.repeat(6_000)} the end`;

const request = (image: string): JsonObject => ({
  model: MODEL,
  max_tokens: 50,
  seed: 7,
  messages: [
    { role: "system", content: "Look closely." },
    { role: "user", name: "ada", content: [{ type: "text", text: TEXT }] },
    { role: "assistant", reasoning_content: TEXT, content: "Which image?" },
    {
      role: "user",
      content: [
        { type: "image_url", image_url: { url: `data:image/png;base64,${image}`, detail: "high" } },
        { type: "file", file: { filename: "plan.pdf", file_data: `data:application/pdf;base64,${image}` } },
      ],
    },
  ],
});

const usage = { input_tokens: 5, output_tokens: 2 };
const message = { id: "m", type: "message", role: "assistant", model: MODEL, content: [{ type: "text", text: "Hi" }] };
const candidate = { content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP" };

function start(type: number, { fails = 0, options = {} } = {}) {
  const upstream = startUpstream(({ path }, _, count) => {
    if (count <= fails) return new Response("{}", { status: 500 });
    if (path.endsWith(":countTokens")) return Response.json({ totalTokens: 1234 });
    if (type === ANTHROPIC) return Response.json({ ...message, stop_reason: "end_turn", usage });
    return Response.json(type === GEMINI ? { candidates: [candidate] } : chatReply());
  });
  const channel = { type, baseUrl: upstream.url, models: [MODEL], modelMapping: new Map([[MODEL, "mapped"]]) };
  const relay = startRelay({
    channels: Array.from({ length: fails + 1 }, () => channel),
    options: { ModelRatio: JSON.stringify({ [MODEL]: 1 }), RetryTimes: String(fails), ...options },
  });
  stops.push(relay.stop, upstream.stop);
  return { relay, upstream };
}

const asSmall = (text: string): string => text.replaceAll(LARGE, SMALL);

test.each([
  ["OpenAI with a changed member", 1],
  ["Anthropic", ANTHROPIC],
  ["Gemini", GEMINI],
])("a large request is the same as a small one for %s, and so is what is reported as dropped", async (_, type) => {
  const { relay, upstream } = start(type);
  const replies = [];
  for (const image of [SMALL, LARGE]) replies.push(await relay.post("/v1/chat/completions", request(image)));
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  const [small, large] = upstream.received;
  expect(large?.text.length).toBeGreaterThan(2 * LARGE.length);
  expect(asSmall(large?.text ?? "") === small?.text).toBe(true);
  expect(large?.headers.get("content-type")).toBe("application/json");
  expect(large?.headers.get("content-length")).toBe(String(Buffer.byteLength(large?.text ?? "")));
  const [droppedOfSmall, droppedOfLarge] = replies.map(({ headers }) => headers.get("x-sluice-dropped"));
  expect(droppedOfLarge).toBe(droppedOfSmall ?? null);
});

test.each([
  ["OpenAI", 1],
  ["Anthropic", ANTHROPIC],
])("each channel of %s that is tried gets all of it", async (_, type) => {
  const { relay, upstream } = start(type, { fails: 2 });
  expect((await relay.post("/v1/chat/completions", request(LARGE))).status).toBe(200);
  const [first, second, third] = upstream.received.map(({ text }) => text);
  expect(upstream.received).toHaveLength(3);
  expect(recordOf(parseJson(first ?? ""))?.model).toBe("mapped");
  expect([second === first, third === first]).toEqual([true, true]);
});

test("the log has what went upstream, with the media cut", async () => {
  const exchanges = [];
  for (const length of [1_000, LARGE.length]) {
    const { relay } = start(ANTHROPIC, { options: { LogChatContentEnabled: "true" } });
    await relay.post("/v1/chat/completions", request("A".repeat(length)));
    exchanges.push((await relay.billing.nextRecord()).other.admin_info?.exchange);
  }
  expect(exchanges[1]?.upstream).toContain('"model":"mapped"');
  expect(exchanges[1]).toEqual(exchanges[0]);
});

test("tokens of a large request are counted by the provider", async () => {
  const { relay, upstream } = start(GEMINI);
  const source = { type: "base64", media_type: "image/png", data: LARGE };
  const body = { model: MODEL, messages: [{ role: "user", content: [{ type: "image", source }] }] };
  const counted = await relay.post("/v1/messages/count_tokens", body);
  expect(await counted.json()).toEqual({ input_tokens: 1234 });
  expect(upstream.received[0]?.text.includes(LARGE)).toBe(true);
});
