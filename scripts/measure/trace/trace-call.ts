/**
 * Prints which functions the simplest chat call runs, in order, and counts functions, files, folders and changes of file:
 * one key, one channel, no mapping, on the embedded database; first as one response, then as a stream. Every function of `src`
 * and `db` counts that has a body and is entered, accessors and closures too; those of the runtime, of packages and of the
 * upstream's double don't. `trace-call.test.ts` lets none of the figures grow.
 *   --json     only the figures, as JSON
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createApiKey, createChannel, setOption, setUp } from "../../../test/support/e2e/console-client.ts";
import {
  chatReply,
  chunk,
  DONE,
  sse,
  startUpstream,
  usageChunk,
} from "../../../test/support/gateway/start-upstream.ts";
import { ensureSeed } from "../../build/seed.ts";
import type { TracedFunction } from "./instrument.ts";
import { instrumentSources, trace } from "./load-instrumented.ts";
import { countTrace, formatTrace, type TraceTotals } from "./report.ts";

const MODEL = "gpt-4o-mini";
/** The first calls fill caches; of the others the shortest one has no job of the process in between. */
const WARM_UP = 5;
const REPEATS = 10;

await ensureSeed();
instrumentSources();
const { openServices } = await import("../../../src/server/services.ts");
const { createApp } = await import("../../../src/server/app.ts");
const { readConfig } = await import("../../../src/server/config.ts");
const { createLogger } = await import("../../../src/lib/runtime/log.ts");

const dataDir = await mkdtemp(path.join(tmpdir(), "sluice-trace-"));
const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "error", ALLOW_PRIVATE_UPSTREAMS: "true" });
const services = await openServices(config, createLogger(config));
const app = createApp(services, () => false);
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: app.fetch });
const upstream = startUpstream(({ text }) =>
  text.includes('"stream":true') ? streamedReply() : Response.json(chatReply()),
);
const url = `http://127.0.0.1:${server.port}`;
const root = await setUp({ url });
await createChannel(root, upstream.url, [MODEL]);
await setOption(root, "ModelRatio", { [MODEL]: 1 });
const { key } = await createApiKey(root);

const response = await traceCall(false);
const stream = await traceCall(true);
if (process.argv.includes("--json")) {
  process.stdout.write(`${JSON.stringify({ response: countTrace(response), stream: countTrace(stream) })}\n`);
} else {
  print("As one response", response);
  print("As a stream", stream);
}

await server.stop(true);
await upstream.stop();
await services.close();
await rm(dataDir, { recursive: true, force: true });
process.exit(0);

async function traceCall(isStream: boolean): Promise<TracedFunction[]> {
  for (let count = 0; count < WARM_UP; count += 1) await callOnce(isStream);
  let shortest: TracedFunction[] | null = null;
  for (let count = 0; count < REPEATS; count += 1) {
    await Bun.sleep(100);
    const entered = await trace(() => callOnce(isStream));
    if (!shortest || entered.length < shortest.length) shortest = entered;
  }
  return shortest ?? [];
}

async function callOnce(isStream: boolean): Promise<void> {
  const body = { model: MODEL, messages: [{ role: "user", content: "Hello" }], ...(isStream && { stream: true }) };
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`the call failed: ${reply.status} ${text}`);
}

function streamedReply(): Response {
  return sse(
    [chunk({ role: "assistant", content: "Hello" }), chunk({ content: " there" }, {}, "stop"), usageChunk(), DONE].join(
      "",
    ),
  );
}

function print(title: string, entered: readonly TracedFunction[]): void {
  process.stdout.write(`${title}\n\n${formatTrace(entered)}\n\n${describe(countTrace(entered))}\n\n`);
}

function describe({ calls, functions, files, folders, switches }: TraceTotals): string {
  return `${calls} calls of ${functions} functions in ${files} files in ${folders} folders, ${switches} changes of file`;
}
