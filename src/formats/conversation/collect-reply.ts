import { readEvents } from "../../lib/http/sse.ts";
import { type JsonObject, parseJson, recordOf } from "../json.ts";
import type { ProviderCodec } from "./codec.ts";
import type { Citation, Part, ReasoningPart, ToolCallPart } from "./conversation.ts";
import type { FinishReason, Processing, ReplyError, ReplyEvent, Usage } from "./reply.ts";

/** A complete response. Parts are in the order the upstream sent them. */
export type Reply = {
  id: string;
  model: string;
  createdAt: number | null;
  choices: ReplyChoice[];
  usage: Usage | null;
  /** In OpenAI's terms. */
  serviceTier: string | null;
  /** What else the provider says of how it served the response. */
  processing?: Processing;
};

export type ReplyChoice = {
  index: number;
  parts: Part[];
  citations: Citation[];
  logprobs: JsonObject[] | null;
  finish: {
    reason: FinishReason;
    native: string | null;
    stopSequence: string | null;
    message?: string;
    partIds?: readonly string[];
  };
};

/** Assembles a response from its events. */
export class ReplyCollector {
  readonly #reply: Reply = { id: "", model: "", createdAt: null, choices: [], usage: null, serviceTier: null };
  readonly #calls = new Map<string, ToolCallPart>();
  error: ReplyError | null = null;

  push(event: ReplyEvent): void {
    switch (event.type) {
      case "start":
        this.#reply.id ||= event.id;
        this.#reply.model ||= event.model;
        this.#reply.createdAt ??= event.createdAt;
        this.#reply.serviceTier ??= event.serviceTier ?? null;
        this.#note(event);
        return;
      case "usage":
        this.#reply.usage = event.usage;
        this.#reply.serviceTier = event.serviceTier ?? this.#reply.serviceTier;
        this.#note(event);
        return;
      case "error":
        this.error ??= event.error;
        return;
      default:
        this.#add(this.#choice(event.choice), event);
    }
  }

  /** The response so far; choices without a finish event count as stopped. */
  get reply(): Reply {
    this.#reply.choices.sort((a, b) => a.index - b.index);
    return this.#reply;
  }

  #note({ speed, inferenceGeo }: Processing): void {
    if (speed === undefined && inferenceGeo === undefined) return;
    this.#reply.processing = {
      ...this.#reply.processing,
      ...(speed !== undefined && { speed }),
      ...(inferenceGeo !== undefined && { inferenceGeo }),
    };
  }

  #choice(index: number): ReplyChoice {
    const known = this.#reply.choices.find((choice) => choice.index === index);
    if (known) return known;
    const finish = { reason: "stop" as const, native: null, stopSequence: null };
    const choice: ReplyChoice = { index, parts: [], citations: [], logprobs: null, finish };
    this.#reply.choices.push(choice);
    return choice;
  }

  #add(choice: ReplyChoice, event: Exclude<ReplyEvent, { type: "start" | "usage" | "error" }>): void {
    const { parts } = choice;
    const last = parts.at(-1);
    switch (event.type) {
      case "text":
        if (last?.type === "text") last.text += event.text;
        else if (event.text !== "") parts.push({ type: "text", text: event.text });
        if (event.logprobs) choice.logprobs = [...(choice.logprobs ?? []), ...event.logprobs];
        return;
      case "withdrawal":
        parts.length = 0;
        return;
      case "refusal":
        if (last?.type === "refusal") last.text += event.text;
        else parts.push({ type: "refusal", text: event.text });
        return;
      case "reasoning":
        if (last?.type === "reasoning" && !last.signature && last.summary === event.summary) last.text += event.text;
        else parts.push({ type: "reasoning", text: event.text, ...(event.summary && { summary: true }) });
        return;
      case "signature":
        this.#sign(parts, last, event);
        return;
      case "tool-start": {
        const { type: _, choice: __, index: ___, ...start } = event;
        const call: ToolCallPart = { type: "tool-call", input: "", ...start };
        this.#calls.set(`${event.choice}/${event.index}`, call);
        parts.push(call);
        return;
      }
      case "tool-input": {
        const call = this.#calls.get(`${event.choice}/${event.index}`);
        if (call) call.input += event.text;
        return;
      }
      case "media": {
        const { kind, source } = event;
        if (kind === "audio" && event.transcript) parts.push({ type: "text", text: event.transcript });
        parts.push({ type: kind, source });
        return;
      }
      case "citation":
        choice.citations.push(event.citation);
        return;
      case "native":
        parts.push({ type: "native", dialect: event.dialect, name: event.name, value: event.value });
        return;
      case "finish":
        choice.finish = {
          ...{ reason: event.reason, native: event.native, stopSequence: event.stopSequence ?? null },
          ...(event.message !== undefined && { message: event.message }),
          ...(event.partIds && { partIds: event.partIds }),
        };
    }
  }

  #sign(parts: Part[], last: Part | undefined, event: Extract<ReplyEvent, { type: "signature" }>): void {
    if (last?.type === "reasoning" && !last.signature && !event.encrypted) last.signature = event.signature;
    else {
      const alone: ReasoningPart = { type: "reasoning", text: "", signature: event.signature };
      parts.push(event.encrypted ? { ...alone, encrypted: true } : alone);
    }
  }
}

/** The events of a complete response as a stream would have sent them, for a client that requested a stream. */
export function* stepsOf(reply: Reply): Generator<ReplyEvent> {
  const tier = { ...reply.processing, ...(reply.serviceTier !== null && { serviceTier: reply.serviceTier }) };
  yield { type: "start", id: reply.id, model: reply.model, createdAt: reply.createdAt, ...tier };
  for (const choice of reply.choices) yield* stepsOfChoice(choice);
  if (reply.usage) yield { type: "usage", usage: reply.usage, ...tier };
}

function* stepsOfChoice({ index: choice, parts, citations, logprobs, finish }: ReplyChoice): Generator<ReplyEvent> {
  let calls = 0;
  let tokens = logprobs;
  let textLength = 0;
  const remainingCitations = new Set(citations);
  const lastText = parts.findLast(({ type }) => type === "text");
  for (const part of parts) {
    switch (part.type) {
      case "text":
        yield { type: "text", choice, text: part.text, ...(tokens && { logprobs: tokens }) };
        tokens = null;
        textLength += part.text.length;
        for (const citation of remainingCitations) {
          // Citations without a position come after all text.
          const isPlaced = citation.end !== null && citation.end > 0 && citation.end <= textLength;
          if (!isPlaced && part !== lastText) continue;
          remainingCitations.delete(citation);
          yield { type: "citation", choice, citation };
        }
        break;
      case "refusal":
        yield { type: "refusal", choice, text: part.text };
        break;
      case "reasoning":
        if (part.text !== "")
          yield { type: "reasoning", choice, text: part.text, ...(part.summary && { summary: true }) };
        if (part.signature) {
          yield { type: "signature", choice, signature: part.signature, ...(part.encrypted && { encrypted: true }) };
        }
        break;
      case "tool-call": {
        const { id, name, namespace, kind, signature } = part;
        const marks = { ...(namespace !== undefined && { namespace }), ...(signature && { signature }) };
        yield { type: "tool-start", choice, index: calls, id, name, kind, ...marks };
        if (part.input !== "") yield { type: "tool-input", choice, index: calls, text: part.input };
        calls += 1;
        break;
      }
      case "image":
      case "audio":
      case "video":
      case "document":
        if (part.source.kind === "base64" || part.source.kind === "url")
          yield { type: "media", choice, kind: part.type, source: part.source };
        break;
      case "native":
        yield { type: "native", choice, dialect: part.dialect, name: part.name, value: part.value };
        break;
    }
  }
  for (const citation of remainingCitations) yield { type: "citation", choice, citation };
  const { reason, native, stopSequence, message, partIds } = finish;
  const more = {
    ...(stopSequence !== null && { stopSequence }),
    ...(message !== undefined && { message }),
    ...(partIds && { partIds }),
  };
  yield { type: "finish", choice, reason, native, ...more };
}

/**
 * Reads an upstream's complete body: JSON, or the text of all events for services that only stream. Null if it is
 * invalid or incomplete. `newId` makes ids for calls without one.
 */
export function replyOf(codec: ProviderCodec, text: string, newId: (prefix: string) => string): Reply | null {
  const parsed = parseJson(text);
  if (parsed !== undefined) {
    const answer = recordOf(parsed);
    return answer && codec.decodeReply(answer);
  }
  const { collector, finished } = collectEvents(codec, text, newId);
  return collector.error || !finished ? null : collector.reply;
}

/** Reads the text of a stream's events, also of one that broke: `finished` says whether a choice came to its end. */
export function collectEvents(
  codec: ProviderCodec,
  text: string,
  newId: (prefix: string) => string,
): Readonly<{ collector: ReplyCollector; finished: boolean }> {
  const decoder = codec.streamDecoder(newId);
  const collector = new ReplyCollector();
  let finished = false;
  const steps = readEvents(text).flatMap((event) => decoder.push(event));
  for (const step of [...steps, ...decoder.end()]) {
    collector.push(step);
    finished ||= step.type === "finish";
  }
  return { collector, finished };
}
