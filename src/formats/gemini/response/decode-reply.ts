import { type Reply, ReplyCollector } from "../../conversation/collect-reply.ts";
import type { MediaPart, Signature } from "../../conversation/conversation.ts";
import { finishAfter, type ReplyEvent, type StreamDecoder, type WireEvent } from "../../conversation/reply.ts";
import { readSignature } from "../../conversation/signature.ts";
import { BLOCKED_PROMPT } from "../../helpers/blocked-prompt.ts";
import { finishReasonOf } from "../../helpers/finish-reasons.ts";
import { type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../json.ts";
import { GROUNDING } from "../../tools/web-search.ts";
import { decodeError } from "../error.ts";
import { carryServerTool } from "../request/server-tools.ts";
import { Grounding } from "./grounding.ts";
import { readLogprobs } from "./logprobs.ts";
import { PartialCall } from "./partial-args.ts";
import { PlainEvents } from "./plain-events.ts";
import { readTier, readUsage } from "./usage.ts";

/**
 * Reads generateContent responses, complete or as the events of a stream. Source:
 * https://ai.google.dev/api/generate-content#generatecontentresponse
 */
export class GeminiDecoder implements StreamDecoder {
  ended = false;
  #started = false;
  readonly #plain = new PlainEvents();
  #calls = new Map<number, number>();
  /** Calls whose arguments are still arriving, by choice. */
  readonly #partial = new Map<number, PartialCall>();
  #finished = new Set<number>();
  #candidates = new Map<number, { texts: string[]; grounding: Grounding }>();

  constructor(private readonly newId: (prefix: string) => string) {}

  push({ data }: WireEvent): ReplyEvent[] {
    const plain = this.#plain.read(data);
    if (plain) return this.#text(plain.text, plain.usage);
    const parsed = parseJson(data);
    const answer = recordOf(Array.isArray(parsed) ? parsed[0] : parsed);
    if (!answer) return [];
    const error = answer.error === undefined ? null : decodeError(200, answer);
    const used = recordOf(answer.usageMetadata);
    if (error) return [...(used ? [usageStep(used)] : []), { type: "error", error }];
    this.#plain.learn(data, answer);
    return this.read(answer);
  }

  /** A text delta of the first candidate, and the usage so far. */
  #text(text: string, reported: JsonObject | null): ReplyEvent[] {
    this.#known(0).texts.push(text);
    const step: ReplyEvent = { type: "text", choice: 0, text };
    return reported ? [step, usageStep(reported)] : [step];
  }

  read(answer: JsonObject): ReplyEvent[] {
    const steps: ReplyEvent[] = [];
    if (!this.#started) {
      this.#started = true;
      const serviceTier = readTier(recordOf(answer.usageMetadata));
      steps.push({
        type: "start",
        id: textOf(answer.responseId) ?? "",
        model: textOf(answer.modelVersion) ?? "",
        createdAt: null,
        ...(serviceTier !== null && { serviceTier }),
      });
    }
    const candidates = recordsOf(answer.candidates);
    for (const candidate of candidates) this.#candidate(candidate, steps);
    const reported = recordOf(answer.usageMetadata);
    if (reported) steps.push(usageStep(reported));
    const feedback = recordOf(answer.promptFeedback);
    const blocked = textOf(feedback?.blockReason);
    if (blocked !== null && candidates.length === 0) {
      this.#finished.add(0);
      // Nothing was generated: without a count of the provider, none of the gateway's own sentence takes its place.
      if (!reported) steps.push(usageStep({}));
      const words = textOf(feedback?.blockReasonMessage);
      const text = BLOCKED_PROMPT + blocked + (words ? `. ${words}` : "");
      steps.push({ type: "refusal", choice: 0, text });
      steps.push({ type: "finish", choice: 0, reason: "content_filter", native: blocked });
    }
    return steps;
  }

  /** Gemini's streams have no end marker: the last event carries the finish reason. */
  end(): ReplyEvent[] {
    // A call that was cut off is dropped.
    return [];
  }

  /** Appends a candidate's events to `steps`. */
  #candidate(candidate: JsonObject, steps: ReplyEvent[]): void {
    const choice = numberOf(candidate.index) ?? 0;
    const before = steps.length;
    for (const part of recordsOf(recordOf(candidate.content)?.parts)) this.#part(part, choice, steps);
    if (candidate.logprobsResult !== undefined) {
      const logprobs = readLogprobs(recordOf(candidate.logprobsResult));
      const text = steps.slice(before).find((step) => step.type === "text");
      if (logprobs.length > 0 && text?.type === "text") text.logprobs = logprobs;
    }
    const known = this.#known(choice);
    for (let at = before; at < steps.length; at += 1) {
      const step = steps[at];
      if (step?.type === "text") known.texts.push(step.text);
    }
    const recited = recordOf(candidate.citationMetadata);
    if (recited) {
      for (const citation of known.grounding.recited(recited, known.texts.join("")))
        steps.push({ type: "citation", choice, citation });
    }
    const grounding = recordOf(candidate.groundingMetadata);
    if (grounding) {
      for (const citation of known.grounding.read(grounding, known.texts.join("")))
        steps.push({ type: "citation", choice, citation });
    }
    const native = textOf(candidate.finishReason);
    if (native === null || native === "FINISH_REASON_UNSPECIFIED" || this.#finished.has(choice)) return;
    this.#finished.add(choice);
    this.#complete(choice, steps);
    const { metadata } = known.grounding;
    if (metadata) steps.push({ type: "native", choice, dialect: "gemini", name: GROUNDING, value: metadata });
    const reason = finishAfter(finishReasonOf("gemini", native), this.#calls.get(choice) ?? 0);
    const message = textOf(candidate.finishMessage);
    steps.push({ type: "finish", choice, reason, native, ...(message && { message }) });
  }

  #part(part: JsonObject, choice: number, steps: ReplyEvent[]): void {
    const value = textOf(part.thoughtSignature);
    const signature = value ? readSignature(value, "gemini") : null;
    const call = recordOf(part.functionCall);
    if (call) {
      this.#call(call, signature, choice, steps);
      return;
    }
    const inline = recordOf(part.inlineData);
    if (inline) {
      const mediaType = textOf(inline.mimeType) ?? "image/png";
      const kind = kindOf(mediaType);
      const source = { kind: "base64", mediaType, data: textOf(inline.data) ?? "" } as const;
      steps.push({ type: "media", choice, kind, source });
    } else {
      const carried = carryServerTool(part);
      if (carried) {
        steps.push({ type: "signature", choice, signature: carried, encrypted: true });
        return;
      }
      const transcript = textOf(recordOf(part.audioTranscription)?.text);
      const text = textOf(part.text) ?? transcript ?? codeOf(part) ?? (signature ? "" : null);
      if (text === null)
        steps.push({ type: "native", choice, dialect: "gemini", name: Object.keys(part)[0] ?? "part", value: part });
      else if (text !== "") steps.push({ type: part.thought === true ? "reasoning" : "text", choice, text });
    }
    if (signature) steps.push({ type: "signature", choice, signature });
  }

  /**
   * A call arrives complete, or in fragments of which only the first has its name; then it is emitted when complete.
   */
  #call(call: JsonObject, signature: Signature | null, choice: number, steps: ReplyEvent[]): void {
    const name = textOf(call.name) || null;
    const id = textOf(call.id) || null;
    let open = this.#partial.get(choice);
    if (open && name !== null && (id === null || id !== open.id)) {
      this.#complete(choice, steps);
      open = undefined;
    }
    if (!open) {
      // A client cannot run a call without a name.
      if (name === null) return;
      open = new PartialCall(name, id, recordOf(call.args), signature);
      this.#partial.set(choice, open);
    }
    open.signature ??= signature;
    open.add(call.partialArgs);
    if (call.willContinue !== true) this.#complete(choice, steps);
  }

  #complete(choice: number, steps: ReplyEvent[]): void {
    const call = this.#partial.get(choice);
    if (!call) return;
    this.#partial.delete(choice);
    const index = this.#calls.get(choice) ?? 0;
    this.#calls.set(choice, index + 1);
    const { name, signature, input } = call;
    const id = call.id ?? this.newId("call_");
    steps.push(
      { type: "tool-start", choice, index, id, name, kind: "function", ...(signature && { signature }) },
      { type: "tool-input", choice, index, text: input },
    );
  }

  #known(choice: number): { texts: string[]; grounding: Grounding } {
    const known = this.#candidates.get(choice);
    if (known) return known;
    const fresh = { texts: [], grounding: new Grounding() };
    this.#candidates.set(choice, fresh);
    return fresh;
  }
}

function usageStep(reported: JsonObject): ReplyEvent {
  const usage = readUsage(reported);
  const serviceTier = readTier(reported);
  return serviceTier === null ? { type: "usage", usage } : { type: "usage", usage, serviceTier };
}

const kindOf = (mediaType: string): MediaPart["type"] =>
  (["image", "audio", "video"] as const).find((kind) => mediaType.startsWith(`${kind}/`)) ?? "document";

/** Code that Google ran and its output, as Markdown. */
function codeOf(part: JsonObject): string | null {
  const code = recordOf(part.executableCode);
  const result = recordOf(part.codeExecutionResult);
  if (!code && !result) return null;
  const fence = code ? (textOf(code.language) ?? "").toLowerCase() : "";
  return `\n\`\`\`${fence}\n${(textOf(code?.code ?? result?.output) ?? "").trimEnd()}\n\`\`\`\n`;
}

/** Reads a complete response; null if the body is none. */
export function decodeReply(body: JsonObject): Reply | null {
  if (!Array.isArray(body.candidates) && !recordOf(body.promptFeedback) && !recordOf(body.usageMetadata)) return null;
  let made = 0;
  const decoder = new GeminiDecoder((prefix) => `${prefix}${textOf(body.responseId) ?? "0"}_${made++}`);
  const collector = new ReplyCollector();
  for (const step of decoder.read(body)) collector.push(step);
  return collector.reply;
}
