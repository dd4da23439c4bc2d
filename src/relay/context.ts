import type { Catalog } from "../catalog/catalog.ts";
import type { ChannelEntry } from "../channels/entry.ts";
import type { DialWebSocket } from "../lib/outbound/dial-websocket.ts";
import type { SafeFetch } from "../lib/outbound/safe-fetch.ts";
import type { SigningTools } from "../providers/provider.ts";
import type { createHealth } from "./health.ts";
import type { RelayMetrics } from "./metrics.ts";
import type { ConversationSettings } from "./passages/prepare-conversation.ts";
import type { Prices } from "./price.ts";
import type { ModelRequestLimit } from "./rate-limit.ts";
import type { CoolDown } from "./scheduler/cool-down.ts";
import type { KeyRing } from "./scheduler/key-ring.ts";
import type { KeyTraffic } from "./scheduler/key-traffic.ts";
import type { Stickiness } from "./scheduler/stickiness.ts";
import type { RelayServices } from "./services.ts";
import type { ThoughtMemory } from "./thought-memory.ts";
import type { TokenLimits } from "./token-limits.ts";
import type { Upstream } from "./upstream.ts";
import type { UserLimits } from "./user-limits.ts";
import type { Watch } from "./watch.ts";

/** What the steps of a call work with: the other rooms, and the relay's own memory. */
export type RelayContext = Readonly<{
  services: RelayServices;
  prices: Prices;
  requestLimit: ModelRequestLimit;
  userLimits: UserLimits;
  tokenLimits: TokenLimits;
  coolDown: CoolDown;
  keys: KeyRing;
  stickiness: Stickiness;
  traffic: KeyTraffic;
  health: ReturnType<typeof createHealth>;
  upstream: Upstream;
  dialWebSocket: DialWebSocket;
  /** Channels that turned out not to know the Responses address: such calls are converted for them. */
  withoutResponses: WeakSet<ChannelEntry>;
  /** Models, by channel, that refused betas which others of the same cloud take. */
  withoutBetas: WeakMap<ChannelEntry, Set<string>>;
  /** Channels whose organisation may not read summaries of thoughts: they are not asked for any unless clients do. */
  withoutSummaries: WeakSet<ChannelEntry>;
  /** Channels whose server turned out to have no call that counts tokens. */
  withoutTokenCount: WeakSet<ChannelEntry>;
  watch: Watch;
  /** Calls whose client has not been looked after yet. */
  arrivals: Watch;
  /** Fetches media that clients name by address. */
  mediaFetch: SafeFetch;
  signing: SigningTools;
  thoughts: ThoughtMemory;
  conversationSettings: ConversationSettings;
  /** What is known about models. */
  catalog: () => Catalog;
  metrics: RelayMetrics;
  /** From 0 to 1: draws among channels by their weights. */
  random: () => number;
}>;
