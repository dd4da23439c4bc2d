import { OperationError } from "../../lib/operation-error.ts";
import { type Option, option, type Traits } from "./option.ts";

/** The address of a directory, without credentials and path: `ldap://` or `ldaps://`, or nothing. */
export const ldapAddress = (traits: Traits = {}): Option<string> =>
  option(
    "",
    traits,
    (raw, key) => {
      const value = raw.trim().replace(/\/+$/, "");
      const url = value === "" ? null : URL.parse(value);
      const isAddress = url && /^ldaps?:$/.test(url.protocol) && url.hostname !== "" && /^\/?$/.test(url.pathname);
      if (value !== "" && (!isAddress || url.username !== "" || url.search !== "" || url.hash !== ""))
        throw new OperationError("option_ldap_address", { key });
      return value;
    },
    (value) => value,
  );

const LONGEST_FILTER = 2_000;

/** A filter (RFC 4515) in which a placeholder stands for what is looked for. */
export const ldapFilter = (initial: string, placeholders: readonly string[], traits: Traits = {}): Option<string> =>
  option(
    initial,
    traits,
    (raw, key) => {
      const value = raw.trim() || initial;
      const isFilter = /^\(.+\)$/.test(value) && value.length <= LONGEST_FILTER && isBalanced(value);
      if (!isFilter || !placeholders.some((name) => value.includes(`{${name}}`))) {
        const names = placeholders.map((name) => `{${name}}`).join(", ");
        throw new OperationError("option_ldap_filter", { key, names, example: initial });
      }
      return value;
    },
    (value) => value,
  );

/** Whether each parenthesis is closed, and none before it was opened. Those of values are written `\28` and `\29`. */
function isBalanced(filter: string): boolean {
  let depth = 0;
  for (const sign of filter) {
    if (sign === "(") depth += 1;
    else if (sign === ")") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
