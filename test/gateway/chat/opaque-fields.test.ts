/** What clients only store and send back has the alphabet that their format has for it, and reaches its provider unchanged. */
import { afterEach, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI, type Part } from "@google/genai";
import { type JsonObject, parseJson, recordOf, recordsOf } from "../../../src/formats/json.ts";
import { readEvents } from "../../../src/lib/http/sse.ts";
import { FAMILY_TYPES, type Family, signatureOf, startFamily } from "../../support/gateway/families.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const ID = /^[A-Za-z0-9_-]+$/;
const OPAQUE = new Set([
  ...["thoughtSignature", "thought_signature", "signature", "encrypted_content", "encrypted_index"],
]);

function start(type: number, upstream: { url: string; stop: () => unknown }) {
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m": 1}' },
  });
  stops.push(upstream.stop, relay.stop);
  return relay;
}

/** Every opaque value and every id of an answer, wherever it stands. */
function opaqueIn(value: unknown, found: { proofs: string[]; ids: string[] } = { proofs: [], ids: [] }) {
  if (Array.isArray(value)) for (const item of value) opaqueIn(item, found);
  const record = recordOf(value);
  if (!record) return found;
  const isHidden = record.type === "redacted_thinking" || record.type === "reasoning.encrypted";
  for (const [name, inner] of Object.entries(record)) {
    if (typeof inner === "string" && (OPAQUE.has(name) || (isHidden && name === "data"))) found.proofs.push(inner);
    else if (typeof inner === "string" && /^(id|item_id|call_id|tool_use_id)$/.test(name)) found.ids.push(inner);
    else opaqueIn(inner, found);
  }
  return found;
}

const FORMATS = [
  ["/v1/chat/completions", { model: "m", messages: [{ role: "user", content: "Hi" }] }],
  ["/v1/responses", { model: "m", input: "Hi" }],
  ["/v1/messages", { model: "m", max_tokens: 99, messages: [{ role: "user", content: "Hi" }] }],
  ["/v1beta/models/m:generateContent", { contents: [{ role: "user", parts: [{ text: "Hi" }] }] }],
] as const;

const streamedPath = (path: string): string => path.replace(":generateContent", ":streamGenerateContent?alt=sse");

async function answersOf(relay: ReturnType<typeof startRelay>, path: string, body: JsonObject): Promise<unknown[]> {
  const response = await relay.post(path, body);
  expect(response.status).toBe(200);
  const streamed = await relay.post(streamedPath(path), path.includes("/v1beta") ? body : { ...body, stream: true });
  return [await response.json(), ...readEvents(await streamed.text()).map(({ data }) => parseJson(data))];
}

describe.each([...FORMATS])("%s", (path, body) => {
  test.each(["anthropic", "gemini"] satisfies Family[])("proofs of %s are base64, ids plain", async (family) => {
    const relay = start(FAMILY_TYPES[family], startFamily(family));
    const { proofs, ids } = opaqueIn(await answersOf(relay, path, body));
    // Whole and streamed.
    expect(proofs.filter((proof) => proof !== "").length).toBeGreaterThanOrEqual(2);
    for (const proof of proofs) expect(proof).toMatch(BASE64);
    for (const id of ids) expect(id).toMatch(ID);
  });
});

test("proofs and ids that stand in for those of a search have the alphabets of the client's format", async () => {
  const grounding = {
    webSearchQueries: ["rain"],
    groundingChunks: [{ web: { uri: "https://rain.example", title: "Rain" } }],
    groundingSupports: [{ segment: { endIndex: 4, text: "Rain" }, groundingChunkIndices: [0] }],
  };
  const candidate = { content: { role: "model", parts: [{ text: "Rain." }] }, finishReason: "STOP" };
  const answer = { candidates: [{ ...candidate, index: 0, groundingMetadata: grounding }] };
  const usage = { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11 };
  const upstream = startUpstream(({ path }) =>
    path.includes(":stream")
      ? new Response(`data: ${JSON.stringify({ ...answer, usageMetadata: usage })}\n\n`, {
          headers: { "content-type": "text/event-stream" },
        })
      : Response.json({ ...answer, usageMetadata: usage }),
  );
  const relay = start(24, upstream);
  const [, [, response], [, message]] = FORMATS;
  const requests = [
    ["/v1/responses", { ...response, tools: [{ type: "web_search" }] }],
    ["/v1/messages", { ...message, tools: [{ type: "web_search_20250305", name: "web_search" }] }],
  ] as const;
  for (const [path, body] of requests) {
    const { proofs, ids } = opaqueIn(await answersOf(relay, path, body));
    for (const proof of proofs) expect(proof).toMatch(BASE64);
    for (const id of ids) expect(id).toMatch(ID);
    expect(ids.some((id) => /^(srvtoolu|ws)_/.test(id))).toBe(true);
  }
});

test.each([false, true])(
  "Google's client returns Claude's signature as its own decoder writes it (stream: %p)",
  async (streamed) => {
    const upstream = startFamily("anthropic");
    const relay = start(14, upstream);
    const client = new GoogleGenAI({ apiKey: "sk-test", httpOptions: { baseUrl: relay.url } });
    const request = { model: "m", contents: "Hi" };
    const parts: Part[] = [];
    if (streamed) {
      for await (const piece of await client.models.generateContentStream(request))
        parts.push(...(piece.candidates?.[0]?.content?.parts ?? []));
    } else parts.push(...((await client.models.generateContent(request)).candidates?.[0]?.content?.parts ?? []));
    // Typed clients keep bytes, and may write them in the other alphabet.
    const again = parts.map((part) =>
      part.thoughtSignature
        ? { ...part, thoughtSignature: Buffer.from(part.thoughtSignature, "base64").toString("base64url") }
        : part,
    );
    const id = parts.find(({ functionCall }) => functionCall)?.functionCall?.id ?? "";
    await client.models.generateContent({
      model: "m",
      contents: [
        { role: "user", parts: [{ text: "Hi" }] },
        { role: "model", parts: again },
        { role: "user", parts: [{ functionResponse: { id, name: "weather", response: { output: "rainy" } } }] },
      ],
    });
    const sent = JSON.parse(upstream.received.at(-1)?.text ?? "");
    const [, { content }] = recordsOf(sent.messages) as [JsonObject, { content: unknown }];
    expect(recordsOf(content)[0]).toMatchObject({ type: "thinking", signature: signatureOf("anthropic") });
  },
);

test("ids of calls that Anthropic's format does not take reach their provider as they were", async () => {
  const id = "functions.weather:0";
  const upstream = startUpstream(() => {
    const call = { id, type: "function", function: { name: "weather", arguments: "{}" } };
    const message = { role: "assistant", content: null, tool_calls: [call] };
    const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
    return Response.json({ id: "c", choices: [{ index: 0, message, finish_reason: "tool_calls" }], usage });
  });
  const relay = start(1000, upstream);
  const client = new Anthropic({ apiKey: "sk-test", baseURL: relay.url, maxRetries: 0 });
  const first = { role: "user", content: "Hi" } as const;
  const message = await client.messages.create({ model: "m", max_tokens: 99, messages: [first] });
  const use = message.content.find((block) => block.type === "tool_use");
  expect(use?.id).toMatch(ID);
  const messages: Anthropic.MessageParam[] = [
    first,
    { role: "assistant", content: message.content },
    { role: "user", content: [{ type: "tool_result", tool_use_id: use?.id ?? "", content: "rainy" }] },
  ];
  await client.messages.create({ model: "m", max_tokens: 99, messages });
  const sent = JSON.parse(upstream.received.at(-1)?.text ?? "");
  expect(sent.messages[1].tool_calls[0].id).toBe(id);
  expect(sent.messages[2].tool_call_id).toBe(id);
});
