import type { Guardrail } from "../../../../domain/models/guardrails/compile.ts";
import type { ServiceSpan, ServiceVerdict } from "./service-type.ts";

/** What becomes of each text that a service changes; null: it does not say what to mask. `hide`: what stands for a value. */
export function changedTexts(
  texts: readonly string[],
  { texts: changed, spans }: ServiceVerdict,
  { restores }: Pick<Guardrail, "restores">,
  hide: (type: string, value: string) => string,
): ReadonlyMap<string, string> | null {
  if (!changed && !spans) return null;
  const map = new Map<string, string>();
  for (const [at, text] of texts.entries()) {
    const own = spans?.filter((span) => span.text === at);
    const masked = own
      ? withoutSpans(text, own, (type, value) => (restores ? hide(type, value) : `[${type}]`))
      : (changed?.[at] ?? text);
    if (masked !== text) map.set(text, masked);
  }
  return map;
}

/** The text without these places; of those that overlap the first counts, and the longer one. */
function withoutSpans(
  text: string,
  spans: readonly ServiceSpan[],
  hide: (type: string, value: string) => string,
): string {
  // Services count characters, not code units.
  const characters = [...text];
  let masked = "";
  let at = 0;
  for (const { start, end, type } of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (start < at || end > characters.length) continue;
    masked += characters.slice(at, start).join("") + hide(type, characters.slice(start, end).join(""));
    at = end;
  }
  return masked + characters.slice(at).join("");
}
