import { randomInt } from "node:crypto";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../formats/json.ts";
import { promptTexts } from "../../formats/openai-chat/request/summary.ts";
import { countPrompt, countText } from "../../gateway/money/count-tokens.ts";

/** A provider with OpenAI's API that answers from a handful of sentences. */
type DemoProvider = Readonly<{ url: string; stop(): void }>;

const SENTENCES = [
  "A sluice is a gate that controls the flow of water.",
  "This answer comes from the demo's built-in provider; no model was called.",
  "Each call is priced, charged and logged like a real one.",
  "Open the usage log to see its receipt.",
];
const MOST_DELAY_MS = 400;
const WORD_DELAY_MS = 12;
/** So that comparisons have something to find. */
const FASTER: ReadonlySet<string> = new Set(["gpt-4.1-mini"]);
/** One call in so many is refused, so that retries and errors have something to show. */
const REFUSED_ONE_IN = 40;
/** Beginnings of conversations that are cached, and the fewest tokens of one; both are OpenAI's order of size. */
const [MOST_CACHED, FEWEST_CACHED_TOKENS] = [200, 1024];

/** Starts a provider of these models on a free loopback port. It counts tokens as the models' own tokenizer does. */
export function startDemoProvider(models: readonly string[]): DemoProvider {
  const cache = new Map<string, number>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname.endsWith("/models")) {
        return Response.json({ object: "list", data: models.map((id) => ({ id, object: "model" })) });
      }
      // The destination of usage records.
      if (pathname === "/usage") return new Response();
      if (!pathname.endsWith("/chat/completions")) return refuse(404, "This provider only has chat completions.");
      const body = recordOf(parseJson(await request.text()));
      if (!body) return refuse(400, "The body is not a JSON object.");
      if (randomInt(REFUSED_ONE_IN) === 0) return refuse(429, "The demo's provider refuses a call now and then.");
      const model = textOf(body.model) ?? "";
      const promptTokens = await countPrompt(model, body);
      const cachedTokens = cachedOf(cache, model, body, promptTokens);
      await Bun.sleep(randomInt(MOST_DELAY_MS) * (FASTER.has(model) ? 0.4 : 1));
      const text = replyTo(promptTexts(body).join("\n"));
      const usage = { promptTokens, cachedTokens, completionTokens: await countText(model, text) };
      return answer(model, body.stream === true, text, usage);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => void server.stop(true) };
}

const refuse = (status: number, message: string): Response =>
  Response.json({ error: { message, type: "demo_error", code: null } }, { status });

/** How much of the prompt a call before began with; remembers this one. */
function cachedOf(cache: Map<string, number>, model: string, body: JsonObject, tokens: number): number {
  const messages = recordsOf(body.messages).map((message) => JSON.stringify(message));
  const keyOf = (length: number) => String(Bun.hash([model, ...messages.slice(0, length)].join("\n")));
  const found = messages
    .keys()
    .toArray()
    .findLast((length) => length > 0 && cache.has(keyOf(length)));
  const cached = found === undefined ? 0 : (cache.get(keyOf(found)) ?? 0);
  cache.set(keyOf(messages.length), tokens);
  const [oldest] = cache.keys();
  if (cache.size > MOST_CACHED && oldest !== undefined) cache.delete(oldest);
  return cached >= FEWEST_CACHED_TOKENS ? Math.min(cached, tokens) : 0;
}

const PHRASE = /The pass phrase is (\S+)\. Remember it\./;
const REPEAT = /Repeat the following words exactly, and write nothing else:\s+(.+)/s;

/** It repeats what the prompt says, as any model can: checks of its channel find nothing wrong. */
function replyTo(prompt: string): string {
  const found = PHRASE.exec(prompt)?.[1] ?? REPEAT.exec(prompt)?.[1];
  return found ?? SENTENCES.slice(0, randomInt(1, SENTENCES.length + 1)).join(" ");
}

type DemoUsage = Readonly<{ promptTokens: number; cachedTokens: number; completionTokens: number }>;

function answer(model: string, isStream: boolean, text: string, counted: DemoUsage): Response {
  const { promptTokens, cachedTokens, completionTokens } = counted;
  const usage = {
    ...{ prompt_tokens: promptTokens, completion_tokens: completionTokens },
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
  };
  const head = { id: `chatcmpl-${Bun.randomUUIDv7()}`, created: Math.floor(Date.now() / 1000), model };
  if (!isStream) {
    const message = { role: "assistant", content: text };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    return Response.json({ ...head, object: "chat.completion", choices, usage });
  }
  const chunk = (delta: object, reason: string | null) =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  async function* parts() {
    yield chunk({ role: "assistant", content: "" }, null);
    for (const word of text.match(/\S+\s*/g) ?? []) {
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
