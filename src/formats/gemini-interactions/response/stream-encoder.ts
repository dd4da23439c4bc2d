import type { Citation, Conversation } from "../../conversation/conversation.ts";
import type {
  FinishReason,
  ReplyContext,
  ReplyError,
  ReplyEvent,
  StreamEncoder,
  Usage,
  WireEvent,
} from "../../conversation/reply.ts";
import { urlAnnotationOf } from "../../conversation/url-citation.ts";
import { refusalOf } from "../../helpers/finish-reasons.ts";
import { compact, type JsonObject, parseJson, recordOf } from "../../json.ts";
import { awaitsResult, type Searched, SearchJoiner, searchedIn, synthesizedId } from "../../tools/web-search.ts";
import { errorObject } from "../error.ts";
import { argumentsOf, INTERACTIONS, sealCall, sealThought } from "../steps.ts";
import { usageObject } from "./usage.ts";

type CallStart = Extract<ReplyEvent, { type: "tool-start" }>;
type OpenCall = { index: number; call: CallStart; input: string };
/** The output or thought that is being written; `contents` are its blocks. */
type OpenStep = { index: number; type: "model_output" | "thought"; contents: JsonObject[]; signature: string | null };

const SERVICE_TIERS: Readonly<Record<string, string>> = {
  default: "standard",
  flex: "flex",
  priority: "priority",
  fast: "priority",
};

/** The id of an interaction: the upstream's if it is one of Google's, else one made from the request's id. */
const interactionId = (id: string, { requestId }: ReplyContext): string =>
  id.startsWith("v1_") ? id : `v1_${requestId.replace(/[^A-Za-z0-9]/g, "")}`;

/**
 * Writes an interaction as a stream of events. Source: https://ai.google.dev/gemini-api/docs/interactions/streaming
 */
export class InteractionsStreamEncoder implements StreamEncoder {
  #base: JsonObject | null = null;
  #upstreamId = "";
  #createdAt: number;
  #serviceTier: string | null = null;
  readonly #steps: JsonObject[] = [];
  #nextIndex = 0;
  #open: OpenStep | null = null;
  /** Several calls can be open at once: their deltas may interleave. */
  readonly #calls = new Map<number, OpenCall>();
  #reason: FinishReason = "stop";
  #callCount = 0;
  #cited: Citation[] = [];
  readonly #searches = new SearchJoiner();
  /** Characters of text so far, and how many of them precede the open output. */
  #textLength = 0;
  #outputStart = 0;

  constructor(
    private readonly context: ReplyContext,
    private readonly request: Conversation,
  ) {
    this.#createdAt = context.createdAt;
  }

  push(step: ReplyEvent): string {
    if (step.type === "start" || step.type === "usage") this.#serviceTier = step.serviceTier ?? this.#serviceTier;
    if (step.type === "usage") return "";
    if (step.type === "start") {
      this.#upstreamId = step.id;
      this.#createdAt = step.createdAt ?? this.#createdAt;
    }
    const begun = this.#begin();
    if (step.type === "start") return begun;
    if (step.type === "error") return begun + this.#fail(step.error);
    return step.choice === 0 ? begun + this.#step(step) : begun;
  }

  end(usage: Usage): string {
    const closed = this.#close();
    const { steps: _, ...interaction } = this.finish(usage);
    return `${closed}${this.#write("interaction.completed", { interaction })}${DONE}`;
  }

  /** The complete interaction, after the last event. */
  finish(usage: Usage): JsonObject {
    this.#close();
    return compact({
      ...this.#base,
      status: this.#status,
      updated: timeOf(this.context.createdAt),
      steps: this.#steps,
      usage: usageObject(usage),
      service_tier: SERVICE_TIERS[this.#serviceTier ?? ""],
    });
  }

  get #status(): string {
    if (!["stop", "tool_calls"].includes(this.#reason)) return "incomplete";
    return this.#callCount > 0 ? "requires_action" : "completed";
  }

  resume(first: readonly WireEvent[]): void {
    const interactions = first.map(({ data }) => recordOf(recordOf(parseJson(data))?.interaction));
    this.#base = interactions.find((found) => found !== null) ?? null;
  }

  #close = (): string => {
    const begun = this.#begin();
    const searches = this.#searches.flush().map((one) => this.#writeSearch(one));
    return begun + searches.join("") + this.#closeStep() + this.#closeCalls();
  };

  #begin(): string {
    if (this.#base) return "";
    const created = timeOf(this.#createdAt);
    this.#base = compact({
      id: interactionId(this.#upstreamId, this.context),
      object: "interaction",
      model: this.context.model,
      created,
      updated: created,
      previous_interaction_id: this.request.extra.members.previous_interaction_id,
    });
    const status = "in_progress";
    return (
      this.#write("interaction.created", { interaction: { ...this.#base, status } }) +
      this.#write("interaction.status_update", { interaction_id: this.#base.id, status })
    );
  }

  #fail = (error: ReplyError): string => this.#write("error", { error: errorObject(error) });

  #step(step: Exclude<ReplyEvent, { type: "start" | "usage" | "error" }>): string {
    switch (step.type) {
      case "text":
        return this.#text(step.text);
      case "refusal":
        return this.#refusal(step.text);
      case "reasoning":
        return this.#reasoning(step.text);
      case "signature":
        return this.#seal(sealThought(step.signature, step.encrypted === true));
      case "tool-start":
        return this.#openCall(step);
      case "tool-input": {
        const open = this.#calls.get(step.index);
        if (!open || step.text === "") return "";
        open.input += step.text;
        return this.#delta(open.index, { type: "arguments_delta", arguments: step.text });
      }
      case "citation":
        this.#cited.push(step.citation);
        return this.#open?.type === "model_output" ? this.#annotate(this.#open) : "";
      case "media": {
        const { written, open } = this.#opened("model_output");
        const block = mediaBlock(step);
        open.contents.push(block);
        return written + this.#delta(open.index, block);
      }
      case "native":
        return step.dialect === INTERACTIONS ? this.#completeStep(step.value) : this.#searched(step);
      case "withdrawal":
        return "";
      case "finish":
        this.#reason = step.reason;
        return this.#refusal(refusalOf(step) ?? "");
    }
  }

  #text(text: string): string {
    if (text === "") return "";
    if (this.#open?.type !== "model_output") this.#outputStart = this.#textLength;
    const { written, open } = this.#opened("model_output");
    this.#textLength += text.length;
    const last = open.contents.at(-1);
    if (last?.type === "text") last.text = `${last.text}${text}`;
    else open.contents.push({ type: "text", text });
    return written + this.#delta(open.index, { type: "text", text }) + this.#annotate(open);
  }

  /** A refusal as text, which citations do not count. */
  #refusal(text: string): string {
    const written = this.#text(text);
    this.#textLength -= text.length;
    this.#outputStart -= text.length;
    return written;
  }

  #reasoning(text: string): string {
    if (text === "") return "";
    const closed = this.#open?.type === "thought" && this.#open.signature !== null ? this.#closeStep() : "";
    const { written, open } = this.#opened("thought");
    const last = open.contents.at(-1);
    if (last) last.text = `${last.text}${text}`;
    else open.contents.push({ type: "text", text });
    return closed + written + this.#delta(open.index, { type: "thought_summary", content: { type: "text", text } });
  }

  #seal(signature: string): string {
    const closed = this.#open?.type === "thought" && this.#open.signature !== null ? this.#closeStep() : "";
    const { written, open } = this.#opened("thought");
    open.signature = signature;
    return closed + written + this.#delta(open.index, { type: "thought_signature", signature });
  }

  #opened(type: OpenStep["type"]): Readonly<{ written: string; open: OpenStep }> {
    if (this.#open?.type === type) return { written: "", open: this.#open };
    const closed = this.#closeStep() + this.#closeCalls();
    const open: OpenStep = { index: this.#nextIndex++, type, contents: [], signature: null };
    this.#open = open;
    return { written: closed + this.#write("step.start", { index: open.index, step: { type } }), open };
  }

  #openCall(call: CallStart): string {
    // A call cannot carry a signature: an empty thought before it does.
    const sealed = call.signature ? this.#closeStep() + this.#seal(sealCall(call.signature, call.id)) : "";
    const closed = sealed + this.#closeStep();
    const index = this.#nextIndex++;
    this.#callCount += 1;
    this.#calls.set(call.index, { index, call, input: "" });
    const step = { type: "function_call", id: call.id, name: call.name, arguments: {} };
    return closed + this.#write("step.start", { index, step });
  }

  #closeCalls(): string {
    let written = "";
    for (const { index, call, input } of this.#calls.values()) {
      const step = { type: "function_call", id: call.id, name: call.name, arguments: argumentsOf(input) };
      written += this.#done(index, step);
    }
    this.#calls.clear();
    return written;
  }

  #closeStep(): string {
    const open = this.#open;
    this.#open = null;
    if (!open) return "";
    const { index, type, contents, signature } = open;
    if (type === "model_output") return this.#done(index, { type, content: contents });
    return this.#done(index, { type, ...(signature !== null && { signature }), summary: contents });
  }

  /** Writes pending citations: some upstreams send them before the text. */
  #annotate(open: OpenStep): string {
    const annotations = this.#cited
      .splice(0)
      .map((citation) => urlAnnotationOf(citation, this.#outputStart, INTERACTIONS))
      .filter((annotation) => annotation !== null);
    const text = open.contents.findLast(({ type }) => type === "text");
    if (annotations.length === 0 || !text) return "";
    text.annotations = [...(Array.isArray(text.annotations) ? text.annotations : []), ...annotations];
    return this.#delta(open.index, { type: "text_annotation_delta", annotations });
  }

  #completeStep(step: JsonObject): string {
    const closed = this.#closeStep() + this.#closeCalls();
    const index = this.#nextIndex++;
    return closed + this.#write("step.start", { index, step }) + this.#done(index, step);
  }

  /** Writes another provider's web search as Google's steps. */
  #searched(step: Extract<ReplyEvent, { type: "native" }>): string {
    const searched = searchedIn(step);
    if (!searched) return "";
    return this.#searches
      .push(searched, awaitsResult(step))
      .map((one) => this.#writeSearch(one))
      .join("");
  }

  #writeSearch({ queries, hasFailed }: Searched): string {
    const id = synthesizedId((prefix) => this.context.newId(prefix), "");
    const result = { type: "google_search_result", call_id: id, result: [], ...(hasFailed && { is_error: true }) };
    return this.#completeStep({ type: "google_search_call", id, arguments: { queries } }) + this.#completeStep(result);
  }

  #delta = (index: number, delta: JsonObject): string => this.#write("step.delta", { index, delta });

  #done(index: number, step: JsonObject): string {
    this.#steps[index] = step;
    return this.#write("step.stop", { index });
  }

  #write = (type: string, data: JsonObject): string =>
    `event: ${type}\ndata: ${JSON.stringify({ ...data, event_type: type })}\n\n`;
}

const mediaBlock = ({ kind, source }: Extract<ReplyEvent, { type: "media" }>): JsonObject =>
  compact({
    type: kind,
    mime_type: source.mediaType,
    ...(source.kind === "base64" ? { data: source.data } : { uri: source.url }),
  });

/** Ends every stream. */
const DONE = "event: done\ndata: [DONE]\n\n";

/** Unix time in seconds as ISO 8601. */
const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
