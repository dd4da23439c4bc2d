import type { AdaptContext } from "../adapters/adapt.ts";
import type { SiteSourceContext } from "../adapters/mcp/sources/site-tools.ts";
import type { AuthenticateContext } from "../auth/authenticate.ts";
import type { GuardRequestContext } from "../call/guardrails/request/guard-request.ts";
import type { CallTools, Uses } from "../call/services.ts";
import type { Pricing } from "../money/price.ts";
import type { ReserveContext } from "../money/reserve.ts";
import type { RecordRefusalContext, SettleCallContext } from "../money/settle-call.ts";
import type { ReadBodyContext } from "../request/client-body.ts";
import type { RoutingMemory } from "../routing/memory.ts";
import type { RouterContext } from "../routing/router.ts";
import type { KeepPartsContext } from "../state/references/keep-parts.ts";
import type { FromCacheContext } from "../streaming/cache/from-cache.ts";
import type { RespondBackgroundContext } from "../streaming/respond.ts";
import type { UpstreamAttemptContext } from "../upstream/attempt.ts";
import type { UpstreamTools } from "../upstream/upstream.ts";

/** What `endCall` works with. */
export type EndCallContext = SettleCallContext & KeepPartsContext & Pick<CallTools, "catalog"> & Pricing;

/** What `attempt` works with. */
export type AttemptContext = AdaptContext & UpstreamAttemptContext;

/** What `relay` works with. */
export type RelayContext = RespondBackgroundContext &
  AttemptContext &
  RouterContext &
  FromCacheContext &
  Pick<RoutingMemory, "conversationModels" | "hedges" | "queues">;

/** What `handleCall` works with. */
export type HandleCallContext = RelayContext &
  AuthenticateContext &
  ReserveContext &
  GuardRequestContext &
  Uses<"clientAddress" | "countRefusal"> &
  ReadBodyContext &
  RecordRefusalContext &
  Pick<CallTools, "pendingDisconnects" | "turns"> &
  Pick<UpstreamTools, "mcpFetch"> &
  SiteSourceContext &
  Pick<RoutingMemory, "countedConversations">;
