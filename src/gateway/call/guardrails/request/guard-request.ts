import {
  type Complete,
  type Guardrail,
  runsInBackground,
  strictest,
} from "../../../../domain/models/guardrails/compile.ts";
import { isPlain } from "../../../../domain/models/guardrails/detect/fold.ts";
import { inspect, verdictOf } from "../../../../domain/models/guardrails/inspect.ts";
import { textsAcrossParts } from "../../../../domain/models/guardrails/joined-parts.ts";
import { Placeholders } from "../../../../domain/models/guardrails/placeholders.ts";
import { promptTexts } from "../../../../formats/openai-chat/request/summary.ts";
import type { OptionValues } from "../../../../settings/registry/index.ts";
import type { Call } from "../../call.ts";
import type { Uses } from "../../services.ts";
import { isWhileStreaming } from "../answer/answer-filter.ts";
import { answersValues, isTranscription } from "../answer/answer-kinds.ts";
import { acts } from "../answer/guard-stored.ts";
import { type CallGuard, emptyGuardLog, type GuardLog } from "../call-guard.ts";
import { type GuardSet, guardSetOf } from "../guard-set.ts";
import { maskCall, maskerOf } from "../mask-call.ts";
import { joinValues, type MaskedStores, type MaskedValues, namedConversation, tenantOf } from "../masked-values.ts";
import { refusalOf, unsupportedBy } from "../refusals.ts";
import { type RoutesGuarded, routed } from "../routed.ts";
import type { BackgroundContext } from "../services/ask-in-background.ts";
import { textsOfCall } from "../texts-of-call.ts";
import { toolNames } from "./refuse-forbidden.ts";

/** What `guardRequest` works with. */
export type GuardRequestContext = Uses<"log" | "settings" | "vault"> &
  RoutesGuarded &
  BackgroundContext &
  Readonly<{ services: MaskedStores }>;

/**
 * The call as its guardrails let it pass: as it is, with its texts masked, or for another model. Throws, or rejects, GatewayError for
 * what they refuse. What they found stands in the call's progress, for the log.
 */
export function guardRequest(context: GuardRequestContext, call: Call): Call | Promise<Call> {
  const { values } = context.services.settings;
  const isOff = values.Guardrails.length === 0 && !call.caller.policies && !call.resumedMasked;
  if (isOff && !mayHaveWords(values, call)) return call;
  const found = guardSetOf(context.services.settings, call.caller, call.fallbackFrom ?? call.summary.model);
  // What was masked in a conversation comes back, also if nothing is masked any more.
  const set = found ?? (call.resumedMasked ? NO_GUARDRAILS : null);
  return set ? timed(call, () => guardBy(context, call, set)) : call;
}

const NO_GUARDRAILS: GuardSet = { request: [], answer: [] };

/** The same for a call that is no model's, by these guardrails; `called`: what it calls. It cannot go elsewhere. */
export const guardOther = (
  context: Omit<GuardRequestContext, "routeTo">,
  call: Call,
  set: GuardSet,
  called: Pick<Complete, "aliases" | "tools">,
): Call | Promise<Call> => timed(call, () => guardBy({ ...context, routeTo: () => null }, call, set, called));

/** Notes how long the call waits, also if it is refused then. */
function timed(call: Call, guard: () => Call | Promise<Call>): Call | Promise<Call> {
  const from = performance.now();
  const note = () => {
    const { guard: log } = call.progress;
    if (log) log.delayMs += performance.now() - from;
  };
  let isOver = true;
  try {
    const guarded = guard();
    if (!(guarded instanceof Promise)) return guarded;
    isOver = false;
    return guarded.finally(note);
  } finally {
    if (isOver) note();
  }
}

/** What hides words is none of the usual characters. */
const MAY_HIDE = /[^\x20-\x7e]|%|&#/;
/** Of longer requests, most is media. */
const LONGEST_BODY = 262_144;

/** Whether the site's word filter may concern a call: a quick look, after which most calls go on. */
function mayHaveWords(values: OptionValues, call: Call): boolean {
  if (!values.CheckSensitiveEnabled) return false;
  if (values.CheckSensitiveOnCompletionEnabled) return true;
  const { words, patterns } = values.SensitiveWords;
  if (!values.CheckSensitiveOnPromptEnabled || words.length + patterns.length === 0) return false;
  const { body, prompt } = call;
  // The request as it came has every word, if nothing in it is written otherwise; patterns mind where a text begins.
  const isWritten = body.text !== "" && body.text.length <= LONGEST_BODY && !body.text.includes("\\");
  const isEnough = isWritten && patterns.length === 0 && prompt === body.json;
  for (const text of isEnough ? [body.text] : textsOfCall(call)) {
    // Escapes of JSON and other characters hide words, and this letter is two in lower case.
    if (text.includes("\\u") || text.includes("\u0130")) return true;
    if (MAY_HIDE.test(text) && !isPlain(text)) return true;
    const lowered = text.toLowerCase();
    for (const word of words) if (lowered.includes(word)) return true;
    for (const pattern of patterns) if (pattern.test(text)) return true;
  }
  return false;
}

function guardBy(
  context: GuardRequestContext,
  call: Call,
  set: GuardSet,
  called: Pick<Complete, "aliases" | "tools"> = { tools: toolNames(call.prompt) },
): Call | Promise<Call> {
  refuseTokens(call, set);
  const log: GuardLog = emptyGuardLog();
  const masking = set.request.filter(isMasking);
  log.hidesContent = masking.length > 0 || set.request.some(isMaskingService);
  const acting = set.request.length > masking.length ? inspectTexts(call, called, set.request, log) : [];
  if (log.verdicts.length > 0 || masking.length > 0 || set.answer.length > 0) call.progress.guard = log;
  const decision = strictest(acting);
  if (decision?.action === "block") throw refusalOf(decision);
  const isOver = masking.length === 0 && set.answer.length === 0 && !hasServices(set) && !call.resumedMasked;
  return isOver && !decision ? call : guardFurther(context, call, set, { log, decision, masking });
}

/** What it finds is masked at once; services are consulted later. */
const isMasking = ({ action, isShadow, rule }: Guardrail): boolean =>
  action === "mask" && !isShadow && rule?.service == null;

const isMaskingService = ({ action, isShadow, rule }: Guardrail): boolean =>
  action === "mask" && !isShadow && rule?.service != null;

/** A service for which its call waits. */
const isAwaited = (one: Guardrail): boolean => one.rule?.service != null && !runsInBackground(one);

const hasServices = ({ request }: GuardSet): boolean => request.some(({ rule }) => rule?.service != null);

/** The guardrails that found something and act on it. */
function inspectTexts(
  call: Call,
  called: Pick<Complete, "aliases" | "tools">,
  guardrails: readonly Guardrail[],
  log: GuardLog,
): Guardrail[] {
  const prompt: Complete = { texts: promptTexts(call.prompt), ...called };
  // What the log's view of a request leaves out reaches the provider all the same.
  const everything: Complete = { ...prompt, texts: [...textsOfCall(call), ...textsAcrossParts(call.body.json)] };
  return guardrails.filter((guardrail) => {
    if (guardrail.rule?.service || isMasking(guardrail)) return false;
    const isOfPrompt = guardrail.kind === "size" || guardrail.kind === "language";
    const verdict = inspect(guardrail, isOfPrompt ? prompt : everything, "request");
    if (verdict) log.verdicts.push(verdict);
    return verdict !== null && !guardrail.isShadow;
  });
}

type Inspected = Readonly<{ log: GuardLog; decision: Guardrail | null; masking: readonly Guardrail[] }>;

function guardFurther(
  context: GuardRequestContext,
  call: Call,
  set: GuardSet,
  inspected: Inspected,
): Call | Promise<Call> {
  const { masking } = inspected;
  const { resumedMasked: resumed } = call;
  const values = resumed?.tenant === tenantOf(call.caller) ? resumed.values : NO_VALUES;
  const named = masking.length > 0 ? namedConversation(context, call) : null;
  if (!named) return guardAfter(context, call, set, inspected, values);
  return named.read().then(async (earlier) => {
    const guarded = await guardAfter(context, call, set, inspected, { ...earlier, ...values });
    await named.add(guarded.guard?.placeholders.entries ?? NO_ENTRIES);
    return guarded;
  });
}

const NO_VALUES: MaskedValues["values"] = {};
const NO_ENTRIES: ReadonlyMap<string, string> = new Map();

/** `earlier`: what was masked in earlier requests of the conversation. */
function guardAfter(
  context: GuardRequestContext,
  call: Call,
  set: GuardSet,
  { log, decision, masking }: Inspected,
  earlier: MaskedValues["values"],
): Call | Promise<Call> {
  const { services } = context;
  const tenant = tenantOf(call.caller);
  const placeholders = new Placeholders((text) => services.vault.keyedHash(`guardrail ${tenant} ${text}`), earlier);
  const masked = masking.length > 0 ? maskTexts(call, masking, placeholders, log) : call;
  const hides = masking.length > 0 || set.request.some(isMaskingService) || Object.keys(earlier).length > 0;
  const guard: CallGuard = {
    ...{ answer: set.answer, placeholders, isRouted: false, hidesContent: hides },
    unmasked: call.fullConversation,
    masked: () => (hides ? { tenant, values: joinValues(earlier, placeholders.entries) } : null),
    fingerprint: [...set.request, ...set.answer].map(({ identity }) => identity).join("\n"),
  };
  refuseUnread(call, set, placeholders);
  const guarded = { ...masked, guard };
  const target = decision?.action === "route" ? routed(context, guarded, decision) : guarded;
  if (!hasServices(set)) return target;
  const consulted = import("../services/guard-by-services.ts").then(({ guardByServices }) =>
    guardByServices(context, target, set.request, log),
  );
  if (set.request.some(isAwaited)) return consulted;
  // What only takes notes refuses nothing.
  call.progress.guard = log;
  return target;
}

function maskTexts(call: Call, masking: readonly Guardrail[], placeholders: Placeholders, log: GuardLog): Call {
  const { masker, counts } = maskerOf(masking, placeholders);
  const masked = maskCall(call, masker);
  // Earlier turns that the gateway stores are in the prompt, so what is found in them is counted already.
  const [first] = counts.keys();
  // The fields of a form are sent as they came.
  if (first && call.body.form) throw unsupportedBy(first);
  for (const [guardrail, found] of counts) log.verdicts.push(verdictOf(guardrail, "request", found));
  return masked;
}

/** Token ids in the place of texts: what they say is not read here. */
const hasTokens = ({ body: { json }, endpoint: { capability } }: Pick<Call, "body" | "endpoint">): boolean =>
  (capability === "embeddings" && areTokens(json.input)) || (capability === "completions" && areTokens(json.prompt));

const areTokens = (value: unknown): boolean =>
  Array.isArray(value) && value.some((item) => typeof item === "number" || Array.isArray(item));

/** Requests in token ids pass no guardrail that reads texts; word filters, which all sites have, let them pass. Throws GatewayError. */
function refuseTokens(call: Call, { request }: GuardSet): void {
  const reader = hasTokens(call) && request.find((one) => acts(one) && !one.origin && one.kind !== "tools");
  if (reader) throw unsupportedBy(reader);
}

/**
 * A response that is fetched later passes no guardrail, nor an answer in parts one that waits for all of it. A transcript in parts
 * passes none that acts, and is no JSON document.
 */
function refuseUnread(call: Call, set: GuardSet, placeholders: Placeholders): void {
  const { body, summary } = call;
  if (answersValues(call)) {
    const acting = set.answer.filter((guardrail) => acts(guardrail) && !guardrail.origin);
    const isUnread = (one: Guardrail) => (summary.stream ? isTranscription(call) || !isWhileStreaming(one) : false);
    const unread = acting.find((one) => isUnread(one) || (one.kind === "json" && isTranscription(call)));
    if (unread) throw unsupportedBy(unread);
  }
  if (body.json.background !== true) return;
  const guardrail = set.answer.find(({ isShadow, origin }) => !isShadow && !origin);
  if (guardrail) throw unsupportedBy(guardrail);
  if (!placeholders.isEmpty && set.request[0]) throw unsupportedBy(set.request[0]);
}
