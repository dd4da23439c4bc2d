import { invalidRequest } from "../client-body.ts";
import type { Endpoint } from "./endpoint.ts";

export const chatCompletions: Endpoint = {
  capability: "chat",
  streams: true,
  emptyIsFree: true,
  check(body) {
    if (!Array.isArray(body.messages) || body.messages.length === 0) {
      throw invalidRequest("“messages” must be a list with at least one message.", "messages");
    }
  },
};

export const completions: Endpoint = {
  capability: "completions",
  streams: true,
  emptyIsFree: false,
  check(body) {
    if (body.prompt === undefined) throw invalidRequest("“prompt” is missing.", "prompt");
  },
};
