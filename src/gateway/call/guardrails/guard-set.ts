import type { Policy } from "../../../domain/accounts/organizations/policies/policy.ts";
import {
  compileGuardrail,
  type Guardrail,
  holdsFor,
  type ScopedCall,
  wordGuardrail,
} from "../../../domain/models/guardrails/compile.ts";
import type { GuardrailPhase } from "../../../settings/option/guardrails.ts";
import type { SensitiveWords } from "../../../settings/sensitive-words.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import type { Caller } from "../caller.ts";

/** The guardrails of a call. */
export type GuardSet = Readonly<Record<GuardrailPhase, readonly Guardrail[]>>;

const NONE: readonly Guardrail[] = [];
/** Requests are only refused; answers are masked or end. */
const siteWords = new WeakMap<SensitiveWords, Readonly<Record<"block" | "mask", Guardrail>>>();
const policyWords = new WeakMap<Policy, Guardrail>();

/** The guardrails that hold for calls of a model, or of an MCP server, by a caller; null: none does. `model`: null: any. */
export function guardSetOf(
  { values }: Pick<SettingsReader, "values">,
  caller: Pick<Caller, "group" | "policies" | "token" | "user">,
  model: string | null,
  server?: string,
): GuardSet | null {
  const { Guardrails: rules, CheckSensitiveEnabled: checksWords } = values;
  if (rules.length === 0 && !checksWords && !caller.policies) return null;
  const words = checksWords ? values.SensitiveWords : null;
  const own = words && words.words.length + words.patterns.length > 0 ? wordsOfSite(words) : null;
  const request = own && values.CheckSensitiveOnPromptEnabled ? [own.block] : [];
  const answer =
    own && values.CheckSensitiveOnCompletionEnabled ? [values.StopOnSensitiveEnabled ? own.block : own.mask] : [];
  for (const policy of caller.policies ?? []) if (policy.words) request.push(wordsOfPolicy(policy, policy.words));
  if (rules.length > 0) {
    const call = { ...scopedCall(caller, model), ...(server !== undefined && { server }) };
    for (const rule of rules) {
      if (holdsFor(rule, call, "request")) request.push(compileGuardrail(rule));
      if (holdsFor(rule, call, "answer")) answer.push(compileGuardrail(rule));
    }
  }
  return request.length + answer.length > 0 ? { request, answer } : null;
}

/** The site's word filter for what models say in sessions: it ends a session or masks. */
export const answerWordsOf = ({ values }: Pick<SettingsReader, "values">): readonly Guardrail[] => {
  if (!values.CheckSensitiveEnabled || !values.CheckSensitiveOnCompletionEnabled) return NONE;
  const { SensitiveWords: words, StopOnSensitiveEnabled: stops } = values;
  if (words.words.length + words.patterns.length === 0) return NONE;
  return [wordsOfSite(words)[stops ? "block" : "mask"]];
};

const scopedCall = (
  { group, user, token }: Pick<Caller, "group" | "token" | "user">,
  model: string | null,
): ScopedCall => ({
  ...{ group, model, accountId: user.id },
  projectId: token?.projectId ?? 0,
  keyId: token?.id ?? 0,
});

function wordsOfSite(words: SensitiveWords): Readonly<Record<"block" | "mask", Guardrail>> {
  const known = siteWords.get(words);
  if (known) return known;
  const origin = { policy: null };
  const made = { block: wordGuardrail(words, origin), mask: wordGuardrail(words, origin, "mask") };
  siteWords.set(words, made);
  return made;
}

function wordsOfPolicy(policy: Policy, words: SensitiveWords): Guardrail {
  const made = policyWords.get(policy) ?? wordGuardrail(words, { policy: policy.name });
  policyWords.set(policy, made);
  return made;
}
