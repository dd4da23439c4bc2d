import type {
  ChatDialect,
  Conversation,
  Part,
  ReasoningPart,
  Signature,
  ToolCallPart,
} from "../../../formats/conversation/conversation.ts";
import type { ReplyEvent } from "../../../formats/conversation/reply.ts";
import { recentEntries } from "../../../lib/values/tables/recent-entries.ts";

/** What preceded a tool call and must precede it again in the next turn. */
type RememberedReasoning = Readonly<{ reasoning: readonly ReasoningPart[]; signature: Signature | undefined }>;

/**
 * Remembers signed reasoning by the tool call that follows it. Many clients send calls back without their reasoning,
 * because their format has no standard field for it; Anthropic and Gemini then reject the request or reason again.
 * Stored in memory, bounded, per process: losing an entry costs repeated reasoning, not the call.
 */
export type ReasoningMemory = {
  /** Observes the events of a response in `dialect` to this user. */
  observe(userId: number, dialect: ChatDialect): (step: ReplyEvent) => void;
  /** Restores reasoning that the client omitted and `dialect`'s provider signed. */
  recall(userId: number, dialect: ChatDialect, conversation: Conversation): Conversation;
};

const MAX_CALLS = 10_000;
const MAX_CHARACTERS = 100_000;

/** Remembers reasoning of tool calls, for clients that send none of it back. */
export function createReasoningMemory(): ReasoningMemory {
  const calls = recentEntries<string, RememberedReasoning>(MAX_CALLS);
  return {
    observe(userId, dialect) {
      const maker = makerOf(dialect);
      let reasoning: ReasoningPart[] = [];
      return (step) => {
        if (step.type === "reasoning") reasoning = withText(reasoning, step.text);
        else if (step.type === "signature")
          reasoning = withSignature(reasoning, step.signature, step.encrypted === true);
        else if (step.type === "tool-start") {
          const signed = reasoning.filter(({ signature }) => signature?.dialect === maker);
          const size = signed.reduce(
            (sum, { text, signature }) => sum + text.length + (signature?.value.length ?? 0),
            0,
          );
          reasoning = [];
          if (size > MAX_CHARACTERS || (signed.length === 0 && !step.signature)) return;
          calls.set(`${userId}/${maker}/${step.id}`, { reasoning: signed, signature: step.signature });
        }
      };
    },
    recall(userId, dialect, conversation) {
      if (calls.size === 0) return conversation;
      const maker = makerOf(dialect);
      const find = ({ id }: ToolCallPart) => calls.get(`${userId}/${maker}/${id}`);
      return {
        ...conversation,
        turns: conversation.turns.map((turn) =>
          turn.role === "assistant" ? { ...turn, parts: restore(turn.parts, maker, find) } : turn,
        ),
      };
    },
  };
}

/** Whose signatures an API has: Bedrock's Converse has Claude's. */
const makerOf = (dialect: ChatDialect): ChatDialect => (dialect === "converse" ? "anthropic" : dialect);

function restore(
  parts: readonly Part[],
  dialect: ChatDialect,
  find: (call: ToolCallPart) => RememberedReasoning | undefined,
): Part[] {
  const brought = parts.some((part) => part.type === "reasoning" && part.signature?.dialect === dialect);
  return parts.flatMap((part): Part[] => {
    if (part.type !== "tool-call") return [part];
    const remembered = find(part);
    if (!remembered) return [part];
    const call = remembered.signature && !part.signature ? { ...part, signature: remembered.signature } : part;
    return brought ? [call] : [...remembered.reasoning, call];
  });
}

function withText(reasoning: readonly ReasoningPart[], text: string): ReasoningPart[] {
  const last = reasoning.at(-1);
  if (!last || last.signature) return [...reasoning, { type: "reasoning", text }];
  return [...reasoning.slice(0, -1), { ...last, text: last.text + text }];
}

function withSignature(reasoning: readonly ReasoningPart[], signature: Signature, encrypted: boolean): ReasoningPart[] {
  const last = reasoning.at(-1);
  if (!last || last.signature || encrypted) {
    return [...reasoning, { type: "reasoning", text: "", signature, ...(encrypted && { encrypted }) }];
  }
  return [...reasoning.slice(0, -1), { ...last, signature }];
}
