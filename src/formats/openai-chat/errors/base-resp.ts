import { type JsonObject, numberOf, recordOf, textOf } from "../../json.ts";

/** HTTP statuses of MiniMax's error codes. */
const STATUSES: Readonly<Record<number, number>> = {
  1002: 429,
  1004: 401,
  1008: 402,
  1026: 400,
  1027: 400,
  1039: 429,
  2013: 400,
  2049: 401,
  2056: 429,
};

/** A failure that MiniMax reports with status 200; `status` is missing if the code is unknown. */
export type BaseFailure = Readonly<{ message: string; code: string; status?: number }>;

/** The failure in a MiniMax response of any kind; null if it succeeded. */
export function baseFailure(answer: JsonObject): BaseFailure | null {
  const baseResp = recordOf(answer.base_resp);
  const code = numberOf(baseResp?.status_code);
  if (code === null || code === 0) return null;
  const status = STATUSES[code];
  const message = textOf(baseResp?.status_msg) ?? "The call failed.";
  return {
    message,
    code: String(code),
    ...(status !== undefined && { status }),
  };
}
