import type {
  Conversation,
  DialogTurn,
  Part,
  ToolCallPart,
  ToolResultPart,
  Turn,
} from "../conversation/conversation.ts";
import { systemAsUser, withResultsFirst } from "../conversation/system-turns.ts";
import { textOfParts } from "../media.ts";

/**
 * The turns as strict formats require them: they alternate, every call has a unique id, and the turn after it begins
 * with exactly one result per call, in the same order. Results without a call become text; calls without a result get
 * an empty one. Instructions become marked user turns. `newId` makes ids for calls without one or with one that was used
 * before.
 */
export const pairCalls = (turns: readonly Turn[], newId: (prefix: string) => string): DialogTurn[] =>
  pairTurns(systemAsUser(turns), newId).filter((turn) => turn.role !== "system");

/** The same with instructions at their place, none of them between calls and their results. */
export function pairTurns(turns: readonly Turn[], newId: (prefix: string) => string): Turn[] {
  const used = new Set<string>();
  const paired: Turn[] = [];
  let open: Call[] = [];
  for (const turn of mergeTurns(withResultsFirst(turns))) {
    const { role, parts } = turn;
    if (role === "system") {
      if (open.length > 0) paired.push({ role: "user", parts: answered([], open) });
      open = [];
      paired.push(turn);
      continue;
    }
    if (role === "user") {
      paired.push({ role, parts: answered(parts, open) });
      open = [];
      continue;
    }
    open = [];
    const own = parts.map((part): Part => {
      if (part.type !== "tool-call") return part;
      const id = part.id === "" || used.has(part.id) ? newId("call_") : part.id;
      used.add(id);
      open.push({ clientId: part.id, call: { ...part, id }, result: null });
      return { ...part, id };
    });
    paired.push({ role, parts: own });
  }
  if (open.length > 0) paired.push({ role: "user", parts: answered([], open) });
  return paired;
}

/** `clientId`: the id by which the client's results refer to the call. */
type Call = { clientId: string; call: ToolCallPart; result: ToolResultPart | null };

function mergeTurns(turns: readonly Turn[]): Turn[] {
  const result: Turn[] = [];
  for (const turn of turns) {
    const { role, parts } = turn;
    if (parts.length === 0) continue;
    const last = result.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else result.push(role === "system" ? { ...turn, parts: [...parts] } : { role, parts: [...parts] });
  }
  return result;
}

function answered(parts: readonly Part[], open: readonly Call[]): Part[] {
  const rest = parts.flatMap((part): Part[] => {
    if (part.type !== "tool-result") return [part];
    const call = open.find(({ clientId, result }) => clientId === part.callId && !result);
    if (!call) return part.parts;
    call.result = part;
    return [];
  });
  const results = open.map(({ call: { id, name }, result }): ToolResultPart => {
    const empty: ToolResultPart = { type: "tool-result", callId: id, name, parts: [], isError: false };
    return result ? { ...result, callId: id, name: result.name ?? name } : empty;
  });
  return [...results, ...rest];
}

const ERROR_NOTE = /^\W{0,3}(error|failed|failure|exception|traceback)\b/i;

/**
 * A tool's result as text. For formats without an error flag, a failed result begins with an error note unless it
 * already has one.
 */
export function resultText({ parts, isError }: Pick<ToolResultPart, "parts" | "isError">): string {
  const text = textOfParts(parts);
  if (!isError || ERROR_NOTE.test(text)) return text;
  return text === "" ? "Error" : `Error: ${text}`;
}

/** The media in a tool's result: images, documents. */
export const resultMedia = ({ parts }: Pick<ToolResultPart, "parts">): Part[] =>
  parts.filter(({ type }) => type !== "text");

/** Whether the request has a tool whose calls must match its schema. */
export const requestsStrictTools = ({ tools }: Pick<Conversation, "tools">): boolean =>
  tools.some((tool) => tool.type === "function" && tool.strict === true);
