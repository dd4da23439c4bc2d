import { type JsonObject, parseJson, recordOf, textOf } from "../../../../formats/json.ts";
import type { EventText } from "../../../../lib/http/sse.ts";
import type { McpEvents } from "../turn.ts";
import { contentOf, type GeminiTurn } from "./turn.ts";

/** Pieces of a text are one part. */
function withPart(parts: JsonObject[], part: JsonObject): JsonObject[] {
  const last = parts.at(-1);
  const isPiece =
    last && typeof last.text === "string" && typeof part.text === "string" && last.thought === part.thought;
  if (!isPiece || last.thoughtSignature !== undefined) return [...parts, part];
  return parts.with(-1, { ...last, ...part, text: `${last.text}${part.text}` });
}

/**
 * The streams of all rounds as one stream of responses, as events or as elements of an array: with one end and the usage of all. Source:
 * https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
 */
export class GeminiEvents implements McpEvents {
  /** The current round's response so far. */
  #response: JsonObject = {};
  #parts: JsonObject[] = [];
  #hasWritten = false;

  constructor(
    private readonly turn: GeminiTurn,
    private readonly isArray: boolean,
  ) {}

  push({ data }: EventText): string {
    const chunk = recordOf(parseJson(data));
    if (!chunk) return "";
    if (chunk.error != null) return this.fail(chunk);
    this.turn.began(chunk);
    const { candidate, content, parts } = contentOf(chunk);
    const { candidate: before } = contentOf(this.#response);
    this.#response = { ...this.#response, ...chunk, candidates: [{ ...before, ...candidate }] };
    this.#parts.push(...parts);
    const shown = this.turn.clientParts(parts).filter(({ text, ...rest }) => text !== "" || "thoughtSignature" in rest);
    if (shown.length === 0) return "";
    const { finishReason: _, ...open } = candidate;
    const { usageMetadata: __, ...rest } = chunk;
    const candidates = [{ ...open, content: { ...content, role: "model", parts: shown } }];
    return this.#write({ ...rest, candidates, ...this.turn.identity });
  }

  takeResponse(): JsonObject | null {
    const { candidate } = contentOf(this.#response);
    const parts = this.#parts.reduce(withPart, []);
    const response = { ...this.#response, candidates: [{ ...candidate, content: { role: "model", parts } }] };
    this.#response = {};
    this.#parts = [];
    return textOf(candidate.finishReason) === null ? null : response;
  }

  /** The format has no place for them. */
  results(): string {
    return "";
  }

  end(): string {
    const response = this.turn.response();
    const { candidate } = contentOf(response);
    const candidates = [{ ...candidate, content: { role: "model", parts: [{ text: "" }] } }];
    return this.#write({ ...response, candidates }) + this.#close();
  }

  fail(body: JsonObject): string {
    return this.#write(body) + this.#close();
  }

  #close = (): string => (this.isArray ? "]" : "");

  #write(body: JsonObject): string {
    const text = JSON.stringify(body);
    if (!this.isArray) return `data: ${text}\r\n\r\n`;
    const before = this.#hasWritten ? ",\r\n" : "[";
    this.#hasWritten = true;
    return before + text;
  }
}
