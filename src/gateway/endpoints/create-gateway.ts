import { rmSync } from "node:fs";
import { createModelCatalog } from "../../catalog/catalog.ts";
import { isAccessToken } from "../../domain/api-keys/authorization/secrets.ts";
import type { ChannelLive } from "../../domain/channels/current-state.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { PastCall } from "../../domain/models/routes/simulation.ts";
import { nowSeconds } from "../../lib/clock.ts";
import type { BudgetOwner } from "../../lib/limits/byte-budget.ts";
import { createAddressPolicy, createUserAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createDialWebSocket } from "../../lib/outbound/dial-websocket.ts";
import { createCheckedFetch, createSafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { FairTurns } from "../../lib/runtime/tick.ts";
import { signingTools } from "../../providers/contract/provider.ts";
import type { ModelRoute } from "../../settings/option/model-routes.ts";
import { createAutomaticMarks } from "../adapters/conversation/automatic-marks.ts";
import { createConversationSettings } from "../adapters/conversation/prepare-conversation.ts";
import { createReasoningMemory } from "../adapters/conversation/reasoning-memory.ts";
import { readCredential } from "../auth/authenticate.ts";
import { createLimitRuleCounts } from "../auth/limits/limit-rules.ts";
import { createPlanLimits } from "../auth/limits/plan-limits.ts";
import { createUserLimits } from "../auth/limits/user-limits.ts";
import { createApiKeyLimits, createModelRequestLimit } from "../auth/rate-limit.ts";
import { overloaded } from "../call/errors.ts";
import { createDeadlineWheel } from "../call/progress.ts";
import { createGatewayMetrics } from "../call/telemetry/metrics.ts";
import { RefusalBound } from "../call/telemetry/refusal-bound.ts";
import { verdictNote } from "../money/call-labels.ts";
import { createPrices } from "../money/price.ts";
import { routeCall } from "../pipeline/route-call.ts";
import { createExperiments } from "../quality/experiments/experiments.ts";
import { createReplayer } from "../quality/experiments/replay.ts";
import { type ExplainQuestion, type Explanation, explain } from "../quality/explain.ts";
import { predictOutcomes } from "../quality/simulate.ts";
import { createBodyBudget } from "../request/body-memory.ts";
import { formFolder } from "../request/client-body.ts";
import { createHealth } from "../routing/channel-health.ts";
import { readLive } from "../routing/channel-live.ts";
import { createModelsOf } from "../routing/model-fit.ts";
import { createCountedConversations } from "../routing/routes/assign-experiment.ts";
import { createCallQueues } from "../routing/routes/busy/call-queues.ts";
import { createHedges } from "../routing/routes/busy/hedges.ts";
import { createConversationModels } from "../routing/routes/conversation-models.ts";
import { createSpeeds } from "../routing/routes/speeds.ts";
import { createKeyRing } from "../routing/scheduler/choose.ts";
import { createStickiness } from "../routing/scheduler/stickiness.ts";
import { readTrafficFile, writeTrafficFile } from "../routing/scheduler/traffic-file.ts";
import { createWorkerNews, learnNews, SHARE_EVERY_MS } from "../routing/worker-news.ts";
import { settleUnpolled } from "../state/files/read-objects.ts";
import { CachedResponses } from "../streaming/cache/cached-responses.ts";
import { createCoolDown } from "../upstream/keys/cool-down.ts";
import { createKeyTraffic, type TrafficSnapshot } from "../upstream/keys/key-traffic.ts";
import { createUpstream } from "../upstream/upstream.ts";
import type { GatewayContext, GatewayServices } from "./context.ts";
import { Questions } from "./mcp/questions/questions.ts";
import { McpSessions } from "./mcp/sessions.ts";
import type { ToolAttempt, ToolTrial } from "./mcp/try-tool.ts";
import type { SocketLimits } from "./realtime/responses/socket.ts";
import { createResponseSockets } from "./realtime/responses/sockets.ts";
import { createRealtimeSessions } from "./realtime/sessions.ts";
import { createRouter } from "./routes/router.ts";
import { gatewayRoutes } from "./routes/table.ts";

export { createObjectStore } from "../state/objects/store.ts";
export { createResponseStore } from "../state/responses/store.ts";
export type { GatewayServices } from "./context.ts";
export { gatewaySockets, type SocketSession } from "./realtime/sockets.ts";

/** Creates the data plane: every route for API keys and the playground, and the explanation of its routing. */
export function createGateway(
  services: GatewayServices,
  random: () => number = Math.random,
  socketLimits: Partial<SocketLimits> = {},
) {
  const { dataDir } = services.config;
  const news = services.host ? createWorkerNews() : null;
  const context = createContext(services, readTrafficFile(dataDir), news, random);
  const shareRouting = () => {
    const latest = news?.take(context.traffic.underWay(), context.queues.heads());
    if (latest) services.host?.shareRouting(latest);
  };
  services.host?.joinRouting((worker, latest) => learnNews(context, worker, latest));
  const keepTraffic = () => {
    try {
      writeTrafficFile(dataDir, context.traffic.snapshot());
    } catch (error) {
      services.log.warn({ error }, "the figures of the last hour could not be kept");
    }
  };
  const timers = [
    ...(news ? [setInterval(shareRouting, SHARE_EVERY_MS)] : []),
    setInterval(keepTraffic, KEEP_TRAFFIC_MS),
    setInterval(() => void services.responses.sweep(nowSeconds()).catch(() => {}), SWEEP_MS),
    setInterval(() => void settleUnpolled(context).catch(() => {}), SETTLE_MS),
  ];
  for (const timer of timers) timer.unref();
  // Deletes files that an earlier process left when it was killed.
  rmSync(formFolder(services.config), { recursive: true, force: true });
  const realtime = createRealtimeSessions(context);
  const responseSockets = createResponseSockets(context, socketLimits);
  return {
    router: createRouter(context, gatewayRoutes(context, realtime, responseSockets)),
    /** Closes WebSockets: idle ones now, the others after the responses in progress. */
    drain() {
      realtime.drain();
      responseSockets.drain();
    },
    /** Ends every open call with an error in its client's format; resolves when realtime sessions are charged. */
    async cutOff() {
      context.deadlines.cutOff();
      await Promise.all([realtime.cut(), responseSockets.cut()]);
    },
    tryTool: async (attempt: ToolAttempt): Promise<ToolTrial> =>
      (await import("./mcp/try-tool.ts")).tryTool(context, attempt),
    predictOutcomes: (route: ModelRoute, calls: readonly PastCall[], known: readonly PastCall[]) =>
      predictOutcomes(context, route, calls, known),
    replayer: createReplayer(context),
    explain: (question: ExplainQuestion): Explanation => explain(context, services.channels.all(), question),
    readOverhead: () => context.metrics.overhead(),
    readLive: (channel: ChannelEntry): ChannelLive => readLive(context, channel),
    isResting: (channelId: number, key: string): boolean => context.coolDown.isCooling(channelId, key),
    /** Saves the traffic of the last hour for the next start. */
    keepTraffic,
    /** Stops periodic work; open calls continue. WebSockets of Responses end with their turns: clients connect again. */
    close() {
      responseSockets.drain();
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** Whose request it is: the user of its API key, else the console session that it carries. */
function ownerOfBody(
  { tokens, accessTokens }: Pick<GatewayServices, "accessTokens" | "tokens">,
  request: Request,
): BudgetOwner {
  const credential = readCredential(request, (key) => tokens.findByKey(key) !== undefined);
  const token = credential && (tokens.findByKey(credential.key) ?? keyOfAccess(credential.key));
  return token?.userId ?? request.headers.get("cookie") ?? "";

  function keyOfAccess(text: string) {
    const access = isAccessToken(text) ? accessTokens?.known(text) : undefined;
    return access && tokens.get(access.keyId);
  }
}

/** How often to check batches and jobs that no client polls. */
const SETTLE_MS = 600_000;

/** The longest part of the traffic history that a killed process may lose. */
const KEEP_TRAFFIC_MS = 60_000;

/** How often to delete expired stored responses. */
const SWEEP_MS = 3_600_000;

/** Creates the gateway's state, and connects it to the other modules. */
export function createContext(
  services: GatewayServices,
  earlierTraffic: TrafficSnapshot = {},
  news: ReturnType<typeof createWorkerNews> | null = null,
  random: () => number = Math.random,
): GatewayContext {
  const coolDown = createCoolDown(Date.now, news?.key);
  const watch = createDeadlineWheel();
  const policy = createAddressPolicy(services.config.allowPrivateUpstreams);
  const userPolicy = createUserAddressPolicy(services.config.allowPrivateWebhooks);
  const mediaFetch = createSafeFetch(policy);
  const catalog = createModelCatalog(services.settings);
  const bodies = createBodyBudget(services.config);
  const slots = services.sharedLimits?.slots ?? services.host?.slots;
  const context: GatewayContext = {
    services,
    prices: createPrices(services.settings, catalog),
    requestLimit: createModelRequestLimit(services.settings, services.sharedLimits),
    userLimits: createUserLimits(services.sharedLimits, slots),
    tokenLimits: createApiKeyLimits(services),
    planLimits: createPlanLimits(services.sharedLimits),
    limitRules: createLimitRuleCounts(services.settings, services.sharedLimits, slots),
    turns: new FairTurns(overloaded()),
    refusals: new RefusalBound(Date.now),
    coolDown,
    keys: createKeyRing(coolDown),
    stickiness: createStickiness(Date.now, news?.conversation),
    traffic: createKeyTraffic(Date.now, earlierTraffic, news?.ended),
    conversationModels: createConversationModels(news?.model),
    speeds: createSpeeds(Date.now, news?.speed),
    queues: createCallQueues(Date.now, services.host?.slots),
    hedges: createHedges(Date.now, news?.hedge),
    experiments: createExperiments(() => context),
    countedConversations: createCountedConversations(),
    health: createHealth(services),
    upstream: createUpstream(policy, {
      usesEnvironmentProxy: services.config.usesEnvironmentProxy,
      maxConnections: services.config.maxUpstreamConnections,
    }),
    dialWebSocket: createDialWebSocket(policy),
    mediaFetch,
    clientMediaFetch: createSafeFetch(userPolicy),
    guardrailFetch: createSafeFetch(policy),
    noteLate(call, verdict) {
      context.metrics.foundLate(verdict);
      if (services.settings.values.LogConsumeEnabled) services.lateVerdicts?.add(call, verdictNote(verdict));
    },
    routeTo: (call, model) => routeCall(context, call, model),
    mcpFetch: createCheckedFetch(userPolicy),
    mcpSessions: new McpSessions(
      { send: createCheckedFetch(policy), fetch: mediaFetch, ...services.mcpFetches },
      (server) => services.mcpServers?.get(server.id) === server,
    ),
    mcpQuestions: new Questions(services.vault, services.changes),
    siteTools: {
      call: async (tool) => (await import("./mcp/call-tool.ts")).callTool(context, tool),
      end: (servers, caller, session) => context.mcpSessions.end(servers, caller, session),
    },
    signing: signingTools(mediaFetch),
    conversationSettings: createConversationSettings(services.settings, catalog),
    catalog,
    modelsOf: createModelsOf(catalog),
    reasoningMemory: createReasoningMemory(),
    cachedResponses: new CachedResponses(services.sharedTexts ?? null),
    automaticMarks: createAutomaticMarks(),
    limitations: new WeakMap(),
    withoutTokenCount: new WeakSet(),
    deadlines: watch,
    pendingDisconnects: createDeadlineWheel(),
    random,
    metrics: createGatewayMetrics(services.metrics, bodies),
    bodies,
    ownerOfBody: (request) => ownerOfBody(services, request),
  };
  return context;
}
