import { isInScope, type ScopedCaller } from "../../../settings/option/caller-scope.ts";
import type { GuardrailAction, GuardrailPhase, GuardrailRule } from "../../../settings/option/guardrails.ts";
import type { SensitiveWords } from "../../../settings/sensitive-words.ts";
import type { Detector } from "./detect/detector.ts";
import { encodedTexts } from "./detect/encoded.ts";
import { looksLikeInjection } from "./detect/injection.ts";
import { languageOf } from "./detect/language.ts";
import { secretDetectors } from "./detect/secrets.ts";
import { patternDetector, wordDetector } from "./detect/words.ts";
import { personalDetectors } from "./identifiers/personal-data.ts";

/** What a guardrail that decides about a complete reads of it. */
export type Complete = Readonly<{
  texts: readonly string[];
  /** The tools of a request, or those that an answer calls. */
  tools: readonly string[];
  /** Other names of its only tool: it is allowed under each of them. */
  aliases?: readonly string[];
}>;

/** A rule as calls need it. */
export type Guardrail = Readonly<{
  name: string;
  kind: string;
  action: GuardrailAction;
  isShadow: boolean;
  /** Finds places in texts; empty: it decides about the complete. */
  detectors: readonly Detector[];
  /** What a complete has that it may not; null: nothing. Absent: its detectors or its service decide. */
  judge?: (complete: Complete) => string | null;
  /** Masked values are put back into the answer. */
  restores: boolean;
  /** What stands for a match for good; absent: its type. */
  mask?: string;
  /** It reads no inputs of tools: they are for programs. */
  textsOnly?: true;
  /** How it refuses: a policy of an organization, or the site's word filter. Absent: as a guardrail. */
  origin?: Readonly<{ policy: string | null }>;
  rule: GuardrailRule | null;
  /** The same for guardrails that decide alike. */
  identity: string;
}>;

const compiled = new WeakMap<GuardrailRule, Guardrail>();

/** The guardrail of a rule; the same object while the rule is the same. */
export function compileGuardrail(rule: GuardrailRule): Guardrail {
  const known = compiled.get(rule);
  if (known) return known;
  const { name, kind, action, isShadow, restores } = rule;
  const judge = judgeOf(rule);
  const made: Guardrail = {
    ...{ name, kind, action, isShadow, restores, rule },
    detectors: detectorsOf(rule),
    identity: JSON.stringify([name, rule.definition]),
    ...(judge && { judge }),
  };
  compiled.set(rule, made);
  return made;
}

function detectorsOf({ kind, words, patterns, personal }: GuardrailRule): readonly Detector[] {
  switch (kind) {
    case "words":
      return [wordDetector(words)];
    case "patterns":
      return patterns.map((pattern) => patternDetector(pattern));
    case "secrets":
      return secretDetectors;
    case "personal_data":
      return personalDetectors(personal);
    default:
      return [];
  }
}

function judgeOf({ kind, languages, maxCharacters, tools, schema }: GuardrailRule): Guardrail["judge"] {
  switch (kind) {
    case "injection":
      return ({ texts }) => {
        const isOne = (text: string) =>
          looksLikeInjection(text) || encodedTexts(text).some((one) => looksLikeInjection(one.text));
        return texts.some(isOne) ? "INJECTION" : null;
      };
    case "language":
      return ({ texts }) => {
        const language = languageOf(texts.join("\n"));
        return language !== null && !languages.has(language) ? language.toUpperCase() : null;
      };
    case "size":
      return ({ texts }) => (texts.reduce((sum, { length }) => sum + length, 0) > maxCharacters ? "SIZE" : null);
    case "tools":
      return ({ tools: called, aliases = [] }) =>
        called.find((name) => ![name, ...aliases].some((each) => tools.some((pattern) => pattern.test(each)))) ?? null;
    case "json":
      return ({ texts }) => {
        for (const text of texts) {
          const fault = faultOfJson(text, schema);
          if (fault !== null) return fault;
        }
        return null;
      };
    default:
      return undefined;
  }
}

/** The place in a schema that a text breaks is named up to this length. */
const LONGEST_PLACE = 56;

function faultOfJson(text: string, schema: GuardrailRule["schema"]): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "NOT_JSON";
  }
  const place = schema?.(value) ?? null;
  return place === null ? null : `SCHEMA ${place.slice(-LONGEST_PLACE)}`;
}

/** Words and patterns of the site's word filter or of an organization's policy. */
export function wordGuardrail(
  { words, patterns }: SensitiveWords,
  origin: NonNullable<Guardrail["origin"]>,
  action: GuardrailAction = "block",
): Guardrail {
  const detectors = [
    ...(words.length > 0 ? [wordDetector(words)] : []),
    ...patterns.map((pattern) => patternDetector(pattern)),
  ];
  const name = origin.policy ?? "SensitiveWords";
  return {
    ...{ name, kind: "words", action, isShadow: false, detectors, restores: false, origin },
    ...{ mask: "**###**", textsOnly: true, rule: null },
    identity: JSON.stringify([action, words, patterns.map(({ source }) => source)]),
  };
}

/** What decides whether a rule holds for a call. */
export type ScopedCall = ScopedCaller &
  Readonly<{
    /** The model that the call names; null: any may get it. */
    model: string | null;
    /** The MCP server that it calls; absent: none. */
    server?: string;
  }>;

/** Whether a rule holds for a call at a phase. */
export function holdsFor(
  { isEnabled, scope, phases }: GuardrailRule,
  call: ScopedCall,
  phase: GuardrailPhase,
): boolean {
  if (!isEnabled || !phases.has(phase)) return false;
  if (!scope) return true;
  const { callers, models, servers } = scope;
  const { model, server = null } = call;
  if (servers && (server === null || !servers.some((pattern) => pattern.test(server)))) return false;
  return (
    (!callers || isInScope(callers, call)) &&
    (model === null || (models?.some((pattern) => pattern.test(model)) ?? true))
  );
}

/** Whether a guardrail has a service that only takes notes: nothing waits for it. */
export const runsInBackground = ({ isShadow, action, rule }: Guardrail): boolean =>
  rule?.service != null && (isShadow || (action === "flag" && rule.service.onFailure === "open"));

/** From the mildest to the strictest. */
const STRICTNESS: Readonly<Record<GuardrailAction, number>> = { flag: 0, mask: 1, route: 2, block: 3 };

/** The strictest of these; null: none of them decides anything. */
export function strictest<T extends Readonly<{ action: GuardrailAction }>>(found: readonly T[]): T | null {
  let most: T | null = null;
  for (const one of found) if (!most || STRICTNESS[one.action] > STRICTNESS[most.action]) most = one;
  return most;
}
