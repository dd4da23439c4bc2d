import { parseJson, recordOf } from "../../json.ts";

/**
 * Turns the streamed input of a tool call into the JSON object that Anthropic's clients parse. The free text of a
 * custom tool, and arguments that are no object, become its `input`.
 */
export class ToolInput {
  #state: "start" | "object" | "text" | "other" = "start";
  #held = "";

  constructor(private readonly kind: "function" | "custom") {}

  push(piece: string): string {
    if (this.#state === "object") return piece;
    if (this.kind === "custom") {
      const opening = this.#state === "start" ? '{"input":"' : "";
      this.#state = "text";
      return opening + JSON.stringify(piece).slice(1, -1);
    }
    this.#held += piece;
    if (this.#state === "other" || this.#held.trim() === "") return "";
    this.#state = this.#held.trimStart().startsWith("{") ? "object" : "other";
    return this.#state === "object" ? this.#held : "";
  }

  /** The rest of the input when the call is complete. */
  end(): string {
    if (this.kind === "custom") return this.#state === "start" ? '{"input":""}' : '"}';
    if (this.#state !== "other") return "";
    // Some services encode the arguments twice.
    const parsed = parseJson(this.#held);
    const inner = typeof parsed === "string" ? recordOf(parseJson(parsed)) : null;
    return JSON.stringify(inner ?? { input: this.#held });
  }
}
