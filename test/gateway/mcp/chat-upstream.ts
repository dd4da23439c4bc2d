import { chatReply, chunk, DONE, sse, startUpstream, usageChunk } from "../../support/gateway/start-upstream.ts";

type CallStep = readonly [name: string, input: string];
/** A round's answer: one call or several, text, or any response. */
export type Step = CallStep | readonly CallStep[] | string | Response;

/** An upstream with OpenAI's chat format that answers round by round; round n uses 100 n + 10 n tokens. */
export const startChatUpstream = (steps: readonly Step[]) =>
  startUpstream(({ text }, _request, count) => {
    const step = steps[count - 1] ?? "done";
    return step instanceof Response ? step : replyOf(step, count, JSON.parse(text).stream === true);
  });

/** The response of a round. */
export function replyOf(step: Exclude<Step, Response>, round: number, isStream: boolean): Response {
  const usage = { prompt_tokens: 100 * round, completion_tokens: 10 * round, total_tokens: 110 * round };
  const reason = typeof step === "string" ? "stop" : "tool_calls";
  const message = typeof step === "string" ? { content: step } : { content: null, tool_calls: callsOf(step, round) };
  if (!isStream) {
    const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason: reason }];
    return Response.json(chatReply({ choices, usage }));
  }
  const deltas =
    typeof step === "string"
      ? [...step].map((content) => ({ content }))
      : callsOf(step, round).flatMap(({ function: { name, arguments: input }, ...call }, index) => [
          { tool_calls: [{ index, ...call, function: { name, arguments: "" } }] },
          { tool_calls: [{ index, function: { arguments: input } }] },
        ]);
  return sse([...deltas.map((delta) => chunk(delta)), chunk({}, {}, reason), usageChunk(usage), DONE].join(""));
}

const isOne = (step: CallStep | readonly CallStep[]): step is CallStep => typeof step[0] === "string";

const callsOf = (step: CallStep | readonly CallStep[], round: number) =>
  (isOne(step) ? [step] : step).map(([name, input], at) => ({
    ...{ id: `call_${round}_${at}`, type: "function" },
    function: { name, arguments: input },
  }));
