import type { Conversation, DialogTurn, Part, SystemTurn, TextPart, Turn } from "./conversation.ts";

/** The form in which Claude Code reminds a model in user turns, and which other models follow, too. */
const OPEN = "<system-reminder>\n";
const CLOSE = "\n</system-reminder>";

/** The text of an instruction as a user turn carries it: marked, so that the model knows that the user did not write it. */
export const markInstruction = (text: string): string =>
  text.trimStart().startsWith(OPEN.trimEnd()) && text.trimEnd().endsWith(CLOSE.trimStart())
    ? text
    : OPEN + text + CLOSE;

/** Adds instructions that a client's request contains at this place: to `system` before the first turn, else as a turn. */
export function addInstructions(
  { system, turns }: Pick<Conversation, "system" | "turns">,
  { parts, ...turn }: Omit<SystemTurn, "role">,
): void {
  if (turns.length === 0) system.push(...parts.filter((part): part is TextPart => part.type === "text"));
  else if (parts.length > 0) turns.push({ role: "system", parts, ...turn });
}

/** A turn for formats, models and services that take no instructions in the middle of a conversation. */
export const systemTurnAsUser = ({ parts, extensions }: SystemTurn): DialogTurn => ({
  role: "user",
  parts: parts.map((part): Part => (part.type === "text" ? { ...part, text: markInstruction(part.text) } : part)),
  ...(extensions && { extensions }),
});

/** The turns with instructions as marked user turns, at their place. */
export const systemAsUser = (turns: readonly Turn[]): DialogTurn[] =>
  turns.map((turn) => (turn.role === "system" ? systemTurnAsUser(turn) : turn));

/**
 * The turns with each instruction that separates tool calls from their results after these: in no format may anything
 * come between.
 */
export function withResultsFirst(turns: readonly Turn[]): readonly Turn[] {
  if (!turns.some(({ role }) => role === "system")) return turns;
  const ordered: Turn[] = [];
  let held: SystemTurn[] = [];
  for (const [at, turn] of turns.entries()) {
    if (turn.role === "system") {
      if (awaitsResults(ordered) && hasResults(turns.slice(at + 1).find(({ role }) => role !== "system")))
        held.push(turn);
      else ordered.push(turn);
      continue;
    }
    if (held.length === 0) {
      ordered.push(turn);
      continue;
    }
    const [results, rest] = [turn.parts.filter(isResult), turn.parts.filter((part) => !isResult(part))];
    ordered.push({ ...turn, parts: results }, ...held);
    if (rest.length > 0) ordered.push({ ...turn, parts: rest });
    held = [];
  }
  return ordered;
}

const isResult = ({ type }: Part): boolean => type === "tool-result";
const hasResults = (turn: Turn | undefined): boolean => turn?.role === "user" && turn.parts.some(isResult);
const awaitsResults = (turns: readonly Turn[]): boolean => {
  const last = turns.at(-1);
  return last?.role === "assistant" && last.parts.some(({ type }) => type === "tool-call");
};
