import type { Explanation } from "../../../src/relay/explain.ts";
import { request } from "../../api/client.ts";

/** Where a call of `group` for `model` with a prompt of `promptTokens` would go. Rejects ApiError. */
export const explainRoute = async (question: { model: string; group: string; promptTokens: number }) => {
  const { model, group, promptTokens } = question;
  const body = { model, group, prompt_tokens: promptTokens };
  return (await request<Explanation>("/api/channel/explain", { method: "POST", body })).data;
};
