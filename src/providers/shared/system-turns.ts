import type { ChatService } from "../../formats/conversation/service.ts";
import type { Limitation, Rejection } from "../contract/provider.ts";

const limitationOf = (model: string): Limitation => `system-turns:${model}`;

/** Where a model takes messages with instructions: as its service says, or as a rejection taught. */
export const systemPlacement = (
  { systemTurns }: Pick<ChatService, "systemTurns">,
  model: string,
  limitations: ReadonlySet<Limitation>,
): ChatService["systemTurns"] => (limitations.has(limitationOf(model)) ? "first" : systemTurns);

/**
 * Words of servers whose model takes instructions before the conversation only: of chat templates on vLLM, llama.cpp and
 * Ollama (https://huggingface.co/Qwen/Qwen3.5-27B/blob/main/chat_template.jinja), of Mistral, of MiniMax and of Anthropic.
 */
const REJECTED =
  /system message (must|should) be (at the beginning|(the )?first)|unexpected role 'system' after|invalid message role: system|role 'system' is not supported/i;

/** Learns that a model takes no messages with instructions in the middle of a conversation. */
export const onSystemTurnRejected = ({ error, params }: Rejection): Limitation | null =>
  params.capability === "chat" && REJECTED.test(error.message) ? limitationOf(params.model) : null;
