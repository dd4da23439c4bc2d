import type { Guardrail } from "../../../../domain/models/guardrails/compile.ts";
import { type Verdict, verdictOf } from "../../../../domain/models/guardrails/inspect.ts";
import { type JsonObject, parseJson, recordOf } from "../../../../formats/json.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { randomId } from "../../../../lib/http/request.ts";
import { OutboundError } from "../../../../lib/outbound/outbound-error.ts";
import type { SafeFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { isWebhookSecret, signWebhook } from "../../../../lib/security/webhook-signature.ts";
import { type GuardrailService, guardrailKeyFor } from "../../../../settings/option/guardrails.ts";
import type { Uses } from "../../services.ts";
import type { ServiceQuestion, ServiceType, ServiceVerdict } from "./service-type.ts";
import { SERVICE_TYPES } from "./service-types.ts";

/** What these functions work with. */
export type ServiceContext = Uses<"settings"> & Readonly<{ guardrailFetch: SafeFetch }>;

/** An answer is longer only if it is none. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Texts of one call that services of single texts are consulted about; a call with more of them counts as a failure. */
const MOST_SINGLE_TEXTS = 200;
const AT_A_TIME = 8;

/** What a service reported of a call's texts: its verdict for the log, and the texts if it changed them. */
export type ServiceAnswer = Readonly<{
  /** Null: it found nothing. */
  verdict: Verdict | null;
  reported: ServiceVerdict;
  /** It did not answer, and its rule says that calls stop then. */
  isClosed: boolean;
}>;

const NOTHING: ServiceVerdict = { found: {} };

/** Asks the service of a guardrail, within its time. Never rejects: what happens without an answer is the guardrail's rule. */
export async function askService(
  context: ServiceContext,
  guardrail: Guardrail,
  question: Omit<ServiceQuestion, "guardrail">,
): Promise<ServiceAnswer> {
  const service = guardrail.rule?.service;
  const type = service && SERVICE_TYPES.get(service.type);
  const from = performance.now();
  const took = () => ({ ms: Math.round(performance.now() - from) });
  const texts = question.texts.filter((text) => text.trim() !== "");
  if (!service || !type || texts.length === 0) return { verdict: null, reported: NOTHING, isClosed: false };
  try {
    const key = guardrailKeyFor(context.services.settings.values.GuardrailKeys, guardrail.name, service.url);
    const reported = await withinTime(
      service.timeoutMs,
      ask(context, type, service, key, { ...question, guardrail: guardrail.name }),
    );
    const foundAny = Object.keys(reported.found).length > 0;
    const verdict = foundAny ? { ...verdictOf(guardrail, question.phase, reported.found), ...took() } : null;
    return { verdict, reported, isClosed: false };
  } catch (error) {
    const isClosed = service.onFailure === "closed" && !guardrail.isShadow;
    const failed = error instanceof OutboundError ? error.failure : "invalid_answer";
    const action = isClosed ? ({ action: "block" } as const) : ({ action: "flag" } as const);
    const verdict = { ...verdictOf(guardrail, question.phase, { FAILED: 1 }), ...action, failed, ...took() };
    return { verdict, reported: NOTHING, isClosed };
  }
}

/** Rejects when the time is up, however many requests it takes. */
async function withinTime<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new OutboundError("timeout", { code: "why_timeout" })), timeoutMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function ask(
  context: ServiceContext,
  type: ServiceType,
  service: GuardrailService,
  stored: string,
  question: ServiceQuestion,
): Promise<ServiceVerdict> {
  const key = type.signIn ? await type.signIn(stored, context.guardrailFetch, service.timeoutMs) : stored;
  if (!type.isSingle) return askOnce(context, type, service, key, question);
  if (question.texts.length > MOST_SINGLE_TEXTS) throw new InvalidAnswer();
  const verdicts: ServiceVerdict[] = [];
  for (let at = 0; at < question.texts.length; at += AT_A_TIME) {
    const part = question.texts.slice(at, at + AT_A_TIME);
    const consulted = part.map((text) =>
      text.trim() === "" ? NOTHING : askOnce(context, type, service, key, { ...question, texts: [text] }),
    );
    verdicts.push(...(await Promise.all(consulted)));
  }
  const found: Record<string, number> = {};
  for (const verdict of verdicts)
    for (const [name, count] of Object.entries(verdict.found)) found[name] = (found[name] ?? 0) + count;
  const spans = verdicts.flatMap((verdict, text) => (verdict.spans ?? []).map((span) => ({ ...span, text })));
  return { found, ...(spans.length > 0 && { spans }), ...mergeTexts(question.texts, verdicts) };
}

/** The texts of verdicts on single ones; none if one of them found something and says of no text what becomes of it. */
function mergeTexts(texts: readonly string[], verdicts: readonly ServiceVerdict[]): Pick<ServiceVerdict, "texts"> {
  if (!verdicts.some((verdict) => verdict.texts)) return {};
  if (verdicts.some((verdict) => Object.keys(verdict.found).length > 0 && !verdict.texts)) return {};
  return { texts: texts.map((text, at) => verdicts[at]?.texts?.[0] ?? text) };
}

/** The service answered something else. */
class InvalidAnswer extends Error {}

async function askOnce(
  context: ServiceContext,
  type: ServiceType,
  service: GuardrailService,
  key: string,
  question: ServiceQuestion,
): Promise<ServiceVerdict> {
  const request = type.request(service, question, type.isSigned ? "" : key);
  const body = JSON.stringify(request.body);
  const response = await context.guardrailFetch(request.url, {
    ...{ method: "POST", body, maxBytes: MOST_BYTES, timeoutMs: service.timeoutMs, maxRedirects: 0 },
    headers: { "content-type": "application/json", ...request.headers, ...(type.isSigned && signatureOf(key, body)) },
  });
  if (response.status < 200 || response.status > 299) throw new InvalidAnswer();
  const answer: unknown = parseJson(response.text());
  const record: JsonObject | null = recordOf(answer);
  const reported = type.read(record, Array.isArray(answer) ? answer : null, service);
  if (!reported || (reported.texts && reported.texts.length !== question.texts.length)) throw new InvalidAnswer();
  return reported;
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
function signatureOf(key: string, body: string): Readonly<Record<string, string>> {
  if (!isWebhookSecret(key)) return {};
  const [id, timestamp] = [randomId("msg_"), nowSeconds()];
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signWebhook(key, { id, timestamp, body }),
  };
}
