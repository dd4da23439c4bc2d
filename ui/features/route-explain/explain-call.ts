import { readData } from "../../api/client.ts";
import { channelExplainApi } from "../../api/groups.ts";

export type RouteQuestion = Readonly<{
  model: string;
  group: string;
  promptTokens: number;
  /** An API key and the body of a request: whether such a conversation sticks somewhere. */
  conversation: Readonly<{ tokenId: number; request: object }> | null;
}>;

/** Where a call of `group` for `model` with a prompt of `promptTokens` would go. Rejects ApiError. */
export const explainRoute = ({ model, group, promptTokens, conversation }: RouteQuestion) => {
  const about = conversation && { token_id: conversation.tokenId, request: conversation.request };
  const body = { model, group, prompt_tokens: promptTokens, ...about };
  return readData(channelExplainApi.explain.post(body));
};
