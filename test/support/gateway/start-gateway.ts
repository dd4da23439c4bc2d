import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { Registry } from "prom-client";
import type { UserEntry } from "../../../src/domain/accounts/directory.ts";
import type { Standing, StandingSubject } from "../../../src/domain/api-keys/budget.ts";
import type { ApiKeyEntry } from "../../../src/domain/api-keys/directory/index.ts";
import type { ChannelEntry } from "../../../src/domain/channels/entry.ts";
import { createRoutingIndex } from "../../../src/domain/channels/routing/routing-index.ts";
import { createCallFeed } from "../../../src/domain/logs/live/call-feed.ts";
import type { ExperimentStore } from "../../../src/domain/models/experiments/store.ts";
import type { TaskDeps } from "../../../src/domain/tasks/task.ts";
import type { JsonObject } from "../../../src/formats/json.ts";
import {
  createContext,
  createGateway,
  type GatewayServices,
  gatewaySockets,
} from "../../../src/gateway/endpoints/create-gateway.ts";
import { settleUnpolled } from "../../../src/gateway/state/files/read-objects.ts";
import type { ObjectStore } from "../../../src/gateway/state/objects/store.ts";
import type { ResponseStore, StoredResponse } from "../../../src/gateway/state/responses/store.ts";
import { createClientAddress } from "../../../src/lib/http/client-ip.ts";
import { pathOf } from "../../../src/lib/http/request.ts";
import type { Reason } from "../../../src/lib/reason.ts";
import { createRefusalCount } from "../../../src/lib/runtime/metrics/metrics.ts";
import { createVault } from "../../../src/lib/security/crypto.ts";
import type { OptionKey } from "../../../src/settings/registry/index.ts";
import { fixedSettings } from "../lib/settings.ts";
import { channelEntry, tokenEntry, userEntry } from "./entries.ts";
import { FakeBilling } from "./fake-billing.ts";
import { chatReply, startUpstream } from "./start-upstream.ts";

type Setup = {
  channels: readonly Partial<ChannelEntry>[];
  options?: Partial<Record<OptionKey, string>>;
  user?: Partial<UserEntry>;
  /** Further accounts. */
  users?: readonly Partial<UserEntry>[];
  /** API key without `sk-` → entry; by default one key “test”. */
  tokens?: Readonly<Record<string, Partial<ApiKeyEntry>>>;
  config?: Partial<{
    relayTimeoutMs: number;
    streamingTimeoutMs: number;
    writeTimeoutMs: number;
    allowPrivateUpstreams: boolean;
    allowPrivateWebhooks: boolean;
    usesEnvironmentProxy: boolean;
    maxUpstreamConnections: number;
    maxResponseBodyBytes: number;
    maxRequestBodyBytes: number;
    requestBodyTimeoutMs: number;
    bodyMemoryBytes: number | null;
    idleTimeoutSeconds: number;
    maxUploadBytes: number;
    dataDir: string;
  }>;
  /** Where files, batches and jobs are kept; without it there are none. */
  objects?: ObjectStore;
  /** Where responses are kept; without it in memory. */
  responses?: ResponseStore;
  session?: UserEntry;
  renewBudget?: (tokenId: number) => Promise<void>;
  recheckKey?: (key: string, address: string) => Promise<boolean>;
  /** What every key and user appears to have. */
  standing?: Standing;
  /** Quota units of any range. */
  spending?: number;
  /** Where results of experiments are kept; without it nowhere. */
  experiments?: ExperimentStore;
  /** Instead of billing in memory. */
  billing?: GatewayServices["billing"];
  /** Where replicas share responses; without it nowhere. */
  sharedTexts?: GatewayServices["sharedTexts"];
  /** Budgets of organizations; without it there are none. */
  budgets?: GatewayServices["budgets"];
  policies?: GatewayServices["policies"];
  planTerms?: GatewayServices["planTerms"];
  /** Takes verdicts about calls that are in the log; without it they are lost. */
  lateVerdicts?: GatewayServices["lateVerdicts"];
  /** MCP servers; without it there are none. */
  mcpServers?: GatewayServices["mcpServers"];
  mcpFetches?: GatewayServices["mcpFetches"];
  /** Reaches other gateways that have the same; without it there are none. */
  changes?: GatewayServices["changes"];
  /** Access tokens of applications; without it none can be checked. */
  accessTokens?: GatewayServices["accessTokens"];
  /** Keys of callers at providers; without it nobody has any. */
  providerKeys?: GatewayServices["providerKeys"];
  advancePlans?: GatewayServices["advancePlans"];
  renewOrganizationBudgets?: GatewayServices["renewOrganizationBudgets"];
  /** Where tasks are kept; without it there are none. */
  tasks?: TaskDeps;
  /** Bounds of connections in the WebSocket mode of Responses. */
  sockets?: Parameters<typeof createGateway>[2];
  /** Draws channels; else by chance. */
  random?: () => number;
};

/** The relay on a free loopback port, with its other modules in memory. */
export function startRelay(setup: Setup) {
  const billing = new FakeBilling();
  const index = createRoutingIndex();
  const entries = setup.channels.map((fields, at) =>
    channelEntry({ id: at + 1, name: `channel ${at + 1}`, ...fields }),
  );
  for (const entry of entries) index.add(entry);
  const user = userEntry(setup.user);
  const others = (setup.users ?? []).map(userEntry);
  const tokens = new Map(
    Object.entries(setup.tokens ?? { test: {} }).map(([key, fields]) => [key, tokenEntry(fields)]),
  );
  const disabled: { channelId: number; key: string | null; reason: Reason; status?: number }[] = [];
  const withoutCredit: { channelId: number; reason: Reason }[] = [];
  const marked: { tokenId: number; status: number }[] = [];
  const standingsRead: StandingSubject[] = [];
  const spendingReads: [subject: StandingSubject, start: number, end: number][] = [];
  const metrics = new Registry();
  const feed = createCallFeed();
  const services: GatewayServices = {
    config: {
      relayTimeoutMs: 0,
      streamingTimeoutMs: 60_000,
      writeTimeoutMs: 60_000,
      allowPrivateUpstreams: true,
      allowPrivateWebhooks: true,
      usesEnvironmentProxy: false,
      maxUpstreamConnections: 1_000,
      maxResponseBodyBytes: 64_000_000,
      maxRequestBodyBytes: 8_000_000,
      requestBodyTimeoutMs: 60_000,
      idleTimeoutSeconds: 75,
      bodyMemoryBytes: null,
      workers: 1,
      maxUploadBytes: 8_000_000,
      basePath: "",
      dataDir: join(tmpdir(), `sluice-relay-${Bun.randomUUIDv7()}`),
      ...setup.config,
    },
    settings: fixedSettings(setup.options),
    users: { get: (id) => [user, ...others].find((entry) => entry.id === id), isComplete: () => true },
    tokens: {
      get: (id) => tokens.values().find((token) => token.id === id),
      findByKey: (key) => tokens.get(key),
      setStatus: (tokenId, status) => void marked.push({ tokenId, status }),
    },
    channels: {
      get: (id) => entries.find((entry) => entry.id === id),
      candidates: index.candidates,
      modelsOf: index.modelsOf,
      all: () => entries,
    },
    disableChannel: ({ id }, key, reason, status) =>
      void disabled.push({ channelId: id, key, reason, ...(status && { status }) }),
    noticeNoCredit: ({ id }, reason) => void withoutCredit.push({ channelId: id, reason }),
    billing: setup.billing ?? billing.service,
    responses: setup.responses ?? memoryOfResponses(),
    objects: setup.objects ?? noObjects,
    experiments: setup.experiments ?? null,
    tasks: setup.tasks ?? noTasks,
    recheckKey: setup.recheckKey ?? (async () => false),
    readStanding: async (subject) => {
      standingsRead.push(subject);
      return setup.standing ?? { remaining: 0, used: 0 };
    },
    readSpending: async (subject, { start, end }) => {
      spendingReads.push([subject, start, end]);
      return setup.spending ?? 0;
    },
    renewBudget: async (tokenId) => {
      await setup.renewBudget?.(tokenId);
    },
    ...(setup.sharedTexts && { sharedTexts: setup.sharedTexts }),
    ...(setup.budgets && { budgets: setup.budgets }),
    ...(setup.policies && { policies: setup.policies }),
    ...(setup.mcpServers && { mcpServers: setup.mcpServers }),
    ...(setup.mcpFetches && { mcpFetches: setup.mcpFetches }),
    ...(setup.changes && { changes: setup.changes }),
    ...(setup.accessTokens && { accessTokens: setup.accessTokens }),
    ...(setup.providerKeys && { providerKeys: setup.providerKeys }),
    ...(setup.planTerms && { planTerms: setup.planTerms }),
    ...(setup.lateVerdicts && { lateVerdicts: setup.lateVerdicts }),
    ...(setup.advancePlans && { advancePlans: setup.advancePlans }),
    ...(setup.renewOrganizationBudgets && { renewOrganizationBudgets: setup.renewOrganizationBudgets }),
    clientAddress: createClientAddress([]),
    sharedLimits: null,
    resolveSession: async () => (setup.session ? { actor: setup.session, person: setup.session } : null),
    vault: createVault({ encryptionKey: "a key of tests" }),
    feed,
    log: pino({ level: "silent" }),
    countRefusal: createRefusalCount(metrics),
    metrics,
  };
  const relay = createGateway(services, setup.random, setup.sockets);
  let routes: ReturnType<typeof relay.router.app.compile> | null = null;
  const opened = { sockets: 0 };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    maxRequestBodySize: 256 * 1_048_576,
    // As src/server/app.ts does; what only few tests call is made when they do.
    fetch(request) {
      const path = pathOf(request.url);
      const response = relay.router.take(request, path, server);
      if (response) return response;
      relay.router.resolve(request, path);
      if (!routes) {
        routes = relay.router.app.compile();
        routes.server = server;
      }
      return routes.fetch(request);
    },
    websocket: {
      ...gatewaySockets,
      open(socket) {
        opened.sockets += 1;
        gatewaySockets.open?.(socket);
      },
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    services,
    explain: relay.explain,
    replayer: relay.replayer,
    tryTool: relay.tryTool,
    readLive: () => entries.map(relay.readLive),
    /** What another gateway does with batches and jobs that nobody asks for. */
    settleForgotten: () => settleUnpolled(createContext({ ...services, metrics: new Registry() })),
    billing,
    disabled,
    withoutCredit,
    marked,
    standingsRead,
    spendingReads,
    metrics,
    feed,
    /** How many connections became WebSockets. */
    openedSockets: () => opened.sockets,
    post: (path: string, body: unknown, init: RequestInit = {}) =>
      fetch(url + path, {
        method: "POST",
        ...init,
        headers: { authorization: "Bearer sk-test", "content-type": "application/json", ...init.headers },
        body: typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
      }),
    get: (path: string, headers: Record<string, string> = { authorization: "Bearer sk-test" }) =>
      fetch(url + path, { headers }),
    tokens,
    drain: relay.drain,
    cutOff: relay.cutOff,
    stop: () => {
      relay.close();
      return server.stop(true);
    },
  };
}

export const CHAT = "/v1/chat/completions";
export const ASK = { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }] };

/** Relays before upstreams that answer every chat; `stop` ends all of them. */
export function createAnsweringRelays() {
  const stops: (() => unknown)[] = [];
  const start = (setup: Partial<Setup> = {}) => {
    const upstream = startUpstream(() => Response.json(chatReply()));
    const channels = (setup.channels ?? [{}]).map((channel) => ({ baseUrl: upstream.url, ...channel }));
    const relay = startRelay({ ...setup, channels });
    stops.push(upstream.stop, relay.stop);
    return { upstream, relay };
  };
  return {
    start,
    /** What a client gets for one call, and how many requests went upstream for it. */
    refusal: async (setup: Partial<Setup>, body: unknown = ASK, init: RequestInit = {}, path = CHAT) => {
      const { relay, upstream } = start(setup);
      const answer = await relay.post(path, body, init);
      const { error } = (await answer.json()) as { error?: { message: string; code: string } };
      const requests = upstream.received.length;
      return { status: answer.status, code: error?.code, message: error?.message, requests, relay, answer };
    },
    stop: () => Promise.all(stops.splice(0).map((stop) => stop())),
  };
}

const untouched = (): never => {
  throw new Error("this test keeps no tasks");
};
/** Tasks of tests that order none. */
export const noTasks: TaskDeps = {
  get db() {
    return untouched();
  },
  changes: { publish: untouched },
  settings: fixedSettings(),
  vault: { keyedHash: untouched },
  log: pino({ level: "silent" }),
  hookFetch: untouched,
};

/** Nobody has files or the like. */
const noObjects: ObjectStore = {
  keep: async () => {},
  find: async () => null,
  keepPaid: async () => true,
  findAll: async () => [],
  list: async () => [],
  remove: async () => {},
  unsettled: async () => [],
  settled: async () => {},
};

/** Responses kept in memory. */
function memoryOfResponses(): ResponseStore {
  const storedResponses = new Map<string, StoredResponse>();
  return {
    find: async (id, userId) => {
      const found = storedResponses.get(id);
      return found?.userId === userId ? found : null;
    },
    bodies: async (ids, userId) =>
      new Map(
        ids.flatMap((id): [string, JsonObject][] => {
          const found = storedResponses.get(id);
          return found?.userId === userId ? [[id, found.body]] : [];
        }),
      ),
    placesOfParts: async (ids) =>
      new Map(
        ids.flatMap((id): [string, StoredResponse][] => {
          const found = storedResponses.get(`part:${id}`);
          return found ? [[id, found]] : [];
        }),
      ),
    maskedValues: async (key) => storedResponses.get(`masked:${key}`)?.masked?.values ?? {},
    async addMaskedValues(key, owner, values) {
      const id = `masked:${key}`;
      const earlier = storedResponses.get(id)?.masked?.values;
      const place = { id, ...owner, channelId: 0, keyHash: "", isNative: false, turns: [], body: {}, createdAt: 0 };
      storedResponses.set(id, { ...place, masked: { tenant: "", values: { ...earlier, ...values } } });
    },
    keepParts(ids, place, times) {
      for (const id of ids) {
        const part = { ...place, ...times, id: `part:${id}`, isNative: true, turns: [], body: {} };
        storedResponses.set(part.id, part);
      }
    },
    keep: (response) => void storedResponses.set(response.id, response),
    remove: async (id) => void storedResponses.delete(id),
    sweep: async () => {},
  };
}
