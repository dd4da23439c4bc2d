/** Limits of redemption codes: characters of name and key, codes made at once, uses of a gift code. */
export const CODE_LIMITS = { name: 20, key: 64, count: 100, uses: 1_000_000_000 } as const;

/** `max_uses` of codes without a limit of uses. */
export const UNLIMITED_USES = -1;

/** What is wrong with a name; undefined: nothing. */
export function codeNameError(text: string): "code_name_length" | undefined {
  const { length } = [...text.trim()];
  return length >= 1 && length <= CODE_LIMITS.name ? undefined : "code_name_length";
}

/** What is wrong with what a code is worth, in quota units; undefined: nothing. */
export const codeQuotaError = (quota: number): "code_quota_invalid" | undefined =>
  Number.isSafeInteger(quota) && quota >= 1 ? undefined : "code_quota_invalid";

/** What is wrong with the number of codes to make; undefined: nothing. */
/** A text of one's own can be that of one code only. */
export function codeCountError(count: number, key = ""): "code_count_invalid" | "code_key_single" | undefined {
  if (!Number.isInteger(count) || count < 1 || count > CODE_LIMITS.count) return "code_count_invalid";
  return key.trim() !== "" && count > 1 ? "code_key_single" : undefined;
}

/** What is wrong with the number of uses of a gift code; undefined: nothing. */
export function codeUsesError(uses: number): "code_max_uses_invalid" | undefined {
  const isLimit = Number.isInteger(uses) && uses >= 1 && uses <= CODE_LIMITS.uses;
  return isLimit || uses === UNLIMITED_USES ? undefined : "code_max_uses_invalid";
}

/** What is wrong with a key of the operator's choice; undefined: nothing, or none is chosen. */
export function codeKeyError(text: string): "code_key_invalid" | undefined {
  const key = text.trim();
  return key.length > CODE_LIMITS.key || /[\s\p{C}]/u.test(key) ? "code_key_invalid" : undefined;
}

/** What is wrong with the window in which a code works, in epoch seconds (0: open); undefined: nothing. */
export const codeWindowError = (validFrom: number, validUntil: number): "code_window_invalid" | undefined =>
  validFrom > 0 && validUntil > 0 && validFrom >= validUntil ? "code_window_invalid" : undefined;
