import {
  type Conversation,
  ownMembers,
  type Part,
  type SystemTurn,
  type TextPart,
  type Turn,
} from "../conversation/conversation.ts";

/** The roles of messages with instructions in the input of a request. */
export type InstructionRole = "system" | "developer";

/**
 * A part of the instructions that stands in the input before the first turn, where `instructions` stand alongside: those
 * hold for one response, while the input belongs to the conversation that later requests continue.
 */
export const withInputRole = (part: Part, role: InstructionRole): Part =>
  part.type === "text" ? { ...part, extensions: { dialect: "openai-responses", members: { role } } } : part;

const inputRoleOf = (part: TextPart): InstructionRole | null => {
  const { role } = ownMembers(part, "openai-responses");
  return role === "system" || role === "developer" ? role : null;
};

/** The instructions of the request's `instructions`, or of another format. */
export const ownInstructions = ({ system }: Pick<Conversation, "system">): TextPart[] =>
  system.filter((part) => inputRoleOf(part) === null);

/** The instructions before the first turn that stand in the input, as turns. */
export const inputInstructions = ({ system }: Pick<Conversation, "system">): SystemTurn[] =>
  system.flatMap((part) => {
    const role = inputRoleOf(part);
    const { extensions: _, ...plain } = part;
    return role ? [{ role: "system", parts: [plain], ...(role === "developer" && { isDeveloper: true }) }] : [];
  });

/** The conversation that continues earlier turns, which may begin with instructions of the input. */
export function continueTurns(conversation: Conversation, earlier: readonly Turn[]): Conversation {
  if (earlier.length === 0) return conversation;
  const first = earlier.findIndex(({ role }) => role !== "system");
  const [leading, turns] = first < 0 ? [earlier, []] : [earlier.slice(0, first), earlier.slice(first)];
  const own = turns.length > 0 ? ownInstructions(conversation) : conversation.system;
  const later = turns.length > 0 ? inputInstructions(conversation) : [];
  return {
    ...conversation,
    system: [...own, ...leading.flatMap(asSystem)],
    turns: [...turns, ...later, ...conversation.turns],
  };
}

const asSystem = (turn: Turn): TextPart[] =>
  turn.parts
    .map((part) => withInputRole(part, turn.role === "system" && turn.isDeveloper ? "developer" : "system"))
    .filter((part): part is TextPart => part.type === "text");
