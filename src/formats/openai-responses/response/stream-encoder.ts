import type { Citation, Conversation, Signature } from "../../conversation/conversation.ts";
import type {
  ReplyContext,
  ReplyError,
  ReplyEvent,
  StreamEncoder,
  Usage,
  WireEvent,
} from "../../conversation/reply.ts";
import { GATEWAY_MARK } from "../../conversation/signature.ts";
import { urlAnnotationOf } from "../../conversation/url-citation.ts";
import { refusalOf } from "../../helpers/finish-reasons.ts";
import { mediaText } from "../../helpers/media-text.ts";
import { type JsonObject, numberOf, parseJson, recordOf, textOf } from "../../json.ts";
import { awaitsResult, type Searched, SearchJoiner, searchedIn } from "../../tools/web-search.ts";
import { itemId, reasoningItem, sealCall, sealReasoning, searchItem } from "../items.ts";
import { MessageItem, type WriteEvent } from "./message-item.ts";
import { callItem, endState, type Finish, responseBase, responseId } from "./response-object.ts";

type CallStart = Extract<ReplyEvent, { type: "tool-start" }>;

type OpenReasoning = {
  kind: "reasoning";
  id: string;
  outputIndex: number;
  text: string;
  begun: boolean;
  sealed: string | null;
};

type OpenCall = { id: string; outputIndex: number; text: string; call: CallStart };

/**
 * Writes a Responses stream: numbered events, each item opened, filled and closed in turn.
 * Source: https://platform.openai.com/docs/api-reference/responses-streaming
 */
export class ResponsesStreamEncoder implements StreamEncoder {
  #sequence = 0;
  #base: JsonObject | null = null;
  /** The upstream's id, and the id that the client sees. */
  #id = "";
  #responseId = "";
  #createdAt: number;
  #output: JsonObject[] = [];
  #nextIndex = 0;
  #item: MessageItem | OpenReasoning | null = null;
  /** Several calls can be open at once: their deltas may interleave. */
  #calls = new Map<number, OpenCall>();
  #end: Finish = { reason: "stop", native: null };
  /** The service tier of the call; null if the upstream does not report it. */
  #serviceTier: string | null = null;
  #cited: Citation[] = [];
  readonly #searches = new SearchJoiner();
  /** Characters of the answer's text so far, and where in it the open message would begin if all of its text were the answer's. */
  #textLength = 0;
  #messageStart = 0;

  constructor(
    private readonly context: ReplyContext,
    private readonly request: Conversation,
  ) {
    this.#createdAt = context.createdAt;
  }

  push(step: ReplyEvent): string {
    switch (step.type) {
      case "start":
        this.#id = step.id;
        this.#createdAt = step.createdAt ?? this.#createdAt;
        this.#serviceTier = step.serviceTier ?? null;
        return this.#begin();
      case "usage":
        this.#serviceTier = step.serviceTier ?? this.#serviceTier;
        return "";
      case "error":
        return this.#begin() + this.#fail(step.error);
      default:
        return step.choice === 0 ? this.#begin() + this.#step(step) : "";
    }
  }

  resume(first: readonly WireEvent[], last: readonly WireEvent[]): void {
    const response = first
      .map(({ data }) => recordOf(recordOf(parseJson(data))?.response))
      .find((found) => found !== null);
    if (!response) return;
    this.#base = response;
    this.#responseId = textOf(response.id) ?? "";
    const sequence = last.map(({ data }) => numberOf(recordOf(parseJson(data))?.sequence_number) ?? -1);
    this.#sequence = Math.max(-1, ...sequence) + 1;
  }

  end(usage: Usage): string {
    const closed = this.#close();
    const response = this.finish(usage);
    return closed + this.#write(`response.${response.status}`, { response });
  }

  /** The complete response, after the last event. */
  finish(usage: Usage | null): JsonObject {
    this.#close();
    const tier = this.#serviceTier === null ? null : { service_tier: this.#serviceTier };
    return { ...this.#base, ...tier, output: this.#output, ...endState(this.#end, usage, this.context.createdAt) };
  }

  #close = (): string => {
    const begun = this.#begin();
    const searches = this.#searches.flush().map((one) => this.#writeSearch(one));
    return begun + searches.join("") + this.#closeItem() + this.#closeCalls();
  };

  #begin(): string {
    if (this.#base) return "";
    this.#responseId = responseId(this.#id, this.context);
    this.#base = responseBase(this.#responseId, this.#createdAt, this.context, this.request);
    const state = { status: "in_progress", completed_at: null, error: null, incomplete_details: null };
    const response = { ...this.#base, output: [], ...state };
    return this.#write("response.created", { response }) + this.#write("response.in_progress", { response });
  }

  #fail({ status, code, message, param, overflow }: ReplyError): string {
    // A failed response has other codes than an error object, but for a request that is too long.
    const kind =
      overflow && code
        ? code
        : status === 429
          ? "rate_limit_exceeded"
          : status >= 500
            ? "server_error"
            : "invalid_prompt";
    const error = { code: kind, message };
    const state = { status: "failed", completed_at: null, error, incomplete_details: null };
    return (
      this.#write("error", { code: code ?? kind, message, param }) +
      this.#write("response.failed", { response: { ...this.#base, output: this.#output, ...state } })
    );
  }

  #step(step: Exclude<ReplyEvent, { type: "start" | "usage" | "error" }>): string {
    switch (step.type) {
      case "text":
        return this.#text("output_text", step.text, step.logprobs);
      case "refusal":
        return this.#text("refusal", step.text);
      case "reasoning":
        return this.#reasoning(step.text);
      case "signature":
        return this.#seal(step.signature, step.encrypted === true);
      case "tool-start":
        return this.#openCall(step);
      case "tool-input": {
        const item = this.#calls.get(step.index);
        if (!item) return "";
        item.text += step.text;
        const name =
          item.call.kind === "custom"
            ? "response.custom_tool_call_input.delta"
            : "response.function_call_arguments.delta";
        return this.#write(name, { item_id: item.id, output_index: item.outputIndex, delta: step.text });
      }
      case "citation":
        this.#cited.push(step.citation);
        return this.#item?.kind === "message" ? this.#annotate(this.#item) : "";
      case "media": {
        const { kind, source } = step;
        if (kind !== "image" || source.kind !== "base64") return this.#link(mediaText(step));
        const id = this.#idOfNext("ig_");
        const format = source.mediaType.replace(/^image\//, "");
        const drawn = { id, type: "image_generation_call", status: "completed", result: source.data };
        return this.#completeItem(format === "png" ? drawn : { ...drawn, output_format: format });
      }
      case "native":
        return step.dialect === "openai-responses" ? this.#completeItem(step.value) : this.#searched(step);
      case "withdrawal":
        return "";
      case "finish":
        this.#end = step;
        return this.#text("refusal", refusalOf(step) ?? "");
    }
  }

  #text(part: "output_text" | "refusal", text: string, logprobs: JsonObject[] = []): string {
    if (text === "") return "";
    const before = this.#textLength;
    if (part === "output_text") this.#textLength += text.length;
    if (this.#item?.kind === "message") return this.#item.say(part, text, logprobs) + this.#annotate(this.#item);
    this.#messageStart = before;
    const closed = this.#closeItem() + this.#closeCalls();
    const item = new MessageItem(this.#idOfNext("msg_"), this.#nextIndex++, this.#write);
    this.#item = item;
    return closed + item.open() + item.say(part, text, logprobs) + this.#annotate(item);
  }

  /** Media as text, which citations do not count. */
  #link(text: string): string {
    const written = this.#text("output_text", text);
    this.#textLength -= text.length;
    this.#messageStart -= text.length;
    return written;
  }

  #openReasoning(): string {
    const closed = this.#closeItem() + this.#closeCalls();
    const item = {
      kind: "reasoning" as const,
      id: this.#idOfNext("rs_"),
      outputIndex: this.#nextIndex++,
      text: "",
      begun: false,
      sealed: null,
    };
    this.#item = item;
    const added = { id: item.id, type: "reasoning", summary: [] };
    return closed + this.#write("response.output_item.added", { output_index: item.outputIndex, item: added });
  }

  #reasoning(text: string): string {
    const fresh = this.#item?.kind !== "reasoning" || this.#item.sealed !== null ? this.#openReasoning() : "";
    const item = this.#item;
    if (item?.kind !== "reasoning" || text === "") return fresh;
    const place = { item_id: item.id, output_index: item.outputIndex, summary_index: 0 };
    const part = item.begun
      ? ""
      : this.#write("response.reasoning_summary_part.added", { ...place, part: { type: "summary_text", text: "" } });
    item.begun = true;
    item.text += text;
    return fresh + part + this.#write("response.reasoning_summary_text.delta", { ...place, delta: text });
  }

  #seal(signature: Signature, encrypted: boolean): string {
    const fresh = this.#item?.kind !== "reasoning" || this.#item.sealed !== null ? this.#openReasoning() : "";
    if (this.#item?.kind === "reasoning") {
      this.#item.sealed = sealReasoning(signature, encrypted);
    }
    return fresh;
  }

  /** A call item cannot hold a signature: an empty reasoning item before it carries it. */
  #sealedCall({ id, signature }: CallStart): string {
    if (!signature) return "";
    const item = reasoningItem(this.#idOfNext("rs_"), "", sealCall(signature, id));
    const outputIndex = this.#nextIndex++;
    return (
      this.#write("response.output_item.added", { output_index: outputIndex, item }) + this.#done(outputIndex, item)
    );
  }

  #openCall(call: CallStart): string {
    const closed = this.#closeItem() + (call.signature ? this.#closeCalls() + this.#sealedCall(call) : "");
    const id = this.#idOfNext(call.kind === "custom" ? "ctc_" : "fc_");
    const item = { id, outputIndex: this.#nextIndex++, text: "", call };
    this.#calls.set(call.index, item);
    const added = callItem(id, call, "", "in_progress");
    return closed + this.#write("response.output_item.added", { output_index: item.outputIndex, item: added });
  }

  #closeCalls(): string {
    let written = "";
    for (const { id, outputIndex, text: input, call } of this.#calls.values()) {
      // Clients parse arguments: a call without any sends `{}`.
      const missing = input.trim() === "" && call.kind === "function" ? "{}" : "";
      const text = missing || input;
      const place = { item_id: id, output_index: outputIndex };
      if (missing) written += this.#write("response.function_call_arguments.delta", { ...place, delta: missing });
      written +=
        call.kind === "custom"
          ? this.#write("response.custom_tool_call_input.done", { ...place, input: text })
          : this.#write("response.function_call_arguments.done", { ...place, name: call.name, arguments: text });
      written += this.#done(outputIndex, callItem(id, call, text));
    }
    this.#calls.clear();
    return written;
  }

  #closeItem(): string {
    const item = this.#item;
    this.#item = null;
    if (!item) return "";
    if (item.kind === "message") {
      const { written, item: complete } = item.close();
      return written + this.#done(item.outputIndex, complete);
    }
    const place = { item_id: item.id, output_index: item.outputIndex, summary_index: 0 };
    const part = { type: "summary_text", text: item.text };
    const summary = item.begun
      ? this.#write("response.reasoning_summary_text.done", { ...place, text: item.text }) +
        this.#write("response.reasoning_summary_part.done", { ...place, part })
      : "";
    return summary + this.#done(item.outputIndex, reasoningItem(item.id, item.text, item.sealed));
  }

  /** Writes pending citations: some upstreams send them before the text. */
  #annotate(message: MessageItem): string {
    const annotations = this.#cited
      .splice(0)
      .map((citation) => urlAnnotationOf(citation, this.#messageStart, "openai-responses"))
      .filter((annotation) => annotation !== null);
    return annotations.map((annotation) => message.annotate(annotation)).join("");
  }

  #completeItem(item: JsonObject): string {
    const closed = this.#closeItem() + this.#closeCalls();
    const outputIndex = this.#nextIndex++;
    return (
      closed +
      this.#write("response.output_item.added", { output_index: outputIndex, item }) +
      this.#done(outputIndex, item)
    );
  }

  /** Writes another provider's web search as OpenAI's items. */
  #searched(step: Extract<ReplyEvent, { type: "native" }>): string {
    const searched = searchedIn(step);
    if (!searched) return "";
    return this.#searches
      .push(searched, awaitsResult(step))
      .map((one) => this.#writeSearch(one))
      .join("");
  }

  #writeSearch(searched: Searched): string {
    const closed = this.#closeItem() + this.#closeCalls();
    const item = searchItem(this.#idOfNext(`ws_${GATEWAY_MARK}`), searched);
    const place = { item_id: item.id, output_index: this.#nextIndex++ };
    const added = { output_index: place.output_index, item: { ...item, status: "in_progress" } };
    return (
      closed +
      this.#write("response.output_item.added", added) +
      this.#write("response.web_search_call.in_progress", place) +
      this.#write("response.web_search_call.searching", place) +
      (searched.hasFailed ? "" : this.#write("response.web_search_call.completed", place)) +
      this.#done(place.output_index, item)
    );
  }

  #idOfNext = (prefix: string): string => itemId(prefix, this.#responseId, this.#nextIndex);

  #done(outputIndex: number, item: JsonObject): string {
    this.#output[outputIndex] = item;
    return this.#write("response.output_item.done", { output_index: outputIndex, item });
  }

  #write: WriteEvent = (type, data) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...data, sequence_number: this.#sequence++ })}\n\n`;
}
