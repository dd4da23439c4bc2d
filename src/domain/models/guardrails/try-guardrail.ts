import type { GuardrailRule } from "../../../settings/option/guardrails.ts";
import { compileGuardrail } from "./compile.ts";
import { inspect } from "./inspect.ts";
import { Masker } from "./mask.ts";
import { piecesOf } from "./window.ts";

/** What a guardrail makes of a text. */
export type GuardrailTrial = Readonly<{
  /** What was found of which type, in order; of one that decides about the complete text its reason. */
  found: readonly Readonly<{ type: string; text: string }>[];
  /** The text as the provider would get it; null: this guardrail masks nothing. */
  masked: string | null;
  /** How long it took, in microseconds. */
  us: number;
}>;

const MOST_FOUND = 100;

/** Tries a guardrail on a text. No service is consulted. */
export function tryGuardrail(rule: GuardrailRule, text: string): GuardrailTrial {
  const guardrail = compileGuardrail(rule);
  const from = performance.now();
  const verdict = inspect(guardrail, { texts: [text], tools: [] }, "request");
  const us = Math.round((performance.now() - from) * 1000);
  const places = piecesOf(text, guardrail.detectors).flatMap(({ text: found, match }) =>
    match ? { type: match.type, text: found } : [],
  );
  const reasons = Object.keys(verdict?.found ?? {}).map((type) => ({ type, text: "" }));
  const found = guardrail.judge ? reasons : places;
  const masker = new Masker(guardrail.detectors, (_, { type }) => `[${type}]`);
  return {
    found: found.slice(0, MOST_FOUND),
    masked: rule.action === "mask" ? masker.mask(text) : null,
    us,
  };
}
