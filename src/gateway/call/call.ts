import type { Candidates } from "../../domain/channels/routing/routing-index.ts";
import type { Conversation } from "../../formats/conversation/conversation.ts";
import type { JsonObject } from "../../formats/json.ts";
import type { RequestSummary } from "../../formats/openai-chat/request/summary.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { identify } from "../../lib/http/request-id.ts";
import type { TopLevelChanges } from "../../lib/values/json/json-splice.ts";
import type { Caller } from "../auth/authenticate.ts";
import type { ClientBody } from "../http/client-body.ts";
import { ClientPresence } from "../http/client-presence.ts";
import type { Endpoint } from "../http/endpoints/endpoint.ts";
import type { ChannelPreferences } from "../routing/preferences/read-preferences.ts";
import type { RoutePlan } from "../routing/routes/plan.ts";
import type { Excluded } from "../routing/scheduler/choose.ts";
import { AttemptLog } from "../upstream/attempt-log.ts";
import type { CallTiming } from "./call-timing.ts";
import type { CallTrace } from "./telemetry/call-trace.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";

/** A request that was read and authorized. */
type AuthorizedRequest = Readonly<{
  request: Request;
  endpoint: Endpoint;
  caller: Caller;
  ip: string;
  body: ClientBody;
  summary: RequestSummary;
  /** Changes to the body that the endpoint requires. */
  changes: TopLevelChanges;
  candidates: Candidates;
  /** Models that the client allows to take over when the requested one fails, in order. */
  fallbacks: readonly string[];
  /** Which channels the client prefers; null: it states no preference. */
  preferences: ChannelPreferences | null;
  /** An upper bound of the prompt's tokens. */
  promptBound: number;
  /** The prompt in the shape of an OpenAI request, for counting, the word filter and logs. */
  prompt: JsonObject;
  /** Decodes the chat as the client sent it; null for other calls. */
  conversation: (() => Conversation) | null;
}>;

/** One call in the pipeline. It is immutable: steps return their result, or a changed copy. */
export type Call = AuthorizedRequest &
  Readonly<{
    /** The id that clients and upstreams receive; `recordId` identifies the log row. */
    requestId: string;
    recordId: string;
    /** Unix time in seconds at arrival. */
    createdAt: number;
    timing: CallTiming;
    client: ClientPresence;
    attempts: AttemptLog;
    /** The call's spans; null without telemetry. */
    trace: CallTrace | null;
    /** The complete chat for the upstream, with the earlier turns that it refers to; null for other calls. */
    fullConversation: (() => Conversation) | null;
    /** Earlier turns were inserted before the client's own messages. */
    isResumed: boolean;
    /** The model that the client named, if another has taken over; else null. */
    fallbackFrom: string | null;
    /** What the requested route decided; null: the client named a model. */
    route: RoutePlan | null;
    /** The text of its response is needed when it has ended. */
    keepsText: boolean;
    /** Channels and keys that are excluded from the start; null: none. */
    excluded: Excluded | null;
  }>;

/** Creates the call of an authorized request. `telemetry` receives its spans, if set. */
export function newCall(authorized: AuthorizedRequest, timing: CallTiming, telemetry: Telemetry | null = null): Call {
  const { request } = authorized;
  const { requestId, recordId } = identify(request);
  const conversation = authorized.conversation && readOnce(authorized.conversation);
  return {
    request,
    endpoint: authorized.endpoint,
    caller: authorized.caller,
    ip: authorized.ip,
    body: authorized.body,
    summary: authorized.summary,
    changes: authorized.changes,
    candidates: authorized.candidates,
    fallbacks: authorized.fallbacks,
    preferences: authorized.preferences,
    promptBound: authorized.promptBound,
    prompt: authorized.prompt,
    conversation,
    requestId,
    recordId,
    createdAt: nowSeconds(),
    timing,
    client: new ClientPresence(request),
    attempts: new AttemptLog(),
    trace: telemetry?.begin(authorized, timing) ?? null,
    fullConversation: conversation,
    isResumed: false,
    fallbackFrom: null,
    route: null,
    keepsText: false,
    excluded: null,
  };
}

/** Decodes a conversation when first needed. */
function readOnce(read: () => Conversation): () => Conversation {
  let conversation: Conversation | null = null;
  return () => {
    conversation ??= read();
    return conversation;
  };
}
