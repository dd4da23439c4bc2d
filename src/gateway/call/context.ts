import type { Catalog } from "../../catalog/catalog.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { DialWebSocket } from "../../lib/outbound/dial-websocket.ts";
import type { CheckedFetch, SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import type { SigningTools } from "../../providers/contract/provider.ts";
import type { AutomaticMarks } from "../adapters/conversation/automatic-marks.ts";
import type { ConversationSettings } from "../adapters/conversation/prepare-conversation.ts";
import type { ReasoningMemory } from "../adapters/conversation/reasoning-memory.ts";
import type { PlanLimits } from "../auth/plan-limits.ts";
import type { ApiKeyLimits, ModelRequestLimit } from "../auth/rate-limit.ts";
import type { UserLimits } from "../auth/user-limits.ts";
import type { Prices } from "../money/price.ts";
import type { Experiments } from "../quality/experiments/experiments.ts";
import type { createHealth } from "../routing/channel-health.ts";
import type { createModelsOf } from "../routing/model-fit.ts";
import type { CountedConversations } from "../routing/routes/assign-experiment.ts";
import type { CallQueues } from "../routing/routes/busy/call-queues.ts";
import type { Hedges } from "../routing/routes/busy/hedges.ts";
import type { ConversationModels } from "../routing/routes/conversation-models.ts";
import type { Speeds } from "../routing/routes/speeds.ts";
import type { KeyRing } from "../routing/scheduler/choose.ts";
import type { Stickiness } from "../routing/scheduler/stickiness.ts";
import type { CoolDown } from "../upstream/keys/cool-down.ts";
import type { KeyTraffic } from "../upstream/keys/key-traffic.ts";
import type { ChannelLimitations } from "../upstream/route.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { DeadlineWheel } from "./deadline-wheel.ts";
import type { GatewayServices } from "./services.ts";
import type { GatewayMetrics } from "./telemetry/metrics.ts";

/** What the steps of a call work with: the other modules, and the gateway's own state. */
export type GatewayContext = Readonly<{
  services: GatewayServices;
  prices: Prices;
  requestLimit: ModelRequestLimit;
  userLimits: UserLimits;
  tokenLimits: ApiKeyLimits;
  planLimits: PlanLimits;
  coolDown: CoolDown;
  keys: KeyRing;
  stickiness: Stickiness;
  traffic: KeyTraffic;
  conversationModels: ConversationModels;
  /** How fast channels serve their models. */
  speeds: Speeds;
  /** Calls that wait for busy routes. */
  queues: CallQueues;
  /** New models and channels that routes try. */
  experiments: Experiments;
  /** Which conversations the experiments have counted. */
  countedConversations: CountedConversations;
  /** Delays and budgets of hedged routes. */
  hedges: Hedges;
  health: ReturnType<typeof createHealth>;
  upstream: Upstream;
  dialWebSocket: DialWebSocket;
  /** What channels do not support, learned from rejections. */
  limitations: ChannelLimitations;
  /** Channels whose server has no endpoint to count tokens. */
  withoutTokenCount: WeakSet<ChannelEntry>;
  deadlines: DeadlineWheel;
  /** Calls whose client's disconnect is not observed yet. */
  pendingDisconnects: DeadlineWheel;
  /** Fetches media from the addresses of providers. */
  mediaFetch: SafeFetch;
  /** Fetches media from addresses that clients name. */
  clientMediaFetch: SafeFetch;
  /** Connects to MCP servers that clients name. */
  mcpFetch: CheckedFetch;
  signing: SigningTools;
  reasoningMemory: ReasoningMemory;
  automaticMarks: AutomaticMarks;
  conversationSettings: ConversationSettings;
  /** The model catalog. */
  catalog: () => Catalog;
  /** The models behind the channels of a route, where they differ. */
  modelsOf: ReturnType<typeof createModelsOf>;
  metrics: GatewayMetrics;
  /** Random numbers from 0 to 1, to choose channels by weight. */
  random: () => number;
}>;
