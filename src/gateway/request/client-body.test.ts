/** Maximum request sizes by kind: JSON is read into memory, forms are stored on disk. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { announceBody } from "../../../test/support/lib/raw-requests.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const MEGABYTE = 1_048_576;
const config = { requestBodyTimeoutMs: 60_000, maxRequestBodyBytes: MEGABYTE, maxUploadBytes: 4 * MEGABYTE };

function start(channel: Partial<ChannelEntry> = {}) {
  const upstream = startUpstream(() => Response.json({ text: "Hello", duration: 60 }));
  const models = ["whisper-1"];
  const relay = startRelay({ channels: [{ baseUrl: upstream.url, models, ...channel }], config });
  stops.push(upstream.stop, relay.stop);
  const send = async (path: string, body: FormData | ReadableStream<Uint8Array>) => {
    const headers = { authorization: "Bearer sk-test" };
    const answer = await fetch(relay.url + path, { method: "POST", headers, body });
    return { status: answer.status, text: await answer.text() };
  };
  return { upstream, send, url: relay.url };
}

function form(fileBytes: number, fields: Readonly<Record<string, string>> = { model: "whisper-1" }, name = "file") {
  const made = new FormData();
  for (const [field, value] of Object.entries(fields)) made.set(field, value);
  made.set(name, new File([new Uint8Array(fileBytes)], "a.wav", { type: "audio/wav" }));
  return made;
}

const tooLarge = (megabytes: number) => ({
  status: 413,
  text: expect.stringContaining(`larger than ${megabytes} MB`),
});

test("forms may be larger than other requests, up to a limit of their own", async () => {
  const { upstream, send } = start();
  expect(await send("/v1/audio/transcriptions", form(2 * MEGABYTE))).toMatchObject({ status: 200 });
  expect(upstream.received[0]?.text.length).toBeGreaterThan(2 * MEGABYTE);
  expect(await send("/v1/audio/transcriptions", form(5 * MEGABYTE))).toEqual(tooLarge(4));
  expect(await send("/v1/files", form(5 * MEGABYTE, { purpose: "batch" }))).toEqual(tooLarge(4));
  expect(upstream.received).toHaveLength(1);
});

test("a form whose files must be read into memory is limited like other requests", async () => {
  // Cloudflare expects audio inside JSON.
  const { upstream, send } = start({ type: 39, other: "account" });
  expect(await send("/v1/audio/transcriptions", form(2 * MEGABYTE))).toEqual(tooLarge(1));
  expect(upstream.received).toHaveLength(0);
});

test("a body without a length is rejected once it is too large", async () => {
  const { upstream, send } = start();
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    async pull(controller) {
      sent += 1;
      controller.enqueue(new Uint8Array(65_536).fill(32));
      await Bun.sleep(0);
      if (sent > 1_000) controller.close();
    },
  });
  expect(await send("/v1/chat/completions", endless)).toEqual(tooLarge(1));
  expect(upstream.received).toHaveLength(0);
});

const MANY_BYTES = 200 * 1024 ** 2;

test.each([
  ["/v1/chat/completions", { error: { type: "invalid_request_error", code: "request_too_large" } }],
  ["/v1/messages", { type: "error", error: { type: "request_too_large" } }],
  ["/v1beta/models/m:generateContent", { error: { code: 413 } }],
  ["/v1/files", { error: { code: "request_too_large" } }],
  ["/v1/files/file-1/content", { error: {} }],
])("for a body that is too large, %s responds in its own format", async (path, answered) => {
  const { url } = start();
  const { status, text } = await announceBody(url + path, MANY_BYTES, { authorization: "Bearer sk-test" });
  expect(JSON.parse(text)).toMatchObject(answered);
  expect(status).toBeGreaterThanOrEqual(400);
});

test("a byte order mark before the text is accepted and removed", async () => {
  const upstream = startUpstream(() => Response.json({ choices: [{ message: { content: "Hello" } }] }));
  const relay = startRelay({ channels: [{ baseUrl: upstream.url, models: ["gpt-4o"] }], config });
  stops.push(upstream.stop, relay.stop);
  const text = JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "漢字 🚰" }] });
  const answer = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer sk-test", "content-type": "application/json" },
    body: `\ufeff${text}`,
  });
  expect(answer.status).toBe(200);
  expect(upstream.received[0]?.text).toBe(text);
  expect(upstream.received[0]?.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
});

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const chat = (extra: string) => `{"model":"whisper-1","messages":[{"role":"user","content":"Hi"}],${extra}}`;

test.each([
  ["/v1/chat/completions", "openai"],
  ["/v1/responses", "openai"],
  ["/v1/messages", "anthropic"],
  ["/v1beta/models/whisper-1:generateContent", "gemini"],
  ["/v1/embeddings", "openai"],
  ["/v1/images/generations", "openai"],
])("%s refuses JSON nested too deeply, in the words of its format", async (path, format) => {
  const { upstream, url } = start();
  const post = (body: string) =>
    fetch(url + path, {
      method: "POST",
      headers: { authorization: "Bearer sk-test", "content-type": "application/json" },
      body,
    });
  for (const levels of [600, 5000, 120_000]) {
    for (const body of [
      chat(`"tools":${nested(levels)}`),
      chat(`"metadata":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`),
    ]) {
      const response = await post(body);
      expect([levels, response.status]).toEqual([levels, 400]);
      const { error } = (await response.json()) as { error: { message: string; status?: string; type?: string } };
      expect(error.message).toMatch(/nested deeper than 512 levels|not a JSON object/);
      expect(format === "gemini" ? error.status : error.type).toMatch(/^(INVALID_ARGUMENT|invalid_request_error)$/);
    }
  }
  expect(upstream.received).toEqual([]);
  // A deep one that is allowed is not refused for it.
  expect(await (await post(chat(`"metadata":{"a":${nested(300)}}`))).text()).not.toContain("nested");
});
