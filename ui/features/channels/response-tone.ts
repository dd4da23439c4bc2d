export type ResponseTone = "untested" | "ok" | "lime" | "warn" | "bad";

/** Colour of a response time in milliseconds: up to 1 s green, 3 s lime, 5 s yellow, above red; 0 untested. */
export function responseTone(responseMs: number): ResponseTone {
  if (responseMs <= 0) return "untested";
  if (responseMs <= 1000) return "ok";
  if (responseMs <= 3000) return "lime";
  if (responseMs <= 5000) return "warn";
  return "bad";
}
