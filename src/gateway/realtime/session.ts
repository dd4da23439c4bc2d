import type { CallEnding } from "../../billing/types.ts";
import { type JsonObject, parseJson, recordOf, textOf } from "../../formats/json.ts";
import { textOfBytes } from "../../lib/values/bytes.ts";
import { authenticate } from "../auth/authenticate.ts";
import { rateLimit, refuseClosed } from "../auth/rate-limit.ts";
import { priceCall } from "../billing/price.ts";
import { recordFailure, refuseUnserved } from "../billing/record.ts";
import { reserve } from "../billing/reserve.ts";
import type { Call } from "../call/call.ts";
import type { GatewayContext } from "../call/context.ts";
import { GatewayError } from "../call/errors.ts";
import { failOver } from "../pipeline.ts";
import { type Connected, connect } from "./connect.ts";
import { realtime } from "./endpoint.ts";
import { transcriptionModelOf } from "./filters/transcription-model.ts";
import { RealtimeWordFilter } from "./filters/word-filter.ts";
import { type Charge, RealtimeBilling, type ReservedResponse, readRealtimeUsage } from "./metering/billing.ts";
import { RealtimeMeter } from "./metering/session-meter.ts";
import { type ClientSocket, type Frame, Pipe } from "./pipe.ts";
import { requestTerms, responseCall, type SessionOrigin } from "./response-call.ts";
import {
  CLOSE,
  endByError,
  errorEvent,
  INTERNAL_ERROR,
  type SessionEnd,
  SHUTTING_DOWN,
  TOO_SLOW,
  UPSTREAM_BROKE,
} from "./session-end.ts";
import type { SocketSession } from "./sockets.ts";

const PING_MS = 30_000;
/** An upstream that sends nothing for this long, not even a pong, is considered lost. */
const LOST_AFTER_MS = 75_000;

/** One realtime session, from the client's connection to its end. */
export class RealtimeSession implements SocketSession {
  readonly #abort = new AbortController();
  readonly #meter = new RealtimeMeter();
  readonly #words: RealtimeWordFilter;
  /** Responses in progress: id → `performance.now()` at their beginning. */
  readonly #responses = new Map<string, number>();
  #client: ClientSocket | null = null;
  #pipe: Pipe | null = null;
  #call: ReservedResponse | null = null;
  /** Counts the session among its user's concurrent calls. */
  #place: Call | null = null;
  #connected: Connected | null = null;
  #bill: RealtimeBilling | null = null;
  #pings: Timer | null = null;
  #receivedAtMs = 0;
  #hasEnded = false;
  #isDraining = false;
  #transcriber = "";
  /** Charges are made one after the other. */
  #work: Promise<void> = Promise.resolve();

  /** `onEnd` is called once, when nothing of the session remains except possibly a last charge. */
  constructor(
    private readonly context: GatewayContext,
    private readonly origin: SessionOrigin,
    private readonly onEnd: (session: RealtimeSession) => void,
  ) {
    this.#words = new RealtimeWordFilter(context, origin);
  }

  /** The client is connected. */
  open(client: ClientSocket): void {
    this.#client = client;
    this.#pipe = new Pipe(client);
    void this.#begin();
  }

  /** A frame of the client. */
  message(frame: Frame): void {
    const text = textOfFrame(frame);
    const event = recordOf(parseJson(text));
    const refusal = this.#words.refusalOf(text, event);
    if (refusal !== null || !event) {
      if (refusal !== null) this.#sendToClient(refusal);
      return;
    }
    this.#pipe?.toUpstream(frame);
    this.#meter.client(event);
  }

  /** The client has received the queued frames. */
  drained(): void {
    this.#pipe?.drained();
  }

  /** The client's connection is closed. */
  closed(code: number, reason: string): void {
    this.#end({ ending: "client_left", code, reason });
  }

  /** Ends as soon as no response is in progress. */
  drain(): void {
    this.#isDraining = true;
    if (this.#responses.size === 0) this.#end(SHUTTING_DOWN);
  }

  /** Ends now; resolves after the last charge. */
  async cut(): Promise<void> {
    this.#end(SHUTTING_DOWN);
    await this.#work;
  }

  async #begin(): Promise<void> {
    const { context, origin } = this;
    try {
      const caller = await authenticate(context.services, origin.request, origin.ip);
      refuseClosed(context, { request: origin.request, endpoint: realtime });
      await rateLimit(context, caller);
      const call = responseCall(origin, requestTerms(context, origin, caller));
      const unserved = refuseUnserved(context, call);
      if (unserved) throw unserved;
      const reserved = await reserve(context, call, priceCall(context.prices, call));
      this.#call = { call, reserved };
      this.#place = responseCall(origin, { caller, candidates: call.candidates });
      await context.userLimits.begin(this.#place);
      this.#join(this.#call, await this.#connect(this.#call));
    } catch (error) {
      this.#refuse(error);
    }
  }

  async #connect({ call, reserved: { prices } }: ReservedResponse): Promise<Connected> {
    if (this.#hasEnded) throw new GatewayError(499, "client_left", { code: "gateway_client_left" });
    const { headers } = this.origin.request;
    return failOver(this.context, { call, prices }, (choice) =>
      connect(this.context, call, prices, choice, headers, this.#abort.signal),
    );
  }

  #join(opening: ReservedResponse, connected: Connected): void {
    const { socket, route } = connected;
    this.#connected = connected;
    this.#bill = new RealtimeBilling(this.context, this.origin, connected, opening);
    this.context.traffic.begin(route.channel.id, route.key);
    opening.call.timing.markFirstByte();
    this.#receivedAtMs = performance.now();
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = ({ code, reason }) => this.#upstreamClosed(code, reason);
    socket.addEventListener("pong", () => {
      this.#receivedAtMs = performance.now();
    });
    this.#pings = setInterval(() => this.#ping(socket), PING_MS);
    if (this.#hasEnded) this.#finish("client_left");
    else this.#pipe?.join(socket);
  }

  /** Rejects a session that could not open: reports the error to the client and releases the reservation. */
  #refuse(error: unknown): void {
    const { context } = this;
    const reported = error instanceof GatewayError ? error : INTERNAL_ERROR;
    if (reported === INTERNAL_ERROR) context.services.log.error({ error }, "a realtime session could not be opened");
    if (this.#call) {
      const { call, reserved } = this.#call;
      recordFailure(context, call, reserved, reported, this.#hasEnded ? "client_left" : "upstream_failed");
    } else context.metrics.refused(reported.status);
    this.#call = null;
    this.#leavePlace();
    this.#end(endByError(reported));
  }

  #sendToClient(frame: Frame): void {
    if (this.#pipe?.toClient(frame) === false) this.#end(TOO_SLOW);
  }

  #receive(frame: Frame): void {
    this.#receivedAtMs = performance.now();
    const event = eventOf(frame);
    const { toClient, toUpstream } = this.#words.fromUpstream(frame, event);
    for (const frameToClient of toClient) this.#sendToClient(frameToClient);
    if (toUpstream !== null) this.#connected?.socket.send(toUpstream);
    if (!event || this.#hasEnded) return;
    this.#meter.upstream(event);
    switch (event.type) {
      case "session.created":
      case "session.updated":
        this.#transcriber = transcriptionModelOf(recordOf(event.session));
        return;
      case "response.created":
        this.#responses.set(textOf(recordOf(event.response)?.id) ?? "", performance.now());
        return;
      case "response.done":
        this.#responseDone(recordOf(event.response) ?? {});
        return;
      case "conversation.item.input_audio_transcription.completed":
        this.#transcribed(event.usage, textOf(event.transcript) ?? "");
    }
  }

  #responseDone(response: JsonObject): void {
    const id = textOf(response.id) ?? "";
    const startedAtMs = this.#responses.get(id) ?? performance.now();
    this.#responses.delete(id);
    const reported = readRealtimeUsage(response.usage);
    if (reported || this.#meter.hasOutput) {
      const failed = response.status === "failed";
      const error = textOf(recordOf(recordOf(response.status_details)?.error)?.message);
      this.#charge({
        reported,
        content: this.#meter.take(),
        startedAtMs,
        ending: failed ? "upstream_failed" : "complete",
        ...(failed && { error: error ?? { code: "gateway_response_failed" } }),
      });
    }
    if (this.#isDraining) this.drain();
  }

  #transcribed(value: unknown, text: string): void {
    const reported = readRealtimeUsage(value);
    const bill = this.#bill;
    if (reported && bill)
      this.#inTurn(() => bill.chargeTranscription(this.#transcriber || this.origin.model, reported, text));
  }

  #charge(charge: Charge): void {
    const bill = this.#bill;
    if (!bill) return;
    this.#inTurn(async () => {
      await bill.charge(charge);
      if (!this.#hasEnded) await bill.renew((isWaiting) => this.#pipe?.hold(isWaiting));
      if (this.#hasEnded) bill.release();
    });
  }

  /** Runs after all earlier charges; a failed one ends the session. */
  #inTurn(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error) => {
      const reported = error instanceof GatewayError ? error : INTERNAL_ERROR;
      if (reported === INTERNAL_ERROR)
        this.context.services.log.error({ error }, "a realtime session could not be charged");
      this.#end(endByError(reported));
    });
  }

  #upstreamClosed(code: number, reason: string): void {
    const broken = code === 1006 || code === 1015;
    this.#end({
      ending: this.#responses.size > 0 || broken ? "upstream_failed" : "complete",
      code: broken ? CLOSE.failed : code === 1005 ? CLOSE.normal : code,
      reason,
      ...(broken && { error: UPSTREAM_BROKE }),
    });
  }

  #ping(socket: Bun.WebSocket): void {
    if (performance.now() - this.#receivedAtMs > LOST_AFTER_MS) socket.terminate();
    else socket.ping();
  }

  /** Ends the session, once: closes both connections and charges what is not charged yet. */
  #end({ ending, code, reason, error }: SessionEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#call?.call.client.leave();
    this.#abort.abort();
    const client = this.#client;
    if (error) client?.send(JSON.stringify(errorEvent(error, this.origin.requestId)));
    this.#pipe?.close();
    client?.close(code, reason.slice(0, 120));
    this.#finish(ending);
    this.onEnd(this);
  }

  #leavePlace(): void {
    if (this.#place) this.context.userLimits.end(this.#place);
  }

  #finish(ending: CallEnding): void {
    const { context } = this;
    if (this.#pings) clearInterval(this.#pings);
    const bill = this.#bill;
    if (!this.#connected || !bill) return;
    const { socket, route } = this.#connected;
    socket.onclose = null;
    socket.close();
    const elapsedMs = this.#call?.call.timing.elapsedMs ?? 0;
    context.traffic.end(route.channel.id, route.key, ending === "upstream_failed", elapsedMs);
    this.#leavePlace();
    if (this.#meter.hasOutput) {
      const [startedAtMs = performance.now()] = this.#responses.values();
      this.#charge({ reported: null, content: this.#meter.take(), startedAtMs, ending });
    } else this.#inTurn(async () => bill.release());
  }
}

const textOfFrame = (frame: Frame): string => (typeof frame === "string" ? frame : textOfBytes(frame));
const eventOf = (frame: Frame): JsonObject | null => recordOf(parseJson(textOfFrame(frame)));
