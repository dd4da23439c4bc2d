import type { Candidates } from "../../domain/channels/routing/routing-index.ts";
import type { Conversation } from "../../formats/conversation/conversation.ts";
import type { JsonObject } from "../../formats/json.ts";
import type { RequestSummary } from "../../formats/openai-chat/request/summary.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { identify } from "../../lib/http/request-id.ts";
import type { TopLevelChanges } from "../../lib/values/json-splice.ts";
import type { Caller } from "../auth/authenticate.ts";
import type { ClientBody } from "../http/client-body.ts";
import { ClientPresence } from "../http/client-presence.ts";
import type { Endpoint } from "../http/endpoints/endpoint.ts";
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
  /** What the endpoint itself changes in the body. */
  changes: TopLevelChanges;
  candidates: Candidates;
  /** No prompt in these bytes has more tokens. */
  promptBound: number;
  /** The prompt in the shape of an OpenAI request: what is counted, checked and logged. */
  prompt: JsonObject;
  /** Reads the chat in the neutral format, as the client sent it; null where it is no chat. */
  conversation: (() => Conversation) | null;
}>;

/** One call on its way through the pipeline. It never changes: steps return what they find, or a changed copy. */
export type Call = AuthorizedRequest &
  Readonly<{
    /** The id that clients and upstreams see, and the one of the log row. */
    requestId: string;
    recordId: string;
    /** Epoch seconds at arrival. */
    createdAt: number;
    timing: CallTiming;
    client: ClientPresence;
    attempts: AttemptLog;
    /** Its spans; null: nobody collects them. */
    trace: CallTrace | null;
    /** The whole chat, with the earlier turns that it refers to, for the upstream; null where it is no chat. */
    fullConversation: (() => Conversation) | null;
    /** Earlier turns were put before the client's own messages. */
    isResumed: boolean;
    /** Channels and keys that are left out from the start; null: none. */
    excluded: Excluded | null;
  }>;

/** The call of an authorized request. `telemetry`: where its spans go, if anywhere. */
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
    excluded: null,
  };
}

/** Reads a conversation when it is first needed. */
function readOnce(read: () => Conversation): () => Conversation {
  let conversation: Conversation | null = null;
  return () => {
    conversation ??= read();
    return conversation;
  };
}
