import type { Reply, ReplyChoice } from "../../conversation/collect-reply.ts";
import type { Citation, Conversation, Part } from "../../conversation/conversation.ts";
import type {
  FinishReason,
  ReplyContext,
  ReplyEvent,
  ReplyMedia,
  StreamEncoder,
  Usage,
} from "../../conversation/reply.ts";
import { refusalOf } from "../../helpers/finish-reasons.ts";
import { mediaOf } from "../../helpers/media-text.ts";
import { compact, type JsonObject, parseJson, recordOf } from "../../json.ts";
import { GROUNDING, searchedIn } from "../../tools/web-search.ts";
import { encodeError } from "../error.ts";
import { signatureMember } from "../parts.ts";
import { serverToolIn } from "../request/server-tools.ts";
import { groundingOf } from "./grounding.ts";
import { writeLogprobs } from "./logprobs.ts";
import { usageObject } from "./usage.ts";

const FINISH: Readonly<Record<FinishReason, string>> = {
  stop: "STOP",
  length: "MAX_TOKENS",
  tool_calls: "STOP",
  content_filter: "SAFETY",
  error: "OTHER",
  unknown: "OTHER",
};

type Finish = Readonly<{ reason: FinishReason; native: string | null; message?: string }>;
const STOPPED: Finish = { reason: "stop", native: null };

/** A finish reason, with the provider's words about a refusal, or its own word where Google has none for it. */
function finishOf(finish: Finish): JsonObject {
  const { reason, native } = finish;
  const message = reason === "unknown" ? native : refusalOf(finish);
  return { finishReason: FINISH[reason], ...(message !== null && { finishMessage: message }) };
}

/**
 * Writes a complete generateContent response. Source:
 * https://ai.google.dev/api/generate-content#generatecontentresponse
 */
export function encodeReply(reply: Reply, context: ReplyContext): JsonObject {
  return compact({
    candidates: reply.choices.map(candidateOf),
    usageMetadata: reply.usage && usageObject(reply.usage, reply.serviceTier),
    modelVersion: context.model,
    responseId: reply.id || context.requestId,
  });
}

function candidateOf({ index, parts, citations, logprobs, finish }: ReplyChoice): JsonObject {
  const text = parts.flatMap((part) => (part.type === "text" || part.type === "refusal" ? [part.text] : [])).join("");
  const searches = parts.flatMap((part) => (part.type === "native" ? [part] : []));
  return compact({
    content: { role: "model", parts: parts.flatMap(partsOf) },
    ...finishOf(finish),
    index,
    [GROUNDING]: groundingMetadataOf(searches, citations, text),
    logprobsResult: writeLogprobs(logprobs),
  });
}

type Native = Omit<Extract<Part, { type: "native" }>, "type">;

/** Grounding metadata. Google's own goes on unchanged. */
function groundingMetadataOf(
  natives: readonly Native[],
  citations: readonly Citation[],
  text: string,
): JsonObject | null {
  const own = natives.find(isGrounding);
  return own
    ? recordOf(own.value[GROUNDING])
    : groundingOf(
        citations,
        natives.flatMap((native) => searchedIn(native) ?? []),
        text,
      );
}

const isGrounding = ({ dialect, name }: Native): boolean => dialect === "gemini" && name === GROUNDING;

function partsOf(part: Part): JsonObject[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return [{ text: part.text }];
    case "reasoning":
      return [serverToolIn(part.signature) ?? { text: part.text, thought: true, ...signatureMember(part.signature) }];
    case "tool-call":
      return [callPart(part.id, part.name, part.input, part.signature)];
    case "image":
    case "audio":
    case "video":
    case "document": {
      const media = mediaOf(part);
      return media ? [mediaPart(media.source)] : [];
    }
    case "native":
      return part.dialect === "gemini" && !isGrounding(part) ? [part.value] : [];
    default:
      return [];
  }
}

const mediaPart = (source: ReplyMedia): JsonObject =>
  source.kind === "base64"
    ? { inlineData: { mimeType: source.mediaType, data: source.data } }
    : { fileData: { fileUri: source.url, ...(source.mediaType !== undefined && { mimeType: source.mediaType }) } };

function callPart(
  id: string,
  name: string,
  input: string,
  signature: Parameters<typeof signatureMember>[0],
): JsonObject {
  const args = recordOf(parseJson(input)) ?? (input.trim() === "" ? {} : { input });
  return { functionCall: { id, name, args }, ...signatureMember(signature) };
}

type Framing = "events" | "array";

/**
 * Writes a stream of responses: server-sent events, or a JSON array element by element. Source:
 * https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
 */
class GeminiStreamEncoder implements StreamEncoder {
  #written = 0;
  #usage: Usage | null = null;
  /** In OpenAI's terms. */
  #serviceTier: string | null = null;
  #id = "";
  /** Calls are buffered, because they are sent complete. */
  #calls = new Map<string, { start: Extract<ReplyEvent, { type: "tool-start" }>; input: string }>();
  #finish = new Map<number, Finish>();
  /** Text, citations and searches of each choice, sent at its end. */
  #grounds = new Map<number, { text: string; citations: Citation[]; natives: Native[] }>();

  constructor(
    private readonly context: ReplyContext,
    private readonly framing: Framing,
  ) {}

  push(step: ReplyEvent): string {
    switch (step.type) {
      case "start":
        this.#id = step.id;
        this.#serviceTier = step.serviceTier ?? null;
        return "";
      case "usage":
        this.#usage = step.usage;
        this.#serviceTier = step.serviceTier ?? this.#serviceTier;
        return "";
      case "text":
        this.#ground(step.choice).text += step.text;
        return step.text === "" ? "" : this.#parts(step.choice, [{ text: step.text }], writeLogprobs(step.logprobs));
      case "refusal":
        return step.text === "" ? "" : this.#parts(step.choice, [{ text: step.text }]);
      case "reasoning":
        return this.#parts(step.choice, [{ text: step.text, thought: true }]);
      case "signature":
        return this.#parts(step.choice, [
          serverToolIn(step.signature) ?? { text: "", thought: true, ...signatureMember(step.signature) },
        ]);
      case "tool-start":
        this.#calls.set(`${step.choice}/${step.index}`, { start: step, input: "" });
        return "";
      case "tool-input": {
        const call = this.#calls.get(`${step.choice}/${step.index}`);
        if (call) call.input += step.text;
        return "";
      }
      case "media":
        return this.#parts(step.choice, [mediaPart(step.source)]);
      case "citation":
        this.#ground(step.choice).citations.push(step.citation);
        return "";
      case "native":
        if (step.dialect === "gemini" && !isGrounding(step)) return this.#parts(step.choice, [step.value]);
        this.#ground(step.choice).natives.push(step);
        return "";
      case "withdrawal":
        return "";
      case "finish":
        this.#finish.set(step.choice, step);
        return "";
      case "error":
        return this.#write(encodeError(step.error, this.context.requestId)) + (this.framing === "array" ? "]" : "");
    }
  }

  /** Calls and finish reasons come last, with the usage. */
  end(usage: Usage): string {
    const choices = this.#finish.size > 0 ? [...this.#finish] : [[0, STOPPED] as const];
    const candidates = choices.map(([index, finish]) => {
      const { natives, citations, text } = this.#ground(index);
      return compact({
        content: { role: "model", parts: this.#callsOf(index) },
        ...finishOf(finish),
        index,
        [GROUNDING]: groundingMetadataOf(natives, citations, text),
      });
    });
    return this.#write({ candidates }, usage) + (this.framing === "array" ? "]" : "");
  }

  #ground(choice: number): { text: string; citations: Citation[]; natives: Native[] } {
    const known = this.#grounds.get(choice);
    if (known) return known;
    const ground = { text: "", citations: [], natives: [] };
    this.#grounds.set(choice, ground);
    return ground;
  }

  #callsOf(choice: number): JsonObject[] {
    const calls = [...this.#calls.values()].filter(({ start }) => start.choice === choice);
    const parts = calls.map(({ start, input }) => callPart(start.id, start.name, input, start.signature));
    return parts.length > 0 ? parts : [{ text: "" }];
  }

  #parts(index: number, parts: JsonObject[], logprobsResult: JsonObject | null = null): string {
    return this.#write({ candidates: [compact({ content: { role: "model", parts }, index, logprobsResult })] });
  }

  #write(answer: JsonObject, usage = this.#usage): string {
    const body = answer.error
      ? answer
      : compact({
          ...answer,
          usageMetadata: usage && usageObject(usage, this.#serviceTier),
          modelVersion: this.context.model,
          responseId: this.#id || this.context.requestId,
        });
    const first = this.#written++ === 0;
    if (this.framing === "events") return `data: ${JSON.stringify(body)}\r\n\r\n`;
    return `${first ? "[" : ",\r\n"}${JSON.stringify(body)}`;
  }
}

export const geminiStreamEncoder =
  (framing: Framing) =>
  (context: ReplyContext, _request: Conversation): StreamEncoder =>
    new GeminiStreamEncoder(context, framing);
