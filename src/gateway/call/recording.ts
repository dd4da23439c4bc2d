import type { Usage } from "../../formats/conversation/reply.ts";

/** A response as its client got it, complete and charged. */
export type RecordedResponse = Readonly<{ text: string; usage: Usage }>;

/**
 * Collects the response of a call while its client gets it. Ends once, with the response if it was complete and not too long, else
 * with null.
 */
export class Recording {
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #usage: Usage | null = null;
  #ended = false;

  constructor(
    /** The model whose response is wanted: the one of another that takes over is not. */
    private readonly model: string,
    private readonly maxBytes: number,
    private readonly onEnd: (response: RecordedResponse | null) => void,
  ) {}

  /** Takes a piece of the response as the client gets it. */
  add(piece: Uint8Array | string): void {
    if (this.#ended || this.#bytes > this.maxBytes) return;
    const bytes = Buffer.from(piece);
    this.#bytes += bytes.byteLength;
    if (this.#bytes > this.maxBytes) this.#pieces = [];
    else this.#pieces.push(bytes);
  }

  /** The response of `model` was complete, and is charged by this usage. */
  settled(model: string, usage: Usage): void {
    if (model === this.model) this.#usage = usage;
  }

  /** Nothing more comes. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    const isComplete = this.#usage !== null && this.#bytes > 0 && this.#bytes <= this.maxBytes;
    this.onEnd(isComplete && this.#usage ? { text: Buffer.concat(this.#pieces).toString(), usage: this.#usage } : null);
    this.#pieces = [];
  }
}
