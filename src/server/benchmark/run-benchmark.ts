import { Registry } from "prom-client";
import { createRoutingIndex } from "../../domain/channels/routing/routing-index.ts";
import { createCallFeed } from "../../domain/logs/live/call-feed.ts";
import type { RelayBenchmark } from "../../domain/system/diagnostics/diagnostics-context.ts";
import type { GatewayServices } from "../../gateway/endpoints/context.ts";
import { createContext } from "../../gateway/endpoints/create-gateway.ts";
import { handleCall } from "../../gateway/pipeline/pipeline.ts";
import { chatCompletions } from "../../gateway/request/endpoints/text.ts";
import { createClientAddress } from "../../lib/http/client-ip.ts";
import { createAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../lib/outbound/safe-fetch.ts";
import type { OptionValues } from "../../settings/registry/index.ts";
import { readAll, type SettingsReader } from "../../settings/settings.ts";
import { channelTo, MODEL, token, user } from "./entries.ts";

const WARM_UP = 40;
const PAIRS = 200;
const AT_ONCE = 16;
const CALLS_AT_ONCE = 320;
/** On a machine that is very slow, fewer calls have to do. */
const LONGEST_MS = 4000;

const BODY = JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "How fast is this machine?" }] });
const ANSWER = JSON.stringify({
  id: "chatcmpl-benchmark",
  object: "chat.completion",
  created: 0,
  model: MODEL,
  choices: [{ index: 0, message: { role: "assistant", content: "This fast." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 8, completion_tokens: 3, total_tokens: 11 },
});

/**
 * Sends some hundred calls over the loopback, in turns straight to an upstream of this process and through a relay of their
 * own before it: with this site's settings, but a user, key and channel that exist nowhere else, so that nobody is charged,
 * limited or logged. Returns what the relay adds. Rejects when a call fails.
 */
export async function runBenchmark(
  services: Pick<GatewayServices, "settings" | "responses" | "objects" | "tasks" | "log">,
): Promise<RelayBenchmark> {
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      await request.bytes();
      return new Response(ANSWER, { headers: { "content-type": "application/json" } });
    },
  });
  const upstreamUrl = `http://127.0.0.1:${upstream.port}`;
  const key = Bun.randomUUIDv7("hex").replaceAll("-", "");
  const context = createContext(standIn(services, upstreamUrl, key));
  const gateway = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request, server) => handleCall(context, { request, server, endpoint: chatCompletions }),
  });
  const send = createSafeFetch(createAddressPolicy(true));
  const headers = { authorization: `Bearer sk-${key}`, "content-type": "application/json" };
  const call = async (origin: string) => {
    const start = performance.now();
    const { status, text } = await send(`${origin}/v1/chat/completions`, { method: "POST", headers, body: BODY });
    if (status !== 200) throw new Error(`${status} ${text().slice(0, 200)}`);
    return performance.now() - start;
  };
  const through = () => call(`http://127.0.0.1:${gateway.port}`);
  try {
    return await measure(() => call(upstreamUrl), through);
  } finally {
    await Promise.all([gateway.stop(true), upstream.stop(true)]);
  }
}

async function measure(direct: () => Promise<number>, through: () => Promise<number>): Promise<RelayBenchmark> {
  const deadline = performance.now() + LONGEST_MS;
  const isTime = () => performance.now() < deadline;
  for (let round = 0; round < WARM_UP && isTime(); round += 1) {
    await direct();
    await through();
  }
  const bare: number[] = [];
  const relayed: number[] = [];
  do {
    bare.push(await direct());
    relayed.push(await through());
  } while (relayed.length < PAIRS && isTime());
  const usual = at(bare.sort(ascending), 0.5);
  relayed.sort(ascending);
  let sent = 0;
  const begun = performance.now();
  const worker = async () => {
    do {
      sent += 1;
      await through();
    } while (sent < CALLS_AT_ONCE && isTime());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const seconds = (performance.now() - begun) / 1000;
  return {
    calls: relayed.length,
    p50Ms: Math.max(0, at(relayed, 0.5) - usual),
    p99Ms: Math.max(0, at(relayed, 0.99) - usual),
    perSecond: Math.round(sent / seconds),
  };
}

const ascending = (a: number, b: number) => a - b;
const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** The services that the benchmark's gateway uses: the site's settings, and no real balances. */
function standIn(
  services: Pick<GatewayServices, "settings" | "responses" | "objects" | "tasks" | "log">,
  upstreamUrl: string,
  key: string,
): GatewayServices {
  const { settings, responses, objects, tasks, log } = services;
  const index = createRoutingIndex();
  const channel = channelTo(upstreamUrl);
  index.add(channel);
  return {
    config: {
      relayTimeoutMs: 0,
      streamingTimeoutMs: LONGEST_MS,
      writeTimeoutMs: LONGEST_MS,
      allowPrivateUpstreams: true,
      allowPrivateWebhooks: true,
      usesEnvironmentProxy: false,
      maxUpstreamConnections: 1_000,
      maxResponseBodyBytes: 1_048_576,
      maxRequestBodyBytes: BODY.length,
      requestBodyTimeoutMs: 60_000,
      idleTimeoutSeconds: 75,
      bodyMemoryBytes: null,
      workers: 1,
      maxUploadBytes: 0,
      basePath: "",
      // Only forms with files are kept on the disk, and none is sent.
      dataDir: "",
    },
    settings: withoutLimits(settings),
    users: { get: () => user, isComplete: () => true },
    tokens: { get: () => token, findByKey: (input) => (input === key ? token : undefined), setStatus() {} },
    channels: {
      get: () => channel,
      candidates: index.candidates,
      modelsOf: index.modelsOf,
      all: () => [channel].values(),
    },
    disableChannel() {},
    responses,
    objects,
    tasks,
    billing: {
      reserve: async ({ amount }) => ({ amount }),
      settle: async () => {},
      refund() {},
      keepHold: async () => {},
      settleStored: async () => {},
      record: async () => {},
    },
    readStanding: async () => ({ remaining: 0, used: 0 }),
    readSpending: async () => 0,
    recheckKey: async () => false,
    countRefusal() {},
    renewBudget: async () => {},
    clientAddress: createClientAddress([]),
    sharedLimits: null,
    resolveSession: async () => null,
    vault: { ...tasks.vault, encrypt: (text) => text, decrypt: (cipher) => cipher },
    feed: createCallFeed(),
    log,
    metrics: new Registry(),
  };
}

/** The settings, save for those by which these calls would be refused. */
function withoutLimits(settings: SettingsReader): SettingsReader {
  const { GroupRatio } = readAll(new Map()).values;
  const changed: Partial<OptionValues> = {
    GroupRatio,
    ModelRequestRateLimitEnabled: false,
    OpenAIEndpointEnabled: true,
    CheckSensitiveEnabled: false,
  };
  let { values: base } = settings;
  let values = { ...base, ...changed };
  const current = () => {
    if (base === settings.values) return values;
    base = settings.values;
    values = { ...base, ...changed };
    return values;
  };
  return {
    get values() {
      return current();
    },
    get: (key) => current()[key],
    get version() {
      return settings.version;
    },
  };
}
