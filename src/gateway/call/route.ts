import type { Price } from "../../billing/types.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { Candidates } from "../../domain/channels/routing/routing-index.ts";
import type { ChatService } from "../../formats/conversation/service.ts";
import { parseJson } from "../../formats/json.ts";
import type { StreamedBody } from "../../lib/http/streamed-body.ts";
import { textOfBytes } from "../../lib/values/bytes.ts";
import type { Provider } from "../../providers/contract/provider.ts";
import type { RouteExperiment } from "../../settings/option/model-routes.ts";

export type Choice = Readonly<{
  channel: ChannelEntry;
  key: string;
  /** Whether another channel may be tried if this one fails; absent: none. */
  hasAlternative?(): boolean;
}>;

/** What a call no longer tries. */
export type Excluded = {
  channels: Set<ChannelEntry>;
  /** Keys that failed, by channel id. */
  keys: Map<number, Set<string>>;
};

/** A channel and key for a call, by which it is charged and logged. */
export type Route = Readonly<{
  channel: ChannelEntry;
  key: string;
  keyIndex: number;
  provider: Provider;
  /** What is known of its chats. */
  service: ChatService;
  /** The product that the upstream sees. */
  userAgent: string;
  /** Empty: none. */
  proxy: string;
  /** The upstream model name. */
  upstreamModel: string;
  price: Price | null;
  /** Fields of the request that the upstream cannot express. */
  dropped: readonly string[];
  /** Whether another channel may be tried if this one fails; absent: none. */
  hasAlternative?: Choice["hasAlternative"];
  /** The gateway has marked a prefix to cache. */
  isMarked?: boolean;
  /** The body that it was sent, if contents are logged. */
  sent?: SentBody;
}>;

/** A model of a route, and the channels that serve it. */
export type RouteTarget = Readonly<{ model: string; candidates: Candidates }>;

/** When a second channel is called besides the first, for streams that have no token yet. */
export type HedgeRule = Readonly<{
  /** The route's name. */
  route: string;
  /** Null: after the channel's 95th percentile. */
  afterMs: number | null;
  /** Bound of what cancelled attempts may cost, in percent of what the route spends. */
  maxExtraPercent: number;
}>;

/** How long a call waits where everything is busy. */
export type QueueRule = Readonly<{
  /** The route's name. */
  route: string;
  maxWaitMs: number;
  /** Calls that may wait at a time. */
  maxLength: number;
  /** Of the call's group; the lowest is served first. */
  priority: number;
}>;

/** The part of a call in its route's experiment. */
export type ExperimentPart = Readonly<{
  route: string;
  rule: RouteExperiment;
  /** Trial: the new model serves it; control: it is compared with those; mirror: a copy goes to the new model. */
  part: "trial" | "control" | "mirror";
  target: RouteTarget;
  /** It counts: of a conversation only one call does, because they are not independent of each other. */
  isCounted: boolean;
}>;

/** What a route decided for a call. */
export type RoutePlan = Readonly<{
  /** Null: the call takes no part in an experiment. */
  experiment: ExperimentPart | null;
  /** Null: a busy route refuses the call. */
  queue: QueueRule | null;
  /** Null: channels are tried one after the other. */
  hedge: HedgeRule | null;
  /** In the order in which to try them. */
  targets: readonly RouteTarget[];
  /** The key of the call's conversation, which stays with its model; null: none, or the route's order is fixed. */
  conversation: bigint | null;
}>;

/** The body of a request to an upstream. */
export type SentBody = string | Uint8Array<ArrayBuffer> | StreamedBody;

/** The value of a body of JSON; undefined: it is none, such as a form. */
export function valueOfBody(body: SentBody): unknown {
  if (typeof body === "string") return parseJson(body) ?? undefined;
  return body instanceof Uint8Array ? (parseJson(textOfBytes(body)) ?? undefined) : body.json;
}
