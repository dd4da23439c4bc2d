import type { ReplyEvent } from "../../conversation/reply.ts";

const OPEN = "<think>";
const CLOSE = "</think>";

/**
 * Extracts reasoning between `<think>` and `</think>` at the very beginning of a response's text. Create one per
 * choice; tags may be split anywhere.
 */
export class ThinkTags {
  #state: "start" | "thinking" | "gap" | "answer" = "start";
  #held = "";
  /** No reasoning was emitted yet: a line break belongs to the tag. */
  #fresh = true;

  constructor(private readonly choice: number) {}

  push(text: string): ReplyEvent[] {
    if (this.#state === "answer") return this.#text(text);
    if (this.#state === "gap") return this.#afterGap(text);
    this.#held += text;
    return this.#state === "start" ? this.#begin() : this.#think();
  }

  /** Returns the text held back as a possible tag. */
  end(): ReplyEvent[] {
    const held = this.#held;
    this.#held = "";
    return this.#state === "thinking" ? this.#reasoning(held) : this.#text(held);
  }

  #begin(): ReplyEvent[] {
    const trimmed = this.#held.trimStart();
    if (trimmed.length < OPEN.length && OPEN.startsWith(trimmed)) return [];
    if (!trimmed.startsWith(OPEN)) {
      this.#state = "answer";
      return this.end();
    }
    this.#state = "thinking";
    this.#held = trimmed.slice(OPEN.length);
    return this.#think();
  }

  #think(): ReplyEvent[] {
    const close = this.#held.indexOf(CLOSE);
    if (close >= 0) {
      const thought = this.#held.slice(0, close);
      const rest = this.#held.slice(close + CLOSE.length);
      this.#held = "";
      this.#state = "gap";
      return [...this.#reasoning(thought), ...this.#afterGap(rest)];
    }
    const keep = tagBegin(this.#held);
    const thought = this.#held.slice(0, this.#held.length - keep);
    this.#held = this.#held.slice(this.#held.length - keep);
    return this.#reasoning(thought);
  }

  /** Line breaks between reasoning and answer belong to neither. */
  #afterGap(text: string): ReplyEvent[] {
    const rest = text.replace(/^\n+/, "");
    if (rest !== "") this.#state = "answer";
    return this.#text(rest);
  }

  #text = (text: string): ReplyEvent[] => (text === "" ? [] : [{ type: "text", choice: this.choice, text }]);
  #reasoning(thought: string): ReplyEvent[] {
    const text = this.#fresh ? thought.replace(/^\n/, "") : thought;
    if (thought !== "") this.#fresh = false;
    return text === "" ? [] : [{ type: "reasoning", choice: this.choice, text }];
  }
}

/** How many characters at the end of `text` may begin the closing tag. */
function tagBegin(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length -= 1) {
    if (CLOSE.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
