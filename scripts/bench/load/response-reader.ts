/** One complete HTTP/1.1 response: its status, the bytes of its body and the server-sent events in it. */
export type MeasuredResponse = Readonly<{ status: number; bodyBytes: number; events: number }>;

const HEAD_END = Buffer.from("\r\n\r\n");
const EVENT = Buffer.from("data: ");

/**
 * Takes the bytes of a connection and says when a response is complete. Only what the measurement needs of HTTP/1.1:
 * a length or chunks, one response at a time. Much cheaper than a full client, so that the load leaves the cores to
 * what is measured.
 */
export class ResponseReader {
  #pending: Buffer = Buffer.alloc(0);
  #status = 0;
  #bodyBytes = 0;
  #events = 0;
  /** Body bytes to come; -1: chunked; null: the head is not complete. */
  #left: number | null = null;

  /** Returns the response when these bytes complete it, else null. Throws when they are no HTTP. */
  push(bytes: Uint8Array): MeasuredResponse | null {
    this.#pending = this.#pending.length ? Buffer.concat([this.#pending, bytes]) : Buffer.from(bytes);
    if (this.#left === null && !this.#readHead()) return null;
    return this.#left === -1 ? this.#readChunks() : this.#readLength();
  }

  #readHead(): boolean {
    const end = this.#pending.indexOf(HEAD_END);
    if (end < 0) return false;
    const head = this.#pending.toString("latin1", 0, end).toLowerCase();
    this.#pending = this.#pending.subarray(end + HEAD_END.length);
    this.#status = Number(/^http\/1\.1 (\d{3})/.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(this.#status)) throw new Error(`not an HTTP response: ${head.slice(0, 80)}`);
    const length = /\ncontent-length: *(\d+)/.exec(head)?.[1];
    this.#left = length === undefined ? -1 : Number(length);
    return true;
  }

  #readLength(): MeasuredResponse | null {
    const left = this.#left ?? 0;
    if (this.#pending.length < left) return null;
    this.#take(this.#pending.subarray(0, left));
    return this.#finish(left);
  }

  #readChunks(): MeasuredResponse | null {
    for (;;) {
      const lineEnd = this.#pending.indexOf("\r\n");
      if (lineEnd < 0) return null;
      const size = Number.parseInt(this.#pending.toString("latin1", 0, lineEnd), 16);
      if (Number.isNaN(size)) throw new Error("not a chunk size");
      const next = lineEnd + 2 + size + 2;
      if (this.#pending.length < next) return null;
      this.#take(this.#pending.subarray(lineEnd + 2, lineEnd + 2 + size));
      this.#pending = this.#pending.subarray(next);
      if (size === 0) return this.#finish(0);
    }
  }

  #take(body: Buffer): void {
    this.#bodyBytes += body.length;
    for (let at = body.indexOf(EVENT); at >= 0; at = body.indexOf(EVENT, at + EVENT.length)) this.#events += 1;
  }

  #finish(consumed: number): MeasuredResponse {
    const response = { status: this.#status, bodyBytes: this.#bodyBytes, events: this.#events };
    this.#pending = this.#pending.subarray(consumed);
    this.#bodyBytes = 0;
    this.#events = 0;
    this.#left = null;
    return response;
  }
}
