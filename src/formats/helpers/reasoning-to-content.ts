import type { ReplyEvent } from "../conversation/reply.ts";

/**
 * Moves reasoning into the answer's text between `<think>` and `</think>` lines, for clients that display nothing else
 * (channel setting `thinking_to_content`). Create one for each response.
 */
export function thinkingToContent(): (step: ReplyEvent) => ReplyEvent[] {
  const thinking = new Set<number>();
  const text = (choice: number, words: string): ReplyEvent => ({ type: "text", choice, text: words });
  return (step) => {
    if (step.type === "reasoning") {
      const opened = thinking.has(step.choice);
      thinking.add(step.choice);
      return [text(step.choice, opened ? step.text : `<think>\n${step.text}`)];
    }
    if (step.type === "signature") return [];
    if (!("choice" in step) || !thinking.delete(step.choice)) return [step];
    return [text(step.choice, "\n</think>\n"), step];
  };
}
