import { finishAfter, type ReplyEvent, type StreamDecoder, type WireEvent } from "../../conversation/reply.ts";
import { finishReasonOf } from "../../helpers/finish-reasons.ts";
import { type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../json.ts";
import { errorOf } from "../errors.ts";
import { callSignature, citationSteps, citedPages, contentSteps, imageSteps, reasoningSteps } from "./message-steps.ts";
import { ThinkTags } from "./think-tags.ts";
import { usageIn } from "./usage.ts";

/** An open tool call: upstreams may omit its index or id after the first fragment. */
type OpenCall = {
  /** Null: the name has not arrived. */
  index: number | null;
  id: string;
  input: string;
};

type OpenChoice = {
  tags: ThinkTags;
  /** By the upstream's index or id; a later call with the same index replaces the entry. */
  calls: Map<string, OpenCall>;
  count: number;
  last: OpenCall | null;
  /** Reasoning has arrived in its own field: `<think>` text in the content would repeat it. */
  structured: boolean;
  /** The message lists its citations. */
  cites: boolean;
  finished: boolean;
};

/**
 * Reads a chat stream of OpenAI or of any service that imitates it.
 * Source: https://platform.openai.com/docs/api-reference/chat-streaming
 */
export class ChatStreamDecoder implements StreamDecoder {
  ended = false;
  #started = false;
  #choices = new Map<number, OpenChoice>();
  /** Cited pages, sent at the end of a choice unless its message has citations of its own. */
  #pages: ReadonlyMap<string, string | null> = new Map();

  constructor(private readonly newId: (prefix: string) => string) {}

  push({ data }: WireEvent): ReplyEvent[] {
    if (data.trim() === "[DONE]") {
      this.ended = true;
      return [];
    }
    const chunk = recordOf(parseJson(data));
    if (!chunk) return [];
    const error = errorOf(200, chunk);
    // OpenRouter reports usage in the chunk with the error that ends a stream.
    if (error) return [...usageSteps(chunk), { type: "error", error }];
    const steps = this.#start(chunk);
    if ((chunk.search_results ?? chunk.web_search ?? chunk.citations) !== undefined) this.#pages = citedPages(chunk);
    for (const choice of recordsOf(chunk.choices)) steps.push(...this.#choice(choice));
    steps.push(...usageSteps(chunk));
    return steps;
  }

  end(): ReplyEvent[] {
    return [...this.#choices].flatMap(([index, choice]) => {
      const rest = choice.tags.end();
      if (choice.finished || !this.ended) return rest;
      choice.finished = true;
      const reason = choice.count > 0 ? "tool_calls" : "stop";
      return [...rest, { type: "finish", choice: index, reason, native: null } as const];
    });
  }

  #start(chunk: JsonObject): ReplyEvent[] {
    const id = textOf(chunk.id) ?? "";
    // Azure's first chunk has only content filter results and no id.
    if (this.#started || (id === "" && recordsOf(chunk.choices).length === 0)) return [];
    this.#started = true;
    const start = { id, model: textOf(chunk.model) ?? "", createdAt: numberOf(chunk.created) || null };
    return [{ type: "start", ...start, ...tierOf(chunk) }];
  }

  #choice(choice: JsonObject): ReplyEvent[] {
    const index = numberOf(choice.index) ?? 0;
    const open = this.#open(index);
    const delta = recordOf(choice.delta) ?? recordOf(choice.message) ?? {};
    const steps = reasoningSteps(delta, index);
    open.structured ||= steps.length > 0;
    for (const step of contentSteps(delta.content, index)) {
      if (step.type !== "text") steps.push(step);
      else steps.push(...open.tags.push(step.text).filter(({ type }) => type !== "reasoning" || !open.structured));
    }
    const tokens = recordsOf(recordOf(choice.logprobs)?.content);
    const text = steps.find((step) => step.type === "text");
    if (tokens.length > 0 && text?.type === "text") text.logprobs = tokens;
    const refusal = textOf(delta.refusal);
    if (refusal) steps.push({ type: "refusal", choice: index, text: refusal });
    steps.push(...imageSteps(delta.images, index), ...audioSteps(recordOf(delta.audio), index));
    for (const call of recordsOf(delta.tool_calls)) steps.push(...this.#call(open, index, call));
    const old = recordOf(delta.function_call);
    if (old) steps.push(...this.#call(open, index, { index: 0, function: old }));
    for (const step of citationSteps(delta.annotations, index)) {
      open.cites = true;
      steps.push(step);
    }
    const native = textOf(choice.finish_reason);
    if (native && !open.finished) {
      open.finished = true;
      const reason = finishAfter(finishReasonOf("openai-chat", native), open.count);
      steps.push(...open.tags.end(), ...this.#found(open, index), { type: "finish", choice: index, reason, native });
    }
    return steps;
  }

  #found({ cites }: OpenChoice, choice: number): ReplyEvent[] {
    if (cites) return [];
    const nowhere = { citedText: null, start: null, end: null };
    return [...this.#pages].map(([url, title]) => ({ type: "citation", choice, citation: { url, title, ...nowhere } }));
  }

  #open(index: number): OpenChoice {
    const known = this.#choices.get(index);
    if (known) return known;
    const open: OpenChoice = {
      tags: new ThinkTags(index),
      calls: new Map(),
      count: 0,
      last: null,
      structured: false,
      cites: false,
      finished: false,
    };
    this.#choices.set(index, open);
    return open;
  }

  /** A fragment belongs to the call with its index; without one, to that with its id, else to the last call. */
  #call(open: OpenChoice, choice: number, fragment: JsonObject): ReplyEvent[] {
    const called = recordOf(fragment.function) ?? recordOf(fragment.custom) ?? {};
    const id = textOf(fragment.id) || null;
    const name = textOf(called.name) || null;
    const position = numberOf(fragment.index);
    const key = position !== null ? `#${position}` : id !== null ? `@${id}` : null;
    let call = key === null ? (name === null ? open.last : null) : (open.calls.get(key) ?? null);
    // Some services number every parallel call 0: another id with a name begins another call.
    if (call && call.index === null && id !== null) call.id = id;
    if (call && id !== null && name !== null && call.id !== id) call = null;
    const input = called.arguments ?? called.input;
    const text = textOf(input) ?? (input == null ? "" : JSON.stringify(input));
    // Without ids, a name and new input after a complete input begin another call.
    if (call && id === null && name !== null && text !== "" && parseJson(call.input) !== undefined) call = null;
    const steps: ReplyEvent[] = [];
    if (!call) {
      call = { index: null, id: id ?? this.newId("call_"), input: "" };
      open.calls.set(key ?? `@${call.id}`, call);
    }
    const held = call.index === null ? call.input : "";
    open.last = call;
    call.input += text;
    if (call.index === null) {
      // Some services send arguments before the name; a client cannot run a call without one.
      if (name === null) return steps;
      call.index = open.count++;
      const kind = recordOf(fragment.custom) ? "custom" : "function";
      const signature = callSignature(fragment);
      const start = { type: "tool-start", choice, index: call.index, id: call.id, name, kind } as const;
      steps.push(...open.tags.end(), signature ? { ...start, signature } : start);
    }
    const inputText = held + text;
    if (inputText !== "") steps.push({ type: "tool-input", choice, index: call.index, text: inputText });
    return steps;
  }
}

function usageSteps(chunk: JsonObject): ReplyEvent[] {
  const usage = usageIn(chunk);
  return usage ? [{ type: "usage", usage, ...tierOf(chunk) }] : [];
}

/** The service tier; Mistral's stands in the usage. */
function tierOf({ service_tier, usage }: JsonObject): { serviceTier?: string } {
  const serviceTier = textOf(service_tier) ?? textOf(recordOf(usage)?.service_tier);
  return serviceTier === null ? {} : { serviceTier };
}

function audioSteps(audio: JsonObject | null, choice: number): ReplyEvent[] {
  if (!audio) return [];
  const transcript = textOf(audio.transcript);
  const data = textOf(audio.data);
  if (!transcript && !data) return [];
  return [
    {
      type: "media",
      choice,
      kind: "audio",
      source: { kind: "base64", mediaType: "audio/pcm", data: data ?? "" },
      ...(transcript && { transcript }),
    },
  ];
}
