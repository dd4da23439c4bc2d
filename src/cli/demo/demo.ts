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
import { startDemoProvider } from "./demo-provider.ts";
import { DEMO_ACCOUNT, fillSite, sendCall } from "./demo-site.ts";

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
/** About as many calls an hour as the weeks before have at this time of the day. */
const MOST_PAUSE_MS = 30_000;

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
