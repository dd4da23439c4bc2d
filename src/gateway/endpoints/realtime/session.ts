import type { CallEnding } from "../../../billing/types.ts";
import { rateLimit, refuseClosed } from "../../auth/rate-limit.ts";
import type { Call } from "../../call/call.ts";
import { GatewayError } from "../../call/errors.ts";
import { type RecordRefusalContext, recordFailure, recordRefusal, refuseUnserved } from "../../money/settle-call.ts";
import { type AuthenticateInTurnContext, authenticateInTurn } from "../../pipeline/authenticate-in-turn.ts";
import { failOver } from "../../pipeline/pipeline.ts";
import type { RouterContext } from "../../routing/router.ts";
import type { UpstreamTools } from "../../upstream/upstream.ts";
import type { ConnectContext } from "./connect.ts";
import { type Connected, connect } from "./connect.ts";
import type { MeteringBillingContext } from "./metering/billing.ts";
import {
  type Charge,
  RealtimeBilling,
  type ReservedResponse,
  releaseOpening,
  reserveOpening,
} from "./metering/billing.ts";
import { NO_LIMITS } from "./metering/response-limits.ts";
import { type ClientSocket, type Frame, Pipe } from "./pipe.ts";
import { callerOf, requestTerms, responseCall, type SessionOrigin } from "./response-call.ts";
import {
  CLOSE,
  endByError,
  INTERNAL_ERROR,
  NO_SETUP,
  type SessionEnd,
  SHUTTING_DOWN,
  TOO_SLOW,
  UPSTREAM_BROKE,
} from "./session-end.ts";
import type { RealtimeProtocol, Refused, SessionEvents, SocketSession } from "./sockets.ts";

/** What these functions work with. */
export type SessionContext = AuthenticateInTurnContext &
  MeteringBillingContext &
  RouterContext &
  ConnectContext &
  RecordRefusalContext &
  Pick<UpstreamTools, "traffic">;

const PING_MS = 30_000;
/** An upstream that sends nothing for this long, not even a pong, is considered lost. */
const LOST_AFTER_MS = 75_000;
/** A client that has not named its model by then is disconnected. */
const SETUP_MS = 30_000;

/** One realtime session, from the client's connection to its end. */
export class RealtimeSession implements SocketSession {
  readonly #abort = new AbortController();
  /** Null until the model is known. */
  #events: SessionEvents | null = null;
  #setupTimer: Timer | null = null;
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
  /** Frames of the client that wait until the upstream is connected, or quota for a response is held. */
  #early: Frame[] = [];
  #isReserving = false;
  /** Charges are made one after the other. */
  #work: Promise<void> = Promise.resolve();

  /** `onEnd` is called once, when nothing of the session remains except possibly a last charge. */
  constructor(
    private readonly context: SessionContext,
    private origin: SessionOrigin,
    private readonly protocol: RealtimeProtocol,
    private readonly onEnd: (session: RealtimeSession) => void,
  ) {}

  /** The client is connected. */
  open(client: ClientSocket): void {
    this.#client = client;
    if (this.protocol.modelOf) {
      this.#setupTimer = setTimeout(() => this.#end(NO_SETUP), SETUP_MS);
      return;
    }
    this.#events = this.protocol.events(this.context, this.origin);
    this.#admit(client);
  }

  /** A frame of the client. */
  message(frame: Frame): void {
    if (this.#hasEnded) return;
    // The upstream decides what a frame becomes. What names the upstream's model is read before.
    if (this.#events && (!this.#connected || this.#isReserving)) {
      this.#early.push(frame);
      return;
    }
    try {
      const events = this.#events ?? this.#setUp(frame);
      const { forward, reply, asksResponse, refused } = events.client(frame);
      if (refused) this.#logRefused(refused);
      for (const frameToClient of reply) this.#sendToClient(frameToClient);
      const send = () => {
        for (const forwarded of forward) this.#pipe?.toUpstream(forwarded);
      };
      if (asksResponse) this.#reserve(send);
      else send();
      if (!this.#pipe && this.#client) this.#admit(this.#client);
    } catch (error) {
      if (error instanceof GatewayError) this.context.metrics.refused(error.status);
      if (this.#events?.refused) this.#logRefused(this.#events.refused);
      this.#end(endByError(this.#reported(error)));
    }
  }

  /** Logs what guardrails refused of the client, as requests that they refuse are logged. */
  #logRefused({ error, guard }: Refused): void {
    if (guard.verdicts.length === 0) return;
    const { context, origin } = this;
    const { caller, candidates } = this.#call?.call ?? requestTerms(context, origin, callerOf(context, origin));
    const call = responseCall(origin, { caller, candidates });
    recordRefusal(context, { ...call, progress: { ...call.progress, guard } }, error);
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
    if (!this.#events?.isBusy) this.#end(SHUTTING_DOWN);
  }

  /** Ends now; resolves after the last charge. */
  async cut(): Promise<void> {
    this.#end(SHUTTING_DOWN);
    await this.#work;
  }

  /** Reads the model from the client's first frame. Throws GatewayError. */
  #setUp(frame: Frame): SessionEvents {
    const { protocol, context } = this;
    if (this.#setupTimer) clearTimeout(this.#setupTimer);
    this.origin = { ...this.origin, model: protocol.modelOf?.(frame) ?? "" };
    this.#events = protocol.events(context, this.origin);
    return this.#events;
  }

  #admit(client: ClientSocket): void {
    this.#pipe = new Pipe(client);
    void this.#begin();
  }

  async #begin(): Promise<void> {
    const { context, origin } = this;
    try {
      const caller = await authenticateInTurn(context, origin.request, origin.ip);
      refuseClosed(context, { request: origin.request, endpoint: origin.endpoint });
      await rateLimit(context, caller);
      const call = responseCall(origin, requestTerms(context, origin, caller));
      if (call.candidates.tiers.length === 0) throw refuseUnserved(context, call);
      this.#call = await reserveOpening(context, origin, { caller, candidates: call.candidates });
      this.#place = responseCall(origin, { caller, candidates: call.candidates });
      await context.userLimits.begin(this.#place);
      if (!context.services.settings.values.LimitRules.isEmpty) await context.limitRules.begin(this.#place);
      this.#join(this.#call, await this.#connect(this.#call));
    } catch (error) {
      this.#refuse(error);
    }
  }

  async #connect({ call, reserved: { prices } }: ReservedResponse): Promise<Connected> {
    if (this.#hasEnded) throw new GatewayError(499, "client_left", { code: "gateway_client_left" });
    const { headers } = this.origin.request;
    return failOver(this.context, { call, prices }, (_context, _model, choice) =>
      connect(this.context, call, prices, choice, headers, this.#abort.signal),
    );
  }

  #join(reserved: ReservedResponse, connected: Connected): void {
    const { socket, route } = connected;
    this.#connected = connected;
    const opening = releaseOpening(this.context, reserved);
    this.#call = opening;
    this.#bill = new RealtimeBilling(this.context, this.origin, connected, opening);
    this.context.traffic.begin(route.channel.id, route.key);
    opening.call.progress.timing.markFirstByte();
    this.#receivedAtMs = performance.now();
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = ({ code, reason }) => this.#upstreamClosed(code, reason);
    socket.addEventListener("pong", () => {
      this.#receivedAtMs = performance.now();
    });
    this.#pings = setInterval(() => this.#ping(socket), PING_MS);
    if (this.#hasEnded) {
      this.#finish("client_left");
      return;
    }
    this.#events = this.protocol.translated?.(this.context, this.origin, route) ?? this.#events;
    const first = this.#events?.opening(route);
    for (const frame of first?.toUpstream ?? []) socket.send(frame);
    for (const frame of first?.toClient ?? []) this.#sendToClient(frame);
    this.#pipe?.join(socket);
    for (const frame of this.#early.splice(0)) this.message(frame);
  }

  /** Rejects a session that could not open: reports the error to the client and releases the reservation. */
  #refuse(error: unknown): void {
    const { context } = this;
    const reported = this.#reported(error);
    if (this.#call) {
      const { call, reserved } = this.#call;
      recordFailure(context, call, reserved, reported, this.#hasEnded ? "client_left" : "upstream_failed");
    } else context.metrics.refused(reported.status);
    this.#call = null;
    this.#leavePlace();
    this.#end(endByError(reported));
  }

  #reported(error: unknown): GatewayError {
    if (error instanceof GatewayError) return error;
    this.context.services.log.error({ error }, "a realtime session failed");
    return INTERNAL_ERROR;
  }

  #sendToClient(frame: Frame): void {
    if (this.#pipe?.toClient(frame) === false) this.#end(TOO_SLOW);
  }

  #receive(frame: Frame): void {
    this.#receivedAtMs = performance.now();
    if (this.#hasEnded || !this.#events) return;
    const { toClient, toUpstream, charge, transcription, error } = this.#events.upstream(frame);
    // Also what nobody asked for: the upstream decides when a speaker has ended.
    if (this.#events.isBusy) this.#reserve(() => {});
    if (charge) this.#charge(charge);
    const bill = this.#bill;
    if (transcription && bill)
      this.#inTurn(() => bill.chargeTranscription(transcription.model, transcription.reported, transcription.text));
    for (const frameToClient of toClient) this.#sendToClient(frameToClient);
    for (const frameToUpstream of toUpstream) this.#connected?.socket.send(frameToUpstream);
    if (error) this.#end(endByError(error));
    if (this.#isDraining) this.drain();
  }

  #charge(charge: Charge): void {
    const bill = this.#bill;
    if (!bill) return;
    this.#inTurn(async () => {
      await bill.charge(charge);
      if (!this.#hasEnded) await bill.check();
      if (this.#hasEnded) bill.release();
    });
  }

  /** Holds quota for a response, then does `next`; frames of both sides wait meanwhile. */
  #reserve(next: () => void): void {
    const bill = this.#bill;
    if (!bill || bill.isReserved || this.#isReserving) {
      next();
      return;
    }
    this.#isReserving = true;
    this.#pipe?.hold(true);
    this.#inTurn(async () => {
      try {
        await bill.reserve(this.#events?.limits ?? NO_LIMITS);
      } finally {
        this.#isReserving = false;
        this.#pipe?.hold(false);
      }
      if (this.#hasEnded) return bill.release();
      next();
      for (const frame of this.#early.splice(0)) this.message(frame);
    });
  }

  /** Runs after all earlier charges; a failed one ends the session. */
  #inTurn(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error) => this.#end(endByError(this.#reported(error))));
  }

  #upstreamClosed(code: number, reason: string): void {
    const broken = code === 1006 || code === 1015;
    const error = broken ? UPSTREAM_BROKE : this.#events?.closeError?.(code, reason);
    this.#end({
      ending: this.#events?.isBusy || broken ? "upstream_failed" : "complete",
      code: broken ? CLOSE.failed : code === 1005 ? CLOSE.normal : code,
      reason,
      ...(error && { error }),
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
    this.#call?.call.progress.client.leave();
    this.#abort.abort();
    const client = this.#client;
    if (this.#setupTimer) clearTimeout(this.#setupTimer);
    const described = error && this.protocol.describe(error, this.origin.requestId);
    if (described && described.frame !== null) client?.send(described.frame);
    this.#pipe?.close();
    client?.close(code, closeReason(described?.reason ?? reason));
    this.#finish(ending);
    this.onEnd(this);
  }

  #leavePlace(): void {
    if (!this.#place) return;
    this.context.userLimits.end(this.#place);
    const { places } = this.#place.progress.client;
    if (places || !this.context.services.settings.values.LimitRules.isEmpty)
      this.context.limitRules.end(this.#place, NOTHING_USED);
  }

  #finish(ending: CallEnding): void {
    const { context } = this;
    if (this.#pings) clearInterval(this.#pings);
    const bill = this.#bill;
    if (!this.#connected || !bill) return;
    const { socket, route } = this.#connected;
    socket.onclose = null;
    socket.close();
    const elapsedMs = this.#call?.call.progress.timing.elapsedMs ?? 0;
    context.traffic.end(route.channel.id, route.key, ending === "upstream_failed", elapsedMs);
    this.#leavePlace();
    const rest = this.#events?.rest();
    if (rest) this.#charge({ ...rest, ending });
    else this.#inTurn(async () => bill.release());
  }
}

/** A close frame holds at most 123 bytes. */
const closeReason = (reason: string): string => Buffer.from(reason).subarray(0, 120).toString();

/** What a session itself uses: its responses are calls of their own. */
const NOTHING_USED = { promptTokens: 0, completionTokens: 0, quota: 0 };
