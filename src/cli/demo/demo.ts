import { randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createSafeFetch, type SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { startAgain } from "../../lib/runtime/prepare-runtime.ts";
import { readLocation } from "../../server/config.ts";
import { startDemoProvider } from "./demo-provider.ts";
import { DEMO_ACCOUNT, fillSite, sendCall } from "./demo-site.ts";

/** Channel types and models that the release has prices for. */
const CHANNELS = [
  { name: "OpenAI (demo)", type: 1, models: ["gpt-4o", "gpt-4o-mini", "gpt-4.1-mini"] },
  { name: "DeepSeek (demo)", type: 43, models: ["deepseek-chat", "deepseek-reasoner"] },
  { name: "Mistral (demo)", type: 42, models: ["mistral-large-latest", "mistral-small-latest"] },
] as const;
const MODELS = CHANNELS.flatMap(({ models }) => models);

const READY_WITHIN_MS = 60_000;
const READY_EVERY_MS = 200;
/** Calls of the first seconds, so that no page is empty, and how many of them run at once. */
const FIRST_CALLS = 120;
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
  const child = startAgain(["serve"], {
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
  void child.exited.then(() => {
    isEnding = true;
  });
  try {
    await untilReady(fetch, address, () => isEnding);
    const keys = await fillSite(
      fetch,
      address,
      CHANNELS.map((channel) => ({ ...channel, url: provider.url })),
    );
    process.stdout.write(`The demo runs on ${address}\n`);
    process.stdout.write(`Sign in as ${DEMO_ACCOUNT.username} with the password ${DEMO_ACCOUNT.password}\n`);
    process.stdout.write("Everything is made up and is removed when you press Ctrl+C.\n");
    const call = () => sendCall(fetch, address, keys, MODELS);
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        for (let sent = 0; sent < FIRST_CALLS / LANES && !isEnding; sent += 1) await call();
      }),
    );
    while (!isEnding) {
      await call();
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
