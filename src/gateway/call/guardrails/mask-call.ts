import type { Guardrail } from "../../../domain/models/guardrails/compile.ts";
import { jsonIn } from "../../../domain/models/guardrails/map-texts.ts";
import { Masker, MatchOwners } from "../../../domain/models/guardrails/mask.ts";
import type { Placeholders } from "../../../domain/models/guardrails/placeholders.ts";
import type { Conversation } from "../../../formats/conversation/conversation.ts";
import type { Call } from "../call.ts";
import type { ClientBody } from "../endpoint.ts";

/** What was found of which type, and how many different values, by guardrail. */
export type MaskCounts = ReadonlyMap<Guardrail, Record<string, number>>;

/** Replaces what guardrails mask, and counts it. */
export function maskerOf(
  guardrails: readonly Guardrail[],
  placeholders: Placeholders,
): Readonly<{ masker: Masker; counts: MaskCounts }> {
  const counts = new Map<Guardrail, Record<string, number>>();
  const seen = new Set<string>();
  const owners = new MatchOwners();
  const detectors = guardrails.flatMap((guardrail) => owners.detectorsOf(guardrail));
  const masker = new Masker(detectors, (text, match) => {
    const by = owners.of(match);
    const isNew = !seen.has(`${match.type} ${text}`);
    if (by && isNew) {
      seen.add(`${match.type} ${text}`);
      const found = counts.get(by) ?? {};
      counts.set(by, { ...found, [match.type]: (found[match.type] ?? 0) + 1 });
    }
    if (by?.mask !== undefined) return by.mask;
    return by?.restores ? placeholders.of(match.type, text) : `[${match.type}]`;
  });
  return { masker, counts };
}

/** The call as the provider may see it: its body, the log's view of it and its conversation, every text masked. */
export function maskCall(call: Call, masker: Pick<Masker, "maskAll">): Call {
  const body = maskBody(call.body, masker);
  const prompt = call.prompt === call.body.json ? body.json : masker.maskAll(call.prompt);
  const { fullConversation: read, preferences } = call;
  let masked: Conversation | null = null;
  const maskedOnce = (conversation: () => Conversation) => () => {
    masked ??= masker.maskAll(conversation());
    return masked;
  };
  return {
    ...call,
    ...{ body, prompt, fullConversation: read && maskedOnce(read) },
    preferences: preferences && { ...preferences, original: maskBody(preferences.original, masker) },
  };
}

/** Texts that parse to numbers with less digits would change them. */
const LONG_NUMBER = /\d{16}/;

function maskBody(body: ClientBody, masker: Pick<Masker, "maskAll">): ClientBody {
  const json = masker.maskAll(body.json);
  if (json === body.json) return body;
  const exact = LONG_NUMBER.test(body.text) ? masker.maskAll(jsonIn(body.text)) : json;
  const text = JSON.stringify(exact);
  return { ...body, text, json, size: Buffer.byteLength(text) };
}

/** The text of a model's answer for the log: without what guardrails have masked in it, or ended it at. */
export function answerToLog({ guard, progress }: Pick<Call, "guard" | "progress">, text: string): string {
  if (!guard) return text;
  const acting = guard.answer.filter(({ isShadow, action }) => !isShadow && (action === "mask" || action === "block"));
  if (acting.length === 0) return text;
  // Those without places in texts have withheld or replaced all of it.
  const complete = new Set(acting.filter(({ detectors }) => detectors.length === 0).map(({ name }) => name));
  const acts = progress.guard?.verdicts.some(
    ({ name, phase, action }) => phase === "answer" && action !== "flag" && complete.has(name),
  );
  return acts ? "" : maskerOf(acting, guard.placeholders).masker.mask(text);
}
