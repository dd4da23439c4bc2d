import { type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import type { EventText } from "../../../../lib/http/sse.ts";
import type { McpEvents } from "../turn.ts";
import { BETWEEN_TEXTS, type ChatTurn } from "./turn.ts";

/** Texts that the client gets from round to round. */
const TEXTS = ["content", "reasoning_content"] as const;

/**
 * The streams of all rounds as one stream of chat chunks: with one id, one end and the usage of all. Source:
 * https://platform.openai.com/docs/api-reference/chat-streaming
 */
export class ChatEvents implements McpEvents {
  /** Members of each chunk. */
  #head: JsonObject = {};
  #hasRole = false;
  /** The current round's message so far. */
  #message: JsonObject = {};
  #calls: JsonObject[] = [];
  #details: JsonObject[] = [];
  #reason: string | null = null;
  #usage: JsonObject | null = null;
  /** Places of the client's functions among the calls of a round. */
  readonly #own = new Map<number, number>();
  /** Whether an earlier round had such a text. */
  readonly #hadText = new Set<string>();
  #shown = 0;

  constructor(private readonly turn: ChatTurn) {}

  push({ data }: EventText): string {
    const chunk = recordOf(parseJson(data));
    if (!chunk) return "";
    if (chunk.error != null) return write(chunk) + DONE;
    this.turn.began(chunk);
    const { choices, usage, ...head } = chunk;
    this.#head = { ...head, id: this.turn.id };
    this.#usage = recordOf(usage) ?? this.#usage;
    return recordsOf(choices)
      .map((choice) => this.#choice(choice))
      .join("");
  }

  takeResponse(): JsonObject | null {
    if (this.#reason === null) return null;
    for (const name of TEXTS) if (this.#message[name]) this.#hadText.add(name);
    const calls = this.#calls.filter(Boolean);
    const details = this.#details;
    const message = {
      role: "assistant",
      content: null,
      ...this.#message,
      ...(details.length > 0 && { reasoning_details: details }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const choices = [{ index: 0, message, finish_reason: this.#reason }];
    const response = { ...this.#head, choices, ...(this.#usage && { usage: this.#usage }) };
    this.#message = {};
    this.#calls = [];
    this.#details = [];
    this.#own.clear();
    this.#reason = null;
    this.#usage = null;
    return response;
  }

  results(): string {
    const added = this.turn.executed.slice(this.#shown);
    this.#shown = this.turn.executed.length;
    return added.length > 0 ? this.#delta({ executed_tools: added }) : "";
  }

  end(): string {
    const { choices, usage } = this.turn.response();
    const [choice] = recordsOf(choices);
    // What signs the reasoning of rounds whose calls were made is of no use to the client.
    const details = recordsOf(recordOf(choice?.message)?.reasoning_details);
    const signed = details.length > 0 ? this.#delta({ reasoning_details: details }) : "";
    const ended = this.#chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: choice?.finish_reason }]);
    return signed + ended + (this.turn.wantsUsage ? write({ ...this.#head, choices: [], usage }) : "") + DONE;
  }

  fail(body: JsonObject): string {
    return write(body) + DONE;
  }

  #choice({ delta: value, finish_reason: reason, logprobs }: JsonObject): string {
    const { role, tool_calls: calls, reasoning_details: details, ...delta } = recordOf(value) ?? {};
    this.#reason = textOf(reason) ?? this.#reason;
    this.#details.push(...recordsOf(details));
    const own = recordsOf(calls).flatMap((call) => this.#addCall(call));
    const shown: JsonObject = { ...delta };
    for (const [name, part] of Object.entries(delta)) {
      const isText = TEXTS.some((each) => each === name);
      const before = this.#message[name];
      this.#message[name] = typeof part === "string" ? (textOf(before) ?? "") + part : (part ?? before);
      if (isText && part && !before && this.#hadText.has(name)) shown[name] = BETWEEN_TEXTS + part;
    }
    if (own.length > 0) shown.tool_calls = own;
    return Object.values(shown).some((part) => part != null && part !== "") ? this.#delta(shown, logprobs) : "";
  }

  /** The piece of a call as the client sees it: nothing of an MCP tool's. */
  #addCall(piece: JsonObject): JsonObject[] {
    const index = numberOf(piece.index) ?? 0;
    const { function: called, index: _, ...members } = piece;
    const { arguments: input, ...named } = recordOf(called) ?? {};
    const known = this.#calls[index];
    const before = recordOf(known?.function);
    const text = (textOf(before?.arguments) ?? "") + (textOf(input) ?? "");
    const call = {
      ...known,
      ...members,
      ...(called != null && { function: { ...before, ...named, arguments: text } }),
    };
    this.#calls[index] = call;
    if (this.turn.toolOf(call)) return [];
    const at = this.#own.get(index) ?? this.#own.size;
    this.#own.set(index, at);
    return [{ ...piece, index: at }];
  }

  #delta(delta: JsonObject, logprobs: unknown = null): string {
    const written = this.#hasRole ? delta : { role: "assistant", content: "", ...delta };
    this.#hasRole = true;
    return this.#chunk([{ index: 0, delta: written, logprobs, finish_reason: null }]);
  }

  #chunk(choices: readonly JsonObject[]): string {
    return write({ ...this.#head, choices, ...(this.turn.wantsUsage && { usage: null }) });
  }
}

const DONE = "data: [DONE]\n\n";
const write = (data: JsonObject): string => `data: ${JSON.stringify(data)}\n\n`;
