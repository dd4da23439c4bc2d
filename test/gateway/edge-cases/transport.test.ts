/** Edge cases of transport and framing, through the whole gateway. */
import { afterEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import {
  chatReply,
  chunk,
  DONE,
  pacedSse,
  sse,
  startUpstream,
  usageChunk,
} from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const start = (
  answer: Parameters<typeof startUpstream>[0],
  setting: Record<string, unknown> = {},
  options: NonNullable<Parameters<typeof startRelay>[0]["options"]> = {},
) => {
  const upstream = startUpstream((received, request, count) =>
    received.path.endsWith("/responses")
      ? new Response("no such address", { status: 404 })
      : answer(received, request, count),
  );
  const relay = startRelay({ channels: [{ baseUrl: upstream.url, setting }], options });
  stops.push(upstream.stop, relay.stop);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  return { upstream, relay, client };
};

const ASK = { model: "gpt-4o", messages: [{ role: "user" as const, content: "Hi" }] };
/** The same request in every client format. */
const CLIENTS = [
  ["/v1/chat/completions", { ...ASK, stream: true }],
  ["/v1/responses", { model: "gpt-4o", input: "Hi", stream: true }],
  ["/v1/messages", { ...ASK, max_tokens: 9, stream: true }],
  ["/v1beta/models/gpt-4o:streamGenerateContent?alt=sse", { contents: [{ role: "user", parts: [{ text: "Hi" }] }] }],
] as const;
const CHAT = CLIENTS[0][0];
const FISH = "🐟思考🚢";
const END = chunk({}, {}, "stop") + usageChunk() + DONE;

/** What arrives of an answer, piece by piece as it comes. */
async function pieces(answer: Response): Promise<string[]> {
  const found: string[] = [];
  for await (const piece of answer.body ?? []) found.push(new TextDecoder("utf-8", { fatal: true }).decode(piece));
  return found;
}

describe.each(CLIENTS)("%s", (path, body) => {
  test("characters and line ends cut anywhere between two reads arrive whole", async () => {
    const streamText = (chunk({ content: FISH }) + END).replaceAll("\n", "\r\n");
    const bytes = Buffer.from(streamText);
    const first = bytes.indexOf(Buffer.from("🐟"));
    const lineEnd = bytes.indexOf("\r\n\r\n");
    for (const at of [first + 1, first + 3, first + 5, lineEnd + 1, lineEnd + 2, lineEnd + 3, bytes.length - 1]) {
      const { relay } = start(() =>
        sse(
          new ReadableStream({
            async start(controller) {
              controller.enqueue(bytes.subarray(0, at));
              await Bun.sleep(2);
              controller.enqueue(bytes.subarray(at));
              controller.close();
            },
          }),
        ),
      );
      expect(await (await relay.post(path, body)).text()).toContain(FISH);
      expect(await relay.billing.nextRecord()).toMatchObject({ promptTokens: 10, completionTokens: 5 });
    }
  });

  test("a complete answer sent as a stream is never cut inside a character", async () => {
    const text = FISH.repeat(2_000);
    const message = { role: "assistant", content: text };
    const { relay } = start(
      () => Response.json(chatReply({ choices: [{ index: 0, message, finish_reason: "stop" }] })),
      { stream_support: "NON_STREAM_ONLY" },
      { CheckSensitiveEnabled: "true", CheckSensitiveOnCompletionEnabled: "true", SensitiveWords: "考🚢x" },
    );
    const pieces = (await (await relay.post(path, body)).text()).matchAll(/"(?:content|delta|text)":"([^"]*)"/g);
    const texts = [...pieces].map(([, piece = ""]) => piece);
    expect(texts.every((piece) => piece.isWellFormed())).toBe(true);
    expect(texts.join("")).toContain(text);
  });

  test("the client is sent whole events only, however the upstream cuts its own", async () => {
    const event = Buffer.from(chunk({ content: FISH }));
    const cut = event.indexOf(Buffer.from("🐟")) + 2;
    const { relay } = start(() => {
      const parts = [event.subarray(0, cut), event.subarray(cut, cut + 3), event.subarray(cut + 3)];
      return sse(
        new ReadableStream({
          async start(controller) {
            for (const part of parts) {
              controller.enqueue(part);
              await Bun.sleep(20);
            }
            controller.enqueue(Buffer.from(END));
            controller.close();
          },
        }),
      );
    });
    const arrived = await pieces(await relay.post(path, body));
    expect(arrived.join("")).toContain(FISH);
    for (const piece of arrived) expect(piece).toMatch(/\n\r?\n$/);
  });

  test("comments are no data and no end", async () => {
    const { relay } = start(() =>
      pacedSse([
        ": OPENROUTER PROCESSING\n\n",
        5,
        `: {"error": "none"}\n${chunk({ content: "before" })}`,
        ": OPENROUTER PROCESSING\n\n",
        5,
        chunk({ content: "after" }),
        END,
      ]),
    );
    const text = await (await relay.post(path, body)).text();
    expect(text).toContain("before");
    expect(text).toContain("after");
    for (const line of text.split(/\r?\n/)) if (/OPENROUTER|none/.test(line)) expect(line).toStartWith(":");
    expect((await relay.billing.nextRecord()).other.ending).toBe("complete");
  });

  test("data without a blank, or on the line behind its name", async () => {
    const events = [chunk({ content: "no blank" }).replace("data: ", "data:"), chunk({ content: "next line" }), END];
    const { relay } = start(() => sse(events.join("").replace('data: {"id"', 'data:\n{"id"')), {
      force_format: true,
    });
    const text = await (await relay.post(path, body)).text();
    expect(text).toContain("no blank");
    expect(text).toContain("next line");
  });

  test("streams tell proxies not to buffer, and are not compressed", async () => {
    const asStream = start(() => sse(chunk({ content: "a" }) + END));
    const nonStreaming = start(() => Response.json(chatReply()), { stream_support: "NON_STREAM_ONLY" });
    for (const { relay } of [asStream, nonStreaming]) {
      const { headers } = await relay.post(path, body, { headers: { "accept-encoding": "gzip, br" } });
      expect(headers.get("content-type")).toStartWith("text/event-stream");
      expect(headers.get("x-accel-buffering")).toBe("no");
      expect(headers.get("cache-control")).toBe("no-cache, no-transform");
      expect(headers.get("content-encoding")).toBeNull();
    }
  });

  test("blank and comment lines before a whole answer are left out", async () => {
    const padded = `\n \n: OPENROUTER PROCESSING\n\n\r\n${JSON.stringify(chatReply())}`;
    const { relay } = start(() => new Response(padded, { headers: { "content-type": "application/json" } }));
    const plain = path.startsWith("/v1beta") ? path.replace(/:.*/, ":generateContent") : path;
    const answer = await (await relay.post(plain, { ...body, stream: false })).text();
    expect(answer).toStartWith("{");
    expect(JSON.stringify(JSON.parse(answer))).toContain("Hello there");
    expect(await relay.billing.nextRecord()).toMatchObject({ promptTokens: 10, completionTokens: 5 });
  });
});

test("an error behind comments is an error, and its words are read", async () => {
  const { client } = start(
    () =>
      new Response(': PROCESSING\n\n{"error":{"message":"down"}}', { headers: { "content-type": "application/json" } }),
  );
  await expect(client.chat.completions.create(ASK).asResponse()).rejects.toMatchObject({
    status: 502,
    error: { message: expect.stringContaining("down") },
  });
});

test("encodings of either side's transport stay on that side", async () => {
  const packed = Bun.gzipSync(JSON.stringify(chatReply()));
  const { upstream, relay } = start(
    () => new Response(packed, { headers: { "content-type": "application/json", "content-encoding": "gzip" } }),
  );
  const answer = await relay.post(CHAT, ASK, {
    headers: { "accept-encoding": "identity;q=0.1", te: "trailers", connection: "close" },
  });
  expect(answer.headers.get("content-encoding")).toBeNull();
  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: "Hello there" } }] });
  const sent = upstream.received[0]?.headers;
  expect(sent?.get("accept-encoding")).not.toContain("identity;q=0.1");
  expect(sent?.get("te")).toBeNull();
  expect(sent?.get("connection")).not.toBe("close");
});
