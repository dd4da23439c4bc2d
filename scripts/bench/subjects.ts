import path from "node:path";
import {
  createApiKey,
  createChannel,
  login,
  ROOT_NAME,
  ROOT_PASSWORD,
  type Session,
  setOption,
  setUp,
} from "../../test/support/e2e/console-client.ts";
import { type Gateway, startGateway } from "../../test/support/processes/gateway.ts";
import type { Target } from "./load/load.ts";
import { MODELS } from "./load/workloads.ts";
import type { Subject } from "./measure.ts";
import { proportionalMib } from "./process-stats.ts";

/** Time for a started gateway to come to rest before its memory is read. */
const REST_MS = 3000;
/** What a model costs in the benchmark: so little that the first account's balance lasts for all calls, four times that for the answer. */
const MODEL_RATIO = 0.1;
const COMPLETION_RATIO = 4;
/** Channel types. */
const ANTHROPIC = 14;
const GEMINI = 24;

export type BenchProcess = Readonly<{ subject: Subject; stop: () => void }>;

/** Starts one of the scripts next to this file, which prints its address on its first line. */
export async function startScript(name: string, file: string, ...args: string[]): Promise<BenchProcess> {
  const child = Bun.spawn([process.execPath, path.join(import.meta.dir, file), ...args], {
    // The limit of 256 outgoing requests is lifted for all alike.
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "65535" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.on("exit", () => child.kill());
  const { value } = await child.stdout.getReader().read();
  const url = new TextDecoder().decode(value).trim();
  return { subject: { name, pid: child.pid, target: { url, key: "sk-none" } }, stop: () => child.kill() };
}

/** A gateway that is set up for the benchmark, after its second start. */
export type GatewaySubject = Readonly<{
  subject: Subject;
  gateway: Gateway;
  root: Session;
  channelIds: readonly number[];
  tokenId: number;
  /** Root's balance before the first call, in quota units. */
  quotaBefore: number;
  firstStartMs: number;
  laterStartMs: number;
  idleMib: number;
}>;

/** Starts the executable on new data, sets it up through its API, starts it again, and lets it come to rest. */
export async function startSluice(
  name: string,
  upstream: Target,
  env: Record<string, string>,
): Promise<GatewaySubject> {
  const options = { env: { ...env, LOG_LEVEL: "warn" } };
  const first = await startGateway({ ...options, isFirstStart: true });
  await setUp(first);
  if ((await first.stop()) !== 0) throw new Error(`${name}: the first run did not end well\n${first.output()}`);
  const gateway = await startGateway({ ...options, dataDir: first.dataDir, isFirstStart: true });
  await Bun.sleep(REST_MS);
  const idleMib = proportionalMib([gateway.pid]);
  const { root, channelIds, tokenId, key } = await prepare(gateway, upstream);
  const { quota } = await root.get("/api/user/self");
  return {
    subject: { name, pid: gateway.pid, target: { url: gateway.url, key } },
    gateway,
    root,
    channelIds,
    tokenId,
    quotaBefore: quota,
    firstStartMs: first.startMs,
    laterStartMs: gateway.startMs,
    idleMib,
  };
}

async function prepare(gateway: Gateway, upstream: Target) {
  const root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
  const models = Object.values(MODELS);
  const prices = (ratio: number) => Object.fromEntries(models.map((model) => [model, ratio]));
  await setOption(root, "ModelRatio", prices(MODEL_RATIO));
  await setOption(root, "CompletionRatio", prices(COMPLETION_RATIO));
  // Limits are part of what is measured: on, and far above the load.
  await setOption(root, "ModelRequestRateLimitDurationMinutes", 1);
  await setOption(root, "ModelRequestRateLimitCount", 100_000_000);
  await setOption(root, "ModelRequestRateLimitSuccessCount", 100_000_000);
  await setOption(root, "ModelRequestRateLimitEnabled", true);
  const { anthropic, slow, gemini, ...own } = MODELS;
  const address = upstream.url.replace(/\/$/, "");
  const channel = (name: string, served: string[], type?: number) =>
    createChannel(root, address, served, { name, ...(type && { type }) });
  const channelIds = [
    await channel("bench", Object.values(own)),
    await channel("bench anthropic", [anthropic, slow], ANTHROPIC),
    await channel("bench gemini", [gemini], GEMINI),
  ];
  const token = await createApiKey(root, { name: "bench" });
  return { root, channelIds, tokenId: token.id, key: token.key };
}
