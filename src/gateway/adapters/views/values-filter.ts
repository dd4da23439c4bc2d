import type { Guardrail } from "../../../domain/models/guardrails/compile.ts";
import { inspect, verdictOf } from "../../../domain/models/guardrails/inspect.ts";
import { mapTexts, textsOf } from "../../../domain/models/guardrails/map-texts.ts";
import type { Usage } from "../../../formats/conversation/reply.ts";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { eventData, splitEvents } from "../../../lib/http/sse.ts";
import { textOfBytes } from "../../../lib/values/bytes.ts";
import type { Call } from "../../call/call.ts";
import { isTranscription } from "../../call/guardrails/answer/answer-kinds.ts";
import { AnswerRules } from "../../call/guardrails/answer/answer-text.ts";
import { asReader } from "../../call/guardrails/answer/guard-stored.ts";
import type { BackgroundContext } from "../../call/guardrails/services/ask-in-background.ts";
import {
  type Adapter,
  bytesOf,
  type CompleteResponse,
  type OutputChunk,
  type StreamView,
} from "../../upstream/adapter.ts";
import { adapterLike, viewLike } from "./adapter-like.ts";

/**
 * An adapter like `inner` whose answers' texts pass guardrails before the client gets them: transcripts, prompts that a model revised,
 * documents. What was masked in the request is put back. What a guardrail blocks is empty; it is charged as it was made.
 */
export function valuesFilter(context: BackgroundContext, inner: Adapter, call: Call): Adapter {
  const { guard } = call;
  if (!guard || (guard.answer.length === 0 && guard.placeholders.isEmpty)) return inner;
  const filter = new ValuesFilter(call, guard.answer.map(asReader));
  const services = guard.answer.filter(({ rule }) => rule?.service != null);
  const pass = (response: CompleteResponse | null, isStream: boolean) =>
    response && filter.response(response, isStream);
  return adapterLike(inner, {
    async awaitResult(body, ask) {
      const result = (await inner.awaitResult?.(body, ask)) ?? body;
      return services.length === 0 ? result : filter.consult(context, services, result);
    },
    readResponse: (body, contentType) => pass(inner.readResponse(body, contentType), false),
    synthesizeStream: (body, contentType) => pass(inner.synthesizeStream(body, contentType), true),
    streamView: () => filter.view(inner.streamView()),
  });
}

/** Members whose texts are media. */
const MEDIA = ["b64_json", "audio", "image_url", "url"];

class ValuesFilter {
  readonly #isTranscript: boolean;
  /** Services have withheld the answer. */
  #isWithheld = false;

  constructor(
    private readonly call: Call,
    private readonly guardrails: readonly Guardrail[],
  ) {
    this.#isTranscript = isTranscription(call);
  }

  /** Has services decide about an answer as it came; never rejects. */
  async consult(context: BackgroundContext, services: readonly Guardrail[], body: Buffer<ArrayBuffer>) {
    const { guard, progress, requestId, summary } = this.call;
    // Loaded by the first call that needs it.
    const [{ partServices, passServices }, { askInBackground }] = await Promise.all([
      import("../../call/guardrails/services/pass-services.ts"),
      import("../../call/guardrails/services/ask-in-background.ts"),
    ]);
    const { awaited, background } = partServices(services);
    const from = performance.now();
    const text = textOfBytes(body);
    const answer = recordOf(parseJson(text));
    const value: JsonObject | readonly string[] = answer ?? [text];
    if (progress.guard)
      askInBackground(context, this.call, progress.guard, background, { phase: "answer", texts: textsOf(value) });
    if (awaited.length === 0) return body;
    try {
      const passed = await passServices(context, awaited, value, {
        question: { model: summary.model, requestId },
        hide: (type, value) => guard?.placeholders.conceal(type, value) ?? `[${type}]`,
        note: (verdict) => progress.guard?.verdicts.push(verdict),
      });
      if (answer) return passed === answer ? body : Buffer.from(JSON.stringify(passed));
      const [changed = text] = passed as readonly string[];
      return changed === text ? body : Buffer.from(changed);
    } catch {
      this.#isWithheld = true;
      return body;
    } finally {
      if (progress.guard) progress.guard.delayMs += performance.now() - from;
    }
  }

  response(response: CompleteResponse, isStream: boolean): CompleteResponse {
    const { body } = response;
    const pass = (text: string) => (isStream ? this.#events(text) : this.#text(text));
    if (typeof body === "function") return { ...response, body: (billed: Usage) => pass(body(billed)) };
    const text = typeof body === "string" ? body : textOfBytes(body);
    const passed = pass(text);
    return passed === text ? response : { ...response, body: passed };
  }

  view(inner: StreamView): StreamView {
    const passed = (chunk: OutputChunk): OutputChunk => {
      const text = typeof chunk === "string" ? chunk : textOfBytes(chunk);
      const changed = this.#events(text);
      return changed === text ? chunk : bytesOf(changed);
    };
    return viewLike(inner, (block) => passed(inner.take(block)));
  }

  #events(text: string): string {
    return splitEvents(text)
      .map((event) => {
        const data = recordOf(parseJson(eventData(event) ?? ""));
        if (!data) return event;
        const passed = this.#value(data);
        const name = /^event:.*$/m.exec(event)?.[0];
        return passed === data ? event : `${name ? `${name}\n` : ""}data: ${JSON.stringify(passed)}\n\n`;
      })
      .join("");
  }

  #text(text: string): string {
    const answer = recordOf(parseJson(text));
    if (answer) {
      const passed = this.#value(answer);
      return passed === answer ? text : JSON.stringify(passed);
    }
    // A transcript as plain text or subtitles.
    const [passed = ""] = this.#passed([text]) ?? ["\n"];
    return passed;
  }

  #value(answer: JsonObject): JsonObject {
    const passed = this.#passed(answer);
    if (passed === answer) return answer;
    if (!passed) return withoutTexts(answer);
    return this.#isTranscript ? withoutPieces(answer, passed) : passed;
  }

  /** What of a value may be shown; the value itself if nothing changes; null: nothing. */
  #passed<Value extends object>(value: Value): Value | null {
    if (this.#isWithheld) return null;
    const { guard, progress } = this.call;
    if (!guard) return value;
    const texts = textsOf(value);
    for (const guardrail of this.guardrails) {
      const { judge, kind, isShadow, action } = guardrail;
      if (!judge || kind === "tools" || kind === "json") continue;
      const verdict = inspect(guardrail, { texts, tools: [] }, "answer");
      if (!verdict) continue;
      progress.guard?.verdicts.push(verdict);
      if (!isShadow && action === "block") return null;
    }
    const rules = new AnswerRules(this.guardrails, guard.placeholders);
    const passed = rules.value(value);
    for (const [guardrail, found] of rules.found) progress.guard?.verdicts.push(verdictOf(guardrail, "answer", found));
    return passed;
  }
}

/** The answer with nothing in it that somebody reads or looks at; its shape stays. */
function withoutTexts(answer: JsonObject): JsonObject {
  const empty = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(empty);
    const record = recordOf(value);
    if (!record) return value;
    return Object.fromEntries(
      Object.entries(record).map(([name, member]) => [
        name,
        MEDIA.includes(name) && typeof member === "string" ? "" : empty(member),
      ]),
    );
  };
  const bare = recordOf(mapTexts(empty(answer), () => "")) ?? {};
  return "segments" in bare || "words" in bare || "logprobs" in bare ? withoutPieces(answer, bare) : bare;
}

/** A transcript that was changed: pieces of it (words, tokens, segments whose ends cut what was found) would still have the rest. */
function withoutPieces(answer: JsonObject, passed: JsonObject): JsonObject {
  const segments = recordsOf(passed.segments);
  const joined = segments.map((segment) => (textOf(segment.text) ?? "").trim()).join(" ");
  const isJoined = passed.text === answer.text || joined === (textOf(passed.text) ?? "").trim();
  return {
    ...passed,
    ...(passed.segments !== undefined && {
      segments: isJoined ? segments.map((segment) => ("tokens" in segment ? { ...segment, tokens: [] } : segment)) : [],
    }),
    ...(passed.words !== undefined && { words: [] }),
    ...(passed.logprobs !== undefined && { logprobs: [] }),
  };
}
