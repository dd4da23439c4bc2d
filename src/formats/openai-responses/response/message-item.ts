import type { JsonObject } from "../../json.ts";

/** Writes one event of the stream. */
export type WriteEvent = (type: string, data: JsonObject) => string;

type PartKind = "output_text" | "refusal";

/** A message under way: opens, fills and closes one part after the other. */
export class MessageItem {
  readonly kind = "message";
  readonly #content: JsonObject[] = [];
  #part: PartKind | null = null;
  #text = "";
  #annotations: JsonObject[] = [];
  #logprobs: JsonObject[] = [];

  constructor(
    private readonly id: string,
    readonly outputIndex: number,
    private readonly write: WriteEvent,
  ) {}

  open(): string {
    const item = { id: this.id, type: "message", status: "in_progress", role: "assistant", content: [] };
    return this.write("response.output_item.added", { output_index: this.outputIndex, item });
  }

  say(part: PartKind, text: string, logprobs: JsonObject[]): string {
    const turned = part === this.#part ? "" : this.#closePart() + this.#openPart(part);
    this.#text += text;
    this.#logprobs.push(...logprobs);
    const tokens = part === "output_text" && { logprobs };
    return turned + this.write(`response.${part}.delta`, { ...this.#place(), delta: text, ...tokens });
  }

  annotate(annotation: JsonObject): string {
    if (this.#part !== "output_text") return "";
    this.#annotations.push(annotation);
    const place = { ...this.#place(), annotation_index: this.#annotations.length - 1 };
    return this.write("response.output_text.annotation.added", { ...place, annotation });
  }

  /** Closes the last part; `item` is the complete message. */
  close(): { written: string; item: JsonObject } {
    const written = this.#closePart();
    const item = { id: this.id, type: "message", status: "completed", role: "assistant", content: this.#content };
    return { written, item };
  }

  #place = (): JsonObject => ({
    item_id: this.id,
    output_index: this.outputIndex,
    content_index: this.#content.length,
  });

  #openPart(part: PartKind): string {
    this.#part = part;
    this.#text = "";
    this.#annotations = [];
    this.#logprobs = [];
    return this.write("response.content_part.added", { ...this.#place(), part: this.#written() });
  }

  #written = (): JsonObject =>
    this.#part === "refusal"
      ? { type: "refusal", refusal: this.#text }
      : { type: "output_text", text: this.#text, annotations: this.#annotations, logprobs: this.#logprobs };

  #closePart(): string {
    if (!this.#part) return "";
    const part = this.#written();
    const done = this.#part === "refusal" ? { refusal: this.#text } : { text: this.#text, logprobs: this.#logprobs };
    const written =
      this.write(`response.${this.#part}.done`, { ...this.#place(), ...done }) +
      this.write("response.content_part.done", { ...this.#place(), part });
    this.#content.push(part);
    this.#part = null;
    return written;
  }
}
