import type { ChatDialect } from "../../formats/conversation/conversation.ts";

export const CLAUDE_SUFFIX = /^(.*claude.*)-thinking$/;

export const GEMINI_SUFFIX = /^(.*gemini.*?)-(thinking(?:-(\d+))?|nothinking)$/;

/** Whether the model's name contains options to apply to the request. */
export const needsPreparation = (model: string, dialect: ChatDialect): boolean =>
  (dialect === "anthropic" && CLAUDE_SUFFIX.test(model)) || (dialect === "gemini" && GEMINI_SUFFIX.test(model));
