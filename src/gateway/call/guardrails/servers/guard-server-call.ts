import type { Guardrail } from "../../../../domain/models/guardrails/compile.ts";
import { inspect, verdictOf } from "../../../../domain/models/guardrails/inspect.ts";
import { textsOf } from "../../../../domain/models/guardrails/map-texts.ts";
import { Placeholders } from "../../../../domain/models/guardrails/placeholders.ts";
import { aliasOf } from "../../../../domain/models/mcp/tools/tool-names.ts";
import type { Call } from "../../call.ts";
import type { Caller } from "../../caller.ts";
import { GatewayError } from "../../errors.ts";
import type { Uses } from "../../services.ts";
import { isWhileStreaming } from "../answer/answer-filter.ts";
import { AnswerRules } from "../answer/answer-text.ts";
import { acts, asReader, passedAlone } from "../answer/guard-stored.ts";
import { emptyGuardLog } from "../call-guard.ts";
import { type GuardSet, guardSetOf } from "../guard-set.ts";
import { refusalOfAnswer } from "../refusals.ts";
import { type GuardRequestContext, guardOther } from "../request/guard-request.ts";
import type { BackgroundContext } from "../services/ask-in-background.ts";

/** What `guardServerCall` works with. */
export type ServerGuardContext = Omit<GuardRequestContext, "routeTo">;

/** A call of an MCP server. */
type Called = Readonly<{
  server: string;
  /** The tool that it calls; null: it reads a prompt or a resource. */
  tool: string | null;
}>;

/**
 * A call of an MCP server as its guardrails let it pass: its arguments are a request. Throws, or rejects, GatewayError for what they
 * refuse; nothing is sent then.
 */
export function guardServerCall(context: ServerGuardContext, call: Call, called: Called): Call | Promise<Call> {
  const set = setOf(context, call.caller, call.summary.model, called);
  if (!set) return call;
  const { server, tool } = called;
  // Clients of several servers know the tool by a name with that of its server.
  const named = tool === null ? { tools: [] } : { tools: [tool], aliases: [aliasOf(server, tool)] };
  return guardOther(context, call, set, named);
}

/**
 * The guardrails of a call of a server. A model reads what it returns, so what looks for orders to models looks there too, and what
 * becomes a prompt passes the guardrails of requests.
 */
function setOf(
  { services }: Uses<"settings">,
  caller: Pick<Caller, "group" | "policies" | "token" | "user">,
  model: string,
  { server, tool }: Called,
): GuardSet | null {
  const set = guardSetOf(services.settings, caller, model, server);
  if (!set) return null;
  const { request, answer } = set;
  const read = request.filter((one) => !answer.includes(one) && (tool === null || one.kind === "injection"));
  return { request, answer: [...answer, ...read].map(asReader) };
}

/** Whether what a server returns is looked through. */
export const readsResult = ({ guard }: Call): boolean =>
  guard !== null && (guard.answer.length > 0 || !guard.placeholders.isEmpty);

/**
 * What a server returned, as the guardrails of its call let it pass; what was masked in its arguments is put back. `speech`: its text.
 * Rejects GatewayError for what they refuse.
 */
export async function guardServerResult<Result extends object>(
  context: BackgroundContext,
  call: Call,
  result: Result,
  speech: string,
): Promise<Result> {
  const { guard, progress } = call;
  if (!guard || !readsResult(call)) return result;
  progress.guard ??= emptyGuardLog();
  const from = performance.now();
  try {
    const consulted = await consultServices(context, call, result);
    return passedBy(call, guard.answer, consulted, speech);
  } finally {
    progress.guard.delayMs += performance.now() - from;
  }
}

/** The result after all guardrails but those of services. Throws GatewayError. */
function passedBy<Result>(call: Call, guardrails: readonly Guardrail[], result: Result, speech: string): Result {
  const { guard, progress } = call;
  const placeholders = guard?.placeholders ?? new Placeholders(() => "");
  const rules = new AnswerRules(guardrails.filter(isWhileStreaming), placeholders);
  const texts = textsOf(result);
  for (const guardrail of guardrails) {
    if (!guardrail.judge || guardrail.kind === "tools") continue;
    const verdict = inspect(guardrail, { texts: guardrail.kind === "json" ? [speech] : texts, tools: [] }, "answer");
    if (!verdict) continue;
    progress.guard?.verdicts.push(verdict);
    if (!guardrail.isShadow && guardrail.action !== "flag") throw refusalOfAnswer(guardrail);
  }
  const passed = rules.value(result);
  for (const [guardrail, found] of rules.found) progress.guard?.verdicts.push(verdictOf(guardrail, "answer", found));
  if (rules.blockedBy) throw refusalOfAnswer(rules.blockedBy);
  return passed ?? result;
}

/** The result after the services of guardrails, which are consulted at the same time. Rejects GatewayError. */
async function consultServices<Result>(context: BackgroundContext, call: Call, result: Result): Promise<Result> {
  const guardrails = call.guard?.answer.filter(({ rule }) => rule?.service != null) ?? [];
  if (guardrails.length === 0) return result;
  // Loaded by the first call that needs it.
  const [{ partServices, passServices }, { askInBackground }] = await Promise.all([
    import("../services/pass-services.ts"),
    import("../services/ask-in-background.ts"),
  ]);
  const { awaited, background } = partServices(guardrails);
  const { guard: log } = call.progress;
  if (log) askInBackground(context, call, log, background, { phase: "answer", texts: textsOf(result) });
  if (awaited.length === 0) return result;
  return passServices(context, awaited, result, {
    question: { model: call.summary.model, requestId: call.requestId },
    hide: (type, value) => call.guard?.placeholders.conceal(type, value) ?? `[${type}]`,
    note: (verdict) => call.progress.guard?.verdicts.push(verdict),
  });
}

/** A server's error, whose text is the server's own, as guardrails let it pass. */
export function guardServerError(call: Call, error: unknown): unknown {
  if (!(error instanceof GatewayError) || typeof error.reason !== "string" || !readsResult(call)) return error;
  const { status, code, type } = error;
  try {
    const [text] = passedBy(call, call.guard?.answer ?? [], [error.reason], error.reason);
    return text === error.reason ? error : new GatewayError(status, code, text ?? "", { ...(type && { type }) });
  } catch (refused) {
    return refused;
  }
}

/**
 * An entry of a list that a server returned, or suggestions, as guardrails let it pass; null: it may not pass. No service is consulted,
 * and nothing is logged, because a list is no call.
 */
export function guardListed<Item extends object>(
  context: Uses<"settings">,
  caller: Caller,
  model: string,
  server: string,
  item: Item,
): Item | null {
  const set = setOf(context, caller, model, { server, tool: null });
  const acting = set?.answer.filter((one) => acts(one) && !one.rule?.service);
  if (!acting || acting.length === 0) return item;
  const { passed, refusedBy } = passedAlone(acting, item);
  return refusedBy ? null : passed;
}
