import type { Usage } from "../../formats/conversation/reply.ts";

/** By what a response is charged. */
export type RecordedUse = Readonly<{
  /** With the tools that the provider ran. */
  usage: Usage;
  /** The service tiers that served it. */
  tiers: readonly string[];
  /** What it cost the operator, in quota units; null: its channel does not say. */
  upstreamCost: number | null;
  /** What of the request its provider could not express. */
  dropped: readonly string[];
}>;

/** A response as its client got it, complete and charged. */
export type RecordedResponse = RecordedUse & Readonly<{ text: string }>;

/**
 * Collects the response of a call while its client gets it. Ends once, with the response if it was complete and not too long, else
 * with null.
 */
export class Recording {
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #use: RecordedUse | null = null;
  #ended = false;

  constructor(
    /** The model whose response is wanted: the one of another that takes over is not. */
    private readonly model: string,
    private readonly maxBytes: number,
    private readonly onEnd: (response: RecordedResponse | null) => void,
  ) {}

  /** Takes a piece of the response as the client gets it. */
  add(piece: Uint8Array | string): void {
    if (this.#ended) return;
    const bytes = Buffer.from(piece);
    this.#bytes += bytes.byteLength;
    if (this.#bytes <= this.maxBytes) this.#pieces.push(bytes);
    // Nobody waits for what is not kept.
    else this.#finish(null);
  }

  /** The response of `model` was complete, and is charged by this use. */
  settled(model: string, use: RecordedUse): void {
    if (model === this.model) this.#use = use;
  }

  /** Nothing more comes. */
  end(): void {
    if (this.#ended) return;
    const use = this.#bytes > 0 ? this.#use : null;
    this.#finish(use && { text: Buffer.concat(this.#pieces).toString(), ...use });
  }

  #finish(response: RecordedResponse | null): void {
    this.#ended = true;
    this.#pieces = [];
    this.onEnd(response);
  }
}
