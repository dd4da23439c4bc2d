/** The upstream of the benchmark, a process of its own: answers by model name from bytes made beforehand. */
import { chatChunks, chatCompletion } from "../../../test/support/e2e/fake-upstream/payloads.ts";
import { anthropicEvents, geminiEvents } from "./provider-streams.ts";
import { BURST_WORDS, DELAY_MS, MODELS, PACE_MS, PACED_WORDS, SLOW_PACE_MS, SLOW_WORDS } from "./workloads.ts";

/** Events that one write of an unpaced stream carries, as a provider's network packets do. */
const EVENTS_PER_WRITE = 5;

const USAGE = { prompt: 34, completion: 100 };
const completion = Buffer.from(JSON.stringify(chatCompletion(MODELS.json, USAGE)));
const burst = inGroups(events(MODELS.burst, BURST_WORDS), EVENTS_PER_WRITE);
const paced = events(MODELS.paced, PACED_WORDS);
const anthropic = inGroups(anthropicEvents(wordsOf(BURST_WORDS), USAGE), EVENTS_PER_WRITE);
const gemini = inGroups(geminiEvents(wordsOf(BURST_WORDS), USAGE), EVENTS_PER_WRITE);
const slow = anthropicEvents(wordsOf(SLOW_WORDS), USAGE);

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const body = await request.text();
    if (request.url.includes("/v1beta/")) return stream(gemini, 0);
    if (request.url.endsWith("/v1/messages")) {
      return body.includes(MODELS.slow) ? stream(slow, SLOW_PACE_MS) : stream(anthropic, 0);
    }
    if (body.includes(MODELS.burst)) return stream(burst, 0);
    if (body.includes(MODELS.paced)) return stream(paced, PACE_MS);
    if (body.includes(MODELS.delayed)) await Bun.sleep(DELAY_MS);
    return new Response(completion, { headers: { "content-type": "application/json" } });
  },
});
process.stdout.write(`${server.url.href}\n`);

function stream(pieces: readonly Uint8Array[], gapMs: number): Response {
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await (gapMs && next > 0 ? Bun.sleep(gapMs) : new Promise(setImmediate));
      controller.enqueue(pieces[next]);
      next += 1;
      if (next === pieces.length) controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
}

function events(model: string, words: number): Uint8Array[] {
  const chunks = chatChunks(model, { includeUsage: true, usage: USAGE, words: wordsOf(words) });
  return [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => Buffer.from(`data: ${data}\n\n`));
}

function wordsOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => ` word${index}`);
}

function inGroups(pieces: readonly Uint8Array[], size: number): Uint8Array[] {
  const count = Math.ceil(pieces.length / size);
  return Array.from({ length: count }, (_, index) => Buffer.concat(pieces.slice(index * size, (index + 1) * size)));
}
