import { type JsonObject, numberOf, parseJson, recordOf, textOf } from "../../../../formats/json.ts";
import type { EventText } from "../../../../lib/http/sse.ts";
import type { McpEvents } from "../turn.ts";
import type { ResponsesTurn } from "./turn.ts";

/** How the client sees an item of the current round. */
type Shown = Readonly<{ kind: "call" | "approval" | "other"; id: string | null }>;

/**
 * The streams of all rounds as one stream of Responses: items and events are numbered on, calls of MCP tools have their own
 * events. Source: https://platform.openai.com/docs/api-reference/responses-streaming
 */
export class ResponsesEvents implements McpEvents {
  #sequence = 0;
  #hasBegun = false;
  readonly #items = new Map<number, Shown>();
  #response: JsonObject | null = null;

  constructor(private readonly turn: ResponsesTurn) {}

  push({ data }: EventText): string {
    const event = recordOf(parseJson(data));
    const type = textOf(event?.type);
    if (!event || type === null) return "";
    const response = recordOf(event.response);
    switch (type) {
      case "response.created":
      case "response.queued":
      case "response.in_progress":
        return this.#begin(type, response ?? {});
      case "response.completed":
      case "response.incomplete":
        this.#response = response;
        return "";
      case "response.failed":
        return this.#write(type, { response: { ...this.turn.response(), ...ending(response ?? {}) } });
      case "error":
        return this.#write(type, event);
      default:
        return this.#item(type, event);
    }
  }

  takeResponse(): JsonObject | null {
    const response = this.#response;
    this.#response = null;
    return response;
  }

  results(): string {
    let text = "";
    for (const [at, { kind, id }] of this.#items) {
      if (kind !== "call") continue;
      const item = this.turn.output[at] ?? {};
      const place = { item_id: id, output_index: at };
      if (item.status === "completed") text += this.#write("response.mcp_call.completed", place);
      else if (item.status === "failed") text += this.#write("response.mcp_call.failed", place);
      text += this.#write("response.output_item.done", { output_index: at, item });
    }
    this.#items.clear();
    return text;
  }

  end(): string {
    const response = this.turn.response();
    return this.#write(`response.${response.status}`, { response });
  }

  fail(body: JsonObject): string {
    const { code, message, param } = recordOf(body.error) ?? {};
    const error = { code: "server_error", message };
    const state = { status: "failed", completed_at: null, incomplete_details: null, error };
    return (
      this.#write("error", { code: code ?? "server_error", message, param: param ?? null }) +
      this.#write("response.failed", { response: { ...this.turn.response(), ...state } })
    );
  }

  /** The response begins once: with the items from before the first round. */
  #begin(type: string, response: JsonObject): string {
    if (this.#hasBegun) return "";
    this.turn.began(response);
    const text = this.#write(type, { response: this.turn.settings(response) });
    if (type !== "response.in_progress") return text;
    this.#hasBegun = true;
    return text + this.turn.output.map((item, at) => this.#complete(item, at)).join("");
  }

  /** An item that is complete already. */
  #complete(item: JsonObject, at: number): string {
    const place = { item_id: item.id, output_index: at };
    const added = (start: JsonObject) => this.#write("response.output_item.added", { output_index: at, item: start });
    const done = this.#write.bind(this, "response.output_item.done");
    switch (item.type) {
      case "mcp_list_tools":
        return (
          added({ ...item, tools: [] }) +
          this.#write("response.mcp_list_tools.in_progress", place) +
          this.#write("response.mcp_list_tools.completed", place) +
          done({ output_index: at, item })
        );
      case "mcp_call":
        return (
          added({ ...item, arguments: "", output: null, error: null, status: "in_progress" }) +
          this.#write("response.mcp_call.in_progress", place) +
          this.#write("response.mcp_call_arguments.done", { ...place, arguments: item.arguments }) +
          this.#write(`response.mcp_call.${item.status}`, place) +
          done({ output_index: at, item })
        );
      default:
        return added(item) + done({ output_index: at, item });
    }
  }

  #item(type: string, event: JsonObject): string {
    const index = numberOf(event.output_index);
    if (index === null) return this.#write(type, event);
    // The items of this round follow those of the rounds before.
    const at = this.turn.output.length + index;
    const item = recordOf(event.item);
    if (type === "response.output_item.added" && item) return this.#added(item, event, at);
    const known = this.#items.get(at);
    const place = { item_id: known?.id ?? event.item_id, output_index: at };
    if (type === "response.output_item.done" && item) {
      if (known?.kind === "call") return "";
      const shown = this.turn.clientItem(item, at);
      return shown.type === "mcp_approval_request"
        ? this.#complete(shown, at)
        : this.#write(type, { ...event, output_index: at, item: shown });
    }
    if (known?.kind === "approval") return "";
    if (known?.kind !== "call")
      return this.#write(type, { ...event, ...(event.item_id != null && place), output_index: at });
    if (type === "response.function_call_arguments.delta") {
      return this.#write("response.mcp_call_arguments.delta", { ...place, delta: event.delta });
    }
    return type === "response.function_call_arguments.done"
      ? this.#write("response.mcp_call_arguments.done", { ...place, arguments: event.arguments })
      : "";
  }

  #added(item: JsonObject, event: JsonObject, at: number): string {
    const shown = this.turn.clientItem(item, at);
    const id = textOf(shown.id);
    if (shown.type === "mcp_approval_request") {
      this.#items.set(at, { kind: "approval", id });
      return "";
    }
    const isCall = shown.type === "mcp_call";
    this.#items.set(at, { kind: isCall ? "call" : "other", id });
    const text = this.#write("response.output_item.added", { ...event, output_index: at, item: shown });
    return isCall ? text + this.#write("response.mcp_call.in_progress", { item_id: id, output_index: at }) : text;
  }

  #write(type: string, members: JsonObject): string {
    const data = { ...members, type, sequence_number: this.#sequence };
    this.#sequence += 1;
    return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}

/** How a response ended. */
const ending = ({ status, error, incomplete_details: details }: JsonObject): JsonObject => ({
  ...{ status, error, incomplete_details: details },
  completed_at: null,
});
