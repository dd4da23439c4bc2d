import { chat } from "./chat.ts";
import type { Client } from "./client.ts";
import { gemini } from "./gemini.ts";
import { interactions } from "./interactions.ts";
import { messages } from "./messages.ts";
import { responses } from "./responses.ts";

/** Every client format. */
export const clients: readonly Client[] = [chat, responses, messages, gemini, interactions];
