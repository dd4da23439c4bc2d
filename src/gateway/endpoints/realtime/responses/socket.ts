import { GatewayError, shuttingDown } from "../../../call/errors.ts";
import type { ClientSocket, Frame } from "../pipe.ts";
import type { SocketSession } from "../sockets.ts";
import { errorFrame, inLane, readFrame, type Turn } from "./frames.ts";
import type { RunTurn } from "./turn.ts";

/** Limits of one connection; times in milliseconds. */
export type SocketLimits = Readonly<{
  /** The connection accepts new turns for this long. */
  lifetimeMs: number;
  /** The connection is closed after this time without a turn. */
  idleMs: number;
  /** A client that reads nothing for this long is considered lost. */
  slowMs: number;
  /** Maximum number of concurrent lanes. */
  lanes: number;
  /** Maximum number of queued turns. */
  waiting: number;
  waitingCharacters: number;
  /** Open connections of one user in this process. */
  connections: number;
}>;

/** Codes of RFC 6455. */
const CLOSE = { normal: 1000, goingAway: 1001, slow: 1008 } as const;

/** Turns of one `stream_id`, one after the other. */
type Lane = { readonly queue: Turn[]; running: AbortController | null; hasRun: boolean; done: Promise<void> };

/** One connection in OpenAI's WebSocket mode of Responses: many turns, in one lane or several. */
export class ResponseSocket implements SocketSession {
  readonly #lanes = new Map<string | null, Lane>();
  #client: ClientSocket | null = null;
  #lifetime: Timer | null = null;
  #idle: Timer | null = null;
  #drained: PromiseWithResolvers<void> | null = null;
  #waitingCharacters = 0;
  #isExpired = false;
  #isDraining = false;
  #hasEnded = false;

  /** `onEnd` is called once, when the connection is closed. */
  constructor(
    private readonly run: RunTurn,
    private readonly limits: SocketLimits,
    private readonly id: string,
    private readonly onEnd: (socket: ResponseSocket) => void,
  ) {}

  open(client: ClientSocket): void {
    this.#client = client;
    this.#lifetime = setTimeout(() => this.#expire(), this.limits.lifetimeMs);
    this.#awaitTurn();
    if (this.#isDraining) this.drain();
  }

  message(frame: Frame): void {
    if (this.#hasEnded) return;
    const read = readFrame(frame);
    switch (read.type) {
      case "create":
        this.#create(read.turn);
        return;
      case "cancel":
        this.#lanes.get(read.streamId)?.running?.abort(CANCELLED);
        return;
      case "invalid":
        this.#refuse(read.error, read.streamId);
        return;
      case "none":
        return;
    }
  }

  drained(): void {
    this.#drained?.resolve();
    this.#drained = null;
  }

  closed(): void {
    this.#end();
  }

  /** Closes the connection after the turns in progress; rejects queued ones. */
  drain(): void {
    this.#isDraining = true;
    this.#rest();
  }

  /** Closes the connection; resolves when the turns in progress have ended. */
  async cut(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map(({ done }) => done));
    this.#close(CLOSE.goingAway, "shutting_down");
  }

  #create(turn: Turn): void {
    const { streamId, text } = turn;
    const refusal = this.#refusalOf(turn);
    if (refusal) {
      this.#refuse(refusal, streamId);
      return;
    }
    if (this.#idle) clearTimeout(this.#idle);
    this.#waitingCharacters += text.length;
    const lane = this.#lanes.get(streamId);
    if (lane) lane.queue.push(turn);
    else {
      const opened: Lane = { queue: [turn], running: null, hasRun: false, done: Promise.resolve() };
      this.#lanes.set(streamId, opened);
      opened.done = this.#work(opened, streamId);
    }
  }

  #refusalOf({ streamId, text }: Turn): GatewayError | null {
    if (this.#isDraining) return shuttingDown();
    if (this.#isExpired) return EXPIRED;
    const { lanes, waiting, waitingCharacters } = this.limits;
    const count = this.#lanes.values().reduce((sum, { queue }) => sum + queue.length, 0);
    const isFull = count >= waiting || (count > 0 && this.#waitingCharacters + text.length > waitingCharacters);
    return isFull || (!this.#lanes.has(streamId) && this.#lanes.size >= lanes) ? TOO_MANY : null;
  }

  /** Runs the turns of a lane until its queue is empty. */
  async #work(lane: Lane, streamId: string | null): Promise<void> {
    for (let turn = lane.queue.shift(); turn; turn = lane.queue.shift()) {
      this.#waitingCharacters -= turn.text.length;
      if (this.#isDraining && lane.hasRun) {
        this.#refuse(shuttingDown(), streamId);
        continue;
      }
      lane.hasRun = true;
      const running = new AbortController();
      lane.running = running;
      const { signal } = running;
      await this.run(turn, (json) => this.#send(inLane(json, streamId)), signal);
      lane.running = null;
      if (signal.reason === CANCELLED) this.#refuse(CANCELLED, streamId);
    }
    this.#lanes.delete(streamId);
    this.#rest();
  }

  #refuse(error: GatewayError, streamId: string | null): void {
    void this.#send(inLane(errorFrame(error, this.id), streamId));
  }

  /** Resolves when the client can receive more; closes the connection of a client that does not read. */
  async #send(json: string): Promise<void> {
    if (this.#hasEnded) return;
    const sent = this.#client?.send(json) ?? 0;
    if (sent === 0) return this.#close(CLOSE.slow, "too much is waiting for the client");
    if (sent > 0) return;
    if (!this.#drained) {
      const drained = Promise.withResolvers<void>();
      this.#drained = drained;
      const late = setTimeout(() => this.#close(CLOSE.slow, "the client takes nothing"), this.limits.slowMs);
      void drained.promise.then(() => clearTimeout(late));
    }
    return this.#drained.promise;
  }

  /** Between turns: closes the connection if its lifetime has ended, or waits for the next turn. */
  #rest(): void {
    if (this.#hasEnded || !this.#client || this.#lanes.size > 0) return;
    if (this.#isDraining) this.#close(CLOSE.goingAway, "shutting_down");
    else if (this.#isExpired) {
      this.#refuse(EXPIRED, null);
      this.#close(CLOSE.normal, String(EXPIRED.code));
    } else this.#awaitTurn();
  }

  #awaitTurn(): void {
    if (this.#idle) clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#close(CLOSE.normal, "idle"), this.limits.idleMs);
  }

  #expire(): void {
    this.#isExpired = true;
    this.#rest();
  }

  #close(code: number, reason: string): void {
    if (this.#hasEnded) return;
    const client = this.#client;
    this.#end();
    client?.close(code, reason);
  }

  /** Stops sending: turns in progress are cancelled, as if their clients had disconnected. */
  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#lifetime) clearTimeout(this.#lifetime);
    if (this.#idle) clearTimeout(this.#idle);
    this.drained();
    for (const lane of this.#lanes.values()) {
      lane.queue.length = 0;
      lane.running?.abort();
    }
    this.onEnd(this);
  }
}

const REQUEST = { type: "invalid_request_error" };
const CANCELLED = new GatewayError(499, "response_cancelled", { code: "gateway_response_cancelled" }, REQUEST);
const EXPIRED = new GatewayError(
  400,
  "websocket_connection_limit_reached",
  { code: "gateway_socket_expired" },
  REQUEST,
);
const TOO_MANY = new GatewayError(
  429,
  "too_many_responses",
  { code: "gateway_socket_busy" },
  { ...REQUEST, retryAfterSeconds: 1 },
);
