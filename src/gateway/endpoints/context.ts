import type { HostSlots } from "../../lib/limits/host-slots.ts";
import type { SiteTools } from "../adapters/mcp/sources/site-tools.ts";
import type { AdapterTools } from "../adapters/tools.ts";
import type { Limits } from "../auth/limits/limits.ts";
import type { GuardRequestContext } from "../call/guardrails/request/guard-request.ts";
import type { CallTools, Services } from "../call/services.ts";
import type { Pricing } from "../money/price.ts";
import type { EndedCallNotes, RecordRefusalContext } from "../money/settle-call.ts";
import type { RoutingMemory } from "../routing/memory.ts";
import type { RoutingLine } from "../routing/worker-news.ts";
import type { Stores } from "../state/stores.ts";
import type { CacheMemory } from "../streaming/cache/from-cache.ts";
import type { UpstreamTools } from "../upstream/upstream.ts";
import type { Questions } from "./mcp/questions/questions.ts";
import type { McpSessions } from "./mcp/sessions.ts";

/** Everything that the gateway gets of the process. */
export type GatewayServices = Services &
  Stores &
  Readonly<{
    /** The other workers of this host: they count concurrent calls together and share what they know of channels. */
    host?: (Readonly<{ slots: HostSlots }> & RoutingLine) | null;
  }>;

/** Everything that the steps of a call work with; each names what it needs of it. */
export type GatewayContext = Readonly<{ services: GatewayServices }> &
  CallTools &
  Limits &
  Pricing &
  EndedCallNotes &
  Pick<RecordRefusalContext, "refusals"> &
  UpstreamTools &
  RoutingMemory &
  AdapterTools &
  Pick<GuardRequestContext, "guardrailFetch" | "noteLate" | "routeTo"> &
  CacheMemory &
  Readonly<{ mcpSessions: McpSessions; mcpQuestions: Questions; siteTools: SiteTools }>;
