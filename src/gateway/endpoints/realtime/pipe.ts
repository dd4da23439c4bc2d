import { textOfBytes } from "../../../lib/values/bytes.ts";

/** One frame of a WebSocket. */
export type Frame = string | Buffer<ArrayBuffer>;

/** The text of a frame: some protocols send it as bytes. */
export const textOfFrame = (frame: Frame): string => (typeof frame === "string" ? frame : textOfBytes(frame));

/** The client's side of a session. */
export type ClientSocket = Bun.ServerWebSocket<unknown>;

/** Bytes waiting for a slow upstream at which reading the client pauses and resumes. */
const PAUSE_BYTES = 1_048_576;
const RESUME_BYTES = 262_144;
const POLL_MS = 10;

/**
 * Forwards frames between a client and an upstream, and reads each side no faster than the other accepts.
 */
export class Pipe {
  #upstream: Bun.WebSocket | null = null;
  #isClientSlow = false;
  #isUpstreamSlow = false;
  #isHeld = false;
  #isClosed = false;

  constructor(private readonly client: ClientSocket) {
    this.#flow();
  }

  /** Starts to forward frames. */
  join(upstream: Bun.WebSocket): void {
    this.#upstream = upstream;
    this.#flow();
  }

  toUpstream(frame: Frame): void {
    if (this.#isClosed || !this.#upstream) return;
    this.#upstream.send(frame);
    if (!this.#isUpstreamSlow && this.#upstream.bufferedAmount > PAUSE_BYTES) {
      this.#isUpstreamSlow = true;
      this.#flow();
      this.#awaitUpstream();
    }
  }

  /** False: the frame could not be queued for the client. */
  toClient(frame: Frame): boolean {
    if (this.#isClosed) return true;
    const sent = this.client.send(frame);
    if (sent === -1) {
      this.#isClientSlow = true;
      this.#flow();
    }
    return sent !== 0;
  }

  /** The client has received the queued frames. */
  drained(): void {
    this.#isClientSlow = false;
    this.#flow();
  }

  /** Pauses or resumes both sides, while something else must be decided. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#flow();
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Polls the upstream's send queue: the runtime's WebSocket client has no event for it. */
  #awaitUpstream(): void {
    setTimeout(() => {
      if (this.#isClosed || !this.#upstream) return;
      if (this.#upstream.bufferedAmount > RESUME_BYTES) return this.#awaitUpstream();
      this.#isUpstreamSlow = false;
      this.#flow();
    }, POLL_MS);
  }

  #flow(): void {
    if (this.#isClosed) return;
    set(this.client, this.#isHeld || this.#isUpstreamSlow || this.#upstream === null);
    if (this.#upstream) set(this.#upstream, this.#isHeld || this.#isClientSlow);
  }
}

type Pausable = { readonly isPaused: boolean; pause(): void; resume(): void };

function set(socket: Pausable, shallPause: boolean): void {
  if (shallPause === socket.isPaused) return;
  if (shallPause) socket.pause();
  else socket.resume();
}
