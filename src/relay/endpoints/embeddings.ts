import { invalidRequest } from "../client-body.ts";
import type { Endpoint } from "./endpoint.ts";

export const embeddings: Endpoint = {
  capability: "embeddings",
  streams: false,
  emptyIsFree: false,
  check(body) {
    if (body.input === undefined || body.input === "") throw invalidRequest("“input” is missing.", "input");
  },
};
