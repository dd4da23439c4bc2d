import { hasGatewayMark } from "../../../../formats/conversation/signature.ts";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import { openaiResponsesClientCodec } from "../../../../formats/openai-responses/index.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import type { PeerSource } from "../../../../lib/http/client-ip.ts";
import { randomId, requestIdOf } from "../../../../lib/http/request.ts";
import { readEvents } from "../../../../lib/http/sse.ts";
import { textOfBytes } from "../../../../lib/values/bytes.ts";
import { spliceTopLevel } from "../../../../lib/values/json/json-splice.ts";
import { authorize } from "../../../auth/authorize.ts";
import { newCall } from "../../../call/call.ts";
import { refuseForbidden } from "../../../call/guardrails/request/refuse-forbidden.ts";
import { CallTiming } from "../../../call/progress.ts";
import type { Uses } from "../../../call/services.ts";
import { type RefuseUnservedContext, refuseUnserved } from "../../../money/settle-call.ts";
import { type AuthenticateInTurnContext, authenticateInTurn } from "../../../pipeline/authenticate-in-turn.ts";
import { handleCall } from "../../../pipeline/pipeline.ts";
import type { Arrival } from "../../../request/arrival.ts";
import type { ReadBodyContext } from "../../../request/client-body.ts";
import { responses } from "../../../request/endpoints/conversations.ts";
import { toGatewayError } from "../../../request/error-response.ts";
import { parseRequest, readRequest } from "../../../request/parse-request.ts";
import { type SelectModelContext, selectModel } from "../../../routing/model-fallbacks.ts";
import { EventBuffer } from "../../../upstream/event-buffer.ts";
import type { GatewayContext } from "../../context.ts";
import { errorFrame, type Turn, wrapError } from "./frames.ts";

/** What these functions work with. */
export type TurnContext = RefuseUnservedContext &
  SelectModelContext &
  AuthenticateInTurnContext &
  ReadBodyContext &
  Uses<"clientAddress">;

/** Sends one event to the client; resolves when the client can receive the next. */
type Send = (json: string) => Promise<void>;

/** Runs a turn to its end; `signal` cancels it. Never rejects. */
export type RunTurn = (turn: Turn, send: Send, signal: AbortSignal) => Promise<void>;

/** The handshake of a connection: each of its turns has the same headers and address. */
export type SocketOrigin = Readonly<{ url: string; headers: Headers; address: string }>;

const NO_USAGE = {
  ...{ promptTokens: 0, completionTokens: 0, cachedTokens: 0, cacheCreationTokens: 0 },
  ...{ reasoningTokens: 0, audioInputTokens: 0, audioOutputTokens: 0 },
};

/** Maximum JSON characters of history per connection: the longest contexts of today's models are half of it. */
const MAX_CHARACTERS = 16 * 1_048_576;
/** Headers of an error that state when to retry. */
const RETRY_HEADERS = ["retry-after", "x-request-id"];

/**
 * Creates the function that runs the turns of one connection, each as a `POST /v1/responses` call through the whole
 * pipeline.
 */
export function createTurns(context: GatewayContext, { url, headers, address }: SocketOrigin): RunTurn {
  const history = new ConversationHistory(MAX_CHARACTERS);
  const peer: PeerSource = { requestIP: () => ({ address }) };
  const server = { ...peer, timeout() {} };

  return async ({ text, event }, send, signal) => {
    const resolved = history.resolve(event);
    const changes = {
      ...{ type: undefined, stream_id: undefined, generate: undefined, stream: true },
      ...(resolved && { previous_response_id: resolved.previous ?? undefined, input: resolved.items }),
    };
    const body = spliceTopLevel(text, changes, event);
    const request = new Request(url, { method: "POST", headers, body, signal });
    const arrival: Arrival = { request, server, endpoint: responses };
    const keep = (response: JsonObject, length: number) =>
      history.keep({ ...event, ...changes }, response, body.length + length);
    try {
      if (event.generate === false) return await warmUp(context, arrival, send, keep);
      const answer = await handleCall(context, arrival);
      if (signal.aborted) await answer.body?.cancel();
      else if (!answer.ok) await send(await errorOf(answer));
      else await passEvents(answer, send, signal, event.store === false ? keep : null);
    } catch (error) {
      if (signal.aborted) return;
      const requestId = requestIdOf(request);
      const refusal = toGatewayError(context, error, requestId);
      context.metrics.refused(refusal.status);
      await send(errorFrame(refusal, requestId));
    } finally {
      context.bodies.release(request);
    }
  };
}

async function errorOf(answer: Response): Promise<string> {
  const headers = RETRY_HEADERS.flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return wrapError(answer.status, await answer.json(), Object.fromEntries(headers));
}

type Keep = (response: JsonObject, length: number) => void;

/** Sends the events of a stream as frames, no faster than the client reads. `keep` receives the final response. */
async function passEvents({ body }: Response, send: Send, signal: AbortSignal, keep: Keep | null): Promise<void> {
  const reader = body?.getReader();
  if (!reader) return;
  const leave = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", leave, { once: true });
  const events = new EventBuffer();
  for (;;) {
    const { value, done } = await reader.read();
    const block = done ? events.takePending() : events.push(Buffer.from(value));
    for (const { data } of readEvents(textOfBytes(block))) {
      if (signal.aborted) break;
      keepResponse(data, keep);
      await send(data);
    }
    if (done || signal.aborted) break;
  }
  signal.removeEventListener("abort", leave);
}

/** Matches the final events of responses that a client can continue. */
const IS_END = /"type"\s*:\s*"response\.(?:completed|incomplete)"/;

function keepResponse(data: string, keep: Keep | null): void {
  if (!keep || !IS_END.test(data)) return;
  const event = recordOf(parseJson(data));
  const response = recordOf(event?.response);
  if (response && /\.(completed|incomplete)$/.test(textOf(event?.type) ?? "")) keep(response, data.length);
}

/**
 * `generate: false`: prepares a conversation that a later turn continues. The request is validated like any other, but
 * no provider is called and nothing is charged.
 */
async function warmUp(context: TurnContext, arrival: Arrival, send: Send, keep: Keep): Promise<void> {
  const { services } = context;
  const { request, server, endpoint } = arrival;
  const ip = services.clientAddress.ip(request, server);
  const caller = await authenticateInTurn(context, request, ip);
  const timing = new CallTiming(performance.now());
  const parsed = parseRequest(arrival, await readRequest(context, arrival, timing));
  const authorized = authorize(context, arrival, caller, parsed);
  refuseForbidden(context, authorized.caller, parsed.summary.model, parsed.prompt);
  const call = selectModel(context, newCall({ request, endpoint, ip, ...authorized }, parsed, timing));
  if (call.candidates.tiers.length === 0) throw refuseUnserved(context, call);
  const conversation = parsed.conversation?.() ?? endpoint.codec.decodeRequest(parsed.body.json);
  const { model } = parsed.summary;
  const createdAt = nowSeconds();
  const reply = { model, requestId: requestIdOf(request), createdAt, newId: randomId };
  const encoder = openaiResponsesClientCodec.streamEncoder(reply, conversation);
  const events = encoder.push({ type: "start", id: "", model, createdAt }) + encoder.end(NO_USAGE);
  for (const { data } of readEvents(events)) {
    keepResponse(data, keep);
    await send(data);
  }
}

/** The conversation up to a response that is not stored: the items after a stored response, or after nothing (null). */
type Conversation = Readonly<{ previous: string | null; items: readonly JsonObject[]; characters: number }>;

/** Older ones are removed: clients continue the latest response, or fork not far behind it. */
const MAX_RESPONSES = 16;

/**
 * The conversations of one connection that end in responses with `store: false`: a later turn of the connection continues
 * them by `previous_response_id`, as OpenAI's WebSocket mode has it. They share the items of earlier turns.
 */
export class ConversationHistory {
  readonly #byId = new Map<string, Conversation>();
  #characters = 0;

  /** Stores the latest responses whose conversations have at most `mostCharacters` of JSON together. */
  constructor(private readonly mostCharacters: number) {}

  /** Replaces `previous_response_id` and `input` by values that do not depend on this connection's history. */
  resolve({ previous_response_id: id, input }: JsonObject): Omit<Conversation, "characters"> | null {
    const known = this.#byId.get(textOf(id) ?? "");
    return known ? { previous: known.previous, items: [...known.items, ...itemsOf(input)] } : null;
  }

  /** Stores the conversation that a response ends. `request` must be resolved; `characters`: its length. */
  keep(request: JsonObject, response: JsonObject, characters: number): void {
    const id = textOf(response.id);
    if (id === null) return;
    const items = sinceCompaction([...itemsOf(request.input), ...recordsOf(response.output).filter(canReturn)]);
    this.#byId.set(id, { previous: textOf(request.previous_response_id), items, characters });
    this.#characters += characters;
    for (const [oldest, conversation] of this.#byId) {
      if (this.#byId.size <= MAX_RESPONSES && this.#characters <= this.mostCharacters) break;
      this.#byId.delete(oldest);
      this.#characters -= conversation.characters;
    }
  }
}

const itemsOf = (input: unknown): readonly JsonObject[] =>
  typeof input === "string" ? [{ type: "message", role: "user", content: input }] : recordsOf(input);

/**
 * Whether an item can be sent back: a provider cannot look up reasoning that it did not store, unless the item contains
 * it.
 */
const canReturn = ({ type, id, encrypted_content: sealed }: JsonObject): boolean =>
  type !== "reasoning" || Boolean(sealed) || hasGatewayMark(textOf(id) ?? "");

/** A compaction that the request asked for stands for everything before it. */
function sinceCompaction(items: readonly JsonObject[]): readonly JsonObject[] {
  const at = items.findLastIndex(({ type }) => type === "compaction");
  return at > 0 && items[at - 1]?.type === "compaction_trigger" ? items.slice(at) : items;
}
