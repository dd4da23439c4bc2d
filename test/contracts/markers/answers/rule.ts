import type { Loss } from "./follow.ts";

export const CHAT = "openai-chat";
export const RESPONSES = "openai-responses";
export const MESSAGES = "anthropic";
export const GEMINI = "gemini";
export const INTERACTIONS = "gemini-interactions";

/** Why a member need not reach a client. Each rule stands for one fact. */
export type Rule = Readonly<{
  why: string;
  /** Members, by the provider's format. */
  at: Readonly<Record<string, RegExp>>;
  /** Only for clients of these formats; absent: of any. */
  clients?: readonly string[];
  /** Only in these ways; absent: in any. */
  ways?: readonly Loss["way"][];
  /** Only where this is true of the answer and what was sent. */
  when?(loss: Loss): boolean;
}>;

/** Whether the rule allows the loss. */
export function allows({ at, clients, ways, when }: Rule, loss: Loss): boolean {
  if (!at[loss.format]?.test(loss.path)) return false;
  if (clients && !clients.includes(loss.client)) return false;
  if (ways && !ways.includes(loss.way)) return false;
  return when?.(loss) ?? true;
}
