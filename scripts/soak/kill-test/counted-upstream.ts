import { chatChunks, chatCompletion } from "../../../test/support/e2e/fake-upstream/payloads.ts";

const USAGE = { prompt: 34, completion: 100 };
const WORDS = [" one", " two", " three", " four"];
const GAP_MS = 10;

/** A provider on this machine that counts the calls that it answers; streams take a moment. Speaks OpenAI's chat API. */
export function countedUpstream(port: number): Readonly<{ url: string; calls(): number; stop(): void }> {
  let calls = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    async fetch(request) {
      const text = await request.text();
      if (!request.url.includes("/chat/completions")) return Response.json({ object: "list", data: [] });
      calls += 1;
      // An id of its own: some logs know calls by it.
      const id = `chatcmpl-${Bun.randomUUIDv7()}`;
      if (!/"stream":\s*true/.test(text)) return Response.json({ ...chatCompletion("gpt-4o-mini", USAGE), id });
      return new Response(streamOf(id), { headers: { "content-type": "text/event-stream" } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, calls: () => calls, stop: () => void server.stop(true) };
}

function streamOf(id: string): ReadableStream<Uint8Array> {
  const chunks = chatChunks("gpt-4o-mini", { includeUsage: true, usage: USAGE, words: WORDS });
  const events = [...chunks.map((chunk) => JSON.stringify({ ...chunk, id })), "[DONE]"];
  let next = 0;
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(GAP_MS);
      controller.enqueue(Buffer.from(`data: ${events[next]}\n\n`));
      next += 1;
      if (next === events.length) controller.close();
    },
  });
}
