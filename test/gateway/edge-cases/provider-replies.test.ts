/** Replies that differ from their format's in one point, from documentation and, where they are stored, from recordings. */
import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { sse, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const RECORDED = join(import.meta.dir, "../../../../shared/reference/recorded");

/** The recorded response of a service; empty where recordings are not stored. */
function recorded(path: string): string {
  const file = join(RECORDED, path);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).response : "";
}

function start(type: number, model: string, answer: (path: string) => Response, options: Record<string, string> = {}) {
  const upstream = startUpstream(({ path }) => answer(path));
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: [model] }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }), ...options },
  });
  stops.push(relay.stop, upstream.stop);
  return { relay, sent: () => JSON.parse(upstream.received.at(-1)?.text ?? "null") };
}

const MP3 = Buffer.from("ID3\u0004\u0000 the sound");

describe.each([
  ["documented", JSON.stringify({ audio_data: MP3.toString("base64") })],
  ["recorded", recorded("mistral/speech.1.json")],
])("Mistral's speech (%s)", (_, answer) => {
  test.skipIf(answer === "")("is the audio inside the JSON, charged by the text", async () => {
    const model = "voxtral-mini-tts-latest";
    const { relay, sent } = start(
      42,
      model,
      () => new Response(answer, { headers: { "content-type": "application/json" } }),
    );
    const ask = { model, input: "Ruby.", voice: "en_paul_neutral", speed: 2 };
    const speech = await relay.post("/v1/audio/speech", ask);
    expect([speech.status, speech.headers.get("content-type")]).toEqual([200, "audio/mpeg"]);
    expect(Buffer.from(await speech.arrayBuffer())).toEqual(Buffer.from(JSON.parse(answer).audio_data, "base64"));
    expect(sent()).toEqual({ model, input: "Ruby.", voice: "en_paul_neutral" });
    expect(speech.headers.get("x-sluice-dropped")).toBe("speed");
    expect(relay.billing.records).toHaveLength(1);
    expect(relay.billing.records[0]?.promptTokens).toBeGreaterThan(0);
  });
});

describe.each([
  [
    "documented",
    'id:1\nevent:error\n:HTTP_STATUS/400\ndata:{"code":"InvalidParameter","message":"Role must be user","request_id":"r"}\n\n',
  ],
  ["recorded", recorded("qwen/error-sse.json")],
])("DashScope's error in a stream (%s)", (_, events) => {
  test.skipIf(events === "")("has its status, for streamed calls and others", async () => {
    const model = "qwen-max";
    const { relay } = start(17, model, () => sse(events));
    for (const stream of [true, false]) {
      const ask = { model, stream, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] };
      const answer = await relay.post("/v1/messages", ask);
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({
          error: expect.objectContaining({ message: expect.stringContaining("Role must be") }),
        }),
      ]);
    }
    expect(relay.billing.records.filter(({ quota }) => quota > 0)).toEqual([]);
  });
});

test("Dify's replaced message is the replacement alone for a client that does not stream", async () => {
  const events = [
    { event: "message", message_id: "m", answer: "Something rude." },
    { event: "message_replace", message_id: "m", answer: "I can't say that." },
    { event: "message_end", message_id: "m", metadata: { usage: { prompt_tokens: 5, completion_tokens: 3 } } },
  ];
  const { relay } = start(37, "dify", () => sse(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")));
  const ask = { model: "dify", messages: [{ role: "user", content: "Hi" }] };
  const answer = await relay.post("/v1/chat/completions", ask);
  expect((await answer.json()).choices[0].message.content).toBe("I can't say that.");
  const streamed = await relay.post("/v1/chat/completions", { ...ask, stream: true });
  expect(await streamed.text()).toContain("I can't say that.");
});
