/** How a refusal begins that the gateway writes for a provider which says only that it blocked the prompt. */
export const BLOCKED_PROMPT = "The prompt was blocked by the provider: ";
