import { verdictOf } from "../../../domain/models/guardrails/inspect.ts";
import { parseJson, recordOf } from "../../../formats/json.ts";
import { textOfBytes } from "../../../lib/values/bytes.ts";
import type { Call } from "../../call/call.ts";
import { isWhileStreaming } from "../../call/guardrails/answer/answer-filter.ts";
import { AnswerRules } from "../../call/guardrails/answer/answer-text.ts";
import { asReader } from "../../call/guardrails/answer/guard-stored.ts";
import type { Adapter } from "../../upstream/adapter.ts";
import { adapterLike } from "./adapter-like.ts";

/** The adapter of a transcript that guardrails read before the client gets it: what they block is an empty text. */
export function transcriptFilter(inner: Adapter, { guard, progress, summary }: Call): Adapter {
  const guardrails = guard?.answer.filter(isWhileStreaming).map(asReader) ?? [];
  if (!guard || summary.stream || guardrails.length === 0) return inner;
  return adapterLike(inner, {
    async awaitResult(body, ask) {
      const result = (await inner.awaitResult?.(body, ask)) ?? body;
      const rules = new AnswerRules(guardrails, guard.placeholders);
      const text = textOfBytes(result);
      const answer = recordOf(parseJson(text));
      const passed = answer ? rules.value(answer) : rules.text(text);
      for (const [guardrail, found] of rules.found)
        progress.guard?.verdicts.push(verdictOf(guardrail, "answer", found));
      if (passed === answer || passed === text) return result;
      if (passed === null) return Buffer.from(answer ? JSON.stringify(emptied(answer)) : "\n");
      return Buffer.from(typeof passed === "string" ? passed : JSON.stringify(passed));
    },
  });
}

/** The answer without what was said in it; what it is charged by stays. */
const emptied = ({ segments: _, words: __, ...rest }: Readonly<Record<string, unknown>>) => ({ ...rest, text: "" });
