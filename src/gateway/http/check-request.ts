import type { JsonObject } from "../../formats/json.ts";
import { findBrokenLimit, type NumberLimit } from "../../formats/request-rules/number-limits.ts";
import { findLikeName, findUnclearMember, type UnclearMember } from "../../formats/request-rules/request-members.ts";
import type { RequestRules } from "../../formats/request-rules/request-rules.ts";
import type { FormPart } from "../../lib/http/multipart/read-form.ts";
import type { Sentence } from "../../lib/messages.ts";
import { GatewayError } from "../call/errors.ts";

/**
 * Rejects a request that a provider may parse differently than this gateway, or whose numbers cannot be priced. `json`
 * is the parsed `text`. Throws GatewayError 400 that names the member.
 */
export function checkRequest(text: string, json: JsonObject, rules: RequestRules): void {
  const unclear = findUnclearMember(text, json, rules.members);
  if (unclear) throw unclearMember(unclear);
  checkValues(json, rules);
}

/** Throws GatewayError 400 for a number out of range, or a switch that is no boolean. */
export function checkValues(json: JsonObject, { numbers, switches }: RequestRules): void {
  const broken = findBrokenLimit(json, numbers);
  if (broken) throw brokenLimit(broken);
  for (const name of switches) {
    const value = json[name];
    if (value != null && typeof value !== "boolean")
      throw invalidMember(name, { code: "gateway_not_boolean", params: { name } });
  }
}

/** Form fields that may have brackets or repeat: files, objects, and lists that some clients write without brackets. */
const LISTS: ReadonlySet<string> = new Set(
  `image images input_reference video timestamp_granularities include known_speaker_names known_speaker_references`.split(
    " ",
  ),
);

/** The same for a form; `json` has its fields. Throws GatewayError 400 that names the field. */
export function checkForm(parts: readonly FormPart[], json: JsonObject, { members, numbers }: RequestRules): void {
  const seen = new Set<string>();
  for (const { name } of parts) {
    const [plain = name, bracket] = name.split(/(?=\[)/, 2);
    const isList = LISTS.has(plain);
    const likeName =
      findLikeName(plain, members) ?? (bracket !== undefined && !isList ? decidedBy(plain, members) : null);
    if (likeName !== null) throw unclearMember({ path: name, likeName });
    if (seen.has(name) && !isList && !name.endsWith("]")) throw unclearMember({ path: name, likeName: null });
    seen.add(name);
  }
  const broken = findBrokenLimit(json, numbers, true);
  if (broken) throw brokenLimit(broken);
}

/** The member that a form field sets, if the gateway reads it: PHP and others treat `model[]` as `model`. */
const decidedBy = (name: string, { isFreeByName }: RequestRules["members"]): string | null =>
  isFreeByName.get(name) === false ? name : null;

function unclearMember({ path, likeName }: UnclearMember): GatewayError {
  return invalidMember(
    path,
    likeName === null
      ? { code: "gateway_member_twice", params: { path } }
      : { code: "gateway_member_like", params: { path, name: likeName } },
  );
}

function brokenLimit({ path, min, max, isInteger, code }: NumberLimit): GatewayError {
  const reason = isInteger ? "gateway_integer_range" : "gateway_number_range";
  return invalidMember(path, { code: reason, params: { path, min, max } }, code);
}

const invalidMember = (param: string, reason: Sentence, code = "invalid_request"): GatewayError =>
  new GatewayError(400, code, reason, { type: "invalid_request_error", param });
