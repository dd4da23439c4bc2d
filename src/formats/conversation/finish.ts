import type { FinishReason } from "./reply.ts";

/** Why an answer ended. Many say of one with calls that it just stopped; one that was cut off may hold half of a call. */
export const finishAfter = (reason: FinishReason, calls: number): FinishReason =>
  calls === 0 || reason === "length" || reason === "content_filter" ? reason : "tool_calls";
