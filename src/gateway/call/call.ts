import type { Candidates } from "../../domain/channels/routing/routing-index.ts";
import type { Conversation } from "../../formats/conversation/conversation.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { identify } from "../../lib/http/request.ts";
import type { Caller } from "./caller.ts";
import type { Endpoint, ParsedRequest } from "./endpoint.ts";
import type { CallGuard } from "./guardrails/call-guard.ts";
import type { MaskedValues } from "./guardrails/masked-values.ts";
import { AttemptLog, type CallProgress, type CallTiming, ClientPresence, type RequestTimeouts } from "./progress.ts";
import type { Excluded, Route, RoutePlan } from "./route.ts";
import type { CallTrace } from "./telemetry/call-trace.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";

/** Who calls, and by which channels the call can be served. */
type AuthorizedRequest = Readonly<{
  request: Request;
  endpoint: Endpoint;
  caller: Caller;
  ip: string;
  candidates: Candidates;
  /** Absent: the request did not come over a connection. */
  server?: RequestTimeouts | null;
}>;

/**
 * One call in the pipeline. What it is about never changes: steps return a changed copy. How far it has come stands in its
 * `progress`, which its steps write.
 */
export type Call = AuthorizedRequest &
  ParsedRequest &
  Readonly<{
    /** The id that clients and upstreams receive; `recordId` identifies the log row. */
    requestId: string;
    recordId: string;
    /** Unix time in seconds when its request was read. */
    createdAt: number;
    progress: CallProgress;
    /** The call's spans; null without telemetry. */
    trace: CallTrace | null;
    /** The complete chat for the upstream, with the earlier turns that it refers to; null for other calls. */
    fullConversation: (() => Conversation) | null;
    /** Earlier turns were inserted before the client's own messages. */
    isResumed: boolean;
    /** What was masked in the conversation that it goes on with; null: nothing is known of it. */
    resumedMasked: MaskedValues | null;
    /** The model that the client named, if another has taken over; else null. */
    fallbackFrom: string | null;
    /** The channel and key by which it is charged and logged: of its answer, or of its last attempt; null: it has none yet. */
    servedBy: Route | null;
    /** What the requested route decided; null: the client named a model. */
    route: RoutePlan | null;
    /** What guardrails hold for its answer, and what they masked in its request; null: nothing. */
    guard: CallGuard | null;
    /** The text of its response is needed when it has ended. */
    keepsText: boolean;
    /** Channels and keys that are excluded from the start; null: none. */
    excluded: Excluded | null;
  }>;

/** Creates the call of an authorized request. `telemetry` receives its spans, if set. */
export function newCall(
  authorized: AuthorizedRequest,
  parsed: ParsedRequest,
  timing: CallTiming,
  telemetry: Telemetry | null = null,
): Call {
  const { request } = authorized;
  const conversation = parsed.conversation && readOnce(parsed.conversation);
  const { requestId, recordId } = identify(request);
  return {
    request,
    endpoint: authorized.endpoint,
    caller: authorized.caller,
    ip: authorized.ip,
    body: parsed.body,
    summary: parsed.summary,
    changes: parsed.changes,
    candidates: authorized.candidates,
    fallbacks: parsed.fallbacks,
    preferences: parsed.preferences,
    promptBound: parsed.promptBound,
    typicalTokens: parsed.typicalTokens,
    storesParts: parsed.storesParts,
    promptAudioTokens: parsed.promptAudioTokens,
    prompt: parsed.prompt,
    conversation,
    requestId,
    recordId,
    createdAt: nowSeconds(),
    progress: {
      timing,
      client: new ClientPresence(request, authorized.server),
      attempts: new AttemptLog(),
      cache: null,
      guard: null,
    },
    trace: telemetry?.begin({ request, endpoint: authorized.endpoint, ...parsed }, timing) ?? null,
    fullConversation: conversation,
    isResumed: false,
    resumedMasked: null,
    fallbackFrom: null,
    servedBy: null,
    guard: null,
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
