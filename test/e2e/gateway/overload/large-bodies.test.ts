import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import path from "node:path";
import { createApiKey, createChannel, setOption } from "../../../support/e2e/console-client.ts";
import { CHEAPEST_ENGINE, type Gateway, setUp, startOn } from "../../../support/e2e/fixture.ts";
import { chatReply } from "../../../support/gateway/start-upstream.ts";

/** One key sends far more than the memory of a container of 1 GiB holds, while another one makes small calls. */

const MODEL = "gpt-4o";
const CLIENTS = path.join(import.meta.dir, "large-bodies-worker.ts");
const GIB = 1_073_741_824;
const BODIES = 60;
const MEGABYTES = 60;
/** What BODY_MEMORY_MB is in a container of 1 GiB. */
const BODY_MEMORY_MB = "384";

/** Reads what it is sent without keeping it, and answers large requests after a while. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  maxRequestBodySize: GIB,
  async fetch(request) {
    let bytes = 0;
    for await (const piece of request.body ?? []) bytes += piece.byteLength;
    if (bytes > 1_000_000) await Bun.sleep(500);
    return Response.json(chatReply());
  },
});
let gateway: Gateway;
let large: string;
let small: string;

beforeAll(async () => {
  gateway = await startOn(CHEAPEST_ENGINE, { env: { BODY_MEMORY_MB } });
  const root = await setUp(gateway);
  await createChannel(root, upstream.url.href, [MODEL]);
  await setOption(root, "ModelRatio", { [MODEL]: 1 });
  large = (await createApiKey(root)).key;
  small = (await createApiKey(root)).key;
}, 60_000);
afterAll(async () => {
  await gateway.stop();
  await upstream.stop(true);
}, 60_000);

/** The most memory that the gateway has had, in bytes. */
const peakBytes = (): number =>
  1024 * Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1]);

async function callSmall(): Promise<{ status: number; ms: number }> {
  const startedMs = performance.now();
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${small}`, "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, max_tokens: 5, messages: [{ role: "user", content: "hi" }] }),
  });
  await reply.text();
  return { status: reply.status, ms: performance.now() - startedMs };
}

test("60 bodies of 60 MB at a time: nothing is killed, and the other key's calls are all served soon", async () => {
  await callSmall();
  const before = peakBytes();
  const clients = Bun.spawn([process.execPath, CLIENTS, gateway.url, large, MODEL, String(BODIES), String(MEGABYTES)], {
    stdout: "pipe",
  });
  const calls: Awaited<ReturnType<typeof callSmall>>[] = [];
  while (clients.exitCode === null) {
    calls.push(await callSmall());
    await Bun.sleep(20);
  }
  const statuses: string[] = JSON.parse(await new Response(clients.stdout).text());
  const served = statuses.filter((status) => status === "200").length;
  expect(statuses).toHaveLength(BODIES);
  // One at a time of a key, as its share is half; the others are asked to come again.
  expect(served).toBeGreaterThan(0);
  expect(statuses.filter((status) => status === "503 2")).toHaveLength(BODIES - served);
  expect(calls.every(({ status }) => status === 200)).toBe(true);
  const sorted = calls.map(({ ms }) => ms).sort((one, other) => one - other);
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(100);
  expect(sorted.at(-1)).toBeLessThan(2_000);
  expect(peakBytes() - before).toBeLessThan(GIB / 2);
  expect(peakBytes()).toBeLessThan(GIB);
}, 120_000);
