import type { Attempt, Price } from "../../billing/types.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { Candidates } from "../../domain/channels/routing-index.ts";
import type { Conversation } from "../../formats/conversation/conversation.ts";
import type { JsonObject } from "../../formats/json.ts";
import type { RequestSummary } from "../../formats/openai-chat/request/summary.ts";
import type { TopLevelChanges } from "../../lib/json-splice.ts";
import { identify } from "../../lib/request-id.ts";
import type { Caller } from "../auth/authenticate.ts";
import type { ClientBody } from "../http/client-body.ts";
import type { ClientPresence } from "../http/client-presence.ts";
import type { Endpoint } from "../http/endpoints/endpoint.ts";
import type { Tried } from "../routing/scheduler/choose.ts";
import type { Hold } from "./services.ts";

/** What is known of a call once it was read and admitted. */
type Admitted = Readonly<{
  request: Request;
  endpoint: Endpoint;
  caller: Caller;
  ip: string;
  body: ClientBody;
  summary: RequestSummary;
  /** What the endpoint itself changes in the body. */
  changes: TopLevelChanges;
  candidates: Candidates;
  promptBound: number;
  /** The prompt in the shape of an OpenAI request: what is counted, checked and logged. */
  prompt: JsonObject;
  /** Reads the chat in no provider's words; null where it is no chat. */
  conversation: (() => Conversation) | null;
}>;

const MOST_NAMED = 32;
const LONGEST_NAME = 64;

/** One relayed call on its way; what its steps find out is written here. */
export class Call {
  readonly requestId: string;
  readonly recordId: string;
  readonly attempts: Attempt[] = [];
  hold: Hold | null = null;
  /** The price under the channel that is being tried. */
  price: Price | null = null;
  /** Where channels know the model by different names: the price under each that has one; null: `price` is every channel's. */
  pricesByName: ReadonlyMap<string, Price> | null = null;
  channel: ChannelEntry | null = null;
  keyIndex = -1;
  upstreamModel = "";
  #dropped: readonly string[] = [];
  #chat: Conversation | null = null;
  /** What is left out from the start; null: nothing. */
  tried: Tried | null = null;
  /** An earlier talk was put before its own messages. */
  resumed = false;
  /** What its conversation is recognised by; null where nothing is to be remembered. */
  conversation: bigint | null = null;
  /** The prompt's tokens as counted here; null: not counted. */
  promptTokens: number | null = null;
  /** Milliseconds from arrival to the first byte of the answer; null before. */
  firstByteMs: number | null = null;
  /** Milliseconds of the gateway's own up to the first byte of the answer; null before. */
  overheadMs: number | null = null;
  /** The client closed its connection. */
  clientLeft = false;
  /** Notices when the client leaves; null: nobody looks. */
  presence: ClientPresence | null = null;
  /** Stops what runs for the call; set while an upstream works. */
  stop: (() => void) | null = null;

  constructor(
    public admitted: Admitted,
    /** `performance.now()` at arrival; of a response in a talk, when it began. */
    public startedAtMs: number,
    /** Epoch seconds at arrival. */
    public createdAt: number,
    /** Time spent waiting for the client's body and for upstreams; the rest is the gateway's own. */
    public waitedMs: number,
  ) {
    const { requestId, recordId } = identify(admitted.request);
    this.requestId = requestId;
    this.recordId = recordId;
  }

  /** The chat in no provider's words, read when first needed; null where it is no chat. */
  get chat(): Conversation | null {
    this.#chat ??= this.admitted.conversation?.() ?? null;
    return this.#chat;
  }

  set chat(whole: Conversation | null) {
    this.#chat = whole;
  }

  /** Names of what of the request stays behind. Clients may make names up: a header and a log row hold only so much. */
  get dropped(): readonly string[] {
    return this.#dropped;
  }

  set dropped(names: readonly string[]) {
    this.#dropped = names.slice(0, MOST_NAMED).map((name) => name.slice(0, LONGEST_NAME));
  }

  /** It is settled, or has failed: nothing runs for it any more. */
  end(): void {
    this.hold = null;
    this.stop = null;
    this.presence?.end();
  }

  get elapsedMs(): number {
    return performance.now() - this.startedAtMs;
  }
}
