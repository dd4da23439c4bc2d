import { atEndOfTurn } from "../../turn.ts";
import type { StopListener, Stopper } from "../stopper.ts";
import { BodyDecoder } from "./body-decoder.ts";
import { type BodySource, DirectAnswer } from "./direct-answer.ts";
import type { Origin } from "./origin.ts";
import { inOnePiece, restOf, writesInOnePiece } from "./pieces.ts";
import { type DirectRequest, requestHead } from "./request-head.ts";
import { BrokenAnswer, responseHead } from "./response-head.ts";
import { type HttpAnswer, unpacked } from "./unpacked.ts";

/** The connection ended, or could not be made. */
export class ConnectionLost extends Error {
  override name = "ConnectionLost";

  constructor(
    message: string,
    /** As the system calls it: ECONNREFUSED and the like. */
    readonly code = "ECONNRESET",
    /** Nothing of an answer had come, on a connection that had served before: it was closed while it rested. */
    readonly wasResting = false,
  ) {
    super(message);
  }
}

/** Told when a connection has nothing to do, and when one that was open is no more. */
export type ConnectionKeeper = { rests(connection: Connection): void; gone(connection: Connection): void };

const HEAD_END = Buffer.from("\r\n\r\n");
const MAX_HEAD_BYTES = 128 * 1024;
/** Silence after which the system asks whether the other side still is there. */
const PROBE_AFTER_MS = 60_000;

export type Waiting<Result> = Readonly<{ resolve: (result: Result) => void; reject: (error: Error) => void }>;

/** One connection in HTTP/1.1 that serves one request after the other. */
export class Connection implements BodySource, StopListener {
  readonly #keeper: ConnectionKeeper;
  #opening: Waiting<void> | null = null;
  /** Closed, or given up before it was open. */
  #isOver = false;
  #socket: Bun.Socket<Connection> | null = null;
  /** Whoever waits for the head of an answer. */
  #waiting: Waiting<HttpAnswer> | null = null;
  #answer: DirectAnswer | null = null;
  #decoder: BodyDecoder | null = null;
  /** The beginning of a head whose end has not come. */
  #head: Buffer<ArrayBuffer> | null = null;
  /** A request that goes out in one piece when this turn is over. */
  #coming: Readonly<{ head: string; body: DirectRequest["body"] }> | null = null;
  /** What the system has not taken yet. */
  #unsent: Uint8Array[] = [];
  #staysOpen = true;
  #heard = false;
  /** Requests so far. */
  #sent = 0;
  restingSince = 0;

  private constructor(keeper: ConnectionKeeper) {
    this.#keeper = keeper;
  }

  /**
   * Connects; with TLS, only to a certificate that is trusted and bears the name. Rejects ConnectionLost, or the stopper's
   * reason.
   */
  static async open(origin: Origin, keeper: ConnectionKeeper, stopper: Stopper): Promise<Connection> {
    const connection = new Connection(keeper);
    const ready = Promise.withResolvers<void>();
    connection.#opening = ready;
    const stop = () => ready.reject(stopper.reason);
    if (stopper.stopped) stop();
    else stopper.listen({ stop });
    connection.#connect(origin).catch(ready.reject);
    try {
      await ready.promise;
      connection.#opening = null;
      return connection;
    } catch (error) {
      connection.#isOver = true;
      connection.#close();
      throw error instanceof ConnectionLost || stopper.stopped ? error : lost(error);
    } finally {
      stopper.listen(null);
    }
  }

  async #connect({ hostname, port, tlsName }: Origin): Promise<void> {
    const tls = tlsName === null ? {} : { tls: { serverName: tlsName, rejectUnauthorized: true } };
    const socket = await Bun.connect({ hostname, port, data: this, socket: HANDLERS, ...tls });
    if (this.#isOver) socket.terminate();
    if (tlsName === null) this.#opening?.resolve();
  }

  /** The socket is there; with TLS, its handshake follows. */
  opened(socket: Bun.Socket<Connection>): void {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, PROBE_AFTER_MS);
    socket.unref();
  }

  /**
   * Sends a request on a connection that rests; `waiting` hears of its answer, or of ConnectionLost or BrokenAnswer. Throws
   * as `requestHead` does, before anything is sent.
   */
  send(request: DirectRequest, waiting: Waiting<HttpAnswer>): void {
    if (this.#isOver) {
      waiting.reject(lost(null, this.#sent > 0));
      return;
    }
    const { body } = request;
    const bodyBytes = typeof body === "string" ? Buffer.byteLength(body) : (body?.byteLength ?? null);
    const head = requestHead(request, bodyBytes);
    this.#sent += 1;
    this.#heard = false;
    this.#staysOpen = true;
    this.#waiting = waiting;
    if (writesInOnePiece(head, bodyBytes ?? 0)) {
      this.#coming = { head, body };
    } else {
      this.#unsent.push(Buffer.from(head, "latin1"));
      if (body !== null) this.#unsent.push(typeof body === "string" ? Buffer.from(body) : body);
    }
    if (outbox.push(this) === 1) atEndOfTurn(sendAll);
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  /** Which exchange the next `send` begins. */
  get nextExchange(): number {
    return this.#sent + 1;
  }

  /** Ends this exchange, and none after it. */
  stop(exchange: number): void {
    if (this.#sent === exchange && (this.#waiting || this.#answer)) this.abandon();
  }

  /** Closes the connection; whatever is under way on it fails. */
  abandon(): void {
    this.#fail(new ConnectionLost("the exchange was stopped"));
  }

  received(bytes: Buffer<ArrayBuffer>): void {
    try {
      this.#heard = true;
      if (this.#decoder) this.#takeBody(bytes);
      else if (this.#waiting) this.#takeHead(bytes);
      else this.#fail(new BrokenAnswer("the other side speaks unasked"));
    } catch (error) {
      this.#fail(error instanceof Error ? error : new BrokenAnswer(String(error)));
    }
  }

  /** Sends what is not sent yet, as far as the system takes it. */
  sendUnsent(): void {
    const coming = this.#coming;
    const unsent = this.#unsent;
    this.#coming = null;
    this.#unsent = [];
    try {
      if (coming) this.#writeInOnePiece(coming.head, coming.body);
      for (const bytes of unsent) this.#write(bytes);
    } catch (error) {
      this.#fail(lost(error));
    }
  }

  handshaken(error: Error | null): void {
    if (error) this.#opening?.reject(lost(error));
    else this.#opening?.resolve();
  }

  closed(cause: Error | null): void {
    this.#isOver = true;
    this.#opening?.reject(lost(cause));
    if (cause === null && this.#decoder?.isCompleteAtClose && this.#answer) {
      this.#answer.end();
      this.#answer = null;
    }
    const wasResting = this.#sent > 1 && !this.#heard;
    this.#fail(lost(cause, wasResting));
  }

  #writeInOnePiece(head: string, body: DirectRequest["body"]): void {
    const { bytes, length } = inOnePiece(head, body);
    const taken = Math.max(0, this.#socket?.write(bytes, 0, length) ?? 0);
    // The bytes are only good until the next piece.
    if (taken < length) this.#unsent.push(Buffer.from(bytes.subarray(taken, length)));
  }

  #write(bytes: Uint8Array): void {
    if (this.#unsent.length > 0) {
      this.#unsent.push(bytes);
      return;
    }
    const taken = Math.max(0, this.#socket?.write(bytes) ?? 0);
    if (taken < bytes.length) this.#unsent.push(bytes.subarray(taken));
  }

  #takeHead(bytes: Buffer<ArrayBuffer>): void {
    const all = this.#head ? Buffer.concat([this.#head, bytes]) : bytes;
    const end = all.indexOf(HEAD_END);
    if (end < 0) {
      if (all.length > MAX_HEAD_BYTES) throw new BrokenAnswer("the answer's head has no end");
      this.#head = all;
      return;
    }
    this.#head = null;
    const head = responseHead(all.toString("latin1", 0, end));
    const rest = restOf(all, end + HEAD_END.length);
    if (head.status < 200) {
      if (head.status === 101) throw new BrokenAnswer("the other side changes the protocol unasked");
      if (rest.length > 0) this.#takeHead(rest);
      return;
    }
    this.#staysOpen = head.staysOpen;
    this.#decoder = new BodyDecoder(head.length);
    const answer = new DirectAnswer(head, this);
    this.#answer = answer;
    const told = unpacked(answer);
    const waiting = this.#waiting;
    this.#waiting = null;
    this.#takeBody(rest);
    waiting?.resolve(told);
  }

  #takeBody(bytes: Uint8Array<ArrayBuffer>): void {
    const decoder = this.#decoder as BodyDecoder;
    const answer = this.#answer as DirectAnswer;
    if (bytes.length > 0) answer.push(decoder.take(bytes));
    if (!decoder.done) return;
    this.#decoder = null;
    this.#answer = null;
    answer.end();
    // An answer that came before the whole request was sent leaves the connection of no use.
    const isSent = this.#coming === null && this.#unsent.length === 0;
    if (this.#staysOpen && !decoder.surplus && isSent) this.#keeper.rests(this);
    else this.#close();
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    const answer = this.#answer;
    this.#close();
    waiting?.reject(error);
    answer?.end(error);
  }

  #close(): void {
    this.#waiting = null;
    this.#answer = null;
    this.#decoder = null;
    this.#coming = null;
    this.#unsent = [];
    const socket = this.#socket;
    if (!socket) return;
    this.#socket = null;
    // Whoever opens it hears of a failure by that.
    if (!this.#opening) this.#keeper.gone(this);
    socket.terminate();
  }
}

/** Connections with a request that goes out when this turn is over. */
let outbox: Connection[] = [];

function sendAll(): void {
  const connections = outbox;
  outbox = [];
  for (const connection of connections) connection.sendUnsent();
}

function lost(cause: unknown, wasResting = false): ConnectionLost {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  const message = cause instanceof Error ? cause.message : "the connection was closed before the answer was complete";
  return new ConnectionLost(message, code, wasResting);
}

/** One set for all connections: each socket carries its own. */
const HANDLERS: Bun.SocketHandler<Connection> = {
  open: (socket) => socket.data.opened(socket),
  data: ({ data: connection }, bytes) => connection.received(bytes as Buffer<ArrayBuffer>),
  drain: ({ data: connection }) => connection.sendUnsent(),
  close: ({ data: connection }, error) => connection.closed(error ?? null),
  error: ({ data: connection }, error) => connection.closed(error),
  handshake: ({ data: connection }, isTrusted, error) =>
    connection.handshaken(isTrusted ? null : (error ?? new Error("the certificate is not trusted"))),
};
