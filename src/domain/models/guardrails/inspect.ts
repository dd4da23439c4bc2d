import type { GuardrailAction, GuardrailPhase } from "../../../settings/option/guardrails.ts";
import type { Complete, Guardrail } from "./compile.ts";
import { scan } from "./detect/detector.ts";
import { encodedTexts } from "./detect/encoded.ts";
import { fold } from "./detect/fold.ts";
import { jsonIn, textsOf } from "./map-texts.ts";

/** What a guardrail found in a call, as the log has it. */
export type Verdict = Readonly<{
  name: string;
  kind: string;
  phase: GuardrailPhase;
  action: GuardrailAction;
  /** Nothing happened: it is what would have. */
  shadow?: true;
  /** What was found, and how many different ones. */
  found: Readonly<Record<string, number>>;
  /** The service did not answer, so its rule decided. */
  failed?: string;
  /** How long its service took. */
  ms?: number;
}>;

/** The verdict of a guardrail about texts; null: it found nothing. Guardrails of services have none of their own. */
export function inspect(guardrail: Guardrail, complete: Complete, phase: GuardrailPhase): Verdict | null {
  const found = guardrail.judge ? foundByJudge(guardrail.judge(complete)) : foundIn(guardrail, complete.texts);
  return found && verdictOf(guardrail, phase, found);
}

/** What a guardrail decided. */
export const verdictOf = (
  { name, kind, action, isShadow }: Guardrail,
  phase: GuardrailPhase,
  found: Verdict["found"],
): Verdict => ({ name, kind, phase, action, ...(isShadow && { shadow: true }), found });

const foundByJudge = (reason: string | null): Verdict["found"] | null => (reason === null ? null : { [reason]: 1 });

function foundIn({ detectors, action, origin }: Guardrail, texts: readonly string[]): Verdict["found"] | null {
  const values = new Set<string>();
  const found: Record<string, number> = {};
  for (const text of texts) {
    for (const inner of origin ? innerTexts(text) : innerTexts(text).flatMap(withEncoded)) {
      const folded = fold(inner);
      for (const { type, start, end } of scan(folded, detectors)) {
        const value = `${type} ${folded.skeleton.slice(start, end)}`;
        if (values.has(value)) continue;
        values.add(value);
        found[type] = (found[type] ?? 0) + 1;
      }
      // The first decides, and a request may be long.
      if (values.size > 0 && action === "block") return found;
    }
  }
  return values.size > 0 ? found : null;
}

/** The text, and what stands in it in base64. */
const withEncoded = (text: string): readonly string[] => [text, ...encodedTexts(text).map((one) => one.text)];

/** The text, and what is hidden in it by the escapes of JSON. */
function innerTexts(text: string): readonly string[] {
  const value = text.includes("\\") ? jsonIn(text) : undefined;
  return value === undefined ? [text] : [text, ...textsOf(value, true)];
}
