import { type ReadRequestText, textsIn } from "../../domain/channels/status/own-words.ts";
import type { Call } from "../call/call.ts";

/** Headers whose values upstreams get. */
const PASSED_HEADERS = /^(anthropic-|openai-|x-|user-agent$)/i;

/** What a caller wrote in a request: body with the earlier turns that it continues, address, headers that are passed on. */
export const requestTextOf =
  ({
    body,
    request,
    isResumed,
    fullConversation,
  }: Pick<Call, "body" | "request" | "isResumed" | "fullConversation">): ReadRequestText =>
  () => {
    const headers = [...request.headers].flatMap(([name, value]) => (PASSED_HEADERS.test(name) ? [name, value] : []));
    return textsIn([body.json, request.url, headers, isResumed ? fullConversation?.() : null]);
  };
