import { type JsonObject, numberOf, recordOf, textOf } from "../../json.ts";

/** MiniMax's codes by what they mean. */
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

/** A failure as MiniMax tells it, with status 200; `status` is missing where the code tells none. */
export type BaseFailure = Readonly<{ message: string; code: string; status?: number }>;

/** What a failed answer of any call to MiniMax says; null: it has not failed. */
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
