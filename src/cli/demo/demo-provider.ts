import { randomInt } from "node:crypto";

/** A provider with OpenAI's API that answers from a handful of sentences. */
export type DemoProvider = Readonly<{ url: string; stop(): void }>;

const SENTENCES = [
  "A sluice is a gate that controls the flow of water.",
  "This answer comes from the demo's built-in provider; no model was called.",
  "Each call is priced, charged and logged like a real one.",
  "Open the usage log to see its receipt.",
];
const MOST_DELAY_MS = 400;
const WORD_DELAY_MS = 12;
/** One call in so many is refused, so that retries and errors have something to show. */
const REFUSED_ONE_IN = 40;
const CHARACTERS_PER_TOKEN = 4;

/** Starts a provider of these models on a free loopback port. */
export function startDemoProvider(models: readonly string[]): DemoProvider {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname.endsWith("/models")) {
        return Response.json({ object: "list", data: models.map((id) => ({ id, object: "model" })) });
      }
      if (!pathname.endsWith("/chat/completions")) return refuse(404, "This provider only has chat completions.");
      const text = await request.text();
      const body: unknown = JSON.parse(text);
      await Bun.sleep(randomInt(MOST_DELAY_MS));
      if (randomInt(REFUSED_ONE_IN) === 0) return refuse(429, "The demo's provider refuses a call now and then.");
      const model = typeof body === "object" && body !== null && "model" in body ? String(body.model) : "";
      const isStream = typeof body === "object" && body !== null && "stream" in body && body.stream === true;
      return answer(model, isStream, Math.ceil(text.length / CHARACTERS_PER_TOKEN));
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => void server.stop(true) };
}

const refuse = (status: number, message: string): Response =>
  Response.json({ error: { message, type: "demo_error", code: null } }, { status });

function answer(model: string, isStream: boolean, promptTokens: number): Response {
  const sentences = SENTENCES.slice(0, randomInt(1, SENTENCES.length + 1));
  const words = sentences.join(" ").match(/\S+\s*/g) ?? [];
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: words.length,
    total_tokens: promptTokens + words.length,
  };
  const head = { id: `chatcmpl-${Bun.randomUUIDv7()}`, created: Math.floor(Date.now() / 1000), model };
  if (!isStream) {
    const message = { role: "assistant", content: words.join("") };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    return Response.json({ ...head, object: "chat.completion", choices, usage });
  }
  const chunk = (delta: object, reason: string | null) =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  async function* parts() {
    yield chunk({ role: "assistant", content: "" }, null);
    for (const word of words) {
      await Bun.sleep(WORD_DELAY_MS);
      yield chunk({ content: word }, null);
    }
    yield chunk({}, "stop");
    yield `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [], usage })}\n\n`;
    yield "data: [DONE]\n\n";
  }
  return new Response(streamOf(parts()), { headers: { "content-type": "text/event-stream" } });
}

function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: () => void texts.return(undefined),
  });
}
