import { randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createSafeFetch, type SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { startAgain } from "../../lib/runtime/prepare-runtime.ts";
import { readLocation } from "../../server/config.ts";
import { createFeatures, DEMO_ROUTES, runAgent, tryFeatures } from "./demo-features.ts";
import { fillHistory } from "./demo-history.ts";
import { DEMO_ACCOUNT, fillSite, sendCall } from "./demo-site.ts";

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
const CHARACTERS_PER_TOKEN = 4;

/** Starts a provider of these models on a free loopback port. */
function startDemoProvider(models: readonly string[]): DemoProvider {
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
      const text = await request.text();
      const body: unknown = JSON.parse(text);
      if (randomInt(REFUSED_ONE_IN) === 0) return refuse(429, "The demo's provider refuses a call now and then.");
      const model = typeof body === "object" && body !== null && "model" in body ? String(body.model) : "";
      await Bun.sleep(randomInt(MOST_DELAY_MS) * (FASTER.has(model) ? 0.4 : 1));
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

/** Channel types and models that the release has prices for. */
const CHANNELS = [
  { name: "OpenAI (demo)", type: 1, models: ["gpt-4o", "gpt-4o-mini", "gpt-4.1-mini"] },
  { name: "DeepSeek (demo)", type: 43, models: ["deepseek-v4-flash", "deepseek-v4-pro"] },
  { name: "Mistral (demo)", type: 42, models: ["mistral-large-latest", "mistral-small-latest"] },
] as const;
const MODELS = CHANNELS.flatMap(({ models }) => models);
/** What callers send as the model. */
const CALLED = [...MODELS, ...DEMO_ROUTES];

const READY_WITHIN_MS = 60_000;
const READY_EVERY_MS = 200;
/** Calls that are repeated in the weeks before, and how many of them run at once. */
const TEMPLATE_CALLS = 60;
/** Calls to a route, so that both sides of its experiment have enough for a first look; and runs of agents. */
const ROUTE_CALLS = 54;
const RUNS = 4;
/** Later, one run of an agent for so many calls. */
const CALLS_PER_RUN = 12;
const LANES = 6;
const MOST_PAUSE_MS = 3000;

/**
 * Runs a gateway with a temporary database of its own, a built-in provider and made-up traffic until a signal ends it. Returns the
 * exit code. It listens on 127.0.0.1 and PORT alone.
 */
export async function demo(): Promise<number> {
  const { port } = readLocation();
  const address = `http://127.0.0.1:${port}`;
  const fetch = createSafeFetch(createAddressPolicy(true));
  // Another gateway there would be taken for the demo's own.
  if ((await statusOf(fetch, address)) !== null) throw new Error(`something runs on port ${port}: set PORT to another`);
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-demo-"));
  const provider = startDemoProvider(MODELS);
  const serve = () =>
    startAgain(["serve"], {
      // The account's password is public.
      HOST: "127.0.0.1",
      DATA_DIR: folder,
      DATABASE_URL: "",
      SQL_DSN: "",
      REDIS_URL: "",
      ALLOW_PRIVATE_UPSTREAMS: "true",
      LOG_LEVEL: "warn",
    });
  let isEnding = false;
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => {
      isEnding = true;
    });
  }
  let child = serve();
  const hasEnded = () => isEnding || child.exitCode !== null;
  try {
    await untilReady(fetch, address, hasEnded);
    const channels = CHANNELS.map((channel) => ({ ...channel, url: provider.url }));
    const site = await fillSite(fetch, address, channels);
    await createFeatures(site, provider.url);
    const { keys } = site;
    const call = (models: readonly string[] = CALLED) => sendCall(fetch, address, keys, models);
    const run = () => runAgent(fetch, address, keys[randomInt(keys.length)] ?? "");
    const callUpTo = (calls: number, models?: readonly string[]) =>
      Promise.all(
        Array.from({ length: LANES }, async () => {
          for (let sent = 0; sent < calls / LANES && !hasEnded(); sent += 1) await call(models);
        }),
      );
    await callUpTo(TEMPLATE_CALLS);
    await Promise.all([callUpTo(ROUTE_CALLS, ["summaries"]), ...Array.from({ length: RUNS }, run)]);
    if (!hasEnded()) await tryFeatures(site);
    if (!hasEnded()) {
      child.kill();
      await child.exited;
      await fillHistory(folder);
    }
    if (!isEnding) {
      child = serve();
      await untilReady(fetch, address, hasEnded);
      process.stdout.write(`The demo runs on ${address}\n`);
      process.stdout.write(`Sign in as ${DEMO_ACCOUNT.username} with the password ${DEMO_ACCOUNT.password}\n`);
      process.stdout.write("Everything is made up and is removed when you press Ctrl+C.\n");
    }
    while (!hasEnded()) {
      await (randomInt(CALLS_PER_RUN) === 0 ? run() : call());
      await Promise.race([Bun.sleep(randomInt(MOST_PAUSE_MS)), child.exited]);
    }
    return await child.exited;
  } finally {
    child.kill();
    await child.exited;
    provider.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits until the gateway takes calls. Throws if it ends before. */
async function untilReady(fetch: SafeFetch, address: string, hasEnded: () => boolean): Promise<void> {
  for (let waitedMs = 0; waitedMs < READY_WITHIN_MS; waitedMs += READY_EVERY_MS) {
    if (hasEnded()) break;
    if ((await statusOf(fetch, address)) === 200) return;
    await Bun.sleep(READY_EVERY_MS);
  }
  throw new Error("the demo's gateway did not start");
}

/** What /readyz says; null if nothing answers. */
const statusOf = (fetch: SafeFetch, address: string): Promise<number | null> =>
  fetch(`${address}/readyz`).then(
    ({ status }) => status,
    () => null,
  );
