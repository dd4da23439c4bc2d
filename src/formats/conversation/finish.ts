import type { FinishReason } from "./reply.ts";

/**
 * The finish reason, corrected for tool calls: many services report "stop" for a response with calls. A truncated
 * response may end in the middle of a call, so its reason stays.
 */
export const finishAfter = (reason: FinishReason, calls: number): FinishReason =>
  calls === 0 || reason === "length" || reason === "content_filter" ? reason : "tool_calls";
