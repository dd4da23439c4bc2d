import type { FinishReason } from "../../conversation/reply.ts";

/** OpenAI's finish reasons, and what compatible services write instead. Unknown ones count as stop. */
export function finishOf(native: string): FinishReason {
  switch (native) {
    case "length":
    case "max_tokens":
    case "model_length":
    case "model_context_window_exceeded":
      return "length";
    case "tool_calls":
    case "function_call":
    case "tool_use":
      return "tool_calls";
    case "content_filter":
    case "sensitive":
    case "refusal":
      return "content_filter";
    case "error":
    case "network_error":
    case "insufficient_system_resource":
      return "error";
    default:
      return "stop";
  }
}
